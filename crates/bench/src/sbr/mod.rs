//! Shooting and bouncing rays: rays per second and the paper's tables; with `--scaling`, scaling of
//! the time instead.

mod paper;
mod rays;
mod scaling;
mod setup;

use crate::error::BenchError;
use crate::harness::{Bench, Timed};
use phasefront_core::Progress;
use phasefront_device::Backend;
use phasefront_mesh::targets::aircraft_b;
use phasefront_sbr::Problem;
use setup::{FREQUENCY, TUBE, around_z, solve_seconds};

/// Directions of the workload for the scaling over cores.
const DIRECTIONS: usize = 60;

pub(crate) fn run(bench: &mut Bench<'_>) -> Result<(), BenchError> {
    if bench.scaling {
        return scaling::run(bench);
    }
    rays::run(bench)?;
    paper::run(bench)
}

/// Directions around an aircraft on the CPU, for the scaling over cores.
pub(crate) fn on_cores() -> Result<Timed, BenchError> {
    let problem = Problem {
        mesh: aircraft_b(),
        frequencies: vec![FREQUENCY],
        aspects: (0..DIRECTIONS).map(|i| around_z(i, DIRECTIONS)).collect(),
        tube_width: TUBE,
        ..Problem::default()
    };
    let (seconds, counts) = solve_seconds(problem, &Backend::Cpu, &Progress::silent())?;
    Ok(Timed { seconds, work: counts.rays as f64, unit: "rays/s" })
}
