//! Averaged cross-spectra of the microphones (P. D. Welch, *IEEE Trans. Audio Electroacoust.* 15 (1967) 70): the mean of p_i p_j* over
//! windows, which holds all that is known of a stationary sound, whatever the phases of its sources.

use crate::dense::Matrix;
use faer::{Mat, Side};
use num_complex::Complex64;
use phasefront_core::FieldError;
use rayon::prelude::*;
use std::f64::consts::PI;

/// Windows that are added at a time: a matrix of many microphones does not fit into the cache, and is read and written once for all of them.
const BATCH: usize = 64;
/// Angles at which the spectrum of correlations is sampled, at least.
const ANGLES: usize = 256;
/// Microphones with fewer pairs than that are not worth other threads.
const MIN_ROWS: usize = 32;

/// The averaged cross-spectra of all pairs of channels at one frequency.
#[derive(Debug, Clone, PartialEq)]
pub struct CrossSpectrum {
    /// Hz.
    pub frequency: f64,
    /// Number of channels.
    pub channels: usize,
    /// The mean of p_i p_j* over the windows, of amplitudes, Pa²: row by row.
    pub values: Vec<Complex64>,
    /// The windows.
    pub windows: Windows,
}

/// Windows of a recording that may overlap.
#[derive(Debug, Clone, PartialEq)]
pub struct Windows {
    /// How many.
    pub count: usize,
    /// Correlation of white noise in one window with that in the next, in the one after it, and so on; zero from the end of the list on.
    pub correlations: Vec<f64>,
}

impl Windows {
    /// So many windows of this form, each a hop after the one before.
    pub fn new(count: usize, window: &[f64], hop: usize) -> Self {
        let product = |lag: usize| -> f64 { window.iter().zip(&window[lag..]).map(|(a, b)| a * b).sum() };
        let lags = (1..count).map(|l| l * hop).take_while(|lag| *lag < window.len());
        let correlations = lags.map(|lag| product(lag) / product(0)).collect();
        Self { count, correlations }
    }

    /// The eigenvalues of the matrix of correlations of many windows, 1 + 2 Σ ρ_l cos lφ at evenly spaced angles.
    pub(crate) fn spectrum(&self) -> Vec<f64> {
        let angles = ANGLES.max(4 * self.correlations.len());
        let eigenvalue = |i: usize| {
            let angle = PI * (i as f64 + 0.5) / angles as f64;
            let terms = self.correlations.iter().enumerate();
            1.0 + 2.0 * terms.map(|(l, rho)| rho * ((l + 1) as f64 * angle).cos()).sum::<f64>()
        };
        (0..angles).map(|i| eigenvalue(i).max(0.0)).collect()
    }

    /// How many independent windows have an average of as small a variance: n/(1 + 2 Σ (1 − l/n) ρ_l²) (Welch 1967, eq. 12).
    pub fn independent(&self) -> f64 {
        let n = self.count.max(1) as f64;
        let overlaps = self.correlations.iter().enumerate();
        let sum: f64 = overlaps.map(|(l, rho)| (1.0 - (l + 1) as f64 / n) * rho * rho).sum();
        n / (1.0 + 2.0 * sum)
    }
}

impl CrossSpectrum {
    /// The cross-spectrum of two channels, the mean of p_i p_j*.
    pub fn at(&self, i: usize, j: usize) -> Complex64 {
        self.values[i * self.channels + j]
    }

    /// The cross-spectra of some of the channels.
    #[must_use]
    pub fn of(&self, some: &[usize]) -> Self {
        let values = some.iter().flat_map(|i| some.iter().map(|j| self.at(*i, *j))).collect();
        Self { channels: some.len(), values, frequency: self.frequency, windows: self.windows.clone() }
    }

    /// The power at all channels together, Σ|p_i|².
    pub fn trace(&self) -> f64 {
        (0..self.channels).map(|i| self.at(i, i).re).sum()
    }

    /// Each channel times a real factor.
    #[must_use]
    pub fn scaled(&self, factors: &[f64]) -> Self {
        let pairs = factors.iter().flat_map(|a| factors.iter().map(move |b| a * b));
        let values = self.values.iter().zip(pairs).map(|(value, factor)| value * factor).collect();
        Self { channels: self.channels, values, frequency: self.frequency, windows: self.windows.clone() }
    }

