//! Three values in a list: `["1 m", "2 m", "0 m"]`, `[0.0, 0.0, 1.0]`.

use crate::model::InPairs;
use phasefront_core::Length;
use phasefront_core::units::complaint;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroU32;

/// Three values, along x, y and z.
///
/// A separate type because serde's `[T; 3]` silently drops a fourth value.
///
/// ```
/// use phasefront_case::model::Three;
/// let up: Three<f64> = serde_json::from_str("[0, 0, 1]").unwrap();
/// assert_eq!(up.0, [0.0, 0.0, 1.0]);
/// assert!(serde_json::from_str::<Three<f64>>("[0, 0, 1, 0]").is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Three<T>(pub [T; 3]);

/// A point, written `["1 m", "2 m", "0 m"]`.
pub type Point = Three<Length>;

impl Point {
    /// Coordinates in meters.
    pub fn si(self) -> [f64; 3] {
        self.0.map(Length::si)
    }
}

/// Types that [`Three`] can hold, with their texts for messages and the schema.
pub trait InTriples: Sized {
    /// Name of the triple in the schema.
    const NAME: &'static str;
    /// Expected value, for messages: `three lengths such as ["1 m", "2 m", "0 m"]`.
    const EXPECTED: &'static str;
    /// Description in the schema.
    const DESCRIPTION: &'static str;

    /// Whether the value is valid.
    fn is_valid(&self) -> bool {
        true
    }
}

impl InTriples for Length {
    const NAME: &'static str = "point";
    const EXPECTED: &'static str = "three lengths such as [\"1 m\", \"2 m\", \"0 m\"]";
    const DESCRIPTION: &'static str = "Three lengths, along x, y and z.";
}

impl InTriples for f64 {
    const NAME: &'static str = "vector";
    const EXPECTED: &'static str = "three numbers such as [0.0, 0.0, 1.0]";
    const DESCRIPTION: &'static str = "Three numbers, along x, y and z.";

    fn is_valid(&self) -> bool {
        self.is_finite()
    }
}

impl InTriples for NonZeroU32 {
    const NAME: &'static str = "count_triple";
    const EXPECTED: &'static str = "three integers such as [20, 20, 10]";
    const DESCRIPTION: &'static str = "Three positive integers, along x, y and z.";
}

impl InPairs for Point {
    const NAME: &'static str = "point_pair";
    const EXPECTED: &'static str =
        "two vectors such as [[\"1 m\", \"0 m\", \"0 m\"], [\"0 m\", \"1 m\", \"0 m\"]]";
    const DESCRIPTION: &'static str = "Two vectors, each of three lengths along x, y and z.";
}

struct ThreeVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de> + InTriples> Visitor<'de> for ThreeVisitor<T> {
    type Value = Three<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Three<T>, A::Error> {
        let mut given: Vec<T> = Vec::new();
        while let Some(value) = seq.next_element()? {
            given.push(value);
        }
        let count = given.len();
        let three: [T; 3] = given.try_into().map_err(|_| A::Error::invalid_length(count, &self))?;
        if three.iter().all(T::is_valid) {
            Ok(Three(three))
        } else {
            Err(complaint("components must be finite", format_args!("write {}", T::EXPECTED)))
        }
    }
}

impl<'de, T: Deserialize<'de> + InTriples> Deserialize<'de> for Three<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ThreeVisitor(PhantomData))
    }
}

impl<T: Serialize> Serialize for Three<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<T: JsonSchema + InTriples> JsonSchema for Three<T> {
    fn schema_name() -> Cow<'static, str> {
        T::NAME.into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let item = generator.subschema_for::<T>();
        json_schema!({
            "description": T::DESCRIPTION,
            "type": "array",
            "items": item,
            "minItems": 3,
            "maxItems": 3,
        })
    }
}
