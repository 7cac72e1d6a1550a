//! A waveform by samples: the cubic spline through them, zero outside.
//!
//! s(t) = Σ c_k β((t − t₀)/h − k) with the cubic B-spline β (C. de Boor, *A Practical Guide to Splines*, 1978, chapters IX and X). The
//! transform of β is sinc⁴, so that the spectrum is known exactly: ∫ s e^{−jωt} dt = h sinc⁴(fh) Σ c_k e^{−jω(t₀ + kh)} with
//! sinc x = sin(πx)/(πx).

use num_complex::Complex64;
use phasefront_core::{FieldError, Precision};
use phasefront_device::{Direction, Fft, cpu};
use std::f64::consts::{PI, TAU};

/// Fewest samples: those of one period.
const MIN_SAMPLES: usize = 8;
/// Most samples, also of a waveform that is resampled evenly.
const MAX_SAMPLES: usize = 1_000_000;
/// What is left at the ends, relative to the peak: the spectrum of a jump of this height falls slowly, and the mesh does not resolve it.
const MAX_JUMP: f64 = 1e-3;
/// Fewest frequencies of the spectral density.
const MIN_DENSITIES: usize = 16_384;
/// Difference of steps that are even, relative.
const EVEN: f64 = 1e-6;
/// Where errors are.
const PATH: &str = "source.pulse.file";

/// The samples of a waveform as a spline.
///
/// ```
/// use phasefront_dgtd::Waveform;
/// let hat: Vec<(f64, f64)> = (0..=20).map(|i| f64::from(i)).map(|i| (1e-9 * i, (0.05 * 3.14159265 * i).sin().powi(2))).collect();
/// let waveform = Waveform::new(&hat).unwrap();
/// assert!((waveform.at(10e-9) - 1.0).abs() < 1e-12);
/// assert_eq!(waveform.at(30e-9), 0.0);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Waveform {
    /// t₀, s.
    pub start: f64,
    /// h, s.
    pub step: f64,
    /// c_k.
    pub coefficients: Vec<f64>,
    /// Spectral density at multiples of `resolution`, up to 1/h.
    density: Vec<f64>,
    resolution: f64,
}

impl Waveform {
    /// Through pairs of a time, s, and an amplitude. Those at uneven steps are resampled at the smallest of them.
    pub fn new(samples: &[(f64, f64)]) -> Result<Self, FieldError> {
        check(samples)?;
        let (start, end) = (samples[0].0, samples[samples.len() - 1].0);
        let steps = || samples.windows(2).map(|pair| pair[1].0 - pair[0].0);
        let mean = (end - start) / (samples.len() - 1) as f64;
        let (step, values) = if steps().all(|step| (step - mean).abs() <= EVEN * mean) {
            (mean, samples.iter().map(|(_, value)| *value).collect())
        } else {
            let count = ((end - start) / steps().fold(f64::INFINITY, f64::min)).ceil();
            if count >= MAX_SAMPLES as f64 {
                return Err(FieldError::new(
                    PATH,
                    format!("the smallest step of the times is {count:.1e} times shorter than the waveform"),
                    format!("give steps of similar lengths, at most {MAX_SAMPLES} of the smallest"),
                ));
            }
            let step = (end - start) / count;
            let at = |k: usize| hermite(samples, start + step * k as f64);
            (step, (0..=count as usize).map(at).collect())
        };
        let coefficients = spline(values);
        let (density, resolution) = density(&coefficients, step);
        Ok(Self { start, step, coefficients, density, resolution })
    }

    /// Its value at a time.
    pub fn at(&self, t: f64) -> f64 {
        let s = (t - self.start) / self.step;
        let k = s.floor();
        let u = s - k;
        let weights = [
            (1.0 - u).powi(3),
            3.0 * u.powi(3) - 6.0 * u * u + 4.0,
            -3.0 * u.powi(3) + 3.0 * u * u + 3.0 * u + 1.0,
            u.powi(3),
        ];
        let coefficient = |i: usize| {
            let index = k + i as f64 - 1.0;
            let inside = index >= 0.0 && index < self.coefficients.len() as f64;
            if inside { self.coefficients[index as usize] } else { 0.0 }
        };
        weights.iter().enumerate().map(|(i, weight)| weight * coefficient(i)).sum::<f64>() / 6.0
    }

