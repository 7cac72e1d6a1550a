//! Longitude and latitude.

use std::f64::consts::TAU;
use std::fmt;

/// A point on the ellipsoid: longitude, positive east, and geodetic latitude, positive north, rad.
///
/// ```
/// use phasefront_reflectarray::coverage::LonLat;
/// let naples = LonLat::from_degrees(14.2681, 40.8518);
/// assert_eq!(naples.to_string(), "40.85 N 14.27 E");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LonLat {
    /// Longitude, rad; any multiple of 2π may be added.
    pub lon: f64,
    /// Geodetic latitude, rad.
    pub lat: f64,
}

impl LonLat {
    /// A point given in degrees, longitude first as in GeoJSON.
    pub fn from_degrees(lon: f64, lat: f64) -> Self {
        Self { lon: lon.to_radians(), lat: lat.to_radians() }
    }
}

/// In degrees, the longitude between 180 W and 180 E.
impl fmt::Display for LonLat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lat = self.lat.to_degrees();
        let north = if lat < 0.0 { 'S' } else { 'N' };
        write!(f, "{:.2} {north} {}", lat.abs(), east_or_west(self.lon))
    }
}

/// A longitude in degrees between 180 W and 180 E.
pub(super) fn east_or_west(lon: f64) -> String {
    let lon = wrap(lon).to_degrees();
    format!("{:.2} {}", lon.abs(), if lon < 0.0 { 'W' } else { 'E' })
}

/// An angle wrapped to [−π, π].
pub(super) fn wrap(angle: f64) -> f64 {
    angle - TAU * (angle / TAU).round()
}
