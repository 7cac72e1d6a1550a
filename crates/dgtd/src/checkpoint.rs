//! Where a run stands, for one that goes on later.

/// Where a run stands: all that it needs to go on, on the same kind of device.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// Steps done.
    pub steps: u64,
    /// Times and energies so far.
    pub energy: Vec<(f64, f64)>,
    /// Watched values so far.
    pub records: Vec<f64>,
    /// Snapshots so far, as [`Solution::snapshots`](crate::Solution::snapshots).
    pub snapshots: Vec<f32>,
    /// Fields, what goes with them, and spectra, as the device has them.
    pub fields: Vec<u8>,
}

/// Who keeps checkpoints, and how often. A checkpoint that could not be kept is no reason to throw the work away.
pub trait Keeper {
    /// Whether it is time for one; asked whenever the run looks at its energy.
    fn is_due(&mut self) -> bool;
    /// Takes one: when it is due, and when the user stops the run.
    fn keep(&mut self, checkpoint: Checkpoint);
}

/// Keeps none.
pub(crate) struct NoKeeper;

impl Keeper for NoKeeper {
    fn is_due(&mut self) -> bool {
        false
    }
    fn keep(&mut self, _: Checkpoint) {}
}
