//! What can go wrong while fields run.

use phasefront_core::{FieldError, Interrupted};
use phasefront_device::DeviceError;

/// Why there is no solution.
#[derive(Debug, thiserror::Error)]
pub enum DgtdError {
    /// A field of the problem is wrong.
    #[error(transparent)]
    Invalid(#[from] FieldError),
    /// The fields have far more energy than was given to them, or are no numbers any more.
    #[error("the fields grow without bound: seen at step {step}, {time_ns:.4} ns")]
    Unstable {
        /// When it was seen.
        step: u64,
        /// The same in nanoseconds.
        time_ns: f64,
    },
    /// A state that does not belong to this problem.
    #[error("the state to go on from does not fit: {0}")]
    WrongState(String),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The user stopped the run.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

impl DgtdError {
    /// What to do about it.
    pub fn advice(&self) -> Option<String> {
        match self {
            Self::Invalid(error) => Some(error.advice.clone()),
            Self::Unstable { .. } => Some(
                "make absorbing layers four elements thick, since thinner ones may amplify; else lower solve.courant, and look at the materials"
                    .into(),
            ),
            Self::WrongState(_) => Some("run the case anew".into()),
            Self::Device(error) => Some(error.advice()),
            Self::Interrupted(_) => None,
        }
    }
}
