//! The satellite, its coverage regions, and their directivity bounds.

use super::checks::{check_file, check_level};
use crate::model::Two;
use crate::model::angles::no_rotation;
use phasefront_core::{Angle, FieldError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Geostationary satellite and its antenna pointing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "reflectarray_satellite")]
pub struct Satellite {
    /// Longitude of the satellite, positive east.
    pub longitude: Angle,
    /// Point on the Earth at which the array normal points. Default: the subsatellite point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "GeographicPosition")]
    pub pointing: Option<GeographicPosition>,
}

/// Point on the Earth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "geographic_position")]
pub struct GeographicPosition {
    /// Longitude, positive east.
    pub longitude: Angle,
    /// Geodetic latitude, positive north.
    pub latitude: Angle,
}

/// Coverage region and its directivity bounds. Give exactly one of `region`, `file`, `polygon` and `ellipse`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "reflectarray_coverage")]
#[schemars(extend("oneOf" = [
    { "required": ["region"] }, { "required": ["file"] }, { "required": ["polygon"] }, { "required": ["ellipse"] },
]))]
pub struct Coverage {
    /// Name in tables and plots. Default: the name of the region or of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub name: Option<String>,
    /// Built-in region: "europe", "europe-land", "conus" or "canada". Requires `satellite`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub region: Option<String>,
    /// GeoJSON file with polygons in longitude and latitude; path relative to the case file. Requires `satellite`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("minLength" = 1))]
    pub file: Option<String>,
    /// Polygon in the antenna coordinates: vertices [u, v] in order; the last is connected to the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<Two<f64>>", length(min = 3))]
    pub polygon: Option<Vec<Two<f64>>>,
    /// Ellipse in the antenna coordinates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Ellipse")]
    pub ellipse: Option<Ellipse>,
    /// Minimum directivity, in dBi. Default: the maximum that the aperture can provide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub lower_dbi: Option<f64>,
    /// Maximum directivity, in dBi. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub upper_dbi: Option<f64>,
}

/// Ellipse in the (u, v) plane.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "reflectarray_ellipse")]
pub struct Ellipse {
    /// Center [u, v].
    pub center: Two<f64>,
    /// Semi-axes along u and v, before rotation.
    pub semi_axes: Two<f64>,
    /// Rotation from u toward v.
    #[serde(default = "no_rotation")]
    pub rotation: Angle,
}

/// Upper bound of the directivity outside the coverage.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "reflectarray_outside")]
pub struct Outside {
    /// Maximum directivity, in dBi.
    pub upper_dbi: f64,
    /// Width of the transition band around the coverage without a bound, in u and v.
    #[schemars(extend("minimum" = 0))]
    pub margin: f64,
}

impl Coverage {
    /// Rejects a region with no or several definitions, and a geographic region without a satellite.
    pub(super) fn check(&self, path: &str, has_satellite: bool) -> Result<(), FieldError> {
        let definitions = [
            ("region", self.region.is_some()),
            ("file", self.file.is_some()),
            ("polygon", self.polygon.is_some()),
            ("ellipse", self.ellipse.is_some()),
        ];
        let given: Vec<&str> = definitions.iter().filter(|(_, given)| *given).map(|(key, _)| *key).collect();
        match given[..] {
            [] => {
                return Err(FieldError::new(
                    path,
                    "the coverage has no region",
                    "add for example `region = \"europe\"`, `file = \"coverage.geojson\"`, `polygon = [[0.0, 0.1], …]` or \
                     `ellipse = { center = [0.0, 0.1], semi_axes = [0.03, 0.02] }`",
                ));
            }
            [key @ ("region" | "file")] if !has_satellite => {
                return Err(FieldError::new(
                    format!("{path}.{key}"),
                    "a coverage in geographic coordinates requires a satellite",
                    "add\n[geometry.satellite]\nlongitude = \"5 deg\"",
                ));
            }
            [_] => {}
            [first, second, ..] => {
                return Err(FieldError::new(
                    format!("{path}.{second}"),
                    format!("`{first}` and `{second}` cannot both be given"),
                    "keep one of them; add other regions as separate [[geometry.coverage]] tables",
                ));
            }
        }
        check_file(format!("{path}.file"), self.file.as_deref())?;
        if self.polygon.as_ref().is_some_and(|points| points.len() < 3) {
            let message = "a polygon requires at least three vertices";
            return Err(FieldError::new(
                format!("{path}.polygon"),
                message,
                "add vertices, or use an `ellipse`",
            ));
        }
        if self.ellipse.is_some_and(|e| e.semi_axes.array().iter().any(|a| *a <= 0.0)) {
            return Err(FieldError::new(
                format!("{path}.ellipse.semi_axes"),
                "both semi-axes must be positive",
                "give them in u and v, for example `semi_axes = [0.03, 0.02]`",
            ));
        }
        check_level(format!("{path}.lower_dbi"), self.lower_dbi)?;
        check_level(format!("{path}.upper_dbi"), self.upper_dbi)
    }
}

impl Outside {
    pub(super) fn check(&self) -> Result<(), FieldError> {
        check_level("geometry.outside.upper_dbi", Some(self.upper_dbi))?;
        if self.margin >= 0.0 && self.margin.is_finite() {
            return Ok(());
        }
        Err(FieldError::new(
            "geometry.outside.margin",
            "the margin must be finite and not negative",
            "give it in u and v, for example `margin = 0.02`, about one beamwidth",
        ))
    }
}
