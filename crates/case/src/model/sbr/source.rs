//! `[source]`: frequencies and directions of the radar.

use crate::model::directions::{Angles, pairs_of_angles};
use phasefront_core::units::{AngleDim, FrequencyDim};
use phasefront_core::{FieldError, Sweep};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Frequencies, and directions of the transmitter as seen from the target: all pairs of `theta` and `phi`, or of `azimuth` and
/// `elevation`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "sbr_source")]
#[schemars(extend("oneOf" = pairs_of_angles()))]
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
        self.angles().check("source")
    }
}
