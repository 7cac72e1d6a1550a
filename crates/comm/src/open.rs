//! The choice between one process and MPI.

use crate::comm::Comm;
use crate::error::{LIBRARY_VARIABLE, Result};
use crate::launcher::Launcher;
use crate::{mpi, single::Single};

/// Joins the job of the launcher that started this process; without one, or with a job of one process, the answer is
/// [`Single`], and no library is touched.
///
/// A launcher of several processes without its MPI library is an error: every process would believe to be alone. After the
/// message, [`Launcher::end_job`] ends processes that wait for this one.
///
/// Call it once, before thread pools are made, since MPI may bind the process to some of the cores. Drop what it
/// returns before the process ends: that shuts MPI down, and waits for the other ranks. So a rank that fails calls
/// [`Comm::abort`] instead.
pub fn open() -> Result<Box<dyn Comm>> {
    match Launcher::detect() {
        Some(launcher) if launcher.size != Some(1) && !is_off() => mpi::open(&launcher),
        _ => Ok(Box::new(Single::new())),
    }
}

/// Whether the user has said that every process runs alone, whatever started it.
pub fn is_off() -> bool {
    std::env::var(LIBRARY_VARIABLE).is_ok_and(|name| name == "none")
}
