//! Ports to excite: `"all"`, or their numbers.

use phasefront_core::FieldError;
use phasefront_core::units::complaint;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// Ports to excite, one after the other in separate runs: `"all"`, or a list of port numbers counted from 1.
///
/// ```
/// use phasefront_case::model::dgtd::Excite;
/// assert_eq!(serde_json::from_str::<Excite>("\"all\"").unwrap(), Excite::All);
/// assert_eq!(serde_json::from_str::<Excite>("[2, 1]").unwrap(), Excite::Ports(vec![2, 1]));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Excite {
    /// All ports.
    All,
    /// Port numbers, counted from 1 in the order of `ports`.
    Ports(Vec<u32>),
}

/// Accepted forms, for messages.
const ADVICE: &str = "write `excite = \"all\"`, or port numbers such as `excite = [1, 2]`, counted from 1 in the order of `ports`";

impl Excite {
    /// Indices, from 0, of the excited ports out of `ports`.
    pub(super) fn indices(&self, ports: usize) -> Vec<usize> {
        match self {
            Self::All => (0..ports).collect(),
            Self::Ports(numbers) => {
                numbers.iter().filter_map(|&number| (number as usize).checked_sub(1)).collect()
            }
        }
    }

    /// Rejects port numbers that are out of range or repeated.
    pub(super) fn check(&self, ports: usize) -> Result<(), FieldError> {
        let wrong = |message: String| Err(FieldError::new("source.excite", message, ADVICE));
        let Self::Ports(numbers) = self else { return Ok(()) };
        if numbers.is_empty() {
            return wrong("the list is empty".into());
        }
        for (i, number) in numbers.iter().enumerate() {
            if !(1..=ports).contains(&(*number as usize)) {
                return wrong(format!("there is no port {number}: the number of ports is {ports}"));
            }
            if numbers[..i].contains(number) {
                return wrong(format!("port {number} is listed twice"));
            }
        }
        Ok(())
    }
}

struct ExciteVisitor;

impl<'de> Visitor<'de> for ExciteVisitor {
    type Value = Excite;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"all\" or a list of port numbers such as [1, 2]")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Excite, E> {
        match text {
            "all" => Ok(Excite::All),
            _ => Err(complaint(format_args!("\"{text}\" is not a selection of ports"), ADVICE)),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Excite, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(seq)).map(Excite::Ports)
    }
}

impl<'de> Deserialize<'de> for Excite {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ExciteVisitor)
    }
}

impl Serialize for Excite {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::All => serializer.serialize_str("all"),
            Self::Ports(numbers) => numbers.serialize(serializer),
        }
    }
}

impl JsonSchema for Excite {
    fn schema_name() -> Cow<'static, str> {
        "dgtd_excite".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "\"all\", or a list of port numbers counted from 1.",
            "anyOf": [
                { "const": "all" },
                { "type": "array", "items": { "type": "integer", "minimum": 1 }, "minItems": 1, "uniqueItems": true },
            ],
        })
    }
}
