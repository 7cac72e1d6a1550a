//! The spectrum estimator on the CPU: front end, transform, compensation.

use super::front_end::FrontEndFilter;
use super::sliding_dft::SlidingDft;
use super::walsh::WalshTransform;
use super::windowed::WindowedTransform;
use crate::engine::SpectrumEstimator;
use crate::error::NahError;
use crate::input::Block;
use crate::scalar::Scalar;
use crate::spectral::{Analysis, Format, FrontEnd, SpectralMethod, compensations};
use num_complex::Complex;

/// Estimates phasors of the last N samples, window by window.
///
/// A tone A cos(ωn + φ) on a bin has the phasor A e^{jφ}:
/// ```
/// use num_complex::Complex64;
/// use phasefront_nah::{Analysis, Block, CpuSpectrumEstimator, Format, SpectralMethod, SpectrumEstimator};
///
/// let analysis = Analysis { method: SpectralMethod::Fft { fir: false }, samples: 64, hop: 64 };
/// let format = Format { microphones: 1, bits: None };
/// let mut estimator = CpuSpectrumEstimator::<f64>::new(format, &analysis, vec![5]);
/// let tone = |n: usize| (2.0 * (std::f64::consts::TAU * 5.0 * n as f64 / 64.0 + 0.3).cos()) as f32;
/// estimator.push(Block::Samples(&(0..64).map(tone).collect::<Vec<f32>>()))?;
/// let mut phasor = [Complex64::ZERO];
/// estimator.spectra(&mut phasor)?;
/// assert!((phasor[0] - Complex64::from_polar(2.0, 0.3)).norm() < 1e-6);
/// # Ok::<(), phasefront_nah::NahError>(())
/// ```
pub struct CpuSpectrumEstimator<T> {
    format: Format,
    /// Frames until the window is full and the filters have settled.
    missing: usize,
    front_end: FrontEndFilter,
    transform: Transform<T>,
    /// Compensation of the front end at each bin.
    compensations: Vec<Complex<T>>,
    samples: Vec<f32>,
}

enum Transform<T> {
    Windowed(WindowedTransform),
    Sliding(SlidingDft<T>),
    Walsh(WalshTransform),
}

impl<T: Scalar> CpuSpectrumEstimator<T> {
    /// For bins of the DFT of `analysis.samples` samples.
    pub fn new(format: Format, analysis: &Analysis, bins: Vec<usize>) -> Self {
        let Analysis { method, samples, hop } = *analysis;
        let microphones = format.microphones;
        let front_end = FrontEnd::new(format, method);
        let compensations = compensations(format, analysis, &bins);
        let transform = match method {
            SpectralMethod::Fft { .. } | SpectralMethod::BlockAverage => {
                Transform::Windowed(WindowedTransform::fft(microphones, samples, bins))
            }
            SpectralMethod::Dft => Transform::Windowed(WindowedTransform::dot(microphones, samples, bins)),
            SpectralMethod::Auto => {
                Transform::Windowed(WindowedTransform::faster(microphones, samples, bins))
            }
            SpectralMethod::CicPopcount | SpectralMethod::SlidingDft => {
                Transform::Sliding(SlidingDft::new(microphones, samples, hop, bins))
            }
            SpectralMethod::Walsh(terms) => {
                Transform::Walsh(WalshTransform::new(microphones, samples, &bins, Some(terms)))
            }
            SpectralMethod::WalshExact => {
                Transform::Walsh(WalshTransform::new(microphones, samples, &bins, None))
            }
        };
        Self {
            format,
            // The first outputs of the filters still see the zeros before the stream.
            missing: samples + front_end.settling_frames(),
            front_end: FrontEndFilter::new(front_end, microphones),
            transform,
            compensations: compensations.into_iter().map(T::complex_from_f64).collect(),
            samples: Vec::new(),
        }
    }
}

impl<T: Scalar> SpectrumEstimator<T> for CpuSpectrumEstimator<T> {
    fn microphones(&self) -> usize {
        self.format.microphones
    }

    fn push(&mut self, block: Block<'_>) -> Result<(), NahError> {
        let values = match (block, &mut self.transform) {
            (Block::Words(words), Transform::Walsh(walsh)) => {
                walsh.push(words);
                words.len()
            }
            (Block::Samples(samples), transform) if self.format.bits.is_none() => {
                transform.push(samples);
                samples.len()
            }
            (Block::Words(words), transform) if self.format.bits.is_some() => {
                self.front_end.run(words, self.format.microphones, &mut self.samples);
                transform.push(&self.samples);
                words.len()
            }
            // Blocks of the other kind are ignored.
            _ => 0,
        };
        self.missing = self.missing.saturating_sub(values / self.format.microphones.max(1));
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.missing == 0
    }

    fn spectra(&mut self, phasors: &mut [Complex<T>]) -> Result<(), NahError> {
        match &mut self.transform {
            Transform::Windowed(windowed) => windowed.spectra(phasors),
            Transform::Sliding(sliding) => sliding.spectra(phasors),
            Transform::Walsh(walsh) => walsh.spectra(phasors),
        }
        // Samples need no compensation.
        if self.format.bits.is_some() {
            let bins = phasors.chunks_exact_mut(self.format.microphones);
            for (of_bin, compensation) in bins.zip(&self.compensations) {
                for p in of_bin {
                    *p = *p * *compensation;
                }
            }
        }
        Ok(())
    }
}

impl<T: Scalar> Transform<T> {
    fn push(&mut self, samples: &[f32]) {
        match self {
            Self::Windowed(windowed) => windowed.push(samples),
            Self::Sliding(sliding) => sliding.push(samples),
            // Walsh functions take words.
            Self::Walsh(_) => {}
        }
    }
}
