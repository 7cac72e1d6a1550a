//! Polygons in longitude and latitude.

use super::earth::Satellite;
use super::error::{CoverageError, OutlineError};
use super::lon_lat::LonLat;
use super::polygon::crossing;
use crate::problem::UvPolygon;

/// Longest step along an edge, degrees of longitude or latitude. A bent edge then leaves its chord by at most
/// (1°)²/8 = 4e-5 Earth radii, 7e-6 in u and v.
const MAX_STEP: f64 = 1.0;

/// A valid polygon on the Earth: an outline and its holes, without crossing edges.
///
/// An edge is a straight line in longitude and latitude (RFC 7946, 3.1.1), so that one from `[-120, 49]` to `[-100, 49]` follows
/// the parallel. Of the two arcs around the Earth it takes the shorter one: an outline may cross the 180th meridian, written
/// as 170, 190 or as 170, -170.
///
/// ```
/// use phasefront_reflectarray::coverage::GeoPolygon;
/// let polygon = GeoPolygon::from_degrees(&[vec![[0.0, 40.0], [10.0, 40.0], [10.0, 50.0]]])?;
/// assert_eq!(polygon.rings()[0].len(), 3);
/// let bow_tie = GeoPolygon::from_degrees(&[vec![[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 2.0]]]);
/// assert_eq!(
///     bow_tie.unwrap_err().to_string(),
///     "the outline crosses itself: the edge from [0.0, 0.0] to [2.0, 2.0] meets the edge from [2.0, 0.0] to [0.0, 2.0]"
/// );
/// # Ok::<(), phasefront_reflectarray::coverage::OutlineError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct GeoPolygon {
    rings: Vec<Vec<LonLat>>,
}

impl GeoPolygon {
    /// A polygon of rings of `[longitude, latitude]` in degrees, the outline first. A ring may repeat its first point at its end.
    pub fn from_degrees(rings: &[Vec<[f64; 2]>]) -> Result<Self, OutlineError> {
        let given =
            rings.iter().enumerate().map(|(i, ring)| distinct(i, ring)).collect::<Result<Vec<_>, _>>()?;
        // All rings are continued from the first point of
        // the outline, so that holes are on the same turn.
        let start = given.first().ok_or(OutlineError::Empty)?[0][0];
        let continuous = given
            .iter()
            .enumerate()
            .map(|(i, ring)| {
                with_continuous_longitudes(ring, start).ok_or(OutlineError::AroundPole { ring: i })
            })
            .collect::<Result<Vec<_>, _>>()?;
        if let Some([first, second]) = crossing(&continuous) {
            // As given, so that the points can be found in the file.
            let [first_ends, second_ends] = [first, second].map(|edge| {
                let ring = &given[edge.ring];
                [ring[edge.index], ring[(edge.index + 1) % ring.len()]]
            });
            let rings = [first.ring, second.ring];
            return Err(OutlineError::Crossing { rings, first: first_ends, second: second_ends });
        }
        let radians =
            |ring: &Vec<[f64; 2]>| ring.iter().map(|&[lon, lat]| LonLat::from_degrees(lon, lat)).collect();
        Ok(Self { rings: continuous.iter().map(radians).collect() })
    }

    /// The outline, then the holes; not closed by repeating the first point, and with longitudes that do not jump.
    pub fn rings(&self) -> &[Vec<LonLat>] {
        &self.rings
    }
}

/// A named area on the Earth.
#[derive(Debug, Clone, PartialEq)]
pub struct Area {
    /// Name, if the file has one.
    pub name: Option<String>,
    /// Polygons.
    pub polygons: Vec<GeoPolygon>,
}

