//! What a volume is made of: constants, and terms that answer with a delay.

use crate::model::checks::check_positive;
use phasefront_core::{Conductivity, FieldError, Frequency, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a volume is made of. What is left out is as in vacuum.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "dgtd_material")]
pub struct Material {
    /// Relative permittivity; with dispersion, that at high frequencies.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub eps: f64,
    /// Relative permeability.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub mu: f64,
    /// Conductivity.
    pub sigma: Conductivity,
    /// Terms that relax: delta/(1 + jωτ).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub debye: Vec<Debye>,
    /// Terms of free charges: -ω_p²/(ω² - jγω).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drude: Vec<Drude>,
    /// Terms that resonate: delta ω₀²/(ω₀² + jγω - ω²).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lorentz: Vec<Lorentz>,
}

impl Default for Material {
    fn default() -> Self {
        let sigma = Conductivity::from_si(0.0);
        Self { eps: 1.0, mu: 1.0, sigma, debye: Vec::new(), drude: Vec::new(), lorentz: Vec::new() }
    }
}

/// A term that relaxes: delta/(1 + jωτ).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_debye")]
pub struct Debye {
    /// What it adds to the permittivity at zero frequency.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub delta: f64,
    /// The time τ in which it relaxes.
    pub tau: Time,
}

/// A term of free charges: -ω_p²/(ω² - jγω).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_drude")]
pub struct Drude {
    /// The plasma frequency ω_p/2π.
    pub plasma: Frequency,
    /// The damping γ/2π, as a frequency.
    pub damping: Frequency,
}

/// A term that resonates: delta ω₀²/(ω₀² + jγω - ω²).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_lorentz")]
pub struct Lorentz {
    /// What it adds to the permittivity at zero frequency.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub delta: f64,
    /// The frequency ω₀/2π at which it resonates.
    pub resonance: Frequency,
    /// The damping γ/2π, as a frequency.
    pub damping: Frequency,
}

impl Material {
    /// Refuses constants that no passive material has; `path` is where the case gives them.
    pub(super) fn check(&self, path: &str) -> Result<(), FieldError> {
        let at = |key: &str| format!("{path}.{key}");
        let permittivity = "write for example `eps = 4.0`; vacuum has 1";
        check_positive(at("eps"), "the relative permittivity", self.eps, permittivity)?;
        let permeability = "write for example `mu = 1.0`, the default";
        check_positive(at("mu"), "the relative permeability", self.mu, permeability)?;
        check_not_negative(&at("sigma"), "the conductivity", self.sigma.si())?;
        for (i, term) in self.debye.iter().enumerate() {
            let at = |key: &str| format!("{path}.debye[{i}].{key}");
            check_delta(at("delta"), term.delta)?;
            check_positive(
                at("tau"),
                "the relaxation time",
                term.tau.si(),
                "write for example `tau = \"1 ns\"`",
            )?;
        }
        for (i, term) in self.drude.iter().enumerate() {
            let at = |key: &str| format!("{path}.drude[{i}].{key}");
            let advice = "write for example `plasma = \"1 GHz\"`";
            check_positive(at("plasma"), "the plasma frequency", term.plasma.si(), advice)?;
            check_not_negative(&at("damping"), "the damping", term.damping.si())?;
        }
        for (i, term) in self.lorentz.iter().enumerate() {
            let at = |key: &str| format!("{path}.lorentz[{i}].{key}");
            check_delta(at("delta"), term.delta)?;
            let advice = "write for example `resonance = \"1 GHz\"`";
            check_positive(at("resonance"), "the resonance", term.resonance.si(), advice)?;
            check_not_negative(&at("damping"), "the damping", term.damping.si())?;
        }
        Ok(())
    }
}

fn check_delta(path: String, delta: f64) -> Result<(), FieldError> {
    check_positive(path, "the step of the permittivity", delta, "write for example `delta = 3.0`")
}

fn check_not_negative(path: &str, what: &str, value: f64) -> Result<(), FieldError> {
    if value >= 0.0 {
        return Ok(());
    }
    Err(FieldError::new(path, format!("{what} cannot be negative"), "losses are positive; 0 is none"))
}
