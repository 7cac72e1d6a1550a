//! Runs a case and writes its result folder.

use crate::assist::prepare;
use crate::checkpoint::{Checkpoints, Header, Identity};
use crate::error::RunError;
use crate::expected::Expected;
use crate::input::InputFolder;
use crate::job::{Context, failing};
use crate::options::Options;
use crate::read::{folder_of, read_case};
use crate::{registry, write};
use phasefront_case::CaseFile;
use phasefront_core::{Progress, timed};
use phasefront_report::plot::Plot;
use phasefront_report::{OutputFolder, RunResult, StopFile};
use std::path::{Path, PathBuf};

/// A finished run.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The result folder.
    pub folder: PathBuf,
    /// The contents of its `result.json`.
    pub result: RunResult,
    /// The main plot, as SVG: the first that is not of a mesh.
    pub picture: Option<String>,
    /// Whether the user ended a run that has no end of its own.
    pub stopped: bool,
}

/// A case to run.
pub(crate) struct Request<'a> {
    pub file: &'a CaseFile,
    /// Folder of the files that the case names.
    pub origin: &'a Path,
    pub expected: Option<&'a Expected>,
}

/// Runs a case and writes its result folder.
///
/// Reference values beside the case (`expected.json`) are compared with the result and reported.
pub fn run(case: &Path, options: &Options, progress: &Progress) -> Result<Outcome, RunError> {
    let read = read_case(case).and_then(|file| Ok((file, Expected::beside(case)?)));
    let (file, expected) = options.ranks.or_dismiss(read)?;
    let request = Request { file: &file, origin: folder_of(case), expected: expected.as_ref() };
    run_case(&request, None, options, progress)
}

/// As [`run()`], for the text of a case: see [`check_text`](crate::check_text).
pub fn run_text(
    name: &str,
    text: &str,
    origin: &Path,
    options: &Options,
    progress: &Progress,
) -> Result<Outcome, RunError> {
    let file = options.ranks.or_dismiss(phasefront_case::parse(name, text).map_err(RunError::from))?;
    run_case(&Request { file: &file, origin, expected: None }, None, options, progress)
}

/// Runs a case that is already read. Nothing is written before the case, the device and the memory are checked.
pub(crate) fn run_case(
    request: &Request<'_>,
    resume: Option<&Header>,
    options: &Options,
    progress: &Progress,
) -> Result<Outcome, RunError> {
    let Request { file, origin, expected } = *request;
    let (progress, times) = timed(progress);
    let (inputs, ranks) = (InputFolder::watched(origin, &progress), &options.ranks);
    ranks.call(file, origin)?;
    // Input, device and memory are checked before the folder is touched: a rejected case must not
    // destroy an old result.
    let (job, opened) = {
        // Nothing is counted: it leaves no line in a log, where an error may follow.
        let _stage = progress.stage("set-up", None, "");
        ranks.agree(prepare(file, &inputs, options))?
    };
    ranks.agree(ranks.check_same(&Identity::of(file, &inputs).fingerprint()))?;
    let path = options.out.clone().unwrap_or_else(|| Path::new("results").join(file.case.name()));
    let (mut folder, checkpoints) =
        ranks.agree(open_folder(request, &inputs, resume, &path, options, &progress))?;
    let written_in = folder.path().to_owned();
    ranks.folder_of_first(&written_in)?;
    progress.note(&opened.reason);
    if ranks.are_several() {
        progress.note(&ranks.comm().describe());
    }
    let mut known = job.self_checks();
    for warning in job.warnings().iter().cloned().chain(failing(&known)) {
        progress.warn(&warning);
    }

    let progress = or_stop_file(&progress, &path);
    let context = Context::new(&opened, ranks.comm(), &progress, &checkpoints);
    let mut products = job.solve(&context).map_err(|e| e.at(file))?;
    if options.skip_plots {
        products.plots.clear();
    }
    // Best results so far; without `result.json` the folder remains an interrupted run.
    if products.interrupted {
        write::tables(&mut folder, &products)?;
        return Err(RunError::Stopped { folder: path, saved_in: written_in });
    }
    // Stop requests during the last stage: nothing is written that the user did not wait for.
    if !products.ends_when_stopped {
        progress.check()?;
    }

    let mut result = RunResult::new(file.case.solver(), file.case.name());
    result.device = opened.describe();
    result.precision = job.precision().to_string();
    result.deterministic = options.deterministic;
    result.seed = job.seed();
    result.inputs = inputs.digests().into_iter().collect();
    result.settings = file.settings().into_iter().map(|s| (s.path, s.value)).collect();
    // What the run has measured stands in place of what was known before.
    known.retain(|check| products.self_checks.iter().all(|measured| measured.name != check.name));
    let mut warnings: Vec<String> = job.warnings().iter().cloned().chain(failing(&known)).collect();
    let measured = products.warnings.iter().cloned().chain(failing(&products.self_checks));
    for warning in measured {
        progress.warn(&warning);
        warnings.push(warning);
    }
    result.warnings = warnings;
    result.trust = [known, products.self_checks.clone()].concat();
    result.metrics.clone_from(&products.metrics);
    if let Some(expected) = expected {
        result.checks = expected.checks(&products);
    }
    let plots = {
        let _stage = progress.stage("report", None, "files");
        write::products(&mut folder, file, &products, options.format)?
    };
    // Collected after the plots, so that the report stage is included.
    result.seconds = times.collect().into_iter().collect();
    let result = write::report(folder, result, file, &products, &plots, &opened.reason)?;
    let main = products.plots.iter().zip(plots).find(|(plot, _)| !matches!(plot, Plot::Mesh(_)));
    Ok(Outcome {
        folder: path,
        result,
        picture: main.map(|(_, (_, svg))| svg),
        stopped: products.ends_when_stopped && progress.check().is_err(),
    })
}

/// A progress that a file `stop` in the folder ends too, as Ctrl-C does: it reaches a run on another machine, and leaves it the time that
/// it takes.
fn or_stop_file(progress: &Progress, folder: &Path) -> Progress {
    let (stop, told) = (StopFile::of(folder), progress.clone());
    progress.or_when(move || {
        let come = stop.has_come();
        if come {
            told.note(&format!("stopping: {} was found", stop.path().display()));
        }
        come
    })
}

/// The folder of the run, marked as unfinished, and its checkpoints.
fn open_folder(
    request: &Request<'_>,
    inputs: &InputFolder,
    resume: Option<&Header>,
    path: &Path,
    options: &Options,
    progress: &Progress,
) -> Result<(OutputFolder, Checkpoints), RunError> {
    let Request { file, origin, .. } = *request;
    let mut folder = match resume {
        Some(_) => OutputFolder::resume(path)?,
        None => OutputFolder::create(path, options.force)?,
    };
    let written_in = folder.path().to_owned();
    if !registry::has_checkpoints(&file.case) {
        return Ok((folder, Checkpoints::none(&written_in)));
    }
    // After the job has read its input files, whose digests are part of the identity.
    let identity = Identity::of(file, inputs);
    let resumed = match resume {
        Some(header) => Checkpoints::resume(&written_in, header, &identity, options.force, progress)?,
        None => None,
    };
    let checkpoints = if let Some(checkpoints) = resumed {
        checkpoints
    } else {
        write::begin(&mut folder, file, options.force)?;
        Checkpoints::start(&written_in, identity, file, origin, options.format)?
    };
    Ok((folder, checkpoints))
}
