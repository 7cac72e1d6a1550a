//! Checks a case and reports the resources that a run needs.

use crate::assist::open_device;
use crate::error::RunError;
use crate::expected::Expected;
use crate::input::InputFolder;
use crate::job::failing;
use crate::memory::{MemoryUse, check_memory};
use crate::options::Options;
use crate::read::{folder_of, read_case};
use crate::registry;
use phasefront_case::CaseFile;
use phasefront_comm::Single;
use phasefront_core::{Progress, SelfCheck};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// What `check` reports before anything runs.
#[derive(Debug, Clone, Serialize)]
pub struct Plan {
    /// Name of the case.
    pub name: String,
    /// Its solver.
    pub solver: String,
    /// Every setting, defaults included.
    pub settings: Vec<phasefront_case::Setting>,
    /// Derived quantities, with the unit in the name: `unknowns`, `wavelength_m`.
    pub facts: BTreeMap<String, f64>,
    /// Device that a run would use, and why.
    pub device: String,
    /// Memory that a run needs on the GPU and on the host.
    pub memory: Vec<MemoryUse>,
    /// Upper bound of the run time, s, where it is known in advance.
    pub seconds: Option<f64>,
    /// Time of a run that ends by its own criterion, such as the decay of its fields, s: an estimate, within a factor of three for most
    /// cases.
    pub likely_seconds: Option<f64>,
    /// What is known before the run about the validity of its result.
    pub trust: Vec<SelfCheck>,
    /// Warnings, those of self-checks that do not hold included.
    pub warnings: Vec<String>,
}

/// Reads and validates a case, and reports the resources that a run needs. Writes nothing.
pub fn check(case: &Path, options: &Options, progress: &Progress) -> Result<Plan, RunError> {
    let file = read_case(case)?;
    Expected::beside(case)?;
    check_case(&file, &InputFolder::watched(folder_of(case), progress), options)
}

/// As [`check()`], for the text of a case: `name` identifies it in messages, input files are read from `origin`, and there are no
/// reference values.
pub fn check_text(name: &str, text: &str, origin: &Path, options: &Options) -> Result<Plan, RunError> {
    check_case(&phasefront_case::parse(name, text)?, &InputFolder::new(origin), options)
}

fn check_case(file: &CaseFile, inputs: &InputFolder, options: &Options) -> Result<Plan, RunError> {
    let job = registry::job(file, inputs)?;
    let opened = open_device(&*job, file, options)?;
    let memory = check_memory(file, &*job, &opened, &Single::new())?;
    let trust = job.self_checks();
    let time = job.seconds(&opened.backend).map_err(|error| error.at(file))?;
    let warnings = job.warnings().iter().cloned().chain(failing(&trust)).collect();
    Ok(Plan {
        name: file.case.name().into(),
        solver: file.case.solver().into(),
        settings: file.settings(),
        facts: job.facts(),
        device: opened.reason,
        memory,
        seconds: time.as_ref().and_then(|time| time.at_most),
        likely_seconds: time.map(|time| time.likely),
        trust,
        warnings,
    })
}
