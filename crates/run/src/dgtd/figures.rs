//! Figures of an antenna at each frequency: gains, efficiencies, beam widths, polarization, phase center; and its pattern files.

use crate::format::degrees;
use num_complex::Complex64;
use phasefront_case::model::dgtd::Export;
use phasefront_core::FieldError;
use phasefront_core::decibels::{finite_amplitude_db, finite_power_db};
use phasefront_dgtd::{PortSpectrum, Radiation};
use phasefront_pattern::{
    Component, Ellipse, Lobes, Pattern, PatternError, PhaseCenter, Powers, Sense, write_cut, write_ffd,
    write_ffe, write_grd,
};
use phasefront_report::Table;
use std::f64::consts::{SQRT_2, TAU};

/// Axial ratio, 3 dB, up to which polarization counts as circular.
const CIRCULAR: f64 = SQRT_2;

/// An antenna at one frequency.
pub(super) struct Figures {
    frequency: f64,
    powers: Powers,
    /// Directivity in the direction of its peak.
    directivity: f64,
    /// On a grid of directions.
    pattern: Option<Pattern>,
    beam: Option<Beam>,
}

/// The main lobe of a pattern.
struct Beam {
    lobes: Lobes,
    /// Polarization in the direction of the peak.
    ellipse: Option<Ellipse>,
    /// Of that polarization, over the part of the main lobe within 3 dB.
    phase_center: Option<PhaseCenter>,
}

impl Beam {
    fn of(pattern: &Pattern) -> Option<Self> {
        let lobes = pattern.lobes()?;
        let ellipse = pattern.ellipse(lobes.peak);
        let phase_center = ellipse.and_then(|ellipse| {
            let component = match ellipse.sense {
                Sense::Right if ellipse.axial_ratio < CIRCULAR => Component::RightCircular(0.0),
                Sense::Left if ellipse.axial_ratio < CIRCULAR => Component::LeftCircular(0.0),
                // The major axis of the ellipse, as Ludwig's reference angle.
                _ => Component::Co(ellipse.tilt + lobes.peak.phi),
            };
            let widths = [lobes.polar_cut, lobes.transverse_cut].map(|cut| cut.half_power_width);
            let half = 0.5 * widths.into_iter().flatten().reduce(f64::min)?;
            pattern.phase_center(component, lobes.peak, half).ok()
        });
        Some(Self { lobes, ellipse, phase_center })
    }
}

impl Figures {
    /// Of a far field; `port` is the excited one, if there are ports, with its spectrum. `grid` are all θ and φ, radians, where the antenna
    /// radiates into vacuum: patterns have its impedance and its wavelength.
    pub(super) fn new(
        frequency: f64,
        grid: Option<[&[f64]; 2]>,
        field: &Radiation,
        port: Option<(&PortSpectrum, usize)>,
    ) -> Self {
        let positive = |power: f64| Some(power).filter(|power| *power > 0.0 && power.is_finite());
        let accepted = port.and_then(|(port, _)| positive(port.accepted_power));
        let available = port
            .zip(accepted)
            .and_then(|((port, excited), accepted)| positive(accepted / (1.0 - port.s[excited].norm_sqr())));
        // For an available power of 1 W, or a radiated one where there is no port.
        let unit = if port.is_some() { available } else { positive(field.power) };
        let over_unit = |power: f64| unit.and_then(|unit| positive(power / unit));
        let powers = Powers {
            radiated: over_unit(field.power),
            accepted: accepted.and_then(over_unit),
            available: available.and_then(over_unit),
        };
        // Single directions and cuts make no pattern, nor do angles that do not rise.
        let grid = grid.filter(|[theta, phi]| theta.len() > 1 && phi.len() > 1);
        let pattern = grid.zip(unit).and_then(|([theta, phi], unit)| {
            let fields = field.fields.iter().map(|field| [field.theta, field.phi].map(|e| e / unit.sqrt()));
            Pattern::new(frequency, theta.to_vec(), phi.to_vec(), fields.collect(), powers).ok()
        });
        let beam = pattern.as_ref().and_then(Beam::of);
        let directivity = field.directivity().into_iter().fold(0.0, f64::max);
        Self { frequency, powers, directivity, pattern, beam }
    }

    /// Radiated over accepted power.
    fn radiation_efficiency(&self) -> Option<f64> {
        self.powers.radiated.zip(self.powers.accepted).map(|(radiated, accepted)| radiated / accepted)
    }

    /// Gain in a direction of this directivity, dB: directivity times radiated over accepted power. None if no power is accepted.
    pub(super) fn gain_db(&self, directivity: f64) -> Option<f64> {
        self.radiation_efficiency().map(|efficiency| directivity + finite_power_db(efficiency))
    }

    /// Radiated over available power.
    fn total_efficiency(&self) -> Option<f64> {
        self.powers.radiated.zip(self.powers.available).map(|(radiated, available)| radiated / available)
    }
}

