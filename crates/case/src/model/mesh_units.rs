//! Length units of mesh files, which do not store their own.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Unit of the coordinates in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "mesh_units")]
pub enum MeshUnits {
    /// Micrometers (1e-6 m).
    Um,
    /// Millimeters (1e-3 m).
    Mm,
    /// Centimeters (1e-2 m).
    Cm,
    /// Meters (SI).
    M,
    /// Inches (25.4 mm).
    In,
    /// Feet (12 in).
    Ft,
}
