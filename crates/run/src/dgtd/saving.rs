//! Checkpoints of dgtd runs: a part from each rank, and the manifest of rank 0, which has what belongs to all.

use crate::checkpoint::Checkpoints;
use crate::error::{Kind, RunError};
use crate::job::Context;
use crate::parts::PartChecksums;
use phasefront_comm::Comm;
use phasefront_core::checkpoint::{State, StateReader, StateWriter};
use phasefront_dgtd::{
    Checkpoint, CheckpointPart, CheckpointSink, DgtdError, PartNumbers, PartValues, Pass, Saved, SavedParts,
    Solution, Study,
};
use std::borrow::Cow;
use std::time::{Duration, Instant};

/// Shortest time between checkpoints: how much work a power failure may cost.
const INTERVAL: Duration = Duration::from_secs(1);
/// Time between checkpoints over the time that one takes: they cost at most 2 % of a run.
const COST_RATIO: u32 = 50;

/// Bytes of a checkpoint that a rank saves in a second, before that is measured: from the device to a fast disk.
const SPEED: f64 = 1e9;

/// Which records of a part are which.
const NUMBERS: usize = 0;
const VALUES: usize = 1;

/// The manifest of a checkpoint, and what belongs to all ranks. The parts of a run and a step have names of their own.
#[derive(Debug, Clone, PartialEq)]
struct Manifest<'a> {
    /// Finished passes.
    passes: Cow<'a, [Pass]>,
    /// Finished runs of the current pass.
    finished: Cow<'a, [Solution]>,
    /// The current run.
    current: Checkpoint,
    /// The checksums of its parts.
    parts: Vec<PartChecksums>,
}

impl Manifest<'_> {
    fn generation(&self) -> String {
        generation(self.passes.len(), self.finished.len(), self.current.steps)
    }
}

/// What was finished before the current run.
#[derive(Clone, Copy)]
pub(super) struct Before<'a> {
    pub passes: &'a [Pass],
    /// Runs of the current pass.
    pub runs: &'a [Solution],
}

/// The name of a checkpoint: no other one of the same problem has the same pass, run and step.
fn generation(pass: usize, run: usize, steps: u64) -> String {
    format!("pass{}-run{}-step{steps}", pass + 1, run + 1)
}

impl State for Manifest<'_> {
    const VERSION: u32 = Checkpoint::VERSION;

    fn write<'a>(&'a self, out: &mut StateWriter<'a>) {
        out.list(&self.passes);
        out.list(&self.finished);
        self.current.write(out);
        out.bytes(self.parts.as_flattened().as_flattened());
    }

    fn read(from: &mut StateReader<'_>) -> Option<Self> {
        Some(Self {
            passes: from.list()?.into(),
            finished: from.list()?.into(),
            current: Checkpoint::read(from)?,
            parts: checksums(from.bytes()?)?,
        })
    }
}

/// The checksums of parts, one after the other.
fn checksums(bytes: &[u8]) -> Option<Vec<PartChecksums>> {
    let (checksums, rest) = bytes.as_chunks();
    let (parts, odd) = checksums.as_chunks();
    (rest.is_empty() && odd.is_empty()).then(|| parts.to_vec())
}

/// A run to continue, on any device and any number of ranks.
pub(super) struct Interrupted<'a> {
    /// Passes before it.
    passes: Vec<Pass>,
    /// Runs before it; on rank 0 only.
    finished: Vec<Solution>,
    /// Where it stood; on other ranks the steps only.
    current: Checkpoint,
    run: usize,
    parts: Parts<'a>,
}

