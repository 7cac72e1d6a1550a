//! Sensitivity of D_min to failed elements and to pointing errors.

use crate::error::ReflectarrayError;
use crate::evaluation::Derivatives;
use crate::objective::Blueprint;
use crate::parallel::{concurrent_tasks, for_each_task};
use crate::problem::{Design, Problem, Sensitivity};
use phasefront_comm::{Comm, CommError, queue};
use phasefront_device::Backend;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::f64::consts::TAU;
use std::ops::Range;

/// Directions of the pointing error.
const POINTING_DIRECTIONS: usize = 8;

/// Result of a sensitivity analysis.
#[derive(Debug, Clone, PartialEq)]
pub struct SensitivityFigures {
    /// Mean and worst D_min over the draws of failed elements, dBi.
    pub failed_d_min: [f64; 2],
    /// Worst D_min over the pointing errors, dBi.
    pub pointing_d_min: f64,
}

/// D_min with random element failures, and with pointing errors in all directions. Ranks share the draws and the directions; the figures
/// are those of rank 0, and meaningless on the others.
pub(crate) fn sensitivity(
    comm: &dyn Comm,
    backend: &Backend,
    problem: &Problem,
    objective: &Blueprint,
    design: &Design,
    settings: Sensitivity,
) -> Result<SensitivityFigures, ReflectarrayError> {
    let trials = settings.trials;
    let total = trials + POINTING_DIRECTIONS;
    let d_min = |task: usize| match task.checked_sub(trials) {
        None => with_failures(problem, objective, design, settings, task as u64),
        Some(direction) => with_pointing_error(problem, objective, design, settings, direction),
    };
    let mut levels = vec![f64::NAN; total];
    let work = |tasks: Range<usize>| {
        let mut own = vec![f64::NAN; tasks.len()];
        let indices: Vec<usize> = tasks.clone().collect();
        for_each_task(&indices, backend, d_min, |task, level| own[task - tasks.start] = level)?;
        Ok::<_, ReflectarrayError>(bytemuck::cast_slice(&own).to_vec())
    };
    let accept = |tasks: Range<usize>, bytes: Vec<u8>| {
        let own: Vec<f64> = bytemuck::pod_collect_to_vec(&bytes);
        let malformed = CommError::Malformed { rank: 0, bytes: bytes.len() };
        let target = levels.get_mut(tasks).filter(|target| target.len() == own.len());
        target.ok_or(malformed)?.copy_from_slice(&own);
        Ok(())
    };
    let batch = concurrent_tasks(total.div_ceil(comm.size()), backend);
    queue::share(comm, total, batch, work, accept)?;
    let (failed, mispointed) = levels.split_at(trials);
    let worst = |levels: &[f64]| levels.iter().copied().fold(f64::INFINITY, f64::min);
    let mean = failed.iter().sum::<f64>() / failed.len() as f64;
    Ok(SensitivityFigures { failed_d_min: [mean, worst(failed)], pointing_d_min: worst(mispointed) })
}

/// D_min of one draw of failed elements.
fn with_failures(
    problem: &Problem,
    objective: &Blueprint,
    design: &Design,
    settings: Sensitivity,
    trial: u64,
) -> Result<f64, ReflectarrayError> {
    let mut failing = objective.open();
    let working = survivors(design, settings.failed_fraction, problem.synthesis.seed, trial);
    // The radiated power falls with the failed elements: D refers to what remains.
    failing.update_power(&working)?;
    failing.evaluate(&working, Derivatives::None)?;
    Ok(failing.figures().all.d_min)
}

/// D_min with a pointing error in one of [`POINTING_DIRECTIONS`].
fn with_pointing_error(
    problem: &Problem,
    objective: &Blueprint,
    design: &Design,
    settings: Sensitivity,
    direction: usize,
) -> Result<f64, ReflectarrayError> {
    let (sin, cos) = (TAU * direction as f64 / POINTING_DIRECTIONS as f64).sin_cos();
    // Pointing errors do not change P_rad: the objective has it already.
    let shift = [cos, sin].map(|c| c * settings.pointing_error);
    let mut shifted = objective.with_pointing_error(problem, shift)?.open();
    shifted.evaluate(design, Derivatives::None)?;
    Ok(shifted.figures().all.d_min)
}

/// The design without a random fraction `share` of its elements, rounded to an integer: the first of a Fisher-Yates shuffle, with
/// one random stream per trial.
fn survivors(design: &Design, share: f64, seed: u64, trial: u64) -> Design {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(trial);
    let n = design.len();
    let failed = (share * n as f64).round() as usize;
    let mut order: Vec<usize> = (0..n).collect();
    for i in 0..failed {
        let below = (n - i) as u64;
        // The high word of a product is uniform to 2^-64 of its range.
        let pick = (u128::from(random.next_u64()) * u128::from(below)) >> 64;
        order.swap(i, i + pick as usize);
    }
    let mut working = order.split_off(failed);
    // In ascending order, as in the design.
    working.sort_unstable();
    Design {
        index: working.iter().map(|&n| design.index[n]).collect(),
        x: working.iter().map(|&n| design.x[n]).collect(),
        y: working.iter().map(|&n| design.y[n]).collect(),
        phase: working.iter().map(|&n| design.phase[n]).collect(),
    }
}