    /// The times before and after which it is zero, s: a spline ends two steps beyond its samples.
    pub fn range(&self) -> [f64; 2] {
        let last = self.coefficients.len() as f64 - 1.0;
        [self.start - 2.0 * self.step, self.start + (last + 2.0) * self.step]
    }

    /// ∫ waveform(t) e^{−jωt} dt.
    pub fn spectrum(&self, f: f64) -> Complex64 {
        let factor = Complex64::cis(-TAU * f * self.step);
        // Horner's rule.
        let sum = self.coefficients.iter().rev().fold(Complex64::ZERO, |sum, c| sum * factor + c);
        self.step * sinc(f * self.step).powi(4) * Complex64::cis(-TAU * f * self.start) * sum
    }

    /// Largest spectral density.
    pub fn peak_density(&self) -> f64 {
        self.density.iter().copied().fold(0.0, f64::max)
    }

    /// The lowest and the highest frequency with so much of the largest spectral density, Hz.
    pub fn band(&self, content: f64) -> [f64; 2] {
        let least = content * self.peak_density();
        let low = self.density.iter().position(|density| *density >= least).unwrap_or(0);
        let high = self.density.iter().rposition(|density| *density >= least).unwrap_or(0);
        [low as f64 * self.resolution, (high + 1) as f64 * self.resolution]
    }

    /// Share of its energy above a frequency.
    pub fn energy_above(&self, f: f64) -> f64 {
        let first = ((f / self.resolution).ceil() as usize).min(self.density.len());
        let energy = |part: &[f64]| part.iter().map(|density| density * density).sum::<f64>();
        energy(&self.density[first..]) / energy(&self.density)
    }
}

fn check(samples: &[(f64, f64)]) -> Result<(), FieldError> {
    let refuse = |message: String, advice: &str| Err(FieldError::new(PATH, message, advice));
    if let Some(i) = samples.iter().position(|(t, value)| !(t.is_finite() && value.is_finite())) {
        return refuse(format!("sample {} is not a finite number", i + 1), "remove it, or correct it");
    }
    if samples.len() < MIN_SAMPLES || samples.len() > MAX_SAMPLES {
        return refuse(
            format!("the waveform has {} samples, not {MIN_SAMPLES} to {MAX_SAMPLES}", samples.len()),
            "sample it at least ten times in a period of its highest frequency",
        );
    }
    if let Some(i) = samples.windows(2).position(|pair| pair[1].0 <= pair[0].0) {
        return refuse(
            format!(
                "times must rise from sample to sample, but sample {} is not after the one before it",
                i + 2
            ),
            "sort the samples by time, each time once",
        );
    }
    let peak = samples.iter().map(|(_, value)| value.abs()).fold(0.0, f64::max);
    if peak == 0.0 {
        return refuse("all amplitudes are zero".into(), "give a waveform with some amplitude");
    }
    let ends = [("begins", samples[0].1), ("ends", samples[samples.len() - 1].1)];
    match ends.into_iter().find(|(_, value)| value.abs() > MAX_JUMP * peak) {
        Some((verb, value)) => refuse(
            format!(
                "the waveform {verb} with {:.2} % of its peak: it is zero outside of its samples, and would jump",
                100.0 * value.abs() / peak
            ),
            "begin and end within 0.1 % of zero; a step falls back to zero after the time of interest, as smoothly as it rises",
        ),
        None => Ok(()),
    }
}

