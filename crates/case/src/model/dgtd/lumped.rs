//! Lumped elements: resistors, inductors and capacitors between conductors.

use super::checks::{check_direction, check_surface};
use crate::model::Three;
use crate::model::checks::check_positive;
use phasefront_core::{Capacitance, FieldError, Inductance, Resistance};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Lumped element on a flat rectangle between two conductors. Give at least one of `resistance`, `inductance` and `capacitance`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_lumped")]
#[schemars(extend("anyOf" = [
    { "required": ["resistance"] }, { "required": ["inductance"] }, { "required": ["capacitance"] },
]))]
pub struct Lumped {
    /// Surface of the element: a rectangle from one conductor to the other.
    #[schemars(extend("minLength" = 1))]
    pub surface: String,
    /// Direction from one conductor to the other; its length does not matter.
    pub direction: Three<f64>,
    /// Resistance of the element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Resistance")]
    pub resistance: Option<Resistance>,
    /// Inductance of the element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Inductance")]
    pub inductance: Option<Inductance>,
    /// Capacitance of the element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Capacitance")]
    pub capacitance: Option<Capacitance>,
    /// How several of them are connected.
    #[serde(default)]
    pub connection: Connection,
}

/// How the parts of a lumped element are connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "dgtd_connection")]
pub enum Connection {
    /// One after the other.
    #[default]
    Series,
    /// Side by side.
    Parallel,
}

impl Lumped {
    /// Rejects an element without surface, direction or parts; `path` is its key in the case.
    pub(super) fn check(&self, path: &str) -> Result<(), FieldError> {
        check_surface(&format!("{path}.surface"), Some(&self.surface))?;
        check_direction(&format!("{path}.direction"), self.direction)?;
        check_parts(path, (self.resistance, self.inductance, self.capacitance))
    }
}

/// Rejects an element without parts, and parts that are not positive; `path` is its key in the case.
pub(super) fn check_parts(
    path: &str,
    (resistance, inductance, capacitance): (Option<Resistance>, Option<Inductance>, Option<Capacitance>),
) -> Result<(), FieldError> {
    let parts = [
        ("resistance", resistance.map(Resistance::si), "50 ohm"),
        ("inductance", inductance.map(Inductance::si), "10 nH"),
        ("capacitance", capacitance.map(Capacitance::si), "1 pF"),
    ];
    for (key, value, example) in parts {
        let advice = format!("write for example `{key} = \"{example}\"`, or leave it out");
        check_positive(format!("{path}.{key}"), &format!("the {key}"), value.unwrap_or(1.0), advice)?;
    }
    if parts.iter().all(|(_, value, _)| value.is_none()) {
        return Err(FieldError::new(
            path,
            "the lumped element has no value",
            "give `resistance`, `inductance` or `capacitance`, or several of them, such as `capacitance = \"1 pF\"`",
        ));
    }
    Ok(())
}
