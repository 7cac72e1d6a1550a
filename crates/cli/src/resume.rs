//! `phasefront resume`: continues an interrupted run.

use crate::args::Resume;
use crate::case_file;
use crate::failure::{Failure, Result};
use crate::run::{finish, with_ranks};
use crate::session::Session;
use std::process::ExitCode;

/// Runs it.
pub fn resume(args: &Resume) -> Result<ExitCode> {
    with_ranks(&args.threads, &args.options(), |options| {
        let session = Session::new(&args.verbosity);
        case_file::printable(&args.folder)?;
        if !args.folder.is_dir() {
            let message = format!("{}: no such folder", args.folder.display());
            let help = "name the folder of an interrupted run, such as results/shaped-beam".to_owned();
            return Err(Failure::file(&args.folder, message, Some(help)));
        }
        finish(session, None, |progress| phasefront_run::resume(&args.folder, options, progress))
    })
}
