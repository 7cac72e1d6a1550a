//! Partial fields: averaged cross-spectra as a sum of coherent fields p_k that are incoherent with each other, S = Σ p_k p_kᴴ + noise. Each can be
//! reconstructed like the field of a tone, and their powers add.
//!
//! **By principal components** they are the eigenvectors of S, times the roots of their eigenvalues, as far as these rise above those of noise that
//! is independent between microphones. Of such noise alone the largest eigenvalue of n independent windows at p microphones is around
//! σ²(√n + √p)²/n, with a distribution of Tracy and Widom (Johnstone, *Ann. Statist.* 29 (2001) 295): one after the other, eigenvalues are
//! compared with that (Kritchman and Nadler, *IEEE Trans. Signal Process.* 57 (2009) 3930). Where windows overlap, the edge of the eigenvalues is
//! farther up (Silverstein and Choi, *J. Multivar. Anal.* 54 (1995) 295).
//!
//! **By references**, sensors near the sources, they are what is coherent with the principal components of the references (Hald, *Brüel & Kjær Technical
//! Review* 1 (1989) 1): S_rr = U Λ Uᴴ, p_k = S_mr u_k/√λ_k. Noise of the microphones, and all sound that no reference sees, is averaged away.

use crate::cross_spectra::{CrossSpectrum, Windows};
use num_complex::Complex64;
use std::f64::consts::PI;

/// The 99 % quantile of the Tracy-Widom distribution of complex matrices (Bejan, *Largest eigenvalues and sample covariance matrices*, 2005, table 1).
const QUANTILE: f64 = 0.477_6;
/// Eigenvalues below this part of the largest are rounding errors.
const ROUNDING: f64 = 1e-10;
/// Points of an integral over the spectrum of correlations.
const ANGLES: usize = 256;
/// (√5 − 1)/2.
const GOLDEN: f64 = 0.618_033_988_749_894_9;
/// What is coherent by chance with a reference has a power that is exponentially distributed if it is one field: six of a thousand are above
/// this many times the mean.
const CHANCE: f64 = 5.0;

/// The partial fields of one frequency.
#[derive(Debug, Clone, PartialEq)]
pub struct PartialFields {
    /// The pressure of each at the microphones, Pa, by falling power.
    pub fields: Vec<Vec<Complex64>>,
    /// How many of them rise above noise; if none does, there is one field all the same.
    pub significant: usize,
    /// Power of the noise at a microphone, or of what no reference explains: the mean of its |p|², Pa².
    pub noise: f64,
    /// For each microphone, the part of its power that the fields have: with references, their multiple coherence.
    pub coherence: Vec<f64>,
    /// The same of all microphones together.
    pub explained: f64,
}

impl PartialFields {
    /// By principal components.
    pub fn principal(cross: &CrossSpectrum) -> Self {
        let eigen = cross.eigen();
        let values: Vec<f64> = eigen.iter().map(|(value, _)| value.max(0.0)).collect();
        let (significant, noise) = signals(&values, &cross.windows);
        let ratio = cross.channels as f64 / cross.windows.independent();
        // Without any signal the strongest component stands for the field.
        let field = |(value, vector): &(f64, Vec<Complex64>)| {
            let power = if significant == 0 { *value } else { signal_power(*value, noise, ratio) };
            vector.iter().map(|v| power.max(0.0).sqrt() * v).collect()
        };
        let fields = eigen.iter().take(significant.max(1)).map(field).collect();
        Self::new(fields, significant, noise, cross)
    }

    /// By references; `cross` has first the microphones, then the references.
    pub fn by_references(cross: &CrossSpectrum, microphones: usize) -> Self {
        let (own, references): (Vec<usize>, Vec<usize>) =
            (0..cross.channels).partition(|channel| *channel < microphones);
        let own_cross = cross.of(&own);
        let of_references = cross.of(&references).eigen();
        let largest = of_references.first().map_or(0.0, |first| first.0);
        let field = |(value, vector): &(f64, Vec<Complex64>)| -> Vec<Complex64> {
            let scale = 1.0 / value.sqrt();
            let coherent = |m: &usize| -> Complex64 {
                references.iter().zip(vector).map(|(r, v)| cross.at(*m, *r) * v).sum()
            };
            own.iter().map(|m| scale * coherent(m)).collect()
        };
        let components = of_references.iter().take_while(|(value, _)| *value > ROUNDING * largest);
        let mut fields: Vec<Vec<Complex64>> = components.map(field).collect();
        fields.sort_by(|a, b| power(b).total_cmp(&power(a)));
        let total = trace(&own_cross);
        let left = (total - fields.iter().map(|field| power(field)).sum::<f64>()).max(0.0);
        // As much as by chance is coherent with any signal.
        let least = CHANCE * left / cross.windows.independent();
        let significant = fields.iter().take_while(|field| power(field) > least).count();
        fields.truncate(significant.max(1));
        if fields.is_empty() {
            fields.push(vec![Complex64::ZERO; own.len()]);
        }
        Self::new(fields, significant, left / own.len().max(1) as f64, &own_cross)
    }

