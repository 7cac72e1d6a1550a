//! A signal with a given spectrum at some frequencies, as a sum of delayed copies of the pulse.
//!
//! Σ_k c_k p(t − τ_k) has the spectrum P(f) Σ_k c_k e^{−jωτ_k}. With two copies for each frequency, real c_k exist that make the sum over k
//! equal to any complex values F_i at all frequencies: Re F_i = Σ c_k cos ω_iτ_k, Im F_i = −Σ c_k sin ω_iτ_k. The delays are chosen among
//! many by Gaussian elimination with pivots (QR with pivoting of columns), which keeps the equations well conditioned.

use faer::Mat;
use faer::linalg::solvers::DenseSolveCore;
use num_complex::Complex64;
use phasefront_core::FieldError;
use std::f64::consts::TAU;

/// Where errors are.
const PATH: &str = "source.frequency";
/// Most frequencies: each has two copies at all points of the TF/SF surface.
const MAX_FREQUENCIES: usize = 32;
/// Closest frequencies, relative to the highest: the copies extend over the period of their beat.
const MIN_SPACING: f64 = 1e-3;
/// Delays to choose from in a period of the highest frequency.
const PER_PERIOD: f64 = 8.0;

/// Delays, and how the amplitudes of the copies follow from a spectrum.
#[derive(Debug, Clone)]
pub struct Synthesis {
    /// τ, s, in rising order.
    pub delays: Vec<f64>,
    /// From the real and then the imaginary parts of F to c.
    inverse: Mat<f64>,
}

impl Synthesis {
    /// For frequencies in rising order, Hz.
    pub fn new(frequencies: &[f64]) -> Result<Self, FieldError> {
        let (Some(&lowest), Some(&highest)) = (frequencies.first(), frequencies.last()) else {
            return Err(FieldError::new(
                PATH,
                "the near field of a file is known at frequencies, and none is given",
                "name frequencies of the file",
            ));
        };
        if frequencies.len() > MAX_FREQUENCIES {
            return Err(FieldError::new(
                PATH,
                format!(
                    "a near field radiates at {MAX_FREQUENCIES} frequencies at most, not {}",
                    frequencies.len()
                ),
                "name fewer frequencies, or divide them among several cases",
            ));
        }
        // The cosines and sines of two frequencies differ by half a turn after half a period of their beat; those of one frequency, whose
        // beat is with its negative, after a quarter of its period.
        let spacing = frequencies.windows(2).map(|pair| pair[1] - pair[0]).fold(2.0 * lowest, f64::min);
        if spacing < MIN_SPACING * highest {
            return Err(FieldError::new(
                PATH,
                format!(
                    "frequencies of {:.4} GHz apart would need a signal of {:.0} periods of {:.4} GHz, at least",
                    1e-9 * spacing,
                    highest / spacing,
                    1e-9 * highest
                ),
                "name frequencies that are at least a thousandth of the highest apart, and from zero",
            ));
        }
        let step = 1.0 / (PER_PERIOD * highest);
        let candidates: Vec<f64> =
            (0..=(1.0 / (spacing * step)).floor() as usize).map(|m| m as f64 * step).collect();
        let mut delays = independent(frequencies, &candidates);
        delays.sort_by(f64::total_cmp);
        let matrix = Mat::from_fn(delays.len(), delays.len(), |i, k| row(frequencies, i, delays[k]));
        Ok(Self { inverse: matrix.partial_piv_lu().inverse(), delays })
    }

    /// c, for F at the frequencies.
    pub fn amplitudes(&self, values: impl Fn(usize) -> Complex64) -> Vec<f64> {
        let count = self.delays.len() / 2;
        let spectrum: Vec<Complex64> = (0..count).map(values).collect();
        let of = |k: usize| {
            (0..count)
                .map(|i| {
                    self.inverse[(k, i)] * spectrum[i].re + self.inverse[(k, count + i)] * spectrum[i].im
                })
                .sum()
        };
        (0..2 * count).map(of).collect()
    }
}

