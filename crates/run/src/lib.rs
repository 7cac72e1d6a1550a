//! One case from file to finished folder: the only place where case files, solvers and reports meet.
//!
//! [`check()`] reads a case and says what running it would take; [`run()`] runs it and writes its folder; [`resume()`] goes on
//! with a run that was stopped; [`demo()`] runs the cases built into the program. A solver joins by the trait in
//! `job.rs`, as `mom.rs` does.

mod checkpoint;
mod demo;
mod dgtd;
mod error;
mod expected;
mod input;
mod job;
mod mom;
mod nah;
mod reflectarray;
mod sbr;

pub use demo::{demo, next_commands};
pub use error::{Kind, RunError};
pub use expected::{Expected, ExpectedCheck, Tier};
pub use phasefront_case::schema;

use checkpoint::{Checkpoints, Saved};
use job::{Context, Job, Products, job};
use phasefront_case::CaseFile;
use phasefront_core::units::bytes_text;
use phasefront_core::{FieldError, Progress, timed};
use phasefront_device::{Backend, DeviceChoice, Opened};
use phasefront_report::plot::{PLOTS_FILE, plots_json};
use phasefront_report::{HDF5_FILE, OutputFolder, Report, RunResult, to_hdf5};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// What the user chose on the command line; the same for every solver.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Where to run.
    pub device: DeviceChoice,
    /// Where to write; `results/<case name>` if not given.
    pub out: Option<PathBuf>,
    /// Overwrite a folder that already holds a result.
    pub force: bool,
    /// Bit-identical from run to run on one device and thread count.
    pub deterministic: bool,
    /// How arrays are written.
    pub format: Format,
}

/// How arrays are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Format {
    /// An NPZ file for each group of arrays, for NumPy.
    #[default]
    #[serde(rename = "npz")]
    Npz,
    /// One HDF5 file with all arrays and tables.
    #[serde(rename = "h5")]
    Hdf5,
}

impl Options {
    fn open_device(&self) -> Result<Opened, RunError> {
        Ok(phasefront_device::open(self.device, self.deterministic)?)
    }
}

/// What `check` tells before anything runs.
#[derive(Debug, Clone, Serialize)]
pub struct Plan {
    /// Name of the case.
    pub name: String,
    /// Which solver.
    pub solver: String,
    /// Every setting, defaults included.
    pub settings: Vec<phasefront_case::Setting>,
    /// What follows from the settings, with the unit in the name: `unknowns`, `wavelength_m`.
    pub facts: BTreeMap<String, f64>,
    /// Device it would run on, and why that one.
    pub device: String,
    /// Memory the run needs, place by place.
    pub memory: Vec<MemoryUse>,
    /// How long a run takes at most, s, where that is known beforehand.
    pub seconds: Option<f64>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// Memory in one place: the GPU's, or the host's.
#[derive(Debug, Clone, Serialize)]
pub struct MemoryUse {
    /// `cuda`, `opencl` or `host`.
    pub place: &'static str,
    /// What the run holds there at once.
    pub needed_bytes: u64,
    /// What is free there now.
    pub free_bytes: u64,
}

/// A finished run.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The folder written.
    pub folder: PathBuf,
    /// What stands in its `result.json`.
    pub result: RunResult,
    /// The picture that tells most, as SVG.
    pub picture: Option<String>,
    /// Whether the user ended a run that has no end of its own.
    pub stopped: bool,
}

/// A commented case for `solver` that runs as it is.
///
/// ```
/// let text = phasefront_run::template("mom").unwrap();
/// assert!(phasefront_case::parse("mom.toml", text).is_ok());
/// ```
pub fn template(solver: &str) -> Option<&'static str> {
    match solver {
        "mom" => Some(include_str!("../templates/mom.toml")),
        "reflectarray" => Some(include_str!("../templates/reflectarray.toml")),
        "sbr" => Some(include_str!("../templates/sbr.toml")),
        "dgtd" => Some(include_str!("../templates/dgtd.toml")),
        "nah" => Some(include_str!("../templates/nah.toml")),
        _ => None,
    }
}

/// Reads and validates a case, and says what running it would take. Writes nothing.
pub fn check(case: &Path, options: &Options) -> Result<Plan, RunError> {
    let file = read_case(case)?;
    Expected::beside(case)?;
    check_case(&file, folder_of(case), options)
}

/// As [`check()`], of a case that stands in no file: `name` stands for it in messages, files that it names are looked for in
/// `origin`, and there are no references.
pub fn check_text(name: &str, text: &str, origin: &Path, options: &Options) -> Result<Plan, RunError> {
    check_case(&phasefront_case::parse(name, text)?, origin, options)
}

