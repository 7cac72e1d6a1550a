//! Space around a model that Gmsh meshes: a length, also in wavelengths, or `false`.

use crate::model::ElectricalLength;
use crate::model::electrical_length::ElectricalLengthVisitor;
use phasefront_core::units::complaint;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// Air between the model and the PML around it: `"0.25 lambda"`, at the lowest frequency, `"50 mm"`, or `false` for a closed model.
///
/// ```
/// use phasefront_case::model::dgtd::Space;
/// assert_eq!(serde_json::from_str::<Space>("\"0.5 lambda\"").unwrap().meters(2.0), Some(1.0));
/// assert_eq!(serde_json::from_str::<Space>("\"50 mm\"").unwrap().meters(2.0), Some(0.05));
/// assert_eq!(serde_json::from_str::<Space>("false").unwrap().meters(2.0), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Space {
    /// Distance between the model and the PML.
    Open(ElectricalLength),
    /// None: the faces of the solids are the boundary.
    Closed,
}

impl Default for Space {
    fn default() -> Self {
        Self::Open(ElectricalLength::Wavelengths(0.25))
    }
}

impl Space {
    /// The distance in meters at this wavelength; none for a closed model.
    pub fn meters(self, wavelength: f64) -> Option<f64> {
        match self {
            Self::Open(distance) => Some(distance.meters(wavelength)),
            Self::Closed => None,
        }
    }
}

const ADVICE: &str =
    "write for example `space = \"0.25 lambda\"`, `space = \"50 mm\"`, or `space = false` for a closed model";

fn open<E: Error>(distance: ElectricalLength) -> Result<Space, E> {
    if distance.meters(1.0) > 0.0 {
        Ok(Space::Open(distance))
    } else {
        Err(complaint("the distance must be positive", ADVICE))
    }
}

struct SpaceVisitor;

impl Visitor<'_> for SpaceVisitor {
    type Value = Space;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a distance such as \"0.25 lambda\" or \"50 mm\", or false")
    }
    fn visit_bool<E: Error>(self, value: bool) -> Result<Space, E> {
        if value { Err(complaint("`true` is not a distance", ADVICE)) } else { Ok(Space::Closed) }
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<Space, E> {
        ElectricalLengthVisitor.visit_str(text).and_then(open)
    }
    fn visit_f64<E: Error>(self, value: f64) -> Result<Space, E> {
        ElectricalLengthVisitor.visit_f64(value).and_then(open)
    }
    fn visit_i64<E: Error>(self, value: i64) -> Result<Space, E> {
        ElectricalLengthVisitor.visit_i64(value).and_then(open)
    }
    fn visit_u64<E: Error>(self, value: u64) -> Result<Space, E> {
        ElectricalLengthVisitor.visit_u64(value).and_then(open)
    }
}

impl<'de> Deserialize<'de> for Space {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SpaceVisitor)
    }
}

impl Serialize for Space {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Open(distance) => distance.serialize(serializer),
            Self::Closed => serializer.serialize_bool(false),
        }
    }
}

impl JsonSchema for Space {
    fn schema_name() -> Cow<'static, str> {
        "dgtd_space".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let distance = generator.subschema_for::<ElectricalLength>();
        json_schema!({
            "description": "Distance such as \"0.25 lambda\" or \"50 mm\", or false for a closed model.",
            "anyOf": [distance, { "const": false }],
        })
    }
}
