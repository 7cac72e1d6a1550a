//! Boundary condition of a surface: `"pec"`, `"pmc"`, `"absorbing"`, a resistive sheet, or a conductor with losses or under a thin layer.

use super::material::check_not_negative;
use crate::model::checks::check_positive;
use phasefront_core::units::complaint;
use phasefront_core::{Conductivity, FieldError, Length, Resistance};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// Boundary condition of a surface: `"pec"`, `"pmc"`, `"absorbing"`, `{ sheet_resistance = "100 ohm" }`,
/// `{ conductivity = "58 MS/m" }`, or `{ coating = { thickness = "50 um", eps_r = 3.5 } }`.
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
    /// Good conductor with skin effect.
    Conductor(Conductor),
    /// Perfect conductor under a thin layer.
    Coated(Coated),
}

/// Perfect conductor under a thin layer that is not in the mesh: an exterior boundary, or an interior sheet with the layer on both sides.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_coated")]
pub struct Coated {
    /// The layer; it must be thinner than a fifth of the wavelength in it.
    pub coating: Coating,
}

/// Thin layer on a conductor.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_coating")]
pub struct Coating {
    /// Thickness of the layer.
    pub thickness: Length,
    /// Relative permittivity ε_r of the layer.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub eps_r: f64,
    /// Relative permeability μ_r of the layer.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub mu_r: f64,
    /// Loss tangent ε″/ε′ of the layer, constant over the band of the case.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub loss_tangent: f64,
}

fn one() -> f64 {
    1.0
}

impl Coating {
    fn check(&self, path: &str) -> Result<(), FieldError> {
        let at = |key: &str| format!("{path}.{key}");
        let thickness = "write for example `thickness = \"50 um\"`";
        check_positive(at("thickness"), "the thickness", self.thickness.si(), thickness)?;
        let eps = "write for example `eps_r = 3.5`; vacuum has 1";
        check_positive(at("eps_r"), "the relative permittivity", self.eps_r, eps)?;
        check_positive(at("mu_r"), "the relative permeability", self.mu_r, "leave it out for 1")?;
        check_not_negative(&at("loss_tangent"), "the loss tangent", self.loss_tangent)
    }
}

/// Infinitely thin resistive sheet.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_sheet")]
pub struct ResistiveSheet {
    /// Sheet resistance in ohms per square.
    pub sheet_resistance: Resistance,
}

/// Good conductor, much thicker than its skin depth: an exterior boundary, or an interior sheet.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_conductor")]
pub struct Conductor {
    /// Conductivity of the metal.
    pub conductivity: Conductivity,
    /// Root mean square of the surface roughness. Default: a smooth surface.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Length")]
    pub roughness: Option<Length>,
}

/// The keys of all boundary conditions that are tables.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    sheet_resistance: Option<Resistance>,
    conductivity: Option<Conductivity>,
    roughness: Option<Length>,
    coating: Option<Coating>,
}

impl Boundary {
    /// Rejects values that are not positive; `path` is its key in the case.
    pub(super) fn check(&self, path: &str) -> Result<(), FieldError> {
        match self {
            Self::Pec | Self::Pmc | Self::Absorbing => Ok(()),
            Self::Coated(coated) => coated.coating.check(&format!("{path}.coating")),
            Self::ResistiveSheet(sheet) => check_positive(
                format!("{path}.sheet_resistance"),
                "the sheet resistance",
                sheet.sheet_resistance.si(),
                "write for example `sheet_resistance = \"100 ohm\"`, or \"pec\" for a perfectly conducting sheet",
            ),
            Self::Conductor(conductor) => {
                check_positive(
                    format!("{path}.conductivity"),
                    "the conductivity",
                    conductor.conductivity.si(),
                    "write for example `conductivity = \"58 MS/m\"` for copper, or \"pec\" for a perfect conductor",
                )?;
                check_not_negative(
                    &format!("{path}.roughness"),
                    "the roughness",
                    conductor.roughness.map_or(0.0, Length::si),
                )
            }
        }
    }
}

struct BoundaryVisitor;

impl<'de> Visitor<'de> for BoundaryVisitor {
    type Value = Boundary;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "\"pec\", \"pmc\", \"absorbing\" or a table such as {{ sheet_resistance = \"100 ohm\" }} or {{ conductivity = \"58 MS/m\" }}"
        )
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Boundary, E> {
        match text {
            "pec" => Ok(Boundary::Pec),
            "pmc" => Ok(Boundary::Pmc),
            "absorbing" => Ok(Boundary::Absorbing),
            _ => Err(complaint(
                format_args!("\"{text}\" is not a boundary condition"),
                "write \"pec\" for a perfect electric conductor, \"pmc\" for a perfect magnetic conductor, \"absorbing\" for \
                 an absorbing boundary, { sheet_resistance = \"100 ohm\" } for a resistive sheet, or { conductivity = \"58 MS/m\" } for a \
                 conductor with losses",
            )),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Boundary, A::Error> {
        let table = Table::deserialize(MapAccessDeserializer::new(map))?;
        match (table.sheet_resistance, table.conductivity, table.coating) {
            (Some(sheet_resistance), None, None) if table.roughness.is_none() => {
                Ok(Boundary::ResistiveSheet(ResistiveSheet { sheet_resistance }))
            }
            (None, Some(conductivity), None) => {
                Ok(Boundary::Conductor(Conductor { conductivity, roughness: table.roughness }))
            }
            (None, None, Some(coating)) if table.roughness.is_none() => {
                Ok(Boundary::Coated(Coated { coating }))
            }
            _ => Err(complaint(
                "a boundary condition is either a resistive sheet, a conductor, or a perfect conductor under a coating",
                "write { sheet_resistance = \"100 ohm\" }, or { conductivity = \"58 MS/m\" }, perhaps with `roughness`, or \
                 { coating = { thickness = \"50 um\", eps_r = 3.5 } }",
            )),
        }
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
            Self::Conductor(conductor) => conductor.serialize(serializer),
            Self::Coated(coated) => coated.serialize(serializer),
        }
    }
}

impl JsonSchema for Boundary {
    fn schema_name() -> Cow<'static, str> {
        "dgtd_boundary".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let sheet = generator.subschema_for::<ResistiveSheet>();
        let conductor = generator.subschema_for::<Conductor>();
        let coated = generator.subschema_for::<Coated>();
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
                conductor,
                coated,
            ],
        })
    }
}
