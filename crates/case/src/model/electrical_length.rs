//! Lengths that may be given in wavelengths.

use phasefront_core::Length;
use phasefront_core::units::complaint;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// Length in wavelengths or in meters: `"0.5 lambda"`, `"10 mm"`, or a bare number of meters.
///
/// ```
/// use phasefront_case::model::ElectricalLength;
/// let half: ElectricalLength = serde_json::from_str(r#""0.5 lambda""#).unwrap();
/// assert_eq!(half.meters(0.02), 0.01);
/// let fixed: ElectricalLength = serde_json::from_str(r#""12 mm""#).unwrap();
/// assert_eq!(fixed.meters(0.02), 0.012);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ElectricalLength {
    /// In wavelengths.
    Wavelengths(f64),
    /// A length.
    Length(Length),
}

/// Unit of wavelengths; the Greek letter λ is also accepted.
const LAMBDA: &str = "lambda";

impl ElectricalLength {
    /// In meters, at this wavelength.
    pub fn meters(self, wavelength: f64) -> f64 {
        match self {
            Self::Wavelengths(number) => number * wavelength,
            Self::Length(length) => length.si(),
        }
    }

    fn read<E: Error>(text: &str) -> Result<Self, E> {
        let wrong = |message: String| complaint(message, "write for example \"0.5 lambda\" or \"10 mm\"");
        let trimmed = text.trim();
        if let Some(number) = trimmed.strip_suffix(LAMBDA).or_else(|| trimmed.strip_suffix('λ')) {
            return match number.trim().parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(Self::Wavelengths(number)),
                _ => Err(wrong(format!("\"{text}\" is not a length: it does not start with a number"))),
            };
        }
        text.parse().map(Self::Length).map_err(|error| wrong(error.to_string()))
    }
}

impl fmt::Display for ElectricalLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wavelengths(number) => write!(f, "{number} {LAMBDA}"),
            Self::Length(length) => length.fmt(f),
        }
    }
}

/// Reads an [`ElectricalLength`].
pub(super) struct ElectricalLengthVisitor;

impl Visitor<'_> for ElectricalLengthVisitor {
    type Value = ElectricalLength;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a length such as \"0.5 lambda\" or \"10 mm\"")
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<ElectricalLength, E> {
        ElectricalLength::read(text)
    }
    fn visit_f64<E: Error>(self, value: f64) -> Result<ElectricalLength, E> {
        ElectricalLength::read(&value.to_string())
    }
    fn visit_i64<E: Error>(self, value: i64) -> Result<ElectricalLength, E> {
        ElectricalLength::read(&value.to_string())
    }
    fn visit_u64<E: Error>(self, value: u64) -> Result<ElectricalLength, E> {
        ElectricalLength::read(&value.to_string())
    }
}

impl<'de> Deserialize<'de> for ElectricalLength {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ElectricalLengthVisitor)
    }
}

impl Serialize for ElectricalLength {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for ElectricalLength {
    fn schema_name() -> Cow<'static, str> {
        "electrical_length".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let length = generator.subschema_for::<Length>();
        let wavelengths = json_schema!({
            "description": "In wavelengths.",
            "type": "string",
            "pattern": r"^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*(lambda|λ)\s*$",
            "examples": ["0.5 lambda"],
        });
        json_schema!({ "description": "Length in wavelengths or in meters.", "anyOf": [wavelengths, length] })
    }
}