fn check_case(file: &CaseFile, origin: &Path, options: &Options) -> Result<Plan, RunError> {
    let job = job(file, origin)?;
    let opened = options.open_device()?;
    let memory = check_memory(file, &*job, &opened)?;
    Ok(Plan {
        name: file.case.name().into(),
        solver: file.case.solver().into(),
        settings: file.settings(),
        facts: job.facts(),
        device: opened.reason,
        memory,
        seconds: job.seconds(&opened.backend).map_err(|error| error.at(file))?,
        warnings: job.warnings().to_vec(),
    })
}

/// Runs a case and writes its folder.
///
/// A reference beside the case (`expected.json`) is compared with the result and reported.
pub fn run(case: &Path, options: &Options, progress: &Progress) -> Result<Outcome, RunError> {
    let file = read_case(case)?;
    let expected = Expected::beside(case)?;
    let asked = Asked { file: &file, origin: folder_of(case), expected: expected.as_ref() };
    run_case(&asked, None, options, progress)
}

/// Name and solver of a case.
pub fn identify(case: &Path) -> Result<(String, &'static str), RunError> {
    let file = read_case(case)?;
    Ok((file.case.name().into(), file.case.solver()))
}

/// As [`run()`], of a case that stands in no file: see [`check_text`].
pub fn run_text(
    name: &str,
    text: &str,
    origin: &Path,
    options: &Options,
    progress: &Progress,
) -> Result<Outcome, RunError> {
    let file = phasefront_case::parse(name, text)?;
    run_case(&Asked { file: &file, origin, expected: None }, None, options, progress)
}

/// Goes on with a run that was stopped, by Ctrl-C or by a crash, in its own folder.
///
/// The case is the one in the folder; files that it names, and its references, are looked for where it came from. Arrays are
/// written as the run was asked to when it began.
pub fn resume(folder: &Path, options: &Options, progress: &Progress) -> Result<Outcome, RunError> {
    let wrong = |message: String| RunError::Resume { folder: folder.into(), message };
    if folder.join("result.json").exists() {
        return Err(wrong("it is finished".into()));
    }
    let case = folder.join("case.toml");
    if !case.is_file() {
        return Err(wrong("there is no case.toml in it".into()));
    }
    let file = read_case(&case)?;
    if !job::has_checkpoints(&file.case) {
        return Err(wrong(format!("the solver \"{}\" keeps no checkpoints", file.case.solver())));
    }
    let Saved { case_folder: origin, format, state } = checkpoint::read(folder)?;
    let expected = Expected::beside(&origin.join("case.toml"))?;
    let options = Options { out: Some(folder.into()), format, ..options.clone() };
    run_case(
        &Asked { file: &file, origin: &origin, expected: expected.as_ref() },
        Some(state),
        &options,
        progress,
    )
}

/// A case to run.
struct Asked<'a> {
    file: &'a CaseFile,
    /// Where it comes from: files that it names are there.
    origin: &'a Path,
    expected: Option<&'a Expected>,
}

/// Runs a case that is already read. Nothing is written before the case, the device and the memory are good.
fn run_case(
    asked: &Asked<'_>,
    resume: Option<serde_json::Value>,
    options: &Options,
    progress: &Progress,
) -> Result<Outcome, RunError> {
    let Asked { file, origin, expected } = *asked;
    let job = job(file, origin)?;
    let opened = options.open_device()?;
    check_memory(file, &*job, &opened)?;
    let path = options.out.clone().unwrap_or_else(|| Path::new("results").join(file.case.name()));
    let mut folder = OutputFolder::create(&path, options.force)?;
    if job::has_checkpoints(&file.case) {
        begin(&mut folder, file, resume.is_some(), options.force)?;
    }
    progress.note(&opened.reason);
    for warning in job.warnings() {
        progress.warn(warning);
    }

    let (progress, seconds) = timed(progress);
    let checkpoints = Checkpoints::new(&folder, origin, options.format, resume);
    let context = Context { backend: &opened.backend, progress: &progress, checkpoints: &checkpoints };
    let products = job.solve(&context).map_err(|e| e.at(file))?;
    if products.interrupted {
        for (table, what) in &products.tables {
            folder.write_table(table, *what)?;
        }
        return Err(RunError::Stopped { folder: path });
    }
    if !products.ends_when_stopped {
        progress.check()?;
    }

    let mut result = RunResult::new(file.case.solver(), file.case.name());
    result.device = opened.backend.describe();
    result.precision = job.precision().to_string();
    result.deterministic = options.deterministic;
    result.seed = job.seed();
    result.settings = file.settings().into_iter().map(|s| (s.path, s.value)).collect();
    for warning in &products.warnings {
        progress.warn(warning);
    }
    result.warnings = [job.warnings(), &products.warnings].concat();
    result.metrics.clone_from(&products.metrics);
    if let Some(expected) = expected {
        result.checks = expected.checks(&products);
    }
    let plots = {
        let _stage = progress.stage("report", None, "files");
        write_products(&mut folder, file, &products, options.format)?
    };
    result.seconds = seconds.collect().into_iter().collect();
    // The page lists the files before it; `finish` adds the page itself.
    result.files = folder.files().to_vec();
    let title = format!("{} — {}", file.case.name(), file.case.solver());
    let report = Report {
        title: &title,
        subtitle: &opened.reason,
        result: &result,
        plots: &plots,
        tables: &products.tables.iter().map(|(table, _)| table).collect::<Vec<_>>(),
        case_text: &file.source.text,
    };
    folder.write("report.html", phasefront_report::html(&report).as_bytes(), "this run on one page")?;
    let result = folder.finish(result)?;
    Ok(Outcome {
        folder: path,
        result,
        picture: plots.into_iter().next().map(|(_, svg)| svg),
        stopped: products.ends_when_stopped && progress.check().is_err(),
    })
}

