//! `[source]`: frequencies, and directions or positions of the radar.

use super::antenna::{self, Antenna};
use crate::model::directions::{Angles, pairs_of_angles};
use phasefront_core::units::{AngleDim, FrequencyDim};
use phasefront_core::{FieldError, Sweep};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Frequencies, and directions of the transmitter as seen from the target: all pairs of `theta` and `phi`, or of `azimuth` and
/// `elevation`; or transmitters at positions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "sbr_source")]
#[schemars(extend("oneOf" = angles_or_transmitters()))]
pub struct Source {
    /// Frequencies: one value, a list, or { from, to, points or step }.
    pub frequency: Sweep<FrequencyDim>,
    /// Polar angle of the transmitter from +z: one value, a list, or { from, to, points or step }. Give it with `phi`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Sweep<AngleDim>")]
    pub theta: Option<Sweep<AngleDim>>,
    /// Azimuthal angle of the transmitter from +x toward +y: one value, a list, or { from, to, points or step }. Give it with `theta`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Sweep<AngleDim>")]
    pub phi: Option<Sweep<AngleDim>>,
    /// Azimuth of the transmitter from +x toward +y, the same angle as `phi`. Give it with `elevation`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Sweep<AngleDim>")]
    pub azimuth: Option<Sweep<AngleDim>>,
    /// Elevation of the transmitter above the xy plane, 90 deg - `theta`. Give it with `azimuth`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Sweep<AngleDim>")]
    pub elevation: Option<Sweep<AngleDim>>,
    /// Transmitters at positions, in place of directions: each sends a spherical wave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<Antenna>", extend("minItems" = 1))]
    pub transmitters: Option<Vec<Antenna>>,
}

/// The keys that may stand together, for the schema.
fn angles_or_transmitters() -> serde_json::Value {
    let mut ways = pairs_of_angles();
    let angles = ["theta", "phi", "azimuth", "elevation"].map(|key| serde_json::json!({ "required": [key] }));
    if let Some(ways) = ways.as_array_mut() {
        ways.push(serde_json::json!({ "required": ["transmitters"], "not": { "anyOf": angles } }));
    }
    ways
}

impl Source {
    /// The keys that give the directions of the transmitter.
    pub fn angles(&self) -> Angles<'_, Sweep<AngleDim>> {
        Angles {
            theta: self.theta.as_ref(),
            phi: self.phi.as_ref(),
            azimuth: self.azimuth.as_ref(),
            elevation: self.elevation.as_ref(),
        }
    }

    pub(super) fn check(&self) -> Result<(), FieldError> {
        let Some(transmitters) = &self.transmitters else { return self.angles().check("source") };
        let angles = self.angles();
        let given = [
            ("theta", angles.theta),
            ("phi", angles.phi),
            ("azimuth", angles.azimuth),
            ("elevation", angles.elevation),
        ];
        if let Some((key, _)) = given.into_iter().find(|(_, angles)| angles.is_some()) {
            let message = format!("`transmitters` and `{key}` cannot both be given");
            let advice = "transmitters stand at positions; `theta` and `phi` are directions of plane waves: give one or the other";
            return Err(FieldError::new(format!("source.{key}"), message, advice));
        }
        antenna::check(transmitters, "source.transmitters")
    }
}
