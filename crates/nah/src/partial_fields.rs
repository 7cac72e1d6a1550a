//! Partial fields: averaged cross-spectra as a sum of coherent fields p_k that are incoherent with each other, S = Σ p_k p_kᴴ + noise. Each can be
//! reconstructed like the field of a tone, and their powers add.
//!
//! **By principal components** they are the eigenvectors of S, times the roots of their eigenvalues, as far as these rise above those of noise that
//! is independent between microphones. Of such noise alone the largest eigenvalue of n independent windows at p microphones is around
//! σ²(√n + √p)²/n, with a distribution of Tracy and Widom (Johnstone, *Ann. Statist.* 29 (2001) 295): one after the other, eigenvalues are
//! compared with that (Kritchman and Nadler, *IEEE Trans. Signal Process.* 57 (2009) 3930). Where windows overlap, the edge of the eigenvalues is
//! farther up (Silverstein and Choi, *J. Multivar. Anal.* 54 (1995) 295).
//!
//! Microphones differ in their noise, which many windows show: each is divided by what no other predicts of it, the root of 1/(S⁻¹)_mm.
//!
//! **By references**, sensors near the sources, they are what is coherent with the principal components of the references (Hald, *Brüel & Kjær Technical
//! Review* 1 (1989) 1): S_rr = U Λ Uᴴ, p_k = S_mr u_k/√λ_k. Noise of the microphones, and all sound that no reference sees, is averaged away to the part
//! 1/n of its power for each reference; the fields are freed of its mean.

use crate::cross_spectra::{CrossSpectrum, Windows};
use crate::dense::{Factor, Matrix};
use num_complex::Complex64;
use phasefront_core::FieldError;

/// The 99 % quantile of the Tracy-Widom distribution of complex matrices (Bejan, *Largest eigenvalues and sample covariance matrices*, 2005, table 1).
const QUANTILE: f64 = 0.477_6;
/// Eigenvalues below this part of the largest are rounding errors.
const ROUNDING: f64 = 1e-10;
/// (√5 − 1)/2.
const GOLDEN: f64 = 0.618_033_988_749_894_9;
/// How likely it is to take for a field what is coherent by chance with one of the references.
const CHANCE: f64 = 0.01;
/// The weakest fields that together have less than this part of the power are left out: 0.0004 dB.
const NEGLIGIBLE: f64 = 1e-4;
/// Windows for each microphone from which on the noise of single ones can be told.
const FEWEST: f64 = 2.0;

/// The partial fields of one frequency.
#[derive(Debug, Clone, PartialEq)]
pub struct PartialFields {
    /// The pressure of each at the microphones, Pa, by falling power.
    pub fields: Vec<Vec<Complex64>>,
    /// How many rise above noise, those included that are left out since they have next to no power. If none does, there is one field all the same.
    pub significant: usize,
    /// Power of the noise at a microphone, or of what no reference explains: the mean of its |p|², Pa².
    pub noise: f64,
    /// For each microphone, the part of its power that the fields have: with references, their multiple coherence.
    pub coherence: Vec<f64>,
    /// The same of all microphones together.
    pub explained: f64,
    /// Power at each microphone that is in no field, |p|² in Pa².
    pub rest: Vec<f64>,
}

impl PartialFields {
    /// By principal components.
    pub fn principal(cross: &CrossSpectrum) -> Result<Self, FieldError> {
        let independent = cross.windows.independent();
        let noises = relative_noise(cross);
        let inverses: Vec<f64> = noises.iter().map(|noise| 1.0 / noise).collect();
        let eigen = cross.scaled(&inverses).eigen()?;
        let values: Vec<f64> = eigen.iter().map(|(value, _)| value.max(0.0)).collect();
        let (significant, noise) = signals(&values, &cross.windows);
        let ratio = cross.channels as f64 / independent;
        // Without any signal the strongest component stands for the field.
        let field = |(value, vector): &(f64, Vec<Complex64>)| {
            let power = if significant == 0 { *value } else { signal_power(*value, noise, ratio) };
            let scale = power.max(0.0).sqrt();
            vector.iter().zip(&noises).map(|(v, noise)| scale * noise * v).collect()
        };
        let fields = eigen.iter().take(significant.max(1)).map(field).collect();
        // The mean of the squares of relative noises is one.
        Ok(Self::new(strongest(fields), significant, noise, cross))
    }

