//! Reconstructed fields between the grid points: spectral interpolation in k-space, or the equivalent sources evaluated anywhere.

use crate::esm::Esm;
use crate::filter::Filters;
use crate::kspace::KSpace;
use crate::likelihood::SpectrumFit;
use crate::problem::Problem;
use crate::solution::Regularization;
use num_complex::Complex64;
use phasefront_core::FieldError;

/// A reconstruction that can be evaluated between the grid points.
pub enum InterpolatedField {
    /// By its angular spectrum, with the filters of the reconstruction, and its signal and noise.
    KSpace(KSpace, Filters, SpectrumFit),
    /// By equivalent sources.
    Esm {
        /// Where they are.
        sources: Esm,
        /// Their Tikhonov weight λ.
        weight: f64,
        /// Their strengths.
        strengths: Vec<Complex64>,
    },
}

impl InterpolatedField {
    /// The reconstruction from the pressure at the microphones, some of them dead, with a given regularization.
    pub fn new(
        problem: &Problem,
        dead: &[usize],
        frequency: f64,
        regularization: Regularization,
        measured: &[Complex64],
    ) -> Result<Self, FieldError> {
        let k = problem.medium.wavenumber(frequency);
        Ok(match regularization {
            Regularization::Filters(filters) => {
                // The same stages as the reconstruction on the grid, in double precision.
                let space = KSpace::new(problem.grid, measured, problem.extrapolation, k);
                Self::KSpace(space, filters, problem.spectrum_fit(measured, k))
            }
            Regularization::Tikhonov { weight, .. } => {
                let sources = problem.equivalent_sources(dead, k);
                let strengths = sources.strengths(weight, measured)?;
                Self::Esm { sources, weight, strengths }
            }
        })
    }

    /// Pressure and velocity on the refined grid of a plane.
    pub fn plane(&self, problem: &Problem, distance: f64) -> [Vec<Complex64>; 2] {
        match self {
            Self::KSpace(space, filters, _) => filters
                .propagators(space.wavenumber(), distance, problem.medium)
                // Spectral interpolation is exact for the band-limited field.
                .map(|propagator| space.refined(problem.refine, propagator)),
            Self::Esm { sources, strengths, .. } => {
                sources.field(strengths, &problem.grid.refined(problem.refine), distance)
            }
        }
    }
}
