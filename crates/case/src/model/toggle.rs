//! An output that is switched on, switched off or described by a table.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// `false`, `true`, or a table with the details.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Toggle<T> {
    /// `false`.
    #[default]
    Off,
    /// `true`.
    On,
    /// A table.
    Table(T),
}

impl<T> Toggle<T> {
    /// The table, if one is given.
    pub fn table(&self) -> Option<&T> {
        match self {
            Self::Table(table) => Some(table),
            Self::Off | Self::On => None,
        }
    }
}

/// A table that may stand in place of `true`.
pub trait ToggleTable: Sized {
    /// Name of the toggle in the schema.
    const NAME: &'static str;
    /// An example of the table, for error messages.
    const EXAMPLE: &'static str;
    /// For the schema.
    const DESCRIPTION: &'static str;
}

struct ToggleVisitor<T>(PhantomData<T>);

impl<'de, T: ToggleTable + Deserialize<'de>> Visitor<'de> for ToggleVisitor<T> {
    type Value = Toggle<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "true, false or a table such as {}", T::EXAMPLE)
    }
    fn visit_bool<E: Error>(self, on: bool) -> Result<Toggle<T>, E> {
        Ok(if on { Toggle::On } else { Toggle::Off })
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Toggle<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Toggle::Table)
    }
}

impl<'de, T: ToggleTable + Deserialize<'de>> Deserialize<'de> for Toggle<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ToggleVisitor(PhantomData))
    }
}

impl<T: Serialize> Serialize for Toggle<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Off => serializer.serialize_bool(false),
            Self::On => serializer.serialize_bool(true),
            Self::Table(table) => table.serialize(serializer),
        }
    }
}

impl<T: ToggleTable + JsonSchema> JsonSchema for Toggle<T> {
    fn schema_name() -> Cow<'static, str> {
        T::NAME.into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let table = generator.subschema_for::<T>();
        json_schema!({ "description": T::DESCRIPTION, "anyOf": [{ "type": "boolean" }, table] })
    }
}
