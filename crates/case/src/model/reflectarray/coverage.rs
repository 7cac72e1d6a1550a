//! The satellite, the regions it is to illuminate, and the bounds there.

use super::checks::{check_file, check_level};
use crate::model::Two;
use crate::model::angles::no_rotation;
use phasefront_core::{Angle, FieldError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A geostationary satellite and where its antenna looks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "reflectarray_satellite")]
pub struct Satellite {
    /// Longitude of the satellite, east of Greenwich.
    pub longitude: Angle,
    /// The place on the Earth that the array's normal points to; the point below the satellite if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Place")]
    pub pointing: Option<Place>,
}

/// A place on the Earth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "place")]
pub struct Place {
    /// Longitude, east of Greenwich.
    pub longitude: Angle,
    /// Geodetic latitude, north of the equator.
    pub latitude: Angle,
}

/// A region and the directivity that is asked for there. One of `region`, `file`, `uv` and `ellipse` says where it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "reflectarray_coverage")]
#[schemars(extend("oneOf" = [
    { "required": ["region"] }, { "required": ["file"] }, { "required": ["uv"] }, { "required": ["ellipse"] },
]))]
pub struct Coverage {
    /// Name in tables and plots; if left out, that of the region or of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub name: Option<String>,
    /// A region that is built in: "europe", "conus" or "canada".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub region: Option<String>,
    /// A GeoJSON file of polygons in longitude and latitude, beside the case file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("minLength" = 1))]
    pub file: Option<String>,
    /// Corners [u, v] of a polygon in the antenna's own axes; the last is joined to the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<Two<f64>>", length(min = 3))]
    pub uv: Option<Vec<Two<f64>>>,
    /// An ellipse in the antenna's own axes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "UvEllipse")]
    pub ellipse: Option<UvEllipse>,
    /// Lowest directivity, dBi; if left out, as high as the aperture can give.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub lower_dbi: Option<f64>,
    /// Highest directivity, dBi; none if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub upper_dbi: Option<f64>,
}

/// An ellipse in (u, v).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "uv_ellipse")]
pub struct UvEllipse {
    /// Center [u, v].
    pub center: Two<f64>,
    /// The two semi-axes, along u and along v before the rotation.
    pub semi_axes: Two<f64>,
    /// Rotation from u towards v; none if left out.
    #[serde(default = "no_rotation")]
    pub rotation: Angle,
}

/// An upper bound outside the coverage.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "reflectarray_outside")]
pub struct Outside {
    /// Highest directivity, dBi.
    pub upper_dbi: f64,
    /// Width of the band around the coverage where nothing is asked, in u and v.
    #[schemars(extend("minimum" = 0))]
    pub margin: f64,
}

impl Coverage {
    /// Refuses a region without a place or with two, and one on the Earth that nobody looks at.
    pub(super) fn check(&self, path: &str, has_satellite: bool) -> Result<(), FieldError> {
        let places = [
            ("region", self.region.is_some()),
            ("file", self.file.is_some()),
            ("uv", self.uv.is_some()),
            ("ellipse", self.ellipse.is_some()),
        ];
        let given: Vec<&str> = places.iter().filter(|(_, given)| *given).map(|(key, _)| *key).collect();
        match given[..] {
            [] => {
                return Err(FieldError::new(
                    path,
                    "nothing says where this coverage is",
                    "add for example `region = \"europe\"`, `file = \"coverage.geojson\"`, `uv = [[0.0, 0.1], …]` or \
                     `ellipse = { center = [0.0, 0.1], semi_axes = [0.03, 0.02] }`",
                ));
            }
            [key @ ("region" | "file")] if !has_satellite => {
                return Err(FieldError::new(
                    format!("{path}.{key}"),
                    "a coverage on the Earth needs a satellite that looks at it",
                    "add\n[geometry.satellite]\nlongitude = \"5 deg\"",
                ));
            }
            [_] => {}
            [first, second, ..] => {
                return Err(FieldError::new(
                    format!("{path}.{second}"),
                    format!("`{first}` and `{second}` cannot both be given"),
                    "keep one of them; another coverage is another [[geometry.coverage]]",
                ));
            }
        }
        check_file(format!("{path}.file"), self.file.as_deref())?;
        if self.uv.as_ref().is_some_and(|points| points.len() < 3) {
            let message = "a polygon has at least three points";
            return Err(FieldError::new(format!("{path}.uv"), message, "give more points, or an `ellipse`"));
        }
        if self.ellipse.is_some_and(|e| e.semi_axes.array().iter().any(|a| *a <= 0.0)) {
            return Err(FieldError::new(
                format!("{path}.ellipse.semi_axes"),
                "both semi-axes must be above zero",
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
            "the margin must be a finite number, zero or above",
            "give it in u and v, for example `margin = 0.02`: about the width of a beam",
        ))
    }
}
