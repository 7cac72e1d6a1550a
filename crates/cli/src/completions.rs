//! `phasefront completions`: shell completion scripts.

use crate::args::{Cli, Completions};
use crate::failure::Result;
use crate::stdout::Out;
use clap::CommandFactory;
use std::process::ExitCode;

/// Prints it.
pub fn completions(args: &Completions) -> Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "phasefront", &mut script);
    Out::default().text(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}
