//! Ports: voltage sources with an internal resistance.

use super::checks::{check_direction, check_surface};
use crate::model::checks::check_positive;
use crate::model::{Point, Three};
use phasefront_core::{FieldError, Length, Resistance};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Port: a voltage source with internal resistance on a plane surface between two conductors. Give `direction` for a lumped
/// port, or `coaxial`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_port")]
#[schemars(extend("oneOf" = [{ "required": ["direction"] }, { "required": ["coaxial"] }]))]
pub struct Port {
    /// Surface of the port.
    #[schemars(extend("minLength" = 1))]
    pub surface: String,
    /// Internal resistance of the source; the reference impedance of the S-parameters.
    pub resistance: Resistance,
    /// Rectangular lumped port: direction from the negative to the positive conductor; its length does not matter. Give this or
    /// `coaxial`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Three<f64>")]
    pub direction: Option<Three<f64>>,
    /// Coaxial port: the annulus between the conductors; the inner one is positive. Give this or `direction`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Coaxial")]
    pub coaxial: Option<Coaxial>,
}

/// Annular cross section of a coaxial line.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_coaxial")]
pub struct Coaxial {
    /// Point on the axis.
    pub center: Point,
    /// Radius of the inner conductor.
    pub inner_radius: Length,
    /// Radius of the outer conductor.
    pub outer_radius: Length,
}

impl Port {
    /// Rejects an incomplete or contradictory port; `path` is its key in the case.
    pub(super) fn check(&self, path: &str) -> Result<(), FieldError> {
        check_surface(&format!("{path}.surface"), Some(&self.surface))?;
        let advice = "write for example `resistance = \"50 ohm\"`";
        check_positive(format!("{path}.resistance"), "the resistance", self.resistance.si(), advice)?;
        match (self.direction, self.coaxial) {
            (None, None) => Err(FieldError::new(
                path,
                "the field distribution of the port is not defined",
                "add `direction = [0.0, 0.0, 1.0]`, from the negative to the positive conductor, or for a coaxial line \
                 `coaxial = { center = [\"0 m\", \"0 m\", \"0 m\"], inner_radius = \"1 mm\", outer_radius = \"2.3 mm\" }`",
            )),
            (Some(_), Some(_)) => Err(FieldError::new(
                format!("{path}.coaxial"),
                "`direction` and `coaxial` cannot both be given",
                "keep one of them: `direction` for a rectangular lumped port, `coaxial` for a coaxial port",
            )),
            (Some(direction), None) => check_direction(&format!("{path}.direction"), direction),
            (None, Some(coaxial)) => coaxial.check(&format!("{path}.coaxial")),
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
                "the outer radius must exceed the inner radius",
                format!("write a length greater than {}", self.inner_radius),
            ));
        }
        Ok(())
    }
}
