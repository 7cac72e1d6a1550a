//! Currents of a dgtd run on conductors: `currents_0001.vtu` and so on for the frequencies, and a picture.

use super::plots::{at_frequency, for_source, unit};
use super::volumes::{complex_values, file_name};
use num_complex::Complex64;
use phasefront_dgtd::{Solution, Study, Subdivision};
use phasefront_report::Surface;
use phasefront_report::plot::{BodyPlot, Plot, level_range};

/// Decibels below the strongest current where colors end.
const DEPTH: f64 = 40.0;

/// The conductors with their currents, at each frequency.
pub(super) fn surfaces(study: &Study, solution: &Solution, pieces: &Subdivision<3>) -> Vec<Surface> {
    let grid = Surface {
        vertices: pieces.points.clone().into(),
        triangles: pieces.cells.clone().into(),
        ..Surface::default()
    };
    let at = |f: usize| Surface {
        name: file_name("currents", f),
        point_values: complex_values("J", &unit(study, "A"), &study.currents(solution, f)),
        ..grid.clone()
    };
    (0..study.problem.monitors.frequencies.len()).map(at).collect()
}

/// The conductors in colors of their currents at frequency number `shown`.
pub(super) fn plot(study: &Study, solution: &Solution, pieces: Subdivision<3>, shown: usize) -> Plot {
    let currents = study.currents(solution, shown);
    let size = |corner: u32| currents[corner as usize].iter().map(Complex64::norm_sqr).sum::<f64>().sqrt();
    let level =
        |corners: &[u32; 3]| 20.0 * (corners.iter().map(|&corner| size(corner)).sum::<f64>() / 3.0).log10();
    let values: Vec<f64> = pieces.cells.iter().map(level).collect();
    Plot::Body(BodyPlot {
        name: "currents".into(),
        title: format!("Surface current, {}", at_frequency(study, shown)),
        caption: format!("Current on the conductors: length of the complex vector, {}.", for_source(study)),
        value_label: format!("|J| (dB re 1 {})", unit(study, "A")),
        range: Some(level_range(values.iter().copied(), DEPTH)),
        vertices: pieces.points,
        triangles: pieces.cells,
        values,
        source: study.problem.sources.plane_wave.as_ref().map(|wave| wave.propagation.map(|x| -x)),
        ..BodyPlot::default()
    })
}
