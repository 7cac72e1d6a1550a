//! The state of a run, from which it is resumed bit for bit.
//!
//! Rank 0 has what belongs to the whole run, a [`Checkpoint`]. Fields and spectra are in parts by the numbers of elements and nodes in the
//! study, one from each rank, so that any number of ranks reads what any other has saved.

use crate::error::DgtdError;
use num_complex::Complex64;
use phasefront_core::checkpoint::{State, StateReader, StateWriter};

/// What a run needs to continue besides its fields and spectra. Ranks other than 0 have the steps only.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Checkpoint {
    /// Time steps done.
    pub steps: u64,
    /// Times and energies so far.
    pub energy: Vec<(f64, f64)>,
    /// Monitor values so far.
    pub samples: Vec<f64>,
    /// Snapshots so far, as [`Solution::snapshots`](crate::Solution::snapshots).
    pub snapshots: Vec<f32>,
    /// Energy dissipated by each element so far, as [`Solution::dissipated`](crate::Solution::dissipated).
    pub dissipated: Vec<f64>,
}

/// What a part of a state has: numbers in the study.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PartNumbers {
    /// Elements, ascending.
    pub tets: Vec<u32>,
    /// Nodes with spectra, ascending.
    pub nodes: Vec<u32>,
}

/// The values of a part of a state.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PartValues {
    /// Fields and auxiliary unknowns, element by element, whatever the device.
    pub fields: Vec<u8>,
    /// Spectra so far, by frequency, node and component.
    pub spectra: Vec<Complex64>,
}

/// The state of one rank's elements.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CheckpointPart {
    /// Which they are.
    pub numbers: PartNumbers,
    /// Their values.
    pub values: PartValues,
}

impl State for Checkpoint {
    const VERSION: u32 = 6;

    fn write<'a>(&'a self, out: &mut StateWriter<'a>) {
        let Self { steps, energy, samples, snapshots, dissipated } = self;
        out.integer(*steps);
        write_pairs(energy, out);
        out.doubles(samples);
        out.singles(snapshots);
        out.doubles(dissipated);
    }

    fn read(from: &mut StateReader<'_>) -> Option<Self> {
        Some(Self {
            steps: from.integer()?,
            energy: read_pairs(from)?,
            samples: from.doubles()?,
            snapshots: from.singles()?,
            dissipated: from.doubles()?,
        })
    }
}

impl State for PartNumbers {
    const VERSION: u32 = Checkpoint::VERSION;

    fn write<'a>(&'a self, out: &mut StateWriter<'a>) {
        out.indices(&self.tets);
        out.indices(&self.nodes);
    }

    fn read(from: &mut StateReader<'_>) -> Option<Self> {
        Some(Self { tets: from.indices()?, nodes: from.indices()? })
    }
}

impl State for PartValues {
    const VERSION: u32 = Checkpoint::VERSION;

    fn write<'a>(&'a self, out: &mut StateWriter<'a>) {
        out.bytes(&self.fields);
        out.complex(&self.spectra);
    }

    fn read(from: &mut StateReader<'_>) -> Option<Self> {
        Some(Self { fields: from.bytes()?.to_vec(), spectra: from.complex()? })
    }
}

/// Times and energies, interleaved.
pub(crate) fn write_pairs(pairs: &[(f64, f64)], out: &mut StateWriter<'_>) {
    out.doubles(&pairs.iter().flat_map(|&(a, b)| [a, b]).collect::<Vec<f64>>());
}

/// What [`write_pairs`] wrote.
pub(crate) fn read_pairs(from: &mut StateReader<'_>) -> Option<Vec<(f64, f64)>> {
    Some(from.doubles()?.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect())
}

/// Saves checkpoints, and decides how often; every rank has one. A checkpoint that cannot be saved does not end the run.
pub trait CheckpointSink: Send {
    /// Whether the next one is due; requested on rank 0, at every energy check.
    fn is_due(&mut self) -> bool;
    /// Saves one: when it is due, and when the user stops the run. Collective: every rank has its own part. Fails only if ranks cannot
    /// reach each other.
    fn save(&mut self, checkpoint: Checkpoint, part: CheckpointPart) -> Result<(), DgtdError>;
}

/// Saves none.
pub struct NoCheckpoints;

impl CheckpointSink for NoCheckpoints {
    fn is_due(&mut self) -> bool {
        false
    }
    fn save(&mut self, _: Checkpoint, _: CheckpointPart) -> Result<(), DgtdError> {
        Ok(())
    }
}

/// The parts of a saved state. Together they have every element once; each rank reads those with elements of its own. What cannot be read
/// is a [`DgtdError::WrongState`].
pub trait SavedParts: Sync {
    /// How many there are.
    fn count(&self) -> usize;
    /// What a part has.
    fn numbers(&self, part: usize) -> Result<PartNumbers, DgtdError>;
    /// Its values.
    fn values(&self, part: usize) -> Result<PartValues, DgtdError>;
}

/// Parts in memory.
impl SavedParts for Vec<CheckpointPart> {
    fn count(&self) -> usize {
        self.len()
    }
    fn numbers(&self, part: usize) -> Result<PartNumbers, DgtdError> {
        Ok(self[part].numbers.clone())
    }
    fn values(&self, part: usize) -> Result<PartValues, DgtdError> {
        Ok(self[part].values.clone())
    }
}

/// A saved state to continue from. Every rank has it.
#[derive(Clone, Copy)]
pub struct Saved<'a> {
    /// What belongs to the whole run; that of rank 0 counts.
    pub checkpoint: &'a Checkpoint,
    /// Fields and spectra.
    pub parts: &'a dyn SavedParts,
}
