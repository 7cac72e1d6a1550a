//! The ranks of an MPI job: rank 0 is the program that the user sees, the others help it in silence.

use crate::args::Threads;
use crate::failure::{Failure, Result};
use crate::output::{self, Style};
use crate::session::use_threads;
use crate::signals;
use phasefront_comm::{Comm, CommError, Launcher};
use phasefront_run::{Kind, Options, Ranks, RunError, assist};
use std::process::ExitCode;
use std::sync::Arc;

/// Joins the job of the launcher that started this process, if one did; else this process is alone.
pub fn join(threads: &Threads) -> Result<Ranks> {
    let comm: Arc<dyn Comm> = Arc::from(phasefront_comm::open().map_err(|error| refused(&error))?);
    let ranks = Ranks::new(comm);
    // Ranks on one machine share its cores, unless the launcher has bound each to its own.
    let share = if ranks.are_several() && threads.threads.is_none() {
        let own = ranks.comm().node_size();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Threads { threads: u16::try_from(cores.min(machine_cores().unwrap_or(cores) / own).max(1)).ok() }
    } else {
        Threads { threads: threads.threads }
    };
    // This rank alone may fail here. It must not just leave: the end of MPI waits for the others, and they wait for this rank.
    if let Err(failure) = use_threads(&share) {
        end_all(&ranks, &failure);
        return Err(failure);
    }
    Ok(ranks)
}

/// A launcher without its MPI library, or with another one: nothing is started, since every process would do all of the work.
fn refused(error: &CommError) -> Failure {
    if let Some(launcher) = Launcher::detect() {
        // Some launchers wait for processes that never joined the job.
        launcher.end_job(2);
        if launcher.rank.is_some_and(|rank| rank > 0) {
            // The first process tells why.
            std::process::exit(2);
        }
    }
    Failure::Own { kind: Kind::BadInput, message: error.to_string(), file: None, help: Some(error.advice()) }
}

/// Cores of the machine, whether this process may use them or not; on Linux only.
fn machine_cores() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    Some(text.lines().filter(|line| line.starts_with("processor")).count()).filter(|cores| *cores > 0)
}

/// What another rank than the first does: it helps, and says nothing unless it fails alone.
pub fn help(options: &Options) -> ExitCode {
    // Launchers pass signals on to all ranks. The first decides when the run ends; without handlers this rank would end at once, and the
    // job with it.
    let _stop = signals::install(true);
    match assist(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let failure = Failure::from(error);
            end_all(&options.ranks, &failure);
            // Another rank tells why, rank 0 where all have found the same. With a code of failure from here, launchers would kill that
            // rank, perhaps before it has done so; its own code counts.
            if is_known_to_all(&failure) {
                return ExitCode::SUCCESS;
            }
            if options.ranks.have_ended() {
                let comm = options.ranks.comm();
                output::message(&format!(
                    "error: rank {} on {}: {}",
                    comm.rank(),
                    comm.host(),
                    told(&failure)
                ));
            }
            ExitCode::from(failure.exit_code())
        }
    }
}

/// Ends the other ranks where they may still wait for this one; the message then has the rank and the host, and this does not return.
pub fn end_all(ranks: &Ranks, failure: &Failure) {
    if ranks.are_several() && !is_known_to_all(failure) && !ranks.have_ended() {
        ranks.comm().abort(failure.exit_code().into(), told(failure).trim_end());
    }
}

/// The text of a failure after the word with which the message of a rank begins too.
fn told(failure: &Failure) -> String {
    let text = failure.text(Style::PLAIN);
    text.strip_prefix("error: ").unwrap_or(&text).to_owned()
}

/// Ends the job for a rank that leaves before it has joined it, after its message: the others would wait for it.
pub fn leave(exit_code: i32) {
    if let Some(launcher) = Launcher::detect().filter(|_| !phasefront_comm::is_off()) {
        launcher.end_job(exit_code);
    }
}

fn is_known_to_all(failure: &Failure) -> bool {
    match failure {
        Failure::Run(error) => error.is_known_to_all_ranks(),
        Failure::Own { .. } => false,
    }
}

/// Whether the first rank reports a failure, or another one does.
pub fn is_told_elsewhere(failure: &Failure) -> bool {
    matches!(failure, Failure::Run(RunError::OtherRank { .. }))
}
