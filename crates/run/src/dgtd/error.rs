//! Errors of the dgtd solver as `run` classifies them.

use crate::error::{RunError, SolverError};
use phasefront_core::FieldError;
use phasefront_dgtd::DgtdError;

/// A solver error as `run` classifies them. Errors of a mesh made in code belong to `box`.
pub(crate) fn solver_error(error: DgtdError, made_in_code: bool) -> SolverError {
    match error {
        DgtdError::Invalid(error) if made_in_code && error.path == "geometry.mesh" => {
            SolverError::Field(FieldError { path: "geometry.box".into(), ..error })
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
