//! Spectra of the last N samples, anew each time: by a fast transform of each microphone, or by dot products.

use super::history::History;
use crate::scalar::Scalar;
use num_complex::{Complex, Complex64};
use rustfft::Fft;
use std::f64::consts::TAU;
use std::sync::Arc;
use std::time::Instant;

/// Times that each way is tried; the shortest counts.
const TRIALS: usize = 9;

/// Hann's window over N samples: it begins with zero and would end with it one sample after the last.
pub fn hann(samples: usize) -> Vec<f64> {
    (0..samples).map(|n| 0.5 - 0.5 * (TAU * n as f64 / samples as f64).cos()).collect()
}

/// The last N samples of every microphone.
pub struct Window {
    history: History<f32>,
    bins: Vec<usize>,
    weights: Vec<f64>,
    way: Way,
}

enum Way {
    Fft(Arc<dyn Fft<f64>>),
    /// Of each bin, w_n e^{−jωn}, and the sum of it.
    Dot(Vec<(Vec<Complex64>, Complex64)>),
}

impl Window {
    /// By a fast transform of each microphone.
    pub fn fft(microphones: usize, samples: usize, bins: Vec<usize>) -> Self {
        let way = Way::Fft(f64::forward(samples));
        Self::new(microphones, samples, bins, way)
    }

    /// By a dot product for each bin.
    pub fn dot(microphones: usize, samples: usize, bins: Vec<usize>) -> Self {
        let weights = hann(samples);
        let vector = |k: &usize| {
            let wave = |n: usize| {
                Complex64::from_polar(weights[n], -TAU * (k * n % samples) as f64 / samples as f64)
            };
            let wave: Vec<Complex64> = (0..samples).map(wave).collect();
            let sum = wave.iter().sum();
            (wave, sum)
        };
        let way = Way::Dot(bins.iter().map(vector).collect());
        Self::new(microphones, samples, bins, way)
    }

    /// By whichever of the two is faster for so many bins, as a few microphones tell.
    pub fn faster(microphones: usize, samples: usize, bins: Vec<usize>) -> Self {
        let ways = [Self::fft(microphones, samples, bins.clone()), Self::dot(microphones, samples, bins)];
        let seconds = |window: &Self| {
            let mut line = Vec::new();
            let mut once = || {
                let start = Instant::now();
                std::hint::black_box(window.of_one(&vec![0.0; samples], &mut line));
                start.elapsed()
            };
            std::iter::repeat_with(&mut once).take(TRIALS).min().unwrap_or_default()
        };
        let [fft, dot] = ways;
        if microphones == 0 || seconds(&dot) < seconds(&fft) { dot } else { fft }
    }

    fn new(microphones: usize, samples: usize, bins: Vec<usize>, way: Way) -> Self {
        Self { history: History::new(microphones, samples), bins, weights: hann(samples), way }
    }

    /// Takes moments: the pressures of all microphones, one moment after the other.
    pub fn push(&mut self, moments: &[f32]) {
        self.history.push(moments);
    }

    /// Phasors of all microphones at the first bin, then at the next.
    pub fn spectra<T: Scalar>(&self, phasors: &mut [Complex<T>]) {
        self.history.spectra(phasors, |values, line| self.of_one(values, line));
    }

    fn of_one(&self, values: &[f32], line: &mut Vec<Complex64>) -> Vec<Complex64> {
        line.clear();
        line.extend(values.iter().map(|x| Complex64::new(f64::from(*x), 0.0)));
        let samples = line.len() as f64;
        let mean = line.iter().map(|x| x.re).sum::<f64>() / samples;
        let scale = 4.0 / samples;
        match &self.way {
            Way::Fft(fft) => {
                line.iter_mut().zip(&self.weights).for_each(|(x, w)| *x = (*x - mean) * w);
                fft.process(line);
                self.bins.iter().map(|k| scale * line[*k]).collect()
            }
            Way::Dot(vectors) => vectors
                .iter()
                .map(|(wave, sum)| {
                    let dot: Complex64 = wave.iter().zip(line.iter()).map(|(w, x)| w * x.re).sum();
                    scale * (dot - mean * sum)
                })
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tone on a bin comes out with its amplitude and its phase at the first sample, over a large constant.
    #[test]
    fn a_tone_has_its_amplitude_and_phase() {
        let (samples, bins) = (64, vec![5, 9]);
        let tone = |n: usize| 3.0 + 0.7 * (TAU * 5.0 * n as f64 / 64.0 + 0.4).cos();
        // A few moments more than the window holds: the oldest are forgotten.
        let late = 10;
        let moments: Vec<f32> = (0..samples + late).flat_map(|n| [tone(n) as f32, 1.0]).collect();
        let expected = Complex64::from_polar(0.7, 0.4 + TAU * 5.0 * late as f64 / 64.0);
        for mut window in [Window::fft(2, samples, bins.clone()), Window::dot(2, samples, bins)] {
            window.push(&moments);
            let mut phasors = [Complex64::ZERO; 4];
            window.spectra(&mut phasors);
            assert!((phasors[0] - expected).norm() < 1e-6, "{}", phasors[0]);
            assert!(phasors[1..].iter().all(|p| p.norm() < 1e-6), "{phasors:?}");
        }
    }
}
