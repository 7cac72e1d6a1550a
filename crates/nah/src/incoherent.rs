//! Simulated sources of random sound that are independent of each other.

use crate::input::Samples;
use crate::medium::Medium;
use crate::simulate::{Noise, SimulatedSource, noise_deviation};
use num_complex::Complex64;
use rayon::prelude::*;
use rustfft::FftPlanner;

/// Lines of a spectrum on either side of a frequency in which the sources sound: Hann's window sees two of them.
const HALF_WIDTH: f64 = 4.0;
/// Noise bandwidth of Hann's window, in lines.
const BANDWIDTH: f64 = 1.5;

/// Sources whose sound is normal white noise in a band around each frequency, independent of that of all others.
#[derive(Debug, Clone)]
pub struct IncoherentSources {
    /// The sources. Their strengths are those of a line of a spectrum: the root of its mean square over many windows.
    pub sources: Vec<SimulatedSource>,
    /// Positions of the microphones, m.
    pub positions: Vec<[f64; 2]>,
    /// Their distance from the source plane, m.
    pub distance: f64,
    /// The medium.
    pub medium: Medium,
    /// Hz.
    pub frequencies: Vec<f64>,
    /// Length of the window of a spectrum, samples.
    pub window: usize,
    /// Constant pressure, Pa.
    pub offset: f64,
    /// Noise of the microphones below the weakest frequency, dB.
    pub snr_db: Option<f64>,
    /// Seed of everything that is random.
    pub seed: u64,
}

impl IncoherentSources {
    /// Samples at all microphones.
    pub fn samples(&self, rate: f64, frames: usize) -> Samples {
        let lines = self.lines(rate, frames);
        let power = self.window as f64 / (BANDWIDTH * frames as f64);
        // A random stream for each source, beside those of the noise of the microphones.
        let streams: Vec<Vec<Complex64>> = (0..self.sources.len())
            .map(|source| {
                let mut random = Noise::new(self.seed, u64::MAX - source as u64);
                lines.iter().map(|_| random.complex(power)).collect()
            })
            .collect();
        let transform = FftPlanner::new().plan_fft_inverse(frames);
        let deviation = self.deviation();
        let at_microphone = |(m, &[x, y]): (usize, &[f64; 2])| {
            let mut spectrum = vec![Complex64::ZERO; frames];
            for (i, (line, frequency)) in lines.iter().enumerate() {
                let k = self.medium.wavenumber(*frequency);
                let pressure =
                    |source: &SimulatedSource| source.pressure([x, y, self.distance], k, &self.medium);
                let all = self.sources.iter().zip(&streams);
                spectrum[*line] = all.map(|(source, amplitudes)| pressure(source) * amplitudes[i]).sum();
            }
            transform.process(&mut spectrum);
            let mut noise = Noise::new(self.seed, m as u64);
            let mut own =
                || if deviation > 0.0 { noise.complex(2.0 * deviation * deviation).re } else { 0.0 };
            spectrum.iter().map(|value| (value.re + self.offset + own()) as f32).collect()
        };
        let channels: Vec<Vec<f32>> = self.positions.par_iter().enumerate().map(at_microphone).collect();
        let frame = |n: usize| channels.iter().map(move |channel| channel[n]);
        let values = (0..frames).flat_map(frame).collect();
        Samples { rate, microphones: self.positions.len(), values, full_scale: None }
    }

    /// Lines of the whole recording, by number and frequency, near those frequencies.
    fn lines(&self, rate: f64, frames: usize) -> Vec<(usize, f64)> {
        let width = HALF_WIDTH * rate / self.window as f64;
        let lines = (1..frames.div_ceil(2)).map(|line| (line, line as f64 * rate / frames as f64));
        lines.filter(|(_, f)| self.frequencies.iter().any(|center| (f - center).abs() <= width)).collect()
    }

    /// The standard deviation of the noise of a sample.
    fn deviation(&self) -> f64 {
        let Some(snr_db) = self.snr_db else { return 0.0 };
        let mean_power = |frequency: &f64| {
            let k = self.medium.wavenumber(*frequency);
            let power = |[x, y]: &[f64; 2]| -> f64 {
                let pressure = |s: &SimulatedSource| s.pressure([*x, *y, self.distance], k, &self.medium);
                self.sources.iter().map(|source| pressure(source).norm_sqr()).sum()
            };
            self.positions.iter().map(power).sum::<f64>() / self.positions.len().max(1) as f64
        };
        let weakest = self.frequencies.iter().map(mean_power).fold(f64::INFINITY, f64::min);
        noise_deviation(weakest, snr_db, self.window)
    }
}
