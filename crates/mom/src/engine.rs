//! The seam between the plan of a solution and the operator that carries it out.
//!
//! Today the operator is a dense matrix, on the CPU or on a GPU; a compressed one would stand here too.

use crate::error::MomError;
use crate::field::Place;
use crate::system::System;
use num_complex::Complex64;
use phasefront_core::Progress;

/// The stages of a solution at one frequency, in order.
pub(crate) trait Operator {
    /// Fills the matrix.
    fn fill(&mut self, system: &System<'_>, progress: &Progress) -> Result<(), MomError>;
    /// Its 1-norm; before `factor`, which overwrites it.
    fn norm(&self) -> Result<f64, MomError>;
    /// Factors it.
    fn factor(&mut self) -> Result<(), MomError>;
    /// Estimate of the 1-norm of its inverse.
    fn inverse_norm(&self) -> Result<f64, MomError>;
    /// Solves for plane waves in the given directions; keeps the solutions for the next stages.
    fn solve(&mut self, system: &System<'_>, directions: &[f64]) -> Result<(), MomError>;
    /// The solutions for some of the directions, by their indices.
    fn solutions(&self, which: &[usize]) -> Result<Vec<Vec<Complex64>>, MomError>;
    /// ∫ [σ − (n·ŝ)μ] e^{jk r·ŝ} ds towards each observation angle, per direction of incidence.
    fn far_sums(&self, system: &System<'_>, observation: &[f64]) -> Result<Vec<Vec<Complex64>>, MomError>;
    /// The same for one angle per direction of incidence.
    fn far_sums_of_each(&self, system: &System<'_>, observation: &[f64]) -> Result<Vec<Complex64>, MomError>;
    /// The field of the first solution at points: scattered outside, total in a dielectric.
    fn near_field(
        &self,
        system: &System<'_>,
        points: &[Complex64],
        places: &[Place],
        progress: &Progress,
    ) -> Result<Vec<Complex64>, MomError>;
}
