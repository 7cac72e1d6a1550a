//! Time dependence of sources.

use crate::waveform::Waveform;
use num_complex::Complex64;
use std::f64::consts::PI;
use std::sync::Arc;

/// Time dependence of the sources of a run.
///
/// ```
/// use phasefront_dgtd::Pulse;
/// let pulse = Pulse::gaussian(1e9);
/// // Its peak is in the middle.
/// assert_eq!(pulse.at(0.5 * pulse.end()), 1.0);
/// // A tenth of its largest spectral density at 1 GHz.
/// assert!((pulse.spectrum(1e9).norm() / pulse.spectrum(0.0).norm() - 0.1).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Pulse {
    /// A Gaussian pulse, with or without a carrier.
    Gaussian(Gaussian),
    /// Samples.
    Table(Arc<Waveform>),
}

/// A Gaussian pulse e^{−((t−t₀)/τ)²}, or modulated e^{−((t−t₀)/τ)²} sin(2πf_c (t−t₀)), which has no DC content and leaves no static
/// field behind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gaussian {
    /// t₀, s.
    pub delay: f64,
    /// τ, s.
    pub width: f64,
    /// f_c, Hz.
    pub carrier: f64,
}

/// Pulse start, in widths before the peak: there it is e^{−30} = 1e-13 of its peak.
const LEAD: f64 = 5.5;
/// Spectral density at the band edges, relative to the band center.
const EDGE: f64 = 0.1;
/// Spectral density that samples in time must resolve, relative to the maximum.
const RESOLVED: f64 = 1e-6;

impl Pulse {
    /// From DC to `highest`, where the spectrum is a tenth (−20 dB) of its maximum.
    pub fn gaussian(highest: f64) -> Self {
        Self::modulated(0.0, 2.0 * highest)
    }

    /// Around `center`; −20 dB at half of `bandwidth` to either side.
    pub fn modulated(center: f64, bandwidth: f64) -> Self {
        // The spectrum is proportional to e^{−(π τ (f − f_c))²}.
        let width = (-EDGE.ln()).sqrt() / (PI * 0.5 * bandwidth);
        Self::Gaussian(Gaussian { delay: LEAD * width, width, carrier: center })
    }

    /// Its value.
    pub fn at(&self, t: f64) -> f64 {
        match self {
            Self::Gaussian(pulse) => pulse.at(t),
            Self::Table(waveform) => waveform.at(t),
        }
    }

    /// Begin of the pulse, s.
    pub fn begin(&self) -> f64 {
        match self {
            Self::Gaussian(_) => 0.0,
            Self::Table(waveform) => waveform.range()[0],
        }
    }

    /// End of the pulse, s.
    pub fn end(&self) -> f64 {
        match self {
            Self::Gaussian(pulse) => 2.0 * pulse.delay,
            Self::Table(waveform) => waveform.range()[1],
        }
    }

    /// ∫ pulse(t) e^{−jωt} dt.
    pub fn spectrum(&self, f: f64) -> Complex64 {
        match self {
            Self::Gaussian(pulse) => pulse.spectrum(f),
            Self::Table(waveform) => waveform.spectrum(f),
        }
    }

    /// Spectral density at a frequency relative to its maximum.
    pub fn content(&self, f: f64) -> f64 {
        let top = match self {
            Self::Gaussian(pulse) => pulse.spectrum(pulse.strongest()).norm(),
            Self::Table(waveform) => waveform.peak_density(),
        };
        self.spectrum(f).norm() / top
    }

    /// The band with at least a tenth of the largest spectral density, Hz.
    pub fn band(&self) -> [f64; 2] {
        match self {
            Self::Gaussian(Gaussian { width, carrier, .. }) => {
                let half = (-EDGE.ln()).sqrt() / (PI * width);
                [(carrier - half).max(0.0), carrier + half]
            }
            Self::Table(waveform) => waveform.band(EDGE),
        }
    }

    /// The frequency above which the spectrum is below 1e-6 of its maximum, Hz: what samples in time must resolve.
    pub fn highest_content(&self) -> f64 {
        match self {
            Self::Gaussian(pulse) => pulse.carrier + (-RESOLVED.ln()).sqrt() / (PI * pulse.width),
            Self::Table(waveform) => waveform.band(RESOLVED)[1],
        }
    }
}

impl Gaussian {
    fn at(&self, t: f64) -> f64 {
        let s = t - self.delay;
        (-(s / self.width).powi(2)).exp() * (2.0 * PI * self.carrier * s - self.phase()).cos()
    }

    /// The carrier is cos(2πf_c (t−t₀) − phase): a sine, or none.
    pub(crate) fn phase(&self) -> f64 {
        if self.carrier == 0.0 { 0.0 } else { 0.5 * PI }
    }

    fn spectrum(&self, f: f64) -> Complex64 {
        let lobe = |f: f64| (-(PI * self.width * f).powi(2)).exp();
        let carrier_phase = Complex64::cis(self.phase());
        // The carrier splits into e^{±j2πf_c t}: two Gaussian lobes, around f_c and −f_c.
        let lobes = carrier_phase.conj() * lobe(f - self.carrier) + carrier_phase * lobe(f + self.carrier);
        0.5 * self.width * PI.sqrt() * lobes * Complex64::cis(-2.0 * PI * f * self.delay)
    }

    /// Frequency of the largest spectral density: DC without a carrier; with one next to the carrier, or 1/(√2πτ) if the carrier is far
    /// below that.
    fn strongest(&self) -> f64 {
        if self.carrier == 0.0 { 0.0 } else { self.carrier.hypot(0.5_f64.sqrt() / (PI * self.width)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spectrum_is_that_of_the_pulse() {
        for pulse in [Pulse::gaussian(1e9), Pulse::modulated(1e9, 0.8e9)] {
            let width = pulse.end() / 11.0;
            let dt = width / 50.0;
            for f in [0.0, 0.3e9, 0.7e9, 1.2e9] {
                let sum: Complex64 = (0..2 * 50 * 6)
                    .map(|i| f64::from(i) * dt)
                    .map(|t| pulse.at(t) * Complex64::from_polar(dt, -2.0 * PI * f * t))
                    .sum();
                assert!((sum - pulse.spectrum(f)).norm() < 1e-9 * width, "{pulse:?} at {f}");
            }
        }
        // −20 dB at the band edges, and −80 dB at twice the distance from the band center.
        for (f, content) in [(1e9, 1.0), (0.6e9, 0.1), (1.4e9, 0.1), (1.8e9, 1e-4)] {
            let found = Pulse::modulated(1e9, 0.8e9).content(f);
            assert!((found / content - 1.0).abs() < 0.05, "{f} Hz: {found}");
        }
        // With a carrier far below the band, the spectrum is that of a derivative, with its maximum at 1/(√2πτ).
        let low = Pulse::modulated(1e3, 2e9);
        assert!((low.content(0.5_f64.sqrt() / (PI * low.end() / 11.0)) - 1.0).abs() < 1e-6);
        let pulse = Pulse::modulated(1e9, 0.8e9);
        assert!(pulse.spectrum(0.0).norm() < 1e-15 * pulse.end(), "nothing at zero frequency");
        let [low, high] = pulse.band();
        assert!((low / 0.6e9 - 1.0).abs() < 1e-9 && (high / 1.4e9 - 1.0).abs() < 1e-9, "{low} {high}");
    }
}
