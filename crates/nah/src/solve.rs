//! The order of the stages: spectra, filters, comparison, holograms.

use crate::checkpoint::{Checkpoint, CheckpointSink, NoCheckpoints};
use crate::cpu::CpuEngine;
use crate::engine::Engine;
use crate::error::NahError;
use crate::gpu::GpuEngine;
use crate::input::Input;
use crate::metrics::difference;
use crate::pipeline::Pipeline;
use crate::preprocessing::Preprocessing;
use crate::problem::{Averaging, Problem, is_same_frequency};
use crate::scalar::Scalar;
use crate::solution::{Hologram, MethodComparison, Solution};
use crate::spectral::{Analysis, SpectralMethod};
use crate::stages::{block, to_double};
use crate::study::Study;
use crate::summary::Summary;
use num_complex::{Complex, Complex64};
use phasefront_core::{Precision, Progress};
use phasefront_device::Backend;

impl Study {
    /// Solves it; an interruption is an error. See [`Study::resume`].
    pub fn solve(&self, backend: &Backend, progress: &Progress) -> Result<Solution, NahError> {
        let solution = self.resume(Checkpoint::default(), &mut NoCheckpoints, backend, progress)?;
        if solution.interrupted {
            progress.check()?;
        }
        Ok(solution)
    }

    /// Solves it after the finished blocks of a recording, none at first. Checkpoints are passed to `sink`. The result is bit for bit that of an
    /// uninterrupted run, but for times, and for the spectral method `Auto`, whose choice is a matter of time; averages begin again. Phasors of the saved and the compared spectra are computed on the CPU in double precision; all others, and all fields, on
    /// `backend`.
    pub fn resume(
        &self,
        finished: Checkpoint,
        sink: &mut dyn CheckpointSink,
        backend: &Backend,
        progress: &Progress,
    ) -> Result<Solution, NahError> {
        if let Input::Stream(stream) = &self.problem.input {
            return match self.problem.precision {
                Precision::Double => self.receive::<f64>(stream, &*open(backend), progress),
                Precision::Single => self.receive::<f32>(stream, &*open(backend), progress),
            };
        }
        if self.problem.averaging == Averaging::CrossSpectra {
            return match self.problem.precision {
                Precision::Double => self.averaged::<f64>(&*open(backend), progress),
                Precision::Single => self.averaged::<f32>(&*open(backend), progress),
            };
        }
        let phasors = {
            let _stage = progress.stage("spectra", None, "spectra");
            self.phasors(self.problem.analysis.method)?
        };
        match self.problem.precision {
            Precision::Double => self.holograms::<f64>(&phasors, (finished, sink), &*open(backend), progress),
            Precision::Single => self.holograms::<f32>(&phasors, (finished, sink), &*open(backend), progress),
        }
    }

    /// Preprocessed phasors of the saved spectrum by a spectral method.
    fn phasors(&self, method: SpectralMethod) -> Result<Vec<Vec<Complex64>>, NahError> {
        let problem = &self.problem;
        let count = problem.format().microphones;
        let mut phasors = vec![Complex64::ZERO; count * self.frequencies.len()];
        match problem.sample_rate() {
            Some(rate) => {
                let mut estimator = self.spectrum_estimator::<f64>(&CpuEngine, method, rate)?;
                let hop = problem.analysis.hop;
                // Blocks as in a stream, so that a saved
                // spectrum is the one that a stream would have.
                for start in (0..problem.spectrum_end(rate)).step_by(hop) {
                    estimator.push(block(&problem.input, start, hop))?;
                }
                estimator.spectra(&mut phasors)?;
            }
            None => copy_spectra(problem, &self.frequencies, count, &mut phasors),
        }
        // Calibration and dead microphones, as the pipeline does for all others.
        let preprocessing = self.preprocessing::<f64>(&self.faults.dead);
        phasors.chunks_exact_mut(count).for_each(|frequency| preprocessing.apply(frequency));
        Ok(phasors.chunks_exact(count).map(<[_]>::to_vec).collect())
    }

