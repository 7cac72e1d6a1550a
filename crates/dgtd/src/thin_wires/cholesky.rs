//! The Cholesky factorization of a real symmetric matrix.

use crate::reference::Matrix;

/// L of A = L Lᵀ.
pub struct Cholesky(Matrix);

impl Cholesky {
    /// None if the matrix is not positive definite.
    pub fn new(a: &Matrix) -> Option<Self> {
        let n = a.cols;
        let mut l = Matrix::from_fn(n, n, |_, _| 0.0);
        for i in 0..n {
            for j in 0..=i {
                let sum: f64 = l.row(i)[..j].iter().zip(l.row(j)).map(|(a, b)| a * b).sum();
                let rest = a.row(i)[j] - sum;
                if i == j && !(rest > 0.0) {
                    return None;
                }
                l.values[i * n + j] = if i == j { rest.sqrt() } else { rest / l.values[j * n + j] };
            }
        }
        Some(Self(l))
    }

    /// A⁻¹.
    pub fn inverse(&self) -> Matrix {
        let (l, n) = (&self.0, self.0.cols);
        // The columns of L⁻¹ as rows.
        let mut columns = Matrix::from_fn(n, n, |i, j| f64::from(u8::from(i == j)));
        for column in columns.values.chunks_mut(n) {
            for i in 0..n {
                let sum: f64 = l.row(i)[..i].iter().zip(&*column).map(|(a, b)| a * b).sum();
                column[i] = (column[i] - sum) / l.row(i)[i];
            }
        }
        // A⁻¹ = L⁻ᵀ L⁻¹.
        Matrix::from_fn(n, n, |i, j| columns.row(i).iter().zip(columns.row(j)).map(|(a, b)| a * b).sum())
    }
}
