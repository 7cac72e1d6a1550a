//! What can be wrong with a coverage, and what to do about it.

use super::lon_lat::{LonLat, east_or_west};
use super::region_names::built_in_names;
use phasefront_core::words::{list, nearest};
use std::fmt;

/// Why there is no coverage. [`CoverageError::advice`] says what to do. The name of the file is the caller's to add.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CoverageError {
    /// The text is not JSON.
    #[error("not JSON: {0}")]
    NotJson(String),
    /// It is JSON, but not as GeoJSON has it.
    #[error("{place}: {problem}")]
    NotGeoJson {
        /// Path of the value, from the root.
        place: String,
        /// What is wrong.
        problem: String,
        /// What to do.
        advice: String,
    },
    /// Nothing in it has an inside.
    #[error("there is no polygon in it: {found}")]
    NoPolygon {
        /// What there is instead.
        found: String,
    },
    /// A polygon is not a good one.
    #[error("{place}: {error}")]
    Outline {
        /// Path of its coordinates, and its name if it has one.
        place: String,
        /// What is wrong.
        error: OutlineError,
    },
    /// No built-in region has this name.
    #[error("there is no built-in region {0:?}")]
    UnknownRegion(String),
    /// A place cannot be seen.
    #[error(
        "{place} is not visible from a satellite at {}: it lies {:.1} degrees below the horizon",
        east_or_west(*satellite),
        -elevation
    )]
    NotVisible {
        /// The place, of all the worst.
        place: LonLat,
        /// Longitude of the satellite, rad.
        satellite: f64,
        /// Elevation there, below zero, degrees.
        elevation: f64,
    },
    /// A position that is not on the Earth.
    #[error("there is no place at longitude {lon}, latitude {lat} degrees")]
    NoSuchPlace {
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
            Self::NotJson(_) => "give a GeoJSON file; geojson.io draws and exports them".into(),
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
                "move the satellite, or keep to places that it sees: at most 81 degrees from the point below it".into()
            }
            Self::NoSuchPlace { .. } => "latitudes run from -90 to 90 degrees".into(),
        }
    }
}

/// What is wrong with a polygon in longitude and latitude. Rings count from 0, the outline; coordinates are
/// `[longitude, latitude]`, degrees, as they were given.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum OutlineError {
    /// It has no ring at all.
    #[error("the polygon is empty")]
    Empty,
    /// It has no inside.
    #[error("{} has {points} different points", Ring(*ring))]
    TooFewPoints {
        /// Which ring.
        ring: usize,
        /// How many.
        points: usize,
    },
    /// A coordinate is beyond 90 degrees north or south, or not a number.
    #[error("point {point:?} of {} is not on the Earth", Ring(*ring))]
    NotOnEarth {
        /// Which ring.
        ring: usize,
        /// The point.
        point: [f64; 2],
    },
    /// A ring comes back to its start with a turn around the Earth's axis.
    #[error("{} goes around a pole", Ring(*ring))]
    AroundPole {
        /// Which ring.
        ring: usize,
    },
    /// Two edges meet where they must not.
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
            Self::Empty | Self::TooFewPoints { .. } => "an outline needs at least three different points",
            Self::NotOnEarth { .. } => {
                "write [longitude, latitude] in degrees, the longitude first; latitudes run from -90 to 90"
            }
            Self::AroundPole { .. } => {
                "no geostationary satellite sees a pole: draw the outline on one side of it"
            }
            Self::Crossing { .. } => {
                "put the points in the order in which they follow each other along the outline, or split it into several polygons"
            }
        }
    }
}

/// A ring by name.
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
