//! Shooting and bouncing rays: rays per second and the paper's tables; with `--scaling`, scaling of
//! the time instead.

mod paper;
mod rays;
mod scaling;
mod setup;

use crate::error::BenchError;
use crate::harness::Bench;

pub(crate) fn run(bench: &mut Bench<'_>) -> Result<(), BenchError> {
    if bench.scaling {
        return scaling::run(bench);
    }
    rays::run(bench)?;
    paper::run(bench)
}
