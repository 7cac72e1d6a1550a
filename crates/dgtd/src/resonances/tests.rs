//! Random sums of damped sinusoids with noise. Odd seeds below 1000 served to set the constants of the
//! method; even ones from 1000 on judge it.

use super::*;
use std::f64::consts::{PI, TAU};

/// A small generator (SplitMix64), of its own so that the study does not depend on others.
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().max(1e-300).ln()).sqrt() * (TAU * self.uniform()).cos()
    }
}

/// A mode.
#[derive(Debug, Clone, Copy)]
struct True {
    f: f64,
    q: f64,
}

/// A record of modes in and around 0.8 to 1.2 GHz, two channels, with noise of this size, and what is in it.
fn sample(seed: u64, noise: f64) -> (Vec<Record>, f64, Vec<True>) {
    let mut random = Random(seed);
    let dt = 2.5e-11;
    let len = random.between(4e3, 4e4) as usize;
    let inside = 1 + (random.uniform() * 5.0) as usize;
    let record = dt * len as f64;
    let mut modes: Vec<True> = Vec::new();
    while modes.len() < inside {
        let f = random.between(0.82e9, 1.18e9);
        let q = 10_f64.powf(random.between(1.3, 3.5));
        // Modes closer than half of what the record resolves, and than half of their width, are one to anybody.
        let apart = |m: &True| (m.f - f).abs() > (0.5 / record).max(0.5 * (f / q).max(m.f / m.q));
        if modes.iter().all(apart) {
            modes.push(True { f, q });
        }
    }
    let mut channels = vec![vec![0.0; len]; 2];
    let others = [0.3e9, 0.62e9, 1.43e9, 2.1e9, 3.7e9].map(|f| True { f, q: 150.0 });
    for mode in modes.iter().chain(&others) {
        for channel in &mut channels {
            let (a, phase) = (random.between(0.2, 1.0), TAU * random.uniform());
            for (i, value) in channel.iter_mut().enumerate() {
                let t = dt * i as f64;
                *value += a * (-PI * mode.f / mode.q * t).exp() * (TAU * mode.f * t + phase).cos();
            }
        }
    }
    for value in channels.iter_mut().flatten() {
        *value += noise * random.normal();
    }
    (vec![Record { channels }], dt, modes)
}

/// Counts of a study.
#[derive(Debug, Default)]
struct Score {
    modes: usize,
    found: usize,
    spurious: usize,
    /// Of those found: with a frequency, and with a Q, within the error that is told.
    frequencies_covered: usize,
    qualities: usize,
    qualities_covered: usize,
}

fn study(seeds: impl Iterator<Item = u64>, noise: f64) -> Score {
    let mut score = Score::default();
    for seed in seeds {
        let (records, dt, modes) = sample(seed, noise);
        let found = resonances(&records, dt, [0.8e9, 1.2e9]);
        let mut taken = vec![false; found.len()];
        for mode in &modes {
            score.modes += 1;
            let width = 0.25 * mode.f / mode.q;
            let nearest = (0..found.len()).filter(|&i| !taken[i]).min_by(|&a, &b| {
                (found[a].frequency - mode.f).abs().total_cmp(&(found[b].frequency - mode.f).abs())
            });
            let near =
                |i: &usize| (found[*i].frequency - mode.f).abs() < width.max(3.0 * found[*i].frequency_error);
            let Some(i) = nearest.filter(near) else { continue };
            taken[i] = true;
            score.found += 1;
            let r = found[i];
            score.frequencies_covered += usize::from((r.frequency - mode.f).abs() <= r.frequency_error);
            if let Some((q, error)) = r.q().zip(r.q_error()) {
                score.qualities += 1;
                score.qualities_covered += usize::from((q - mode.q).abs() <= error);
            }
        }
        score.spurious += taken.iter().filter(|taken| !**taken).count();
    }
    score
}

/// Of 40 records that served to set nothing, at each level of noise per sample; amplitudes are 0.2 to 1, and most modes have decayed to
/// nothing long before a record ends.
#[test]
fn resonances_are_found_and_no_others() {
    for (noise, found, spurious) in
        [(0.0, 1.0, 0), (1e-6, 1.0, 0), (1e-3, 1.0, 0), (1e-2, 0.98, 1), (0.1, 0.85, 2)]
    {
        let score = study((0..40).map(|i| 1000 + 2 * i), noise);
        let share = |part: usize, all: usize| part as f64 / all as f64;
        assert!(share(score.found, score.modes) >= found, "noise {noise}: {score:?}");
        assert!(score.spurious <= spurious, "noise {noise}: {score:?}");
        assert!(share(score.frequencies_covered, score.found) >= 0.95, "noise {noise}: {score:?}");
        assert!(share(score.qualities_covered, score.qualities) >= 0.95, "noise {noise}: {score:?}");
    }
}

fn ring(modes: &[True], len: usize, dt: f64) -> Vec<Record> {
    let value = |i: usize| {
        let t = dt * i as f64;
        modes.iter().map(|m| (-PI * m.f / m.q * t).exp() * (TAU * m.f * t).cos()).sum()
    };
    vec![Record { channels: vec![(0..len).map(value).collect()] }]
}

/// Two modes a fifth of their width apart: one maximum of the spectrum.
#[test]
fn two_close_modes_are_two() {
    let modes = [True { f: 1e9, q: 100.0 }, True { f: 1.002e9, q: 120.0 }];
    let found = resonances(&ring(&modes, 20_000, 2.5e-11), 2.5e-11, [0.9e9, 1.1e9]);
    assert_eq!(found.len(), 2, "{found:?}");
    for (found, mode) in found.iter().zip(modes) {
        assert!((found.frequency / mode.f - 1.0).abs() < 1e-5, "{found:?}");
        assert!((found.q().unwrap() / mode.q - 1.0).abs() < 0.01, "{found:?}");
    }
}

/// In 50 periods a Q of a million loses 0.02 % of its amplitude: with noise of 1e-3 its frequency can be told, and a bound of Q.
#[test]
fn a_short_record_tells_no_quality() {
    let mut random = Random(5);
    let mut records = ring(&[True { f: 1e9, q: 1e6 }], 2000, 2.5e-11);
    records[0].channels[0].iter_mut().for_each(|value| *value += 1e-3 * random.normal());
    let found = resonances(&records, 2.5e-11, [0.9e9, 1.1e9]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!((found[0].frequency - 1e9).abs() < found[0].frequency_error.min(1e5), "{found:?}");
    assert_eq!(found[0].q(), None);
    assert!(found[0].least_q() > 1e4 && found[0].least_q() < 1e6, "{found:?}");
}

#[test]
fn nothing_rings_in_noise() {
    let mut random = Random(7);
    let channels = vec![(0..20_000).map(|_| random.normal()).collect()];
    assert_eq!(resonances(&[Record { channels }], 2.5e-11, [0.9e9, 1.1e9]), []);
    assert_eq!(resonances(&[], 2.5e-11, [0.9e9, 1.1e9]), []);
    assert_eq!(resonances(&[Record { channels: vec![vec![0.0; 500]] }], 2.5e-11, [0.9e9, 1.1e9]), []);
}
