//! Microphones as they are: gains and phases that differ, samples that cannot be, and microphones that hear nothing.

use crate::input::Input;
use crate::scalar::Scalar;
use num_complex::{Complex, Complex64};

/// A microphone that hears less than this part of what half of them hear is dead: 60 dB.
const SILENT: f64 = 1e-3;
/// Neighbors that a dead microphone is filled in from.
const NEIGHBORS: usize = 4;
/// Moments that are looked at for silence: enough for a second at common rates.
const MOMENTS: usize = 65_536;

/// What is wrong with the samples of an input.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Faults {
    /// Samples that reach the largest value there is.
    pub clipped: u64,
    /// Samples that are not numbers, or infinite; they count as silence.
    pub not_finite: u64,
    /// Microphones that hear nothing.
    pub dead: Vec<usize>,
}

/// Looks through an input, and makes silence of what is not finite.
pub fn inspect(input: &mut Input) -> Faults {
    let mut faults = Faults::default();
    match input {
        Input::Samples(samples) => {
            let limit = samples.full_scale.unwrap_or(f32::INFINITY);
            for value in &mut samples.values {
                if !value.is_finite() {
                    faults.not_finite += 1;
                    *value = 0.0;
                } else if value.abs() >= limit {
                    faults.clipped += 1;
                }
            }
            let mut census = Census::new(samples.microphones);
            census.add_samples(&samples.values[..samples.values.len().min(MOMENTS * samples.microphones)]);
            faults.dead = census.dead();
        }
        Input::Bits(bits) => {
            let mut census = Census::new(bits.microphones);
            census.add_words(&bits.words[..bits.words.len().min(MOMENTS * bits.microphones)]);
            faults.dead = census.dead();
        }
        // Of what is yet to come nothing is known.
        Input::Stream(_) => {}
        Input::Spectra(spectra) => {
            let mut sizes = vec![0.0; spectra.first().map_or(0, |s| s.pressure.len())];
            for value in spectra.iter_mut().flat_map(|s| &mut s.pressure) {
                if !value.is_finite() {
                    faults.not_finite += 1;
                    *value = Complex64::ZERO;
                }
            }
            for spectrum in spectra.iter() {
                sizes.iter_mut().zip(&spectrum.pressure).for_each(|(size, p)| *size += p.norm());
            }
            faults.dead = silent(&sizes);
        }
    }
    faults
}

/// How much each microphone hears.
pub struct Census {
    microphones: usize,
    /// Samples and their squares, summed; for bits, how many differ from the first word of their microphone.
    sums: Vec<[f64; 2]>,
    moments: f64,
    first: Vec<u32>,
}

impl Census {
    /// Nothing is heard yet.
    pub fn new(microphones: usize) -> Self {
        Self { microphones, sums: vec![[0.0; 2]; microphones], moments: 0.0, first: Vec::new() }
    }

    /// Adds samples of all microphones, moment by moment.
    pub fn add_samples(&mut self, samples: &[f32]) {
        for moment in samples.chunks_exact(self.microphones.max(1)) {
            self.moments += 1.0;
            for (sum, value) in self.sums.iter_mut().zip(moment) {
                sum[0] += f64::from(*value);
                sum[1] += f64::from(*value).powi(2);
            }
        }
    }

    /// Adds words of all microphones. A stream that never changes its words is stuck; modulators at rest alternate, but not word by word
    /// forever.
    pub fn add_words(&mut self, words: &[u32]) {
        if self.first.is_empty() {
            self.first = words[..self.microphones.min(words.len())].to_vec();
        }
        for frame in words.chunks_exact(self.microphones.max(1)) {
            self.moments += 1.0;
            for (sum, (word, first)) in self.sums.iter_mut().zip(frame.iter().zip(&self.first)) {
                sum[1] += f64::from((word ^ first).count_ones());
            }
        }
    }

    /// Moments that were added.
    pub fn moments(&self) -> f64 {
        self.moments
    }

    /// Microphones that hear nothing: by the standard deviation of samples, or by the changes of bits.
    pub fn dead(&self) -> Vec<usize> {
        let size = |[sum, squares]: &[f64; 2]| {
            let mean = sum / self.moments;
            if self.first.is_empty() {
                (squares / self.moments - mean * mean).max(0.0).sqrt()
            } else {
                *squares
            }
        };
        silent(&self.sums.iter().map(size).collect::<Vec<f64>>())
    }
}

