//! Reads case files.

use crate::error::RunError;
use phasefront_case::CaseFile;
use std::io::Read;
use std::path::Path;

/// Name and solver of a case.
pub fn identify(case: &Path) -> Result<(String, &'static str), RunError> {
    let file = read_case(case)?;
    Ok((file.case.name().into(), file.case.solver()))
}

/// The folder of a case file.
pub(crate) fn folder_of(case: &Path) -> &Path {
    case.parent().unwrap_or(Path::new(""))
}

/// Reads and parses a case file.
pub(crate) fn read_case(path: &Path) -> Result<CaseFile, RunError> {
    Ok(phasefront_case::parse_bytes(&path.display().to_string(), &read_file(path)?)?)
}

/// The bytes of a case file or a sweep file.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, RunError> {
    // One byte more than the limit: enough to reject a larger file without reading all of it.
    let limit = phasefront_case::MAX_BYTES as u64 + 1;
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(limit).read_to_end(&mut bytes))
        .map_err(|error| RunError::Read { path: path.into(), error: error.to_string() })?;
    Ok(bytes)
}
