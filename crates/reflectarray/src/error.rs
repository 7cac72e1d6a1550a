//! Errors of the solver.

use phasefront_comm::CommError;
use phasefront_core::{FieldError, Interrupted};
use phasefront_device::DeviceError;
use phasefront_nufft::NufftError;
use phasefront_pattern::PatternError;

/// An error of the solver.
#[derive(Debug, thiserror::Error)]
pub enum ReflectarrayError {
    /// A field of the problem is invalid.
    #[error(transparent)]
    Invalid(#[from] FieldError),
    /// A transform failed.
    #[error(transparent)]
    Nufft(#[from] NufftError),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A far field cannot be written.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// The user interrupted the run before the first design.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// The exchange between ranks failed.
    #[error(transparent)]
    Comm(#[from] CommError),
    /// The run was interrupted, and its state cannot be saved.
    #[error("the state of the synthesis could not be saved: {0}")]
    Save(std::io::Error),
    /// A checkpoint does not fit the problem, or cannot be read.
    #[error("the checkpoint cannot be used: {0}")]
    Checkpoint(String),
}

impl ReflectarrayError {
    /// What to do about it.
    pub fn advice(&self) -> Option<String> {
        match self {
            Self::Invalid(error) => Some(error.advice.clone()),
            Self::Nufft(error) => Some(error.advice()),
            Self::Device(error) => Some(error.advice()),
            Self::Comm(error) => Some(error.advice()),
            Self::Pattern(error) => Some(error.advice()),
            Self::Save(_) => Some("free space on the disk, and run the case again".into()),
            Self::Checkpoint(_) => Some("run the case again with --force".into()),
            Self::Interrupted(_) => None,
        }
    }
}
