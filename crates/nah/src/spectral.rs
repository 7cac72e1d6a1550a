//! Spectral methods: how blocks of samples or bits become phasors at a few frequencies.
//!
//! A phasor is the amplitude of a tone, X = (4/N) Σ w_n (x_n − x̄) e^{−jωn}, with the Hann window w, whose mean is 1/2. Phases are those at the
//! first sample of the window. The magnitude and phase response of the decimation filter is compensated.

use crate::cic::{self, DECIMATION};
use crate::walsh::WalshTerms;
use num_complex::Complex64;
use std::f64::consts::TAU;

/// How phasors are estimated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SpectralMethod {
    /// Samples, or bits through a CIC decimation filter; Hann window; an FFT of every microphone.
    Fft {
        /// Whether an FIR filter after the CIC filter compensates its passband droop, instead of a factor for each frequency.
        fir: bool,
    },
    /// The same with a dot product for each frequency instead of the FFT.
    Dft,
    /// The faster of these two for the number of frequencies on this machine.
    Auto,
    /// The mean of every 32 bits as a sample; then as [`Self::Fft`].
    BlockAverage,
    /// Walsh functions on the bits, those with the largest weights at each frequency. Without a window.
    Walsh(WalshTerms),
    /// All Walsh functions: the DFT of the bits.
    WalshExact,
    /// The CIC filter of [`Self::Fft`] by population counts of masked bits; Hann window by the neighboring bins.
    CicPopcount,
    /// Sliding DFT: each new block is summed once, and the sums of earlier blocks are stored.
    SlidingDft,
}

impl SpectralMethod {
    /// Its window.
    pub(crate) fn window(self, samples: usize) -> Vec<f64> {
        match self {
            Self::Walsh(_) | Self::WalshExact => vec![1.0; samples],
            Self::Fft { .. }
            | Self::Dft
            | Self::Auto
            | Self::BlockAverage
            | Self::CicPopcount
            | Self::SlidingDft => hann(samples),
        }
    }

    /// Equivalent noise bandwidth of its window, in bins: 3/2 of the Hann window, one without a window. The powers of neighboring bins, scaled
    /// for tones, add up to so many times the power of the signal.
    pub fn noise_bandwidth(self) -> f64 {
        match self {
            Self::Walsh(_) | Self::WalshExact => 1.0,
            Self::Fft { .. }
            | Self::Dft
            | Self::Auto
            | Self::BlockAverage
            | Self::CicPopcount
            | Self::SlidingDft => 1.5,
        }
    }
}

/// How samples become spectra.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Analysis {
    /// The spectral method.
    pub method: SpectralMethod,
    /// Window length in samples, after decimation.
    pub samples: usize,
    /// Hop size: samples from one window to the next.
    pub hop: usize,
}

/// The format of the blocks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Format {
    /// Number of microphones.
    pub microphones: usize,
    /// For bitstreams, the pressure of a stream of ones, Pa.
    pub bits: Option<f64>,
}

/// The nearest bins of the N-point DFT to frequencies.
///
/// ```
/// // Bins of 48 kHz/1024 = 46.875 Hz: 1 kHz is nearest to 21 · 46.875 Hz = 984.375 Hz.
/// assert_eq!(phasefront_nah::bins(&[1000.0, 46.875], 48e3, 1024), [21, 1]);
/// ```
pub fn bins(frequencies: &[f64], rate: f64, samples: usize) -> Vec<usize> {
    // Holograms have the frequency of the nearest bin, not the given one.
    frequencies.iter().map(|f| (f * samples as f64 / rate).round() as usize).collect()
}

/// The periodic Hann window: zero at the first sample, and at the one after the last.
pub fn hann(samples: usize) -> Vec<f64> {
    (0..samples).map(|n| 0.5 - 0.5 * (TAU * n as f64 / samples as f64).cos()).collect()
}

/// Distance from the first bit of a sample's newest word to the center of that word, samples: 15.5 bits.
const CENTER: f64 = 15.5 / DECIMATION as f64;

/// The stage between a block and the transform: from bits to samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FrontEnd {
    /// None: the blocks are samples.
    Samples,
    /// None: Walsh functions are applied to the bits themselves.
    Words,
    /// The mean of each word.
    BlockAverage,
    /// A CIC decimation filter by integrators and combs, with an optional FIR filter for its droop.
    Cic {
        /// Whether there is an FIR filter.
        fir: bool,
    },
    /// The same CIC filter by population counts.
    CicPopcount,
}

impl FrontEnd {
    /// The front end of a spectral method for a format.
    pub fn new(format: Format, method: SpectralMethod) -> Self {
        match (format.bits, method) {
            // Samples need no front end, whatever the method.
            (None, _) => Self::Samples,
            (Some(_), SpectralMethod::BlockAverage) => Self::BlockAverage,
            (Some(_), SpectralMethod::Walsh(_) | SpectralMethod::WalshExact) => Self::Words,
            (Some(_), SpectralMethod::CicPopcount | SpectralMethod::SlidingDft) => Self::CicPopcount,
            (Some(_), SpectralMethod::Fft { fir }) => Self::Cic { fir },
            (Some(_), SpectralMethod::Dft | SpectralMethod::Auto) => Self::Cic { fir: false },
        }
    }

    /// Frames until the filters have settled: the CIC filter spans three words.
    pub fn settling_frames(self) -> usize {
        match self {
            Self::Samples | Self::Words | Self::BlockAverage => 0,
            Self::Cic { fir: true } => 2 + cic::COMPENSATION_TAPS - 1,
            Self::Cic { fir: false } | Self::CicPopcount => 2,
        }
    }

    /// The inverse of the front end's response to a tone of `cycles` cycles per sample, with the phase referred to the first bit of the first
    /// word of the window.
    pub fn compensation(self, cycles: f64) -> Complex64 {
        match self {
            Self::Samples | Self::Words => Complex64::ONE,
            // The mean of a word has the phase of its center, 15.5 bits after its first. Its response is one of the three factors of the CIC
            // filter's.
            Self::BlockAverage => phase(cycles, -CENTER) / cic::droop(cycles).cbrt(),
            // The center of three words, the newest last, is 15.5 bits before the first bit of the newest.
            // Divided by the droop: the response is real and positive in the passband.
            Self::Cic { fir: false } | Self::CicPopcount => phase(cycles, CENTER) / cic::droop(cycles),
            // The FIR filter has flattened the response and adds half its length as delay.
            Self::Cic { fir: true } => phase(cycles, CENTER + 0.5 * (cic::COMPENSATION_TAPS - 1) as f64),
        }
    }
}

/// The factor of the phasors of each bin: pressure of full scale, and compensation of the front end.
pub fn compensations(format: Format, analysis: &Analysis, bins: &[usize]) -> Vec<Complex64> {
    let front_end = FrontEnd::new(format, analysis.method);
    let scale = format.bits.unwrap_or(1.0);
    bins.iter().map(|k| scale * front_end.compensation(*k as f64 / analysis.samples as f64)).collect()
}

/// e^{jωn} at `cycles` cycles per sample.
fn phase(cycles: f64, samples: f64) -> Complex64 {
    Complex64::from_polar(1.0, TAU * cycles * samples)
}