fn silent(sizes: &[f64]) -> Vec<usize> {
    let mut sorted = sizes.to_vec();
    sorted.sort_by(f64::total_cmp);
    // Of those that hear anything at all, since most may be dead.
    let alive = &sorted[sorted.partition_point(|size| *size <= 0.0)..];
    let usual = alive.get(alive.len() / 2).copied().unwrap_or(f64::INFINITY);
    (0..sizes.len()).filter(|m| sizes[*m] < SILENT * usual).collect()
}

/// Puts phasors right: calibrated, and with dead microphones filled in from their neighbors.
pub struct Mend<T> {
    factors: Option<Vec<Complex<T>>>,
    /// A dead microphone, and those that fill it in, with their shares.
    fills: Vec<(usize, Vec<(usize, T)>)>,
}

impl<T: Scalar> Mend<T> {
    /// For microphones at places, some of them dead; `factors` are what phasors are multiplied by.
    pub fn new(places: &[[f64; 2]], factors: Option<&[Complex64]>, dead: &[usize]) -> Self {
        let alive: Vec<usize> = (0..places.len()).filter(|m| !dead.contains(m)).collect();
        let fill = |m: &usize| {
            let distance = |n: usize| (places[n][0] - places[*m][0]).hypot(places[n][1] - places[*m][1]);
            let mut near: Vec<(usize, f64)> = alive.iter().map(|n| (*n, distance(*n))).collect();
            near.sort_by(|a, b| a.1.total_cmp(&b.1));
            near.truncate(NEIGHBORS);
            let weight = |(_, distance): &(usize, f64)| 1.0 / (distance * distance).max(f64::MIN_POSITIVE);
            let total: f64 = near.iter().map(weight).sum();
            (*m, near.iter().map(|near| (near.0, T::rounded(weight(near) / total))).collect())
        };
        let factors = factors.map(|all| all.iter().map(|f| T::complex_from_f64(*f)).collect());
        Self { factors, fills: dead.iter().map(fill).collect() }
    }

    /// Puts the phasors of one frequency right.
    pub fn run(&self, phasors: &mut [Complex<T>]) {
        if let Some(factors) = &self.factors {
            phasors.iter_mut().zip(factors).for_each(|(p, factor)| *p = *p * *factor);
        }
        for (dead, near) in &self.fills {
            let zero = Complex::new(T::zero(), T::zero());
            phasors[*dead] = near.iter().fold(zero, |sum, (m, share)| sum + phasors[*m] * *share);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Samples;

    fn samples(values: Vec<f32>) -> Input {
        Input::Samples(Samples { rate: 48e3, microphones: 3, values, full_scale: Some(1.0) })
    }

    #[test]
    fn faults_are_counted_and_dead_microphones_found() {
        let wave = |n: usize| (0.3 * n as f32).sin();
        let mut values: Vec<f32> = (0..300).flat_map(|n| [0.5 * wave(n), 0.7, 0.4 * wave(n)]).collect();
        (values[0], values[5], values[6]) = (f32::NAN, 1.0, -1.0);
        let mut input = samples(values);
        let faults = inspect(&mut input);
        assert_eq!((faults.clipped, faults.not_finite), (2, 1));
        // The one in the middle has an offset and nothing else.
        assert_eq!(faults.dead, [1]);
        let Input::Samples(samples) = input else { panic!("samples") };
        assert_eq!(samples.values[0], 0.0);
    }

    #[test]
    fn silence_everywhere_is_an_array_of_dead_microphones() {
        assert_eq!(inspect(&mut samples(vec![0.25; 30])).dead, [0, 1, 2]);
    }

    /// A field that is linear over the array is filled in exactly.
    #[test]
    fn dead_microphones_take_the_mean_of_their_neighbors() {
        let places: Vec<[f64; 2]> = (0..25).map(|i| [f64::from(i % 5), f64::from(i / 5)]).collect();
        let field = |[x, y]: [f64; 2]| Complex64::new(1.0 + 0.3 * x, 0.2 * y - 0.1 * x);
        let mut phasors: Vec<Complex64> = places.iter().map(|p| 0.5 * field(*p)).collect();
        phasors[12] = Complex64::ZERO;
        Mend::<f64>::new(&places, Some(&[Complex64::new(2.0, 0.0); 25]), &[12]).run(&mut phasors);
        for (p, place) in phasors.iter().zip(places) {
            assert!((p - field(place)).norm() < 1e-14);
        }
    }
}
