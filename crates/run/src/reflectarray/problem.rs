//! Translates a reflectarray case to the problem of the solver; coverages and tables are read here.

use super::feed::feed;
use super::files;
use crate::input::{InputFolder, read_text};
use phasefront_case::model::Two;
use phasefront_case::model::reflectarray::{
    Coverage, Ellipse, Gradient as CaseGradient, Method as CaseMethod, ReflectarrayCase,
    Satellite as CaseSatellite, Solve,
};
use phasefront_core::FieldError;
use phasefront_core::constants::C0;
use phasefront_reflectarray::coverage::{
    Area, CoverageError, LonLat, Pointing, Satellite, built_in, read_geojson,
};
use phasefront_reflectarray::{
    Design, Element, Gradient, Lattice, Method, Outputs, Outside, Placement, Problem, Region, Sensitivity,
    Synthesis, UvGrid, UvPolygon,
};
use std::f64::consts::TAU;
use std::path::Path;

/// Vertices of an ellipse: the polygon deviates by less than a thousandth of its size.
const ELLIPSE_VERTICES: usize = 72;

/// Steps of the grid per beamwidth, wavelength over aperture. Two suffice to sample the field (Nyquist); more locate the minimum over a
/// coverage between samples.
const STEPS_PER_BEAM: f64 = 8.0;

/// Beamwidths of the default grid beyond the coverage, and around the focus of an analysis without coverage.
const BEAMS_AROUND_COVERAGE: f64 = 2.0;
const BEAMS_AROUND_FOCUS: f64 = 6.0;

/// A translated case.
pub(super) struct Translated {
    pub problem: Problem,
    /// For each region of the problem, the index of its coverage in the case: a file may hold several regions.
    pub owners: Vec<usize>,
    /// For maps.
    pub satellite: Option<Satellite>,
}

/// Translates a case. Files that it names are resolved against `folder`.
pub(super) fn translate(case: &ReflectarrayCase, folder: &InputFolder) -> Result<Translated, FieldError> {
    let geometry = &case.geometry;
    let frequencies = case.source.frequency.values();
    // Lengths below are in wavelengths.
    if let Some(frequency) = frequencies.iter().find(|f| **f <= 0.0) {
        let message = format!("the frequency must be positive, not {frequency} Hz");
        return Err(FieldError::new(
            "source.frequency",
            message,
            "specify a positive frequency, for example \"14.25 GHz\"",
        ));
    }
    let wavelength = C0 / frequencies[0];
    let elements = geometry.elements.array().map(|n| n.get() as usize);
    let lattice = Lattice { elements, spacing: geometry.spacing.meters(wavelength) };
    let satellite = geometry.satellite.map(satellite).transpose()?;
    let (coverage, owners) = coverage(&geometry.coverage, satellite.as_ref(), folder)?;
    let focus = geometry.focus.map(Two::array);
    let shortest = C0 / frequencies.iter().copied().fold(0.0, f64::max);
    let margin = geometry.outside.map_or(0.0, |outside| outside.margin);
    let uv_grid = uv_grid(&case.solve, &lattice, shortest, &coverage, focus, margin);
    let problem = Problem {
        feed: feed(&geometry.feed, &frequencies, folder)?,
        element: element(case, folder)?,
        lattice,
        placement: match geometry.placement {
            None => Placement::Periodic,
            Some(range) => Placement::Aperiodic {
                min_spacing: range.min_spacing.meters(wavelength),
                max_spacing: range.max_spacing.meters(wavelength),
            },
        },
        design: design(case, elements, folder)?,
        focus,
        coverage,
        outside: geometry.outside.map(|o| Outside { upper: o.upper_dbi, margin: o.margin }),
        uv_grid,
        synthesis: synthesis(&case.solve),
        outputs: Outputs {
            cross_polar: case.output.cross_polar,
            sensitivity: case.output.sensitivity.map(|s| Sensitivity {
                failed_fraction: s.failed_fraction,
                pointing_error: s.pointing_error.si(),
                trials: s.trials.get() as usize,
            }),
        },
        frequencies,
    };
    Ok(Translated { problem, owners, satellite })
}

fn element(case: &ReflectarrayCase, folder: &InputFolder) -> Result<Element, FieldError> {
    let element = &case.geometry.element;
    let read = |file: &String| files::reflection(folder, file, "geometry.element.reflection");
    let reflection = element.reflection.as_ref().map(read).transpose()?;
    Ok(Element { power_exponent: element.power_exponent, reflection })
}

fn design(
    case: &ReflectarrayCase,
    elements: [usize; 2],
    folder: &InputFolder,
) -> Result<Option<Design>, FieldError> {
    let read = |file: &String| files::design(folder, file, elements, "geometry.design");
    case.geometry.design.as_ref().map(read).transpose()
}