/// `antenna.csv`: a row for each frequency.
pub(super) fn table(all: &[Figures]) -> Table {
    let of_beam = |get: &dyn Fn(&Beam) -> Option<f64>| -> Vec<Option<f64>> {
        all.iter().map(|figures| figures.beam.as_ref().and_then(get)).collect()
    };
    let of_center = |get: fn(&PhaseCenter) -> f64| of_beam(&move |beam| beam.phase_center.as_ref().map(get));
    let of_ellipse = |get: fn(&Ellipse) -> f64| of_beam(&move |beam| beam.ellipse.as_ref().map(get));
    let decibels = |ratio: f64| Some(finite_power_db(ratio));
    let gain = |figures: &Figures| figures.gain_db(finite_power_db(figures.directivity));
    let realized =
        |figures: &Figures| figures.total_efficiency().and_then(|eta| decibels(eta * figures.directivity));
    let sense = |figures: &Figures| {
        let ellipse = figures.beam.as_ref().and_then(|beam| beam.ellipse);
        let word = ellipse.map_or("", |ellipse| match ellipse.sense {
            Sense::Right => "right",
            Sense::Left => "left",
        });
        word.to_owned()
    };
    Table::new("antenna")
        .number("frequency_hz", all.iter().map(|at| at.frequency).collect())
        .number("peak_directivity_dbi", all.iter().map(|at| finite_power_db(at.directivity)).collect())
        .sparse("peak_gain_dbi", all.iter().map(gain))
        .sparse("peak_realized_gain_dbi", all.iter().map(realized))
        .sparse("radiation_efficiency", all.iter().map(Figures::radiation_efficiency))
        .sparse("total_efficiency", all.iter().map(Figures::total_efficiency))
        .sparse("peak_theta_deg", of_beam(&|beam| Some(degrees(beam.lobes.peak.theta))))
        .sparse("peak_phi_deg", of_beam(&|beam| Some(degrees(beam.lobes.peak.phi.rem_euclid(TAU)))))
        .sparse(
            "half_power_width_polar_deg",
            of_beam(&|beam| beam.lobes.polar_cut.half_power_width.map(degrees)),
        )
        .sparse(
            "half_power_width_transverse_deg",
            of_beam(&|beam| beam.lobes.transverse_cut.half_power_width.map(degrees)),
        )
        .sparse("front_to_back_db", of_beam(&|beam| beam.lobes.front_to_back.and_then(decibels)))
        .sparse("axial_ratio_db", of_ellipse(|ellipse| finite_amplitude_db(ellipse.axial_ratio)))
        .sparse("tilt_deg", of_ellipse(|ellipse| degrees(ellipse.tilt)))
        .text("sense", all.iter().map(sense).collect())
        .sparse("phase_center_x_m", of_center(|center| center.position[0]))
        .sparse("phase_center_y_m", of_center(|center| center.position[1]))
        .sparse("phase_center_z_m", of_center(|center| center.position[2]))
        .sparse("phase_deviation_deg", of_center(|center| degrees(center.residual)))
}

/// Refuses exports that cannot hold these angles, θ and φ in radians, before a run.
pub(super) fn check(kinds: &[Export], [theta, phi]: [&[f64]; 2]) -> Result<(), FieldError> {
    let refuse = |i: usize, problem: String, advice: String| {
        Err(FieldError::new(format!("output.exports[{i}]"), problem, advice))
    };
    for (i, kind) in kinds.iter().enumerate() {
        if theta.len() < 2 || phi.len() < 2 {
            let advice = "request the `directivity` at several angles of both".to_owned();
            return refuse(i, "an export of the far field needs a grid of theta and phi".into(), advice);
        }
        let (fields, powers) = (vec![[Complex64::ONE; 2]; theta.len() * phi.len()], Powers::default());
        let pattern = Pattern::new(1e9, theta.to_vec(), phi.to_vec(), fields, powers);
        if let Err(error) = pattern.and_then(|pattern| text(*kind, &[pattern])) {
            return refuse(i, error.to_string(), error.advice());
        }
    }
    Ok(())
}

fn text(kind: Export, patterns: &[Pattern]) -> Result<String, PatternError> {
    match kind {
        Export::Ffe => write_ffe(patterns),
        Export::Ffd => write_ffd(patterns),
        Export::Cut => write_cut(patterns),
        Export::Grd => write_grd(patterns),
    }
}

/// Frequencies whose far field exports leave out.
pub(super) fn left_out(all: &[Figures]) -> usize {
    all.iter().filter(|figures| figures.pattern.is_none()).count()
}

/// The export of a kind: its name, text and description; or why it cannot be written.
pub(super) fn file(
    kind: Export,
    all: &[Figures],
) -> Result<(&'static str, String, &'static str), PatternError> {
    let patterns: Vec<Pattern> = all.iter().filter_map(|figures| figures.pattern.clone()).collect();
    let (name, what) = match kind {
        Export::Ffe => ("pattern.ffe", "far field for FEKO"),
        Export::Ffd => ("pattern.ffd", "far field for HFSS"),
        Export::Cut => ("pattern.cut", "far field for GRASP, in cuts of constant phi"),
        Export::Grd => ("pattern.grd", "far field for GRASP, on a grid"),
    };
    Ok((name, text(kind, &patterns)?, what))
}

