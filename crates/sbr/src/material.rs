//! Surface materials and their Fresnel reflection coefficients, including multilayer coatings.

use num_complex::Complex64;
use phasefront_core::constants::{EPS0, ETA0, MU0, wavenumber};
use std::f64::consts::TAU;

/// The material of a mesh group.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Material {
    /// A perfect electric conductor (PEC).
    #[default]
    Conductor,
    /// A homogeneous half-space behind the surface; the transmitted wave is not traced.
    HalfSpace(Medium),
    /// A multilayer coating on a perfect conductor, from the conductor outward.
    Coated(Vec<Layer>),
}

/// A homogeneous, isotropic medium.
#[derive(Debug, Clone, PartialEq)]
pub enum Medium {
    /// The same at all frequencies.
    Constant(Constants),
    /// Tabulated at increasing frequencies, Hz; linear in between, constant outside.
    Table(Vec<(f64, Constants)>),
}

/// Material constants; with e^{+jωt}, losses are negative imaginary parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Constants {
    /// Relative permittivity.
    pub eps_r: Complex64,
    /// Relative permeability.
    pub mu_r: Complex64,
}

/// One layer of a coating.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    /// Its medium.
    pub medium: Medium,
    /// Its thickness, m.
    pub thickness: f64,
}

/// Fresnel reflection coefficients of the electric field perpendicular and parallel to the plane of incidence, along ê⊥ = k × n/|k × n| and
/// ê∥ = k × ê⊥ of the respective wave. A perfect conductor has Γ⊥ = −1 and Γ∥ = +1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reflection {
    /// Γ⊥.
    pub perpendicular: Complex64,
    /// Γ∥.
    pub parallel: Complex64,
}

impl Material {
    /// Reflection coefficients at a frequency and a cosine of the angle of incidence.
    ///
    /// ```
    /// use phasefront_sbr::{Constants, Material, Medium};
    ///
    /// // Glass at normal incidence: (1 − √ε)/(1 + √ε).
    /// let glass = Constants { eps_r: 4.0.into(), mu_r: 1.0.into() };
    /// let glass = Material::HalfSpace(Medium::Constant(glass));
    /// assert!((glass.reflection(1e9, 1.0).perpendicular.re + 1.0 / 3.0).abs() < 1e-15);
    /// ```
    pub fn reflection(&self, frequency: f64, cosine: f64) -> Reflection {
        match self {
            Self::Conductor => {
                Reflection { perpendicular: Complex64::new(-1.0, 0.0), parallel: Complex64::ONE }
            }
            Self::HalfSpace(medium) => {
                at_impedances(medium.at(frequency).impedances(frequency, cosine).1, cosine)
            }
            Self::Coated(layers) => {
                // Short circuit at the conductor, transformed outward layer by layer.
                let mut z = [Complex64::ZERO; 2];
                for layer in layers {
                    z = layer.over(z, frequency, cosine);
                }
                at_impedances(z, cosine)
            }
        }
    }
}

impl Medium {
    /// Material constants at a frequency.
    pub fn at(&self, frequency: f64) -> Constants {
        match self {
            Self::Constant(constants) => *constants,
            Self::Table(rows) => {
                // Equal neighbors outside of the table give a
                // span of zero, hence the constant end value.
                let next = rows.partition_point(|(f, _)| *f < frequency);
                let (below, above) = (&rows[next.saturating_sub(1)], &rows[next.min(rows.len() - 1)]);
                let span = above.0 - below.0;
                let t = if span > 0.0 { (frequency - below.0) / span } else { 0.0 };
                Constants {
                    eps_r: below.1.eps_r * (1.0 - t) + above.1.eps_r * t,
                    mu_r: below.1.mu_r * (1.0 - t) + above.1.mu_r * t,
                }
            }
        }
    }
}

impl Constants {
    /// kz = k₀ √(εμ − sin²), Im kz ≤ 0, and the ratios of tangential E to H, Z_TE = ωμ/kz and Z_TM = kz/(ωε), which Maxwell's
    /// equations give a plane wave in the medium.
    fn impedances(&self, frequency: f64, cosine: f64) -> (Complex64, [Complex64; 2]) {
        let omega = TAU * frequency;
        let root = (self.eps_r * self.mu_r - (1.0 - cosine * cosine)).sqrt();
        // The root that decays away from the surface.
        let kz = wavenumber(frequency) * if root.im > 0.0 { -root } else { root };
        (kz, [self.mu_r * (omega * MU0) / kz, kz / (self.eps_r * (omega * EPS0))])
    }
}

impl Layer {
    /// Impedances at its top from those at its bottom, the transmission line equation:
    /// Z ← Zm (Z + j Zm tan kz d)/(Zm + j Z tan kz d).
    fn over(&self, below: [Complex64; 2], frequency: f64, cosine: f64) -> [Complex64; 2] {
        let (kz, own) = self.medium.at(frequency).impedances(frequency, cosine);
        let phase = kz * self.thickness;
        // j tan x = (1 − e^{−2jx})/(1 + e^{−2jx}), which does not overflow in thick, lossy layers.
        let round_trip = (phase * Complex64::new(0.0, -2.0)).exp();
        let (up, down) = (Complex64::ONE - round_trip, Complex64::ONE + round_trip);
        [0, 1].map(|i| own[i] * (below[i] * down + own[i] * up) / (own[i] * down + below[i] * up))
    }
}

/// Γ⊥ = (Z cos − Z₀)/(Z cos + Z₀) with Z of TE waves, Γ∥ = −(Z − Z₀ cos)/(Z + Z₀ cos) with Z of TM waves.
fn at_impedances([te, tm]: [Complex64; 2], cosine: f64) -> Reflection {
    Reflection {
        perpendicular: (te * cosine - ETA0) / (te * cosine + ETA0),
        parallel: -(tm - ETA0 * cosine) / (tm + ETA0 * cosine),
    }
}
