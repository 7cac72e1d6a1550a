//! `phasefront doctor`: what this machine offers, how fast it is, and what is missing.

use crate::args::Doctor;
use crate::failure::Result;
use crate::session::{Session, use_threads};
use serde_json::json;
use std::process::ExitCode;

/// Runs it.
pub fn doctor(args: &Doctor) -> Result<ExitCode> {
    let mut session = Session::new(&args.loudness);
    use_threads(&args.threads)?;
    let version = env!("CARGO_PKG_VERSION");
    if session.json {
        session.out.json(&json!({"version": version}))?;
    } else {
        session.print(&format!("phasefront {version}\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}
