//! Input files of a case, and errors of lists read from them.

use num_complex::Complex64;
use phasefront_case::model::{ComplexNumber, MeshUnits};
use phasefront_core::units::bytes_text;
use phasefront_core::{FieldError, Progress};
use phasefront_mesh::Units;
use sha2::{Digest, Sha256};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Maximum size of an input file: a mesh of ten million tetrahedra.
const MAX_BYTES: u64 = 1 << 30;

/// The folder of the files that a case names, and the digests of those that were read from it.
pub(crate) struct InputFolder {
    path: PathBuf,
    /// Who waits for what is read or made of it.
    pub progress: Progress,
    digests: RefCell<BTreeMap<String, String>>,
}

impl InputFolder {
    /// None is read so far.
    pub(crate) fn new(path: &Path) -> Self {
        Self::watched(path, &Progress::silent())
    }

    /// As [`InputFolder::new`], where somebody waits, and may want to wait no longer.
    pub(crate) fn watched(path: &Path, progress: &Progress) -> Self {
        Self { path: path.to_owned(), progress: progress.clone(), digests: RefCell::default() }
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The SHA-256 of each file that was read, by its name in the case.
    pub(crate) fn digests(&self) -> BTreeMap<String, String> {
        self.digests.borrow().clone()
    }

    /// Counts what was made from the case as a file that it names.
    pub(crate) fn add(&self, name: &str, bytes: &[u8]) {
        self.digests.borrow_mut().insert(name.to_owned(), digest(bytes));
    }

    /// The SHA-256 of a file as it is now; none if it cannot be read.
    pub(crate) fn digest(&self, file: &str) -> Option<String> {
        read_limited(&self.path.join(file), MAX_BYTES).ok().map(|bytes| digest(&bytes))
    }
}

/// The text of a file that the key at `path` names, from the folder of the case.
pub(crate) fn read_text(folder: &InputFolder, file: &str, path: &str) -> Result<String, FieldError> {
    String::from_utf8(read_bytes(folder, file, path)?).map_err(|_| {
        FieldError::new(path, format!("{file} is not a text file"), "give a file of text in UTF-8")
    })
}

/// The bytes of a file that the key at `path` names, from the folder of the case.
pub(crate) fn read_bytes(folder: &InputFolder, file: &str, path: &str) -> Result<Vec<u8>, FieldError> {
    let full = folder.path.join(file);
    let wrong = |message: String, advice: &str| Err(FieldError::new(path, message, advice));
    match std::fs::metadata(&full) {
        Err(error) => wrong(
            format!("{} cannot be read: {error}", full.display()),
            "give its path relative to the case file",
        ),
        // Devices and pipes have no size and may never end.
        Ok(found) if !found.is_file() => wrong(format!("{} is not a file", full.display()), "name a file"),
        Ok(found) if found.len() > MAX_BYTES => wrong(
            format!(
                "{file} has {}, and files are read up to {}",
                bytes_text(found.len()),
                bytes_text(MAX_BYTES)
            ),
            "thin it out",
        ),
        Ok(_) => {
            // The length was read before: a file that grows is cut there, and its parser tells.
            let bytes = read_limited(&full, MAX_BYTES).or_else(|error| {
                wrong(format!("{} cannot be read: {error}", full.display()), "check its permissions")
            })?;
            // Of the bytes that were parsed, not of a second read: the file may change in between.
            folder.add(file, &bytes);
            Ok(bytes)
        }
    }
}

/// The first bytes of a file, at most `limit`. A size that memory cannot hold is an error.
pub(crate) fn read_limited(path: &Path, limit: u64) -> std::io::Result<Vec<u8>> {
    let file = std::fs::File::open(path)?;
    let length = file.metadata()?.len().min(limit);
    let mut bytes = Vec::new();
    // One byte more, so that the end is found without growing.
    bytes.try_reserve_exact(usize::try_from(length).unwrap_or(usize::MAX).saturating_add(1))?;
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Collects what an iterator counts. A size that memory cannot hold is an error, not the end of the process.
pub(crate) fn try_collect<T>(items: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>, String> {
    let mut list = Vec::new();
    let count = items.len();
    list.try_reserve_exact(count).map_err(|_| {
        format!("there is no memory for its {count} values, {}", bytes_text((count * size_of::<T>()) as u64))
    })?;
    list.extend(items);
    Ok(list)
}

/// SHA-256 as text.
pub(crate) fn digest(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// A digest as text.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A number with a decimal point, or with a decimal comma where another character separates cells; not with both, of which one would separate
/// thousands.
pub(crate) fn decimal(cell: &str) -> Option<f64> {
    let has_comma = cell.contains(',') && !cell.contains('.');
    if has_comma { cell.replacen(',', ".", 1).parse().ok() } else { cell.parse().ok() }
}

/// The decimal signs that a table has had so far.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct DecimalSigns {
    point: bool,
    comma: bool,
}

impl DecimalSigns {
    /// Refuses text with the other sign than the text before it: one of them separates thousands, in numbers a thousand times too small.
    pub(crate) fn check(&mut self, text: &str, line: usize) -> Result<(), String> {
        self.point |= text.contains('.');
        self.comma |= text.contains(',');
        if self.point && self.comma {
            return Err(format!("line {line}: decimal points and decimal commas are mixed"));
        }
        Ok(())
    }
}

/// The rows of the named columns of a CSV file of finite numbers, in the order of the names. Columns are separated by commas, or by semicolons
/// or tabs, and then numbers may have decimal commas.
pub(crate) fn columns<const N: usize>(text: &str, names: [&str; N]) -> Result<Vec<[f64; N]>, String> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let first = lines.next().map(|(_, line)| line).unwrap_or_default();
    let separator = [';', '\t'].into_iter().find(|separator| first.contains(*separator)).unwrap_or(',');
    let header: Vec<&str> = first.split(separator).map(str::trim).collect();
    let mut columns = [0; N];
    for (column, name) in columns.iter_mut().zip(names) {
        // Spreadsheet programs write a byte-order mark before the first column name.
        let found = header.iter().position(|title| title.trim_start_matches('\u{feff}') == name);
        *column = found.ok_or_else(|| format!("its first line has no column {name}"))?;
    }
    let mut signs = DecimalSigns::default();
    let mut rows = Vec::new();
    let bytes = lines.clone().count().saturating_mul(size_of::<[f64; N]>());
    rows.try_reserve_exact(bytes / size_of::<[f64; N]>().max(1))
        .map_err(|_| format!("there is no memory for its numbers, {}", bytes_text(bytes as u64)))?;
    for (index, line) in lines {
        let cells: Vec<&str> = line.split(separator).map(str::trim).collect();
        let mut row = [0.0; N];
        for ((value, column), name) in row.iter_mut().zip(columns).zip(names) {
            let cell = cells.get(column).copied().unwrap_or("");
            *value = decimal(cell).filter(|value| value.is_finite()).ok_or_else(|| {
                format!("line {}: {name} is {cell:?}, which is not a finite number", index + 1)
            })?;
            signs.check(cell, index + 1)?;
        }
        rows.push(row);
    }
    Ok(rows)
}

/// The unit of a mesh's coordinates.
pub(crate) fn units(units: MeshUnits) -> Units {
    match units {
        MeshUnits::Um => Units::Micrometers,
        MeshUnits::Mm => Units::Millimeters,
        MeshUnits::Cm => Units::Centimeters,
        MeshUnits::M => Units::Meters,
        MeshUnits::In => Units::Inches,
        MeshUnits::Ft => Units::Feet,
    }
}

/// A complex constant of a material.
pub(crate) fn complex(value: ComplexNumber) -> Complex64 {
    Complex64::new(value.re, value.im)
}

/// Maps an error of item i of the solver's `list` to the item of the case it comes from: a file may
/// contain several.
pub(crate) fn blame_owner(mut error: FieldError, list: &str, owners: &[usize]) -> FieldError {
    if let Some(rest) = error.path.strip_prefix(list).and_then(|rest| rest.strip_prefix('['))
        && let Some((index, tail)) = rest.split_once(']')
        && let Some(owner) = index.parse::<usize>().ok().and_then(|i| owners.get(i))
    {
        error.path = format!("{list}[{owner}]{tail}");
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_may_have_decimal_commas() {
        let read = |text: &str| columns(text, ["x_m", "y_m"]);
        let expected = vec![[0.5, -1.25], [2.0, 3e-3]];
        for text in [
            "x_m,y_m\n0.5,-1.25\n2,3e-3",
            "y_m;n;x_m\n-1,25;7;0,5\n3e-3;8;2,0\n",
            "x_m\ty_m\n0,5\t-1,25\n2\t0,003",
        ] {
            assert_eq!(read(text).unwrap(), expected, "{text:?}");
        }
        assert_eq!(
            read("x_m;y_m\n1.000,5;2\n").unwrap_err(),
            "line 2: x_m is \"1.000,5\", which is not a finite number"
        );
        assert_eq!(
            read("x_m;y_m\n1,234;2\n0.5;1\n").unwrap_err(),
            "line 3: decimal points and decimal commas are mixed"
        );
    }

    #[test]
    fn errors_go_back_to_the_item_of_the_case() {
        let owners = [0, 1, 1, 1, 2];
        let blamed =
            |path: &str| blame_owner(FieldError::new(path, "x", "y"), "geometry.bodies", &owners).path;
        assert_eq!(blamed("geometry.bodies[3].cells"), "geometry.bodies[1].cells");
        assert_eq!(blamed("geometry.bodies[4]"), "geometry.bodies[2]");
        assert_eq!(blamed("solve.cells"), "solve.cells");
    }
}
