//! The table of benchmarks, and running one of them.

use crate::error::BenchError;
use crate::harness::{Bench, BenchRow};
use crate::{cores, device, dgtd, mom, nah, nufft, reflectarray, sbr};
use phasefront_core::Progress;
use phasefront_device::DeviceChoice;
use phasefront_device::doctor::measure;

/// Times the workloads of one benchmark.
type Run = fn(&mut Bench<'_>) -> Result<(), BenchError>;

/// The device layer, scaling over cores, then the solvers and their library.
const WORKLOADS: [(&str, Run); 8] = [
    ("device", device::run),
    ("cores", cores::run),
    ("dgtd", dgtd::run),
    ("mom", mom::run),
    ("nah", nah::run),
    ("nufft", nufft::run),
    ("reflectarray", reflectarray::run),
    ("sbr", sbr::run),
];

/// Names of the benchmarks, in the order in which `phasefront bench` runs them.
pub fn names() -> Vec<&'static str> {
    WORKLOADS.iter().map(|(name, _)| *name).collect()
}

/// Optional measurements.
#[derive(Debug, Clone, Copy, Default)]
pub struct Extras {
    /// Time another program on the same work, if it is installed.
    pub compare: bool,
    /// Measure the scaling with problem size instead, where available.
    pub scaling: bool,
}

/// Runs the fixed workloads of the benchmark `name` on a device; each finished row goes to `row`.
pub fn bench(
    name: &str,
    device: DeviceChoice,
    extras: Extras,
    progress: &Progress,
    row: &mut dyn FnMut(BenchRow),
) -> Result<(), BenchError> {
    let found = WORKLOADS.iter().find(|(known, _)| *known == name);
    let (_, run) = found.ok_or_else(|| BenchError::Unknown { name: name.into(), known: names() })?;
    let opened = phasefront_device::open(device, false)?;
    progress.note(&opened.reason);
    let rates = measure(&opened.backend)?;
    let Extras { compare, scaling } = extras;
    run(&mut Bench { backend: &opened.backend, rates, compare, scaling, progress, row })
}