/// The last delay of a near field with these frequencies, Hz, in any order, in s; none if there is no such signal.
pub fn last_delay(frequencies: &[f64]) -> Option<f64> {
    let mut rising = frequencies.to_vec();
    rising.sort_by(f64::total_cmp);
    rising.dedup();
    Synthesis::new(&rising).ok()?.delays.last().copied()
}

/// Real parts of e^{−jωτ} at all frequencies, then imaginary ones.
fn row(frequencies: &[f64], i: usize, delay: f64) -> f64 {
    let count = frequencies.len();
    let phase = TAU * frequencies[i % count] * delay;
    if i < count { phase.cos() } else { -phase.sin() }
}

/// Delays whose columns are as independent of each other as they can be found one by one: each is the one with the largest part that is
/// orthogonal to those before (modified Gram-Schmidt).
fn independent(frequencies: &[f64], candidates: &[f64]) -> Vec<f64> {
    let rows = 2 * frequencies.len();
    let column = |delay: &f64| (0..rows).map(|i| row(frequencies, i, *delay)).collect();
    let mut rest: Vec<Vec<f64>> = candidates.iter().map(column).collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut chosen = Vec::with_capacity(rows);
    for _ in 0..rows {
        let sizes: Vec<f64> = rest.iter().map(|column| dot(column, column)).collect();
        let largest = (0..sizes.len()).rev().max_by(|a, b| sizes[*a].total_cmp(&sizes[*b])).unwrap_or(0);
        let size = sizes[largest].sqrt();
        let unit: Vec<f64> = rest[largest].iter().map(|x| x / size).collect();
        for column in &mut rest {
            let part = dot(column, &unit);
            column.iter_mut().zip(&unit).for_each(|(x, q)| *x -= part * q);
        }
        chosen.push(candidates[largest]);
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Σ c e^{−jωτ} is F, and Σ|c| shows how much the signal has beside that: of one frequency |cos| + |sin| ≤ √2 for |F| = 1.
    #[test]
    fn the_spectrum_is_exact_at_the_frequencies() {
        let even = |from: f64, to: f64, n: usize| -> Vec<f64> {
            (0..n).map(|i| from + (to - from) * i as f64 / (n - 1) as f64).collect()
        };
        let lists = [
            vec![1e9],
            vec![1e9, 1.5e9],
            even(0.8e9, 1.2e9, 5),
            even(1e9, 10e9, 10),
            even(1e9, 10e9, 32),
            even(0.1e9, 10e9, 32),
            vec![1e9, 1.01e9, 5e9],
            vec![0.2e9, 1e9, 1.006e9, 5e9, 5.2e9],
        ];
        for frequencies in lists {
            let synthesis = Synthesis::new(&frequencies).unwrap();
            let value = |i: usize| Complex64::cis(2.4 * (i * i) as f64 + 0.3);
            let amplitudes = synthesis.amplitudes(value);
            for (i, f) in frequencies.iter().enumerate() {
                let copies = amplitudes.iter().zip(&synthesis.delays);
                let found: Complex64 = copies.map(|(c, delay)| c * Complex64::cis(-TAU * f * delay)).sum();
                assert!((found - value(i)).norm() < 1e-9, "{f} Hz of {frequencies:?}: {found}");
            }
            let size = amplitudes.iter().map(|c| c * c).sum::<f64>().sqrt();
            assert!(size < 3.0, "{frequencies:?}: copies of {size} for a field of 1");
            assert_eq!(synthesis.delays.len(), 2 * frequencies.len());
        }
    }

    #[test]
    fn lists_of_frequencies_that_cannot_be() {
        let message = |frequencies: &[f64]| Synthesis::new(frequencies).unwrap_err().message;
        assert!(message(&[]).contains("none is given"));
        let many: Vec<f64> = (1..=33).map(|i| 1e8 * f64::from(i)).collect();
        assert_eq!(message(&many), "a near field radiates at 32 frequencies at most, not 33");
        assert_eq!(
            message(&[1e9, 1.0005e9]),
            "frequencies of 0.0005 GHz apart would need a signal of 2001 periods of 1.0005 GHz, at least"
        );
        assert!(message(&[1e5, 1e9]).starts_with("frequencies of 0.0002 GHz apart"));
    }
}
