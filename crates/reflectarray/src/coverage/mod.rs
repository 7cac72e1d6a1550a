//! Coverage on the Earth: regions in longitude and latitude, and their projection to (u, v) of a geostationary satellite.
//!
//! [`read_geojson`] and [`built_in`] give [`Area`]s in longitude and latitude; [`Area::project`] converts them to the
//! polygons of a [`Region`](crate::Region) in (u, v). [`coast_lines`], [`graticule`] and [`Satellite::horizon`] are background lines for
//! maps. [`Satellite`] defines the axes u and v and the orientation of maps.
//!
//! ```
//! use phasefront_reflectarray::{Region, coverage::{Pointing, Satellite, built_in}};
//! let satellite = Satellite::new((-91f64).to_radians(), Pointing::Nadir)?;
//! let polygons = built_in("conus")?.project(&satellite)?;
//! // New York.
//! assert!(polygons[0].distance([0.037446, 0.109513]) < 2e-3);
//! let region = Region { name: "ConUS".into(), polygons, lower: Some(28.0), upper: None };
//! # Ok::<(), phasefront_reflectarray::coverage::CoverageError>(())
//! ```

mod coast;
mod earth;
mod error;
mod geojson;
mod lon_lat;
mod outline;
mod polygon;
mod region_names;
mod regions;

pub use coast::{coast_lines, graticule};
pub use earth::{Pointing, Satellite};
pub use error::{CoverageError, OutlineError};
pub use geojson::read_geojson;
pub use lon_lat::LonLat;
pub use outline::{Area, GeoPolygon};
pub use polygon::Edge;
pub use region_names::built_in_names;
pub use regions::built_in;
