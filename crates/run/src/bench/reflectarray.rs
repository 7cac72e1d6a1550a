//! What a synthesis does over and over: the cost of the 71 x 71 array for Europe (`cases/21-europe-71`) with its gradient, and P_rad; and
//! the whole synthesis once.

use super::{Bench, median_seconds, noise};
use crate::RunError;
use crate::error::SolverError;
use crate::reflectarray::{ReflectarrayJob, solver_error};
use phasefront_case::model::Case;
use phasefront_reflectarray::{Design, Objective, ReflectarrayError, Study, Wanted};
use std::path::Path;
use std::time::Instant;

const CASE: &str = include_str!("../../../../cases/21-europe-71/case.toml");
const REPEATS: usize = 20;
/// How far the scattered elements leave the lattice, each way, in wavelengths.
const SCATTER: f64 = 0.1;

pub(super) fn run(bench: &mut Bench<'_>) -> Result<(), RunError> {
    let study = study()?;
    let lattice = study.problem.start();
    let scattered = scattered(&study, &lattice);
    for (name, design) in [("lattice", &lattice), ("scattered", &scattered)] {
        for (what, wanted) in [("phase", Wanted::Phase), ("position", Wanted::PhaseAndPosition)] {
            bench.progress.check()?;
            let mut objective = Objective::new(&study.problem, bench.backend).map_err(refused)?;
            let evaluate = || objective.evaluate(design, wanted).map(drop).map_err(refused);
            let seconds = median_seconds(REPEATS, evaluate)?;
            bench.report(format!("reflectarray {what} gradient, {name}"), seconds, 1.0, "evaluations/s");
        }
        let mut objective = Objective::new(&study.problem, bench.backend).map_err(refused)?;
        let seconds = median_seconds(REPEATS, || objective.update_power(design).map_err(refused))?;
        bench.report(format!("reflectarray P_rad, {name}"), seconds, 1.0, "evaluations/s");
    }
    bench.progress.check()?;
    let start = Instant::now();
    let solution = study.solve(bench.backend, bench.progress, None, &mut |_| Ok(())).map_err(refused)?;
    let seconds = start.elapsed().as_secs_f64();
    let evaluations = solution.evaluations as f64;
    bench.report("reflectarray synthesis, 71 x 71".into(), seconds, evaluations, "evaluations/s");
    Ok(())
}

/// The gallery's case, without what it asks for beyond the synthesis.
fn study() -> Result<Study, RunError> {
    let file = phasefront_case::parse("cases/21-europe-71/case.toml", CASE)?;
    let Case::Reflectarray(mut case) = file.case else {
        unreachable!("the file is in the binary, and is a reflectarray")
    };
    case.output.sensitivity = None;
    case.output.cross_polar = false;
    // The case names no files.
    let job = ReflectarrayJob::new(&case, Path::new("")).map_err(SolverError::without_file)?;
    Ok(job.study)
}

/// The same elements off the lattice, so that no sum splits into rows and columns.
fn scattered(study: &Study, design: &Design) -> Design {
    let reach = 2.0 * SCATTER * study.problem.wavelength();
    let moved = |x: &[f64], seed| x.iter().zip(noise(seed)).map(|(x, noise)| x + reach * noise).collect();
    Design { x: moved(&design.x, 1), y: moved(&design.y, 2), ..design.clone() }
}

fn refused(error: ReflectarrayError) -> RunError {
    solver_error(error).without_file()
}
