//! Materials of bodies.

use num_complex::Complex64;
use phasefront_core::constants::EPS0;
use std::f64::consts::TAU;

/// Material of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Material {
    /// A perfect electric conductor.
    Conductor,
    /// A homogeneous dielectric, lossy or not.
    Dielectric(Dielectric),
}

impl Material {
    /// Layer densities on the contour, each with one unknown per node.
    pub(crate) fn densities(&self) -> usize {
        match self {
            Self::Conductor => 1,
            Self::Dielectric(_) => 2,
        }
    }
}

/// A homogeneous, isotropic medium.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dielectric {
    /// Relative permittivity; with e^{+jωt}, losses are negative imaginary parts.
    pub eps_r: Complex64,
    /// Relative permeability, likewise.
    pub mu_r: Complex64,
    /// Loss tangent of the permittivity, the same at all frequencies.
    pub loss_tangent: f64,
    /// Conductivity, S/m.
    pub conductivity: f64,
}

impl Dielectric {
    /// A lossless medium.
    pub fn lossless(eps_r: f64) -> Self {
        Self { eps_r: eps_r.into(), mu_r: 1.0.into(), loss_tangent: 0.0, conductivity: 0.0 }
    }

    /// Complex relative permittivity ε_r − j Re(ε_r) tan δ − jσ/(ωε₀), e^{+jωt}.
    pub fn permittivity(&self, frequency: f64) -> Complex64 {
        let conduction = self.conductivity / (TAU * frequency * EPS0);
        Complex64::new(self.eps_r.re, self.eps_r.im - self.eps_r.re * self.loss_tangent - conduction)
    }

    /// Complex refractive index √(ε μ), on the branch of decaying waves (Im ≤ 0).
    pub fn index(&self, frequency: f64) -> Complex64 {
        let square = self.permittivity(frequency) * self.mu_r;
        // Exactly real without losses: real wavenumbers have the fast kernels.
        if square.im == 0.0 { Complex64::from(square.re.sqrt()) } else { square.sqrt() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_make_waves_decay() {
        let sea = Dielectric { conductivity: 4.0, ..Dielectric::lossless(80.0) };
        let n = sea.index(1e9);
        assert!(n.im < 0.0 && n.re > 0.0);
        // σ/(ωε₀) = 71.9 at 1 GHz.
        assert!((sea.permittivity(1e9).im + 71.9).abs() < 0.05);
        assert_eq!(Dielectric::lossless(4.0).index(1e9), Complex64::from(2.0));
        // The same losses, given three ways.
        let complex = Dielectric { eps_r: Complex64::new(80.0, -8.0), ..Dielectric::lossless(80.0) };
        let tangent = Dielectric { loss_tangent: 0.1, ..Dielectric::lossless(80.0) };
        let conductor = Dielectric { conductivity: 8.0 * TAU * 1e9 * EPS0, ..Dielectric::lossless(80.0) };
        for other in [tangent, conductor] {
            assert!((complex.index(1e9) - other.index(1e9)).norm() < 1e-14);
        }
    }
}
