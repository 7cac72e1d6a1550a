//! Sensitivity of D_min to failed elements and to pointing errors.

use crate::error::ReflectarrayError;
use crate::evaluation::Derivatives;
use crate::objective::Objective;
use crate::problem::{Design, Problem, Sensitivity};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::f64::consts::TAU;

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

/// D_min with random element failures, and with pointing errors in all directions.
pub(crate) fn sensitivity(
    problem: &Problem,
    objective: &Objective,
    design: &Design,
    settings: Sensitivity,
) -> Result<SensitivityFigures, ReflectarrayError> {
    let mut failing = objective.clone();
    let mut levels = Vec::with_capacity(settings.trials);
    for trial in 0..settings.trials {
        let working = survivors(design, settings.failed_fraction, problem.synthesis.seed, trial as u64);
        // The radiated power falls with the failed elements: D refers to what remains.
        failing.update_power(&working)?;
        failing.evaluate(&working, Derivatives::None)?;
        levels.push(failing.figures().all.d_min);
    }
    let worst = |levels: &[f64]| levels.iter().copied().fold(f64::INFINITY, f64::min);
    let mut mispointed = Vec::with_capacity(POINTING_DIRECTIONS);
    for direction in 0..POINTING_DIRECTIONS {
        let (sin, cos) = (TAU * direction as f64 / POINTING_DIRECTIONS as f64).sin_cos();
        // Pointing errors do not change P_rad: the clone has it already.
        let mut shifted =
            objective.with_pointing_error(problem, [cos, sin].map(|c| c * settings.pointing_error))?;
        shifted.evaluate(design, Derivatives::None)?;
        mispointed.push(shifted.figures().all.d_min);
    }
    let mean = levels.iter().sum::<f64>() / levels.len() as f64;
    Ok(SensitivityFigures { failed_d_min: [mean, worst(&levels)], pointing_d_min: worst(&mispointed) })
}

/// The design without a random fraction `share` of its elements, rounded to a whole number: the first of a Fisher-Yates shuffle, with
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
