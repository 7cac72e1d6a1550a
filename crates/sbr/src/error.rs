//! Errors of the solver.

use phasefront_core::{FieldError, Interrupted};
use phasefront_device::DeviceError;

/// Why a run has no solution.
#[derive(Debug, thiserror::Error)]
pub enum SbrError {
    /// A field of the problem is invalid.
    #[error(transparent)]
    Invalid(#[from] FieldError),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The beams of a single facet exceed the device memory.
    #[error("out of device memory: the beams of a single facet exceed the queue of {beams} beams")]
    BeamsDoNotFit {
        /// Capacity of a beam queue.
        beams: usize,
    },
    /// The user interrupted the run.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

impl SbrError {
    /// What to do about it.
    pub fn advice(&self) -> Option<String> {
        match self {
            Self::Invalid(error) => Some(error.advice.clone()),
            Self::Device(error) => Some(error.advice()),
            Self::BeamsDoNotFit { .. } => {
                Some("reduce the number of bounces, use wider ray tubes, or run with `--device cpu`".into())
            }
            Self::Interrupted(_) => None,
        }
    }
}
