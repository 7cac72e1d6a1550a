//! The seam between the order of the stages (`solve.rs`) and the method that solves a system on a device.
//!
//! An engine may store a dense matrix and its LU factors, as those of `cpu/` and `gpu/` do, or a compressed or matrix-free
//! operator (fast direct solver, fast multipole method): nothing here assumes a matrix.

use crate::error::MomError;
use crate::near_field::Region;
use crate::system::System;
use num_complex::Complex64;
use phasefront_core::Progress;

/// A solver of discrete systems of integral equations on one device. Methods are called in this order at each frequency.
pub(crate) trait Engine {
    /// Prepares the solution of `system` for any right-hand side. The engine reports the stages this takes, such as `fill` and
    /// `factor`, and checks for interruption between them.
    fn prepare(&mut self, system: &System<'_>, progress: &Progress) -> Result<(), MomError>;
    /// Solves the prepared system for plane waves in the given directions and retains the solutions for the methods below.
    fn solve(&mut self, system: &System<'_>, directions: &[f64]) -> Result<(), MomError>;
    /// The solutions for some of the directions, by their indices.
    fn solutions(&self, which: &[usize]) -> Result<Vec<Vec<Complex64>>, MomError>;
    /// Estimate of the condition number in the 1-norm, if the engine has one.
    fn condition(&self) -> Result<Option<f64>, MomError>;
    /// Far-field integrals ∫ [σ − (n·ŝ)μ] e^{jk r·ŝ} ds toward each observation angle, per direction of incidence (bistatic).
    fn far_field(&self, system: &System<'_>, observation: &[f64]) -> Result<Vec<Vec<Complex64>>, MomError>;
    /// The same for one angle per direction of incidence: backwards (monostatic) or forwards (optical theorem).
    fn far_field_paired(&self, system: &System<'_>, angles: &[f64]) -> Result<Vec<Complex64>, MomError>;
    /// The field of the first solution at points, whose regions are given: scattered outside, total in a dielectric.
    fn near_field(
        &self,
        system: &System<'_>,
        points: &[Complex64],
        regions: &[Region],
        progress: &Progress,
    ) -> Result<Vec<Complex64>, MomError>;
}