/// Cubic Hermite interpolation with the slopes of parabolas through three samples (de Boor, chapter IV), level at both ends.
fn hermite(samples: &[(f64, f64)], t: f64) -> f64 {
    let i = samples.partition_point(|sample| sample.0 <= t).clamp(1, samples.len() - 1) - 1;
    let chord = |i: usize| {
        let ((t0, y0), (t1, y1)) = (samples[i], samples[i + 1]);
        (t1 - t0, (y1 - y0) / (t1 - t0))
    };
    let slope = |i: usize| {
        if i == 0 || i + 1 == samples.len() {
            return 0.0;
        }
        let ((before, left), (after, right)) = (chord(i - 1), chord(i));
        (after * left + before * right) / (before + after)
    };
    let ((length, _), ((t0, y0), (_, y1))) = (chord(i), (samples[i], samples[i + 1]));
    let u = (t - t0) / length;
    let v = 1.0 - u;
    v * v * (1.0 + 2.0 * u) * y0
        + u * u * (1.0 + 2.0 * v) * y1
        + length * u * v * (v * slope(i) - u * slope(i + 1))
}

/// Coefficients of the spline through evenly spaced values: c_{k−1} + 4c_k + c_{k+1} = 6y_k, with none beyond the ends. Gaussian elimination
/// without pivots: the matrix is diagonally dominant.
fn spline(mut values: Vec<f64>) -> Vec<f64> {
    let mut pivots = vec![4.0; values.len()];
    for k in 1..values.len() {
        pivots[k] = 4.0 - 1.0 / pivots[k - 1];
        values[k] -= values[k - 1] / pivots[k - 1];
    }
    let mut next = 0.0;
    for (value, pivot) in values.iter_mut().zip(pivots).rev() {
        // The elimination is linear: 6 may come last. `next` is that of c_{k+1}/6.
        next = (*value - next) / pivot;
        *value = 6.0 * next;
    }
    values
}

/// Spectral density up to 1/h, and the distance of its frequencies.
fn density(coefficients: &[f64], step: f64) -> (Vec<f64>, f64) {
    // At least twice as many as samples, so that no lobe is missed.
    let count = (2 * coefficients.len()).max(MIN_DENSITIES).next_power_of_two();
    let mut data: Vec<Complex64> = coefficients.iter().map(|c| Complex64::from(*c)).collect();
    data.resize(count, Complex64::ZERO);
    let shape = Fft { planes: 1, rows: 1, cols: count, batch: 1, precision: Precision::Double };
    cpu::fft(shape, Direction::Forward, &mut data);
    let at = |k: usize| step * sinc(k as f64 / count as f64).powi(4) * data[k % count].norm();
    ((0..=count).map(at).collect(), 1.0 / (count as f64 * step))
}

