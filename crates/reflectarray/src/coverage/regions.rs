//! Built-in regions.

use super::error::CoverageError;
use super::geojson::read_geojson;
use super::outline::Area;

/// Made from Natural Earth by `data/geography.py`, which has the definitions.
const REGIONS: &str = include_str!("../../data/regions.geojson");

/// A built-in region by its name, in upper or lower case.
///
/// ```
/// use phasefront_reflectarray::coverage::{Pointing, Satellite, built_in};
/// let europe = built_in("europe")?;
/// let outlines = europe.project(&Satellite::new(5f64.to_radians(), Pointing::Nadir)?)?;
/// // Naples.
/// assert!(outlines[0].contains([0.020676, 0.110274]));
/// let error = built_in("Europa").unwrap_err();
/// assert_eq!(
///     error.advice(),
///     "did you mean \"europe\"? there are \"europe\", \"europe-land\", \"conus\" and \"canada\""
/// );
/// # Ok::<(), phasefront_reflectarray::coverage::CoverageError>(())
/// ```
pub fn built_in(name: &str) -> Result<Area, CoverageError> {
    let key = name.to_lowercase();
    let areas = read_geojson(REGIONS)?;
    let found = areas.into_iter().find(|area| area.name.as_deref() == Some(&key));
    found.ok_or_else(|| CoverageError::UnknownRegion(name.to_owned()))
}
