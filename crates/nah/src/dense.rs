//! Small dense complex matrices: products, and the Cholesky factorization of Hermitian positive definite ones.

use num_complex::Complex64;
use rayon::prelude::*;

/// A matrix, stored row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    pub columns: usize,
    pub values: Vec<Complex64>,
}

impl Matrix {
    /// From a function of row and column.
    pub fn from_fn(rows: usize, columns: usize, value: impl Fn(usize, usize) -> Complex64 + Sync) -> Self {
        let entry = |i: usize| value(i / columns, i % columns);
        Self { columns, values: (0..rows * columns).into_par_iter().map(entry).collect() }
    }

    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[Complex64]> {
        self.values.chunks_exact(self.columns)
    }

    pub fn row(&self, i: usize) -> &[Complex64] {
        &self.values[i * self.columns..][..self.columns]
    }

    /// Adds row `i` of A Aᴴ to a row of as many values.
    pub fn add_products(&self, i: usize, row: &mut [Complex64]) {
        let own = self.row(i);
        row.iter_mut().zip(self.rows()).for_each(|(sum, other)| *sum += dot(other, own));
    }

    /// A Bᴴ.
    pub fn times_adjoint(&self, other: &Self) -> Self {
        // Both factors by rows: dot products of contiguous memory.
        let rows = |row: &[Complex64]| other.rows().map(|b| dot(b, row)).collect::<Vec<Complex64>>();
        let values = self.values.par_chunks_exact(self.columns).flat_map_iter(rows).collect();
        Self { columns: other.rows().len(), values }
    }
}

/// Σ a* b.
fn dot(a: &[Complex64], b: &[Complex64]) -> Complex64 {
    let (mut re, mut im) = (0.0, 0.0);
    for (a, b) in a.iter().zip(b) {
        re += a.re * b.re + a.im * b.im;
        im += a.re * b.im - a.im * b.re;
    }
    Complex64::new(re, im)
}

/// The Cholesky factor L of A + λI = L Lᴴ.
pub struct Factor {
    lower: Matrix,
}

impl Factor {
    /// None if A + λI is not positive definite.
    pub fn new(matrix: &Matrix, weight: f64) -> Option<Self> {
        let n = matrix.columns;
        let mut lower = matrix.clone();
        for j in 0..n {
            // L_jj = √(a_jj − Σ|L_jk|²), L_ij = (a_ij − Σ L_ik L_jk*)/L_jj.
            let (above, below) = lower.values.split_at_mut((j + 1) * n);
            let pivot = &mut above[j * n..];
            let diagonal = pivot[j].re + weight - dot(&pivot[..j], &pivot[..j]).re;
            if diagonal <= 0.0 || diagonal.is_nan() {
                return None;
            }
            let size = diagonal.sqrt();
            pivot[j] = Complex64::new(size, 0.0);
            // L_ij of the rows below are independent of each other: in parallel.
            let pivot = &pivot[..j];
            below.par_chunks_exact_mut(n).with_min_len(16).for_each(|row| {
                row[j] = (row[j] - dot(pivot, &row[..j])) / size;
            });
        }
        Some(Self { lower })
    }

    /// Solves (A + λI) x = b in place.
    pub fn solve(&self, x: &mut [Complex64]) {
        let n = self.lower.columns;
        self.forward(x, 0);
        // Lᴴ x = y, column by column, so that L is read along its rows, contiguously.
        for i in (0..n).rev() {
            let (rest, row) = (x[i] / self.lower.row(i)[i].re, self.lower.row(i));
            x[i] = rest;
            for (x, l) in x[..i].iter_mut().zip(row) {
                *x -= l.conj() * rest;
            }
        }
    }

    /// Solves L y = b in place, where b is zero before `first`.
    fn forward(&self, x: &mut [Complex64], first: usize) {
        for i in first..self.lower.columns {
            let row = self.lower.row(i);
            // Zeros before `first` are skipped: L⁻¹ is lower triangular.
            let sum: Complex64 = row[first..i].iter().zip(&x[first..i]).map(|(l, x)| l * x).sum();
            x[i] = (x[i] - sum) / row[i].re;
        }
    }

    /// ln det(A + λI) = 2 Σ ln L_ii.
    pub fn log_determinant(&self) -> f64 {
        2.0 * (0..self.lower.columns).map(|i| self.lower.row(i)[i].re.ln()).sum::<f64>()
    }

    /// The quadratic form bᴴ(A + λI)⁻¹b = |L⁻¹b|².
    pub fn quadratic(&self, b: &[Complex64]) -> f64 {
        let mut x = b.to_vec();
        self.forward(&mut x, 0);
        x.iter().map(Complex64::norm_sqr).sum()
    }

    /// The trace of (A + λI)⁻¹.
    pub fn inverse_trace(&self) -> f64 {
        self.inverse_diagonal().iter().sum()
    }

    /// The diagonal of (A + λI)⁻¹, Σ|L⁻¹|² over each column.
    pub fn inverse_diagonal(&self) -> Vec<f64> {
        let n = self.lower.columns;
        let column = |j: usize| {
            let mut x = vec![Complex64::ZERO; n];
            x[j] = Complex64::ONE;
            self.forward(&mut x, j);
            x.iter().map(Complex64::norm_sqr).sum::<f64>()
        };
        (0..n).into_par_iter().map(column).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A positive definite matrix and its factor.
    #[test]
    fn factors_solve_their_equations() {
        let n = 7;
        let g = Matrix::from_fn(n, 9, |i, j| Complex64::from_polar(1.0 + i as f64, (i * j * j) as f64));
        let product = g.times_adjoint(&g);
        let factor = Factor::new(&product, 0.5).unwrap();
        let exact: Vec<Complex64> = (0..n).map(|i| Complex64::new(i as f64, 1.0 - i as f64)).collect();
        let times = |x: &[Complex64]| -> Vec<Complex64> {
            let row = |(i, row): (usize, &[Complex64])| {
                row.iter().zip(x).map(|(a, x)| a * x).sum::<Complex64>() + 0.5 * x[i]
            };
            product.rows().enumerate().map(row).collect()
        };
        let mut x = times(&exact);
        factor.solve(&mut x);
        for (x, exact) in x.iter().zip(&exact) {
            assert!((x - exact).norm() < 1e-9, "{x} {exact}");
        }
        let unit = |j: usize| {
            let mut x = vec![Complex64::ZERO; n];
            x[j] = Complex64::ONE;
            factor.solve(&mut x);
            x[j].re
        };
        let trace: f64 = (0..n).map(unit).sum();
        assert!((factor.inverse_trace() - trace).abs() < 1e-12 * trace);
        // bᴴ A⁻¹ b, and det A by its ratio to that of a diagonal matrix of three.
        let b: Vec<Complex64> = times(&exact);
        let form: Complex64 = b.iter().zip(&exact).map(|(b, x)| b.conj() * x).sum();
        assert!((factor.quadratic(&b) - form.re).abs() < 1e-9 * form.re);
        let diagonal = Matrix::from_fn(3, 3, |i, j| Complex64::from(if i == j { i as f64 } else { 0.0 }));
        let found = Factor::new(&diagonal, 1.0).unwrap().log_determinant();
        assert!((found - 6_f64.ln()).abs() < 1e-12, "{found}");
        assert!(Factor::new(&product, -1e6).is_none());
    }
}
