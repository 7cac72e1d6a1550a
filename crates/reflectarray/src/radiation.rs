//! The radiated field on the grid and its adjoint; the element pattern.

use crate::error::ReflectarrayError;
use crate::parallel::BLOCK;
use crate::problem::{Design, Element, Problem, ReflectionTable, UvGrid};
use crate::transform::{AdjointSums, Transform};
use num_complex::Complex64;
use phasefront_core::constants::wavenumber;
use phasefront_device::Backend;
use phasefront_device::cpu::team;

/// E(u, v) = g(u, v) Σ a_n e^{jβ(u x_n + v y_n)} at one frequency.
#[derive(Debug, Clone)]
pub(crate) struct Radiation {
    transform: Transform,
    /// Element field pattern at the samples; zero outside visible space, u² + v² > 1.
    g: Vec<Complex64>,
    /// W of the last adjoint.
    weighted: Vec<Complex64>,
}

impl Radiation {
    pub fn new(problem: &Problem, uv_grid: &UvGrid, frequency: f64, backend: &Backend) -> Self {
        let tolerance = problem.synthesis.tolerance;
        let transform = Transform::new(wavenumber(frequency), uv_grid.u(), uv_grid.v(), tolerance, backend);
        Self { transform, g: problem.element.fields(uv_grid), weighted: Vec::new() }
    }

    /// Whether positions have been set.
    pub fn is_set(&self) -> bool {
        self.transform.is_set()
    }

    /// Sets the positions of a design.
    pub fn set_positions(&mut self, design: &Design) -> Result<(), ReflectarrayError> {
        self.transform.set_positions(design)
    }

    /// E for excitations a, and |E|² at the samples.
    pub fn field(
        &mut self,
        a: &[Complex64],
        field: &mut Vec<Complex64>,
        intensity: &mut [f64],
    ) -> Result<(), ReflectarrayError> {
        self.transform.field(a, field)?;
        team::map_mut(BLOCK, (&mut field[..], intensity), |first, (field, intensity)| {
            for ((e, intensity), g) in field.iter_mut().zip(intensity).zip(&self.g[first..]) {
                *e *= g;
                *intensity = e.norm_sqr();
            }
        });
        Ok(())
    }

    /// Adjoint sums of W = g E* w: S[W], and with `derivatives` S[uW] and S[vW]. A cost C of |E|² with w = ∂C/∂|E|² has the
    /// gradients ∂C/∂ψ_n = −2 Im{a_n S[W]} and ∂C/∂x_n = 2 Re{∂_x a_n S[W] + jβ a_n S[uW]}.
    pub fn adjoint(
        &mut self,
        field: &[Complex64],
        weights: &[f64],
        derivatives: bool,
    ) -> Result<AdjointSums, ReflectarrayError> {
        let Self { transform, g, weighted } = self;
        weighted.resize(field.len(), Complex64::ZERO);
        team::map_mut(BLOCK, &mut weighted[..], |first, weighted: &mut [Complex64]| {
            let samples = g[first..].iter().zip(&field[first..]).zip(&weights[first..]);
            // W carries the conjugate of the field: d|E|² = 2 Re(E* dE).
            weighted.iter_mut().zip(samples).for_each(|(w, ((g, e), weight))| *w = g * e.conj() * *weight);
        });
        transform.adjoint(weighted, derivatives)
    }
}

impl Element {
    /// Field pattern g at the points of a grid.
    pub(crate) fn fields(&self, uv_grid: &UvGrid) -> Vec<Complex64> {
        let u = uv_grid.u();
        let along_u = |v: f64| u.iter().map(move |u| self.field(1.0 - u * u - v * v));
        uv_grid.v().into_iter().flat_map(along_u).collect()
    }

    /// g = cos^{p/2}(θ) S₀(θ) as a function of cos²θ; zero where that is negative, outside visible space.
    pub(crate) fn field(&self, cos_squared: f64) -> Complex64 {
        if cos_squared < 0.0 {
            return Complex64::ZERO;
        }
        // θ is real here: u² + v² ≤ 1 after the early return.
        let reflection = self.reflection.as_ref().map_or(Complex64::ONE, |s| s.at(cos_squared.sqrt().acos()));
        // Field exponent p/2 of cos θ, hence p/4 of cos²θ.
        reflection * cos_squared.powf(0.25 * self.power_exponent)
    }
}

impl ReflectionTable {
    /// S₀(θ): amplitude and phase interpolated linearly between rows, constant beyond the first and the last.
    pub(crate) fn at(&self, theta: f64) -> Complex64 {
        // Clamped to an inner row, so that both neighbors
        // exist; a table of one row is its own neighbor.
        let above = self.theta.partition_point(|t| *t < theta).clamp(1, self.theta.len().max(2) - 1);
        let (i, j) = (above - 1, above.min(self.theta.len() - 1));
        let width = self.theta[j] - self.theta[i];
        let share = if width > 0.0 { ((theta - self.theta[i]) / width).clamp(0.0, 1.0) } else { 0.0 };
        let interpolated = |c: &[f64]| c[i] + share * (c[j] - c[i]);
        Complex64::from_polar(interpolated(&self.amplitude), interpolated(&self.phase))
    }
}
