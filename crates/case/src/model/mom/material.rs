//! Material of a body: `"pec"` or a table of the constants of a dielectric.

use crate::model::ComplexNumber;
use crate::model::checks::check_positive;
use crate::model::medium::Constants;
use phasefront_core::units::complaint;
use phasefront_core::{Conductivity, FieldError};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// Material of a body: `"pec"`, or a table such as `{ eps_r = 4.0 }`.
///
/// ```
/// use phasefront_case::model::mom::Material;
/// let glass: Material = serde_json::from_str(r#"{ "eps_r": 4.0, "loss_tangent": 0.01 }"#).unwrap();
/// let Material::Dielectric(glass) = glass else { panic!("a dielectric") };
/// assert_eq!((glass.eps_r.re, glass.mu_r.re, glass.loss_tangent), (4.0, 1.0, Some(0.01)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Material {
    /// Perfect electric conductor.
    #[default]
    Pec,
    /// Homogeneous dielectric or magnetic material, lossless or lossy.
    Dielectric(Dielectric),
}

/// Homogeneous dielectric or magnetic material, lossless or lossy.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "mom_dielectric", extend("not" = { "required": ["loss_tangent", "conductivity"] }))]
pub struct Dielectric {
    /// Relative permittivity, complex: with e^{+jωt}, losses are negative imaginary parts.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub eps_r: ComplexNumber,
    /// Relative permeability, complex.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub mu_r: ComplexNumber,
    /// Loss tangent of the permittivity, the same at all frequencies, with a real `eps_r`. Give this or `conductivity`. Default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", extend("minimum" = 0))]
    pub loss_tangent: Option<f64>,
    /// Conductivity, the same at all frequencies, with a real `eps_r`. Give this or `loss_tangent`. Default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Conductivity")]
    pub conductivity: Option<Conductivity>,
}

fn one() -> ComplexNumber {
    ComplexNumber::ONE
}

impl Material {
    /// Refuses constants outside the range of the solver; `path` is where the case gives them.
    pub(super) fn check(&self, path: &str) -> Result<(), FieldError> {
        let Self::Dielectric(material) = self else { return Ok(()) };
        let at = |key: &str| format!("{path}.{key}");
        check_positive(
            at("eps_r"),
            "the relative permittivity",
            material.eps_r.re,
            "write for example `eps_r = 4.0`; vacuum has 1",
        )?;
        check_positive(
            at("mu_r"),
            "the relative permeability",
            material.mu_r.re,
            "write for example `mu_r = 1.0`, the default",
        )?;
        let Dielectric { eps_r, mu_r, loss_tangent, conductivity } = *material;
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
            "write \"pec\" for a perfect conductor, or a table such as { eps_r = 4.0 } for a dielectric",
        ))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Material, A::Error> {
        let mut material = Dielectric::deserialize(MapAccessDeserializer::new(map))?;
        if material.conductivity.is_none() && material.eps_r.im == 0.0 {
            material.loss_tangent.get_or_insert(0.0);
        }
        Ok(Material::Dielectric(material))
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
            Self::Dielectric(material) => material.serialize(serializer),
        }
    }
}

impl JsonSchema for Material {
    fn schema_name() -> Cow<'static, str> {
        "mom_material".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let dielectric = generator.subschema_for::<Dielectric>();
        json_schema!({
            "description": "Material of a body.",
            "anyOf": [{ "description": "Perfect electric conductor.", "const": "pec" }, dielectric],
        })
    }
}
