//! `[geometry]`: microphone array, source plane and medium.

use crate::model::checks::check_positive;
use crate::model::{Pair, Two};
use phasefront_core::{FieldError, Length};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// Maximum number of microphones along a side of the array.
const MAX_MICROPHONES: u32 = 1024;

/// Microphone array, source plane and medium.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "nah_geometry")]
pub struct Geometry {
    /// Number of microphones along x and y; with `positions`, number of hologram points.
    pub grid: Two<NonZeroU32>,
    /// Microphone spacing (pitch) along x and y.
    pub spacing: Pair,
    /// Distance from the array to the source plane.
    pub standoff: Length,
    /// CSV file with the positions of microphones of an irregular array, in the columns `x_m` and `y_m`, or XML file of an Acoular
    /// array; path relative to the case file. Requires `method = "esm"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("minLength" = 1))]
    pub positions: Option<String>,
    /// Acoustic medium. Default: air at 20 °C.
    #[serde(default)]
    pub medium: Medium,
}

/// Acoustic medium.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "nah_medium")]
pub struct Medium {
    /// Speed of sound, in m/s.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub sound_speed: f64,
    /// Mass density, in kg/m³.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub density: f64,
}

impl Default for Medium {
    fn default() -> Self {
        Self { sound_speed: 343.2, density: 1.204 }
    }
}

impl Geometry {
    pub(super) fn check(&self) -> Result<(), FieldError> {
        if self.grid.x.get() > MAX_MICROPHONES || self.grid.y.get() > MAX_MICROPHONES {
            let message = format!("the grid has more than {MAX_MICROPHONES} microphones along a side");
            return Err(FieldError::new(
                "geometry.grid",
                message,
                "reduce it, for example to `grid = [32, 32]`",
            ));
        }
        for spacing in self.spacing.si() {
            let advice = "write for example `spacing = [\"20 mm\", \"20 mm\"]`";
            check_positive("geometry.spacing", "the microphone spacing", spacing, advice)?;
        }
        check_positive(
            "geometry.standoff",
            "the standoff distance",
            self.standoff.si(),
            "give the distance from the array to the source plane, for example \"5 cm\"",
        )?;
        let air = "for air at 20 °C write `medium = { sound_speed = 343.2, density = 1.204 }`";
        check_positive("geometry.medium.sound_speed", "the speed of sound", self.medium.sound_speed, air)?;
        check_positive("geometry.medium.density", "the density", self.medium.density, air)?;
        if self.positions.as_ref().is_some_and(String::is_empty) {
            return Err(FieldError::new(
                "geometry.positions",
                "the file name is empty",
                "give its path relative to the case file",
            ));
        }
        Ok(())
    }
}
