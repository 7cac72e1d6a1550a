//! Materials.

use crate::error::DgtdError;
use num_complex::Complex64;
use phasefront_core::FieldError;
use phasefront_core::constants::EPS0;
use std::f64::consts::TAU;

/// Whether a volume group is a PML, by its name.
pub fn is_pml(volume: &str) -> bool {
    volume.starts_with("pml")
}

/// A pole of a dispersive permittivity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pole {
    /// Debye: ε += Δε/(1 + jωτ).
    Debye {
        /// Δε.
        delta: f64,
        /// τ, s.
        tau: f64,
    },
    /// Drude: ε −= ω_p²/(ω² − jγω).
    Drude {
        /// ω_p, rad/s.
        plasma: f64,
        /// γ, 1/s.
        damping: f64,
    },
    /// Lorentz: ε += Δε ω₀²/(ω₀² + jγω − ω²).
    Lorentz {
        /// Δε.
        delta: f64,
        /// ω₀, rad/s.
        resonance: f64,
        /// γ, 1/s.
        damping: f64,
    },
}

/// A material: relative permittivity and permeability, conductivity, and poles.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// Relative permittivity; with poles, its high-frequency limit; of an anisotropic material the smallest of its principal values.
    pub eps: f64,
    /// Relative permeability; of an anisotropic material the smallest of its principal values.
    pub mu: f64,
    /// Anisotropy with principal axes along x, y and z.
    pub anisotropy: Anisotropy,
    /// Conductivity, S/m.
    pub sigma: f64,
    /// Dispersion poles.
    pub poles: Vec<Pole>,
}

impl Default for Material {
    fn default() -> Self {
        Self::VACUUM
    }
}

/// Principal values of ε with its poles, and of μ, relative to the smallest of each, along x, y and z: at least 1.
///
/// The numerical flux and the time step are those of the smallest values. With factors F ≥ 1 the operator of the medium is F^(−½) L F^(−½), L
/// that of the smallest values; in the norm of the energy its numerical range lies within that of L and zero, so that the step of L is stable.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Anisotropy {
    /// Of ε and its poles.
    pub eps: [f64; 3],
    /// Of μ.
    pub mu: [f64; 3],
}

impl Anisotropy {
    /// None.
    pub const NONE: Self = Self { eps: [1.0; 3], mu: [1.0; 3] };
}

impl Material {
    /// Vacuum.
    pub const VACUUM: Self =
        Self { eps: 1.0, mu: 1.0, anisotropy: Anisotropy::NONE, sigma: 0.0, poles: Vec::new() };

    /// The material of a volume group that is given none, by its name.
    pub fn by_name(volume: &str) -> Option<Self> {
        (is_pml(volume) || volume == "air" || volume == "vacuum").then_some(Self::VACUUM)
    }

    /// A lossless dielectric.
    pub fn dielectric(eps: f64) -> Self {
        Self { eps, ..Self::VACUUM }
    }

    /// The same material with other constants along x, y and z; losses of its poles keep their loss tangents.
    ///
    /// ```
    /// use phasefront_dgtd::Material;
    /// let laminate = Material::VACUUM.with_principal([3.2, 3.2, 2.9], [1.0; 3]);
    /// assert_eq!(laminate.eps, 2.9);
    /// assert!(!laminate.is_isotropic());
    /// ```
    #[must_use]
    pub fn with_principal(self, eps: [f64; 3], mu: [f64; 3]) -> Self {
        let [least_eps, least_mu] = [eps, mu].map(|values| values.into_iter().fold(f64::INFINITY, f64::min));
        // With poles ε is its limit at high frequencies, of which `eps` has the ratios.
        let eps_r = if self.poles.is_empty() { least_eps } else { self.eps };
        let anisotropy = Anisotropy { eps: eps.map(|e| e / least_eps), mu: mu.map(|m| m / least_mu) };
        Self { eps: eps_r, mu: least_mu, anisotropy, ..self }
    }

    /// Whether it has the same constants in all directions.
    pub fn is_isotropic(&self) -> bool {
        self.anisotropy == Anisotropy::NONE
    }

    /// Whether an axis exists around which it is the same in all directions.
    ///
    /// Then its waves are those of two ellipsoids, whose group and phase velocities have the same sign along each axis, as a PML needs. With
    /// three principal values the surface of slowness has cones, beside which they have opposite signs, and fields in a PML may grow
    /// (E. Bécache, S. Fauqueux, P. Joly, *J. Comput. Phys.* 188, 399, 2003).
    pub fn is_uniaxial(&self) -> bool {
        let Anisotropy { eps, mu } = self.anisotropy;
        (0..3).any(|axis| {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            eps[u] == eps[v] && mu[u] == mu[v]
        })
    }

    /// ε without poles along x, y and z.
    pub fn eps_axes(&self) -> [f64; 3] {
        self.anisotropy.eps.map(|factor| factor * self.eps)
    }

    /// μ along x, y and z.
    pub fn mu_axes(&self) -> [f64; 3] {
        self.anisotropy.mu.map(|factor| factor * self.mu)
    }

    /// ε(ω) at a frequency in Hz, relative to vacuum; time convention e^{+jωt}. Of an anisotropic material the smallest principal value.
    pub fn permittivity(&self, frequency: f64) -> Complex64 {
        let omega = TAU * frequency;
        let j = Complex64::i();
        let term = |pole: &Pole| match *pole {
            Pole::Debye { delta, tau } => delta / (1.0 + j * omega * tau),
            Pole::Drude { plasma, damping } => -plasma.powi(2) / (omega.powi(2) - j * damping * omega),
            Pole::Lorentz { delta, resonance, damping } => {
                delta * resonance.powi(2) / (resonance.powi(2) - omega.powi(2) + j * damping * omega)
            }
        };
        // With e^{+jωt}, losses are a negative imaginary part.
        self.eps - j * self.sigma / (omega * EPS0) + self.poles.iter().map(term).sum::<Complex64>()
    }

