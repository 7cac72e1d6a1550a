//! HDF5: the files of Acoular, others with one array of samples, and MAT files of version 7.3, which are HDF5 behind a block of 512
//! bytes.

mod array;
mod rate;
mod search;
#[cfg(test)]
mod tests;

use super::recording::{Expected, Recording};
use crate::input::try_collect;
use array::Array;
use search::Library;

/// Name of the samples in files of Acoular.
const ACOULAR: &str = "time_data";
/// Where HDF5 begins in a MAT file of version 7.3.
const MATLAB_BLOCK: usize = 512;

/// Whether a MAT file is of version 7.3, by what it holds or by what it says.
pub(super) fn is_matlab(bytes: &[u8]) -> bool {
    let begins = |at: usize| bytes.get(at..at + 8).is_some_and(hdf5_pure::is_hdf5_bytes);
    begins(0) || begins(MATLAB_BLOCK) || bytes.starts_with(b"MATLAB 7.3")
}

/// Reads the samples of a file: those of the name `variable`, those of Acoular, or the only ones.
pub(super) fn read(bytes: Vec<u8>, expected: &Expected<'_>) -> Result<Recording, String> {
    let library = Library::open(bytes)?;
    let array = match expected.variable {
        Some(name) => library.named(name)?,
        None => match library.file.dataset(ACOULAR) {
            Ok(dataset) => Array::of(ACOULAR.to_owned(), dataset)?,
            Err(_) => library.only()?,
        },
    };
    let number = array.number()?;
    let largest = number.largest.ok_or_else(|| {
        format!(
            "{} has {}; samples are in floating point or signed integers of 8 to 32 bits",
            array.name, number.text
        )
    })?;
    array.check_readable(library.size)?;
    let rate = rate::of(&library, &array)?;
    let raw = array.raw()?;
    // A row for each moment, unless only the rows are as many as there are microphones, or one of several files has one row.
    let [rows, columns] = array.sides;
    let is_row = rows == 1 || rows == expected.microphones;
    let is_transposed = is_row && columns != expected.microphones;
    let (frames, channels) = if is_transposed { (columns, rows) } else { (rows, columns) };
    let scale = expected.full_scale / largest;
    let size = number.kind.size();
    let value = |i: usize| {
        // Rows follow each other if moments do, unless columns are what is stored one after another.
        let index =
            if is_transposed == array.is_by_columns { i } else { i % channels * frames + i / channels };
        (number.kind.value(&raw[index * size..][..size], number.endian) * scale) as f32
    };
    let values = try_collect((0..frames * channels).map(value))?;
    let limit = (!number.is_floating()).then_some((scale * (largest - 1.0)) as f32);
    Ok(Recording { rate, channels, values, limit })
}