    fn new(fields: Vec<Vec<Complex64>>, significant: usize, noise: f64, cross: &CrossSpectrum) -> Self {
        let part = |m: usize| fields.iter().map(|field| field[m].norm_sqr()).sum::<f64>() / cross.at(m, m).re;
        let coherence = (0..cross.channels).map(|m| part(m).min(1.0)).collect();
        let explained = fields.iter().map(|field| power(field)).sum::<f64>() / trace(cross);
        Self { fields, significant, noise, coherence, explained: explained.min(1.0) }
    }
}

fn power(field: &[Complex64]) -> f64 {
    field.iter().map(Complex64::norm_sqr).sum()
}

fn trace(cross: &CrossSpectrum) -> f64 {
    (0..cross.channels).map(|m| cross.at(m, m).re).sum()
}

/// How many eigenvalues, falling, rise above noise, and the power of the noise at a channel.
fn signals(values: &[f64], windows: &Windows) -> (usize, f64) {
    let (channels, count) = (values.len() as f64, windows.count as f64);
    // k signals take k dimensions of channels and of windows along.
    let noise_after = |k: usize| {
        let left = (channels - k as f64) * (count - k as f64);
        values[k..].iter().sum::<f64>() * count / left
    };
    let independent = windows.independent();
    let rises = |k: &usize| {
        let (p, n) = (channels - *k as f64, count - *k as f64);
        // How far the largest eigenvalue of noise varies around the edge.
        let free = (independent - *k as f64).max(1.0);
        let spread = (free.sqrt() + p.sqrt()) * (1.0 / free.sqrt() + 1.0 / p.sqrt()).cbrt();
        let edge = edge(p / n, windows) * n + QUANTILE * spread;
        values[*k] * count > noise_after(*k) * edge && values[*k] > ROUNDING * values[0]
    };
    let most = values.len().min(windows.count).saturating_sub(1);
    let found = (0..most).take_while(rises).count();
    (found, noise_after(found))
}

/// The largest eigenvalue of (1/n) X T Xᴴ for large matrices X of unit noise, with a ratio c of their rows to their columns and the correlations T of
/// windows: the least of 1/x + mean(τ/(1 − cτx)) for 0 < cx < 1/max τ, with the eigenvalues τ of T; (1 + √c)² without overlap.
fn edge(ratio: f64, windows: &Windows) -> f64 {
    let eigenvalue = |i: usize| {
        let angle = PI * (i as f64 + 0.5) / ANGLES as f64;
        let terms = windows.correlations.iter().enumerate();
        1.0 + 2.0 * terms.map(|(l, rho)| rho * ((l + 1) as f64 * angle).cos()).sum::<f64>()
    };
    let spectrum: Vec<f64> = (0..ANGLES).map(|i| eigenvalue(i).max(0.0)).collect();
    let at =
        |x: f64| 1.0 / x + spectrum.iter().map(|t| t / (1.0 - ratio * t * x)).sum::<f64>() / ANGLES as f64;
    let highest = 1.0 / (ratio * spectrum.iter().copied().fold(0.0, f64::max));
    // Convex: the golden section.
    let (mut low, mut high) = (1e-9 * highest, (1.0 - 1e-9) * highest);
    for _ in 0..60 {
        let step = GOLDEN * (high - low);
        if at(high - step) < at(low + step) { high = low + step } else { low = high - step }
    }
    at(0.5 * (low + high))
}