impl<'a> Interrupted<'a> {
    /// The run that an earlier process left, if it did. Collective.
    pub(super) fn read(context: &Context<'a>) -> Result<Option<Self>, RunError> {
        let Context { comm, checkpoints, progress, .. } = *context;
        let manifest = checkpoints.state::<Manifest<'_>>(progress);
        // Rank 0 tells the others where the parts are; nothing if there are none, and less than that if it has failed.
        let mut message = match &manifest {
            Ok(None) => vec![1],
            Err(_) => Vec::new(),
            Ok(Some(Manifest { finished, current, parts, .. })) => {
                let numbers = [1, finished.len() as u64, current.steps];
                [numbers.map(u64::to_le_bytes).as_flattened(), parts.as_flattened().as_flattened()].concat()
            }
        };
        comm.broadcast(&mut message)?;
        let manifest = manifest.map_err(RunError::on_all_ranks)?;
        if message.is_empty() {
            return Err(RunError::OtherRank { rank: 0, kind: Kind::BadInput });
        }
        let Some((numbers, sums)) = message.split_first_chunk::<24>() else { return Ok(None) };
        let (numbers, _) = numbers.as_chunks();
        let (run, steps) = (u64::from_le_bytes(numbers[1]) as usize, u64::from_le_bytes(numbers[2]));
        let passes =
            shared(comm, manifest.as_ref().map(|manifest| &manifest.passes[..]).unwrap_or_default())?;
        let parts = Parts {
            checkpoints,
            generation: generation(passes.len(), run, steps),
            checksums: checksums(sums).unwrap_or_default(),
        };
        let (finished, current) = match manifest {
            Some(manifest) => (manifest.finished.into_owned(), manifest.current),
            None => (Vec::new(), Checkpoint { steps, ..Checkpoint::default() }),
        };
        Ok(Some(Self { passes, finished, current, run, parts }))
    }

    /// The passes before it.
    pub(super) fn take_passes(&mut self) -> Vec<Pass> {
        std::mem::take(&mut self.passes)
    }

    /// Its number among those of the case.
    pub(super) fn run(&self) -> usize {
        self.run
    }

    /// Its time steps.
    pub(super) fn steps(&self) -> u64 {
        self.current.steps
    }

    /// The runs before it.
    pub(super) fn take_finished(&mut self) -> Vec<Solution> {
        std::mem::take(&mut self.finished)
    }

    /// Its state.
    pub(super) fn saved(&self) -> Saved<'_> {
        Saved { checkpoint: &self.current, parts: &self.parts }
    }
}

/// Saves that these passes are finished, and that the next one has not begun. One that cannot be saved is a warning.
pub(super) fn save_passes(passes: &[Pass], context: &Context<'_>) {
    let Context { comm, checkpoints, progress, .. } = *context;
    if comm.rank() > 0 {
        return;
    }
    let manifest = Manifest {
        passes: passes.into(),
        finished: Cow::default(),
        current: Checkpoint::default(),
        parts: Vec::new(),
    };
    match checkpoints.replace(&manifest) {
        Ok(()) => drop(checkpoints.files.remove_parts(|_| true)),
        Err(error) => progress.warn(&format!("the checkpoint could not be saved: {error}")),
    }
}

/// The passes that rank 0 knows, on all ranks.
pub(super) fn shared(comm: &dyn Comm, passes: &[Pass]) -> Result<Vec<Pass>, RunError> {
    let mut out = StateWriter::default();
    out.list(passes);
    let mut bytes = out.parts().concat();
    comm.broadcast(&mut bytes)?;
    // Written by this program a moment ago.
    Ok(StateReader::new(&bytes).list().unwrap_or_default())
}

/// The parts of a checkpoint in the folder of its run.
struct Parts<'a> {
    checkpoints: &'a Checkpoints,
    generation: String,
    checksums: Vec<PartChecksums>,
}

impl Parts<'_> {
    fn read<S: State>(&self, part: usize, record: usize) -> Result<S, DgtdError> {
        let expected = &self.checksums[part][record];
        let found = self.checkpoints.read_part(&self.generation, part, record, expected);
        found.map_err(DgtdError::WrongState)
    }
}

impl SavedParts for Parts<'_> {
    fn count(&self) -> usize {
        self.checksums.len()
    }
    fn numbers(&self, part: usize) -> Result<PartNumbers, DgtdError> {
        self.read(part, NUMBERS)
    }
    fn values(&self, part: usize) -> Result<PartValues, DgtdError> {
        self.read(part, VALUES)
    }
}

/// What a rank tells rank 0 about its part: its checksums, or why it could not be saved.
type Report = Result<PartChecksums, String>;

/// Saves checkpoints of the current run at intervals.
pub(super) struct Saving<'a> {
    context: &'a Context<'a>,
    run: usize,
    before: Before<'a>,
    /// When the last one was saved, or found to be due.
    last: Instant,
    interval: Duration,
}

impl<'a> Saving<'a> {
    pub(super) fn new(context: &'a Context<'a>, study: &Study, run: usize, before: Before<'a>) -> Self {
        let bytes = (study.dof() * study.problem.precision.bytes()).div_ceil(context.comm.size()) as f64;
        let first = Duration::from_secs_f64(f64::from(COST_RATIO) * bytes / SPEED);
        Self { context, run, before, last: Instant::now(), interval: INTERVAL.max(first) }
    }

