//! Coordinate axes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Coordinate axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "axis")]
pub enum Axis {
    /// The x axis.
    X,
    /// The y axis.
    Y,
    /// The z axis.
    #[default]
    Z,
}

impl Axis {
    /// 0 for x, 1 for y, 2 for z.
    pub fn index(self) -> usize {
        match self {
            Self::X => 0,
            Self::Y => 1,
            Self::Z => 2,
        }
    }
}
