//! The state of a run, from which it is resumed bit for bit.

use num_complex::Complex64;
use phasefront_core::checkpoint::{State, StateReader, StateWriter};

/// The state of a run: all that it needs to continue, on any device and any number of ranks.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// Time steps done.
    pub steps: u64,
    /// Times and energies so far.
    pub energy: Vec<(f64, f64)>,
    /// Monitor values so far.
    pub records: Vec<f64>,
    /// Snapshots so far, as [`Solution::snapshots`](crate::Solution::snapshots).
    pub snapshots: Vec<f32>,
    /// Fields and auxiliary unknowns of the elements in the order of the mesh, whatever the device and the number of ranks.
    pub fields: Vec<u8>,
    /// Spectra so far, as [`Solution::spectra`](crate::Solution::spectra).
    pub spectra: Vec<Complex64>,
}

impl State for Checkpoint {
    const VERSION: u32 = 4;

    fn write<'a>(&'a self, out: &mut StateWriter<'a>) {
        let Self { steps, energy, records, snapshots, fields, spectra } = self;
        out.integer(*steps);
        write_pairs(energy, out);
        out.doubles(records);
        out.singles(snapshots);
        out.bytes(fields);
        out.complex(spectra);
    }

    fn read(from: &mut StateReader<'_>) -> Option<Self> {
        Some(Self {
            steps: from.integer()?,
            energy: read_pairs(from)?,
            records: from.doubles()?,
            snapshots: from.singles()?,
            fields: from.bytes()?.to_vec(),
            spectra: from.complex()?,
        })
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

/// Saves checkpoints, and decides how often. A checkpoint that cannot be saved does not end the run.
pub trait CheckpointSink: Send {
    /// Whether the next one is due; requested at every energy check.
    fn is_due(&mut self) -> bool;
    /// Saves one: when it is due, and when the user stops the run.
    fn save(&mut self, checkpoint: Checkpoint);
}

/// Saves none.
pub struct NoCheckpoints;

impl CheckpointSink for NoCheckpoints {
    fn is_due(&mut self) -> bool {
        false
    }
    fn save(&mut self, _: Checkpoint) {}
}
