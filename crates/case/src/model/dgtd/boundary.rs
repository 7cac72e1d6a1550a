//! Boundary condition of a surface: `"pec"`, `"pmc"`, `"absorbing"`, or a resistive sheet.

use crate::model::checks::check_positive;
use phasefront_core::units::complaint;
use phasefront_core::{FieldError, Resistance};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// Boundary condition of a surface: `"pec"`, `"pmc"`, `"absorbing"`, or `{ sheet_resistance = "100 ohm" }`.
///
/// ```
/// use phasefront_case::model::dgtd::Boundary;
/// let film: Boundary = serde_json::from_str(r#"{ "sheet_resistance": "377 ohm" }"#).unwrap();
/// let Boundary::ResistiveSheet(film) = film else { panic!("a sheet") };
/// assert_eq!(film.sheet_resistance.si(), 377.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Boundary {
    /// Perfect electric conductor: an exterior boundary, or an interior sheet.
    Pec,
    /// Perfect magnetic conductor: an exterior boundary.
    Pmc,
    /// First-order (Silver-Müller) absorbing boundary condition on an exterior boundary; exact at normal incidence.
    Absorbing,
    /// Infinitely thin resistive sheet.
    ResistiveSheet(ResistiveSheet),
}

/// Infinitely thin resistive sheet.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_sheet")]
pub struct ResistiveSheet {
    /// Sheet resistance in ohms per square.
    pub sheet_resistance: Resistance,
}

impl Boundary {
    /// Rejects a sheet resistance that is not positive; `path` is its key in the case.
    pub(super) fn check(&self, path: &str) -> Result<(), FieldError> {
        let Self::ResistiveSheet(sheet) = self else { return Ok(()) };
        let advice =
            "write for example `sheet_resistance = \"100 ohm\"`, or \"pec\" for a perfectly conducting sheet";
        check_positive(
            format!("{path}.sheet_resistance"),
            "the sheet resistance",
            sheet.sheet_resistance.si(),
            advice,
        )
    }
}

struct BoundaryVisitor;

impl<'de> Visitor<'de> for BoundaryVisitor {
    type Value = Boundary;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"pec\", \"pmc\", \"absorbing\" or a table such as {{ sheet_resistance = \"100 ohm\" }}")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Boundary, E> {
        match text {
            "pec" => Ok(Boundary::Pec),
            "pmc" => Ok(Boundary::Pmc),
            "absorbing" => Ok(Boundary::Absorbing),
            _ => Err(complaint(
                format_args!("\"{text}\" is not a boundary condition"),
                "write \"pec\" for a perfect electric conductor, \"pmc\" for a perfect magnetic conductor, \"absorbing\" for \
                 an absorbing boundary, or { sheet_resistance = \"100 ohm\" } for a resistive sheet",
            )),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Boundary, A::Error> {
        ResistiveSheet::deserialize(MapAccessDeserializer::new(map)).map(Boundary::ResistiveSheet)
    }
}

impl<'de> Deserialize<'de> for Boundary {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(BoundaryVisitor)
    }
}

impl Serialize for Boundary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Pec => serializer.serialize_str("pec"),
            Self::Pmc => serializer.serialize_str("pmc"),
            Self::Absorbing => serializer.serialize_str("absorbing"),
            Self::ResistiveSheet(sheet) => sheet.serialize(serializer),
        }
    }
}

impl JsonSchema for Boundary {
    fn schema_name() -> Cow<'static, str> {
        "dgtd_boundary".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let sheet = generator.subschema_for::<ResistiveSheet>();
        json_schema!({
            "description": "Boundary condition of a surface.",
            "anyOf": [
                { "description": "Perfect electric conductor.", "const": "pec" },
                { "description": "Perfect magnetic conductor; exterior surfaces only.", "const": "pmc" },
                {
                    "description": "First-order (Silver-Müller) absorbing boundary condition, exact at normal incidence; \
                                    exterior surfaces only.",
                    "const": "absorbing",
                },
                sheet,
            ],
        })
    }
}
