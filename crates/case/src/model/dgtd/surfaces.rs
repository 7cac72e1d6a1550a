//! The parts of a closed surface: one name, or a list of names.

use phasefront_core::FieldError;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// A closed surface: one name such as `"huygens"`, or the names of its parts.
///
/// ```
/// use phasefront_case::model::dgtd::SurfaceNames;
/// let six: SurfaceNames = serde_json::from_str(r#"["left", "right"]"#).unwrap();
/// assert_eq!(six.0, ["left", "right"]);
/// assert_eq!(serde_json::from_str::<SurfaceNames>(r#""box""#).unwrap(), SurfaceNames::from("box"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SurfaceNames(pub Vec<String>);

impl From<&str> for SurfaceNames {
    fn from(name: &str) -> Self {
        Self(vec![name.to_owned()])
    }
}

impl SurfaceNames {
    /// Rejects empty lists, empty names and names that are listed twice; `path` is its path in the case.
    pub(super) fn check(&self, path: &str) -> Result<(), FieldError> {
        let advice = "name a surface of the mesh, or several that form a closed one";
        let wrong = |message: String| Err(FieldError::new(path, message, advice));
        if self.0.is_empty() {
            return wrong("the list of surfaces is empty".into());
        }
        for (i, name) in self.0.iter().enumerate() {
            super::checks::check_surface(path, Some(name))?;
            if self.0[..i].contains(name) {
                return wrong(format!("the surface \"{name}\" is listed twice"));
            }
        }
        Ok(())
    }
}

struct NamesVisitor;

impl<'de> Visitor<'de> for NamesVisitor {
    type Value = SurfaceNames;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a surface, or a list of names")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<SurfaceNames, E> {
        Ok(SurfaceNames::from(name))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<SurfaceNames, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(seq)).map(SurfaceNames)
    }
}

impl<'de> Deserialize<'de> for SurfaceNames {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NamesVisitor)
    }
}

impl Serialize for SurfaceNames {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0[..] {
            [name] => serializer.serialize_str(name),
            names => names.serialize(serializer),
        }
    }
}

impl JsonSchema for SurfaceNames {
    fn schema_name() -> Cow<'static, str> {
        "dgtd_surface_names".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Name of a closed surface, or a list of the names of its parts.",
            "anyOf": [
                { "type": "string", "minLength": 1 },
                { "type": "array", "items": { "type": "string", "minLength": 1 }, "minItems": 1, "uniqueItems": true },
            ],
        })
    }
}