    /// Holograms of all compared methods, frequency by frequency.
    fn compare<T: Scalar>(
        &self,
        pipeline: &mut Pipeline<T>,
        progress: &Progress,
    ) -> Result<Vec<Vec<MethodComparison>>, NahError> {
        let mut compared: Vec<Vec<MethodComparison>> = vec![Vec::new(); self.frequencies.len()];
        let methods = self.problem.compared_methods();
        if methods.is_empty() {
            return Ok(compared);
        }
        let stage = progress.stage("comparison", Some(methods.len() as u64), "methods");
        let mut reference = Vec::new();
        for method in methods {
            progress.check()?;
            let phasors = self.phasors(method)?;
            pipeline.push_phasors(&rounded(&phasors))?;
            // The reference method comes first.
            if reference.is_empty() {
                reference.clone_from(&phasors);
            }
            for (i, of_frequency) in compared.iter_mut().enumerate() {
                let pressure = to_double::<T>(pipeline.field(i, 0));
                // The first is the reference method, compared with itself.
                let first = of_frequency.first().map_or(&pressure, |first| &first.pressure);
                let plane = difference(&pressure, first);
                let array = difference(&phasors[i], &reference[i]);
                of_frequency.push(MethodComparison { method, pressure, plane, array });
            }
            stage.advance(1);
        }
        Ok(compared)
    }

    fn holograms<T: Scalar>(
        &self,
        phasors: &[Vec<Complex64>],
        checkpoints: (Checkpoint, &mut dyn CheckpointSink),
        engine: &dyn Engine<T>,
        progress: &Progress,
    ) -> Result<Solution, NahError> {
        let (regularization, reconstructor) =
            self.reconstructor::<T>((&self.frequencies, phasors), &self.faults.dead, engine, progress)?;
        let rate = self.problem.sample_rate();
        let estimator = if let Some(rate) = rate {
            self.spectrum_estimator(engine, self.problem.analysis.method, rate)?
        } else {
            // Spectra are given: nothing is ever pushed.
            let unused = Analysis { method: SpectralMethod::Dft, samples: 8, hop: 8 };
            CpuEngine.spectrum_estimator(self.problem.format(), &unused, Vec::new())?
        };
        // These phasors are preprocessed already.
        let identity = Preprocessing::new(&self.problem.microphones(), None, &[]);
        let mut pipeline = Pipeline::new(estimator, identity, reconstructor);
        // Compared holograms use the regularization of the
        // chosen method: differences are those of the phasors.
        let mut compared = self.compare(&mut pipeline, progress)?.into_iter();
        pipeline.push_phasors(&rounded(phasors))?;
        let dead = &self.faults.dead;
        let coherence = self.coherence()?;
        let hologram = |i: usize| -> Result<Hologram, NahError> {
            let at = (i, self.frequencies[i], &dead[..]);
            let hologram =
                self.hologram(&pipeline, at, regularization[i], compared.next().unwrap_or_default())?;
            Ok(Hologram { coherence: coherence.as_ref().map(|all| all[i]), ..hologram })
        };
        let holograms = (0..regularization.len()).map(hologram).collect::<Result<_, _>>()?;
        // Played blocks are raw: from here on the pipeline preprocesses.
        pipeline.set_preprocessing(self.preprocessing(&self.faults.dead));
        let summary = if let Some(rate) = rate {
            self.play_back(&mut pipeline, checkpoints, (engine, rate), progress)?
        } else {
            let mut summary = Summary::default();
            summary.history.add(|| self.summaries(&pipeline, 0.0));
            summary.powers.add(self.powers(&pipeline));
            summary
        };
        let interrupted = rate.is_some() && progress.check().is_err();
        Ok(Solution {
            holograms,
            beamformed: Vec::new(),
            summary,
            dead: self.faults.dead.clone(),
            interrupted,
        })
    }
}

/// The engine of a device.
fn open<T: Scalar>(backend: &Backend) -> Box<dyn Engine<T>> {
    match backend {
        Backend::Cpu => Box::new(CpuEngine),
        Backend::Gpu(gpu) => Box::new(GpuEngine(gpu.clone())),
    }
}

/// Phasors of all frequencies, one after the other, in the precision of the reconstruction.
fn rounded<T: Scalar>(phasors: &[Vec<Complex64>]) -> Vec<Complex<T>> {
    phasors.iter().flatten().map(|p| T::complex_from_f64(*p)).collect()
}

fn copy_spectra(problem: &Problem, frequencies: &[f64], count: usize, phasors: &mut [Complex64]) {
    let Input::Spectra(spectra) = &problem.input else { return };
    for (frequency, phasors) in frequencies.iter().zip(phasors.chunks_exact_mut(count)) {
        if let Some(found) = spectra.iter().find(|s| is_same_frequency(s.frequency, *frequency)) {
            phasors.copy_from_slice(&found.pressure);
        }
    }
}
