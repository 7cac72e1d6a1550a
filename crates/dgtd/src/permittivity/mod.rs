//! Materials with poles from what data sheets give: a loss tangent, or a table of the permittivity.
//!
//! Every term of a fit is passive by itself, Debye, Drude and Lorentz poles and a conductivity with positive parameters, so that the fit is
//! passive and causal at all frequencies, also where nothing was given.

mod fit;
mod flat;
mod nnls;
mod table;

use crate::material::Material;
pub use fit::PermittivityFit;
pub(crate) use fit::points;
pub(crate) use nnls::nnls;
use num_complex::Complex64;

impl Material {
    /// A material with a loss tangent ε″/ε′ that is constant over a band, Hz, and ε′ = `eps` at its geometric center. Causality makes ε′ fall
    /// slowly with frequency, by about (2/π) tan δ ln(f₂/f₁) of itself.
    ///
    /// ```
    /// use phasefront_dgtd::Material;
    /// let fit = Material::with_loss_tangent(4.4, 0.02, [1e9, 10e9]);
    /// let eps = fit.material.permittivity(2e9);
    /// assert!((-eps.im / eps.re / 0.02 - 1.0).abs() < 0.01 && fit.loss_error < 0.01);
    /// ```
    pub fn with_loss_tangent(eps: f64, loss_tangent: f64, band: [f64; 2]) -> PermittivityFit {
        flat::fit(eps, loss_tangent, band)
    }

    /// The material that fits a table of frequencies, Hz, and permittivities ε′ − jε″ best in a band; none if there is no such fit. The table
    /// is in order of frequency, has at least two rows and covers the band.
    pub fn from_permittivity(table: &[(f64, Complex64)], band: [f64; 2]) -> Option<PermittivityFit> {
        table::fit(table, band)
    }
}

#[cfg(test)]
mod tests;
