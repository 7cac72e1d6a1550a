//! What a body is made of: `"pec"` or a table of the constants of a dielectric.

use crate::model::checks::check_positive;
use phasefront_core::units::complaint;
use phasefront_core::{Conductivity, FieldError};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// What a body is made of: `"pec"`, or a table such as `{ eps_r = 4.0 }`.
///
/// ```
/// use phasefront_case::model::mom::Material;
/// let glass: Material = serde_json::from_str(r#"{ "eps_r": 4.0, "loss_tangent": 0.01 }"#).unwrap();
/// let Material::Dielectric(glass) = glass else { panic!("a dielectric") };
/// assert_eq!((glass.eps_r, glass.mu_r, glass.loss_tangent), (4.0, 1.0, Some(0.01)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Material {
    /// A perfect electric conductor.
    #[default]
    Pec,
    /// A homogeneous dielectric or magnetic material, perhaps with losses.
    Dielectric(Dielectric),
}

/// A homogeneous dielectric or magnetic material, perhaps with losses.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "mom_dielectric", extend("not" = { "required": ["loss_tangent", "conductivity"] }))]
pub struct Dielectric {
    /// Relative permittivity, its real part; 1 is vacuum.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub eps_r: f64,
    /// Relative permeability; 1 if left out.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub mu_r: f64,
    /// Loss tangent of the permittivity, the same at all frequencies; none if left out. Give this or `conductivity`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", extend("minimum" = 0))]
    pub loss_tangent: Option<f64>,
    /// Conductivity, the same at all frequencies; none if left out. Give this or `loss_tangent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Conductivity")]
    pub conductivity: Option<Conductivity>,
}

fn one() -> f64 {
    1.0
}

impl Material {
    /// Refuses constants that no material has; `path` is where the case gives them.
    pub(super) fn check(&self, path: &str) -> Result<(), FieldError> {
        let Self::Dielectric(material) = self else { return Ok(()) };
        let at = |key: &str| format!("{path}.{key}");
        check_positive(
            at("eps_r"),
            "the relative permittivity",
            material.eps_r,
            "write for example `eps_r = 4.0`; vacuum has 1",
        )?;
        check_positive(
            at("mu_r"),
            "the relative permeability",
            material.mu_r,
            "write for example `mu_r = 1.0`, the default",
        )?;
        if material.loss_tangent.is_some() && material.conductivity.is_some() {
            return Err(FieldError::new(
                at("conductivity"),
                "`loss_tangent` and `conductivity` cannot both be given",
                "keep one of the two: each describes all losses of the material",
            ));
        }
        if material.loss_tangent.is_some_and(|tangent| !(tangent >= 0.0 && tangent.is_finite())) {
            return Err(FieldError::new(
                at("loss_tangent"),
                "the loss tangent must be a finite number, zero or above",
                "write for example `loss_tangent = 0.01`; without losses it is 0",
            ));
        }
        if material.conductivity.is_some_and(|conductivity| conductivity.si() < 0.0) {
            return Err(FieldError::new(
                at("conductivity"),
                "the conductivity cannot be negative",
                "write for example `conductivity = \"0.1 S/m\"`; losses are positive",
            ));
        }
        Ok(())
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
        if material.conductivity.is_none() {
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
            "description": "What a body is made of.",
            "anyOf": [{ "description": "A perfect electric conductor.", "const": "pec" }, dielectric],
        })
    }
}