#[cfg(test)]
mod tests {
    use super::*;
    use phasefront_core::constants::{ETA0, wavenumber};
    use phasefront_dgtd::FarField;
    use std::f64::consts::PI;

    const FREQUENCY: f64 = 1e9;

    fn angles(count: usize, last: f64) -> Vec<f64> {
        (0..count).map(|i| last * i as f64 / (count - 1) as f64).collect()
    }

    /// Two Hertzian dipoles at z = 20 mm, along x and, a quarter of a period later, along y: right-handed along +z.
    fn turnstile(theta: &[f64], phi: &[f64]) -> Radiation {
        let field = |theta: f64, phi: f64| {
            // r E ~ -(x̂ - jŷ), transverse to r̂.
            let (ct, rotated) = (theta.cos(), Complex64::cis(-phi));
            let shift = Complex64::cis(wavenumber(FREQUENCY) * 0.02 * ct);
            FarField { theta: shift * rotated * ct, phi: -Complex64::I * shift * rotated }
        };
        let fields = theta.iter().flat_map(|&theta| phi.iter().map(move |&phi| field(theta, phi))).collect();
        // ∮ (1 + cos²θ)/2η dΩ = 16π/3 /2η.
        Radiation { fields, power: 16.0 * PI / 3.0 / (2.0 * ETA0), impedance: ETA0 }
    }

    fn cell(table: &Table, name: &str) -> f64 {
        let csv = table.to_csv();
        let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let (header, row) = (lines.next().unwrap(), lines.next().unwrap());
        row[header.iter().position(|title| *title == name).unwrap()].parse().unwrap()
    }

    #[test]
    fn figures_of_a_turnstile() {
        let (theta, phi) = (angles(37, PI), angles(73, TAU));
        let field = turnstile(&theta, &phi);
        // Half of the available power is reflected, and a tenth of what is accepted is lost.
        let port = PortSpectrum {
            frequency: FREQUENCY,
            s: vec![Complex64::new(0.0, 0.5_f64.sqrt())],
            incident: vec![Complex64::ONE],
            reference: vec![50.0],
            impedance: Complex64::ONE,
            accepted_power: field.power / 0.9,
        };
        let figures = [Figures::new(FREQUENCY, Some([&theta[..], &phi]), &field, Some((&port, 0)))];
        let table = table(&figures);
        let near = |name: &str, expected: f64, tolerance: f64| {
            let found = cell(&table, name);
            assert!((found - expected).abs() < tolerance, "{name}: {found} instead of {expected}");
        };
        // D = 4π · 2/(16π/3) = 1.5.
        near("peak_directivity_dbi", 10.0 * 1.5_f64.log10(), 1e-9);
        near("peak_gain_dbi", 10.0 * (1.5 * 0.9_f64).log10(), 1e-9);
        near("peak_realized_gain_dbi", 10.0 * (1.5 * 0.45_f64).log10(), 1e-9);
        near("radiation_efficiency", 0.9, 1e-12);
        near("total_efficiency", 0.45, 1e-12);
        // Circular along ±z, which radiate alike; at the pole of the peak the intensity falls to half at 90 deg.
        near("axial_ratio_db", 0.0, 1e-6);
        near("front_to_back_db", 0.0, 1e-9);
        near("phase_center_z_m", 0.02, 1e-6);
    }

    #[test]
    fn every_kind_of_file_is_read_back() {
        let (theta, phi) = (angles(19, PI), angles(37, TAU));
        let field = turnstile(&theta, &phi);
        let figures = [Figures::new(FREQUENCY, Some([&theta[..], &phi]), &field, None)];
        let expected = figures[0].pattern.as_ref().unwrap();
        for kind in [Export::Ffe, Export::Ffd, Export::Cut, Export::Grd] {
            let (_, text, _) = file(kind, &figures).unwrap();
            let bytes = text.as_bytes();
            let read = match kind {
                Export::Ffe => phasefront_pattern::read_ffe(bytes),
                Export::Ffd => phasefront_pattern::read_ffd(bytes, None),
                Export::Cut => phasefront_pattern::read_cut(bytes, &[FREQUENCY]),
                Export::Grd => phasefront_pattern::read_grd(bytes, &[FREQUENCY]),
            };
            let found = &read.unwrap()[0];
            for (a, b) in found.fields().iter().flatten().zip(expected.fields().iter().flatten()) {
                assert!((a - b).norm() < 1e-9, "{kind:?}");
            }
        }
    }

    #[test]
    fn cuts_have_no_export() {
        let error = check(&[Export::Cut], [&angles(37, PI), &[0.0]]).unwrap_err();
        assert_eq!(error.path, "output.exports[0]");
        assert_eq!(error.message, "an export of the far field needs a grid of theta and phi");
        let uneven = check(&[Export::Ffe, Export::Ffd], [&[0.0, 0.1, 1.0], &angles(5, TAU)]).unwrap_err();
        assert_eq!(uneven.path, "output.exports[1]");
    }
}
