//! What can go wrong when rays are shot.

use phasefront_core::{FieldError, Interrupted};
use phasefront_device::DeviceError;

/// Why there is no solution.
#[derive(Debug, thiserror::Error)]
pub enum SbrError {
    /// A field of the problem is wrong.
    #[error(transparent)]
    Invalid(#[from] FieldError),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The device has no memory for the beams of a single facet.
    #[error("the beams of one facet do not fit on the device: {beams} of them fill its memory")]
    BeamsDoNotFit {
        /// Beams that fit.
        beams: usize,
    },
    /// The user stopped the run.
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
                Some("ask for fewer bounces or wider tubes, or run with `--device cpu`".into())
            }
            Self::Interrupted(_) => None,
        }
    }
}
