//! Two values in a list: `["1 m", "2 m"]`, `[71, 71]`, `[0.0, 0.1]`, `["xmin", "xmax"]`.

use phasefront_core::Length;
use phasefront_core::units::complaint;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroU32;

/// Two values, along x and y.
///
/// A separate type because serde's `[T; 2]` silently drops a third value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Two<T> {
    /// Along x, or u.
    pub x: T,
    /// Along y, or v.
    pub y: T,
}

/// Two lengths, along x and y, written `["1 m", "2 m"]`.
///
/// ```
/// use phasefront_case::Pair;
/// let pair: Pair = serde_json::from_str(r#"["1 m", "20 cm"]"#).unwrap();
/// assert_eq!(pair.si(), [1.0, 0.2]);
/// assert!(serde_json::from_str::<Pair>(r#"["1 m", "20 cm", "0 m"]"#).is_err());
/// ```
pub type Pair = Two<Length>;

/// Types that [`Two`] can hold, with their texts for messages and the schema.
pub trait InPairs: Sized {
    /// Name of the pair in the schema.
    const NAME: &'static str;
    /// Expected value, for messages: `two lengths such as ["1 m", "2 m"]`.
    const EXPECTED: &'static str;
    /// Description in the schema.
    const DESCRIPTION: &'static str;

    /// Message and advice for an invalid value.
    fn objection(&self) -> Option<(&'static str, &'static str)> {
        None
    }
}

impl InPairs for Length {
    const NAME: &'static str = "length_pair";
    const EXPECTED: &'static str = "two lengths such as [\"1 m\", \"2 m\"]";
    const DESCRIPTION: &'static str = "Two lengths, along x and y unless stated otherwise.";
}

impl InPairs for NonZeroU32 {
    const NAME: &'static str = "count_pair";
    const EXPECTED: &'static str = "two integers such as [71, 71]";
    const DESCRIPTION: &'static str = "Two positive integers, along x and y, or u and v.";
}

impl InPairs for f64 {
    const NAME: &'static str = "number_pair";
    const EXPECTED: &'static str = "two numbers such as [0.0, 0.1]";
    const DESCRIPTION: &'static str = "Two numbers, along x and y, or u and v.";

    fn objection(&self) -> Option<(&'static str, &'static str)> {
        (!self.is_finite()).then_some(("coordinates must be finite", "write for example 0.1"))
    }
}

impl InPairs for String {
    const NAME: &'static str = "name_pair";
    const EXPECTED: &'static str = "two names such as [\"xmin\", \"xmax\"]";
    const DESCRIPTION: &'static str = "Two names.";
}

impl<T> Two<T> {
    /// Both values.
    pub fn array(self) -> [T; 2] {
        [self.x, self.y]
    }
}

impl Pair {
    /// The origin, the default position.
    pub fn zero() -> Self {
        Self { x: Length::from_si(0.0), y: Length::from_si(0.0) }
    }

    /// Both values in meters.
    pub fn si(self) -> [f64; 2] {
        [self.x.si(), self.y.si()]
    }
}

struct TwoVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de> + InPairs> Visitor<'de> for TwoVisitor<T> {
    type Value = Two<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Two<T>, A::Error> {
        let x: T = seq.next_element()?.ok_or_else(|| A::Error::invalid_length(0, &self))?;
        let y: T = seq.next_element()?.ok_or_else(|| A::Error::invalid_length(1, &self))?;
        let mut length = 2;
        while seq.next_element::<serde::de::IgnoredAny>()?.is_some() {
            length += 1;
        }
        if length > 2 {
            return Err(A::Error::invalid_length(length, &self));
        }
        match x.objection().or_else(|| y.objection()) {
            Some((message, advice)) => Err(complaint(message, advice)),
            None => Ok(Two { x, y }),
        }
    }
}

impl<'de, T: Deserialize<'de> + InPairs> Deserialize<'de> for Two<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(TwoVisitor(PhantomData))
    }
}

impl<T: Serialize> Serialize for Two<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        [&self.x, &self.y].serialize(serializer)
    }
}

impl<T: JsonSchema + InPairs> JsonSchema for Two<T> {
    fn schema_name() -> Cow<'static, str> {
        T::NAME.into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let item = generator.subschema_for::<T>();
        json_schema!({
            "description": T::DESCRIPTION,
            "type": "array",
            "items": item,
            "minItems": 2,
            "maxItems": 2,
        })
    }
}
