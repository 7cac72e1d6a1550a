//! The method of moments: its stages, the thesis's algorithm, and SciPy on the same matrices.

mod paper;
mod scipy;
mod setup;
mod stages;

use crate::error::BenchError;
use crate::harness::Bench;

pub(crate) fn run(bench: &mut Bench<'_>) -> Result<(), BenchError> {
    stages::run(bench)?;
    paper::run(bench)?;
    if bench.compare { scipy::run(bench) } else { Ok(()) }
}
