//! Fits of a record in windows from its start, and what they agree on.

use super::decimate::{CLEAR, Decimated, FILTER, decimate, response};
use super::pencil::poles;
use super::resonance::{Channel, Resonance, merge};
use num_complex::Complex64;
use rayon::prelude::*;
use std::f64::consts::{PI, TAU};

/// Fewest and most samples of a window after decimation, with those that the filter takes. More make the matrices large; then the band is
/// divided.
const SAMPLES: [f64; 2] = [60.0, 180.0];
/// Later start of the second fit, relative to the window, and its rate of samples, relative to that of the first.
const SECOND: (f64, f64) = (0.125, 1.25);
/// Shortest window, in periods at the center of the band.
const PERIODS: f64 = 6.0;
/// Most windows: the shortest is 1/2^11 of the record.
const WINDOWS: u32 = 12;
/// Energy of a mode over the residual per sample, at least: of noise alone, the strongest of a hundred poles has less.
const STRENGTH: f64 = 60.0;
/// Largest difference of the rates s of two fits, in 1/window, and relative to the decay.
const AGREEMENT: (f64, f64) = (0.5, 0.1);
/// Amplitude relative to the strongest mode, at least: the filter lets less than that of others through.
const WEAK: f64 = 1e-4;
/// Smallest quality factor that is called a resonance.
const LEAST_Q: f64 = 1.0;
/// Errors in standard deviations: the bound is that of the best possible fit, which this one is close to.
const DEVIATIONS: f64 = 3.0;

/// A mode as one fit sees it.
struct Mode {
    /// −α + j2πf, 1/s.
    s: Complex64,
    deviation: f64,
    /// At the start of the record, of each channel, scaled.
    amplitudes: Vec<Complex64>,
}

/// The resonances that fits agree on.
pub fn find(channels: &[Channel<'_>], dt: f64, [low, high]: [f64; 2]) -> Vec<Resonance> {
    let len = channels.iter().map(|channel| channel.values.len()).min().unwrap_or(0);
    let record = dt * len as f64;
    let mut found: Vec<Resonance> = Vec::new();
    for level in 0..WINDOWS {
        let window = record / f64::from(1 << level);
        if window * f64::midpoint(low, high) < PERIODS || window < SAMPLES[0] * dt {
            break;
        }
        for resonance in agreed(channels, dt, [low, high], window) {
            merge(&mut found, resonance);
        }
    }
    let strongest = |r: &Resonance| r.amplitude * scale(channels, r.channel);
    let most = found.iter().map(strongest).fold(0.0, f64::max);
    found.retain(|r| strongest(r) > WEAK * most);
    found
}

fn scale(channels: &[Channel<'_>], index: usize) -> f64 {
    channels.iter().find(|channel| channel.index == index).map_or(0.0, |channel| channel.scale)
}

/// Resonances that both fits of a window have.
fn agreed(channels: &[Channel<'_>], dt: f64, [low, high]: [f64; 2], window: f64) -> Vec<Resonance> {
    let parts = ((high - low) * window / (2.0 * CLEAR * SAMPLES[1])).ceil().max(1.0);
    let width = (high - low) / parts;
    let part = |i: usize| {
        let from = low + width * i as f64;
        let rate = (width / (2.0 * CLEAR)).max(SAMPLES[0] / window);
        let center = from + 0.5 * width;
        let first = fit(channels, dt, (center, rate), [0.0, window]);
        let second = fit(channels, dt, (center, SECOND.1 * rate), [SECOND.0 * window, window]);
        let inside = |mode: &&Mode| (from..from + width).contains(&(mode.s.im / TAU));
        first.iter().filter(inside).filter_map(|mode| agree(mode, &second, channels, window)).collect()
    };
    (0..parts as usize).into_par_iter().map(part).collect::<Vec<Vec<Resonance>>>().concat()
}

/// The resonance of a mode, if the second fit has it, too.
fn agree(mode: &Mode, second: &[Mode], channels: &[Channel<'_>], window: f64) -> Option<Resonance> {
    let away = |other: &&Mode| (other.s - mode.s).norm();
    let other = second.iter().min_by(|a, b| away(a).total_cmp(&away(b)))?;
    let decay = -mode.s.re;
    if away(&other) > (AGREEMENT.0 / window).max(AGREEMENT.1 * decay)
        || PI * mode.s.im / TAU < LEAST_Q * decay
    {
        return None;
    }
    let error = away(&other).max(DEVIATIONS * mode.deviation.max(other.deviation));
    let best = (0..channels.len())
        .max_by(|&a, &b| mode.amplitudes[a].norm().total_cmp(&mode.amplitudes[b].norm()))?;
    Some(Resonance {
        frequency: mode.s.im / TAU,
        frequency_error: error / TAU,
        decay_rate: decay,
        decay_rate_error: error,
        amplitude: mode.amplitudes[best].norm() / channels[best].scale,
        channel: channels[best].index,
        window,
    })
}

/// The modes of a band of this center and sampling rate, Hz, from one time to another after the start, s.
fn fit(channels: &[Channel<'_>], dt: f64, (center, rate): (f64, f64), [from, to]: [f64; 2]) -> Vec<Mode> {
    let stride = ((1.0 / (dt * rate)) as usize).max(1);
    let first = (from / dt) as usize;
    let last = (to / dt) as usize;
    if (last - first) / stride < FILTER + 8 {
        return Vec::new();
    }
    let bands: Vec<Decimated> = channels
        .iter()
        .map(|channel| decimate(&channel.values[first..last.min(channel.values.len())], dt, center, stride))
        .collect();
    let start = dt * first as f64 + bands.first().map_or(0.0, |band| band.delay);
    let scaled = |(band, channel): (&Decimated, &Channel<'_>)| -> Vec<Complex64> {
        band.samples.iter().map(|y| y * channel.scale).collect()
    };
    let series: Vec<Vec<Complex64>> = bands.iter().zip(channels).map(scaled).collect();
    let step = dt * stride as f64;
    let mode = |pole: super::pencil::Pole| {
        let shifted = pole.z.ln() / step;
        // A real oscillation has half of its amplitude in the band; the phase counts from `first`.
        let factor = 2.0 / response(shifted, dt, stride) * (-shifted * start).exp();
        let amplitudes = pole.amplitudes.iter().map(|a| a * factor).collect();
        let s = shifted + Complex64::new(0.0, TAU * center);
        Mode { s, deviation: pole.deviation / step, amplitudes }
    };
    poles(&series).into_iter().filter(|pole| pole.strength > STRENGTH).map(mode).collect()
}
