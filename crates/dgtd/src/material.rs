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
    /// Relative permittivity; with poles, its high-frequency limit.
    pub eps: f64,
    /// Relative permeability.
    pub mu: f64,
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

impl Material {
    /// Vacuum.
    pub const VACUUM: Self = Self { eps: 1.0, mu: 1.0, sigma: 0.0, poles: Vec::new() };

    /// The material of a volume group that is given none, by its name.
    pub fn by_name(volume: &str) -> Option<Self> {
        (is_pml(volume) || volume == "air" || volume == "vacuum").then_some(Self::VACUUM)
    }

    /// A lossless dielectric.
    pub fn dielectric(eps: f64) -> Self {
        Self { eps, ..Self::VACUUM }
    }

    /// ε(ω) at a frequency in Hz, relative to vacuum; time convention e^{+jωt}.
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

    /// Phase velocity without dispersion, relative to vacuum: that of the fastest waves.
    pub fn speed(&self) -> f64 {
        (self.eps * self.mu).sqrt().recip()
    }

    /// Refractive index with the permittivity of Debye and Lorentz poles at low frequencies: no wave is shorter.
    pub fn largest_index(&self) -> f64 {
        let at_rest = |pole: &Pole| match *pole {
            Pole::Debye { delta, .. } | Pole::Lorentz { delta, .. } => delta,
            Pole::Drude { .. } => 0.0,
        };
        ((self.eps + self.poles.iter().map(at_rest).sum::<f64>()) * self.mu).sqrt()
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
