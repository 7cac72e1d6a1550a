//! The circle that the moment-method workloads solve, and the time of each stage of a solution.

use crate::error::BenchError;
use crate::harness::Bench;
use phasefront_core::constants::C0;
use phasefront_core::{Progress, timed};
use phasefront_mom::{Body, CellCount, Method, MomError, Problem, Shape, Study, prepare};
use std::collections::HashMap;

pub(super) const CELLS_PER_WAVELENGTH: f64 = 20.0;
const REPEATS: usize = 3;

/// A circle of `n` cells at a wavelength of one meter.
pub(super) fn circle(n: usize, radius: f64, propagation: Vec<f64>) -> Result<Study, BenchError> {
    let shape = Shape::Circle { center: [0.0, 0.0], radius };
    prepare(Problem {
        bodies: vec![Body::conductor(shape)],
        frequencies: vec![C0],
        propagation,
        method: Method::Pulse,
        cells: CellCount::Total(n),
        ..Problem::default()
    })
    .map_err(BenchError::from)
}

/// Median time of each stage of a solution.
pub(super) fn stage_seconds(bench: &Bench<'_>, study: &Study) -> Result<HashMap<String, f64>, BenchError> {
    median_stages(bench, |progress| study.solve(bench.backend, progress).map(|_| ()))
}

/// Median time of each stage of `work`.
pub(super) fn median_stages(
    bench: &Bench<'_>,
    work: impl Fn(&Progress) -> Result<(), MomError>,
) -> Result<HashMap<String, f64>, BenchError> {
    let mut runs: Vec<HashMap<String, f64>> = Vec::new();
    // The first run warms up.
    for _ in 0..=REPEATS {
        bench.progress.check()?;
        let (progress, seconds) = timed(&Progress::silent());
        work(&progress)?;
        runs.push(seconds.collect().into_iter().collect());
    }
    runs.remove(0);
    let median = |stage: &String| {
        let mut times: Vec<f64> = runs.iter().map(|run| run[stage]).collect();
        times.sort_by(f64::total_cmp);
        times[REPEATS / 2]
    };
    Ok(runs[0].keys().map(|stage| (stage.clone(), median(stage))).collect())
}
