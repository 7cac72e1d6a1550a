//! Length units of mesh files, which do not store their own.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Unit of the coordinates in a file.
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
    /// Inches (25.4 mm).
    In,
    /// Feet (12 in).
    Ft,
}
