//! Material of a group of triangles: `"pec"`, a half space behind the surface, or layers on a conductor.

use crate::model::ComplexNumber;
use crate::model::medium::Constants;
use phasefront_core::units::complaint;
use phasefront_core::{Conductivity, FieldError, Frequency, Length};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// Material of a group of triangles: `"pec"`, or a table.
///
/// ```
/// use phasefront_case::model::sbr::Material;
/// let sea: Material = serde_json::from_str(r#"{ "eps_r": "55 - 30j" }"#).unwrap();
/// let Material::Surface(sea) = sea else { panic!("a half space") };
/// assert_eq!(sea.eps_r.unwrap().im, -30.0);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Material {
    /// Perfect electric conductor.
    Pec,
    /// Half space, or coated conductor.
    Surface(Surface),
}

/// Half space behind the surface, or, with `layers`, a coating on a perfect conductor. The medium is given by constants (`eps_r`,
/// `mu_r` and losses), or tabulated against frequency (`table` or `file`).
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "sbr_surface")]
#[schemars(extend("oneOf" = [
    { "required": ["eps_r"] }, { "required": ["table"] }, { "required": ["file"] }, { "required": ["layers"] },
]))]
pub struct Surface {
    /// Relative permittivity, complex: with e^{+jωt}, losses are negative imaginary parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ComplexNumber")]
    pub eps_r: Option<ComplexNumber>,
    /// Relative permeability, complex. Default: 1 with `eps_r`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ComplexNumber")]
    pub mu_r: Option<ComplexNumber>,
    /// Loss tangent of the permittivity, the same at all frequencies, with a real `eps_r`. Give this or `conductivity`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", extend("minimum" = 0))]
    pub loss_tangent: Option<f64>,
    /// Conductivity, the same at all frequencies, with a real `eps_r`. Give this or `loss_tangent`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Conductivity")]
    pub conductivity: Option<Conductivity>,
    /// Tabulated constants at ascending frequencies, interpolated linearly.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<Row>", length(min = 1))]
    pub table: Option<Vec<Row>>,
    /// Tabulated constants as a CSV file with the columns `frequency_hz`, `eps_real`, `eps_loss`, `mu_real` and `mu_loss`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("minLength" = 1))]
    pub file: Option<String>,
    /// Layers on a perfect conductor, from the conductor outward.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<Layer>", length(min = 1))]
    pub layers: Option<Vec<Layer>>,
}

/// Layer of a coating.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "sbr_layer")]
#[schemars(extend("oneOf" = [{ "required": ["eps_r"] }, { "required": ["table"] }, { "required": ["file"] }]))]
pub struct Layer {
    /// Thickness of the layer.
    pub thickness: Length,
    /// Relative permittivity, complex: with e^{+jωt}, losses are negative imaginary parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ComplexNumber")]
    pub eps_r: Option<ComplexNumber>,
    /// Relative permeability, complex. Default: 1 with `eps_r`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ComplexNumber")]
    pub mu_r: Option<ComplexNumber>,
    /// Loss tangent of the permittivity, the same at all frequencies, with a real `eps_r`. Give this or `conductivity`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", extend("minimum" = 0))]
    pub loss_tangent: Option<f64>,
    /// Conductivity, the same at all frequencies, with a real `eps_r`. Give this or `loss_tangent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Conductivity")]
    pub conductivity: Option<Conductivity>,
    /// Tabulated constants at ascending frequencies, interpolated linearly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<Row>", length(min = 1))]
    pub table: Option<Vec<Row>>,
    /// Tabulated constants as a CSV file with the columns `frequency_hz`, `eps_real`, `eps_loss`, `mu_real` and `mu_loss`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("minLength" = 1))]
    pub file: Option<String>,
}

/// Constants of a medium at one frequency.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "sbr_medium_row")]
pub struct Row {
    /// Frequency of the row.
    pub frequency: Frequency,
    /// Relative permittivity at this frequency, complex.
    pub eps_r: ComplexNumber,
    /// Relative permeability at this frequency, complex.
    #[serde(default = "one")]
    pub mu_r: ComplexNumber,
}

fn one() -> ComplexNumber {
    ComplexNumber::ONE
}

