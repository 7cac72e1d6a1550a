//! `[output]`: what to compute from the solution.

use crate::model::angles::degrees;
use phasefront_core::Sweep;
use phasefront_core::units::{AngleDim, LengthDim, Range};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What to compute from the solution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "mom_output")]
pub struct Output {
    /// Observation angles of the echo width. If left out: every degree of the full circle, or none with `monostatic`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Sweep<AngleDim>")]
    pub echo_width: Option<Sweep<AngleDim>>,
    /// Whether to compute the echo width back to where the wave comes from, for every direction of incidence.
    pub monostatic: bool,
    /// Whether to write the surface current.
    pub currents: bool,
    /// Where to compute the near field; nowhere if left out.
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
    /// Fills in the observation angles of a case that gives none and asks for nothing in their place.
    pub(super) fn complete(&mut self) {
        if !self.monostatic {
            let circle = Range { from: degrees(0), to: degrees(360), points: 361 };
            self.echo_width.get_or_insert(Sweep::Range(circle));
        }
    }
}

/// A rectangular grid of observation points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "mom_field_grid")]
pub struct FieldGrid {
    /// Points along x.
    pub x: Range<LengthDim>,
    /// Points along y.
    pub y: Range<LengthDim>,
}
