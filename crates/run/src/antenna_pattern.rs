//! Far fields of antennas from files.

use crate::input::{InputFolder, read_bytes};
use phasefront_case::model::AntennaPattern;
use phasefront_core::FieldError;
use phasefront_pattern::{Pattern, read_cut, read_ffd, read_ffe, read_grd};
use std::path::Path;

/// The far fields of a file, by frequency; `path` is that of the table that names it.
pub(crate) fn far_fields(
    case: &AntennaPattern,
    frequencies: &[f64],
    folder: &InputFolder,
    path: &str,
) -> Result<Vec<Pattern>, FieldError> {
    let path = &format!("{path}.file");
    let name = case.file.to_ascii_lowercase();
    let bytes = read_bytes(folder, &case.file, path)?;
    let found = match Path::new(&name).extension().and_then(|extension| extension.to_str()) {
        Some("ffe") => read_ffe(&bytes),
        Some("ffd") => read_ffd(&bytes, frequencies.first().copied()),
        Some("cut") => read_cut(&bytes, frequencies),
        Some("grd") => read_grd(&bytes, frequencies),
        _ => {
            let message = format!("{}: the ending of the name tells no format", case.file);
            let advice = "give an .ffe file of FEKO, an .ffd file of HFSS, or a .cut or .grd file of GRASP";
            return Err(FieldError::new(path, message, advice));
        }
    };
    found.map_err(|error| FieldError::new(path, format!("{}: {error}", case.file), error.advice()))
}
