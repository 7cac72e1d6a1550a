//! All arrays and tables of a run in one HDF5 file, for h5py, xarray, MATLAB and Julia.
//!
//! `/NAME/ARRAY` corresponds to an array of `NAME.npz`, `/tables/NAME/COLUMN` to a column of
//! `NAME.csv`. A complex number is a compound of `r` and `i`, which h5py reads as complex.

use crate::table::Values;
use crate::{Array, ArrayFile, ReportError, Table};
use hdf5_pure::{AttrValue, CompoundTypeBuilder, Datatype, FileBuilder, GroupBuilder};
use num_complex::Complex;

/// Name of the file.
pub const HDF5_FILE: &str = "data.h5";

/// The bytes of the file: arrays with what they are, tables with what they are.
///
/// ```
/// use phasefront_report::{Array, ArrayFile, to_hdf5};
/// let field = ArrayFile::new("field").with("x", Array::Real1(vec![0.0, 1.0]));
/// let bytes = to_hdf5(&[(field, "the field")], &[])?;
/// assert_eq!(&bytes[1..4], b"HDF");
/// # Ok::<(), phasefront_report::ReportError>(())
/// ```
pub fn to_hdf5(
    arrays: &[(ArrayFile, &'static str)],
    tables: &[(Table, &'static str)],
) -> Result<Vec<u8>, ReportError> {
    let failed = |reason: String| ReportError::Arrays { file: HDF5_FILE.to_owned(), reason };
    let complex = CompoundTypeBuilder::new()
        .f64_field("r")
        .f64_field("i")
        .build()
        .map_err(|error| failed(error.to_string()))?;
    let mut file = FileBuilder::new();
    file.set_attr("software", text(concat!("phasefront ", env!("CARGO_PKG_VERSION"))));
    for (arrays, what) in arrays {
        let mut group = file.create_group(&arrays.name);
        group.set_attr("what", text(what));
        for (name, array) in &arrays.arrays {
            add_array(&mut group, name, array, &complex)?;
        }
        file.add_group(group.finish());
    }
    let mut all = file.create_group("tables");
    for (table, what) in tables {
        table.validate()?;
        let mut group = all.create_group(&table.name);
        group.set_attr("what", text(what));
        for column in &table.columns {
            add_column(&mut group, &column.name, &column.values);
        }
        all.add_group(group.finish());
    }
    file.add_group(all.finish());
    file.finish().map_err(|error| failed(error.to_string()))
}

fn text(value: &str) -> AttrValue {
    AttrValue::VarLenString(value.to_owned())
}

fn add_array(
    group: &mut GroupBuilder,
    name: &str,
    array: &Array,
    complex: &Datatype,
) -> Result<(), ReportError> {
    let shape = match array {
        Array::Real1(values) => vec![values.len()],
        Array::Complex1(values) => vec![values.len()],
        Array::Real2 { rows, cols, .. } | Array::Complex2 { rows, cols, .. } => vec![*rows, *cols],
    };
    let held = match array {
        Array::Real1(values) | Array::Real2 { values, .. } => values.len(),
        Array::Complex1(values) | Array::Complex2 { values, .. } => values.len(),
    };
    if shape.iter().try_fold(1_usize, |all, side| all.checked_mul(*side)) != Some(held) {
        let (rows, cols) = (shape[0], shape.get(1).copied().unwrap_or(1));
        return Err(ReportError::Shape { array: name.to_owned(), rows, cols, values: held });
    }
    let shape: Vec<u64> = shape.into_iter().map(|side| side as u64).collect();
    let dataset = group.create_dataset(name);
    match array {
        Array::Real1(values) | Array::Real2 { values, .. } => dataset.with_f64_data(values),
        Array::Complex1(values) | Array::Complex2 { values, .. } => {
            dataset.with_compound_data(complex.clone(), little_endian(values), held as u64)
        }
    };
    dataset.with_shape(&shape);
    Ok(())
}

fn little_endian(values: &[Complex<f64>]) -> Vec<u8> {
    values.iter().flat_map(|value| [value.re, value.im]).flat_map(f64::to_le_bytes).collect()
}

fn add_column(group: &mut GroupBuilder, name: &str, values: &Values) {
    let dataset = group.create_dataset(name);
    match values {
        Values::Number(values) => dataset.with_f64_data(values),
        // HDF5 has no empty cells: NaN stands for them.
        Values::Sparse(values) => {
            dataset.with_f64_data(&values.iter().map(|value| value.unwrap_or(f64::NAN)).collect::<Vec<_>>())
        }
        Values::Integer(values) => dataset.with_i64_data(values),
        Values::Text(values) => {
            dataset.with_vlen_strings(&values.iter().map(String::as_str).collect::<Vec<_>>())
        }
    };
}
