//! Lattice spacing of the elements.

use crate::model::ElectricalLength;
use crate::model::electrical_length::ElectricalLengthVisitor;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// Lattice spacing: one value for both axes, or `["0.5 lambda", "0.6 lambda"]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LatticeSpacing {
    /// The same along x and y.
    One(ElectricalLength),
    /// Along x, along y.
    Two(ElectricalLength, ElectricalLength),
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

struct LatticeVisitor;

impl<'de> Visitor<'de> for LatticeVisitor {
    type Value = LatticeSpacing;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a length such as \"0.5 lambda\" or \"10 mm\", or a list of two lengths")
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<LatticeSpacing, E> {
        ElectricalLengthVisitor.visit_str(text).map(LatticeSpacing::One)
    }
    fn visit_f64<E: Error>(self, value: f64) -> Result<LatticeSpacing, E> {
        ElectricalLengthVisitor.visit_f64(value).map(LatticeSpacing::One)
    }
    fn visit_i64<E: Error>(self, value: i64) -> Result<LatticeSpacing, E> {
        ElectricalLengthVisitor.visit_i64(value).map(LatticeSpacing::One)
    }
    fn visit_u64<E: Error>(self, value: u64) -> Result<LatticeSpacing, E> {
        ElectricalLengthVisitor.visit_u64(value).map(LatticeSpacing::One)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<LatticeSpacing, A::Error> {
        let mut given: Vec<ElectricalLength> = Vec::new();
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

impl Serialize for LatticeSpacing {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::One(both) => both.serialize(serializer),
            Self::Two(x, y) => [x, y].serialize(serializer),
        }
    }
}

impl JsonSchema for LatticeSpacing {
    fn schema_name() -> Cow<'static, str> {
        "reflectarray_lattice_spacing".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<ElectricalLength>();
        json_schema!({
            "description": "One spacing for both axes, or two along x and y.",
            "anyOf": [one, { "type": "array", "items": one, "minItems": 2, "maxItems": 2 }],
        })
    }
}
