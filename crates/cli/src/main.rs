//! The `phasefront` program.

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    phasefront_cli::main(&std::env::args_os().collect::<Vec<OsString>>())
}
