//! Directions from a geostationary satellite to points on the WGS84 ellipsoid, and back.

use super::error::CoverageError;
use super::lon_lat::{LonLat, wrap};
use std::f64::consts::{PI, TAU};

/// Equatorial radius a of WGS84, m (NGA.STND.0036, 2014).
const EQUATORIAL_RADIUS: f64 = 6_378_137.0;
/// Flattening f of WGS84 (same source).
const FLATTENING: f64 = 1.0 / 298.257_223_563;
/// First eccentricity squared, e² = f(2 − f).
const ECCENTRICITY_SQUARED: f64 = FLATTENING * (2.0 - FLATTENING);
/// Radius R of the geostationary orbit, m.
const ORBIT_RADIUS: f64 = 42_164_170.0;
/// Points of the horizon: one per degree.
const HORIZON_POINTS: usize = 360;

type Vec3 = [f64; 3];

/// Pointing of the array normal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pointing {
    /// To the center of the Earth.
    Nadir,
    /// To a point on the ground.
    LonLat(LonLat),
}

/// A geostationary satellite and the pointing of its array.
///
/// # Axes
///
/// u and v are direction cosines, d = u **û** + v **v̂** + w **n** for a unit vector d from the satellite, with **n** the
/// normal of the array and
///
/// - **û** = **n** × **N** / |**n** × **N**|, **N** being parallel to the Earth's axis: û lies in the equatorial plane;
/// - **v̂** = **û** × **n**.
///
/// In nadir pointing, û is east and v̂ is north. Otherwise the array is yawed about the north axis first and then tilted about û; it is
/// not rolled about its normal.
///
/// # Display
///
/// Maps are drawn as the satellite sees the Earth, u to the right and v up: east is on the right and north at the top, as on
/// any map. East, north and nadir are a left-handed triple, so x, y and the direction of radiation are too: a layout of the
/// elements with x to the right and y up shows the array from its back side. Seen from the Earth, where the feed is, x runs to the
/// left.
///
/// ```
/// use phasefront_reflectarray::coverage::{LonLat, Pointing, Satellite};
/// let satellite = Satellite::new(5f64.to_radians(), Pointing::Nadir)?;
/// let [u, v] = satellite.direction(LonLat::from_degrees(14.2681, 40.8518)).expect("Naples is visible from 5 E");
/// assert!((u - 0.020676).abs() < 5e-7 && (v - 0.110274).abs() < 5e-7);
/// assert_eq!(satellite.direction(LonLat::from_degrees(-155.0, 20.0)), None);
/// # Ok::<(), phasefront_reflectarray::coverage::CoverageError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Satellite {
    /// Orbital longitude, rad.
    pub longitude: f64,
    /// Pointing of the array.
    pub pointing: Pointing,
}

impl Satellite {
    /// A satellite with valid pointing: the target is on the Earth and visible.
    pub fn new(longitude: f64, pointing: Pointing) -> Result<Self, CoverageError> {
        let satellite = Self { longitude, pointing };
        let point = match pointing {
            Pointing::Nadir => LonLat { lon: longitude, lat: 0.0 },
            Pointing::LonLat(point) => point,
        };
        if !(longitude.is_finite() && point.lon.is_finite() && point.lat.abs() <= PI / 2.0) {
            let [lon, lat] = [point.lon.to_degrees(), point.lat.to_degrees()];
            return Err(CoverageError::NotOnEarth { lon, lat });
        }
        satellite.require_visible(point)?;
        Ok(satellite)
    }

    /// (u, v) of a point, or `None` if it is below the horizon or behind the array.
    pub fn direction(&self, point: LonLat) -> Option<[f64; 2]> {
        // Elevation zero is the horizon of the ellipsoid at this point.
        if self.elevation(point) < 0.0 {
            return None;
        }
        self.axes().components(from_satellite(self.local(point)))
    }

    /// Elevation of the satellite as seen from a point, rad: sin ε = (S − P)·k / |S − P|, with k the ellipsoid's normal.
    pub fn elevation(&self, point: LonLat) -> f64 {
        let point = self.local(point);
        let ((sin_lat, cos_lat), (sin_lon, cos_lon)) = (point.lat.sin_cos(), point.lon.sin_cos());
        let normal = [cos_lat * cos_lon, cos_lat * sin_lon, sin_lat];
        let sight = from_satellite(point);
        (-dot(sight, normal) / norm(sight)).asin()
    }

