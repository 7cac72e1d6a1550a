//! The maximum number of bounces: a number, or "auto".

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// Maximum of `bounces`: contributions beyond it are negligible.
pub(super) const MAX_BOUNCES: u32 = 1000;

const AUTO: &str = "auto";
const EXPECTED: &str = "\"auto\" or an integer";

/// Maximum number of bounces of a ray.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bounces {
    /// "auto": until the power still bouncing is negligible.
    #[default]
    Auto,
    /// A number; 1 is physical optics.
    AtMost(u32),
}

struct BouncesVisitor;

impl Visitor<'_> for BouncesVisitor {
    type Value = Bounces;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(EXPECTED)
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<Bounces, E> {
        if text == AUTO {
            return Ok(Bounces::Auto);
        }
        Err(E::invalid_value(serde::de::Unexpected::Str(text), &self))
    }
    fn visit_i64<E: Error>(self, number: i64) -> Result<Bounces, E> {
        // Zero and negative numbers are refused by the check of the table, which names the range.
        Ok(Bounces::AtMost(u32::try_from(number.max(0)).unwrap_or(u32::MAX)))
    }
    fn visit_u64<E: Error>(self, number: u64) -> Result<Bounces, E> {
        Ok(Bounces::AtMost(u32::try_from(number).unwrap_or(u32::MAX)))
    }
}

impl<'de> Deserialize<'de> for Bounces {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(BouncesVisitor)
    }
}

impl Serialize for Bounces {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Auto => serializer.serialize_str(AUTO),
            Self::AtMost(number) => serializer.serialize_u32(*number),
        }
    }
}

impl JsonSchema for Bounces {
    fn schema_name() -> Cow<'static, str> {
        "sbr_bounces".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "\"auto\", or the maximum number of bounces.",
            "anyOf": [{ "const": AUTO }, { "type": "integer", "minimum": 1, "maximum": MAX_BOUNCES }],
        })
    }
}