fn sinc(x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { (PI * x).sin() / (PI * x) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// e^{−((t−t₀)/τ)²} with its transform √π τ e^{−(πτf)²} e^{−jωt₀}.
    const TAU_S: f64 = 0.2e-9;
    const PEAK: f64 = 0.7e-9;

    fn gaussian(times: impl Iterator<Item = f64>) -> Vec<(f64, f64)> {
        times.map(|t| (t, (-((t - PEAK) / TAU_S).powi(2)).exp())).collect()
    }

    fn transform(f: f64) -> Complex64 {
        TAU_S * PI.sqrt() * (-(PI * TAU_S * f).powi(2)).exp() * Complex64::cis(-TAU * f * PEAK)
    }

    /// The error of a cubic spline is of fourth order in the step; e^{−12} = 6e-6 is left at the ends.
    #[test]
    fn a_spline_through_a_gaussian() {
        let errors = [40, 80].map(|count| {
            let even =
                Waveform::new(&gaussian((0..=count).map(|i| 1.4e-9 * f64::from(i) / f64::from(count))))
                    .unwrap();
            let between = |i: u32| 1.4e-9 * (f64::from(i) + 0.37) / 500.0;
            let error = |i: u32| (even.at(between(i)) - gaussian([between(i)].into_iter())[0].1).abs();
            for f in [0.0, 0.5e9, 1e9, 2e9] {
                assert!((even.spectrum(f) - transform(f)).norm() < 3e-5 * TAU_S, "{f}");
            }
            (20..480).map(error).fold(0.0, f64::max)
        });
        assert!(errors[0] < 2e-4 && errors[0] / errors[1] > 12.0, "{errors:?}");
    }

    /// Steps that grow threefold from one end to the other.
    #[test]
    fn uneven_samples_are_resampled() {
        let times = (0..=200).map(|i| f64::from(i) / 200.0).map(|x| 1.4e-9 * (0.5 * x + 0.5 * x * x));
        let found = Waveform::new(&gaussian(times)).unwrap();
        for f in [0.0, 0.5e9, 1e9, 2e9] {
            assert!((found.spectrum(f) - transform(f)).norm() < 2e-4 * TAU_S, "{f}");
        }
    }

    /// The spectrum is that of the spline, whatever it goes through: against a sum over fine steps.
    #[test]
    fn the_spectrum_is_that_of_the_waveform() {
        let samples: Vec<(f64, f64)> = (0..30)
            .map(f64::from)
            .map(|i| (1e-10 * i - 1e-9, (0.4 * i * i).sin() * i * (29.0 - i)))
            .collect();
        let waveform = Waveform::new(&samples).unwrap();
        for (t, value) in &samples {
            assert!((waveform.at(*t) - value).abs() < 1e-9, "{t}");
        }
        let [begin, end] = waveform.range();
        assert_eq!([waveform.at(begin - 1e-12), waveform.at(end + 1e-12)], [0.0; 2]);
        let dt = (end - begin) / 20_000.0;
        for f in [0.0, 1e9, 3.3e9, 4.9e9] {
            let at = |i: i32| begin + dt * f64::from(i);
            let sum: Complex64 =
                (0..20_000).map(|i| waveform.at(at(i)) * Complex64::from_polar(dt, -TAU * f * at(i))).sum();
            let error = (sum - waveform.spectrum(f)).norm();
            assert!(error < 1e-6 * waveform.peak_density(), "{f} Hz: {error}");
        }
    }

    /// Of a Gaussian the density is 10 % at f = √(ln 10)/(πτ), and the energy above f is erfc(√2 πτf).
    #[test]
    fn band_and_energy() {
        let waveform = Waveform::new(&gaussian((0..=140).map(|i| 1e-11 * f64::from(i)))).unwrap();
        let [low, high] = waveform.band(0.1);
        let edge = 10_f64.ln().sqrt() / (PI * TAU_S);
        assert!(low == 0.0 && (high / edge - 1.0).abs() < 0.01, "{low} {high} {edge}");
        // erfc(1) = 0.157299 (M. Abramowitz, I. Stegun, table 7.1).
        let f = 1.0 / (2_f64.sqrt() * PI * TAU_S);
        let found = waveform.energy_above(f);
        assert!((found - 0.157_299).abs() < 2e-3, "{found}");
    }

    #[test]
    fn samples_that_are_no_waveform() {
        let message = |samples: &[(f64, f64)]| Waveform::new(samples).unwrap_err().message;
        let mut good: Vec<(f64, f64)> = gaussian((0..=14).map(|i| 1e-10 * f64::from(i)));
        assert_eq!(message(&good[..5]), "the waveform has 5 samples, not 8 to 1000000");
        assert_eq!(
            message(&good[..8]),
            "the waveform ends with 100.00 % of its peak: it is zero outside of its samples, and would jump"
        );
        let flat: Vec<(f64, f64)> = good.iter().map(|(t, _)| (*t, 0.0)).collect();
        assert_eq!(message(&flat), "all amplitudes are zero");
        good[3].0 = good[2].0;
        assert_eq!(
            message(&good),
            "times must rise from sample to sample, but sample 4 is not after the one before it"
        );
        good[3].0 = good[2].0 + 1e-20;
        assert!(
            message(&good).starts_with("the smallest step of the times is 1.4e11 times shorter"),
            "{}",
            message(&good)
        );
        good[5].1 = f64::NAN;
        assert_eq!(message(&good), "sample 6 is not a finite number");
    }
}
