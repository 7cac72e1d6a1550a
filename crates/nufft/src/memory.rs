//! The memory of a plan on the CPU, compared with what is free before any of it is allocated: an allocation that fails ends the
//! process, and one that the system grants but does not have may end others.

use crate::error::{NufftError, Result};
use crate::grid::GridShape;
use phasefront_device::Backend;

/// Below this the free memory is not queried, which takes longer than a small transform.
const NEGLIGIBLE: u64 = 64 << 20;
/// Share of the free memory that a plan may take.
const SHARE: f64 = 0.9;

/// Refuses a plan of `needed` bytes, mostly for the grid of `shape`, that do not fit into the free memory of the host.
pub(crate) fn require(needed: u64, shape: &GridShape) -> Result<()> {
    if needed <= NEGLIGIBLE {
        return Ok(());
    }
    let free = Backend::Cpu.memory()?.free;
    if needed as f64 <= SHARE * free as f64 {
        return Ok(());
    }
    Err(NufftError::Memory { grid: shape.fine[..shape.dimensions].to_vec(), needed, free })
}
