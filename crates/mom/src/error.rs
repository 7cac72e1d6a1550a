//! What can go wrong in a moment-method run.

use phasefront_core::{FieldError, Interrupted};
use phasefront_device::DeviceError;

/// Why there is no solution.
#[derive(Debug, thiserror::Error)]
pub enum MomError {
    /// A field of the problem is wrong.
    #[error(transparent)]
    Invalid(#[from] FieldError),
    /// The matrix is singular, or so close to it that the solution does not satisfy the equations.
    #[error("the solution misses its equations by {residual:.1e} of the incident field at {frequency_hz} Hz")]
    NotConverged {
        /// Largest relative residual found.
        residual: f64,
        /// Where.
        frequency_hz: f64,
    },
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The user stopped the run.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

impl MomError {
    /// What to do about it.
    pub fn advice(&self) -> Option<String> {
        match self {
            Self::Invalid(error) => Some(error.advice.clone()),
            Self::NotConverged { .. } => {
                Some("use precision = \"double\", equation = \"cfie\", fewer corner_levels, or a slightly different frequency".into())
            }
            Self::Device(error) => Some(error.advice()),
            Self::Interrupted(_) => None,
        }
    }
}
