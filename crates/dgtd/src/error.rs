//! Errors of the solver.

use phasefront_comm::CommError;
use phasefront_core::{FieldError, Interrupted};
use phasefront_device::DeviceError;

/// Why there is no solution.
#[derive(Debug, thiserror::Error)]
pub enum DgtdError {
    /// A field of the problem is wrong.
    #[error(transparent)]
    Invalid(#[from] FieldError),
    /// The energy is far above what the sources injected, or not finite.
    #[error("the simulation is unstable: the energy diverges at step {step}, {time_ns:.4} ns")]
    Unstable {
        /// Step at which it was detected.
        step: u64,
        /// Its time in nanoseconds.
        time_ns: f64,
    },
    /// A checkpoint that does not belong to this problem.
    #[error("the checkpoint does not match the problem: {0}")]
    WrongState(String),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// Another rank failed, or could not be reached.
    #[error(transparent)]
    Comm(#[from] CommError),
    /// The user stopped the run.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

impl DgtdError {
    /// How to fix it.
    pub fn advice(&self) -> Option<String> {
        match self {
            Self::Invalid(error) => Some(error.advice.clone()),
            Self::Unstable { .. } => Some(
                "make PMLs at least four elements thick, since thinner ones can be unstable; otherwise lower solve.courant, and check the materials"
                    .into(),
            ),
            Self::WrongState(_) => Some("run the case from the start".into()),
            Self::Device(error) => Some(error.advice()),
            Self::Comm(error) => Some(error.advice()),
            Self::Interrupted(_) => None,
        }
    }
}
