//! Errors of the dgtd solver as `run` classifies them.

use crate::error::{RunError, SolverError};
use phasefront_core::FieldError;
use phasefront_dgtd::DgtdError;

/// A solver error as `run` classifies them. Errors of the mesh belong to the key that it is from.
pub(crate) fn solver_error(error: DgtdError, mesh_key: &str) -> SolverError {
    match error {
        DgtdError::Invalid(error) if error.path == "geometry.mesh" => {
            SolverError::Field(FieldError { path: mesh_key.into(), ..error })
        }
        DgtdError::Invalid(error) => SolverError::Field(error),
        DgtdError::Device(error) => SolverError::Run(RunError::Device(error)),
        DgtdError::Comm(error) => SolverError::Run(RunError::Comm(error)),
        DgtdError::Interrupted(error) => SolverError::Run(RunError::Interrupted(error)),
        DgtdError::Unstable { .. } | DgtdError::WrongState(_) => {
            // Rank 0 decides at energy checks and when it restores a state, and tells all.
            let (message, advice) = (error.to_string(), error.advice());
            SolverError::Run(RunError::NotConverged { message, advice, on_all_ranks: true })
        }
    }
}