    /// By references; `cross` has first the microphones, then the references.
    pub fn by_references(cross: &CrossSpectrum, microphones: usize) -> Result<Self, FieldError> {
        let own: Vec<usize> = (0..microphones).collect();
        let own_cross = cross.of(&own);
        let mut fields = coherent_fields(cross, &own)?;
        // As many dimensions of the windows as there are references seem to be coherent.
        let independent = cross.windows.independent();
        let free = independent - fields.len() as f64;
        let explained = fields.iter().map(|field| power(field)).sum::<f64>();
        let left = (own_cross.trace() - explained).max(0.0);
        let noise = if free > 0.0 { left * independent / free } else { f64::INFINITY };
        let by_chance = noise / independent;
        // The power of one field by chance is exponentially distributed.
        let least = by_chance * (fields.len().max(1) as f64 / CHANCE).ln();
        fields.sort_by(|a, b| power(b).total_cmp(&power(a)));
        let significant = fields.iter().take_while(|field| power(field) > least).count();
        fields.truncate(significant);
        for field in &mut fields {
            let share = (1.0 - by_chance / power(field)).max(0.0).sqrt();
            for p in field {
                *p *= share;
            }
        }
        if fields.is_empty() {
            fields.push(vec![Complex64::ZERO; own.len()]);
        }
        let noise = noise.min(own_cross.trace()) / own.len().max(1) as f64;
        Ok(Self::new(strongest(fields), significant, noise, &own_cross))
    }

    fn new(fields: Vec<Vec<Complex64>>, significant: usize, noise: f64, cross: &CrossSpectrum) -> Self {
        // Without power there is nothing to explain.
        let part = |found: f64, all: f64| if all > 0.0 { (found / all).min(1.0) } else { 0.0 };
        let at = |m: usize| fields.iter().map(|field| field[m].norm_sqr()).sum::<f64>();
        let coherence = (0..cross.channels).map(|m| part(at(m), cross.at(m, m).re)).collect();
        let rest = (0..cross.channels).map(|m| (cross.at(m, m).re - at(m)).max(0.0)).collect();
        let explained = part(fields.iter().map(|field| power(field)).sum(), cross.trace());
        Self { fields, significant, noise, coherence, explained, rest }
    }
}

/// What is coherent with each principal component of the references, which are all channels but the first ones.
fn coherent_fields(cross: &CrossSpectrum, own: &[usize]) -> Result<Vec<Vec<Complex64>>, FieldError> {
    let references: Vec<usize> = (own.len()..cross.channels).collect();
    // They may have any units; one without a signal has no say.
    let scale = |r: &usize| if cross.at(*r, *r).re > 0.0 { 1.0 / cross.at(*r, *r).re.sqrt() } else { 0.0 };
    let scales: Vec<f64> = references.iter().map(scale).collect();
    let components = cross.of(&references).scaled(&scales).eigen()?;
    let largest = components.first().map_or(0.0, |first| first.0);
    let field = |(value, vector): &(f64, Vec<Complex64>)| -> Vec<Complex64> {
        let coherent = |m: &usize| -> Complex64 {
            let all = references.iter().zip(&scales).zip(vector);
            all.map(|((r, scale), v)| cross.at(*m, *r) * scale * v).sum()
        };
        own.iter().map(|m| coherent(m) / value.sqrt()).collect()
    };
    Ok(components.iter().filter(|(value, _)| *value > ROUNDING * largest).map(field).collect())
}

/// By falling power, without those that do not matter.
fn strongest(mut fields: Vec<Vec<Complex64>>) -> Vec<Vec<Complex64>> {
    fields.sort_by(|a, b| power(b).total_cmp(&power(a)));
    let total: f64 = fields.iter().map(|field| power(field)).sum();
    let mut left = total;
    let mut matters = |field: &&Vec<Complex64>| {
        let matters = left > NEGLIGIBLE * total;
        left -= power(field);
        matters
    };
    let count = fields.iter().take_while(|field| matters(field)).count();
    fields.truncate(count.max(1));
    fields
}

/// The noise of each microphone relative to the root of its mean square: one for all where there are too few windows to tell.
fn relative_noise(cross: &CrossSpectrum) -> Vec<f64> {
    let n = cross.channels;
    let equal = vec![1.0; n];
    if cross.windows.independent() < FEWEST * n as f64 {
        return equal;
    }
    let matrix = Matrix { columns: n, values: cross.values.clone() };
    // Without noise the matrix is singular.
    let Some(factor) = Factor::new(&matrix, ROUNDING * cross.trace() / n as f64) else { return equal };
    let noises: Vec<f64> = factor.inverse_diagonal().iter().map(|inverse| 1.0 / inverse.sqrt()).collect();
    let mean = (noises.iter().map(|noise| noise * noise).sum::<f64>() / n as f64).sqrt();
    if noises.iter().all(|noise| noise.is_normal()) {
        noises.into_iter().map(|noise| noise / mean).collect()
    } else {
        equal
    }
}

fn power(field: &[Complex64]) -> f64 {
    field.iter().map(Complex64::norm_sqr).sum()
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
    let spectrum = windows.spectrum();
    let rises = |k: &usize| {
        let (p, n) = (channels - *k as f64, count - *k as f64);
        // How far the largest eigenvalue of noise varies around the edge.
        let free = (independent - *k as f64).max(1.0);
        let spread = (free.sqrt() + p.sqrt()) * (1.0 / free.sqrt() + 1.0 / p.sqrt()).cbrt();
        let edge = edge(p / n, &spectrum) * n + QUANTILE * spread * count / independent;
        values[*k] * count > noise_after(*k) * edge && values[*k] > ROUNDING * values[0]
    };
    let most = values.len().min(windows.count).saturating_sub(1);
    let found = (0..most).take_while(rises).count();
    (found, noise_after(found))
}

