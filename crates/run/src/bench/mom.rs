//! The moment method stage by stage, on a circle with twenty cells per wavelength and 360 directions.

use super::device::orders;
use super::{Bench, lu_flops};
use crate::error::RunError;
use crate::mom::solver_error;
use crate::timing::timed;
use phasefront_core::constants::C0;
use phasefront_core::{Precision, Progress};
use phasefront_mom::{Body, CellCount, Problem, Shape, Study, prepare};
use phasefront_report::IndexMap;
use std::f64::consts::TAU;

const CELLS_PER_WAVELENGTH: f64 = 20.0;
const DIRECTIONS: usize = 360;
const REPEATS: usize = 3;

pub(super) fn run(bench: &mut Bench<'_>) -> Result<(), RunError> {
    for &n in orders(bench.backend) {
        let seconds = stage_seconds(bench, &circle(n)?)?;
        let cells = n as f64;
        bench.report(format!("mom fill N={n}"), seconds["fill"], cells * cells, "entries/s");
        bench.report(format!("mom factor N={n}"), seconds["factor"], lu_flops(n), "flop/s");
        // Two triangular solves: n² complex multiply-adds of 8 operations per direction.
        let flops = 8.0 * cells * cells * DIRECTIONS as f64;
        bench.report(format!("mom solve N={n}, {DIRECTIONS} directions"), seconds["solve"], flops, "flop/s");
        let total = seconds["fill"] + seconds["factor"] + seconds["solve"];
        bench.report(format!("mom fill + factor + solve N={n}"), total, cells, "unknowns/s");
    }
    Ok(())
}

/// A circle of `n` cells at a wavelength of one metre.
fn circle(n: usize) -> Result<Study, RunError> {
    let shape = Shape::Circle { center: [0.0, 0.0], radius: n as f64 / CELLS_PER_WAVELENGTH / TAU };
    prepare(Problem {
        bodies: vec![Body { shape, cells: None }],
        frequencies: vec![C0],
        propagation: (0..DIRECTIONS).map(|i| TAU * i as f64 / DIRECTIONS as f64).collect(),
        cells: CellCount::Total(n),
        precision: Precision::Double,
        observation: Vec::new(),
        current: false,
        near_field: None,
    })
    .map_err(|error| solver_error(error).without_file())
}

/// Median time of each stage.
fn stage_seconds(bench: &Bench<'_>, study: &Study) -> Result<IndexMap<String, f64>, RunError> {
    let mut runs = Vec::new();
    // The first run warms up.
    for _ in 0..=REPEATS {
        bench.progress.check()?;
        let (progress, seconds) = timed(&Progress::silent());
        study.solve(bench.backend, &progress).map_err(|error| solver_error(error).without_file())?;
        runs.push(seconds.collect());
    }
    runs.remove(0);
    let median = |stage: &String| {
        let mut times: Vec<f64> = runs.iter().map(|run| run[stage]).collect();
        times.sort_by(f64::total_cmp);
        times[REPEATS / 2]
    };
    Ok(runs[0].keys().map(|stage| (stage.clone(), median(stage))).collect())
}
