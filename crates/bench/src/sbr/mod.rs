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
use phasefront_sbr::{Problem, Surface};
use setup::{FREQUENCY, TUBE, around_z, solve_seconds};

/// Directions for each thread of the workload for the scaling over cores: with fewer, in small batches, threads wait for the last tasks of a batch.
const DIRECTIONS_PER_THREAD: usize = 15;

pub(crate) fn run(bench: &mut Bench<'_>) -> Result<(), BenchError> {
    if bench.scaling {
        return scaling::run(bench);
    }
    rays::run(bench)?;
    paper::run(bench)
}

/// Directions around an aircraft on the CPU, for the scaling over cores.
pub(crate) fn on_cores() -> Result<Timed, BenchError> {
    let directions = DIRECTIONS_PER_THREAD * rayon::current_num_threads();
    let problem = Problem {
        mesh: aircraft_b(),
        frequencies: vec![FREQUENCY],
        aspects: (0..directions).map(|i| around_z(i, directions)).collect(),
        tube_width: TUBE,
        surface: Surface::Facets,
        ..Problem::default()
    };
    let (seconds, counts) = solve_seconds(problem, &Backend::Cpu, &Progress::silent())?;
    Ok(Timed { seconds, work: counts.rays as f64, unit: "rays/s" })
}
