//! Material of a volume: frequency-independent constants, losses, and dispersive (Debye, Drude, Lorentz) terms.

use super::{PerAxis, Permittivity};
use crate::model::checks::check_positive;
use phasefront_core::{Conductivity, FieldError, Frequency, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Material of a volume, linear; isotropic, or anisotropic with principal axes along x, y and z. Default: vacuum. Dispersive terms follow the
/// e^{+jωt} convention.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "dgtd_material")]
pub struct Material {
    /// Relative permittivity ε_r, or three along x, y and z; with dispersive terms, the high-frequency limit ε_∞; with `loss_tangent`, its
    /// real part at the center of the band. Three values exclude `permittivity` and dispersive terms.
    pub eps_r: PerAxis,
    /// Relative permeability μ_r, or three along x, y and z.
    pub mu_r: PerAxis,
    /// Electric conductivity σ.
    pub conductivity: Conductivity,
    /// Loss tangent ε″/ε′, constant over the band of the case, by a fit of Debye terms. Not with `conductivity`, `permittivity` or
    /// dispersive terms.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", range(min = 0))]
    pub loss_tangent: Option<f64>,
    /// Relative permittivity over frequency: rows { frequency, eps_r, loss_tangent }, or a CSV file with the columns `frequency_hz`, `eps_r`
    /// and `loss_tangent` or `loss_factor`; by a passive fit of dispersive terms over the band of the case. Replaces `eps_r`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Permittivity")]
    pub permittivity: Option<Permittivity>,
    /// Debye relaxation terms, Δε/(1 + jωτ) each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub debye: Vec<Debye>,
    /// Drude terms, -ω_p²/(ω² - jγω) each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drude: Vec<Drude>,
    /// Lorentz resonance terms, Δε ω₀²/(ω₀² + jγω - ω²) each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lorentz: Vec<Lorentz>,
}

impl Default for Material {
    fn default() -> Self {
        let conductivity = Conductivity::from_si(0.0);
        Self {
            eps_r: PerAxis::Same(1.0),
            mu_r: PerAxis::Same(1.0),
            conductivity,
            loss_tangent: None,
            permittivity: None,
            debye: Vec::new(),
            drude: Vec::new(),
            lorentz: Vec::new(),
        }
    }
}

/// Debye relaxation term, Δε/(1 + jωτ).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_debye")]
pub struct Debye {
    /// Contribution Δε to the static relative permittivity.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub delta_eps: f64,
    /// Relaxation time τ.
    pub relaxation_time: Time,
}

/// Drude term of free charges, -ω_p²/(ω² - jγω).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_drude")]
pub struct Drude {
    /// Plasma frequency ω_p/2π.
    pub plasma_frequency: Frequency,
    /// Damping rate γ/2π.
    pub damping: Frequency,
}

/// Lorentz resonance term, Δε ω₀²/(ω₀² + jγω - ω²).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_lorentz")]
pub struct Lorentz {
    /// Contribution Δε to the static relative permittivity.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub delta_eps: f64,
    /// Resonance frequency ω₀/2π.
    pub resonance_frequency: Frequency,
    /// Damping rate γ/2π.
    pub damping: Frequency,
}

impl Material {
    /// Rejects constants of an active material; `path` is the key of the material in the case.
    pub(super) fn check(&self, path: &str) -> Result<(), FieldError> {
        let at = |key: &str| format!("{path}.{key}");
        let permittivity = "write for example `eps_r = 4.0`; vacuum has 1";
        self.eps_r.check(at("eps_r"), "the relative permittivity", permittivity)?;
        let permeability = "write for example `mu_r = 1.0`, the default";
        self.mu_r.check(at("mu_r"), "the relative permeability", permeability)?;
        check_not_negative(&at("conductivity"), "the conductivity", self.conductivity.si())?;
        self.check_losses(path)?;
        self.check_axes(path)?;
        for (i, term) in self.debye.iter().enumerate() {
            let at = |key: &str| format!("{path}.debye[{i}].{key}");
            check_delta(at("delta_eps"), term.delta_eps)?;
            check_positive(
                at("relaxation_time"),
                "the relaxation time",
                term.relaxation_time.si(),
                "write for example `relaxation_time = \"1 ns\"`",
            )?;
        }
        for (i, term) in self.drude.iter().enumerate() {
            let at = |key: &str| format!("{path}.drude[{i}].{key}");
            let advice = "write for example `plasma_frequency = \"1 GHz\"`";
            check_positive(
                at("plasma_frequency"),
                "the plasma frequency",
                term.plasma_frequency.si(),
                advice,
            )?;
            check_not_negative(&at("damping"), "the damping rate", term.damping.si())?;
        }
        for (i, term) in self.lorentz.iter().enumerate() {
            let at = |key: &str| format!("{path}.lorentz[{i}].{key}");
            check_delta(at("delta_eps"), term.delta_eps)?;
            let advice = "write for example `resonance_frequency = \"1 GHz\"`";
            check_positive(
                at("resonance_frequency"),
                "the resonance frequency",
                term.resonance_frequency.si(),
                advice,
            )?;
            check_not_negative(&at("damping"), "the damping rate", term.damping.si())?;
        }
        Ok(())
    }
}

impl Material {
    /// Rejects dispersion that is not known along each axis.
    fn check_axes(&self, path: &str) -> Result<(), FieldError> {
        let dispersive = [
            ("permittivity", self.permittivity.is_some()),
            ("debye", !self.debye.is_empty()),
            ("drude", !self.drude.is_empty()),
            ("lorentz", !self.lorentz.is_empty()),
        ];
        match (self.eps_r, dispersive.iter().find(|(_, given)| *given)) {
            (PerAxis::Axes(_), Some((key, _))) => Err(FieldError::new(
                format!("{path}.{key}"),
                format!("`{key}` describes an isotropic material, but `eps_r` has values along x, y and z"),
                "give an anisotropic material `loss_tangent` or `conductivity`, or write one value of `eps_r`",
            )),
            _ => Ok(()),
        }
    }

    /// Rejects losses that are given twice.
    fn check_losses(&self, path: &str) -> Result<(), FieldError> {
        let at = |key: &str| format!("{path}.{key}");
        if let Some(tangent) = self.loss_tangent {
            check_not_negative(&at("loss_tangent"), "the loss tangent", tangent)?;
        }
        if let Some(table) = &self.permittivity {
            table.check(&at("permittivity"))?;
        }
        let given = [
            ("loss_tangent", self.loss_tangent.is_some()),
            ("permittivity", self.permittivity.is_some()),
            ("conductivity", self.conductivity.si() > 0.0),
            ("debye", !self.debye.is_empty()),
            ("drude", !self.drude.is_empty()),
            ("lorentz", !self.lorentz.is_empty()),
        ];
        let mut given = given.iter().filter(|(_, given)| *given).map(|(key, _)| *key);
        match (given.next(), given.next()) {
            (Some(fitted @ ("loss_tangent" | "permittivity")), Some(other)) => Err(FieldError::new(
                at(other),
                format!("`{fitted}` and `{other}` both describe the losses of the material"),
                "keep one of them",
            )),
            _ => Ok(()),
        }
    }
}

fn check_delta(path: String, delta: f64) -> Result<(), FieldError> {
    check_positive(path, "the permittivity contribution", delta, "write for example `delta_eps = 3.0`")
}

pub(super) fn check_not_negative(path: &str, what: &str, value: f64) -> Result<(), FieldError> {
    if value >= 0.0 {
        return Ok(());
    }
    Err(FieldError::new(path, format!("{what} cannot be negative"), "write 0 for none, or a positive value"))
}
