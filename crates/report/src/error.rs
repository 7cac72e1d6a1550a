//! Errors of writing results, with advice.

use std::io;
use std::path::{Path, PathBuf};

/// An error of this crate. [`ReportError::advice`] says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The operating system refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried: `write`, `read`.
        action: &'static str,
        /// On which file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The output folder holds a finished run.
    #[error("{} already holds a result", path.display())]
    Exists {
        /// The folder.
        path: PathBuf,
    },
    /// The output folder contains files that no run wrote.
    #[error("{} holds other files", path.display())]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// The output folder is a file.
    #[error("{} is not a folder", path.display())]
    NotAFolder {
        /// The path given as output folder.
        path: PathBuf,
    },
    /// Another process is writing to the folder.
    #[error("another run is writing to {}", path.display())]
    InUse {
        /// The folder.
        path: PathBuf,
    },
    /// A file name that would leave the output folder or clash with its bookkeeping.
    #[error("{name:?} cannot be the name of an output file")]
    BadName {
        /// The name.
        name: String,
    },
    /// A file has changed since it was written.
    #[error("{} holds {found} bytes, but {written} were written", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// Bytes written.
        written: u64,
        /// Bytes found.
        found: u64,
    },
    /// An invalid `result.json`.
    #[error("not a result: {source}")]
    Json {
        /// What the parser said.
        #[from]
        source: serde_json::Error,
    },
    /// A `result.json` of another version of its format.
    #[error(
        "the result has format version {version}, this program reads version {}",
        crate::version::RESULT_VERSION
    )]
    Version {
        /// Version found.
        version: u32,
    },
    /// Columns of one table differ in length.
    #[error("table {table}: column {column} has {rows} rows, the first column has {expected}")]
    Rows {
        /// Name of the table.
        table: String,
        /// Name of the column.
        column: String,
        /// Its rows.
        rows: usize,
        /// Rows of the first column.
        expected: usize,
    },
    /// A missing column.
    #[error("table {table} has no column {column}")]
    NoColumn {
        /// Name of the table.
        table: String,
        /// The requested column.
        column: String,
        /// The columns it has.
        columns: Vec<String>,
    },
    /// A text column where a numeric one is required.
    #[error("table {table}: column {column} holds text, not numbers")]
    NotNumeric {
        /// Name of the table.
        table: String,
        /// Name of the column.
        column: String,
    },
    /// No row passes the filters.
    #[error("table {table} has no row with {filters}")]
    NoRow {
        /// Name of the table.
        table: String,
        /// The filters, as text.
        filters: String,
    },
    /// More than one row passes the filters.
    #[error("table {table} has {rows} rows with {filters}")]
    ManyRows {
        /// Name of the table.
        table: String,
        /// The filters, as text.
        filters: String,
        /// How many rows pass.
        rows: usize,
    },
    /// An array whose values do not fill its shape.
    #[error("array {array} has {values} values for {rows} x {cols}")]
    Shape {
        /// Name of the array.
        array: String,
        /// Rows stated.
        rows: usize,
        /// Columns stated.
        cols: usize,
        /// Values given.
        values: usize,
    },
    /// An array file that cannot be built.
    #[error("cannot make {file}: {reason}")]
    Arrays {
        /// Name of the file.
        file: String,
        /// Why.
        reason: String,
    },
    /// A surface or a volume with inconsistent parts.
    #[error("cannot write {grid}: {reason}")]
    Grid {
        /// What it is, with its name: `surface hotspots`.
        grid: String,
        /// Why.
        reason: String,
    },
    /// Scattering parameters that cannot be written as a Touchstone file.
    #[error("cannot write {file}: {reason}")]
    Touchstone {
        /// Name of the file.
        file: String,
        /// Why.
        reason: String,
    },
    /// A plot that cannot be drawn.
    #[error("cannot draw {plot}: {reason}")]
    Plot {
        /// Name of the plot.
        plot: String,
        /// Why.
        reason: String,
    },
}

impl ReportError {
    /// What to do about it, if anything.
    pub fn advice(&self) -> Option<String> {
        match self {
            Self::Io { source, .. } => io_advice(source.kind()),
            Self::NotEmpty { .. } => {
                Some("choose another folder with --out; --force writes among them and replaces those of the same name".into())
            }
            Self::Exists { .. } => {
                Some("choose another folder with --out, or overwrite it with --force".into())
            }
            Self::NotAFolder { .. } => Some("choose another folder with --out".into()),
            Self::InUse { .. } => Some("wait for that run, or choose another folder with --out".into()),
            Self::BadName { .. } => {
                Some("use a relative name without `..`, other than result.json: `echo_width.csv`".into())
            }
            Self::Changed { .. } => {
                Some("something else writes to this folder: choose another one with --out".into())
            }
            Self::Json { .. } => Some("run the case again: the file is not from a finished run".into()),
            Self::Version { .. } => {
                Some("read it with the program that wrote it, or run the case again".into())
            }
            Self::NoColumn { columns, .. } => Some(format!("it has {}", columns.join(", "))),
            Self::NotNumeric { .. } => Some("name a column with numbers".into()),
            Self::NoRow { .. } => Some("ask for a value that the case computes".into()),
            Self::ManyRows { .. } => Some("filter by more columns, or interpolate along one".into()),
            Self::Rows { .. }
            | Self::Shape { .. }
            | Self::Arrays { .. }
            | Self::Grid { .. }
            | Self::Touchstone { .. }
            | Self::Plot { .. } => None,
        }
    }

    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io { action, path: path.to_owned(), source }
    }
}

fn io_advice(kind: io::ErrorKind) -> Option<String> {
    let text = match kind {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "free some space, or choose a folder on another disk with --out"
        }
        io::ErrorKind::FileTooLarge => "raise the file-size limit, or ask for less output",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "choose a folder you may write to with --out"
        }
        _ => return None,
    };
    Some(text.into())
}
