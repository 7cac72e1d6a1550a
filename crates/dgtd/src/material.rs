//! What a volume is made of.

/// A term of a material that answers with a delay, by an equation of its own.
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

/// A material: constants relative to vacuum, conductivity, and poles.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// Relative permittivity; with poles that at high frequencies.
    pub eps: f64,
    /// Relative permeability.
    pub mu: f64,
    /// Conductivity, S/m.
    pub sigma: f64,
    /// Dispersion.
    pub poles: Vec<Pole>,
}

impl Default for Material {
    fn default() -> Self {
        Self::VACUUM
    }
}

impl Material {
    /// Nothing.
    pub const VACUUM: Self = Self { eps: 1.0, mu: 1.0, sigma: 0.0, poles: Vec::new() };

    /// A lossless dielectric.
    pub fn dielectric(eps: f64) -> Self {
        Self { eps, ..Self::VACUUM }
    }

    /// Impedance relative to vacuum's, √(μ/ε).
    pub fn impedance(&self) -> f64 {
        (self.mu / self.eps).sqrt()
    }

    /// Speed of the fastest waves relative to vacuum's.
    pub fn speed(&self) -> f64 {
        (self.eps * self.mu).sqrt().recip()
    }
}