    /// Eigenvalues, falling, with their vectors of unit norm; an error where the matrix is not finite.
    pub fn eigen(&self) -> Result<Vec<(f64, Vec<Complex64>)>, FieldError> {
        let n = self.channels;
        let matrix = Mat::from_fn(n, n, |i, j| self.at(i, j));
        let found = matrix.self_adjoint_eigen(Side::Lower).map_err(|_| {
            let message = format!("the cross-spectra at {} Hz have no eigenvalues", self.frequency);
            FieldError::new("source", message, "check the levels and the scale of the recording")
        })?;
        let (values, vectors) = (found.S().column_vector(), found.U());
        let pair = |k: usize| (values[k].re, (0..n).map(|i| vectors[(i, k)]).collect());
        Ok((0..n).rev().map(pair).collect())
    }
}

/// Sums the cross-spectra of one frequency window by window.
pub struct CrossSpectrumSum {
    channels: usize,
    sum: Vec<Complex64>,
    /// The last windows, channel by channel.
    batch: Vec<Vec<Complex64>>,
    count: usize,
}

impl CrossSpectrumSum {
    /// Of no window.
    pub fn new(channels: usize) -> Self {
        let sum = vec![Complex64::ZERO; channels * channels];
        Self { channels, sum, batch: vec![Vec::with_capacity(BATCH); channels], count: 0 }
    }

    /// Adds the phasors of a window at all channels.
    pub fn add(&mut self, phasors: &[Complex64]) {
        self.batch.iter_mut().zip(phasors).for_each(|(channel, p)| channel.push(*p));
        self.count += 1;
        if self.count.is_multiple_of(BATCH) {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let columns = self.batch.first().map_or(0, Vec::len);
        if columns == 0 {
            return;
        }
        let batch = Matrix { columns, values: self.batch.concat() };
        let rows = self.sum.par_chunks_exact_mut(self.channels).with_min_len(MIN_ROWS);
        rows.enumerate().for_each(|(i, row)| batch.add_products(i, row));
        self.batch.iter_mut().for_each(Vec::clear);
    }

    /// The mean over the windows, with their [`Windows::correlations`].
    pub fn mean(mut self, frequency: f64, correlations: &[f64]) -> CrossSpectrum {
        self.flush();
        let scale = 1.0 / self.count.max(1) as f64;
        let values = self.sum.into_iter().map(|sum| scale * sum).collect();
        let windows = Windows { count: self.count, correlations: correlations.to_vec() };
        CrossSpectrum { frequency, channels: self.channels, values, windows }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::Noise;
    use crate::spectral::hann;

    /// Two windows by hand, many by their definition, and eigenvectors that make the matrix again.
    #[test]
    fn means_of_products() {
        let mut random = Noise::new(1, 0);
        let windows: Vec<Vec<Complex64>> =
            (0..150).map(|_| (0..3).map(|_| random.complex(1.0)).collect()).collect();
        let mut sum = CrossSpectrumSum::new(3);
        for window in &windows {
            sum.add(window);
        }
        let found = sum.mean(100.0, &[]);
        let eigen = found.eigen().unwrap();
        for i in 0..3 {
            for j in 0..3 {
                let mean = windows.iter().map(|p| p[i] * p[j].conj()).sum::<Complex64>() / 150.0;
                assert!((found.at(i, j) - mean).norm() < 1e-12);
                let again: Complex64 = eigen.iter().map(|(l, v)| *l * v[i] * v[j].conj()).sum();
                assert!((found.at(i, j) - again).norm() < 1e-12);
            }
        }
        assert!(eigen[0].0 >= eigen[1].0 && eigen[1].0 >= eigen[2].0);
        assert_eq!(found.of(&[2, 0]).at(0, 1), found.at(2, 0));
    }

    /// Hann's window at half overlap: ρ = 1/6, n/(1 + 2 (1 − 1/n)/36) (Harris, *Proc. IEEE* 66 (1978) 51, has 16.7 % in table 1).
    #[test]
    fn overlapping_windows_count_less() {
        let independent = |count, samples, hop| Windows::new(count, &hann(samples), hop).independent();
        let found = independent(100, 1024, 512);
        assert!((found - 100.0 / (1.0 + 0.99 / 18.0)).abs() < 1e-6, "{found}");
        assert_eq!(independent(7, 64, 64), 7.0);
        // With many more windows there is no more to learn.
        // Without a window ρ = 1/2 at half overlap, n/(1 + 2 (1 − 1/n)/4).
        let plain = Windows::new(100, &[1.0; 64], 32).independent();
        assert!((plain - 100.0 / (1.0 + 0.99 / 2.0)).abs() < 1e-6, "{plain}");
        let (some, more) = (independent(401, 1024, 128), independent(3201, 1024, 16));
        assert!((more / some - 1.0).abs() < 0.02, "{some} {more}");
    }
}
