//! The stages of a run that recordings and streams share.

use crate::engine::{Engine, Reconstructor, SpectrumEstimator};
use crate::error::NahError;
use crate::esm::EsmOperator;
use crate::filter::Filters;
use crate::gcv::{Quantity, auto_filter};
use crate::input::{Block, Input};
use crate::interpolation::InterpolatedField;
use crate::kspace::KSpace;
use crate::metrics::{agreement, intensity};
use crate::pipeline::Pipeline;
use crate::preprocessing::Preprocessing;
use crate::problem::{FilterChoice, Method, Problem};
use crate::propagator::Propagator;
use crate::scalar::Scalar;
use crate::solution::{Hologram, MethodComparison, Plane, Regularization};
use crate::specification::ReconstructorSpec;
use crate::spectral::{Analysis, SpectralMethod, bins};
use crate::study::Study;
use crate::summary::HologramSummary;
use num_complex::{Complex, Complex64};
use phasefront_core::Progress;

/// A reconstructor, with the regularization of each frequency.
pub(crate) type RegularizedReconstructor<T> = (Vec<Regularization>, Box<dyn Reconstructor<T>>);

impl Study {
    /// The DFT bins of the frequencies.
    pub(crate) fn bins(&self, rate: f64) -> Vec<usize> {
        bins(&self.frequencies, rate, self.problem.analysis.samples)
    }

    /// A spectrum estimator of an engine, by any spectral method.
    pub(crate) fn spectrum_estimator<T: Scalar>(
        &self,
        engine: &dyn Engine<T>,
        method: SpectralMethod,
        rate: f64,
    ) -> Result<Box<dyn SpectrumEstimator<T>>, NahError> {
        let analysis = Analysis { method, ..self.problem.analysis };
        engine.spectrum_estimator(self.problem.format(), &analysis, self.bins(rate))
    }

    /// Calibration, and interpolation of dead microphones.
    pub(crate) fn preprocessing<T: Scalar>(&self, dead: &[usize]) -> Preprocessing<T> {
        let problem = &self.problem;
        Preprocessing::new(&problem.microphones(), problem.calibration.as_deref(), dead)
    }

    /// The reconstructor for fields at these frequencies, with its regularization, which is chosen for these phasors of microphones, some of them
    /// dead.
    pub(crate) fn reconstructor<T: Scalar>(
        &self,
        (frequencies, phasors): (&[f64], &[Vec<Complex64>]),
        dead: &[usize],
        engine: &dyn Engine<T>,
        progress: &Progress,
    ) -> Result<RegularizedReconstructor<T>, NahError> {
        let problem = &self.problem;
        let stage = progress.stage("filters", Some(phasors.len() as u64), "frequencies");
        let mut regularization = Vec::new();
        let (mut operators, mut propagators) = (Vec::new(), Vec::new());
        // Frequencies are independent; each has its own regularization.
        for (frequency, measured) in frequencies.iter().zip(phasors) {
            progress.check()?;
            if problem.method == Method::Esm {
                let (chosen, operator) = self.esm_operator(*frequency, measured, dead)?;
                regularization.push(chosen);
                operators.push(operator);
            } else {
                let filters = self.filters(*frequency, measured);
                regularization.push(Regularization::Filters(filters));
                propagators.push(self.propagators(*frequency, filters));
            }
            stage.advance(1);
        }
        let spec = if problem.method == Method::Esm {
            ReconstructorSpec::Esm(operators)
        } else {
            ReconstructorSpec::KSpace(problem.grid, problem.extrapolation, propagators)
        };
        Ok((regularization, engine.reconstructor(spec, problem.format().microphones)?))
    }

    /// The reconstruction matrix of equivalent sources at one frequency, and its Tikhonov weight.
    fn esm_operator<T: Scalar>(
        &self,
        frequency: f64,
        phasors: &[Complex64],
        dead: &[usize],
    ) -> Result<(Regularization, EsmOperator<T>), NahError> {
        let esm = self.problem.equivalent_sources(dead, self.problem.medium.wavenumber(frequency));
        let weight = match self.problem.sources.weight {
            Some(relative) => relative * esm.scale(),
            None => esm.auto_weight(phasors),
        };
        let chosen = Regularization::Tikhonov { weight, relative: weight / esm.scale() };
        Ok((chosen, esm.operator(weight, &self.problem.planes)?))
    }

    fn filters(&self, frequency: f64, phasors: &[Complex64]) -> Filters {
        let Problem { grid, medium, extrapolation, filter, .. } = self.problem;
        match filter {
            FilterChoice::Given(filters) => filters,
            FilterChoice::Auto => {
                // The search needs the measured field in
                // k-space: on the CPU, outside of the pipeline.
                let k = medium.wavenumber(frequency);
                let space = KSpace::new(grid, phasors, extrapolation, k);
                let fit = self.problem.spectrum_fit(phasors, k);
                Filters {
                    pressure: auto_filter(&space, &fit, Quantity::Pressure),
                    velocity: auto_filter(&space, &fit, Quantity::Velocity),
                }
            }
        }
    }

