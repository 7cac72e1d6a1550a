//! `phasefront resume`: continues an interrupted run.

use crate::args::Resume;
use crate::case_file;
use crate::failure::{Failure, Result};
use crate::run::finish;
use crate::session::{Session, use_threads};
use std::process::ExitCode;

/// Runs it.
pub fn resume(args: &Resume) -> Result<ExitCode> {
    let session = Session::new(&args.verbosity);
    use_threads(&args.threads)?;
    case_file::printable(&args.folder)?;
    if !args.folder.is_dir() {
        let message = format!("{}: no such folder", args.folder.display());
        let help = "name the folder of an interrupted run, such as results/shaped-beam".to_owned();
        return Err(Failure::file(&args.folder, message, Some(help)));
    }
    finish(session, None, |progress| phasefront_run::resume(&args.folder, &args.options(), progress))
}
