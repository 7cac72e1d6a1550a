//! Polygons in the plane: containment, area, distance from the boundary, and crossing edges.

use crate::problem::UvPolygon;

type Point = [f64; 2];

impl UvPolygon {
    /// Whether a point is inside by the even-odd rule over all rings.
    ///
    /// ```
    /// use phasefront_reflectarray::UvPolygon;
    /// let outline = vec![[0.0, 0.0], [3.0, 0.0], [3.0, 3.0], [0.0, 3.0]];
    /// let hole = vec![[1.0, 1.0], [2.0, 1.0], [2.0, 2.0], [1.0, 2.0]];
    /// let frame = UvPolygon { rings: vec![outline, hole] };
    /// assert!(frame.contains([0.5, 0.5]) && !frame.contains([1.5, 1.5]) && !frame.contains([4.0, 0.5]));
    /// ```
    pub fn contains(&self, p: Point) -> bool {
        let meets = |[a, b]: &[Point; 2]| {
            // Half-open along v: an edge end on the ray counts for one of its two edges only.
            let spans = (a[1] > p[1]) != (b[1] > p[1]);
            spans && p[0] < a[0] + (p[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
        };
        edges(&self.rings).filter(meets).count() % 2 == 1
    }

    /// Area of the outline less that of the holes.
    pub fn area(&self) -> f64 {
        // The shoelace formula: half the sum of x_i y_{i+1} − x_{i+1} y_i.
        let ring_area = |ring: &Vec<Point>| {
            0.5 * ring_edges(ring).map(|[a, b]| a[0] * b[1] - b[0] * a[1]).sum::<f64>().abs()
        };
        let mut areas = self.rings.iter().map(ring_area);
        areas.next().unwrap_or(0.0) - areas.sum::<f64>()
    }

    /// Smallest and largest u, then v; `None` if there are no points.
    pub fn bounding_box(&self) -> Option<[[f64; 2]; 2]> {
        let points = || self.rings.iter().flatten();
        points().next()?;
        Some([0, 1].map(|axis| {
            points().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], p| {
                [low.min(p[axis]), high.max(p[axis])]
            })
        }))
    }

    /// Distance of a point from the nearest edge, inside or outside; infinite if there are no edges.
    pub fn distance(&self, p: Point) -> f64 {
        edges(&self.rings).map(|edge| distance_to_edge(edge, p)).fold(f64::INFINITY, f64::min)
    }

    /// The first two crossing edges found; see [`Edge`].
    ///
    /// Edges of one ring may share ends, those of different rings may also touch. Everything else is a crossing.
    ///
    /// ```
    /// use phasefront_reflectarray::{UvPolygon, coverage::Edge};
    /// let bow_tie = UvPolygon { rings: vec![vec![[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]] };
    /// assert_eq!(bow_tie.crossing(), Some([Edge { ring: 0, index: 0 }, Edge { ring: 0, index: 2 }]));
    /// ```
    pub fn crossing(&self) -> Option<[Edge; 2]> {
        crossing(&self.rings)
    }
}

/// An edge of a polygon: from point `index` of a ring to the next, the last to the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// Index of the ring; 0 is the outline.
    pub ring: usize,
    /// Index of its first point.
    pub index: usize,
}

/// The edges of one ring.
fn ring_edges(ring: &[Point]) -> impl Iterator<Item = [Point; 2]> + '_ {
    (0..ring.len()).map(|i| [ring[i], ring[(i + 1) % ring.len()]])
}

fn edges(rings: &[Vec<Point>]) -> impl Iterator<Item = [Point; 2]> + '_ {
    rings.iter().flat_map(|ring| ring_edges(ring))
}

/// Two crossing edges, in the order of rings and points.
///
/// Sweep along the first axis: edges are sorted by their lower end, and each is compared only with those that begin before it ends.
pub(super) fn crossing(rings: &[Vec<Point>]) -> Option<[Edge; 2]> {
    let mut all: Vec<(Edge, [Point; 2])> = Vec::new();
    for (ring, points) in rings.iter().enumerate() {
        all.extend(ring_edges(points).enumerate().map(|(index, ends)| (Edge { ring, index }, ends)));
    }
    let low = |[a, b]: [Point; 2]| a[0].min(b[0]);
    let high = |[a, b]: [Point; 2]| a[0].max(b[0]);
    all.sort_by(|p, q| low(p.1).total_cmp(&low(q.1)));
    for (i, &(first, p)) in all.iter().enumerate() {
        // Sorted by their lower end: the first that begins beyond this edge ends the comparison.
        let others = all[i + 1..].iter().take_while(|(_, q)| low(*q) <= high(p));
        for &(second, q) in others {
            if meet(p, q, first.ring == second.ring) {
                return Some([first.min(second), first.max(second)]);
            }
        }
    }
    None
}