    /// Impedance relative to vacuum, √(μ/ε).
    pub fn impedance(&self) -> f64 {
        (self.mu / self.eps).sqrt()
    }

    /// Phase velocity without dispersion, relative to vacuum: that of the fastest waves, or a bound on it where both ε and μ are anisotropic.
    pub fn speed(&self) -> f64 {
        (self.eps * self.mu).sqrt().recip()
    }

    /// The same of the slowest waves.
    pub fn slowest(&self) -> f64 {
        self.speed() / self.spread()
    }

    /// Ratio of the refractive indices of the slowest and the fastest waves, or a bound on it.
    fn spread(&self) -> f64 {
        let most = |factors: [f64; 3]| factors.into_iter().fold(1.0, f64::max);
        (most(self.anisotropy.eps) * most(self.anisotropy.mu)).sqrt()
    }

    /// Refractive index with the permittivity of Debye and Lorentz poles at low frequencies: no wave is shorter.
    pub fn largest_index(&self) -> f64 {
        let at_rest = |pole: &Pole| match *pole {
            Pole::Debye { delta, .. } | Pole::Lorentz { delta, .. } => delta,
            Pole::Drude { .. } => 0.0,
        };
        ((self.eps + self.poles.iter().map(at_rest).sum::<f64>()) * self.mu).sqrt() * self.spread()
    }

    /// Refuses constants that no passive material has; `path` is that of the material.
    pub(crate) fn check(&self, path: &str) -> Result<(), DgtdError> {
        for (name, value) in [("eps_r", self.eps), ("mu_r", self.mu)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(FieldError::new(
                    format!("{path}.{name}"),
                    format!("{name} must be positive, but is {value}"),
                    "model a negative permittivity by a Drude or Lorentz pole in addition to a positive eps_r",
                )
                .into());
            }
        }
        for (name, factors) in [("eps_r", self.anisotropy.eps), ("mu_r", self.anisotropy.mu)] {
            if !factors.iter().all(|factor| factor.is_finite() && *factor >= 1.0) {
                return Err(FieldError::new(
                    format!("{path}.{name}"),
                    format!(
                        "the principal values of {name} must be positive and relative to the smallest one"
                    ),
                    "make the material by `Material::with_principal`",
                )
                .into());
            }
        }
        if !(self.sigma.is_finite() && self.sigma >= 0.0) {
            return Err(FieldError::new(
                format!("{path}.conductivity"),
                "the conductivity must not be negative",
                "leave it out for a lossless material",
            )
            .into());
        }
        for pole in &self.poles {
            let (name, values): (&str, &[f64]) = match pole {
                Pole::Debye { delta, tau } => ("debye", &[*delta, *tau]),
                Pole::Drude { plasma, damping } => ("drude", &[*plasma, *damping]),
                Pole::Lorentz { delta, resonance, damping } => ("lorentz", &[*delta, *resonance, *damping]),
            };
            // Without damping, Drude and Lorentz poles are lossless; a Debye pole of τ = 0 has no
            // ADE.
            let zero_damping = matches!(pole, Pole::Drude { .. } | Pole::Lorentz { .. });
            let (last, first) = values.split_last().map_or((0.0, &[][..]), |(l, f)| (*l, f));
            let fine = first.iter().all(|v| v.is_finite() && *v > 0.0)
                && last.is_finite()
                && (last > 0.0 || (zero_damping && last == 0.0));
            if !fine {
                return Err(FieldError::new(
                    format!("{path}.{name}"),
                    format!("the {name} pole has a parameter that is not positive"),
                    "all parameters must be positive; only damping may be zero",
                )
                .into());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At ωτ = 1 ε′ has fallen halfway, and ε″ is at its maximum, Δε/2.
    #[test]
    fn a_relaxation_is_half_way_at_its_rate() {
        let tau = 8.1e-12;
        let water = Material { poles: vec![Pole::Debye { delta: 73.2, tau }], ..Material::dielectric(5.2) };
        let eps = water.permittivity(1.0 / (TAU * tau));
        assert!((eps - Complex64::new(5.2 + 36.6, -36.6)).norm() < 1e-9, "{eps}");
    }

    #[test]
    fn losses_are_below_the_real_axis() {
        let (rate, omega) = (1e9, TAU * 1e9);
        let of = |sigma: f64, pole: Pole| {
            Material { sigma, poles: vec![pole], ..Material::VACUUM }.permittivity(1e9)
        };
        // Without losses a plasma has 1 − (ω_p/ω)², and a resonance at √2 ω twice its Δε.
        let plasma = of(0.0, Pole::Drude { plasma: omega / 2.0, damping: 0.0 });
        assert!((plasma - 0.75).norm() < 1e-12, "{plasma}");
        let resonance = 2_f64.sqrt() * omega;
        let resin = of(0.0, Pole::Lorentz { delta: 3.0, resonance, damping: 0.0 });
        assert!((resin - 7.0).norm() < 1e-12, "{resin}");
        assert!(of(0.0, Pole::Drude { plasma: omega, damping: rate }).im < 0.0);
        assert!(of(0.0, Pole::Lorentz { delta: 3.0, resonance: omega, damping: rate }).im < 0.0);
        // 1/(ωε₀) is 17.975 at 1 GHz for 1 S/m.
        let sea = of(4.0, Pole::Debye { delta: 0.0, tau: 1e-9 });
        assert!((sea.im + 71.9).abs() < 0.01, "{sea}");
    }
}
