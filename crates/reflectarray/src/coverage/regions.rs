//! Outlines of regions that are often asked for.

use super::{Area, CoverageError, read_geojson};

/// Made from Natural Earth by `data/geography.py`, which has the definitions.
const REGIONS: &str = include_str!("../../data/regions.geojson");

/// Names of the built-in regions.
///
/// - `europe`: one outline around Europe between 11 W and 32 E, about 40 km outside of the land; seas and bays narrower than
///   500 km are filled. In it are the British Isles, Scandinavia, the Mediterranean islands down to Crete and Malta, and the
///   western parts of Belarus and Ukraine. Not in it are Iceland, the Azores, Madeira, the Canaries, the Faroes, Svalbard and
///   Cyprus, nor Russia and Turkey but for what lies close to the others' land (Kaliningrad, Thrace). From 5 E, all of it sees
///   the satellite above 5 degrees.
/// - `europe-land`: the land of the same countries, with islands of more than 3000 km².
/// - `conus`: the 48 contiguous states of the USA; the border runs through the Great Lakes.
/// - `canada`: Canada below 60 N with Newfoundland and Vancouver Island, without Hudson Bay.
///
/// Outlines are thinned: `europe` by 0.25 degrees, the others by 0.05, so that a place on a coast or a border may fall a few
/// kilometers to the wrong side.
pub fn built_in_names() -> [&'static str; 4] {
    ["europe", "europe-land", "conus", "canada"]
}

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
    let wanted = name.to_lowercase();
    let areas = read_geojson(REGIONS)?;
    let found = areas.into_iter().find(|area| area.name.as_deref() == Some(&wanted));
    found.ok_or_else(|| CoverageError::UnknownRegion(name.to_owned()))
}
