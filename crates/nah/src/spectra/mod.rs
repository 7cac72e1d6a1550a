//! From what microphones hear to phasors at a few frequencies.
//!
//! A phasor is the amplitude of a tone: X = (4/N) Σ w_n (x_n − x̄) e^{−jωn} with Hann's window w, whose mean is a half. Phases are those at the
//! first sample of the window. What a filter of bits takes away from a tone is given back, size and phase.

mod front;
mod history;
mod ring;
mod walsh;
mod window;

pub use walsh::{Functions, Terms, Which};

use crate::input::Block;
use crate::scalar::Scalar;
use front::Front;
use num_complex::{Complex, Complex64};
use ring::Ring;
use std::f64::consts::TAU;
use walsh::Walsh;
pub(crate) use walsh::terms_of_bin;
use window::Window;
pub(crate) use window::hann;

/// How phasors are found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Way {
    /// Samples, or bits through a filter of integrators and combs; Hann's window; a fast transform of every microphone.
    Nominal {
        /// Whether a filter of samples after that of bits straightens its response, in place of a factor for each frequency.
        fir: bool,
    },
    /// The same with a dot product for each frequency in place of the transform.
    Dot,
    /// The one of these two that is faster for so many frequencies on this machine.
    Auto,
    /// The mean of every 32 bits as a sample; then as `Nominal`.
    Average,
    /// Walsh functions on the bits, the most important ones of each frequency. No window.
    Walsh(Terms),
    /// All Walsh functions: the discrete Fourier transform of the bits.
    WalshExact,
    /// The filter of `Nominal` by counts of masked bits, and Hann's window from neighboring bins.
    CicPopcount,
    /// Sums of each new block only, with those of earlier blocks kept in a ring.
    Hop,
}

/// How samples become spectra.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Analysis {
    /// How phasors are found.
    pub way: Way,
    /// Samples of a spectrum, after the decimation of bits.
    pub samples: usize,
    /// Samples from one spectrum to the next.
    pub hop: usize,
}

/// What an array hears, as an analyzer must know it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Format {
    /// How many microphones there are.
    pub microphones: usize,
    /// For streams of bits, the pressure of a stream of ones, Pa.
    pub bits: Option<f64>,
}

/// Bins of the discrete transform of N samples that are nearest to frequencies.
pub fn bins(frequencies: &[f64], rate: f64, samples: usize) -> Vec<usize> {
    frequencies.iter().map(|f| (f * samples as f64 / rate).round() as usize).collect()
}

/// Finds phasors of the last N samples, over and over.
pub struct Analyzer<T> {
    format: Format,
    /// Moments until there is a spectrum.
    missing: usize,
    front: Front,
    back: Back<T>,
    /// What phasors of each bin are multiplied by.
    factors: Vec<Complex<T>>,
    moments: Vec<f32>,
}

enum Back<T> {
    Window(Window),
    Ring(Ring<T>),
    Walsh(Walsh),
}

impl<T: Scalar> Analyzer<T> {
    /// For bins of the transform of `analysis.samples` samples.
    pub fn new(format: Format, analysis: &Analysis, bins: Vec<usize>) -> Self {
        let Analysis { way, samples, hop } = *analysis;
        let microphones = format.microphones;
        let front = front(format, way);
        let factors = factors(format, analysis, &bins).into_iter().map(T::complex_from_f64).collect();
        let missing = samples + front.lag();
        let back = match way {
            Way::Nominal { .. } | Way::Average => Back::Window(Window::fft(microphones, samples, bins)),
            Way::Dot => Back::Window(Window::dot(microphones, samples, bins)),
            Way::Auto => Back::Window(Window::faster(microphones, samples, bins)),
            Way::CicPopcount | Way::Hop => Back::Ring(Ring::new(microphones, samples, hop, bins)),
            Way::Walsh(terms) => Back::Walsh(Walsh::new(microphones, samples, &bins, Some(terms))),
            Way::WalshExact => Back::Walsh(Walsh::new(microphones, samples, &bins, None)),
        };
        Self { format, missing, front, back, factors, moments: Vec::new() }
    }

    /// How many microphones there are.
    pub fn microphones(&self) -> usize {
        self.format.microphones
    }

    /// Takes a block of moments; with `Hop` and `CicPopcount` always as many as the hop has. A block of the other kind, samples for bits
    /// or bits for samples, is left out.
    pub fn push(&mut self, block: Block<'_>) {
        let moments = match (block, &mut self.back) {
            (Block::Words(words), Back::Walsh(walsh)) => {
                walsh.push(words);
                words.len()
            }
            (Block::Samples(samples), back) if self.format.bits.is_none() => {
                back.push(samples);
                samples.len()
            }
            (Block::Words(words), back) if self.format.bits.is_some() => {
                self.front.run(words, self.format.microphones, &mut self.moments);
                back.push(&self.moments);
                words.len()
            }
            _ => 0,
        };
        self.missing = self.missing.saturating_sub(moments / self.format.microphones.max(1));
    }

    /// Whether there are enough samples for a spectrum.
    pub fn is_full(&self) -> bool {
        self.missing == 0
    }

    /// Phasors of all microphones at the first bin, then at the next.
    pub fn spectra(&mut self, phasors: &mut [Complex<T>]) {
        match &mut self.back {
            Back::Window(window) => window.spectra(phasors),
            Back::Ring(ring) => ring.spectra(phasors),
            Back::Walsh(walsh) => walsh.spectra(phasors),
        }
        if self.format.bits.is_some() {
            for (of_bin, factor) in phasors.chunks_exact_mut(self.format.microphones).zip(&self.factors) {
                for p in of_bin {
                    *p = *p * *factor;
                }
            }
        }
    }
}

impl<T: Scalar> Back<T> {
    fn push(&mut self, moments: &[f32]) {
        match self {
            Self::Window(window) => window.push(moments),
            Self::Ring(ring) => ring.push(moments),
            // Walsh functions are for bits, which came another way.
            Self::Walsh(_) => {}
        }
    }
}

/// What stands between the stream and the transform.
fn front(format: Format, way: Way) -> Front {
    let microphones = format.microphones;
    match (format.bits, way) {
        (None, _) => Front::Samples,
        (Some(_), Way::Average) => Front::Average,
        (Some(_), Way::Walsh(_) | Way::WalshExact) => Front::None,
        (Some(_), Way::CicPopcount | Way::Hop) => Front::counts(microphones),
        (Some(_), Way::Nominal { fir }) => Front::filter(microphones, fir),
        (Some(_), Way::Dot | Way::Auto) => Front::filter(microphones, false),
    }
}

/// What phasors of each bin are multiplied by: what the filter of bits takes is given back.
pub(crate) fn factors(format: Format, analysis: &Analysis, bins: &[usize]) -> Vec<Complex64> {
    let front = front(Format { microphones: 0, ..format }, analysis.way);
    let scale = format.bits.unwrap_or(1.0);
    bins.iter().map(|k| scale * front.factor(*k as f64 / analysis.samples as f64)).collect()
}

/// Moments that are heard before the first spectrum begins.
pub(crate) fn lag(format: Format, way: Way) -> usize {
    front(Format { microphones: 0, ..format }, way).lag()
}

/// e^{jωn} at so many cycles a sample.
fn turned(cycles: f64, samples: f64) -> Complex64 {
    Complex64::from_polar(1.0, TAU * cycles * samples)
}
