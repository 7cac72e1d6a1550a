//! `[geometry]`: the array, and where the source is.

use crate::model::checks::check_positive;
use crate::model::{Pair, Two};
use phasefront_core::{FieldError, Length};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// Most microphones along a side: more is no array that anybody has built.
const MOST: u32 = 1024;

/// The array, and where the source is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "nah_geometry")]
pub struct Geometry {
    /// Numbers of microphones along x and y. With `positions`, points of the holograms.
    pub grid: Two<NonZeroU32>,
    /// Distances between neighbors along x and y.
    pub spacing: Pair,
    /// From the array to the source plane.
    pub standoff: Length,
    /// Places of microphones that are not on the grid, relative to the case file: a CSV file with the columns `x_m` and `y_m`. It goes with
    /// `method = "esm"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("minLength" = 1))]
    pub positions: Option<String>,
    /// What sound travels in; air of 20 degrees Celsius if left out.
    #[serde(default)]
    pub medium: Medium,
}

/// What sound travels in.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "nah_medium")]
pub struct Medium {
    /// Speed of sound, m/s.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub sound_speed: f64,
    /// Density, kg/m³.
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
        if self.grid.x.get() > MOST || self.grid.y.get() > MOST {
            let message = format!("more than {MOST} microphones along a side are not taken");
            return Err(FieldError::new("geometry.grid", message, "write for example `grid = [32, 32]`"));
        }
        for spacing in self.spacing.si() {
            let advice = "write for example `spacing = [\"20 mm\", \"20 mm\"]`";
            check_positive("geometry.spacing", "the spacing", spacing, advice)?;
        }
        check_positive(
            "geometry.standoff",
            "the standoff distance",
            self.standoff.si(),
            "give the distance from the array to the source, for example \"5 cm\"",
        )?;
        let air = "air has `medium = { sound_speed = 343.2, density = 1.204 }`";
        check_positive("geometry.medium.sound_speed", "the speed of sound", self.medium.sound_speed, air)?;
        check_positive("geometry.medium.density", "the density", self.medium.density, air)?;
        if self.positions.as_ref().is_some_and(String::is_empty) {
            return Err(FieldError::new(
                "geometry.positions",
                "the name of the file is empty",
                "give its path from the case file",
            ));
        }
        Ok(())
    }
}
