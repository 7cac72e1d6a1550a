//! Errors of the solver.

use phasefront_core::{FieldError, Interrupted};
use phasefront_device::DeviceError;

/// Why a problem was refused or a run failed.
#[derive(Debug, thiserror::Error)]
pub enum NahError {
    /// A field of the problem is invalid.
    #[error(transparent)]
    Invalid(#[from] FieldError),
    /// The GPU failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The user interrupted the run.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

impl NahError {
    /// What to do about it.
    pub fn advice(&self) -> Option<String> {
        match self {
            Self::Invalid(error) => Some(error.advice.clone()),
            Self::Device(error) => Some(error.advice()),
            Self::Interrupted(_) => None,
        }
    }
}
