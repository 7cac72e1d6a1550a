//! Small real matrices.

use num_complex::Complex64;
use phasefront_device::{Op, cpu};

/// A row-major matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    /// Columns of a row.
    pub cols: usize,
    /// Values, row after row.
    pub values: Vec<f64>,
}

impl Matrix {
    /// From a function of row and column.
    pub fn from_fn(rows: usize, cols: usize, value: impl Fn(usize, usize) -> f64) -> Self {
        Self { cols, values: (0..rows * cols).map(|i| value(i / cols, i % cols)).collect() }
    }

    /// The identity.
    pub fn identity(n: usize) -> Self {
        Self::from_fn(n, n, |i, j| f64::from(u8::from(i == j)))
    }

    /// Row `i`.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.cols..(i + 1) * self.cols]
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.values.len() / self.cols
    }

    /// The transpose.
    pub fn transpose(&self) -> Self {
        Self::from_fn(self.cols, self.rows(), |i, j| self.row(j)[i])
    }

    /// The matrix product.
    pub fn times(&self, other: &Self) -> Self {
        Self::from_fn(self.rows(), other.cols, |i, j| {
            self.row(i).iter().enumerate().map(|(k, a)| a * other.row(k)[j]).sum()
        })
    }

    /// X of A X = B, by the complex solver: a real one would take longer to compile than all of this module.
    ///
    /// # Panics
    /// If A is singular.
    pub fn solve(&self, rhs: &Self) -> Self {
        // The solver is column-major: the transpose of a row-major matrix.
        let columns =
            |matrix: &Self| matrix.transpose().values.into_iter().map(Complex64::from).collect::<Vec<_>>();
        let (mut factors, mut x) = (columns(self), columns(rhs));
        let lu = cpu::lu_factor(self.cols, &mut factors).expect("a matrix that is not singular");
        cpu::lu_solve(&lu, Op::None, &factors, &mut x);
        Self::from_fn(self.cols, rhs.cols, |i, j| x[j * self.cols + i].re)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_and_solutions() {
        let a = Matrix { cols: 2, values: vec![0.0, 2.0, 4.0, 1.0] };
        let b = Matrix { cols: 3, values: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0] };
        let product = Matrix { cols: 3, values: vec![8.0, 10.0, 12.0, 8.0, 13.0, 18.0] };
        assert_eq!(a.times(&b), product);
        assert_eq!(a.solve(&product), b);
        assert_eq!(b.transpose().values, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
        assert_eq!(a.times(&Matrix::identity(2)), a);
    }
}
