//! How a source goes in time.

use num_complex::Complex64;
use std::f64::consts::PI;

/// A pulse: e^{−((t−t₀)/τ)²}, or with a carrier e^{−((t−t₀)/τ)²} sin(2πf_c (t−t₀)), which has nothing at zero frequency and leaves no
/// static field behind.
///
/// ```
/// use phasefront_dgtd::Pulse;
/// let pulse = Pulse::gaussian(1e9);
/// assert_eq!(pulse.at(pulse.delay), 1.0);
/// // A tenth of its largest spectral density at 1 GHz.
/// assert!((pulse.spectrum(1e9).norm() / pulse.spectrum(0.0).norm() - 0.1).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pulse {
    /// t₀, s.
    pub delay: f64,
    /// τ, s.
    pub width: f64,
    /// f_c, Hz.
    pub carrier: f64,
}

/// Widths before the peak at which the pulse begins: there it is e^{−30} = 1e-13 of its peak.
const LEAD: f64 = 5.5;
/// Spectral density at the ends of the band, of that in its middle.
const EDGE: f64 = 0.1;

impl Pulse {
    /// From zero frequency to `highest`, where the spectrum is a tenth (−20 dB) of its largest.
    pub fn gaussian(highest: f64) -> Self {
        Self::modulated(0.0, 2.0 * highest)
    }

    /// Around `center`; −20 dB at half of `bandwidth` to either side.
    pub fn modulated(center: f64, bandwidth: f64) -> Self {
        // The spectrum goes as e^{−(π τ (f − f_c))²}.
        let width = (-EDGE.ln()).sqrt() / (PI * 0.5 * bandwidth);
        Self { delay: LEAD * width, width, carrier: center }
    }

    /// Its value.
    pub fn at(&self, t: f64) -> f64 {
        let s = t - self.delay;
        (-(s / self.width).powi(2)).exp() * (2.0 * PI * self.carrier * s - self.phase()).cos()
    }

    /// The carrier is cos(2πf_c (t−t₀) − phase): a sine, or nothing.
    pub(crate) fn phase(&self) -> f64 {
        if self.carrier == 0.0 { 0.0 } else { 0.5 * PI }
    }

    /// When it is over, s.
    pub fn end(&self) -> f64 {
        2.0 * self.delay
    }

    /// ∫ pulse(t) e^{−jωt} dt.
    pub fn spectrum(&self, f: f64) -> Complex64 {
        let lobe = |f: f64| (-(PI * self.width * f).powi(2)).exp();
        let turn = Complex64::cis(self.phase());
        let lobes = turn.conj() * lobe(f - self.carrier) + turn * lobe(f + self.carrier);
        0.5 * self.width * PI.sqrt() * lobes * Complex64::cis(-2.0 * PI * f * self.delay)
    }

    /// The size of the spectrum at a frequency as a part of its largest.
    pub fn content(&self, f: f64) -> f64 {
        // Without a carrier it is largest at zero. With one, next to the carrier, or at 1/(√2πτ) if the carrier is far below that.
        let top =
            if self.carrier == 0.0 { 0.0 } else { self.carrier.hypot(0.5_f64.sqrt() / (PI * self.width)) };
        self.spectrum(f).norm() / self.spectrum(top).norm()
    }

    /// The frequency above which the spectrum is below 1e-6 of its largest: what samples in time must resolve, Hz.
    pub fn highest_content(&self) -> f64 {
        self.carrier + 1e6_f64.ln().sqrt() / (PI * self.width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spectrum_is_that_of_the_pulse() {
        for pulse in [Pulse::gaussian(1e9), Pulse::modulated(1e9, 0.8e9)] {
            let dt = pulse.width / 50.0;
            for f in [0.0, 0.3e9, 0.7e9, 1.2e9] {
                let sum: Complex64 = (0..2 * 50 * 6)
                    .map(|i| f64::from(i) * dt)
                    .map(|t| pulse.at(t) * Complex64::from_polar(dt, -2.0 * PI * f * t))
                    .sum();
                assert!((sum - pulse.spectrum(f)).norm() < 1e-9 * pulse.width, "{pulse:?} at {f}");
            }
        }
        // 20 dB down at the ends of the band, and at twice the distance from its middle four times as many.
        for (f, content) in [(1e9, 1.0), (0.6e9, 0.1), (1.4e9, 0.1), (1.8e9, 1e-4)] {
            let found = Pulse::modulated(1e9, 0.8e9).content(f);
            assert!((found / content - 1.0).abs() < 0.05, "{f} Hz: {found}");
        }
        // With a carrier far below the band it is that of a derivative, largest at 1/(√2πτ).
        let low = Pulse::modulated(1e3, 2e9);
        assert!((low.content(0.5_f64.sqrt() / (PI * low.width)) - 1.0).abs() < 1e-6);
        let pulse = Pulse::modulated(1e9, 0.8e9);
        assert!(pulse.spectrum(0.0).norm() < 1e-15 * pulse.width, "nothing at zero frequency");
    }
}
