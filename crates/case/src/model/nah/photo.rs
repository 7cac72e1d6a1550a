//! `[output]` `photo`: a photo of the source under the maps.

use crate::model::Pair;
use phasefront_core::FieldError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A photo of the source under the maps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "nah_photo")]
pub struct Photo {
    /// PNG or JPEG file; path relative to the case file.
    #[schemars(extend("minLength" = 1))]
    pub file: String,
    /// Positions of the corners of the photo on the source plane: top left, top right, bottom right and bottom left; the center of the array is zero.
    #[schemars(extend("minItems" = 4, "maxItems" = 4))]
    pub corners: Vec<Pair>,
}

impl Photo {
    pub(super) fn check(&self) -> Result<(), FieldError> {
        if self.file.is_empty() {
            let advice = "give its path relative to the case file";
            return Err(FieldError::new("output.photo.file", "the file name is empty", advice));
        }
        if self.corners.len() != 4 {
            let message = format!("{} corners are given, and a photo has four", self.corners.len());
            let advice = "give x and y of top left, top right, bottom right and bottom left";
            return Err(FieldError::new("output.photo.corners", message, advice));
        }
        Ok(())
    }
}
