//! Errors of a coverage.

use super::lon_lat::{LonLat, east_or_west};
use super::region_names::built_in_names;
use phasefront_core::text::{list, nearest};
use std::fmt;

/// An error of a coverage. The caller adds the name of the file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CoverageError {
    /// The text is not JSON.
    #[error("not JSON: {0}")]
    NotJson(String),
    /// The JSON is not valid GeoJSON.
    #[error("{path}: {problem}")]
    NotGeoJson {
        /// Path of the value, from the root.
        path: String,
        /// What is wrong.
        problem: String,
        /// What to do.
        advice: String,
    },
    /// It contains no polygon.
    #[error("it contains no polygon: {found}")]
    NoPolygon {
        /// The content instead.
        found: String,
    },
    /// A polygon is invalid.
    #[error("{path}: {error}")]
    Outline {
        /// Path of its coordinates, and its name if it has one.
        path: String,
        /// What is wrong.
        error: OutlineError,
    },
    /// No built-in region has this name.
    #[error("there is no built-in region {0:?}")]
    UnknownRegion(String),
    /// A point is not visible.
    #[error(
        "{point} is not visible from a satellite at {}: the satellite is {:.1} degrees below the horizon there",
        east_or_west(*satellite),
        -elevation
    )]
    NotVisible {
        /// The point with the lowest elevation.
        point: LonLat,
        /// Longitude of the satellite, rad.
        satellite: f64,
        /// Elevation of the satellite there, negative, degrees.
        elevation: f64,
    },
    /// Coordinates that are not on the Earth.
    #[error("longitude {lon}, latitude {lat} degrees is not a point on the Earth")]
    NotOnEarth {
        /// Degrees.
        lon: f64,
        /// Degrees.
        lat: f64,
    },
}

impl CoverageError {
    /// What to do about it.
    pub fn advice(&self) -> String {
        match self {
            Self::NotJson(_) => "provide a GeoJSON file; geojson.io draws and exports them".into(),
            Self::NotGeoJson { advice, .. } => advice.clone(),
            Self::NoPolygon { .. } => "draw the coverage as a Polygon or a MultiPolygon".into(),
            Self::Outline { error, .. } => error.advice().into(),
            Self::UnknownRegion(name) => {
                let names = list(&built_in_names(), "\"", "and");
                match nearest(name, built_in_names()) {
                    Some(meant) => format!("did you mean \"{meant}\"? there are {names}"),
                    None => format!("there are {names}; draw others in a GeoJSON file"),
                }
            }
            Self::NotVisible { .. } => {
                "move the satellite, or restrict the coverage to its field of view: at most 81 degrees from the subsatellite point".into()
            }
            Self::NotOnEarth { .. } => "latitudes run from -90 to 90 degrees".into(),
        }
    }
}

/// An error of a polygon in longitude and latitude. Ring 0 is the outline, the others are holes; coordinates are
/// `[longitude, latitude]` in degrees, as given.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum OutlineError {
    /// It has no ring.
    #[error("the polygon is empty")]
    Empty,
    /// A ring encloses no area.
    #[error("{} has {points} distinct points", Ring(*ring))]
    TooFewPoints {
        /// Index of the ring.
        ring: usize,
        /// Number of distinct points.
        points: usize,
    },
    /// A latitude beyond ±90 degrees, or a coordinate that is not finite.
    #[error("point {point:?} of {} is not on the Earth", Ring(*ring))]
    NotOnEarth {
        /// Index of the ring.
        ring: usize,
        /// The point.
        point: [f64; 2],
    },
    /// A ring encloses a pole.
    #[error("{} encloses a pole", Ring(*ring))]
    AroundPole {
        /// Index of the ring.
        ring: usize,
    },
    /// Two edges cross.
    #[error(
        "{}: the edge from {:?} to {:?} meets the edge from {:?} to {:?}",
        crossing(*rings), first[0], first[1], second[0], second[1]
    )]
    Crossing {
        /// The rings that the edges belong to.
        rings: [usize; 2],
        /// Ends of one edge.
        first: [[f64; 2]; 2],
        /// Ends of the other.
        second: [[f64; 2]; 2],
    },
}

impl OutlineError {
    /// What to do about it.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::Empty | Self::TooFewPoints { .. } => "an outline needs at least three distinct points",
            Self::NotOnEarth { .. } => {
                "write [longitude, latitude] in degrees, the longitude first; latitudes run from -90 to 90"
            }
            Self::AroundPole { .. } => {
                "poles are not visible from the geostationary orbit: draw the outline on one side of the pole"
            }
            Self::Crossing { .. } => "order the points along the outline, or split it into several polygons",
        }
    }
}

/// A ring as named in messages.
struct Ring(usize);

impl fmt::Display for Ring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => write!(f, "the outline"),
            hole => write!(f, "hole {hole}"),
        }
    }
}

fn crossing([first, second]: [usize; 2]) -> String {
    if first == second {
        format!("{} crosses itself", Ring(first))
    } else {
        format!("{} crosses {}", Ring(first), Ring(second))
    }
}
