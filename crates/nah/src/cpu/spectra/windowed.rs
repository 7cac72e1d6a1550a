//! Phasors of the last N samples, recomputed each time: by an FFT of each microphone, or by a dot product for each bin.

use super::ring_buffer::RingBuffer;
use crate::scalar::Scalar;
use crate::spectral::hann;
use num_complex::{Complex, Complex64};
use rustfft::Fft;
use std::f64::consts::TAU;
use std::sync::Arc;
use std::time::Instant;

/// Timed runs of each transform; the shortest counts.
const TRIALS: usize = 9;

/// The last N samples of every microphone, and their transform.
pub struct WindowedTransform {
    samples: RingBuffer<f32>,
    bins: Vec<usize>,
    weights: Vec<f64>,
    transform: Transform,
}

enum Transform {
    Fft(Arc<dyn Fft<f64>>),
    /// w_n e^{−jωn} of each bin, and its sum.
    Dot(Vec<(Vec<Complex64>, Complex64)>),
}

impl WindowedTransform {
    /// By an FFT of each microphone.
    pub fn fft(microphones: usize, samples: usize, bins: Vec<usize>) -> Self {
        Self::new(microphones, samples, bins, Transform::Fft(f64::forward(samples)))
    }

    /// By a dot product for each bin.
    pub fn dot(microphones: usize, samples: usize, bins: Vec<usize>) -> Self {
        let weights = hann(samples);
        let vector = |k: &usize| {
            let wave = |n: usize| {
                // k n modulo N in integers keeps the phase exact.
                Complex64::from_polar(weights[n], -TAU * (k * n % samples) as f64 / samples as f64)
            };
            let wave: Vec<Complex64> = (0..samples).map(wave).collect();
            let sum = wave.iter().sum();
            (wave, sum)
        };
        let vectors = bins.iter().map(vector).collect();
        Self::new(microphones, samples, bins, Transform::Dot(vectors))
    }

    /// By the faster of the two for this number of bins, timed on one microphone.
    pub fn faster(microphones: usize, samples: usize, bins: Vec<usize>) -> Self {
        let candidates =
            [Self::fft(microphones, samples, bins.clone()), Self::dot(microphones, samples, bins)];
        // On zeros: the time does not depend on the data.
        let seconds = |candidate: &Self| {
            let mut buffer = Vec::new();
            let mut once = || {
                let start = Instant::now();
                std::hint::black_box(candidate.of_one(&vec![0.0; samples], &mut buffer));
                start.elapsed()
            };
            std::iter::repeat_with(&mut once).take(TRIALS).min().unwrap_or_default()
        };
        let [fft, dot] = candidates;
        if microphones == 0 || seconds(&dot) < seconds(&fft) { dot } else { fft }
    }

    fn new(microphones: usize, samples: usize, bins: Vec<usize>, transform: Transform) -> Self {
        Self { samples: RingBuffer::new(microphones, samples), bins, weights: hann(samples), transform }
    }

    /// Appends frames.
    pub fn push(&mut self, frames: &[f32]) {
        self.samples.push(frames);
    }

    /// Phasors of all microphones at the first bin, then at the next.
    pub fn spectra<T: Scalar>(&self, phasors: &mut [Complex<T>]) {
        self.samples.spectra(phasors, |values, buffer| self.of_one(values, buffer));
    }

    /// Phasors of one microphone, X = (4/N) Σ w_n (x_n − x̄) e^{−jωn}.
    fn of_one(&self, values: &[f32], buffer: &mut Vec<Complex64>) -> Vec<Complex64> {
        buffer.clear();
        buffer.extend(values.iter().map(|x| Complex64::new(f64::from(*x), 0.0)));
        let samples = buffer.len() as f64;
        let mean = buffer.iter().map(|x| x.re).sum::<f64>() / samples;
        let scale = 4.0 / samples;
        match &self.transform {
            Transform::Fft(fft) => {
                buffer.iter_mut().zip(&self.weights).for_each(|(x, w)| *x = (*x - mean) * w);
                fft.process(buffer);
                self.bins.iter().map(|k| scale * buffer[*k]).collect()
            }
            Transform::Dot(vectors) => vectors
                .iter()
                .map(|(wave, sum)| {
                    let dot: Complex64 = wave.iter().zip(buffer.iter()).map(|(w, x)| w * x.re).sum();
                    // Σ w (x − x̄) e = Σ w x e − x̄ Σ w e: the samples are read once.
                    scale * (dot - mean * sum)
                })
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tone on a bin has its amplitude, and its phase at the first sample, beside a large constant.
    #[test]
    fn a_tone_has_its_amplitude_and_phase() {
        let (samples, bins) = (64, vec![5, 9]);
        let tone = |n: usize| 3.0 + 0.7 * (TAU * 5.0 * n as f64 / 64.0 + 0.4).cos();
        // A few frames more than the window: the oldest are overwritten.
        let late = 10;
        let frames: Vec<f32> = (0..samples + late).flat_map(|n| [tone(n) as f32, 1.0]).collect();
        let expected = Complex64::from_polar(0.7, 0.4 + TAU * 5.0 * late as f64 / 64.0);
        for mut window in
            [WindowedTransform::fft(2, samples, bins.clone()), WindowedTransform::dot(2, samples, bins)]
        {
            window.push(&frames);
            let mut phasors = [Complex64::ZERO; 4];
            window.spectra(&mut phasors);
            assert!((phasors[0] - expected).norm() < 1e-6, "{}", phasors[0]);
            assert!(phasors[1..].iter().all(|p| p.norm() < 1e-6), "{phasors:?}");
        }
    }
}