/// Whether two edges share a point other than a common end, or overlap. Edges of different rings may touch.
fn meet(p: [Point; 2], q: [Point; 2], same_ring: bool) -> bool {
    let (d1, d2) = (orientation(q[0], q[1], p[0]), orientation(q[0], q[1], p[1]));
    let (d3, d4) = (orientation(p[0], p[1], q[0]), orientation(p[0], p[1], q[1]));
    // Signs, not products: those of short edges would underflow.
    let opposite = |a: f64, b: f64| (a > 0.0 && b < 0.0) || (a < 0.0 && b > 0.0);
    if opposite(d1, d2) && opposite(d3, d4) {
        return true;
    }
    if !same_ring {
        return false;
    }
    // Edges of one ring that share an end may still overlap, if the outline folds back.
    let joint = [(0, 0), (0, 1), (1, 0), (1, 1)].into_iter().find(|&(i, j)| p[i] == q[j]);
    if let Some((i, j)) = joint {
        return folds_back(p[1 - i], p[i], q[1 - j]);
    }
    (d1 == 0.0 && within(q, p[0]))
        || (d2 == 0.0 && within(q, p[1]))
        || (d3 == 0.0 && within(p, q[0]))
        || (d4 == 0.0 && within(p, q[1]))
}

/// Whether the path from `a` over `joint` to `b` folds back on itself.
fn folds_back(a: Point, joint: Point, b: Point) -> bool {
    let ahead = (a[0] - joint[0]) * (b[0] - joint[0]) + (a[1] - joint[1]) * (b[1] - joint[1]) > 0.0;
    orientation(a, joint, b) == 0.0 && ahead
}

/// Twice the signed area of the triangle abc.
fn orientation(a: Point, b: Point, c: Point) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Whether a point on the line of an edge lies between its ends.
fn within([a, b]: [Point; 2], p: Point) -> bool {
    (0..2).all(|i| p[i] >= a[i].min(b[i]) && p[i] <= a[i].max(b[i]))
}

fn distance_to_edge([a, b]: [Point; 2], p: Point) -> f64 {
    let (d, e) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
    let square = d[0] * d[0] + d[1] * d[1];
    // The nearest point of the segment, clamped to its ends.
    let along = if square > 0.0 { ((d[0] * e[0] + d[1] * e[1]) / square).clamp(0.0, 1.0) } else { 0.0 };
    (e[0] - along * d[0]).hypot(e[1] - along * d[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polygon(rings: &[&[Point]]) -> UvPolygon {
        UvPolygon { rings: rings.iter().map(|ring| ring.to_vec()).collect() }
    }

    const SQUARE: &[Point] = &[[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]];
    const HOLE: &[Point] = &[[1.0, 1.0], [1.0, 2.0], [2.0, 2.0], [2.0, 1.0]];

    fn pair(first: (usize, usize), second: (usize, usize)) -> [Edge; 2] {
        [first, second].map(|(ring, index)| Edge { ring, index })
    }

    #[test]
    fn area_box_and_distance_of_a_square_with_a_hole() {
        let frame = polygon(&[SQUARE, HOLE]);
        assert_eq!(frame.area(), 15.0);
        assert_eq!(frame.bounding_box(), Some([[0.0, 4.0], [0.0, 4.0]]));
        for (p, distance) in [([3.0, 3.0], 1.0), ([1.5, 1.75], 0.25), ([7.0, 8.0], 5.0), ([-2.0, 2.0], 2.0)] {
            assert_eq!(frame.distance(p), distance, "{p:?}");
        }
        let nothing = polygon(&[]);
        assert_eq!(
            (nothing.area(), nothing.bounding_box(), nothing.distance([0.0; 2])),
            (0.0, None, f64::INFINITY)
        );
    }

    #[test]
    fn even_odd_counts_right_where_the_ray_meets_corners() {
        let diamond = polygon(&[&[[1.0, 0.0], [2.0, 1.0], [1.0, 2.0], [0.0, 1.0]]]);
        for (p, inside) in
            [([1.0, 1.0], true), ([-1.0, 1.0], false), ([-1.0, 2.0], false), ([0.1, 0.1], false)]
        {
            assert_eq!(diamond.contains(p), inside, "{p:?}");
        }
        // Share of a fine grid that is inside, against the area.
        let frame = polygon(&[SQUARE, HOLE]);
        let inside = (0..10_000).filter(|i| {
            frame.contains([f64::from(i % 100) * 0.05 - 0.475, f64::from(i / 100) * 0.05 - 0.475])
        });
        assert_eq!(inside.count(), 6000);
    }

    #[test]
    fn crossings_are_found_with_their_edges() {
        assert_eq!(polygon(&[SQUARE, HOLE]).crossing(), None);
        for (ring, expected) in [
            // A bow tie, a corner on another edge, a spike, a triangle without area.
            (&[[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 2.0]][..], Some(pair((0, 0), (0, 2)))),
            (&[[0.0, 0.0], [4.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 3.0]], Some(pair((0, 0), (0, 3)))),
            (&[[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [4.0, 2.0], [0.0, 4.0]], Some(pair((0, 1), (0, 3)))),
            (&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]], Some(pair((0, 0), (0, 2)))),
            // Touching itself at a corner is allowed: two triangles.
            (&[[0.0, 0.0], [1.0, 1.0], [2.0, 0.0], [2.0, 2.0], [1.0, 1.0], [0.0, 2.0]], None),
        ] {
            assert_eq!(polygon(&[ring]).crossing(), expected, "{ring:?}");
        }
    }

    #[test]
    fn rings_may_touch_but_not_cross() {
        let touching = [[0.0, 1.0], [1.0, 1.0], [0.0, 2.0]];
        assert_eq!(polygon(&[SQUARE, &touching]).crossing(), None);
        let crossing = [[-1.0, 1.0], [1.0, 1.5], [1.0, 2.0]];
        assert_eq!(polygon(&[SQUARE, &crossing]).crossing(), Some(pair((0, 3), (1, 0))));
    }
}
