//! Element spacing: a length, or wavelengths at the first frequency.

use phasefront_core::Length;
use phasefront_core::units::complaint;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// Element spacing: `"0.5 lambda"`, `"10 mm"`, or a bare number of meters.
///
/// ```
/// use phasefront_case::model::reflectarray::Spacing;
/// let half: Spacing = serde_json::from_str(r#""0.5 lambda""#).unwrap();
/// assert_eq!(half.meters(0.02), 0.01);
/// let fixed: Spacing = serde_json::from_str(r#""12 mm""#).unwrap();
/// assert_eq!(fixed.meters(0.02), 0.012);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Spacing {
    /// In wavelengths at the first frequency.
    Wavelengths(f64),
    /// A length.
    Length(Length),
}

/// Unit of wavelengths; the Greek letter λ is also accepted.
const LAMBDA: &str = "lambda";

impl Spacing {
    /// In meters, at this wavelength.
    pub fn meters(self, wavelength: f64) -> f64 {
        match self {
            Self::Wavelengths(number) => number * wavelength,
            Self::Length(length) => length.si(),
        }
    }

    fn read<E: Error>(text: &str) -> Result<Self, E> {
        let wrong = |message: String| {
            complaint(
                message,
                "write for example \"0.5 lambda\" or \"10 mm\"; lambda is the wavelength at the first frequency",
            )
        };
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

impl fmt::Display for Spacing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wavelengths(number) => write!(f, "{number} {LAMBDA}"),
            Self::Length(length) => length.fmt(f),
        }
    }
}

/// Lattice spacing: one value for both axes, or `["0.5 lambda", "0.6 lambda"]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LatticeSpacing {
    /// The same along x and y.
    One(Spacing),
    /// Along x, along y.
    Two(Spacing, Spacing),
}

impl LatticeSpacing {
    /// Along x and y, in meters, at this wavelength.
    pub fn meters(self, wavelength: f64) -> [f64; 2] {
        match self {
            Self::One(both) => [both.meters(wavelength); 2],
            Self::Two(x, y) => [x.meters(wavelength), y.meters(wavelength)],
        }
    }
}

struct SpacingVisitor;

impl Visitor<'_> for SpacingVisitor {
    type Value = Spacing;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a length such as \"0.5 lambda\" or \"10 mm\"")
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<Spacing, E> {
        Spacing::read(text)
    }
    fn visit_f64<E: Error>(self, value: f64) -> Result<Spacing, E> {
        Spacing::read(&value.to_string())
    }
    fn visit_i64<E: Error>(self, value: i64) -> Result<Spacing, E> {
        Spacing::read(&value.to_string())
    }
    fn visit_u64<E: Error>(self, value: u64) -> Result<Spacing, E> {
        Spacing::read(&value.to_string())
    }
}

impl<'de> Deserialize<'de> for Spacing {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SpacingVisitor)
    }
}

struct LatticeVisitor;

impl<'de> Visitor<'de> for LatticeVisitor {
    type Value = LatticeSpacing;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a length such as \"0.5 lambda\" or \"10 mm\", or a list of two lengths")
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<LatticeSpacing, E> {
        SpacingVisitor.visit_str(text).map(LatticeSpacing::One)
    }
    fn visit_f64<E: Error>(self, value: f64) -> Result<LatticeSpacing, E> {
        SpacingVisitor.visit_f64(value).map(LatticeSpacing::One)
    }
    fn visit_i64<E: Error>(self, value: i64) -> Result<LatticeSpacing, E> {
        SpacingVisitor.visit_i64(value).map(LatticeSpacing::One)
    }
    fn visit_u64<E: Error>(self, value: u64) -> Result<LatticeSpacing, E> {
        SpacingVisitor.visit_u64(value).map(LatticeSpacing::One)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<LatticeSpacing, A::Error> {
        let mut given: Vec<Spacing> = Vec::new();
        while let Some(one) = seq.next_element()? {
            given.push(one);
        }
        match given[..] {
            [x, y] => Ok(LatticeSpacing::Two(x, y)),
            _ => Err(A::Error::invalid_length(given.len(), &self)),
        }
    }
}

impl<'de> Deserialize<'de> for LatticeSpacing {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LatticeVisitor)
    }
}

impl Serialize for Spacing {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Serialize for LatticeSpacing {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::One(both) => both.serialize(serializer),
            Self::Two(x, y) => [x, y].serialize(serializer),
        }
    }
}

impl JsonSchema for Spacing {
    fn schema_name() -> Cow<'static, str> {
        "reflectarray_spacing".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let length = generator.subschema_for::<Length>();
        let wavelengths = json_schema!({
            "description": "In wavelengths at the first frequency.",
            "type": "string",
            "pattern": r"^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*(lambda|λ)\s*$",
            "examples": ["0.5 lambda"],
        });
        json_schema!({ "anyOf": [wavelengths, length] })
    }
}

impl JsonSchema for LatticeSpacing {
    fn schema_name() -> Cow<'static, str> {
        "reflectarray_lattice_spacing".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<Spacing>();
        json_schema!({ "anyOf": [one, { "type": "array", "items": one, "minItems": 2, "maxItems": 2 }] })
    }
}
