//! The inner loop of a synthesis: the objective of the 71 x 71 array for Europe
//! (`cases/21-europe-71`) with its gradient, and P_rad; and the whole synthesis once.

use crate::error::BenchError;
use crate::harness::{Bench, Timed, median_seconds, noise};
use phasefront_core::Progress;
use phasefront_core::constants::C0;
use phasefront_device::Backend;
use phasefront_device::cpu::team;
use phasefront_reflectarray::coverage::{Pointing, Satellite, built_in};
use phasefront_reflectarray::{
    Derivatives, Design, Element, Feed, FeedPattern, Lattice, Objective, Outputs, Placement, Problem, Region,
    Study, Synthesis, UvGrid, UvPolygon, prepare,
};
use std::time::Instant;

const FREQUENCY: f64 = 14.25e9;
/// Elements along either side, half a wavelength apart.
const SIDE: usize = 71;
/// The same of an aperture with four times the area, for the scaling over cores.
const LARGE_SIDE: usize = 141;
const REPEATS: usize = 20;
/// Maximum displacement of the scattered elements from the lattice along each axis, in wavelengths.
const SCATTER: f64 = 0.1;

pub(crate) fn run(bench: &mut Bench<'_>) -> Result<(), BenchError> {
    let study = study(SIDE)?;
    let lattice = study.problem.initial_design();
    let scattered = scattered(&study, &lattice);
    for (name, design) in [("lattice", &lattice), ("scattered", &scattered)] {
        for (what, derivatives) in
            [("phase", Derivatives::Phase), ("position", Derivatives::PhaseAndPosition)]
        {
            bench.progress.check()?;
            let mut objective = Objective::new(&study.problem, bench.backend)?;
            let evaluate = || objective.evaluate(design, derivatives).map(drop).map_err(BenchError::from);
            // On a team, as in a synthesis.
            let seconds = team::with(rayon::current_num_threads(), || median_seconds(REPEATS, evaluate))?;
            bench.report(format!("reflectarray {what} gradient, {name}"), seconds, 1.0, "evaluations/s");
        }
        let mut objective = Objective::new(&study.problem, bench.backend)?;
        let seconds = median_seconds(REPEATS, || objective.update_power(design).map_err(BenchError::from))?;
        bench.report(format!("reflectarray P_rad, {name}"), seconds, 1.0, "evaluations/s");
    }
    bench.progress.check()?;
    let start = Instant::now();
    let solution = study.solve(bench.backend, bench.progress, None, &mut |_| Ok(()))?;
    let seconds = start.elapsed().as_secs_f64();
    let evaluations = solution.evaluations as f64;
    bench.report("reflectarray synthesis, 71 x 71".into(), seconds, evaluations, "evaluations/s");
    Ok(())
}

/// The whole synthesis on the CPU, for the scaling over cores.
pub(crate) fn on_cores() -> Result<Timed, BenchError> {
    synthesis_on_cores(SIDE)
}

/// The same for the large array.
pub(crate) fn large_on_cores() -> Result<Timed, BenchError> {
    synthesis_on_cores(LARGE_SIDE)
}

fn synthesis_on_cores(side: usize) -> Result<Timed, BenchError> {
    let study = study(side)?;
    let start = Instant::now();
    let solution = study.solve(&Backend::Cpu, &Progress::silent(), None, &mut |_| Ok(()))?;
    let seconds = start.elapsed().as_secs_f64();
    Ok(Timed { seconds, work: solution.evaluations as f64, unit: "evaluations/s" })
}

/// The array of the gallery's `cases/21-europe-71`, synthesis only: a satellite at 5° east pointing
/// at the nadir, and Europe.
fn study(side: usize) -> Result<Study, BenchError> {
    let wavelength = C0 / FREQUENCY;
    let lattice = Lattice { elements: [side; 2], spacing: [0.5 * wavelength; 2] };
    let satellite = Satellite::new(5.0_f64.to_radians(), Pointing::Nadir)?;
    let polygons = built_in("europe")?.project(&satellite)?;
    let problem = Problem {
        frequencies: vec![FREQUENCY],
        feed: Feed {
            offset: 0.423,
            height: 0.833,
            pattern: FeedPattern::Cosine { power_exponent: 24.0 },
            polarization: 0.0,
        },
        element: Element { power_exponent: 1.0, reflection: None },
        lattice,
        placement: Placement::Periodic,
        design: None,
        focus: None,
        uv_grid: uv_grid(&polygons, side),
        coverage: vec![Region { name: "Europe".into(), polygons, lower: None, upper: None }],
        outside: None,
        synthesis: Synthesis::default(),
        outputs: Outputs::default(),
    };
    Ok(prepare(problem)?)
}

/// Samples every eighth of a beam width, wavelength over aperture, over the coverage and two beam widths around it.
fn uv_grid(coverage: &[UvPolygon], side: usize) -> UvGrid {
    let beam = 1.0 / (0.5 * side as f64);
    let step = beam / 8.0;
    let boxes: Vec<_> = coverage.iter().filter_map(UvPolygon::bounding_box).collect();
    let [u, v] = [0, 1].map(|axis| {
        let low = boxes.iter().map(|b| b[axis][0]).fold(f64::INFINITY, f64::min);
        let high = boxes.iter().map(|b| b[axis][1]).fold(f64::NEG_INFINITY, f64::max);
        (0.5 * (low + high), 0.5 * (high - low) + 2.0 * beam)
    });
    let samples = [u, v].map(|(_, half)| 2 * (half / step).ceil() as usize + 1);
    UvGrid { center: [u.0, v.0], points: samples, spacing: step }
}

/// The same elements off the lattice, so that sums do not factor into rows and columns.
fn scattered(study: &Study, design: &Design) -> Design {
    let reach = 2.0 * SCATTER * study.problem.wavelength();
    let moved = |x: &[f64], seed| x.iter().zip(noise(seed)).map(|(x, noise)| x + reach * noise).collect();
    Design { x: moved(&design.x, 1), y: moved(&design.y, 2), ..design.clone() }
}