    /// The ground point of a direction, or `None` if it misses the Earth.
    ///
    /// S + t d lies on the ellipsoid where |S + t d|² = a² with z stretched by a/b; the smaller root t is the near side.
    ///
    /// ```
    /// use phasefront_reflectarray::coverage::{LonLat, Pointing, Satellite};
    /// let satellite = Satellite { longitude: 0.1, pointing: Pointing::Nadir };
    /// let below = satellite.ground([0.0, 0.0]).expect("the Earth is below");
    /// assert!((below.lon - 0.1).abs() < 1e-12 && below.lat.abs() < 1e-12);
    /// assert_eq!(satellite.ground([0.2, 0.0]), None);
    /// ```
    pub fn ground(&self, [u, v]: [f64; 2]) -> Option<LonLat> {
        let w = (1.0 - u * u - v * v).max(0.0).sqrt();
        let axes = self.axes();
        let d: Vec3 = std::array::from_fn(|i| u * axes.u[i] + v * axes.v[i] + w * axes.normal[i]);
        // z stretched by a/b turns the ellipsoid into a sphere of radius a; S is in the equatorial
        // plane and does not move.
        let stretched = [d[0], d[1], d[2] / (1.0 - FLATTENING)];
        let (a, b) = (dot(stretched, stretched), ORBIT_RADIUS * d[0]);
        let c = ORBIT_RADIUS * ORBIT_RADIUS - EQUATORIAL_RADIUS * EQUATORIAL_RADIUS;
        let discriminant = b * b - a * c;
        // b ≥ 0: away from the Earth. Without a real root the line of sight misses it.
        if b >= 0.0 || discriminant < 0.0 {
            return None;
        }
        let t = (-b - discriminant.sqrt()) / a;
        let [x, y, z] = [ORBIT_RADIUS + t * d[0], t * d[1], t * d[2]];
        // On the ellipsoid, tan φ = z / ((1 − e²) √(x² + y²)).
        let lat = z.atan2((1.0 - ECCENTRICITY_SQUARED) * x.hypot(y));
        Some(LonLat { lon: wrap(self.longitude + y.atan2(x)), lat })
    }

    /// The limb of the Earth in (u, v), a closed ring without its first point repeated.
    ///
    /// Lines of sight touch the ellipsoid in the polar plane of S, x = a²/R, an ellipse with the half axes a s and b s,
    /// s = √(1 − a²/R²).
    ///
    /// ```
    /// use phasefront_reflectarray::coverage::{Pointing, Satellite};
    /// let horizon = Satellite { longitude: 0.0, pointing: Pointing::Nadir }.horizon();
    /// // Along the equator, where the cut is a circle: sin α = a/R.
    /// assert!((horizon[0][0] - 6378.137 / 42164.17).abs() < 1e-15);
    /// ```
    pub fn horizon(&self) -> Vec<[f64; 2]> {
        let sine = EQUATORIAL_RADIUS / ORBIT_RADIUS;
        let s = EQUATORIAL_RADIUS * (1.0 - sine * sine).sqrt();
        let axes = self.axes();
        let point = |k: usize| {
            let (sin, cos) = (TAU * k as f64 / HORIZON_POINTS as f64).sin_cos();
            [EQUATORIAL_RADIUS * sine - ORBIT_RADIUS, s * cos, (1.0 - FLATTENING) * s * sin]
        };
        (0..HORIZON_POINTS).filter_map(|k| axes.components(point(k))).collect()
    }

    /// An error if a point is not visible.
    pub(super) fn require_visible(&self, point: LonLat) -> Result<(), CoverageError> {
        let elevation = self.elevation(point);
        if elevation >= 0.0 {
            return Ok(());
        }
        Err(CoverageError::NotVisible { point, satellite: self.longitude, elevation: elevation.to_degrees() })
    }

    /// The point with its longitude relative to the satellite.
    fn local(&self, point: LonLat) -> LonLat {
        LonLat { lon: point.lon - self.longitude, lat: point.lat }
    }

    fn axes(&self) -> Axes {
        match self.pointing {
            Pointing::Nadir => Axes { u: [0.0, 1.0, 0.0], v: [0.0, 0.0, 1.0], normal: [-1.0, 0.0, 0.0] },
            Pointing::LonLat(point) => Axes::toward(from_satellite(self.local(point))),
        }
    }
}