/// The power of a signal whose eigenvalue is found among noise: l = (s + σ²)(1 + γσ²/s), with γ the ratio of channels to windows (Baik and Silverstein, *J.
/// Multivar. Anal.* 97 (2006) 1382).
fn signal_power(value: f64, noise: f64, ratio: f64) -> f64 {
    let above = value - noise * (1.0 + ratio);
    0.5 * (above + (above * above - 4.0 * ratio * noise * noise).max(0.0).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cross_spectra::CrossSpectrumSum;
    use crate::simulate::Noise;

    /// Without overlap the edge is that of Marchenko and Pastur; with it, between that and so many times as the correlations add up to.
    #[test]
    fn edges_of_noise() {
        for ratio in [0.05, 1.0, 20.0] {
            let apart = edge(ratio, &Windows { count: 100, correlations: Vec::new() });
            assert!((apart / (1.0 + ratio.sqrt()).powi(2) - 1.0).abs() < 1e-6, "{ratio}: {apart}");
            let overlapping = edge(ratio, &Windows { count: 100, correlations: vec![1.0 / 6.0] });
            assert!(overlapping > apart && overlapping < 4.0 / 3.0 * apart, "{ratio}: {overlapping}");
        }
    }

    /// Windows of two signals at `channels` microphones in noise of unit power; the last two channels are the signals themselves.
    fn windows(seed: u64, channels: usize, count: usize, strengths: [f64; 2]) -> CrossSpectrum {
        let mut random = Noise::new(seed, 0);
        let mut sum = CrossSpectrumSum::new(channels + 2);
        for _ in 0..count {
            let signals = [random.complex(1.0), random.complex(1.0)];
            let at = |m: usize, random: &mut Noise| {
                let shape = |k: usize| Complex64::from_polar(strengths[k], (m * (3 * k + 1)) as f64);
                signals[0] * shape(0) + signals[1] * shape(1) + random.complex(1.0)
            };
            let mut phasors: Vec<Complex64> = (0..channels).map(|m| at(m, &mut random)).collect();
            phasors.extend(signals);
            sum.add(&phasors);
        }
        sum.mean(1.0, &[])
    }

    fn microphones(cross: &CrossSpectrum) -> CrossSpectrum {
        cross.of(&(0..cross.channels - 2).collect::<Vec<_>>())
    }

    /// Over many seeds: the number of signals with many and with few windows, and noise of which all but a few are told to hold none.
    #[test]
    fn signals_are_told_from_noise() {
        let mut wrong = 0;
        for seed in 0..100 {
            for (channels, count) in [(24, 200), (24, 30), (40, 12)] {
                let found = |strengths| {
                    PartialFields::principal(&microphones(&windows(seed, channels, count, strengths)))
                };
                let both = found([3.0, 1.5]);
                assert!(both.significant >= 2, "{seed} {channels} {count}");
                wrong += usize::from(both.significant > 2);
                wrong += usize::from(found([0.0; 2]).significant > 0);
                assert!((both.noise - 1.0).abs() < 0.25, "{seed} {channels} {count}: {}", both.noise);
            }
        }
        // At a level of one in a hundred, six are expected; of twelve or fewer one is sure to 99 %.
        assert!(wrong <= 12, "{wrong} of 600");
    }

    /// Powers of the components are those of the signals, on the average without bias by the noise.
    #[test]
    fn powers_have_no_bias() {
        let (mut principal, mut referred) = (0.0, 0.0);
        let (channels, seeds) = (24, 200_u32);
        for seed in 0..seeds {
            let cross = windows(u64::from(seed), channels, 60, [1.0, 0.7]);
            let all = |fields: &PartialFields| fields.fields.iter().map(|field| power(field)).sum::<f64>();
            principal += all(&PartialFields::principal(&microphones(&cross))) / f64::from(seeds);
            referred += all(&PartialFields::by_references(&cross, channels)) / f64::from(seeds);
        }
        // Of both signals, and of noise that is by chance coherent with two references in 60 windows.
        let exact = channels as f64 * (1.0 + 0.49);
        assert!((principal / exact - 1.0).abs() < 0.03, "{principal} {exact}");
        let chance = channels as f64 * 2.0 / 60.0;
        assert!((referred / (exact + chance) - 1.0).abs() < 0.03, "{referred} {exact}");
    }

    /// References that hear one of two signals explain its part of the power.
    #[test]
    fn references_explain_what_they_hear() {
        let channels = 16;
        let cross = windows(5, channels, 4000, [2.0, 1.0]);
        let one: Vec<usize> = (0..=channels).collect();
        let found = PartialFields::by_references(&cross.of(&one), channels);
        assert_eq!((found.fields.len(), found.significant), (1, 1));
        // 4 of 4 + 1 + 1.
        assert!((found.explained - 2.0 / 3.0).abs() < 0.02, "{}", found.explained);
        assert!(found.coherence.iter().all(|part| (part - 2.0 / 3.0).abs() < 0.05));
        let both = PartialFields::by_references(&cross, channels);
        assert_eq!(both.fields.len(), 2);
        assert!((both.explained - 5.0 / 6.0).abs() < 0.02, "{}", both.explained);
        assert!((both.noise - 1.0).abs() < 0.05, "{}", both.noise);
    }

    /// Of a tone without noise all is one field, to the last digits.
    #[test]
    fn a_tone_is_one_field() {
        let mut sum = CrossSpectrumSum::new(9);
        let tone: Vec<Complex64> = (0..9).map(f64::from).map(|m| Complex64::from_polar(1.0 + m, m)).collect();
        for _ in 0..20 {
            sum.add(&tone);
        }
        let found = PartialFields::principal(&sum.mean(1.0, &[]));
        assert_eq!((found.fields.len(), found.significant), (1, 1));
        assert!((found.explained - 1.0).abs() < 1e-12 && found.noise < 1e-12);
        for (p, exact) in found.fields[0].iter().zip(&tone) {
            assert!((p.norm() - exact.norm()).abs() < 1e-9);
        }
        // Without any sound there is one field of no pressure.
        let mut silence = CrossSpectrumSum::new(4);
        silence.add(&[Complex64::ZERO; 4]);
        let silence = PartialFields::principal(&silence.mean(1.0, &[]));
        assert_eq!((silence.significant, silence.fields.len()), (0, 1));
    }
}
