//! Results of a run: tables, arrays, fields, S-parameters, plots, `result.json` and `report.html`.
//!
//! Solvers pass numbers; this crate contains no physics. Its parts:
//!
//! - [`Table`]: named columns, written as CSV with the unit in the column name;
//! - [`ArrayFile`]: real and complex arrays, written as NPZ for NumPy, or with the tables as one HDF5 file by [`to_hdf5`];
//! - [`Surface`] and [`Volume`]: triangles and tetrahedra with values on them, written as VTU for ParaView, and [`pvd`] for
//!   those of several times;
//! - [`SParameters`]: scattering parameters of ports, written as Touchstone;
//! - [`plot`]: line plots, polar plots, Smith charts, radiation patterns, color maps and bodies in one style, as SVG and PNG that look the same on every machine;
//! - [`RunResult`] and [`OutputFolder`]: the folder of a run, in which `result.json` is written last and
//!   atomically, so that a folder with a `result.json` is a finished run;
//! - [`html`](fn@html) and [`overview`]: one self-contained page for a run, and one for several.
//!
//! ```
//! use phasefront_report::{Check, OutputFolder, RunResult, Table};
//!
//! # let temporary = tempfile::tempdir()?;
//! # let path = temporary.path().join("circle");
//! let table = Table::new("echo_width").number("observation_deg", vec![0.0, 180.0]).number("sigma_m", vec![34.6, 3.2]);
//! let mut folder = OutputFolder::create(&path, false)?;
//! folder.write_table(&table, "echo width against angle")?;
//!
//! let mut result = RunResult::new("mom", "circle");
//! result.checks.push(Check::new("forward", 34.6, 34.5846, 0.05, "Mie series"));
//! let result = folder.finish(result)?;
//! assert_eq!(result.files[0].name, "echo_width.csv");
//! assert!(result.pass());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod arrays;
mod atomic;
mod base64;
mod checkpoint;
mod error;
mod folder;
mod hdf5;
mod html;
mod parts;
pub mod plot;
mod replacement;
mod result;
mod state;
mod stop;
mod surface;
mod table;
mod touchstone;
mod version;
mod volume;
mod vtu;

pub use arrays::{Array, ArrayFile};
pub use atomic::replace_file;
pub use checkpoint::{Checkpoint, Checksum, Records};
pub use error::ReportError;
pub use folder::OutputFolder;
pub use hdf5::{HDF5_FILE, to_hdf5};
pub use html::{Overview, Report, html, overview, picture};
pub use indexmap::IndexMap;
pub use result::{Check, FileEntry, RunResult};
pub use state::FolderState;
pub use stop::StopFile;
pub use surface::Surface;
pub use table::{Column, Table, Values};
pub use touchstone::SParameters;
pub use version::{RESULT_FILE, RESULT_VERSION};
pub use volume::Volume;
pub use vtu::{PointValues, pvd};
