//! Resumes an interrupted run.

use crate::checkpoint::Header;
use crate::error::RunError;
use crate::expected::Expected;
use crate::options::Options;
use crate::read::read_case;
use crate::registry;
use crate::run::{Outcome, Request, run_case};
use phasefront_case::CaseFile;
use phasefront_core::Progress;
use phasefront_report::{OutputFolder, RESULT_FILE, RunResult};
use std::path::Path;

/// Resumes a run that was interrupted, by Ctrl-C or by a crash, in its own folder.
///
/// The case is the one in the folder; the files that it names, and its reference values, are read from the folder that the case
/// came from. Arrays are written in the format that the run was started with. With `force`, saved work that does not fit the
/// case or its files any more is discarded, and the run starts over.
pub fn resume(folder: &Path, options: &Options, progress: &Progress) -> Result<Outcome, RunError> {
    let interrupted = options.ranks.or_dismiss(interrupted(folder, progress))?;
    let Some(Interrupted { header, file, expected }) = interrupted else {
        return options.ranks.nothing_left(finished(folder));
    };
    let options = Options { out: Some(folder.into()), format: header.format, ..options.clone() };
    let request = Request { file: &file, origin: &header.case_folder, expected: expected.as_ref() };
    run_case(&request, Some(&header), &options, progress)
}

/// A run to resume.
struct Interrupted {
    header: Header,
    file: CaseFile,
    expected: Option<Expected>,
}

/// The run in a folder; none if it was complete when its process was killed between its last two steps.
fn interrupted(folder: &Path, progress: &Progress) -> Result<Option<Interrupted>, RunError> {
    let refused = |message: String| RunError::Resume { folder: folder.into(), message, on_all_ranks: false };
    if OutputFolder::complete(folder)? {
        return Ok(None);
    }
    let written_in = OutputFolder::unfinished_in(folder);
    if written_in.join(RESULT_FILE).exists() {
        return Err(refused("it is finished".into()));
    }
    let header = Header::read(&written_in).map_err(|error| match error {
        RunError::Resume { message, .. } => refused(message),
        other => other,
    })?;
    let file = case(&written_in, &header, progress)?;
    if !registry::has_checkpoints(&file.case) {
        return Err(refused("this run writes no checkpoints".into()));
    }
    let expected = Expected::beside(&header.case_folder.join("case.toml"))?;
    Ok(Some(Interrupted { header, file, expected }))
}

/// The case of the folder, or the copy of it in the header.
fn case(folder: &Path, header: &Header, progress: &Progress) -> Result<CaseFile, RunError> {
    let path = folder.join("case.toml");
    if path.is_file() {
        return read_case(&path);
    }
    progress.warn("case.toml is missing in the folder; the copy in checkpoint.json is used");
    Ok(phasefront_case::parse("case.toml", &header.case)?)
}

/// The outcome that is in the folder.
fn finished(folder: &Path) -> Result<Outcome, RunError> {
    let path = folder.join(RESULT_FILE);
    let text = std::fs::read_to_string(&path)
        .map_err(|error| RunError::Read { path: path.clone(), error: error.to_string() })?;
    let result = RunResult::from_json(&text)?;
    Ok(Outcome { folder: folder.into(), result, picture: None, stopped: false })
}
