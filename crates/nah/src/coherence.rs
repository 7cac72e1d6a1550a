//! Whether the windows of a recording have one field: how much of their power its first principal component has.

use crate::cpu::CpuEngine;
use crate::cross_spectra::CrossSpectrumSum;
use crate::error::NahError;
use crate::spectral::{Analysis, FrontEnd, SpectralMethod};
use crate::stages::block;
use crate::study::Study;
use num_complex::Complex64;

/// The fewest windows that tell: two equal sources are taken for one in two of a hundred recordings. And how many are taken, evenly.
const FEWEST: usize = 12;
const MOST: usize = 16;

impl Study {
    /// For each frequency the part of the power of up to 16 windows that is in their first principal component: one for one source, some
    /// two thirds for two of equal power that are independent. None of spectra and streams, and of recordings of fewer than twelve windows.
    pub(crate) fn coherence(&self) -> Result<Option<Vec<f64>>, NahError> {
        let problem = &self.problem;
        let Analysis { samples, hop, .. } = problem.analysis;
        // What is asked is the field, by whatever method.
        let method = SpectralMethod::Fft { fir: false };
        let (Some(rate), false) = (problem.sample_rate(), self.is_stream()) else { return Ok(None) };
        let settling = FrontEnd::new(problem.format(), method).settling_frames();
        // Blocks of one window, and windows that do not overlap.
        let blocks = (samples + settling).div_ceil(hop);
        let windows = problem.frames() / hop / blocks;
        if windows < FEWEST {
            return Ok(None);
        }
        let count = problem.format().microphones;
        let taken = windows.min(MOST);
        let preprocessing = self.preprocessing::<f64>(&self.faults.dead);
        let mut phasors = vec![Complex64::ZERO; count * self.frequencies.len()];
        // XᴴX, of the windows, has the eigenvalues of XXᴴ, of the microphones, and is smaller.
        let mut fields = vec![vec![Vec::with_capacity(taken); count]; self.frequencies.len()];
        for number in 0..taken {
            let mut estimator = self.spectrum_estimator::<f64>(&CpuEngine, method, rate)?;
            let first = (number * windows / taken) * blocks;
            for start in (first..first + blocks).map(|number| number * hop) {
                estimator.push(block(&problem.input, start, hop))?;
            }
            estimator.spectra(&mut phasors)?;
            for (field, phasors) in fields.iter_mut().zip(phasors.chunks_exact_mut(count)) {
                preprocessing.apply(phasors);
                field.iter_mut().zip(phasors).for_each(|(windows, p)| windows.push(*p));
            }
        }
        let share = |field: &Vec<Vec<Complex64>>| {
            let mut products = CrossSpectrumSum::new(taken);
            for microphone in field {
                products.add(microphone);
            }
            let eigen = products.mean(0.0, &[]).eigen()?;
            let total: f64 = eigen.iter().map(|(value, _)| value).sum();
            // Silence does not change.
            Ok(eigen.first().filter(|_| total > 0.0).map_or(1.0, |(largest, _)| largest / total))
        };
        fields.iter().map(share).collect::<Result<_, _>>().map(Some)
    }
}