/// The axes of the array in Earth-fixed axes rotated to the longitude of the satellite: x from the Earth's center to the
/// satellite, y east, z north.
struct Axes {
    u: Vec3,
    v: Vec3,
    normal: Vec3,
}

impl Axes {
    fn toward(sight: Vec3) -> Self {
        let normal = scaled(sight, 1.0 / norm(sight));
        // n × N with N = (0, 0, 1).
        let [x, y, z] = normal;
        let horizontal = x.hypot(y);
        let u = [y / horizontal, -x / horizontal, 0.0];
        // û × n.
        Self { u, v: [u[1] * z, -u[0] * z, u[0] * y - u[1] * x], normal }
    }

    /// (u, v) of a vector from the satellite into the front half space of the array.
    fn components(&self, sight: Vec3) -> Option<[f64; 2]> {
        let length = norm(sight);
        (dot(sight, self.normal) > 0.0).then(|| [dot(sight, self.u) / length, dot(sight, self.v) / length])
    }
}

/// P − S for a point with its longitude relative to the satellite, m:
/// P = ν (cos φ cos λ, cos φ sin λ, (1 − e²) sin φ), ν = a / √(1 − e² sin² φ).
fn from_satellite(point: LonLat) -> Vec3 {
    let ((sin_lat, cos_lat), (sin_lon, cos_lon)) = (point.lat.sin_cos(), point.lon.sin_cos());
    let nu = EQUATORIAL_RADIUS / (1.0 - ECCENTRICITY_SQUARED * sin_lat * sin_lat).sqrt();
    [
        nu * cos_lat * cos_lon - ORBIT_RADIUS,
        nu * cos_lat * sin_lon,
        nu * (1.0 - ECCENTRICITY_SQUARED) * sin_lat,
    ]
}

