//! `[output]`: requested outputs.

use crate::model::angles::degrees;
use phasefront_core::Sweep;
use phasefront_core::units::{AngleDim, LengthDim, Range};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Requested outputs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "mom_output")]
pub struct Output {
    /// Observation angles of the bistatic echo width, counterclockwise from +x: one value, a list, or { from, to, points or step }. Default:
    /// 0 to 360 deg in steps of 1 deg, or none with `monostatic`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Sweep<AngleDim>")]
    pub echo_width: Option<Sweep<AngleDim>>,
    /// Compute the monostatic echo width for every direction of incidence.
    pub monostatic: bool,
    /// Save the surface currents.
    pub currents: bool,
    /// Grid on which the near field is computed. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "FieldGrid")]
    pub near_field: Option<FieldGrid>,
}

impl Default for Output {
    fn default() -> Self {
        Self { echo_width: None, monostatic: false, currents: true, near_field: None }
    }
}

impl Output {
    /// Resolves the default observation angles.
    pub(super) fn complete(&mut self) {
        if !self.monostatic {
            let circle = Range { from: degrees(0), to: degrees(360), points: 361 };
            self.echo_width.get_or_insert(Sweep::Range(circle));
        }
    }
}

/// Rectangular grid of observation points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "mom_field_grid")]
pub struct FieldGrid {
    /// Sampling along x: { from, to, points or step }.
    pub x: Range<LengthDim>,
    /// Sampling along y: { from, to, points or step }.
    pub y: Range<LengthDim>,
}
