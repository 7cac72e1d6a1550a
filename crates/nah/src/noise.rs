//! What becomes of the noise of the microphones on the reconstruction planes.

use crate::filter::Filter;
use crate::interpolation::InterpolatedField;
use crate::medium::kz;
use crate::problem::Problem;
use crate::propagator::propagator;
use crate::simulate::Noise;
use num_complex::Complex64;
use phasefront_core::FieldError;

/// Samples of white noise at the microphones: the mean over the points of a plane is accurate to a few tenths of a decibel.
const SAMPLES: usize = 4;

/// Mean power on a plane of white noise of unit power at the microphones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NoiseGain {
    /// Of the pressure.
    pub pressure: f64,
    /// Of the velocity times ρc.
    pub velocity: f64,
}

impl NoiseGain {
    /// Of the intensity times ρc at a point: the geometric mean, for the noise of pressure and velocity is incoherent with the field.
    pub fn intensity(&self) -> f64 {
        (self.pressure * self.velocity).sqrt()
    }
}

impl InterpolatedField {
    /// How much noise grows from the microphones to a plane. Evanescent waves are amplified, and so is the noise at their wavenumbers.
    pub fn noise_gain(&self, problem: &Problem, distance: f64) -> Result<NoiseGain, FieldError> {
        Ok(match self {
            Self::KSpace(space, filters, _) => {
                let k = space.wavenumber();
                // White noise has the same power at all wavenumbers.
                let mean = |power: &dyn Fn(f64) -> f64| {
                    let all = space.radial_wavenumbers();
                    all.iter().map(|kr| power(*kr)).sum::<f64>() / all.len() as f64
                };
                let velocity =
                    |kr| (propagator(k, kr, distance, filters.velocity) * kz(k, kr) / k).norm_sqr();
                NoiseGain {
                    pressure: mean(&|kr| propagator(k, kr, distance, filters.pressure).norm_sqr()),
                    velocity: mean(&velocity),
                }
            }
            Self::Esm { sources, weight, .. } => {
                let mut noise = Noise::new(0, 0);
                let mut sums = [0.0; 2];
                for _ in 0..SAMPLES {
                    let unit: Vec<Complex64> =
                        (0..problem.format().microphones).map(|_| noise.complex(1.0)).collect();
                    let fields = sources.field(&sources.strengths(*weight, &unit)?, &problem.grid, distance);
                    sums = [0, 1].map(|i| sums[i] + mean_power(&fields[i]) / SAMPLES as f64);
                }
                let impedance = problem.medium.density * problem.medium.speed;
                NoiseGain { pressure: sums[0], velocity: sums[1] * impedance * impedance }
            }
        })
    }

    /// The power of the noise at a microphone, Pa², by the likelihood of signal and noise.
    pub fn noise_floor(&self, measured: &[Complex64]) -> Result<f64, FieldError> {
        match self {
            Self::KSpace(_, _, fit) => Ok(fit.noise_power()),
            Self::Esm { sources, weight, .. } => Ok(weight * sources.source_power(*weight, measured)?),
        }
    }

    /// The expected errors of pressure and normal velocity at the grid points of a plane: standard deviations, from the noise and from what the
    /// regularization takes away of the field. In k-space they are the mean over the plane, √(Σ|G|²(F²n + (1 − F)²S)), with the power n of the noise and
    /// S of the signal at each wavenumber; what the extrapolation beyond the aperture is wrong by is not known, and not in it.
    pub fn expected_errors(
        &self,
        problem: &Problem,
        measured: &[Complex64],
        distance: f64,
    ) -> Result<[Vec<f64>; 2], FieldError> {
        let points = problem.grid.len();
        match self {
            Self::KSpace(space, filters, fit) => {
                let k = space.wavenumber();
                let error = |filter: Filter, scale: &dyn Fn(f64) -> f64| {
                    let power = |kr: &f64| {
                        let kept = filter.at(*kr, k, distance);
                        let passed =
                            kept * kept * fit.noise_power() + (1.0 - kept).powi(2) * fit.signal_power(*kr);
                        (propagator(k, *kr, distance, Filter::None).norm() * scale(*kr)).powi(2) * passed
                    };
                    let all = space.radial_wavenumbers();
                    vec![(all.iter().map(power).sum::<f64>() / all.len() as f64).sqrt(); points]
                };
                let admittance = |kr| problem.medium.admittance(k, kr).norm();
                Ok([error(filters.pressure, &|_| 1.0), error(filters.velocity, &admittance)])
            }
            Self::Esm { sources, weight, .. } => {
                let mut pressure = sources.expected_errors(*weight, measured, &[distance])?;
                let velocity = pressure.split_off(points);
                Ok([pressure, velocity])
            }
        }
    }

    /// The power of the noise at a microphone, Pa², as far as the reconstruction leaves it out; none where it leaves out nothing.
    pub fn noise_power(&self, measured: &[Complex64], distance: f64) -> Result<Option<f64>, FieldError> {
        Ok(match self {
            Self::KSpace(space, filters, _) => {
                let rejected = |kr| 1.0 - filters.pressure.at(kr, space.wavenumber(), distance);
                let all = space.radial_wavenumbers();
                let share = all.iter().map(|kr| rejected(*kr).powi(2)).sum::<f64>() / all.len() as f64;
                let residual = mean_power(&space.on_array(|kr| rejected(kr).into()));
                (share > 0.0).then(|| residual / share)
            }
            Self::Esm { sources, weight, .. } => Some(sources.fit(*weight)?.noise_power(measured)),
        })
    }
}

/// The mean of |p|².
pub fn mean_power(field: &[Complex64]) -> f64 {
    field.iter().map(Complex64::norm_sqr).sum::<f64>() / field.len().max(1) as f64
}
