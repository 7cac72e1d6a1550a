//! Holograms of averaged cross-spectra: the fields of several sources that are independent of each other, and of noise.

use crate::cpu::CpuEngine;
use crate::cross_spectra::{CrossSpectrum, CrossSpectrumSum, Windows};
use crate::engine::{Engine, SpectrumEstimator};
use crate::error::NahError;
use crate::input::{Block, Samples};
use crate::noise::mean_power;
use crate::partial_fields::PartialFields;
use crate::pipeline::Pipeline;
use crate::preprocessing::Preprocessing;
use crate::scalar::Scalar;
use crate::solution::{Averages, Hologram, Plane, Solution};
use crate::spectral::{Analysis, Format, bins};
use crate::stages::block;
use crate::study::Study;
use crate::summary::{HologramSummary, Summary};
use num_complex::{Complex, Complex64};
use phasefront_core::Progress;

/// A window begins this part of its length after the one before, at least.
const MAX_OVERLAP: usize = 4;

impl Study {
    /// Holograms of the cross-spectra of a whole recording, one for each frequency, and beamforming at the higher ones.
    pub(crate) fn averaged<T: Scalar>(
        &self,
        engine: &dyn Engine<T>,
        progress: &Progress,
    ) -> Result<Solution, NahError> {
        let cross_spectra = self.cross_spectra(engine, progress)?;
        let stage = progress.stage("holograms", Some(cross_spectra.len() as u64), "frequencies");
        let mut summary = Summary::default();
        let mut holograms = Vec::with_capacity(cross_spectra.len());
        let (below, above) = cross_spectra.split_at(self.frequencies.len());
        for cross in below {
            progress.check()?;
            holograms.push(self.sum_of_partial_fields(cross, engine)?);
            stage.advance(1);
        }
        let beamformed = self.beamformed(above)?;
        stage.advance(above.len() as u64);
        summary.history.add(|| holograms.iter().map(summarized).collect());
        let power = |hologram: &Hologram| hologram.planes.first().map_or(0.0, |plane| plane.power);
        summary.powers.add(holograms.iter().map(power));
        Ok(Solution { holograms, beamformed, summary, dead: self.faults.dead.clone(), interrupted: false })
    }

    /// Averaged cross-spectra of the microphones that are not dead, and of the references after them.
    fn cross_spectra<T: Scalar>(
        &self,
        engine: &dyn Engine<T>,
        progress: &Progress,
    ) -> Result<Vec<CrossSpectrum>, NahError> {
        let problem = &self.problem;
        let Analysis { method, samples, hop } = problem.analysis;
        let Some(rate) = problem.sample_rate() else { return Ok(Vec::new()) };
        let count = problem.format().microphones;
        let alive: Vec<usize> = (0..count).filter(|m| !self.faults.dead.contains(m)).collect();
        let frequencies = self.all_frequencies();
        let bins = bins(&frequencies, rate, samples);
        let mut microphones = engine.spectrum_estimator(problem.format(), &problem.analysis, bins.clone())?;
        let mut references = match &problem.references {
            Some(references) => Some((references, self.reference_estimator(references, bins)?)),
            None => None,
        };
        // Dead microphones are filled in after the averages.
        let calibration = self.preprocessing::<T>(&[]);
        let zero = Complex::new(T::zero(), T::zero());
        let mut phasors = vec![zero; count * frequencies.len()];
        let of_references = references.as_ref().map_or(0, |(references, _)| references.microphones);
        let mut reference_phasors = vec![Complex64::ZERO; of_references * frequencies.len()];
        let sum = || CrossSpectrumSum::new(alive.len() + of_references);
        let mut sums: Vec<CrossSpectrumSum> = frequencies.iter().map(|_| sum()).collect();
        let blocks = problem.frames() / hop;
        let stage = progress.stage("cross-spectra", Some(blocks as u64), "blocks");
        // Windows that are nearer to each other than a quarter of their length tell next to nothing more.
        let stride = (samples / MAX_OVERLAP).div_ceil(hop).max(1);
        let (mut windows, mut taken) = (0, 0);
        for start in (0..blocks).map(|number| number * hop) {
            progress.check()?;
            microphones.push(block(&problem.input, start, hop))?;
            if let Some((references, estimator)) = &mut references {
                let frames = start * references.microphones..(start + hop) * references.microphones;
                estimator.push(Block::Samples(&references.values[frames]))?;
            }
            stage.advance(1);
            if !microphones.is_full() {
                continue;
            }
            windows += 1;
            if (windows - 1) % stride != 0 {
                continue;
            }
            taken += 1;
            microphones.spectra(&mut phasors)?;
            if let Some((_, estimator)) = &mut references {
                estimator.spectra(&mut reference_phasors)?;
            }
            let channels =
                reference_phasors.chunks_exact(of_references.max(1)).chain(std::iter::repeat(&[][..]));
            let of_frequencies = phasors.chunks_exact_mut(count).zip(channels);
            for (sum, (phasors, references)) in sums.iter_mut().zip(of_frequencies) {
                calibration.apply(phasors);
                let own = alive.iter().map(|m| T::complex_to_f64(phasors[*m]));
                sum.add(&own.chain(references.iter().copied()).collect::<Vec<Complex64>>());
            }
        }
        let correlations = Windows::new(taken, &method.window(samples), stride * hop).correlations;
        let with_mean = |(sum, frequency): (CrossSpectrumSum, &f64)| sum.mean(*frequency, &correlations);
        Ok(sums.into_iter().zip(&frequencies).map(with_mean).collect())
    }

