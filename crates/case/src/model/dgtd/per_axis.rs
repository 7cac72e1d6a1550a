//! A constant of a material: one number, or three along x, y and z.

use crate::model::checks::check_positive;
use phasefront_core::FieldError;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// A constant of a material: one number, or the diagonal of a tensor, three numbers along x, y and z.
///
/// ```
/// use phasefront_case::model::dgtd::PerAxis;
/// let laminate: PerAxis = serde_json::from_str("[3.2, 3.2, 2.9]").unwrap();
/// assert_eq!(laminate.axes(), [3.2, 3.2, 2.9]);
/// assert!(serde_json::from_str::<PerAxis>("[3.2, 2.9]").is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PerAxis {
    /// The same in all directions.
    Same(f64),
    /// Along x, y and z.
    Axes([f64; 3]),
}

impl PerAxis {
    /// Along x, y and z.
    pub fn axes(self) -> [f64; 3] {
        match self {
            Self::Same(value) => [value; 3],
            Self::Axes(values) => values,
        }
    }

    /// Rejects values that are not positive.
    pub(super) fn check(self, path: String, what: &str, advice: &str) -> Result<(), FieldError> {
        match self {
            Self::Same(value) => check_positive(path, what, value, advice),
            Self::Axes(values) => {
                let mut values = values.into_iter().enumerate();
                values.try_for_each(|(i, value)| check_positive(format!("{path}[{i}]"), what, value, advice))
            }
        }
    }
}

struct PerAxisVisitor;

impl<'de> Visitor<'de> for PerAxisVisitor {
    type Value = PerAxis;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number such as 4.0, or three numbers along x, y and z such as [3.2, 3.2, 2.9]")
    }
    fn visit_f64<E: Error>(self, value: f64) -> Result<PerAxis, E> {
        Ok(PerAxis::Same(value))
    }
    fn visit_i64<E: Error>(self, value: i64) -> Result<PerAxis, E> {
        Ok(PerAxis::Same(value as f64))
    }
    fn visit_u64<E: Error>(self, value: u64) -> Result<PerAxis, E> {
        Ok(PerAxis::Same(value as f64))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<PerAxis, A::Error> {
        let mut given: Vec<f64> = Vec::new();
        while let Some(value) = seq.next_element()? {
            given.push(value);
        }
        let count = given.len();
        let values = given.try_into().map_err(|_| A::Error::invalid_length(count, &self))?;
        Ok(PerAxis::Axes(values))
    }
}

impl<'de> Deserialize<'de> for PerAxis {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PerAxisVisitor)
    }
}

impl Serialize for PerAxis {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Same(value) => value.serialize(serializer),
            Self::Axes(values) => values.serialize(serializer),
        }
    }
}

impl JsonSchema for PerAxis {
    fn schema_name() -> Cow<'static, str> {
        "dgtd_per_axis".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [
                { "description": "The same in all directions.", "type": "number", "exclusiveMinimum": 0 },
                {
                    "description": "Along x, y and z.",
                    "type": "array",
                    "items": { "type": "number", "exclusiveMinimum": 0 },
                    "minItems": 3,
                    "maxItems": 3,
                },
            ],
        })
    }
}