    /// Completes a checkpoint when all ranks have written their parts, on rank 0: the manifest is last. What is superseded goes.
    fn complete(&self, current: Checkpoint, reports: &[Vec<u8>]) -> Result<(), String> {
        let files = &self.context.checkpoints.files;
        let name = generation(self.before.passes.len(), self.run, current.steps);
        // What cannot be removed now goes with the next checkpoint, or at the end of the run.
        let discard = || drop(files.remove_parts(|generation| generation == name));
        let report = |bytes: &Vec<u8>| -> Report {
            serde_json::from_slice(bytes).unwrap_or_else(|error| Err(error.to_string()))
        };
        let parts: Result<Vec<PartChecksums>, String> = reports.iter().map(report).collect();
        let parts = parts.inspect_err(|_| discard())?;
        let Before { passes, runs } = self.before;
        let manifest = Manifest { passes: passes.into(), finished: runs.into(), current, parts };
        if let Err(error) = self.context.checkpoints.replace(&manifest) {
            // If only flushing has failed, the new manifest may be there, and its parts must stay.
            let there = self.context.checkpoints.saved::<Manifest<'_>>();
            if there.is_ok_and(|there| there.is_none_or(|there| there.generation() != name)) {
                discard();
            }
            return Err(error.to_string());
        }
        let _ = files.remove_parts(|generation| generation != name);
        Ok(())
    }
}

impl CheckpointSink for Saving<'_> {
    fn is_due(&mut self) -> bool {
        let due = self.last.elapsed() > self.interval;
        if due {
            // The time from here on is the cost of the checkpoint, with the transfer of fields from the device.
            self.last = Instant::now();
        }
        due
    }

    fn save(&mut self, checkpoint: Checkpoint, part: CheckpointPart) -> Result<(), DgtdError> {
        let Context { comm, checkpoints, progress, .. } = *self.context;
        let name = generation(self.before.passes.len(), self.run, checkpoint.steps);
        let written = checkpoints.write_part(&name, comm.rank(), (&part.numbers, &part.values));
        let report: Report = written.map_err(|error| match comm.size() {
            1 => error.to_string(),
            _ => format!("rank {} on {}: {error}", comm.rank(), comm.host()),
        });
        // Numbers and text, which always serialize.
        if let Some(reports) = comm.gather(&serde_json::to_vec(&report).unwrap_or_default())? {
            if let Err(reason) = self.complete(checkpoint, &reports) {
                progress.warn(&format!("the checkpoint could not be saved: {reason}"));
            }
            self.interval = INTERVAL.max(COST_RATIO * self.last.elapsed());
            self.last = Instant::now();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_complex::Complex64;

    fn solution(excited: usize) -> Solution {
        Solution {
            excited,
            steps: 75,
            start: -1e-9,
            dt: 1e-12 / 3.0,
            energy: vec![(0.1 + 0.2, 1e-300), (0.5, 0.0)],
            settled: true,
            samples: vec![1.0, -0.0, f64::MIN_POSITIVE],
            spectra: vec![Complex64::new(0.1, -0.3)],
            snapshots: vec![0.1, -0.0],
            dissipated: vec![1e-12],
            error: (excited == 0).then_some(0.125),
            ranks: Vec::new(),
        }
    }

    #[test]
    fn the_state_of_all_runs_reads_back_to_the_last_bit() {
        let current = Checkpoint {
            steps: 50,
            energy: vec![(1.0, 2.0)],
            samples: vec![3.5],
            snapshots: vec![f32::MIN_POSITIVE; 6],
            dissipated: vec![0.5],
        };
        let finished = vec![solution(1), solution(0)].into();
        let passes = vec![Pass { order: 2, elements: 5, dissipated: vec![0.1], ..Pass::default() }].into();
        let state =
            Manifest { passes, finished, current, parts: vec![[[1; 32], [2; 32]], [[3; 32], [4; 32]]] };
        let mut out = StateWriter::default();
        state.write(&mut out);
        let bytes = out.parts().concat();
        assert_eq!(Manifest::read(&mut StateReader::new(&bytes)).as_ref(), Some(&state));
    }

    #[test]
    fn checksums_that_are_cut_off_are_none() {
        let whole = [7; 128];
        assert_eq!(checksums(&whole).map(|parts| parts.len()), Some(2));
        assert!((1..64).all(|cut| checksums(&whole[cut..]).is_none()));
    }
}
