//! `source.near_field`: a near field that another run has saved.

use super::SurfaceNames;
use crate::model::{Point, Rotation};
use phasefront_core::FieldError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Equivalent currents of a near field as a source, at the frequencies of its file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_near_source")]
pub struct NearSource {
    /// File of E and H on a closed surface in air: `near_field.npz` of another run.
    #[schemars(extend("minLength" = 1))]
    pub file: String,
    /// Total-field/scattered-field (TF/SF) surface, closed. Around the near field, which then radiates outward: total fields outside,
    /// scattered fields inside. Or beside it, around the bodies that it is incident on: total fields inside, scattered fields outside.
    /// One name, or those of its parts.
    pub surface: SurfaceNames,
    /// Where the origin of the file is. Default: at the origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Point")]
    pub position: Option<Point>,
    /// Rotations about the origin of the file, one after the other, before it is moved. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rotation: Vec<Rotation>,
}

impl NearSource {
    pub(super) fn check(&self) -> Result<(), FieldError> {
        if self.file.is_empty() {
            return Err(FieldError::new(
                "source.near_field.file",
                "the name of the file is empty",
                "give the `near_field.npz` of another run, with its path relative to this case",
            ));
        }
        self.surface.check("source.near_field.surface")
    }
}
