//! Which program started this process, and with how many others, before any library is touched.

use std::fmt;
use std::time::Duration;

/// Step numbers of Slurm from here on are no steps of `srun`: interactive shells, batch scripts and the like.
const FIRST_SPECIAL_STEP: u64 = 0xffff_fff0;

/// Launchers forward standard error from time to time, and forget what is left of it when the job ends. So whoever ends a
/// job waits this long after the message.
pub const MESSAGE_TIME: Duration = Duration::from_millis(100);

/// A program that starts the processes of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LauncherKind {
    /// The mpirun of Open MPI.
    OpenMpi,
    /// The mpiexec of MPICH, Intel MPI and their relatives (Hydra).
    Hydra,
    /// Slurm's srun.
    Slurm,
    /// Another launcher with a PMIx server.
    Pmix,
}

/// The launcher of this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launcher {
    /// Which one.
    pub kind: LauncherKind,
    /// How many processes it started, if it says so.
    pub size: Option<usize>,
    /// The number of this process, if it says so.
    pub rank: Option<usize>,
    /// Whether it offers PMIx, which Open MPI uses to find the other processes.
    pub has_pmix: bool,
}

impl Launcher {
    /// The launcher that started this process, from its environment.
    pub fn detect() -> Option<Self> {
        Self::from_variables(|name| std::env::var(name).ok())
    }

    /// Ends the job with `exit_code` for a process that could not join it, after its message is written.
    ///
    /// Where [`open`](crate::open()) failed on this host alone, the others wait for this process inside MPI. Other launchers
    /// end the job when a process exits with an error; Hydra does so only when told, by the protocol that its processes
    /// speak to it (PMI version 1).
    pub fn end_job(&self, exit_code: i32) {
        let socket = std::env::var("PMI_FD").ok().and_then(|number| number.parse().ok());
        if let (LauncherKind::Hydra, Some(socket)) = (self.kind, socket) {
            std::thread::sleep(MESSAGE_TIME);
            write_to(socket, &format!("cmd=abort exitcode={exit_code}\n"));
        }
    }

    fn from_variables(get: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let number = |name: &str| get(name)?.trim().parse::<usize>().ok();
        let has_pmix = get("PMIX_RANK").is_some() && get("PMIX_NAMESPACE").is_some();
        let launcher =
            |kind, size: Option<usize>, rank: &str| Some(Self { kind, size, rank: number(rank), has_pmix });
        // The order matters: both mpirun start their helpers on other nodes by srun, whose variables then describe the
        // helpers.
        if let Some(size) = number("OMPI_COMM_WORLD_SIZE") {
            return launcher(LauncherKind::OpenMpi, Some(size), "OMPI_COMM_WORLD_RANK");
        }
        let tasks = srun_tasks(&get);
        if let Some(size) = number("PMI_SIZE") {
            // With --mpi=pmi2 srun sets this variable too, but not the one of Hydra.
            let is_srun = tasks == Some(size) && get("MPI_LOCALNRANKS").is_none();
            let kind = if is_srun { LauncherKind::Slurm } else { LauncherKind::Hydra };
            return launcher(kind, Some(size), "PMI_RANK");
        }
        if tasks.is_some() {
            return launcher(LauncherKind::Slurm, tasks, "SLURM_PROCID");
        }
        if has_pmix { launcher(LauncherKind::Pmix, None, "PMIX_RANK") } else { None }
    }
}

/// Writes to a file that this process has inherited. Nothing follows from a failure: the process ends anyway.
#[cfg(unix)]
fn write_to(file: i32, text: &str) {
    use std::io::Write;
    use std::os::fd::FromRawFd;
    if file < 0 {
        return;
    }
    // SAFETY: the launcher opened it for this purpose, and it is not closed here.
    let mut file = std::mem::ManuallyDrop::new(unsafe { std::fs::File::from_raw_fd(file) });
    let _ = file.write_all(text.as_bytes());
}

#[cfg(not(unix))]
fn write_to(_: i32, _: &str) {}

