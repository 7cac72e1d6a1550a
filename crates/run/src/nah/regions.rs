//! Sound power by region.

use phasefront_case::model::nah::Region as CaseRegion;
use phasefront_core::{FieldError, SelfCheck};
use phasefront_nah::post::power_level;
use phasefront_nah::{Beamforming, Problem, Region, RegionPower, Solution, Study};
use phasefront_report::Table;
use phasefront_report::plot::Outline;

/// F₃ − F₂, dB: with more, ISO 9614-1 (annex B, B.1.2) has another surface measured, or less noise from elsewhere.
const MAX_NEGATIVE: f64 = 3.0;

/// The regions of a case, all of which are to be on the grid.
pub(super) fn translate(case: &[CaseRegion], problem: &Problem) -> Result<Vec<Region>, FieldError> {
    let region = |(i, case): (usize, &CaseRegion)| {
        let region = Region { name: case.name.clone(), x: case.x.si(), y: case.y.si() };
        if region.is_on_grid(problem) {
            return Ok(region);
        }
        let message = format!("the region {:?} is outside of the grid", case.name);
        let advice = "give x and y in the coordinates of the maps: the center of the array is zero";
        Err(FieldError::new(format!("output.regions[{i}]"), message, advice))
    };
    case.iter().enumerate().map(region).collect()
}

/// A row for each region, plane and frequency, and for beamforming with CLEAN-SC.
pub(super) fn table(study: &Study, solution: &Solution, regions: &[Region]) -> Option<Table> {
    let mut rows: Vec<(f64, f64, &str, &'static str, RegionPower)> = Vec::new();
    for region in regions {
        for hologram in &solution.holograms {
            for plane in &hologram.planes {
                let found = region.power(&study.problem, plane);
                rows.push((hologram.frequency, plane.distance, &region.name, "hologram", found));
            }
        }
        let is_clean = matches!(
            study.problem.beamforming,
            Some(phasefront_nah::BeamformingSettings { method: Beamforming::CleanSc(_), .. })
        );
        for found in solution.beamformed.iter().filter(|_| is_clean) {
            let power = study.half_space_power(region.strength(found));
            let none = f64::NAN;
            let found_power = RegionPower {
                points: none,
                area: none,
                power,
                power_error: none,
                negative_fraction: none,
                f2: none,
                f3: none,
                f4: none,
            };
            rows.push((found.frequency, study.problem.standoff, &region.name, "beamforming", found_power));
        }
    }
    let number = |get: &dyn Fn(&RegionPower) -> f64| rows.iter().map(|row| get(&row.4)).collect::<Vec<f64>>();
    (!rows.is_empty()).then(|| {
        Table::new("regions")
            .text("region", rows.iter().map(|row| row.2.to_owned()).collect())
            .number("frequency_hz", rows.iter().map(|row| row.0).collect())
            .number("distance_m", rows.iter().map(|row| row.1).collect())
            .text("way", rows.iter().map(|row| row.3.to_owned()).collect())
            .number("power_w", number(&|r| r.power))
            .number("power_db", number(&|r| power_level(r.power)))
            .number("power_error_w", number(&|r| r.power_error))
            .number("negative_fraction", number(&|r| r.negative_fraction))
            .number("f2_db", number(&|r| r.f2))
            .number("f3_db", number(&|r| r.f3))
            .number("f3_minus_f2_db", number(&|r| r.f3 - r.f2))
            .number("f4", number(&|r| r.f4))
            .number("points", number(&|r| r.points))
            .number("area_m2", number(&|r| r.area))
    })
}

/// Whether in each region what flows back is little, as ISO 9614-1 asks.
pub(super) fn check(problem: &Problem, solution: &Solution, regions: &[Region]) -> Option<SelfCheck> {
    let mut worst: Option<(f64, &Region, f64)> = None;
    for region in regions {
        for hologram in &solution.holograms {
            for plane in &hologram.planes {
                let found = region.power(problem, plane);
                // More toward the source than away from it: no F₃.
                let difference = if found.f3.is_nan() { f64::INFINITY } else { found.f3 - found.f2 };
                if worst.is_none_or(|(most, ..)| difference > most) {
                    worst = Some((difference, region, hologram.frequency));
                }
            }
        }
    }
    let (difference, region, frequency) = worst?;
    let sentence = if difference <= MAX_NEGATIVE {
        "In every region most of the power flows away from the source.".to_owned()
    } else {
        format!(
            "at {frequency:.1} Hz much of the power in the region {:?} flows toward the source (F3 - F2 above 3 dB): its net power is the small difference of large \
             ones; take a larger region, and see `power_error_w` in regions.csv",
            region.name
        )
    };
    Some(
        SelfCheck::at_most("negative power in the regions", difference, MAX_NEGATIVE, sentence).in_unit("dB"),
    )
}

/// Their rectangles.
pub(super) fn outlines(regions: &[Region]) -> Vec<Outline> {
    let outline = |region: &Region| {
        let ([a, b], [c, d]) = (region.x, region.y);
        Outline { points: vec![[a, c], [b, c], [b, d], [a, d]], closed: true, filled: false }
    };
    regions.iter().map(outline).collect()
}
