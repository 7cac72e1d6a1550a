//! A sphere whose exact echo is set beside what is computed.

use super::Material;
use crate::model::checks::check_positive;
use phasefront_core::{FieldError, Length, text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The sphere of the mesh, whose cross section is known exactly: Mie's series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_mie")]
pub struct Mie {
    /// Radius of the sphere.
    pub radius: Length,
    /// Its volume, one of `geometry.materials`. A conductor if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("minLength" = 1))]
    pub volume: Option<String>,
}

impl Mie {
    /// Refuses a sphere without size, or of a volume that has no material.
    pub(super) fn check(&self, materials: &BTreeMap<String, Material>) -> Result<(), FieldError> {
        let advice = "write for example `radius = \"0.3 m\"`";
        check_positive("output.mie.radius", "the radius", self.radius.si(), advice)?;
        let Some(volume) = self.volume.as_ref().filter(|volume| !materials.contains_key(*volume)) else {
            return Ok(());
        };
        let advice = match text::nearest(volume, materials.keys().map(String::as_str)) {
            Some(meant) => format!("did you mean \"{meant}\"?"),
            None => "name the volume of the sphere, and leave `volume` out if it is a conductor".into(),
        };
        let message = format!("there is no volume \"{volume}\" in `geometry.materials`");
        Err(FieldError::new("output.mie.volume", message, advice))
    }
}
