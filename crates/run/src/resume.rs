//! Resumes an interrupted run.

use crate::checkpoint::Header;
use crate::error::RunError;
use crate::expected::Expected;
use crate::options::Options;
use crate::read::read_case;
use crate::registry;
use crate::run::{Outcome, Request, run_case};
use phasefront_core::Progress;
use std::path::Path;

/// Resumes a run that was interrupted, by Ctrl-C or by a crash, in its own folder.
///
/// The case is the one in the folder; the files that it names, and its reference values, are read from the folder that the case
/// came from. Arrays are written in the format that the run was started with.
pub fn resume(folder: &Path, options: &Options, progress: &Progress) -> Result<Outcome, RunError> {
    let refused = |message: String| RunError::Resume { folder: folder.into(), message };
    if folder.join("result.json").exists() {
        return Err(refused("it is finished".into()));
    }
    let case = folder.join("case.toml");
    if !case.is_file() {
        return Err(refused("it contains no case.toml".into()));
    }
    let file = read_case(&case)?;
    if !registry::has_checkpoints(&file.case) {
        return Err(refused(format!("runs of the solver \"{}\" write no checkpoints", file.case.solver())));
    }
    let header = Header::read(folder)?;
    let origin = &header.case_folder;
    let expected = Expected::beside(&origin.join("case.toml"))?;
    let options = Options { out: Some(folder.into()), format: header.format, ..options.clone() };
    let request = Request { file: &file, origin, expected: expected.as_ref() };
    run_case(&request, Some(&header), &options, progress)
}
