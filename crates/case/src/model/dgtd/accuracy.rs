//! Accuracy that a case asks for: a percentage.

use phasefront_core::units::complaint;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// A relative error such as `"1 %"`.
///
/// ```
/// use phasefront_case::model::dgtd::Accuracy;
/// assert_eq!(serde_json::from_str::<Accuracy>("\"0.5 %\"").unwrap().fraction(), 0.005);
/// assert!(serde_json::from_str::<Accuracy>("\"0 %\"").is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Accuracy {
    percent: f64,
}

impl Accuracy {
    /// As a number: 0.01 for 1 %.
    pub fn fraction(self) -> f64 {
        0.01 * self.percent
    }
}

const ADVICE: &str = "write for example `accuracy = \"1 %\"`";
/// Most that can be asked for, in percent.
const MOST: f64 = 50.0;

struct AccuracyVisitor;

impl Visitor<'_> for AccuracyVisitor {
    type Value = Accuracy;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a percentage such as \"1 %\"")
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<Accuracy, E> {
        let number = text.trim().strip_suffix('%').map(|number| number.trim().parse::<f64>());
        match number {
            Some(Ok(percent)) if percent > 0.0 && percent <= MOST => Ok(Accuracy { percent }),
            Some(Ok(_)) => Err(complaint("the accuracy must be above 0 % and at most 50 %", ADVICE)),
            _ => Err(complaint(format!("\"{text}\" is not a percentage"), ADVICE)),
        }
    }
}

impl<'de> Deserialize<'de> for Accuracy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AccuracyVisitor)
    }
}

impl Serialize for Accuracy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{} %", self.percent))
    }
}

impl JsonSchema for Accuracy {
    fn schema_name() -> Cow<'static, str> {
        "dgtd_accuracy".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Percentage such as \"1 %\".",
            "type": "string",
            "minLength": 2,
        })
    }
}
