//! What a group of triangles is made of: `"pec"`, a medium behind the surface, or layers on a conductor.

use super::ComplexNumber;
use phasefront_core::units::complaint;
use phasefront_core::{FieldError, Frequency, Length};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// What a group of triangles is made of: `"pec"`, or a table.
///
/// ```
/// use phasefront_case::model::sbr::Material;
/// let sea: Material = serde_json::from_str(r#"{ "eps_r": "55 - 30j" }"#).unwrap();
/// let Material::Surface(sea) = sea else { panic!("a half space") };
/// assert_eq!(sea.eps_r.unwrap().im, -30.0);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Material {
    /// A perfect electric conductor.
    Pec,
    /// A half space, or a coated conductor.
    Surface(Surface),
}

/// A medium that fills all behind the surface, or with `layers` a coating on a perfect conductor. The medium is constant
/// (`eps_r`, `mu_r`), or measured against frequency (`table` or `file`).
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "sbr_surface")]
#[schemars(extend("oneOf" = [
    { "required": ["eps_r"] }, { "required": ["table"] }, { "required": ["file"] }, { "required": ["layers"] },
]))]
pub struct Surface {
    /// Relative permittivity, complex: with e^{+jωt}, losses make its imaginary part negative.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ComplexNumber")]
    pub eps_r: Option<ComplexNumber>,
    /// Relative permeability, complex; 1 if left out beside `eps_r`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ComplexNumber")]
    pub mu_r: Option<ComplexNumber>,
    /// The constants at some frequencies, in rising order; linear between them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<Row>", length(min = 1))]
    pub table: Option<Vec<Row>>,
    /// The same as a CSV file with the columns `frequency_hz`, `eps_real`, `eps_loss`, `mu_real` and `mu_loss`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("minLength" = 1))]
    pub file: Option<String>,
    /// Layers on a perfect conductor, from the conductor outwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<Layer>", length(min = 1))]
    pub layers: Option<Vec<Layer>>,
}

/// A layer of a coating.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "sbr_layer")]
#[schemars(extend("oneOf" = [{ "required": ["eps_r"] }, { "required": ["table"] }, { "required": ["file"] }]))]
pub struct Layer {
    /// How thick it is.
    pub thickness: Length,
    /// Relative permittivity, complex: with e^{+jωt}, losses make its imaginary part negative.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ComplexNumber")]
    pub eps_r: Option<ComplexNumber>,
    /// Relative permeability, complex; 1 if left out beside `eps_r`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ComplexNumber")]
    pub mu_r: Option<ComplexNumber>,
    /// The constants at some frequencies, in rising order; linear between them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<Row>", length(min = 1))]
    pub table: Option<Vec<Row>>,
    /// The same as a CSV file with the columns `frequency_hz`, `eps_real`, `eps_loss`, `mu_real` and `mu_loss`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("minLength" = 1))]
    pub file: Option<String>,
}

/// The constants of a medium at one frequency.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "sbr_medium_row")]
pub struct Row {
    /// The frequency.
    pub frequency: Frequency,
    /// Relative permittivity there, complex.
    pub eps_r: ComplexNumber,
    /// Relative permeability there, complex; 1 if left out.
    #[serde(default = "one")]
    pub mu_r: ComplexNumber,
}

fn one() -> ComplexNumber {
    ComplexNumber::ONE
}

impl Material {
    /// Refuses a material that is said in two ways or in none; `path` is where the case gives it.
    pub(super) fn check(&self, path: &str) -> Result<(), FieldError> {
        let Self::Surface(surface) = self else { return Ok(()) };
        let Some(layers) = &surface.layers else {
            let given = [surface.eps_r.is_some(), surface.table.is_some(), surface.file.is_some()];
            return check_medium(path, given, surface.mu_r.is_some());
        };
        let others = [
            ("eps_r", surface.eps_r.is_some()),
            ("mu_r", surface.mu_r.is_some()),
            ("table", surface.table.is_some()),
            ("file", surface.file.is_some()),
        ];
        if let Some((key, _)) = others.iter().find(|(_, given)| *given) {
            return Err(FieldError::new(
                format!("{path}.{key}"),
                format!("`{key}` belongs to a layer where there are `layers`"),
                "put it into a layer: layers lie on a perfect conductor",
            ));
        }
        if layers.is_empty() {
            let advice =
                "give a layer such as { thickness = \"1.5 mm\", eps_r = \"12 - 0.3j\" }, or write \"pec\"";
            return Err(FieldError::new(format!("{path}.layers"), "the list is empty", advice));
        }
        layers.iter().enumerate().try_for_each(|(i, layer)| {
            let given = [layer.eps_r.is_some(), layer.table.is_some(), layer.file.is_some()];
            check_medium(&format!("{path}.layers[{i}]"), given, layer.mu_r.is_some())
        })
    }
}

/// Refuses a medium unless one of `eps_r`, `table` and `file`, in this order, is given.
fn check_medium(path: &str, given: [bool; 3], has_mu: bool) -> Result<(), FieldError> {
    let names = ["eps_r", "table", "file"];
    let given: Vec<&str> =
        names.iter().zip(given).filter(|(_, given)| *given).map(|(name, _)| *name).collect();
    match given[..] {
        [] => Err(FieldError::new(
            path,
            "nothing says what the medium is",
            "add for example `eps_r = \"12 - 0.3j\"`, a `table` of rows, or a `file`",
        )),
        [one] if one != "eps_r" && has_mu => Err(FieldError::new(
            format!("{path}.mu_r"),
            format!("`mu_r` and `{one}` cannot both be given"),
            "put the permeability into the rows",
        )),
        [_] => Ok(()),
        [first, second, ..] => Err(FieldError::new(
            format!("{path}.{second}"),
            format!("`{first}` and `{second}` cannot both be given"),
            "keep one of them",
        )),
    }
}

struct MaterialVisitor;

impl<'de> Visitor<'de> for MaterialVisitor {
    type Value = Material;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"pec\" or a table such as {{ eps_r = 4.0 }}")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Material, E> {
        if text == "pec" {
            return Ok(Material::Pec);
        }
        Err(complaint(
            format_args!("\"{text}\" is not a material"),
            "write \"pec\" for a perfect conductor, { eps_r = 4.0 } for a medium behind the surface, or \
             { layers = [{ thickness = \"1.5 mm\", eps_r = \"12 - 0.3j\" }] } for a coated conductor",
        ))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Material, A::Error> {
        Surface::deserialize(MapAccessDeserializer::new(map)).map(Material::Surface)
    }
}

impl<'de> Deserialize<'de> for Material {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MaterialVisitor)
    }
}

impl Serialize for Material {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Pec => serializer.serialize_str("pec"),
            Self::Surface(surface) => surface.serialize(serializer),
        }
    }
}

impl JsonSchema for Material {
    fn schema_name() -> Cow<'static, str> {
        "sbr_material".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let surface = generator.subschema_for::<Surface>();
        json_schema!({
            "description": "What a group of triangles is made of.",
            "anyOf": [{ "description": "A perfect electric conductor.", "const": "pec" }, surface],
        })
    }
}
