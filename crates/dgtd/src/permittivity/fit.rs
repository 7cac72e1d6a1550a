//! A fitted material, and where fits are made.

use crate::material::Material;

/// A fitted material.
#[derive(Debug, Clone, PartialEq)]
pub struct PermittivityFit {
    /// The material.
    pub material: Material,
    /// Largest error of ε′ in the band, relative to |ε|.
    pub eps_error: f64,
    /// Largest error of the losses ε″ in the band, relative to them.
    pub loss_error: f64,
    /// The band, Hz.
    pub band: [f64; 2],
}

impl PermittivityFit {
    /// The larger of both errors.
    pub fn error(&self) -> f64 {
        self.eps_error.max(self.loss_error)
    }

    /// Geometric center of the band, Hz.
    pub fn center(&self) -> f64 {
        (self.band[0] * self.band[1]).sqrt()
    }
}

/// Points of a band, evenly spaced in the logarithm of the frequency, Hz.
pub fn points([low, high]: [f64; 2], count: usize) -> Vec<f64> {
    let last = (count - 1).max(1) as f64;
    (0..count).map(|i| low * (high / low).powf(i as f64 / last)).collect()
}
