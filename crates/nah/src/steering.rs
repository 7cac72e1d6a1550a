//! Steering vectors: the pressure a_i = e^{−jkr_i}/r_i at the microphones of a monopole p = e^{−jkr}/r
//! at each point of a focus plane, and what they make of a matrix of cross-spectra.
//!
//! The power |A|² of a monopole that fits a matrix S best is that of the least ‖S − |A|² aaᴴ‖ in
//! Frobenius' norm, |A|² = aᴴSa/‖aaᴴ‖², with ‖aaᴴ‖ = |a|². That is formulation III of E. Sarradj
//! (*Adv. Acoust. Vib.* 2012, 292695): of the four in use it has the level of the source
//! right, here in Pa² m². What is left of ‖S‖² is least where aᴴSa/‖aaᴴ‖ is largest, which is his
//! formulation IV: it is largest exactly at the source (Cauchy and Schwarz), and is what peaks are
//! looked for in. The same holds without the diagonal, with ‖aaᴴ‖² = Σ_{i≠j} |a_i|²|a_j|².

use crate::dense::Matrix;
use crate::grid::Grid;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};
use num_complex::Complex64;
use rayon::prelude::*;

/// Points whose quadratic forms are computed together, as a product of matrices.
const BLOCK: usize = 128;

/// What is done with the diagonal of the cross-spectra, the power at each microphone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Diagonal {
    /// Noise of the microphones themselves is incoherent and stands on the diagonal only: leave it
    /// out.
    #[default]
    Removed,
    /// Where the microphones have no noise of their own, nothing need be left out.
    Kept,
}

/// The steering vectors of a focus plane.
pub struct Steering {
    /// a at each point, by rows.
    vectors: Matrix,
}

impl Steering {
    /// Microphones in the plane z = 0, points in the plane z = −`distance`.
    pub fn new(microphones: &[[f64; 2]], focus: &Grid, distance: f64, k: f64) -> Self {
        let row = |point: usize| {
            let [x, y] = focus.position(point);
            microphones.iter().map(move |[a, b]| {
                let r = ((x - a).powi(2) + (y - b).powi(2) + distance.powi(2)).sqrt();
                Complex64::from_polar(1.0 / r, -k * r)
            })
        };
        let values = (0..focus.len()).into_par_iter().flat_map_iter(row).collect();
        Self { vectors: Matrix { columns: microphones.len(), values } }
    }

    /// Number of microphones.
    pub fn channels(&self) -> usize {
        self.vectors.columns
    }

    /// a at a point.
    pub fn at(&self, point: usize) -> &[Complex64] {
        self.vectors.row(point)
    }

    /// ‖aaᴴ‖ at each point, with or without the diagonal.
    pub fn norms(&self, diagonal: Diagonal) -> Vec<f64> {
        let norm = |a: &[Complex64]| {
            let sum: f64 = a.iter().map(Complex64::norm_sqr).sum();
            match diagonal {
                Diagonal::Kept => sum,
                Diagonal::Removed => {
                    a.iter().map(|a| a.norm_sqr() * (sum - a.norm_sqr())).sum::<f64>().sqrt()
                }
            }
        };
        self.vectors.rows().map(norm).collect()
    }

    /// |A|² = aᴴSa/‖aaᴴ‖² at each point.
    pub fn powers(&self, matrix: &Matrix, norms: &[f64]) -> Vec<f64> {
        self.forms(matrix).iter().zip(norms).map(|(form, norm)| form / (norm * norm)).collect()
    }

    /// aᴴSa of a Hermitian matrix at each point.
    pub fn forms(&self, matrix: &Matrix) -> Vec<f64> {
        let n = self.channels();
        let matrix = MatRef::from_row_major_slice(&matrix.values, n, n);
        // Sa of many points at a time is a product of matrices: several times faster than one by one.
        let block = |vectors: &[Complex64]| {
            let points = vectors.len() / n;
            let mut product = Mat::<Complex64>::zeros(n, points);
            let columns = MatRef::from_column_major_slice(vectors, n, points);
            matmul(product.as_mut(), Accum::Replace, matrix, columns, Complex64::ONE, Par::Seq);
            let form = |(i, a): (usize, &[Complex64])| {
                a.iter().zip(product.col(i).iter()).map(|(a, y)| a.re * y.re + a.im * y.im).sum::<f64>()
            };
            vectors.chunks_exact(n).enumerate().map(form).collect::<Vec<f64>>()
        };
        self.vectors.values.par_chunks(BLOCK * n).flat_map_iter(block).collect()
    }

    /// aᴴ(hhᴴ − H)a at each point, with H the diagonal of hhᴴ where that is left out and 0 else.
    pub fn forms_of_vector(&self, h: &[Complex64], diagonal: Diagonal) -> Vec<f64> {
        let (n, points) = (self.channels(), self.vectors.rows().len());
        let vectors = MatRef::from_row_major_slice(&self.vectors.values, points, n).conjugate();
        let mut products = Mat::<Complex64>::zeros(points, 1);
        let column = MatRef::from_column_major_slice(h, n, 1);
        matmul(products.as_mut(), Accum::Replace, vectors, column, Complex64::ONE, Par::Seq);
        let squares = products.col(0).iter().map(Complex64::norm_sqr);
        if diagonal == Diagonal::Kept {
            return squares.collect();
        }
        let own: Vec<f64> = h.iter().map(Complex64::norm_sqr).collect();
        let of = |a: &[Complex64]| a.iter().zip(&own).map(|(a, own)| a.norm_sqr() * own).sum::<f64>();
        squares.zip(self.vectors.rows()).map(|(square, a)| square - of(a)).collect()
    }
}
