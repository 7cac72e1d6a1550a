//! Lines for maps: coast lines, meridians and parallels, clipped at the horizon of a satellite.

use super::earth::Satellite;
use super::lon_lat::LonLat;
use super::outline::refined;
use std::sync::LazyLock;

/// One line of the coast per line: hundredths of a degree, first a point, then differences. Made by `data/geography.py`.
static COAST: LazyLock<Vec<Vec<LonLat>>> =
    LazyLock::new(|| include_str!("../../data/coast.txt").lines().map(coast_line).collect());

/// Spacing of the graticule, degrees.
const GRATICULE_STEP: usize = 10;

/// Bisections that find the point of an edge on the horizon: from a degree down to a centimeter.
const BISECTIONS: usize = 24;

/// The coast lines of the world in (u, v), clipped at the horizon.
///
/// Natural Earth 1:50m, thinned to 0.1 degrees.
///
/// ```
/// use phasefront_reflectarray::coverage::{Pointing, Satellite, coast_lines};
/// let lines = coast_lines(&Satellite::new(5f64.to_radians(), Pointing::Nadir)?);
/// // No line of sight to the Earth leaves the cone sin α = a/R.
/// assert!(lines.iter().flatten().all(|[u, v]| u.hypot(*v) <= 6378.137 / 42164.17));
/// # Ok::<(), phasefront_reflectarray::coverage::CoverageError>(())
/// ```
pub fn coast_lines(satellite: &Satellite) -> Vec<Vec<[f64; 2]>> {
    COAST.iter().flat_map(|line| visible(line, satellite)).collect()
}

/// Meridians and parallels every ten degrees in (u, v), clipped at the horizon.
///
/// ```
/// use phasefront_reflectarray::coverage::{Pointing, Satellite, graticule};
/// let lines = graticule(&Satellite::new(0.0, Pointing::Nadir)?);
/// // 17 parallels and 17 meridians come within 81.3 degrees of the point below the satellite.
/// assert_eq!(lines.len(), 34);
/// # Ok::<(), phasefront_reflectarray::coverage::CoverageError>(())
/// ```
pub fn graticule(satellite: &Satellite) -> Vec<Vec<[f64; 2]>> {
    let lons = (-180..180).step_by(GRATICULE_STEP).map(f64::from);
    let lats = (-80..=80).step_by(GRATICULE_STEP).map(f64::from);
    let meridians = lons.map(|lon| [LonLat::from_degrees(lon, -90.0), LonLat::from_degrees(lon, 90.0)]);
    // From the meridian opposite to the satellite, where no parallel is visible, so that none is split.
    let west = satellite.longitude.to_degrees() - 180.0;
    let parallels =
        lats.map(|lat| [LonLat::from_degrees(west, lat), LonLat::from_degrees(west + 360.0, lat)]);
    meridians.chain(parallels).flat_map(|line| visible(&line, satellite)).collect()
}

fn coast_line(text: &str) -> Vec<LonLat> {
    let mut numbers = text.split_whitespace().map(|word| word.parse::<i32>().expect("the file is our own"));
    let (mut lon, mut lat) = (0, 0);
    let mut points = Vec::new();
    while let (Some(east), Some(north)) = (numbers.next(), numbers.next()) {
        lon += east;
        lat += north;
        points.push(LonLat::from_degrees(f64::from(lon) / 100.0, f64::from(lat) / 100.0));
    }
    points
}

/// The visible parts of a line, clipped at the horizon.
fn visible(line: &[LonLat], satellite: &Satellite) -> Vec<Vec<[f64; 2]>> {
    let mut pieces = Vec::new();
    let mut piece = Vec::new();
    let mut last: Option<LonLat> = None;
    for point in refined(line) {
        // Visibility is tested at points; edges are refined to one degree.
        let (before, now) = (last.and_then(|p| satellite.direction(p)), satellite.direction(point));
        // Visibility changes along this edge: the piece ends or begins on the horizon.
        if let Some(last) = last.filter(|_| before.is_some() != now.is_some()) {
            let (visible, hidden) = if before.is_some() { (last, point) } else { (point, last) };
            piece.extend(satellite.direction(horizon_between(visible, hidden, satellite)));
        }
        match now {
            Some(point) => piece.push(point),
            None if piece.is_empty() => {}
            None => pieces.push(std::mem::take(&mut piece)),
        }
        last = Some(point);
    }
    pieces.push(piece);
    pieces.retain(|piece| piece.len() > 1);
    pieces
}

/// The point on the horizon between a visible and a hidden point, by bisection.
fn horizon_between(mut visible: LonLat, mut hidden: LonLat, satellite: &Satellite) -> LonLat {
    for _ in 0..BISECTIONS {
        let middle = LonLat { lon: 0.5 * (visible.lon + hidden.lon), lat: 0.5 * (visible.lat + hidden.lat) };
        *(if satellite.direction(middle).is_some() { &mut visible } else { &mut hidden }) = middle;
    }
    visible
}
