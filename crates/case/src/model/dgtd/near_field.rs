//! `output.near_field`: E and H on a closed surface.

use super::SurfaceNames;
use super::brick::check_corners;
use crate::model::{Point, Three};
use phasefront_core::FieldError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// E and H on a closed surface around the model, as equivalent currents. Give `surface` or `box`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "dgtd_near_field")]
pub struct NearField {
    /// Closed surface of the mesh: one name, or those of its parts. Default: `far_field_surface`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SurfaceNames")]
    pub surface: Option<SurfaceNames>,
    /// Box along the axes, wherever elements are.
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NearBox")]
    pub sides: Option<NearBox>,
    /// Files for other programs, of a `box`: "efe" (FEKO, electric field) and "hfe" (FEKO, magnetic field).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exports: Vec<NearFieldExport>,
}

/// Box along the axes, each side divided into equal rectangles with a point in the middle.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_near_box")]
pub struct NearBox {
    /// Corner with the smallest coordinates.
    pub from: Point,
    /// Opposite corner, with the largest coordinates.
    pub to: Point,
    /// Number of points along x, y and z.
    pub points: Three<NonZeroU32>,
}

/// Export format of near fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "dgtd_near_field_export")]
pub enum NearFieldExport {
    /// FEKO: electric field.
    Efe,
    /// FEKO: magnetic field.
    Hfe,
}

impl NearField {
    /// Whether it is on the surface that is there already.
    pub(super) fn has_no_surface(&self) -> bool {
        self.surface.is_none() && self.sides.is_none()
    }

    /// Fills in the surface, and refuses what does not go together.
    pub(super) fn complete(&mut self, default: Option<&SurfaceNames>) -> Result<(), FieldError> {
        const SURFACE: &str = "output.near_field.surface";
        match (&self.surface, &self.sides) {
            (Some(_), Some(_)) => {
                return Err(FieldError::new(
                    "output.near_field.box",
                    "`surface` and `box` cannot both be given",
                    "keep one of them",
                ));
            }
            (Some(surface), None) => surface.check(SURFACE)?,
            (None, Some(sides)) => check_corners("output.near_field.box", sides.from, sides.to, 0)?,
            (None, None) => {
                let missing = || {
                    FieldError::new(
                        "output.near_field",
                        "the surface of the near field is missing",
                        "name a closed surface of the mesh, `near_field = { surface = \"huygens\" }`, or give a `box`",
                    )
                };
                self.surface = Some(default.cloned().ok_or_else(missing)?);
            }
        }
        if self.sides.is_none() && !self.exports.is_empty() {
            return Err(FieldError::new(
                "output.near_field.exports",
                "exports have points in rows and columns, and those of a surface of the mesh lie in its triangles",
                "give a `box` in place of the surface, or remove `exports`",
            ));
        }
        Ok(())
    }
}
