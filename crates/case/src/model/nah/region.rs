//! `[output]` `regions`: parts of the planes whose sound power is wanted.

use crate::model::Pair;
use phasefront_core::FieldError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A rectangle of the reconstruction planes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "nah_region")]
pub struct Region {
    /// Name of the region in tables.
    #[schemars(extend("minLength" = 1))]
    pub name: String,
    /// From and to along x; the center of the array is zero.
    pub x: Pair,
    /// From and to along y.
    pub y: Pair,
}

impl Region {
    /// Checks all of them.
    pub(super) fn check(regions: &[Self]) -> Result<(), FieldError> {
        for (i, region) in regions.iter().enumerate() {
            let path = |key: &str| format!("output.regions[{i}].{key}");
            if region.name.is_empty() {
                let advice = "write for example `name = \"motor\"`";
                return Err(FieldError::new(path("name"), "the name is empty", advice));
            }
            if regions[..i].iter().any(|other| other.name == region.name) {
                let message = format!("two regions are named {:?}", region.name);
                return Err(FieldError::new(path("name"), message, "give each a name of its own"));
            }
            for (key, [from, to]) in [("x", region.x.si()), ("y", region.y.si())] {
                if !(from < to && from.is_finite() && to.is_finite()) {
                    let message = format!("`{key}` does not rise");
                    let advice = format!("write for example `{key} = [\"-10 cm\", \"5 cm\"]`");
                    return Err(FieldError::new(path(key), message, advice));
                }
            }
        }
        Ok(())
    }
}