impl Area {
    /// Projects the polygons to (u, v). Edges are subdivided to follow their curvature; if a point on them is not visible, the error has
    /// the point with the lowest elevation.
    ///
    /// ```
    /// use phasefront_reflectarray::coverage::{Area, GeoPolygon, Pointing, Satellite};
    /// let polygon = GeoPolygon::from_degrees(&[vec![[0.0, 40.0], [10.0, 40.0], [10.0, 50.0]]]).unwrap();
    /// let area = Area { name: None, polygons: vec![polygon] };
    /// let satellite = Satellite::new(5f64.to_radians(), Pointing::Nadir)?;
    /// assert_eq!(area.project(&satellite)?[0].rings[0].len(), 30);
    /// # Ok::<(), phasefront_reflectarray::coverage::CoverageError>(())
    /// ```
    pub fn project(&self, satellite: &Satellite) -> Result<Vec<UvPolygon>, CoverageError> {
        let refine = |polygon: &GeoPolygon| polygon.rings.iter().map(|ring| closed_line(ring)).collect();
        let polygons: Vec<Vec<Vec<LonLat>>> = self.polygons.iter().map(refine).collect();
        // The lowest point tells best how far an outline reaches beyond the horizon.
        let by_elevation =
            |a: &&LonLat, b: &&LonLat| satellite.elevation(**a).total_cmp(&satellite.elevation(**b));
        if let Some(&worst) = polygons.iter().flatten().flatten().min_by(by_elevation) {
            satellite.require_visible(worst)?;
        }
        let seen = |ring: &Vec<LonLat>| ring.iter().filter_map(|&point| satellite.direction(point)).collect();
        Ok(polygons.iter().map(|rings| UvPolygon { rings: rings.iter().map(seen).collect() }).collect())
    }
}

/// A line with points added so that no step is longer than [`MAX_STEP`].
pub(super) fn refined(line: &[LonLat]) -> Vec<LonLat> {
    let mut points: Vec<LonLat> = line.first().copied().into_iter().collect();
    for pair in line.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        let longest = (b.lon - a.lon).abs().max((b.lat - a.lat).abs()).to_degrees();
        // A step that is one degree but for rounding stays whole.
        let steps = (longest / MAX_STEP - 1e-9).ceil().max(1.0);
        points.extend((1..=steps as usize).map(|k| {
            // Weights that give b itself at the end, to the last digit.
            let t = k as f64 / steps;
            LonLat { lon: (1.0 - t) * a.lon + t * b.lon, lat: (1.0 - t) * a.lat + t * b.lat }
        }));
    }
    points
}

/// A ring refined, its closing edge too.
fn closed_line(ring: &[LonLat]) -> Vec<LonLat> {
    let mut line = ring.to_vec();
    line.extend(ring.first());
    let mut points = refined(&line);
    // The closing edge ends at the first point again.
    points.pop();
    points
}

/// The points of a ring without consecutive duplicates; an error if one is not on the Earth.
fn distinct(ring: usize, points: &[[f64; 2]]) -> Result<Vec<[f64; 2]>, OutlineError> {
    if let Some(&point) = points.iter().find(|[lon, lat]| !(lon.is_finite() && lat.abs() <= 90.0)) {
        return Err(OutlineError::NotOnEarth { ring, point });
    }
    let mut unique = points.to_vec();
    unique.dedup_by(|a, b| same_point(*a, *b));
    while unique.len() > 1 && same_point(unique[0], unique[unique.len() - 1]) {
        unique.pop();
    }
    if unique.len() < 3 {
        return Err(OutlineError::TooFewPoints { ring, points: unique.len() });
    }
    Ok(unique)
}

fn same_point(a: [f64; 2], b: [f64; 2]) -> bool {
    a[1] == b[1] && nearest_turn(a[0], b[0]) == b[0]
}

/// `lon` plus the multiple of 360 degrees that brings it nearest to `to`.
fn nearest_turn(lon: f64, to: f64) -> f64 {
    lon + 360.0 * ((to - lon) / 360.0).round()
}

