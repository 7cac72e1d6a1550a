//! Planes at which a drawn model and the space around it end.

use phasefront_core::{FieldError, Length};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Planes of symmetry and infinite grounds: sides of the space around a drawn model that lie at a coordinate, with a boundary condition
/// in place of the PML. What is drawn beyond them is cut off.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_planes")]
pub struct Planes {
    /// Smallest x.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Length")]
    pub xmin: Option<Length>,
    /// Largest x.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Length")]
    pub xmax: Option<Length>,
    /// Smallest y.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Length")]
    pub ymin: Option<Length>,
    /// Largest y.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Length")]
    pub ymax: Option<Length>,
    /// Smallest z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Length")]
    pub zmin: Option<Length>,
    /// Largest z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Length")]
    pub zmax: Option<Length>,
}

impl Planes {
    /// The names of its sides with their coordinates: the lower and the upper one along x, y and z.
    pub fn sides(&self) -> [[(&'static str, Option<Length>); 2]; 3] {
        [
            [("xmin", self.xmin), ("xmax", self.xmax)],
            [("ymin", self.ymin), ("ymax", self.ymax)],
            [("zmin", self.zmin), ("zmax", self.zmax)],
        ]
    }

    /// The names of the planes.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.sides().into_iter().flatten().filter(|(_, position)| position.is_some()).map(|(name, _)| name)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.names().next().is_none()
    }

    /// Rejects planes between which there is nothing.
    pub(super) fn check(&self) -> Result<(), FieldError> {
        for [(_, low), (name, high)] in self.sides() {
            if let (Some(low), Some(high)) = (low, high)
                && low.si() >= high.si()
            {
                return Err(FieldError::new(
                    format!("geometry.planes.{name}"),
                    format!("there is nothing between the planes at {} m and {} m", low.si(), high.si()),
                    "give the smaller coordinate to the side that ends in `min`",
                ));
            }
        }
        Ok(())
    }
}
