//! Why a benchmark ended early.

use phasefront_core::Interrupted;
use phasefront_device::DeviceError;
use phasefront_dgtd::DgtdError;
use phasefront_mesh::MeshError;
use phasefront_mom::MomError;
use phasefront_nah::NahError;
use phasefront_nufft::NufftError;
use phasefront_reflectarray::ReflectarrayError;
use phasefront_reflectarray::coverage::CoverageError;
use phasefront_sbr::SbrError;

/// Why a benchmark ended early. [`BenchError::advice`] says what to do.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// There is no benchmark of this name.
    #[error("unknown benchmark \"{name}\"")]
    Unknown {
        /// The name.
        name: String,
        /// Those that there are.
        known: Vec<&'static str>,
    },
    /// A solver or the mesh generator rejected a workload or failed on it.
    #[error("{message}")]
    Failed {
        /// What it reported.
        message: String,
        /// What to do.
        advice: Option<String>,
    },
    /// The system has no more threads.
    #[error("cannot start {count} threads: {source}")]
    Threads {
        /// Number of threads requested.
        count: usize,
        /// The cause.
        source: rayon::ThreadPoolBuildError,
    },
    /// The device failed or is not available.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The user stopped it.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

impl BenchError {
    /// What to do about it.
    pub fn advice(&self) -> Option<String> {
        match self {
            Self::Unknown { known, .. } => Some(format!("choose from {}", known.join(", "))),
            Self::Failed { advice, .. } => advice.clone(),
            Self::Threads { .. } => Some("request fewer with --threads".into()),
            Self::Device(error) => Some(error.advice()),
            Self::Interrupted(_) => None,
        }
    }
}

/// Device failures and interruptions of a solver stay what they are; anything else is a failed workload.
macro_rules! from_solver {
    ($($error:ident),*) => {$(
        impl From<$error> for BenchError {
            fn from(error: $error) -> Self {
                match error {
                    $error::Device(error) => Self::Device(error),
                    $error::Interrupted(error) => Self::Interrupted(error),
                    other => Self::Failed { advice: other.advice(), message: other.to_string() },
                }
            }
        }
    )*};
}

from_solver!(DgtdError, MomError, NahError, ReflectarrayError, SbrError);

impl From<NufftError> for BenchError {
    fn from(error: NufftError) -> Self {
        match error {
            NufftError::Device(error) => Self::Device(error),
            other => Self::Failed { message: other.to_string(), advice: Some(other.advice()) },
        }
    }
}

impl From<MeshError> for BenchError {
    fn from(error: MeshError) -> Self {
        Self::Failed { message: error.to_string(), advice: Some(error.advice()) }
    }
}

impl From<CoverageError> for BenchError {
    fn from(error: CoverageError) -> Self {
        Self::Failed { message: error.to_string(), advice: Some(error.advice()) }
    }
}