/// A ring with continuous longitudes, or `None` if it does not close because it encloses a pole.
fn with_continuous_longitudes(ring: &[[f64; 2]], start: f64) -> Option<Vec<[f64; 2]>> {
    let mut last = start;
    let mut points = Vec::with_capacity(ring.len());
    for &[lon, lat] in ring {
        last = nearest_turn(lon, last);
        points.push([last, lat]);
    }
    let first = points[0][0];
    // Around a pole the longitudes add up to a full turn.
    (nearest_turn(first, last) == first).then_some(points)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::Pointing;

    fn rectangle(west: f64, south: f64, east: f64, north: f64) -> Vec<[f64; 2]> {
        vec![[west, south], [east, south], [east, north], [west, north], [west, south]]
    }

    fn project(polygon: &GeoPolygon, satellite: &Satellite) -> Result<UvPolygon, CoverageError> {
        let area = Area { name: None, polygons: vec![polygon.clone()] };
        Ok(area.project(satellite)?.remove(0))
    }

    fn satellite(longitude: f64) -> Satellite {
        Satellite::new(f64::to_radians(longitude), Pointing::Nadir).unwrap()
    }

    #[test]
    fn the_antimeridian_is_no_edge() {
        let beyond = GeoPolygon::from_degrees(&[rectangle(170.0, -10.0, 190.0, 10.0)]).unwrap();
        let jumping = GeoPolygon::from_degrees(&[rectangle(170.0, -10.0, -170.0, 10.0)]).unwrap();
        assert_eq!(beyond, jumping);
        let seen = project(&beyond, &satellite(-175.0)).unwrap();
        assert!(seen.contains([0.0, 0.0]));
        let elsewhere = GeoPolygon::from_degrees(&[rectangle(-190.0, -10.0, -170.0, 10.0)]).unwrap();
        let (a, b) = (seen.area(), project(&elsewhere, &satellite(-175.0)).unwrap().area());
        assert!((a / b - 1.0).abs() < 1e-12);
        // A hole on the other side of the cut is a hole still.
        let hole = rectangle(-179.0, -1.0, -178.0, 1.0);
        let holed = GeoPolygon::from_degrees(&[rectangle(170.0, -10.0, 190.0, 10.0), hole]).unwrap();
        assert!(!project(&holed, &satellite(-178.5)).unwrap().contains([0.0, 0.0]));
    }

    #[test]
    fn edges_follow_parallels() {
        let polygon = GeoPolygon::from_degrees(&[rectangle(-30.0, 30.0, 30.0, 49.0)]).unwrap();
        let seen = project(&polygon, &satellite(0.0)).unwrap();
        // The northern edge at 49 N bulges away from its chord: just south of it at 0 E is inside.
        let below = satellite(0.0).direction(LonLat::from_degrees(0.0, 48.99)).unwrap();
        let above = satellite(0.0).direction(LonLat::from_degrees(0.0, 49.01)).unwrap();
        assert!(seen.contains(below) && !seen.contains(above));
    }

    #[test]
    fn the_worst_point_is_named() {
        let polygon = GeoPolygon::from_degrees(&[rectangle(0.0, 40.0, 100.0, 50.0)]).unwrap();
        let error = project(&polygon, &satellite(5.0)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "40.00 N 100.00 E is not visible from a satellite at 5.00 E: the satellite is 12.3 degrees below the horizon there"
        );
        assert_eq!(
            error.advice(),
            "move the satellite, or restrict the coverage to its field of view: at most 81 degrees from the subsatellite point"
        );
    }

    #[test]
    fn outlines_that_are_none_are_refused() {
        for (rings, message) in [
            (vec![], "the polygon is empty"),
            (vec![vec![]], "the outline has 0 distinct points"),
            (vec![vec![[1.0, 2.0], [3.0, 4.0], [361.0, 2.0]]], "the outline has 2 distinct points"),
            (
                vec![rectangle(0.0, 0.0, 5.0, 5.0), vec![[1.0, 1.0], [2.0, 95.0], [1.0, 2.0]]],
                "point [2.0, 95.0] of hole 1 is not on the Earth",
            ),
            (vec![vec![[f64::NAN, 0.0]]], "point [NaN, 0.0] of the outline is not on the Earth"),
            (vec![vec![[0.0, 70.0], [120.0, 70.0], [-120.0, 70.0]]], "the outline encloses a pole"),
            (
                vec![rectangle(0.0, 0.0, 5.0, 5.0), rectangle(-1.0, 1.0, 1.0, 2.0)],
                "the outline crosses hole 1: the edge from [0.0, 5.0] to [0.0, 0.0] meets the edge from [-1.0, 1.0] to [1.0, 1.0]",
            ),
            (
                vec![vec![[179.0, 0.0], [-179.0, 2.0], [-179.0, 0.0], [179.0, 2.0]]],
                "the outline crosses itself: the edge from [179.0, 0.0] to [-179.0, 2.0] meets the edge from [-179.0, 0.0] to [179.0, 2.0]",
            ),
        ] {
            assert_eq!(GeoPolygon::from_degrees(&rings).unwrap_err().to_string(), message);
        }
    }
}
