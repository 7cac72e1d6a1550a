//! Resonances from the ring-down of time series: frequencies, decay rates and their errors, by the matrix pencil method.
//!
//! After the sources have ended, every value is a sum of damped sinusoids, Σ a_k e^{s_k t} with s_k = −α_k + j2πf_k. A band is shifted to
//! zero frequency, filtered and decimated, which leaves the s_k as they are (`decimate.rs`); few samples are left, and the s_k are the
//! eigenvalues of a small matrix (`pencil.rs`). A record is fitted as a whole, and again in parts of 1/2, 1/4 and so on from its start, in
//! which modes that decay fast still stand out (`windows.rs`). Each fit is made twice, the second time from a later start and at another
//! rate of samples: what is no mode of the record differs, and is rejected; the difference of what is left is an error estimate.

mod decimate;
mod pencil;
mod resonance;
mod windows;

use resonance::Channel;
pub use resonance::{Resonance, merge};

/// Most time series that are fitted together; the strongest are taken.
const MAX_CHANNELS: usize = 24;
/// Time series of one unit below this part of the strongest are rounding.
const FAINT: f64 = 1e-6;

/// Time series of one unit, sampled at the same times: the components of a probe, or the voltage of a port.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Record {
    /// Values by time series and sample.
    pub channels: Vec<Vec<f64>>,
}

/// The resonances in a band, Hz, by frequency; `dt` is the interval of samples.
///
/// ```
/// use phasefront_dgtd::{Record, resonances};
/// use std::f64::consts::PI;
/// // 1 GHz with a Q of 200, sampled every 20 ps.
/// let ring = |i: i32| (-PI * 1e9 / 200.0 * 2e-11 * f64::from(i)).exp() * (2.0 * PI * 0.02 * f64::from(i)).cos();
/// let record = Record { channels: vec![(0..5000).map(ring).collect()] };
/// let found = resonances(&[record], 2e-11, [0.8e9, 1.2e9]);
/// assert_eq!(found.len(), 1);
/// assert!((found[0].frequency - 1e9).abs() < 1e3);
/// assert!((found[0].q().unwrap() - 200.0).abs() < 0.1);
/// ```
pub fn resonances(records: &[Record], dt: f64, band: [f64; 2]) -> Vec<Resonance> {
    let channels = scaled(records);
    let mut found = windows::find(&channels, dt, band);
    found.sort_by(|a, b| a.frequency.total_cmp(&b.frequency));
    found
}

/// Each record with its strongest time series at an RMS of one; without those that hold rounding only.
fn scaled(records: &[Record]) -> Vec<Channel<'_>> {
    let rms =
        |values: &Vec<f64>| (values.iter().map(|v| v * v).sum::<f64>() / values.len().max(1) as f64).sqrt();
    let mut all = Vec::new();
    let mut index = 0;
    for record in records {
        let sizes: Vec<f64> = record.channels.iter().map(rms).collect();
        let most = sizes.iter().copied().fold(0.0, f64::max);
        for (values, size) in record.channels.iter().zip(&sizes) {
            if *size > FAINT * most && most.is_finite() {
                all.push((size / most, Channel { index, values, scale: most.recip() }));
            }
            index += 1;
        }
    }
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    all.into_iter().take(MAX_CHANNELS).map(|(_, channel)| channel).collect()
}

#[cfg(test)]
mod tests;
