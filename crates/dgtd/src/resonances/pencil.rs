//! Poles of uniformly sampled sums of exponentials: the matrix pencil method in its subspace form (Hua and Sarkar 1990; ESPRIT, Roy and
//! Kailath 1989), for several time series with the same poles.

use faer::Mat;
use faer::linalg::solvers::{DenseSolveCore, SolveLstsq};
use num_complex::Complex64;

/// Singular values below this part of the largest are rounding.
const ROUNDING: f64 = 1e-12;
/// Residual of a fit relative to the largest sample, at least: what the filter lets through of other bands is no less.
const RESIDUAL: f64 = 1e-10;
/// Largest growth e^x of a pole over the samples: there are no such modes.
const GROWTH: f64 = 3.0;

/// A pole z of y_n = Σ a z^n.
#[derive(Debug, Clone)]
pub struct Pole {
    pub z: Complex64,
    /// Standard deviation of ln z, of its real and of its imaginary part, from the residual of the fit (Cramér-Rao bound).
    pub deviation: f64,
    /// a of each time series.
    pub amplitudes: Vec<Complex64>,
    /// Energy of the pole in all time series, over that of the residual.
    pub strength: f64,
}

/// The poles of time series of equal length; none if they are too short or numerically hopeless.
pub fn poles(series: &[Vec<Complex64>]) -> Vec<Pole> {
    let samples = series.first().map_or(0, Vec::len);
    if samples < 8 {
        return Vec::new();
    }
    eigenvalues(series, samples).and_then(|z| amplitudes(series, samples, &z)).unwrap_or_default()
}

/// Columns of the Hankel matrix y_{i+j} lie in the space of the vectors (1, z, z², …), so that a basis U of it without its first row is the
/// one without its last row times a matrix with the eigenvalues z.
fn eigenvalues(series: &[Vec<Complex64>], samples: usize) -> Option<Vec<Complex64>> {
    let rows = 2 * samples / 5 + 1;
    let starts = samples - rows + 1;
    let hankel = Mat::from_fn(rows, starts * series.len(), |i, j| series[j / starts][i + j % starts]);
    let svd = hankel.thin_svd().ok()?;
    let values: Vec<f64> = svd.S().column_vector().iter().map(|value| value.re).collect();
    let order = signal_order(&values, rows, starts * series.len()).min(rows - 1);
    if order == 0 {
        return None;
    }
    let basis = svd.U().subcols(0, order);
    let map = basis.subrows(0, rows - 1).qr().solve_lstsq(basis.subrows(1, rows - 1));
    map.eigenvalues().ok()
}

/// Number of singular values above those of noise: the optimal threshold for unknown noise, a multiple of their median (Gavish and Donoho
/// 2014, eq. 11 with its fit of ω(β)).
fn signal_order(values: &[f64], rows: usize, columns: usize) -> usize {
    let beta = rows.min(columns) as f64 / rows.max(columns) as f64;
    let omega = 0.56 * beta.powi(3) - 0.95 * beta.powi(2) + 1.82 * beta + 1.43;
    let median = values[values.len() / 2];
    let threshold = (omega * median).max(ROUNDING * values[0]);
    values.iter().filter(|&&value| value > threshold).count()
}

/// Amplitudes by least squares, and how well the samples determine each pole.
fn amplitudes(series: &[Vec<Complex64>], samples: usize, z: &[Complex64]) -> Option<Vec<Pole>> {
    let limit = (GROWTH / samples as f64).exp();
    let z: Vec<Complex64> = z.iter().copied().filter(|z| z.norm() < limit && z.norm() > 1e-3).collect();
    if z.is_empty() {
        return None;
    }
    let powers = Mat::from_fn(samples, z.len(), |n, k| z[k].powi(n as i32));
    let right = Mat::from_fn(samples, series.len(), |n, c| series[c][n]);
    let qr = powers.qr();
    let found = qr.solve_lstsq(&right);
    let residual = &right - &powers * &found;
    let freedom = series.len() * samples.saturating_sub(z.len()).max(1);
    let largest = right.norm_max();
    let variance = (residual.squared_norm_l2() / freedom as f64).max((RESIDUAL * largest).powi(2));
    // Derivatives to ln z, n z^n, without what amplitudes can make up for.
    let slopes = Mat::from_fn(samples, z.len(), |n, k| n as f64 * powers[(n, k)]);
    let q = qr.compute_thin_Q();
    let free = &slopes - &q * (q.adjoint() * &slopes);
    let overlap = free.adjoint() * &free;
    let information = Mat::from_fn(z.len(), z.len(), |k, l| {
        let shared: Complex64 = (0..series.len()).map(|c| found[(k, c)].conj() * found[(l, c)]).sum();
        overlap[(k, l)] * shared
    });
    let covariance = information.partial_piv_lu().inverse();
    let pole = |k: usize| {
        let amplitudes: Vec<Complex64> = (0..series.len()).map(|c| found[(k, c)]).collect();
        let power: f64 = amplitudes.iter().map(Complex64::norm_sqr).sum();
        let length: f64 = (0..samples).map(|n| powers[(n, k)].norm_sqr()).sum();
        // Half of the variance of a complex number is that of its real part.
        let deviation = (0.5 * variance * covariance[(k, k)].re.abs()).sqrt();
        let strength = power * length / (variance * series.len() as f64);
        Pole { z: z[k], deviation, amplitudes, strength }
    };
    Some((0..z.len()).map(pole).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn poles_without_noise_are_exact() {
        let z = [Complex64::new(0.2, 0.9), Complex64::new(0.22, 0.9), Complex64::new(-0.5, 0.1)];
        let one = |a: [f64; 3]| -> Vec<Complex64> {
            (0..60).map(|n| a.iter().zip(z).map(|(a, z)| *a * z.powi(n)).sum()).collect()
        };
        let found = poles(&[one([1.0, 0.5, 3.0]), one([0.3, -1.0, 0.0])]);
        for (k, z) in z.iter().enumerate() {
            let pole = found.iter().min_by(|a, b| (a.z - z).norm().total_cmp(&(b.z - z).norm())).unwrap();
            assert!((pole.z - z).norm() < 1e-8, "{found:?}");
            assert!((pole.amplitudes[0] - [1.0, 0.5, 3.0][k]).norm() < 1e-5, "{found:?}");
        }
    }

    #[test]
    fn silence_has_no_poles() {
        assert!(poles(&[vec![Complex64::ZERO; 40]]).is_empty());
        assert!(poles(&[]).is_empty());
    }
}
