//! Sphere whose Mie series solution is compared with the computed RCS.

use super::Material;
use crate::model::checks::check_positive;
use phasefront_core::{FieldError, Length, text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Sphere in the mesh whose RCS is computed by the Mie series for comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_mie")]
pub struct Mie {
    /// Radius of the sphere.
    pub radius: Length,
    /// Volume of the sphere, one of `geometry.materials`. Default: none, a PEC sphere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("minLength" = 1))]
    pub volume: Option<String>,
}

impl Mie {
    /// Rejects a radius that is not positive, and a volume without a material.
    pub(super) fn check(&self, materials: &BTreeMap<String, Material>) -> Result<(), FieldError> {
        let advice = "write for example `radius = \"0.3 m\"`";
        check_positive("output.mie.radius", "the radius", self.radius.si(), advice)?;
        let Some(volume) = self.volume.as_ref().filter(|volume| !materials.contains_key(*volume)) else {
            return Ok(());
        };
        let advice = match text::nearest(volume, materials.keys().map(String::as_str)) {
            Some(meant) => format!("did you mean \"{meant}\"?"),
            None => "give the volume of the sphere, or omit `volume` for a PEC sphere".into(),
        };
        let message = format!("the volume \"{volume}\" is not in `geometry.materials`");
        Err(FieldError::new("output.mie.volume", message, advice))
    }
}
