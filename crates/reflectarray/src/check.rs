//! The checks a problem passes before any work is done.

use crate::mask::Mask;
use crate::problem::Problem;
use phasefront_core::FieldError;

/// All that can be wrong with a problem.
pub(crate) fn problem(problem: &Problem) -> Result<(), FieldError> {
    Mask::new(problem)?;
    Ok(())
}

/// What is allowed but doubtful.
pub(crate) fn warnings(_problem: &Problem) -> Vec<String> {
    Vec::new()
}
