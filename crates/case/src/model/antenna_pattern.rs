//! The far field of an antenna from a file.

use super::Point;
use super::angles::no_rotation;
use phasefront_core::{Angle, FieldError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Far field of an antenna from a file. +z of the file becomes the boresight.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "antenna_pattern")]
pub struct AntennaPattern {
    /// File of FEKO (`.ffe`), HFSS (`.ffd`) or GRASP (`.cut`, `.grd`); path relative to the case file. Of its frequencies, the nearest
    /// within 1 % applies. In a file without frequencies (`.cut`), the patterns are those of `source.frequency`, in its order.
    #[schemars(extend("minLength" = 1))]
    pub file: String,
    /// Rotation of the antenna about its boresight, from +x toward +y.
    #[serde(default = "no_rotation")]
    pub rotation: Angle,
    /// Phase center of the antenna in the coordinates of the file: the point that stands at the position of the antenna. Default: the
    /// origin of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Point")]
    pub phase_center: Option<Point>,
}

impl AntennaPattern {
    /// Refuses a missing name; `path` is that of the table.
    pub(super) fn check(&self, path: &str) -> Result<(), FieldError> {
        if self.file.is_empty() {
            let advice = "give its path relative to the case file";
            return Err(FieldError::new(format!("{path}.file"), "the file name is empty", advice));
        }
        Ok(())
    }
}
