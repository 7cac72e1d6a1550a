//! Gradients of a cost by the adjoint sums.

use super::pattern::PatternStage;
use crate::error::ReflectarrayError;
use crate::evaluation::{Derivatives, Evaluation};
use crate::parallel::BLOCK;
use num_complex::Complex64;
use phasefront_device::cpu::team;

impl PatternStage {
    /// Gradients of a cost C with `weights` w = ∂C/∂|E|² and W = g E* w:
    ///
    /// ```text
    /// ∂C/∂ψ_n = −2 Im{a_n S[W]_n}
    /// ∂C/∂x_n =  2 Re{a_n (∂ ln f/∂x S[W]_n + jβ S[uW]_n)},   y likewise with v
    /// ```
    pub fn gradient(
        &mut self,
        beta: f64,
        weights: &[f64],
        derivatives: Derivatives,
    ) -> Result<Evaluation, ReflectarrayError> {
        let mut gradient = Evaluation::default();
        // The pattern alone: no adjoint transform.
        if derivatives == Derivatives::None {
            return Ok(gradient);
        }
        let positions = derivatives == Derivatives::PhaseAndPosition;
        // S[uW] and S[vW] only for positions: they triple the cost of the adjoint.
        let sums = self.radiation.adjoint(&self.field, weights, positions)?;
        gradient.phase = team::collect(self.excitations.len(), BLOCK, |own| {
            self.excitations[own.clone()].iter().zip(&sums.s[own]).map(|(a, s)| -2.0 * (a * s).im)
        });
        if positions {
            let jb = Complex64::new(0.0, beta);
            let along = |n: usize, log: Complex64, su: Complex64| {
                2.0 * (self.excitations[n] * (log * sums.s[n] + jb * su)).re
            };
            let waves = self.waves.values.iter().enumerate();
            gradient.x = waves.clone().map(|(n, wave)| along(n, wave.dx, sums.su[n])).collect();
            gradient.y = waves.map(|(n, wave)| along(n, wave.dy, sums.sv[n])).collect();
        }
        Ok(gradient)
    }

    /// a_n S[W]_n.
    pub fn back_projection(&mut self, weights: &[f64]) -> Result<Vec<Complex64>, ReflectarrayError> {
        let s = self.radiation.adjoint(&self.field, weights, false)?.s;
        Ok(self.excitations.iter().zip(s).map(|(a, s)| a * s).collect())
    }
}
