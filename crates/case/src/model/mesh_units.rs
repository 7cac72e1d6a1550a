//! Units of mesh files, none of which tells its own.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The unit of a file's coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "mesh_units")]
pub enum MeshUnits {
    /// Micrometers.
    Um,
    /// Millimeters.
    Mm,
    /// Centimeters.
    Cm,
    /// Meters.
    M,
    /// Inches of 25.4 mm.
    In,
    /// Feet of twelve inches.
    Ft,
}