/// Settings of the synthesis; keys that do not apply to the method are absent.
pub(super) fn synthesis(solve: &Solve) -> Synthesis {
    let default = Synthesis::default();
    let number = |given: Option<u32>, default: usize| given.map_or(default, |n| n as usize);
    Synthesis {
        method: match solve.method {
            CaseMethod::Multistage => Method::Multistage,
            CaseMethod::AlternatingProjections => Method::AlternatingProjections,
            CaseMethod::Analysis => Method::Analysis,
        },
        gradient: match solve.gradient {
            None | Some(CaseGradient::Analytic) => Gradient::Analytic,
            Some(CaseGradient::FiniteDifference) => Gradient::FiniteDifference,
        },
        zernike_order: number(solve.zernike_order, default.zernike_order),
        position_order: number(solve.position_order, default.position_order),
        starts: number(solve.starts, default.starts),
        modal_iterations: number(solve.modal_iterations, default.modal_iterations),
        element_iterations: number(solve.element_iterations, default.element_iterations),
        polish_iterations: number(solve.polish_iterations, default.polish_iterations),
        seed: solve.seed,
        phase_bits: solve.phase_bits,
        tolerance: solve.tolerance,
    }
}

fn satellite(case: CaseSatellite) -> Result<Satellite, FieldError> {
    let pointing = case.pointing.map_or(Pointing::Nadir, |target| {
        Pointing::LonLat(LonLat { lon: target.longitude.si(), lat: target.latitude.si() })
    });
    let path =
        if case.pointing.is_some() { "geometry.satellite.pointing" } else { "geometry.satellite.longitude" };
    Satellite::new(case.longitude.si(), pointing).map_err(|error| field_error(path, None, &error))
}

/// The regions, and for each the coverage of the case it comes from.
fn coverage(
    given: &[Coverage],
    satellite: Option<&Satellite>,
    folder: &InputFolder,
) -> Result<(Vec<Region>, Vec<usize>), FieldError> {
    let (mut regions, mut owners) = (Vec::new(), Vec::new());
    for (i, coverage) in given.iter().enumerate() {
        for (name, polygons) in
            named_regions(coverage, satellite, folder, &format!("geometry.coverage[{i}]"))?
        {
            let name = coverage.name.clone().or(name).unwrap_or_else(|| format!("coverage {}", i + 1));
            regions.push(Region { name, polygons, lower: coverage.lower_dbi, upper: coverage.upper_dbi });
            owners.push(i);
        }
    }
    Ok((regions, owners))
}

/// A region of the (u, v) plane and its name, if it has one of its own.
type Named = (Option<String>, Vec<UvPolygon>);

/// The regions of a coverage of the case.
fn named_regions(
    coverage: &Coverage,
    satellite: Option<&Satellite>,
    folder: &InputFolder,
    path: &str,
) -> Result<Vec<Named>, FieldError> {
    if let Some(points) = &coverage.polygon {
        let polygon = UvPolygon { rings: vec![points.iter().map(|p| p.array()).collect()] };
        if let Some([a, b]) = polygon.crossing() {
            let message = format!(
                "the outline crosses itself: its sides {} and {} intersect",
                a.index + 1,
                b.index + 1
            );
            let advice = "order the vertices along the outline";
            return Err(FieldError::new(format!("{path}.polygon"), message, advice));
        }
        return Ok(vec![(None, vec![polygon])]);
    }
    if let Some(shape) = coverage.ellipse {
        return Ok(vec![(None, vec![ellipse(shape)])]);
    }
    // A coverage on the Earth without a satellite was rejected with the case.
    let Some(satellite) = satellite else { return Ok(Vec::new()) };
    let project = |area: &Area, path: String, file: Option<&str>| {
        area.project(satellite).map_err(|error| field_error(&path, file, &error))
    };
    if let Some(name) = &coverage.region {
        let path = format!("{path}.region");
        let area = built_in(name).map_err(|error| field_error(&path, None, &error))?;
        return Ok(vec![(area.name.clone(), project(&area, path, None)?)]);
    }
    let file = coverage.file.as_deref().unwrap_or_default();
    let path = format!("{path}.file");
    let text = read_text(folder, file, &path)?;
    let areas = read_geojson(&text).map_err(|error| field_error(&path, Some(file), &error))?;
    let stem = Path::new(file).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let named = |area: &Area| {
        let name = area.name.clone().or_else(|| stem.clone());
        project(area, path.clone(), Some(file)).map(|polygons| (name, polygons))
    };
    areas.iter().map(named).collect()
}

fn field_error(path: &str, file: Option<&str>, error: &CoverageError) -> FieldError {
    let message = file.map_or_else(|| error.to_string(), |file| format!("{file}: {error}"));
    FieldError::new(path, message, error.advice())
}

