//! Name and format version of `result.json`.

/// Version of the format of `result.json`.
pub const RESULT_VERSION: u32 = 1;

/// Name of the file that makes a folder a finished run.
pub const RESULT_FILE: &str = "result.json";

/// The mark of a folder that a run writes to, until there is a `result.json`.
pub(crate) const UNFINISHED: &str = ".unfinished";
