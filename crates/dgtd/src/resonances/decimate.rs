//! A band of a time series at few samples: shifted to zero frequency, filtered and decimated.

use num_complex::Complex64;
use std::f64::consts::{PI, TAU};

/// Attenuation of the filter outside of its transition, dB.
const ATTENUATION: f64 = 80.0;
/// Length of the filter in samples of the output. Its transition, (A − 8)/(14.36 L) of the sampling rate (Kaiser 1974), is centered at half
/// the rate: from 0.375 to 0.625.
pub const FILTER: usize = 20;
/// Half of the band that is free of aliases, relative to the sampling rate of the output.
pub const CLEAR: f64 = 0.35;

/// Samples of a band.
pub struct Decimated {
    pub samples: Vec<Complex64>,
    /// Time of the first one after the start of the series, s.
    pub delay: f64,
}

/// The band around `center`, Hz, with every `stride`-th sample. An oscillation e^{st} becomes e^{(s − j2πf_c)t} times a constant: only
/// samples for which the filter lies inside of the series are kept.
pub fn decimate(values: &[f64], dt: f64, center: f64, stride: usize) -> Decimated {
    let step = TAU * center * dt;
    let shifted = values.iter().enumerate().map(|(i, value)| value * Complex64::cis(-step * i as f64));
    if stride == 1 {
        return Decimated { samples: shifted.collect(), delay: 0.0 };
    }
    let shifted: Vec<Complex64> = shifted.collect();
    let taps = filter(stride);
    let count = (values.len() + stride).saturating_sub(taps.len()) / stride;
    let sample = |m: usize| {
        taps.iter().zip(&shifted[m * stride..]).map(|(tap, value)| *tap * value).sum::<Complex64>()
    };
    Decimated { samples: (0..count).map(sample).collect(), delay: dt * (taps.len() / 2) as f64 }
}

/// Kaiser-windowed sinc, of unit gain at zero frequency and half of it at half the output's rate.
fn filter(stride: usize) -> Vec<f64> {
    let half = (FILTER * stride / 2) as i64;
    let beta = 0.1102 * (ATTENUATION - 8.7);
    let tap = |i: i64| {
        let x = i as f64 / stride as f64;
        let sinc = if i == 0 { 1.0 } else { (PI * x).sin() / (PI * x) };
        let r = i as f64 / half as f64;
        sinc * bessel_i0(beta * (1.0 - r * r).max(0.0).sqrt())
    };
    let taps: Vec<f64> = (-half..=half).map(tap).collect();
    let sum: f64 = taps.iter().sum();
    taps.into_iter().map(|tap| tap / sum).collect()
}

/// I₀(x) = Σ (x/2)^{2k}/k!².
fn bessel_i0(x: f64) -> f64 {
    let mut term = 1.0;
    let mut sum = 1.0;
    for k in 1..60 {
        term *= (0.5 * x / f64::from(k)).powi(2);
        sum += term;
    }
    sum
}

/// Response of the filter to e^{st} after the shift, with s relative to the center.
pub fn response(s: Complex64, dt: f64, stride: usize) -> Complex64 {
    if stride == 1 {
        return Complex64::ONE;
    }
    let half = (FILTER * stride / 2) as f64;
    filter(stride).iter().enumerate().map(|(i, tap)| *tap * (s * dt * (i as f64 - half)).exp()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Oscillations of the band remain what they are, whatever decays with them; others are gone.
    #[test]
    fn the_band_is_kept_and_the_rest_is_not() {
        let (dt, stride) = (1e-11, 400);
        let rate = 1.0 / (dt * stride as f64);
        let size = |offset: f64| {
            let s = Complex64::new(-1e6, TAU * (1e9 + offset * rate));
            let values: Vec<f64> = (0..20_000).map(|i| (s * dt * f64::from(i)).exp().re).collect();
            let found = decimate(&values, dt, 1e9, stride);
            let shifted = s - Complex64::new(0.0, TAU * 1e9);
            let expected = |m: usize| {
                let t = found.delay + dt * (m * stride) as f64;
                0.5 * response(shifted, dt, stride) * (shifted * t).exp()
            };
            let error = found.samples.iter().enumerate().map(|(m, y)| (y - expected(m)).norm());
            assert!(error.fold(0.0, f64::max) < 1e-4, "{offset}");
            found.samples[0].norm()
        };
        assert!(size(0.0) > 0.4 && size(CLEAR) > 0.4 && size(-CLEAR) > 0.4);
        for outside in [0.65, -0.65, 0.9, 2.3] {
            assert!(size(outside) < 1e-4, "{outside}");
        }
    }
}
