//! A plane wave, and how it is polarized.

use phasefront_core::units::complaint;
use phasefront_core::{Angle, FieldError};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::f64::consts::FRAC_PI_2;
use std::fmt;

/// A plane wave of 1 V/m times the pulse.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_plane_wave")]
pub struct PlaneWave {
    /// Angle from +z of the direction that it comes from.
    pub theta: Angle,
    /// Angle from +x towards +y of the direction that it comes from.
    pub phi: Angle,
    /// Its electric field: along "theta", along "phi", or at an angle from theta-hat towards phi-hat.
    pub polarization: Polarization,
    /// The closed surface that it comes in by: total fields inside, scattered fields outside. If left out, it is applied on the
    /// conductors, and all fields are scattered ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("minLength" = 1))]
    pub surface: Option<String>,
}

/// Where the electric field of a wave points: `"theta"`, `"phi"` or `"45 deg"`.
///
/// ```
/// use phasefront_case::model::dgtd::Polarization;
/// let slant: Polarization = serde_json::from_str(r#""45 deg""#).unwrap();
/// assert_eq!(slant.angle(), std::f64::consts::FRAC_PI_4);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Polarization {
    /// Along theta-hat.
    Theta,
    /// Along phi-hat.
    Phi,
    /// At this angle from theta-hat towards phi-hat.
    Angle(Angle),
}

impl Polarization {
    /// The angle from theta-hat towards phi-hat, in radians.
    pub fn angle(self) -> f64 {
        match self {
            Self::Theta => 0.0,
            Self::Phi => FRAC_PI_2,
            Self::Angle(angle) => angle.si(),
        }
    }
}

impl PlaneWave {
    pub(super) fn check(&self) -> Result<(), FieldError> {
        super::checks::check_surface("source.plane_wave.surface", self.surface.as_deref())
    }
}

/// How a polarization is written.
const ADVICE: &str = "write \"theta\", \"phi\", or an angle from theta-hat towards phi-hat with its unit, for example \"45 deg\"";

struct PolarizationVisitor;

impl Visitor<'_> for PolarizationVisitor {
    type Value = Polarization;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"theta\", \"phi\" or an angle such as \"45 deg\"")
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<Polarization, E> {
        match text {
            "theta" => Ok(Polarization::Theta),
            "phi" => Ok(Polarization::Phi),
            _ => text
                .parse()
                .map(Polarization::Angle)
                .map_err(|_| complaint(format_args!("\"{text}\" is not a polarization"), ADVICE)),
        }
    }
    fn visit_f64<E: Error>(self, _: f64) -> Result<Polarization, E> {
        Err(complaint("an angle needs a unit", ADVICE))
    }
    fn visit_i64<E: Error>(self, value: i64) -> Result<Polarization, E> {
        self.visit_f64(value as f64)
    }
    fn visit_u64<E: Error>(self, value: u64) -> Result<Polarization, E> {
        self.visit_f64(value as f64)
    }
}

impl<'de> Deserialize<'de> for Polarization {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PolarizationVisitor)
    }
}

impl Serialize for Polarization {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Theta => serializer.serialize_str("theta"),
            Self::Phi => serializer.serialize_str("phi"),
            Self::Angle(angle) => angle.serialize(serializer),
        }
    }
}

impl JsonSchema for Polarization {
    fn schema_name() -> Cow<'static, str> {
        "dgtd_polarization".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let angle = generator.subschema_for::<Angle>();
        json_schema!({
            "description": "Where the electric field of a wave points.",
            "anyOf": [{ "const": "theta" }, { "const": "phi" }, angle],
        })
    }
}
