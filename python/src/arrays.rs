//! Conversion of NumPy arrays. The Python side of the package has made them contiguous and checked
//! their shapes.

use numpy::{Element, PyArrayDyn, PyReadonlyArrayDyn, prelude::*};
use pyo3::prelude::*;

/// The rows of an array, `N` numbers each.
pub fn rows<T: Element + Copy, const N: usize>(array: &PyReadonlyArrayDyn<'_, T>) -> PyResult<Vec<[T; N]>> {
    Ok(array.as_slice()?.as_chunks::<N>().0.to_vec())
}

/// Values as an array of a shape.
pub fn shaped<'py, T: Element>(
    py: Python<'py>,
    values: Vec<T>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    numpy::PyArray1::from_vec(py, values).reshape(shape)
}