fn ellipse(shape: Ellipse) -> UvPolygon {
    let ([cu, cv], [a, b]) = (shape.center.array(), shape.semi_axes.array());
    let (sin, cos) = shape.rotation.si().sin_cos();
    let vertex = |i: usize| {
        let (s, c) = (TAU * i as f64 / ELLIPSE_VERTICES as f64).sin_cos();
        [cu + a * c * cos - b * s * sin, cv + a * c * sin + b * s * cos]
    };
    UvPolygon { rings: vec![(0..ELLIPSE_VERTICES).map(vertex).collect()] }
}

/// The grid of a case: explicit keys, and by default the coverage with a margin around it.
fn uv_grid(
    solve: &Solve,
    lattice: &Lattice,
    wavelength: f64,
    coverage: &[Region],
    focus: Option<[f64; 2]>,
    margin: f64,
) -> UvGrid {
    let side = (0..2).map(|i| lattice.elements[i] as f64 * lattice.spacing[i]).fold(0.0, f64::max);
    // An aperture below a wavelength has a single beam over all of visible space.
    let beam = (wavelength / side).min(1.0);
    let step = solve.uv_grid.spacing.unwrap_or(beam / STEPS_PER_BEAM);
    let boxes: Vec<[[f64; 2]; 2]> =
        coverage.iter().flat_map(|region| &region.polygons).filter_map(UvPolygon::bounding_box).collect();
    let (low, high, around) = if boxes.is_empty() {
        let at = focus.unwrap_or([0.0, 0.0]);
        (at, at, BEAMS_AROUND_FOCUS * beam)
    } else {
        let ends = |axis: usize| {
            let low = boxes.iter().map(|b| b[axis][0]).fold(f64::INFINITY, f64::min);
            let high = boxes.iter().map(|b| b[axis][1]).fold(f64::NEG_INFINITY, f64::max);
            [low, high]
        };
        let ([u0, u1], [v0, v1]) = (ends(0), ends(1));
        ([u0, v0], [u1, v1], margin + BEAMS_AROUND_COVERAGE * beam)
    };
    let center =
        solve.uv_grid.center.map_or([0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1])], Two::array);
    let samples = solve.uv_grid.points.map_or_else(
        || {
            [0, 1].map(|i| {
                // Visible space ends at |u| = 1.
                let half = (high[i] - center[i]).max(center[i] - low[i]) + around;
                2 * (half.min(1.0 + center[i].abs()) / step).ceil() as usize + 1
            })
        },
        |given| given.array().map(|n| n.get() as usize),
    );
    UvGrid { center, points: samples, spacing: step }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_of_a_case_are_those_of_the_solver() {
        let text = include_str!("../../templates/reflectarray.toml");
        let file = phasefront_case::parse("template.toml", text).unwrap();
        let phasefront_case::Case::Reflectarray(mut case) = file.case else { panic!("a reflectarray") };
        case.geometry.placement = None;
        let expected = Synthesis { seed: case.solve.seed, ..Synthesis::default() };
        assert_eq!(synthesis(&case.solve), expected);
    }

    #[test]
    fn an_ellipse_is_rotated_from_u_toward_v() {
        let shape: Ellipse = serde_json::from_str(
            r#"{ "center": [0.1, 0.2], "semi_axes": [0.03, 0.01], "rotation": "90 deg" }"#,
        )
        .unwrap();
        let polygon = ellipse(shape);
        assert!(polygon.contains([0.1, 0.2299]) && !polygon.contains([0.1299, 0.2]));
    }

    #[test]
    fn a_window_contains_the_coverage_and_a_margin() {
        let lattice = Lattice { elements: [50, 20], spacing: [0.01, 0.01] };
        let region = Region {
            name: "a".into(),
            polygons: vec![UvPolygon { rings: vec![vec![[0.0, 0.1], [0.1, 0.1], [0.0, 0.2]]] }],
            lower: None,
            upper: None,
        };
        let uv_grid = uv_grid(&Solve::default(), &lattice, 0.02, &[region], None, 0.01);
        // Beams of 0.02/0.5 = 0.04, and a margin of 0.01 + 2 beams.
        assert!((uv_grid.spacing - 0.04 / 8.0).abs() < 1e-15);
        for i in 0..2 {
            let half = (uv_grid.points[i] / 2) as f64 * uv_grid.spacing;
            assert!(half >= 0.05 + 0.09 && half < 0.05 + 0.09 + uv_grid.spacing, "{half}");
        }
        assert!((uv_grid.center[0] - 0.05).abs() < 1e-15 && (uv_grid.center[1] - 0.15).abs() < 1e-15);
    }
}