/// The keys of a medium, in a surface or in a layer.
#[derive(Debug, Clone, Copy)]
pub struct Medium<'a> {
    /// Relative permittivity.
    pub eps_r: Option<ComplexNumber>,
    /// Relative permeability.
    pub mu_r: Option<ComplexNumber>,
    /// Loss tangent of the permittivity.
    pub loss_tangent: Option<f64>,
    /// Conductivity.
    pub conductivity: Option<Conductivity>,
    /// Tabulated constants.
    pub table: Option<&'a [Row]>,
    /// CSV file of tabulated constants.
    pub file: Option<&'a str>,
}

impl Material {
    /// Refuses a material that is given twice or not at all; `path` is its place in the case.
    pub(super) fn check(&self, path: &str) -> Result<(), FieldError> {
        let Self::Surface(surface) = self else { return Ok(()) };
        let Some(layers) = &surface.layers else { return surface.medium().check(path) };
        if let Some(key) = surface.medium().keys().next() {
            return Err(FieldError::new(
                format!("{path}.{key}"),
                format!("with `layers`, `{key}` belongs to a layer"),
                "move it into a layer: layers lie on a perfect conductor",
            ));
        }
        if layers.is_empty() {
            let advice =
                "give a layer such as { thickness = \"1.5 mm\", eps_r = \"12 - 0.3j\" }, or write \"pec\"";
            return Err(FieldError::new(format!("{path}.layers"), "the list is empty", advice));
        }
        let check = |(i, layer): (usize, &Layer)| layer.medium().check(&format!("{path}.layers[{i}]"));
        layers.iter().enumerate().try_for_each(check)
    }
}

impl Surface {
    /// The medium of a half space; without keys where there are layers.
    pub fn medium(&self) -> Medium<'_> {
        let (table, file) = (self.table.as_deref(), self.file.as_deref());
        let Self { eps_r, mu_r, loss_tangent, conductivity, .. } = *self;
        Medium { eps_r, mu_r, loss_tangent, conductivity, table, file }
    }
}

impl Layer {
    /// The medium of the layer.
    pub fn medium(&self) -> Medium<'_> {
        let (table, file) = (self.table.as_deref(), self.file.as_deref());
        let Self { eps_r, mu_r, loss_tangent, conductivity, .. } = *self;
        Medium { eps_r, mu_r, loss_tangent, conductivity, table, file }
    }
}

impl Medium<'_> {
    /// The keys that are given.
    fn keys(&self) -> impl Iterator<Item = &'static str> {
        let keys = [
            ("eps_r", self.eps_r.is_some()),
            ("mu_r", self.mu_r.is_some()),
            ("loss_tangent", self.loss_tangent.is_some()),
            ("conductivity", self.conductivity.is_some()),
            ("table", self.table.is_some()),
            ("file", self.file.is_some()),
        ];
        keys.into_iter().filter(|(_, given)| *given).map(|(key, _)| key)
    }

    /// Refuses a medium unless it is given by exactly one of `eps_r`, `table` and `file`.
    fn check(&self, path: &str) -> Result<(), FieldError> {
        let both = |first: &str, second: &str, advice: &str| {
            let message = format!("`{first}` and `{second}` cannot both be given");
            Err(FieldError::new(format!("{path}.{second}"), message, advice))
        };
        let main: Vec<&str> = self.keys().filter(|key| ["eps_r", "table", "file"].contains(key)).collect();
        match main[..] {
            [] => Err(FieldError::new(
                path,
                "the medium is missing",
                "add for example `eps_r = \"12 - 0.3j\"`, a `table` of rows, or a `file`",
            )),
            ["eps_r"] => Ok(()),
            [first, second, ..] => both(first, second, "keep one of them"),
            [table] => match self.keys().find(|key| *key != table) {
                Some(key) => both(table, key, "a table contains all constants: add it to the rows"),
                None => Ok(()),
            },
        }?;
        let one = ComplexNumber::ONE;
        let (eps_r, mu_r) = (self.eps_r.unwrap_or(one), self.mu_r.unwrap_or(one));
        let (loss_tangent, conductivity) = (self.loss_tangent, self.conductivity);
        Constants { eps_r, mu_r, loss_tangent, conductivity }.check(path)
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
            "write \"pec\" for a perfect conductor, { eps_r = 4.0 } for a half space behind the surface, or \
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
            "description": "Material of a group of triangles.",
            "anyOf": [{ "description": "Perfect electric conductor.", "const": "pec" }, surface],
        })
    }
}
