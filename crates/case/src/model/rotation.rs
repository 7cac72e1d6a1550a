//! Rotations about coordinate axes.

use super::Axis;
use phasefront_core::Angle;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Rotation about a coordinate axis through the origin.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "rotation")]
pub struct Rotation {
    /// Rotation axis.
    pub axis: Axis,
    /// Rotation angle, right-handed about the positive axis.
    pub angle: Angle,
}
