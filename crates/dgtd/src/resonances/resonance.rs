//! A resonance, and what is known of it from several fits.

use std::f64::consts::{PI, TAU};

/// Largest relative error of a decay rate from which a quality factor follows.
const MAX_DECAY_ERROR: f64 = 0.3;

/// A resonance in a record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Resonance {
    /// Frequency of the damped oscillation, Hz.
    pub frequency: f64,
    /// Estimated error of the frequency, Hz.
    pub frequency_error: f64,
    /// Decay rate α of the amplitude e^{−αt}, 1/s; negative where the record does not show a decay.
    pub decay_rate: f64,
    /// Estimated error of the decay rate, 1/s.
    pub decay_rate_error: f64,
    /// Amplitude at the start of the record, in the time series that shows it best.
    pub amplitude: f64,
    /// Index of that time series.
    pub channel: usize,
    /// Length of the record that was fitted, s.
    pub window: f64,
}

impl Resonance {
    /// Quality factor πf/α; none if the record does not determine the decay.
    pub fn q(&self) -> Option<f64> {
        let known = self.decay_rate > 0.0 && self.decay_rate_error < MAX_DECAY_ERROR * self.decay_rate;
        known.then(|| PI * self.frequency / self.decay_rate)
    }

    /// Estimated error of the quality factor.
    pub fn q_error(&self) -> Option<f64> {
        self.q().map(|q| q * self.decay_rate_error / self.decay_rate)
    }

    /// The smallest quality factor that fits the record.
    pub fn least_q(&self) -> f64 {
        PI * self.frequency / (self.decay_rate.max(0.0) + self.decay_rate_error)
    }
}

/// Adds a resonance to those that are known. What a record of its length cannot tell from one of them is the same, and replaces it if it is
/// clearly better known; it may also be several of them at once.
pub fn merge(known: &mut Vec<Resonance>, new: Resonance) {
    let blur = |r: &Resonance| (0.5 / new.window).max(3.0 * (r.frequency_error + new.frequency_error));
    let near: Vec<usize> =
        (0..known.len()).filter(|&i| (known[i].frequency - new.frequency).abs() < blur(&known[i])).collect();
    let size = |r: &Resonance| r.frequency_error.hypot(r.decay_rate_error / TAU);
    match near[..] {
        [] => known.push(new),
        [one] if size(&new) < 0.5 * size(&known[one]) => known[one] = new,
        _ => {}
    }
}

/// A time series, and the factor that makes it comparable with those of other units.
pub struct Channel<'a> {
    pub index: usize,
    pub values: &'a [f64],
    pub scale: f64,
}
