//! Space around a model that Gmsh meshes: a length, a number of wavelengths, or `false`.

use phasefront_core::Length;
use phasefront_core::units::complaint;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// Air between the model and the PML around it: `"0.25 wavelengths"`, at the lowest frequency, `"50 mm"`, or `false` for a closed model.
///
/// ```
/// use phasefront_case::model::dgtd::Space;
/// assert_eq!(serde_json::from_str::<Space>("\"0.5 wavelengths\"").unwrap().si(2.0), Some(1.0));
/// assert_eq!(serde_json::from_str::<Space>("\"50 mm\"").unwrap().si(2.0), Some(0.05));
/// assert_eq!(serde_json::from_str::<Space>("false").unwrap().si(2.0), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Space {
    /// In wavelengths.
    Wavelengths(f64),
    /// A length.
    Length(Length),
    /// None: the faces of the solids are the boundary.
    Closed,
}

impl Default for Space {
    fn default() -> Self {
        Self::Wavelengths(0.25)
    }
}

impl Space {
    /// The distance in meters, where the longest wavelength is this; none for a closed model.
    pub fn si(self, wavelength: f64) -> Option<f64> {
        match self {
            Self::Wavelengths(count) => Some(count * wavelength),
            Self::Length(length) => Some(length.si()),
            Self::Closed => None,
        }
    }
}

const UNIT: &str = "wavelengths";
const ADVICE: &str = "write for example `space = \"0.25 wavelengths\"`, `space = \"50 mm\"`, or `space = false` for a closed model";

struct SpaceVisitor;

impl Visitor<'_> for SpaceVisitor {
    type Value = Space;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a distance such as \"0.25 wavelengths\" or \"50 mm\", or false")
    }
    fn visit_bool<E: Error>(self, value: bool) -> Result<Space, E> {
        if value { Err(complaint("`true` is not a distance", ADVICE)) } else { Ok(Space::Closed) }
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<Space, E> {
        let (space, value) = if let Some(number) = text.trim().strip_suffix(UNIT) {
            let count = number.trim().parse::<f64>();
            let count = count.map_err(|_| complaint(format!("\"{text}\" is not a distance"), ADVICE))?;
            (Space::Wavelengths(count), count)
        } else {
            let length = Length::deserialize(serde::de::value::StrDeserializer::new(text))?;
            (Space::Length(length), length.si())
        };
        if value > 0.0 && value.is_finite() {
            Ok(space)
        } else {
            Err(complaint("the distance must be positive", ADVICE))
        }
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
            Self::Wavelengths(count) => serializer.collect_str(&format_args!("{count} {UNIT}")),
            Self::Length(length) => length.serialize(serializer),
            Self::Closed => serializer.serialize_bool(false),
        }
    }
}

impl JsonSchema for Space {
    fn schema_name() -> Cow<'static, str> {
        "dgtd_space".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A distance such as \"0.25 wavelengths\" or \"50 mm\", or false for a closed model.",
            "anyOf": [{ "type": "string", "minLength": 1 }, { "const": false }],
        })
    }
}
