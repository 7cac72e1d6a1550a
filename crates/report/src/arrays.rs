//! Arrays for NumPy: one NPZ file with named real and complex arrays.

use crate::ReportError;
use ndarray::{ArrayView1, ArrayView2};
use ndarray_npy::{NpzWriter, WritableElement, WriteNpzError};
use num_complex::Complex;
use std::collections::HashSet;
use std::io::Cursor;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime};

/// A member of a ZIP file of this size or more needs the 64-bit form of its header.
const ZIP64_BYTES: usize = u32::MAX as usize;

/// A file of named arrays: one NPZ file, read in Python by `numpy.load("field.npz")["x"]`.
///
/// ```
/// use phasefront_report::{Array, ArrayFile};
///
/// let file = ArrayFile::new("field")
///     .with("x", Array::Real1(vec![0.0, 1.0]))
///     .with("e", Array::Real2 { rows: 1, cols: 2, values: vec![3.0, 4.0] });
/// let bytes = file.to_npz()?;
/// assert_eq!(bytes, file.to_npz()?, "the same arrays give the same bytes");
/// # Ok::<(), phasefront_report::ReportError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ArrayFile {
    /// File stem: `field` becomes `field.npz`.
    pub name: String,
    /// The arrays by name.
    pub arrays: Vec<(String, Array)>,
}

/// A real or complex array; two-dimensional ones are row-major.
#[derive(Debug, Clone, PartialEq)]
pub enum Array {
    /// A real vector: NumPy's `float64`.
    Real1(Vec<f64>),
    /// A real matrix.
    Real2 {
        /// Rows.
        rows: usize,
        /// Columns.
        cols: usize,
        /// Row-major values.
        values: Vec<f64>,
    },
    /// A complex vector: NumPy's `complex128`.
    Complex1(Vec<Complex<f64>>),
    /// A complex matrix.
    Complex2 {
        /// Rows.
        rows: usize,
        /// Columns.
        cols: usize,
        /// Row-major values.
        values: Vec<Complex<f64>>,
    },
}

impl Array {
    fn bytes(&self) -> usize {
        match self {
            Self::Real1(values) | Self::Real2 { values, .. } => size_of_val(&values[..]),
            Self::Complex1(values) | Self::Complex2 { values, .. } => size_of_val(&values[..]),
        }
    }
}

impl ArrayFile {
    /// A file without arrays.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), arrays: Vec::new() }
    }

    /// Adds an array.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, array: Array) -> Self {
        self.arrays.push((name.into(), array));
        self
    }

    /// The bytes of the NPZ file, not compressed. They depend on the arrays and their names alone:
    /// the ZIP time stamps are set to the earliest date of the format.
    pub fn to_npz(&self) -> Result<Vec<u8>, ReportError> {
        let failed = |reason: String| ReportError::Arrays { file: format!("{}.npz", self.name), reason };
        let mut seen = HashSet::new();
        let mut npz = Npz(NpzWriter::new(Cursor::new(Vec::new())));
        for (name, array) in &self.arrays {
            // ZIP would accept both, and NumPy would read only one of them.
            if !seen.insert(name) {
                return Err(failed(format!("it has two arrays named {name}")));
            }
            let header = array.bytes() >= ZIP64_BYTES;
            let written = match array {
                Array::Real1(values) => npz.vector(name, values, header),
                Array::Complex1(values) => npz.vector(name, values, header),
                Array::Real2 { rows, cols, values } => npz.matrix(name, (*rows, *cols), values, header)?,
                Array::Complex2 { rows, cols, values } => npz.matrix(name, (*rows, *cols), values, header)?,
            };
            written.map_err(|e| failed(format!("array {name}: {e}")))?;
        }
        Ok(npz.0.finish().map_err(|e| failed(e.to_string()))?.into_inner())
    }
}

struct Npz(NpzWriter<Cursor<Vec<u8>>>);

impl Npz {
    fn vector<T: WritableElement>(
        &mut self,
        name: &str,
        values: &[T],
        large: bool,
    ) -> Result<(), WriteNpzError> {
        self.0.add_array_with_options(name, &ArrayView1::from(values), options(large))
    }

    fn matrix<T: WritableElement>(
        &mut self,
        name: &str,
        (rows, cols): (usize, usize),
        values: &[T],
        large: bool,
    ) -> Result<Result<(), WriteNpzError>, ReportError> {
        let view = ArrayView2::from_shape((rows, cols), values)
            .ok()
            .filter(|view| view.len() == values.len())
            .ok_or_else(|| ReportError::Shape { array: name.to_owned(), rows, cols, values: values.len() })?;
        Ok(self.0.add_array_with_options(name, &view, options(large)))
    }
}

fn options(large: bool) -> SimpleFileOptions {
    SimpleFileOptions::default()
        // Field data hardly compress; storing them is much faster.
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(DateTime::default())
        .large_file(large)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array1, Array2};
    use ndarray_npy::NpzReader;

    fn field() -> ArrayFile {
        let values: Vec<_> = (0..6).map(|i| Complex::new(f64::from(i), -0.5)).collect();
        ArrayFile::new("field")
            .with("x", Array::Real1(vec![1.0, f64::NAN]))
            .with("m", Array::Real2 { rows: 2, cols: 1, values: vec![5.0, 6.0] })
            .with("c", Array::Complex1(values.clone()))
            .with("e", Array::Complex2 { rows: 2, cols: 3, values })
            .with("none", Array::Real1(Vec::new()))
    }

    #[test]
    fn arrays_read_back() {
        let mut npz = NpzReader::new(Cursor::new(field().to_npz().unwrap())).unwrap();
        let x: Array1<f64> = npz.by_name("x").unwrap();
        assert!(x[0] == 1.0 && x[1].is_nan());
        let e: Array2<Complex<f64>> = npz.by_name("e").unwrap();
        assert_eq!(e.dim(), (2, 3));
        assert_eq!(e[(1, 0)], Complex::new(3.0, -0.5));
        let none: Array1<f64> = npz.by_name("none").unwrap();
        assert_eq!(none.len(), 0);
    }

    #[test]
    fn complex_arrays_are_complex128() {
        let bytes = field().to_npz().unwrap();
        assert!(bytes.windows(5).any(|w| w == b"'<c16"));
    }

    #[test]
    fn a_wrong_shape_or_a_name_used_twice_is_an_error() {
        for (rows, cols) in [(2, 2), (1, 2), (usize::MAX, 2)] {
            let file = ArrayFile::new("f").with("a", Array::Real2 { rows, cols, values: vec![0.0; 3] });
            assert!(matches!(file.to_npz(), Err(ReportError::Shape { values: 3, .. })));
        }
        let twice = ArrayFile::new("f").with("a", Array::Real1(vec![])).with("a", Array::Real1(vec![]));
        assert_eq!(twice.to_npz().unwrap_err().to_string(), "cannot make f.npz: it has two arrays named a");
    }
}
