//! Ports: sources of voltage with a resistance.

use super::checks::{check_direction, check_surface};
use crate::model::checks::check_positive;
use crate::model::{Point, Three};
use phasefront_core::{FieldError, Length, Resistance};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A port: a source with its resistance on a flat surface between two conductors. Give `direction` or `coaxial`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_port")]
#[schemars(extend("oneOf" = [{ "required": ["direction"] }, { "required": ["coaxial"] }]))]
pub struct Port {
    /// The surface.
    #[schemars(extend("minLength" = 1))]
    pub surface: String,
    /// The resistance of the source, to which S-parameters refer.
    pub resistance: Resistance,
    /// For a rectangle: the way from its minus to its plus side, of any length. Give this or `coaxial`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Three<f64>")]
    pub direction: Option<Three<f64>>,
    /// For the ring between coaxial conductors: plus is inside. Give this or `direction`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Coaxial")]
    pub coaxial: Option<Coaxial>,
}

/// The ring between coaxial conductors.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_coaxial")]
pub struct Coaxial {
    /// A point on the axis.
    pub center: Point,
    /// Radius of the inner conductor.
    pub inner_radius: Length,
    /// Radius of the outer conductor.
    pub outer_radius: Length,
}

impl Port {
    /// Refuses a port that is no port; `path` is where the case gives it.
    pub(super) fn check(&self, path: &str) -> Result<(), FieldError> {
        check_surface(&format!("{path}.surface"), Some(&self.surface))?;
        let advice = "write for example `resistance = \"50 ohm\"`";
        check_positive(format!("{path}.resistance"), "the resistance", self.resistance.si(), advice)?;
        match (self.direction, self.coaxial) {
            (None, None) => Err(FieldError::new(
                path,
                "nothing says how the field of the port goes",
                "add `direction = [0.0, 0.0, 1.0]`, the way from minus to plus, or for a coaxial line \
                 `coaxial = { center = [\"0 m\", \"0 m\", \"0 m\"], inner_radius = \"1 mm\", outer_radius = \"2.3 mm\" }`",
            )),
            (Some(_), Some(_)) => Err(FieldError::new(
                format!("{path}.coaxial"),
                "`direction` and `coaxial` cannot both be given",
                "keep one of them: `direction` is for a rectangle, `coaxial` for a ring",
            )),
            (Some(direction), None) => check_direction(&format!("{path}.direction"), direction),
            (None, Some(ring)) => ring.check(&format!("{path}.coaxial")),
        }
    }
}

impl Coaxial {
    fn check(&self, path: &str) -> Result<(), FieldError> {
        let advice = "write for example `inner_radius = \"1 mm\"`";
        check_positive(format!("{path}.inner_radius"), "the inner radius", self.inner_radius.si(), advice)?;
        if self.outer_radius.si() <= self.inner_radius.si() {
            return Err(FieldError::new(
                format!("{path}.outer_radius"),
                "the outer radius must be larger than the inner one",
                format!("write a length above {}", self.inner_radius),
            ));
        }
        Ok(())
    }
}
