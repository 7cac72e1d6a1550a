//! `phasefront schema`: the JSON schema of case files.

use crate::failure::Result;
use crate::stdout::Out;
use std::process::ExitCode;

/// Runs it.
pub fn schema() -> Result<ExitCode> {
    Out::default().json(&phasefront_case::schema())?;
    Ok(ExitCode::SUCCESS)
}