/// Writes the case before the work begins, so that a run that is killed can go on. A checkpoint that is there already is lost only
/// by `force`.
fn begin(folder: &mut OutputFolder, file: &CaseFile, goes_on: bool, force: bool) -> Result<(), RunError> {
    if !goes_on {
        if !force && OutputFolder::read_checkpoint(folder.path())?.is_some() {
            return Err(RunError::Unfinished { folder: folder.path().into() });
        }
        folder.remove_checkpoint()?;
    }
    folder.write("case.toml", file.source.text.as_bytes(), "the case as it was run")?;
    Ok(())
}

/// Writes case, tables, arrays and plots; gives back the plots with their captions.
fn write_products(
    folder: &mut OutputFolder,
    file: &CaseFile,
    products: &Products,
    format: Format,
) -> Result<Vec<(String, String)>, RunError> {
    folder.write("case.toml", file.source.text.as_bytes(), "the case as it was run")?;
    for (table, what) in &products.tables {
        folder.write_table(table, *what)?;
    }
    match format {
        Format::Npz => {
            for (arrays, what) in &products.arrays {
                folder.write_arrays(arrays, *what)?;
            }
        }
        Format::Hdf5 => {
            let bytes = to_hdf5(&products.arrays, &products.tables)?;
            folder.write(HDF5_FILE, bytes, "all arrays and tables")?;
        }
    }
    for (surface, what) in &products.surfaces {
        folder.write_surface(surface, *what)?;
    }
    for (volume, what) in &products.volumes {
        folder.write_volume(volume, *what)?;
    }
    for (parameters, what) in &products.s_parameters {
        folder.write_s_parameters(parameters, *what)?;
    }
    for (name, text, what) in &products.texts {
        folder.write(*name, text, *what)?;
    }
    let mut plots = Vec::new();
    for plot in &products.plots {
        let rendered = plot.render()?;
        folder.write(format!("{}.svg", plot.name()), rendered.svg.as_bytes(), plot.title())?;
        folder.write(format!("{}.png", plot.name()), &rendered.png, plot.title())?;
        plots.push((plot.caption().to_owned(), rendered.svg));
    }
    if !products.plots.is_empty() {
        let text = plots_json(&products.plots);
        folder.write(PLOTS_FILE, text, "the plots as numbers, for `phasefront view`")?;
    }
    Ok(plots)
}

/// The folder that a case file stands in.
fn folder_of(case: &Path) -> &Path {
    case.parent().unwrap_or(Path::new(""))
}

fn read_case(path: &Path) -> Result<CaseFile, RunError> {
    // One byte more than a case may have: enough to refuse a larger file without reading it all.
    let limit = phasefront_case::MAX_BYTES as u64 + 1;
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(limit).read_to_end(&mut bytes))
        .map_err(|error| RunError::Read { path: path.into(), error: error.to_string() })?;
    Ok(phasefront_case::parse_bytes(&path.display().to_string(), &bytes)?)
}

/// Share of the free memory a run may take: the rest is for the system and for what the estimate leaves out.
pub const MEMORY_SHARE: f64 = 0.9;

/// Refuses a case that cannot fit; gives back what it needs and what is free.
fn check_memory(file: &CaseFile, job: &dyn Job, opened: &Opened) -> Result<Vec<MemoryUse>, RunError> {
    let needs = job.memory(&opened.backend);
    let mut uses = Vec::new();
    if let Backend::Gpu(_) = opened.backend {
        let free_bytes = opened.backend.memory()?.free;
        uses.push(MemoryUse { place: opened.backend.name(), needed_bytes: needs.device, free_bytes });
    }
    uses.push(MemoryUse { place: "host", needed_bytes: needs.host, free_bytes: Backend::Cpu.memory()?.free });
    for usage in &uses {
        if usage.needed_bytes as f64 > MEMORY_SHARE * usage.free_bytes as f64 {
            let [needed, free] = [usage.needed_bytes, usage.free_bytes].map(bytes_text);
            let place = if usage.place == "host" { "of memory" } else { "on the GPU" };
            let message = format!("this needs {needed} {place}, and {free} are free");
            let error = FieldError::new(job.memory_field(), message, job.memory_advice(usage.free_bytes));
            return Err(file.error_at(&error).into());
        }
    }
    Ok(uses)
}