fn dot(a: Vec3, b: Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn norm(a: Vec3) -> f64 {
    dot(a, a).sqrt()
}

fn scaled(a: Vec3, factor: f64) -> Vec3 {
    a.map(|x| factor * x)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nadir(longitude: f64) -> Satellite {
        Satellite::new(longitude.to_radians(), Pointing::Nadir).unwrap()
    }

    fn pointing(longitude: f64, point: LonLat) -> Satellite {
        Satellite::new(longitude.to_radians(), Pointing::LonLat(point)).unwrap()
    }

    /// The closed form of `from_satellite`, typed independently with 30 digits (mpmath): latitude, longitude, satellite, u, v, elevation.
    const REFERENCE: [[f64; 6]; 5] = [
        [40.8518, 14.2681, 5.0, 0.0206760986, 0.1102738361, 41.84875961],
        [40.7128, -74.0060, -91.0, 0.03744620621, 0.1095134287, 39.81359736],
        [0.0, 5.0, 5.0, 0.0, 0.0, 90.0],
        [-33.8688, 151.2093, 160.0, -0.02183632496, -0.09525923734, 49.53266237],
        [71.0, 25.0, 5.0, 0.01751970515, 0.1477699575, 9.256690916],
    ];

    #[test]
    fn directions_and_elevations_as_in_the_closed_form() {
        for [lat, lon, longitude, u, v, elevation] in REFERENCE {
            let (satellite, point) = (nadir(longitude), LonLat::from_degrees(lon, lat));
            let found = satellite.direction(point).unwrap();
            assert!((found[0] - u).abs() < 1e-10 && (found[1] - v).abs() < 1e-10, "{point}: {found:?}");
            // Rounding of sin ε near the zenith costs half the digits.
            assert!((satellite.elevation(point).to_degrees() - elevation).abs() < 2e-6, "{point}");
            // A full turn more is the same point.
            let again = satellite.direction(LonLat::from_degrees(lon + 360.0, lat)).unwrap();
            assert!((found[0] - again[0]).abs() < 1e-15 && (found[1] - again[1]).abs() < 1e-15);
        }
    }

    #[test]
    fn the_horizon_is_where_the_elevation_is_zero() {
        let satellite = pointing(5.0, LonLat::from_degrees(20.0, 50.0));
        assert_eq!(satellite.horizon().len(), HORIZON_POINTS);
        for [u, v] in satellite.horizon() {
            // The line of sight only touches: a hair inward, it meets the Earth; a hair outward, it does not.
            let middle = satellite.direction(LonLat::from_degrees(5.0, 0.0)).unwrap();
            let at = |s: f64| [middle[0] + s * (u - middle[0]), middle[1] + s * (v - middle[1])];
            assert!(satellite.elevation(satellite.ground(at(1.0 - 1e-6)).unwrap()).to_degrees() < 0.2);
            assert_eq!(satellite.ground(at(1.0 + 1e-6)), None);
        }
        // At 5 E, 81.3 degrees north is the last visible latitude: the closed form above changes sign between these two.
        assert!(nadir(5.0).direction(LonLat::from_degrees(5.0, 81.2)).is_some());
        assert_eq!(nadir(5.0).direction(LonLat::from_degrees(5.0, 81.5)), None);
        assert!(
            (nadir(5.0).elevation(LonLat::from_degrees(5.0, 81.5)).to_degrees() + 0.1717148289).abs() < 1e-8
        );
    }

    #[test]
    fn directions_lead_back_to_their_positions() {
        for satellite in [nadir(-91.0), pointing(-91.0, LonLat::from_degrees(-80.0, 45.0)), nadir(179.0)] {
            for lat in [-70.0, -30.0, 0.0, 12.5, 65.0] {
                for east in [-40.0, -1.0, 0.0, 33.0] {
                    let point = LonLat {
                        lon: satellite.longitude + f64::to_radians(east),
                        lat: f64::to_radians(lat),
                    };
                    let back = satellite.ground(satellite.direction(point).unwrap()).unwrap();
                    assert!(
                        wrap(back.lon - point.lon).abs() < 1e-9 && (back.lat - point.lat).abs() < 1e-9,
                        "{point}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_turned_array_has_orthonormal_axes_and_sees_its_target_straight_ahead() {
        let target = LonLat::from_degrees(14.2681, 40.8518);
        let satellite = pointing(5.0, target);
        let [u, v] = satellite.direction(target).unwrap();
        assert!(u.abs() < 1e-15 && v.abs() < 1e-15);
        let axes = satellite.axes();
        for (a, b, product) in [
            (axes.u, axes.v, 0.0),
            (axes.u, axes.normal, 0.0),
            (axes.v, axes.normal, 0.0),
            (axes.u, axes.u, 1.0),
            (axes.v, axes.v, 1.0),
            // û lies in the equatorial plane.
            (axes.u, [0.0, 0.0, 1.0], 0.0),
        ] {
            assert!((dot(a, b) - product).abs() < 1e-15);
        }
        // A point to the east has a larger u, one to the north a larger v.
        assert!(satellite.direction(LonLat::from_degrees(20.0, 40.8518)).unwrap()[0] > 0.01);
        assert!(satellite.direction(LonLat::from_degrees(14.2681, 50.0)).unwrap()[1] > 0.01);
        // Turning moves all directions alike: the angle between two positions stays what it is from nadir.
        let angle = |s: Satellite| {
            let [p, q] = [(10.0, 60.0), (-5.0, 35.0)].map(|(lon, lat)| {
                let [u, v] = s.direction(LonLat::from_degrees(lon, lat)).unwrap();
                [u, v, (1.0 - u * u - v * v).sqrt()]
            });
            dot(p, q)
        };
        assert!((angle(satellite) - angle(nadir(5.0))).abs() < 1e-15);
    }

    #[test]
    fn pointing_to_the_point_below_is_pointing_to_nadir() {
        let turned = pointing(5.0, LonLat::from_degrees(5.0, 0.0));
        for (lon, lat) in [(14.0, 40.0), (-20.0, -10.0)] {
            let point = LonLat::from_degrees(lon, lat);
            let (a, b) = (turned.direction(point).unwrap(), nadir(5.0).direction(point).unwrap());
            assert!((a[0] - b[0]).abs() < 1e-15 && (a[1] - b[1]).abs() < 1e-15);
        }
    }

    #[test]
    fn pointings_that_cannot_be_are_refused() {
        let error = Satellite::new(0.0, Pointing::LonLat(LonLat::from_degrees(-170.0, 10.0))).unwrap_err();
        assert_eq!(
            error.to_string(),
            "10.00 N 170.00 W is not visible from a satellite at 0.00 E: the satellite is 77.7 degrees below the horizon there"
        );
        let error = Satellite::new(0.0, Pointing::LonLat(LonLat::from_degrees(0.0, 95.0))).unwrap_err();
        assert_eq!(error.to_string(), "longitude 0, latitude 95 degrees is not a point on the Earth");
        assert!(Satellite::new(f64::NAN, Pointing::Nadir).is_err());
    }
}