/// The largest eigenvalue of (1/n) X T Xᴴ for large matrices X of unit noise, with a ratio c of their rows to their columns and the correlations T of
/// windows: the least of 1/x + mean(τ/(1 − cτx)) for 0 < cx < 1/max τ, with the eigenvalues τ of T; (1 + √c)² without overlap.
fn edge(ratio: f64, spectrum: &[f64]) -> f64 {
    let mean =
        |x: f64| spectrum.iter().map(|t| t / (1.0 - ratio * t * x)).sum::<f64>() / spectrum.len() as f64;
    let at = |x: f64| 1.0 / x + mean(x);
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
            let apart = edge(ratio, &Windows { count: 100, correlations: Vec::new() }.spectrum());
            assert!((apart / (1.0 + ratio.sqrt()).powi(2) - 1.0).abs() < 1e-6, "{ratio}: {apart}");
            let overlapping = edge(ratio, &Windows { count: 100, correlations: vec![1.0 / 6.0] }.spectrum());
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
                    let cross = microphones(&windows(seed, channels, count, strengths));
                    PartialFields::principal(&cross).unwrap()
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
            principal += all(&PartialFields::principal(&microphones(&cross)).unwrap()) / f64::from(seeds);
            referred += all(&PartialFields::by_references(&cross, channels).unwrap()) / f64::from(seeds);
        }
        let exact = channels as f64 * (1.0 + 0.49);
        assert!((principal / exact - 1.0).abs() < 0.03, "{principal} {exact}");
        assert!((referred / exact - 1.0).abs() < 0.03, "{referred} {exact}");
    }

    /// References that hear one of two signals explain its part of the power.
    #[test]
    fn references_explain_what_they_hear() {
        let channels = 16;
        let cross = windows(5, channels, 4000, [2.0, 1.0]);
        let one: Vec<usize> = (0..=channels).collect();
        let found = PartialFields::by_references(&cross.of(&one), channels).unwrap();
        assert_eq!((found.fields.len(), found.significant), (1, 1));
        // 4 of 4 + 1 + 1.
        assert!((found.explained - 2.0 / 3.0).abs() < 0.02, "{}", found.explained);
        assert!(found.coherence.iter().all(|part| (part - 2.0 / 3.0).abs() < 0.05));
        let both = PartialFields::by_references(&cross, channels).unwrap();
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
        let found = PartialFields::principal(&sum.mean(1.0, &[])).unwrap();
        assert_eq!((found.fields.len(), found.significant), (1, 1));
        assert!((found.explained - 1.0).abs() < 1e-12 && found.noise < 1e-12);
        for (p, exact) in found.fields[0].iter().zip(&tone) {
            assert!((p.norm() - exact.norm()).abs() < 1e-9);
        }
        // Without any sound there is one field of no pressure.
        let mut silence = CrossSpectrumSum::new(4);
        silence.add(&[Complex64::ZERO; 4]);
        let silence = PartialFields::principal(&silence.mean(1.0, &[])).unwrap();
        assert_eq!((silence.significant, silence.fields.len()), (0, 1));
        assert!(silence.explained == 0.0 && silence.coherence.iter().all(|part| *part == 0.0));
    }

    /// Microphones whose noise differs by some 3 dB in many windows: no field in noise alone, and two where there are two.
    #[test]
    fn noise_may_differ_between_microphones() {
        let mut wrong = 0;
        for seed in 0..20 {
            let mut random = Noise::new(seed, 9);
            let gains: Vec<f64> = (0..24).map(|_| 10_f64.powf(0.15 * random.complex(2.0).re)).collect();
            let found = |strengths| {
                let cross = microphones(&windows(seed, 24, 3000, strengths)).scaled(&gains);
                PartialFields::principal(&cross).unwrap().significant
            };
            assert!(found([2.0, 0.5]) >= 2, "{seed}");
            wrong += usize::from(found([2.0, 0.5]) > 2) + usize::from(found([0.0; 2]) > 0);
        }
        // Of forty, 0.4 are expected.
        assert!(wrong <= 3, "{wrong} of 40");
    }

    /// One source that none of the references hears: what is coherent by chance is no field, however many references and few windows there are.
    #[test]
    fn chance_is_no_field() {
        let mut wrong = 0;
        for seed in 0..50 {
            for (references, count) in [(2, 89), (8, 40), (8, 8)] {
                let mut random = Noise::new(seed, 3);
                let mut sum = CrossSpectrumSum::new(12 + references);
                for _ in 0..count {
                    let mut all = vec![random.complex(1.0); 12];
                    all.extend((0..references).map(|_| random.complex(1.0)));
                    sum.add(&all);
                }
                let found = PartialFields::by_references(&sum.mean(1.0, &[]), 12).unwrap();
                wrong += usize::from(found.significant > 0);
            }
        }
        // One and a half are expected, and more of few windows, whose residual varies.
        assert!(wrong <= 6, "{wrong} of 150");
    }
}