    /// Propagators of pressure and velocity for each plane.
    fn propagators(&self, frequency: f64, filters: Filters) -> Vec<Propagator> {
        let medium = self.problem.medium;
        let k = medium.wavenumber(frequency);
        self.problem.planes.iter().flat_map(|plane| filters.propagators(k, *plane, medium)).collect()
    }

    /// The hologram of the field of an index of a pipeline, at a frequency and without the dead microphones.
    pub(crate) fn hologram<T: Scalar>(
        &self,
        pipeline: &Pipeline<T>,
        (i, frequency, dead): (usize, f64, &[usize]),
        regularization: Regularization,
        compared: Vec<MethodComparison>,
    ) -> Result<Hologram, NahError> {
        let problem = &self.problem;
        let measured = to_double::<T>(pipeline.measured(i));
        // Only for saved holograms: interpolation and errors are slow compared to the reconstruction.
        let fine = InterpolatedField::new(problem, dead, frequency, regularization, &measured)?;
        let plane = |(j, &distance): (usize, &f64)| -> Result<Plane, NahError> {
            let [mut pressure, mut velocity] =
                [2 * j, 2 * j + 1].map(|field| to_double::<T>(pipeline.field(i, field)));
            let mut normal_intensity = intensity(&pressure, &velocity);
            // On the grid of the array, whatever the refinement.
            let power = normal_intensity.iter().sum::<f64>() * self.area();
            if problem.refine > 1 {
                [pressure, velocity] = fine.plane(problem, distance);
                normal_intensity = intensity(&pressure, &velocity);
            }
            let [pressure_error, velocity_error] = fine.expected_errors(problem, &measured, distance)?;
            let intensity = normal_intensity;
            Ok(Plane { distance, pressure, velocity, intensity, pressure_error, velocity_error, power })
        };
        let planes = problem.planes.iter().enumerate().map(plane).collect::<Result<_, _>>()?;
        let noise = fine.noise_floor(&measured)?.sqrt();
        let reference = problem.reference_at(frequency);
        let reference = reference.map(|measured| agreement(&to_double::<T>(pipeline.field(i, 0)), measured));
        let (coherence, averages) = (None, None);
        Ok(Hologram {
            frequency,
            regularization,
            noise,
            measured,
            planes,
            compared,
            reference,
            coherence,
            averages,
        })
    }

    /// The area of a grid point, m².
    fn area(&self) -> f64 {
        self.problem.grid.pitch[0] * self.problem.grid.pitch[1]
    }

    /// Summaries of the holograms of a pipeline.
    pub(crate) fn summaries<T: Scalar>(&self, pipeline: &Pipeline<T>, time: f64) -> Vec<HologramSummary> {
        let rms = |field: &[_]| {
            // RMS over points of amplitudes, not of RMS values.
            let sum: f64 = field.iter().map(|p| T::complex_to_f64(*p).norm_sqr()).sum();
            (sum / field.len().max(1) as f64).sqrt()
        };
        let summary = |(i, frequency): (usize, &f64)| {
            let pressure = pipeline.field(i, 0);
            let peak = pressure.iter().map(|p| T::complex_to_f64(*p).norm()).fold(0.0, f64::max);
            HologramSummary {
                time,
                frequency: *frequency,
                measured: rms(pipeline.measured(i)),
                pressure: rms(pressure),
                peak,
                power: self.power(pipeline, i),
            }
        };
        self.frequencies.iter().enumerate().map(summary).collect()
    }

    /// Sound power through the first plane of a pipeline at each frequency, W.
    pub(crate) fn powers<T: Scalar>(&self, pipeline: &Pipeline<T>) -> impl ExactSizeIterator<Item = f64> {
        (0..self.frequencies.len()).map(|i| self.power(pipeline, i))
    }

    fn power<T: Scalar>(&self, pipeline: &Pipeline<T>, i: usize) -> f64 {
        let [pressure, velocity] = [0, 1].map(|field| pipeline.field(i, field));
        let intensity = |(p, u)| 0.5 * (T::complex_to_f64(p) * T::complex_to_f64(u).conj()).re;
        let power = pressure.iter().copied().zip(velocity.iter().copied()).map(intensity).sum::<f64>();
        power * self.area()
    }
}

/// A field in double precision.
pub(crate) fn to_double<T: Scalar>(field: &[Complex<T>]) -> Vec<Complex64> {
    field.iter().map(|p| T::complex_to_f64(*p)).collect()
}

/// Frames of an input from `first` on.
pub(crate) fn block(input: &Input, first: usize, count: usize) -> Block<'_> {
    match input {
        Input::Samples(samples) => {
            let size = samples.microphones;
            Block::Samples(&samples.values[first * size..(first + count) * size])
        }
        Input::Bits(bits) => {
            let size = bits.microphones;
            Block::Words(&bits.words[first * size..(first + count) * size])
        }
        // Never played back.
        Input::Spectra(_) | Input::Stream(_) => Block::Samples(&[]),
    }
}