/// The number of tasks of an srun step that this process belongs to.
///
/// `SLURM_NTASKS` and `SLURM_PROCID` exist in a batch script as well, which runs once, whatever they say.
fn srun_tasks(get: &impl Fn(&str) -> Option<String>) -> Option<usize> {
    let step = get("SLURM_STEP_ID")?.trim().parse::<u64>().ok()?;
    if step >= FIRST_SPECIAL_STEP {
        return None;
    }
    get("SLURM_STEP_NUM_TASKS")?.trim().parse().ok()
}

impl fmt::Display for Launcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            LauncherKind::OpenMpi => "mpirun of Open MPI",
            LauncherKind::Hydra => "mpiexec of MPICH or Intel MPI",
            LauncherKind::Slurm => "srun",
            LauncherKind::Pmix => "a PMIx launcher",
        })?;
        match (self.rank, self.size) {
            (Some(rank), Some(size)) => write!(f, " (rank {rank} of {size})"),
            (None, Some(size)) => write!(f, " ({size} processes)"),
            (Some(rank), None) => write!(f, " (rank {rank})"),
            (None, None) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(variables: &[(&str, &str)]) -> Option<Launcher> {
        Launcher::from_variables(|name| {
            variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    }

    fn text(variables: &[(&str, &str)]) -> String {
        detect(variables).map_or_else(|| "none".into(), |launcher| launcher.to_string())
    }

    #[test]
    fn every_launcher_is_recognized_by_its_variables() {
        assert_eq!(text(&[]), "none");
        let openmpi = [("OMPI_COMM_WORLD_SIZE", "3"), ("OMPI_COMM_WORLD_RANK", "1"), ("PMIX_RANK", "1")];
        assert_eq!(text(&openmpi), "mpirun of Open MPI (rank 1 of 3)");
        let hydra = [("PMI_SIZE", "2"), ("PMI_RANK", "0"), ("MPI_LOCALNRANKS", "2")];
        assert_eq!(text(&hydra), "mpiexec of MPICH or Intel MPI (rank 0 of 2)");
        let pmix = [("PMIX_RANK", "5"), ("PMIX_NAMESPACE", "job")];
        assert_eq!(text(&pmix), "a PMIx launcher (rank 5)");
        assert!(detect(&pmix).unwrap().has_pmix);
    }

    #[test]
    fn a_batch_script_of_slurm_runs_alone_and_a_step_of_srun_does_not() {
        let script = [("SLURM_NTASKS", "8"), ("SLURM_PROCID", "0"), ("SLURM_JOB_ID", "1")];
        assert_eq!(text(&script), "none");
        let batch_step =
            [("SLURM_STEP_ID", "4294967291"), ("SLURM_STEP_NUM_TASKS", "8"), ("SLURM_PROCID", "0")];
        assert_eq!(text(&batch_step), "none");
        let step = [("SLURM_STEP_ID", "0"), ("SLURM_STEP_NUM_TASKS", "8"), ("SLURM_PROCID", "3")];
        assert_eq!(text(&step), "srun (rank 3 of 8)");
        let pmi2 = [&step[..], &[("PMI_SIZE", "8"), ("PMI_RANK", "3")]].concat();
        assert_eq!(text(&pmi2), "srun (rank 3 of 8)");
    }

    #[test]
    fn helpers_that_srun_started_do_not_hide_the_launcher() {
        let helpers = [("SLURM_STEP_ID", "0"), ("SLURM_STEP_NUM_TASKS", "2"), ("SLURM_PROCID", "1")];
        let openmpi =
            [&helpers[..], &[("OMPI_COMM_WORLD_SIZE", "64"), ("OMPI_COMM_WORLD_RANK", "40")]].concat();
        assert_eq!(text(&openmpi), "mpirun of Open MPI (rank 40 of 64)");
        let hydra = [&helpers[..], &[("PMI_SIZE", "64"), ("PMI_RANK", "40")]].concat();
        assert_eq!(text(&hydra), "mpiexec of MPICH or Intel MPI (rank 40 of 64)");
    }

    #[test]
    fn variables_that_are_no_numbers_are_ignored() {
        assert_eq!(text(&[("OMPI_COMM_WORLD_SIZE", "many"), ("PMI_SIZE", "")]), "none");
    }
}
