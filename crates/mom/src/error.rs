//! Errors of the moment method.

use phasefront_comm::CommError;
use phasefront_core::{FieldError, Interrupted};
use phasefront_device::DeviceError;
use std::io;

/// Why a study has no solution.
#[derive(Debug, thiserror::Error)]
pub enum MomError {
    /// A field of the problem is wrong.
    #[error(transparent)]
    Invalid(#[from] FieldError),
    /// The matrix is singular to working precision: the solution does not satisfy the equations.
    #[error("the residual of the solution is {residual:.1e} of the incident field at {frequency_hz} Hz")]
    NotConverged {
        /// Largest relative residual found.
        residual: f64,
        /// Frequency at which it occurred.
        frequency_hz: f64,
    },
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// An OpenCL device was chosen for ranks, which it has no library for.
    #[error("several ranks do not factor a matrix together on OpenCL devices")]
    GpuOnRanks,
    /// Some ranks factor on GPUs, others on CPUs.
    #[error("some ranks have a GPU for the matrix, and others have none")]
    MixedDevices,
    /// Ranks that solve it together cannot do so, or have lost each other.
    #[error(transparent)]
    Comm(#[from] CommError),
    /// The user interrupted the run.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// A finished frequency could not be saved.
    #[error("a finished frequency cannot be saved: {0}")]
    Checkpoint(#[from] io::Error),
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
            Self::GpuOnRanks => Some("use --device cpu, or --device cuda".into()),
            Self::MixedDevices => Some("use --device cpu, or install GPU and cuSOLVERMp on every host".into()),
            Self::Comm(error) => Some(error.advice()),
            Self::Checkpoint(_) => Some("free space on the disk and resume the run".into()),
            Self::Interrupted(_) => None,
        }
    }
}
