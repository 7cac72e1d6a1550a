//! Memory needed by a run, compared with the free memory.

use crate::error::RunError;
use crate::job::Job;
use phasefront_case::CaseFile;
use phasefront_comm::Comm;
use phasefront_core::FieldError;
use phasefront_core::units::bytes_text;
use phasefront_device::{Backend, DeviceError, MemoryEstimate, Opened};
use serde::Serialize;

/// Memory of the GPU or of the host.
#[derive(Debug, Clone, Serialize)]
pub struct MemoryUse {
    /// `cuda`, `opencl` or `host`.
    pub place: &'static str,
    /// Peak memory of the run there.
    pub needed_bytes: u64,
    /// Free memory there now.
    pub free_bytes: u64,
}

impl MemoryUse {
    /// Whether it leaves some of the free memory.
    pub(crate) fn fits(&self) -> bool {
        self.needed_bytes as f64 <= MEMORY_SHARE * self.free_bytes as f64
    }
}

/// Fraction of the free memory that a run may use; the rest is for the system and for what the
/// estimate omits.
pub const MEMORY_SHARE: f64 = 0.9;

/// Rejects a list of the case that the free memory cannot hold, before it is made: `count` items of so many bytes.
pub(crate) fn check_list(path: &str, what: &str, count: f64, bytes: u64) -> Result<(), FieldError> {
    let needed = count * bytes as f64;
    // Without a figure of the system nothing is refused here; the allocator has the last word.
    let free = Backend::Cpu.memory().map_or(u64::MAX, |memory| memory.free);
    if needed <= MEMORY_SHARE * free as f64 {
        return Ok(());
    }
    let [needed, free] = [needed as u64, free].map(bytes_text);
    let message = format!("{count:.2e} {what} need {needed} of memory at least, and {free} are free");
    Err(FieldError::new(path, message, "make it smaller or coarser, or run on a machine with more memory"))
}

/// The memory that a job needs on this rank, and what is free; the first rank needs `first` bytes of the host in addition.
pub(crate) fn memory_uses(
    needs: MemoryEstimate,
    first: u64,
    backend: &Backend,
    comm: &dyn Comm,
) -> Result<Vec<MemoryUse>, DeviceError> {
    let mut uses = Vec::new();
    if let Backend::Gpu(_) = backend {
        let free_bytes = backend.memory()?.free;
        uses.push(MemoryUse { place: backend.name(), needed_bytes: needs.device, free_bytes });
    }
    // The first rank checks its own host, and the others theirs.
    let first = if comm.size() > 1 && comm.rank() == 0 { first } else { 0 };
    let needed_bytes = needs.host.saturating_mul(comm.node_size() as u64).saturating_add(first);
    uses.push(MemoryUse { place: "host", needed_bytes, free_bytes: Backend::Cpu.memory()?.free });
    Ok(uses)
}

/// Rejects a case that does not fit; returns the memory needed and free. Ranks of one host share its memory.
pub(crate) fn check_memory(
    file: &CaseFile,
    job: &dyn Job,
    opened: &Opened,
    comm: &dyn Comm,
) -> Result<Vec<MemoryUse>, RunError> {
    let needs = job.memory(&opened.backend, comm.size(), 1 + opened.others.len());
    let uses = memory_uses(needs, job.memory_of_first_rank(), &opened.backend, comm)?;
    let on_host = comm.node_size();
    for usage in &uses {
        if !usage.fits() {
            let [needed, free] = [usage.needed_bytes, usage.free_bytes].map(bytes_text);
            let message = match usage.place {
                "host" if on_host > 1 => {
                    format!("the {on_host} ranks on this host need {needed} of memory, and {free} are free")
                }
                "host" => format!("this needs {needed} of memory, and {free} are free"),
                _ => format!("this needs {needed} on the GPU, and {free} are free"),
            };
            let error = FieldError::new(job.memory_field(), message, job.memory_advice(usage.free_bytes));
            return Err(file.error_at(&error).into());
        }
    }
    Ok(uses)
}