    /// The spectra of references are few: those of the CPU.
    fn reference_estimator(
        &self,
        references: &Samples,
        bins: Vec<usize>,
    ) -> Result<Box<dyn SpectrumEstimator<f64>>, NahError> {
        let format = Format { microphones: references.microphones, bits: None };
        CpuEngine.spectrum_estimator(format, &self.problem.analysis, bins)
    }

    /// The hologram of the partial fields of a frequency.
    fn sum_of_partial_fields<T: Scalar>(
        &self,
        cross: &CrossSpectrum,
        engine: &dyn Engine<T>,
    ) -> Result<Hologram, NahError> {
        let (problem, dead) = (&self.problem, &self.faults.dead);
        let count = problem.format().microphones;
        let alive: Vec<usize> = (0..count).filter(|m| !dead.contains(m)).collect();
        let partial = match problem.references {
            Some(_) => PartialFields::by_references(cross, alive.len())?,
            None => PartialFields::principal(cross)?,
        };
        let interpolation = Preprocessing::<f64>::new(&problem.microphones(), None, dead);
        let at_all = |field: &Vec<Complex64>| {
            let mut full = vec![Complex64::ZERO; count];
            alive.iter().zip(field).for_each(|(m, p)| full[*m] = *p);
            interpolation.apply(&mut full);
            full
        };
        let fields: Vec<Vec<Complex64>> = partial.fields.iter().map(at_all).collect();
        let frequencies = vec![cross.frequency; fields.len()];
        let silent = Progress::silent();
        let (regularization, reconstructor) =
            self.reconstructor::<T>((&frequencies, &fields), dead, engine, &silent)?;
        // Nothing is ever pushed.
        let unused = Analysis { samples: 8, hop: 8, ..problem.analysis };
        let estimator = CpuEngine.spectrum_estimator(problem.format(), &unused, Vec::new())?;
        let identity = Preprocessing::new(&problem.microphones(), None, &[]);
        let mut pipeline = Pipeline::new(estimator, identity, reconstructor);
        let all: Vec<Complex<T>> = fields.iter().flatten().map(|p| T::complex_from_f64(*p)).collect();
        pipeline.push_phasors(&all)?;
        let part =
            |i: usize| self.hologram(&pipeline, (i, cross.frequency, dead), regularization[i], Vec::new());
        let parts = (0..fields.len()).map(part).collect::<Result<Vec<Hologram>, NahError>>()?;
        let at_microphones = |values: &[f64]| {
            let mut all = vec![f64::NAN; count];
            alive.iter().zip(values).for_each(|(m, value)| all[*m] = *value);
            all
        };
        let (coherence, rest) = (at_microphones(&partial.coherence), at_microphones(&partial.rest));
        let (averages, significant, explained) =
            (cross.windows.independent(), partial.significant, partial.explained);
        let averages = Averages { averages, significant, explained, coherence, rest, parts };
        Ok(sum(averages, partial.noise.sqrt()))
    }
}

/// The hologram whose powers are the sums of those of partial fields.
fn sum(averages: Averages, noise: f64) -> Hologram {
    let parts = &averages.parts;
    let first = &parts[0];
    let plane = |j: usize| {
        let planes = || parts.iter().map(move |part| &part.planes[j]);
        Plane {
            distance: first.planes[j].distance,
            pressure: magnitudes(planes().map(|plane| &plane.pressure)),
            velocity: magnitudes(planes().map(|plane| &plane.velocity)),
            intensity: sums(planes().map(|plane| &plane.intensity), |i| i),
            pressure_error: roots(sums(planes().map(|plane| &plane.pressure_error), |e| e * e)),
            velocity_error: roots(sums(planes().map(|plane| &plane.velocity_error), |e| e * e)),
            power: planes().map(|plane| plane.power).sum(),
        }
    };
    Hologram {
        frequency: first.frequency,
        regularization: first.regularization,
        noise,
        measured: magnitudes(parts.iter().map(|part| &part.measured)),
        planes: (0..first.planes.len()).map(plane).collect(),
        compared: Vec::new(),
        reference: None,
        coherence: None,
        averages: Some(averages),
    }
}

/// √Σ|p|²: amplitudes without a phase.
fn magnitudes<'a>(fields: impl Iterator<Item = &'a Vec<Complex64>>) -> Vec<Complex64> {
    let squares: Vec<Vec<f64>> =
        fields.map(|field| field.iter().map(Complex64::norm_sqr).collect()).collect();
    roots(sums(squares.iter(), |square| square)).into_iter().map(Complex64::from).collect()
}

/// Point by point.
fn sums<'a>(fields: impl Iterator<Item = &'a Vec<f64>>, of: impl Fn(f64) -> f64) -> Vec<f64> {
    let mut total = Vec::new();
    for field in fields {
        total.resize(field.len(), 0.0);
        total.iter_mut().zip(field).for_each(|(sum, value)| *sum += of(*value));
    }
    total
}

fn roots(squares: Vec<f64>) -> Vec<f64> {
    squares.into_iter().map(f64::sqrt).collect()
}

fn summarized(hologram: &Hologram) -> HologramSummary {
    let first = hologram.planes.first();
    let pressure = first.map_or(&[][..], |plane| &plane.pressure);
    HologramSummary {
        time: 0.0,
        frequency: hologram.frequency,
        measured: mean_power(&hologram.measured).sqrt(),
        pressure: mean_power(pressure).sqrt(),
        peak: pressure.iter().map(|p| p.norm()).fold(0.0, f64::max),
        power: first.map_or(0.0, |plane| plane.power),
    }
}
