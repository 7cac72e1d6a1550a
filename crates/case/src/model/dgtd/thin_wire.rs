//! Thin wires: conductors that the mesh does not resolve.

use super::Connection;
use super::checks::check_surface;
use super::lumped::check_parts;
use crate::model::Point;
use crate::model::checks::check_positive;
use phasefront_core::{Capacitance, FieldError, Inductance, Length, Resistance};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Conducting wire of circular cross section, thinner than the elements around it, which are not divided for it. It is closed if its last
/// point is its first one, and connected to a conductor on which one of its ends lies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_thin_wire")]
pub struct ThinWire {
    /// Name of the wire, by which ports refer to it.
    #[schemars(extend("minLength" = 1))]
    pub name: String,
    /// Vertices of the polyline on its axis, in order.
    #[schemars(length(min = 2))]
    pub points: Vec<Point>,
    /// Radius of the wire.
    pub radius: Length,
    /// Resistance of the whole wire, spread evenly along it. Default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Resistance")]
    pub resistance: Option<Resistance>,
    /// Lumped elements in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lumped: Vec<WireLumped>,
}

/// Lumped element in series with a thin wire. Give at least one of `resistance`, `inductance` and `capacitance`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_wire_lumped")]
#[schemars(extend("anyOf" = [
    { "required": ["resistance"] }, { "required": ["inductance"] }, { "required": ["capacitance"] },
]))]
pub struct WireLumped {
    /// Distance from the first point along the wire.
    pub position: Length,
    /// Resistance of the element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Resistance")]
    pub resistance: Option<Resistance>,
    /// Inductance of the element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Inductance")]
    pub inductance: Option<Inductance>,
    /// Capacitance of the element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Capacitance")]
    pub capacitance: Option<Capacitance>,
    /// How several of them are connected.
    #[serde(default)]
    pub connection: Connection,
}

/// Place of a port on a thin wire.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_wire_gap")]
pub struct WireGap {
    /// Distance from the first point along the wire. Default: the middle of the wire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Length")]
    pub position: Option<Length>,
}

impl ThinWire {
    /// Rejects a wire without length or radius; `path` is its key in the case.
    pub(super) fn check(&self, path: &str) -> Result<(), FieldError> {
        check_surface(&format!("{path}.name"), Some(&self.name))?;
        let advice = "write for example `radius = \"0.5 mm\"`";
        check_positive(format!("{path}.radius"), "the radius", self.radius.si(), advice)?;
        let apart = |pair: &[Point]| pair[0].si() != pair[1].si();
        if self.points.len() < 2 || !self.points.windows(2).all(apart) {
            return Err(FieldError::new(
                format!("{path}.points"),
                "a wire needs at least two points, each different from the one before",
                "write for example `points = [[\"0 m\", \"0 m\", \"0 m\"], [\"0 m\", \"0 m\", \"1 m\"]]`",
            ));
        }
        if let Some(resistance) = self.resistance {
            let advice = "write for example `resistance = \"1 ohm\"`, or leave it out";
            check_positive(format!("{path}.resistance"), "the resistance", resistance.si(), advice)?;
        }
        for (i, element) in self.lumped.iter().enumerate() {
            let parts = (element.resistance, element.inductance, element.capacitance);
            check_parts(&format!("{path}.lumped[{i}]"), parts)?;
        }
        Ok(())
    }

    /// Length of its axis, m.
    pub fn length(&self) -> f64 {
        let distance = |pair: &[Point]| {
            let [a, b] = [pair[0], pair[1]].map(|point| point.si());
            (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
        };
        self.points.windows(2).map(distance).sum()
    }
}
