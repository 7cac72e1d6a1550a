//! A plane wave and its polarization.

use super::SurfaceNames;
use crate::model::directions::{Angles, pairs_of_angles};
use phasefront_core::units::complaint;
use phasefront_core::{Angle, FieldError};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::f64::consts::FRAC_PI_2;
use std::fmt;

/// Plane wave with a peak amplitude of 1 V/m.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_plane_wave", extend("oneOf" = pairs_of_angles()))]
pub struct PlaneWave {
    /// Polar angle of the direction of arrival, from +z. Give it with `phi`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Angle")]
    pub theta: Option<Angle>,
    /// Azimuthal angle of the direction of arrival, from +x toward +y. Give it with `theta`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Angle")]
    pub phi: Option<Angle>,
    /// Azimuth of the direction of arrival, the same angle as `phi`. Give it with `elevation`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Angle")]
    pub azimuth: Option<Angle>,
    /// Elevation of the direction of arrival, 90 deg - `theta`. Give it with `azimuth`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Angle")]
    pub elevation: Option<Angle>,
    /// Polarization of the electric field: "theta", "phi", or an angle from theta-hat toward phi-hat.
    pub polarization: Polarization,
    /// Total-field/scattered-field (TF/SF) surface, closed: total fields inside, scattered fields outside. Default: none; the
    /// scattered-field formulation, with the incident field imposed on the conductors. One name, or those of its parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SurfaceNames")]
    pub surface: Option<SurfaceNames>,
}

/// Polarization of the electric field: `"theta"`, `"phi"` or `"45 deg"`.
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
    /// At this angle from theta-hat toward phi-hat.
    Angle(Angle),
}

impl Polarization {
    /// The angle from theta-hat toward phi-hat, in radians.
    pub fn angle(self) -> f64 {
        match self {
            Self::Theta => 0.0,
            Self::Phi => FRAC_PI_2,
            Self::Angle(angle) => angle.si(),
        }
    }
}

impl PlaneWave {
    /// The keys that give the direction of arrival.
    pub fn angles(&self) -> Angles<'_, Angle> {
        Angles {
            theta: self.theta.as_ref(),
            phi: self.phi.as_ref(),
            azimuth: self.azimuth.as_ref(),
            elevation: self.elevation.as_ref(),
        }
    }

    pub(super) fn check(&self) -> Result<(), FieldError> {
        self.angles().check("source.plane_wave")?;
        self.surface.as_ref().map_or(Ok(()), |surface| surface.check("source.plane_wave.surface"))
    }
}

/// How a polarization is written.
const ADVICE: &str = "write \"theta\", \"phi\", or an angle from theta-hat toward phi-hat with its unit, for example \"45 deg\"";

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
            "description": "Polarization of the electric field.",
            "anyOf": [{ "const": "theta" }, { "const": "phi" }, angle],
        })
    }
}
