//! Two lengths in a list: `["1 m", "2 m"]`.

use phasefront_core::Length;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// Two lengths, along x and along y, written `["1 m", "2 m"]`.
///
/// A type of its own because serde's `[T; 2]` silently drops a third value.
///
/// ```
/// use phasefront_case::Pair;
/// let pair: Pair = serde_json::from_str(r#"["1 m", "20 cm"]"#).unwrap();
/// assert_eq!(pair.si(), [1.0, 0.2]);
/// assert!(serde_json::from_str::<Pair>(r#"["1 m", "20 cm", "0 m"]"#).is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// Along x.
    pub x: Length,
    /// Along y.
    pub y: Length,
}

impl Pair {
    /// The origin, where a body stands unless the case says otherwise.
    pub fn zero() -> Self {
        Self { x: Length::from_si(0.0), y: Length::from_si(0.0) }
    }

    /// Both values in metres.
    pub fn si(self) -> [f64; 2] {
        [self.x.si(), self.y.si()]
    }
}

struct PairVisitor;

impl<'de> Visitor<'de> for PairVisitor {
    type Value = Pair;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "two lengths such as [\"1 m\", \"2 m\"]")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Pair, A::Error> {
        let x = seq.next_element()?.ok_or_else(|| A::Error::invalid_length(0, &self))?;
        let y = seq.next_element()?.ok_or_else(|| A::Error::invalid_length(1, &self))?;
        let mut length = 2;
        while seq.next_element::<serde::de::IgnoredAny>()?.is_some() {
            length += 1;
        }
        if length > 2 { Err(A::Error::invalid_length(length, &self)) } else { Ok(Pair { x, y }) }
    }
}

impl<'de> Deserialize<'de> for Pair {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(PairVisitor)
    }
}

impl Serialize for Pair {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        [self.x, self.y].serialize(serializer)
    }
}

impl JsonSchema for Pair {
    fn schema_name() -> Cow<'static, str> {
        "length_pair".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let length = generator.subschema_for::<Length>();
        json_schema!({
            "description": "Two lengths, along x and along y.",
            "type": "array",
            "items": length,
            "minItems": 2,
            "maxItems": 2,
        })
    }
}
