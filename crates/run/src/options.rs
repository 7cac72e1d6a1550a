//! Options of the command line, common to all solvers.

use crate::error::RunError;
use crate::ranks::Ranks;
use phasefront_device::{DeviceChoice, Opened};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Options of the command line, common to all solvers.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Device to run on.
    pub device: DeviceChoice,
    /// Result folder; `results/<case name>` if not given.
    pub out: Option<PathBuf>,
    /// Overwrite a folder that holds a result.
    pub force: bool,
    /// Bit-identical results from run to run on one device and thread count.
    pub deterministic: bool,
    /// File format of arrays.
    pub format: Format,
    /// Draw no plots.
    pub skip_plots: bool,
    /// The ranks that share the run.
    pub ranks: Ranks,
}

/// File format of arrays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Format {
    /// An NPZ file for each group of arrays, for NumPy.
    #[default]
    #[serde(rename = "npz")]
    Npz,
    /// One HDF5 file with all arrays and tables.
    #[serde(rename = "h5")]
    Hdf5,
}

impl Options {
    pub(crate) fn open_device(&self) -> Result<Opened, RunError> {
        let comm = self.ranks.comm();
        let choice = if comm.size() > 1 { self.device.of_rank(comm.node_rank())? } else { self.device };
        match phasefront_device::open(choice, self.deterministic) {
            // A rank's share of the GPUs is no wish of the user.
            Err(error) if self.device == DeviceChoice::Auto => Ok(Opened::without_gpu(&error)),
            opened => Ok(opened?),
        }
    }
}
