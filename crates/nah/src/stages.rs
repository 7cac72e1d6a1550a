//! The stages of a run that recordings and streams share.

use crate::engine::{Engine, Reconstructor, SpectrumEstimator};
use crate::error::NahError;
use crate::esm::{Esm, EsmOperator};
use crate::filter::Filters;
use crate::gcv::{Quantity, gcv_filter};
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
    fn bins(&self, rate: f64) -> Vec<usize> {
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

    /// The reconstructor for all frequencies, with its regularization, which is chosen for these phasors of microphones, some of them dead.
    pub(crate) fn reconstructor<T: Scalar>(
        &self,
        phasors: &[Vec<Complex64>],
        dead: &[usize],
        engine: &dyn Engine<T>,
        progress: &Progress,
    ) -> Result<RegularizedReconstructor<T>, NahError> {
        let problem = &self.problem;
        let stage = progress.stage("filters", Some(phasors.len() as u64), "frequencies");
        let mut regularization = Vec::new();
        let (mut operators, mut propagators) = (Vec::new(), Vec::new());
        // Frequencies are independent; each has its own regularization.
        for (frequency, measured) in self.frequencies.iter().zip(phasors) {
            progress.check()?;
            if problem.method == Method::Esm {
                let (weight, operator) = self.esm_operator(*frequency, measured, dead)?;
                regularization.push(Regularization::Tikhonov(weight));
                operators.push(operator);
            } else {
                let filters = self.filters(*frequency, measured);
                regularization.push(Regularization::Filters(filters));
                propagators.push(self.propagators(*frequency, filters));
            }
            stage.advance(1);
        }
        let spec = match problem.method {
            Method::Esm => ReconstructorSpec::Esm(operators),
            Method::Fft => ReconstructorSpec::KSpace(problem.grid, problem.extrapolation, propagators),
        };
        Ok((regularization, engine.reconstructor(spec, problem.format().microphones)?))
    }

    /// The reconstruction matrix of equivalent sources at one frequency, and its Tikhonov weight by GCV.
    fn esm_operator<T: Scalar>(
        &self,
        frequency: f64,
        phasors: &[Complex64],
        dead: &[usize],
    ) -> Result<(f64, EsmOperator<T>), NahError> {
        let Problem { grid, medium, standoff, .. } = self.problem;
        let k = medium.wavenumber(frequency);
        let esm = Esm::new(&self.problem.microphones(), dead, grid, standoff, k, medium);
        let weight = esm.gcv_weight(phasors);
        Ok((weight, esm.operator(weight, &self.problem.planes)?))
    }

    fn filters(&self, frequency: f64, phasors: &[Complex64]) -> Filters {
        let Problem { grid, medium, extrapolation, filter, .. } = self.problem;
        match filter {
            FilterChoice::Given(filters) => filters,
            FilterChoice::Auto => {
                // The search needs the measured field in
                // k-space: on the CPU, outside of the pipeline.
                let space = KSpace::new(grid, phasors, extrapolation, medium.wavenumber(frequency));
                Filters {
                    pressure: gcv_filter(&space, Quantity::Pressure),
                    velocity: gcv_filter(&space, Quantity::Velocity),
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

    /// The hologram of a frequency, by its index, from the fields of a pipeline and without the dead microphones.
    pub(crate) fn hologram<T: Scalar>(
        &self,
        pipeline: &Pipeline<T>,
        (i, dead): (usize, &[usize]),
        regularization: Regularization,
        compared: Vec<MethodComparison>,
    ) -> Result<Hologram, NahError> {
        let (problem, frequency) = (&self.problem, self.frequencies[i]);
        let measured = to_double::<T>(pipeline.measured(i));
        // Only for saved holograms: interpolation is slow compared to the reconstruction.
        let fine = (problem.refine > 1)
            .then(|| InterpolatedField::new(problem, dead, frequency, regularization, &measured))
            .transpose()?;
        let plane = |(j, &distance): (usize, &f64)| {
            let [mut pressure, mut velocity] =
                [2 * j, 2 * j + 1].map(|field| to_double::<T>(pipeline.field(i, field)));
            let mut normal_intensity = intensity(&pressure, &velocity);
            // On the grid of the array, whatever the refinement.
            let power = normal_intensity.iter().sum::<f64>() * self.area();
            if let Some(fine) = &fine {
                [pressure, velocity] = fine.plane(problem, distance);
                normal_intensity = intensity(&pressure, &velocity);
            }
            Plane { distance, pressure, velocity, intensity: normal_intensity, power }
        };
        let planes = problem.planes.iter().enumerate().map(plane).collect();
        let reference = problem.reference_at(frequency);
        let reference = reference.map(|measured| agreement(&to_double::<T>(pipeline.field(i, 0)), measured));
        Ok(Hologram { frequency, regularization, measured, planes, compared, reference })
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
