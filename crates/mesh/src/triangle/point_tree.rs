//! A tree of boxes over points, to find those near a line segment.

use super::vec3::Vec3;

/// Points in a leaf, at most.
const LEAF: usize = 8;

/// Points with a number each, halved along their widest axis again and again.
pub(super) struct PointTree {
    points: Vec<(Vec3, u32)>,
    /// The root first; the first child of a node follows it.
    nodes: Vec<Node>,
}

/// A range of points in its bounding box. Boxes are tight: the space between the points of a curve has none.
struct Node {
    low: Vec3,
    high: Vec3,
    first: usize,
    end: usize,
    /// Index of the second child; 0 for a leaf.
    second: usize,
}

impl PointTree {
    pub fn new(mut points: Vec<(Vec3, u32)>) -> Self {
        let mut nodes = Vec::with_capacity(4 * points.len() / LEAF + 1);
        arrange(&mut points, 0, &mut nodes);
        Self { points, nodes }
    }

    /// Calls `each` for every point within `distance` of a segment, and for some others near it.
    pub fn near_segment(&self, from: Vec3, to: Vec3, distance: f64, mut each: impl FnMut(Vec3, u32)) {
        let mut waiting = vec![0];
        while let Some(index) = waiting.pop() {
            let node = &self.nodes[index];
            if !node.touches(from, to, distance) {
                continue;
            }
            if node.second == 0 {
                self.points[node.first..node.end].iter().for_each(|&(point, number)| each(point, number));
            } else {
                waiting.extend([index + 1, node.second]);
            }
        }
    }
}

impl Node {
    /// Whether a segment passes through the box, enlarged by a distance: the slab test.
    fn touches(&self, from: Vec3, to: Vec3, distance: f64) -> bool {
        let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
        for k in 0..3 {
            let (low, high) = (self.low[k] - distance - from[k], self.high[k] + distance - from[k]);
            let slope = to[k] - from[k];
            if slope == 0.0 {
                // Parallel to the slab: outside of it or not.
                if low > 0.0 || high < 0.0 {
                    return false;
                }
            } else {
                let (a, b) = (low / slope, high / slope);
                enter = enter.max(a.min(b));
                leave = leave.min(a.max(b));
            }
        }
        enter <= leave
    }
}

/// Orders a range of points, which starts at `first` of all, and appends its nodes.
fn arrange(points: &mut [(Vec3, u32)], first: usize, nodes: &mut Vec<Node>) {
    let corner = |pick: fn(f64, f64) -> f64| {
        [0, 1, 2].map(|k| points.iter().map(|(p, _)| p[k]).reduce(pick).unwrap_or_default())
    };
    let (low, high) = (corner(f64::min), corner(f64::max));
    let index = nodes.len();
    nodes.push(Node { low, high, first, end: first + points.len(), second: 0 });
    if points.len() <= LEAF {
        return;
    }
    let extent = |k: usize| high[k] - low[k];
    let axis = (0..3).fold(0, |best, k| if extent(k) > extent(best) { k } else { best });
    let middle = points.len() / 2;
    points.select_nth_unstable_by(middle, |a, b| a.0[axis].total_cmp(&b.0[axis]));
    let (lower, upper) = points.split_at_mut(middle);
    arrange(lower, first, nodes);
    nodes[index].second = nodes.len();
    arrange(upper, first + middle, nodes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::triangle::vec3::{add, dot, norm, sub, times};

    #[test]
    fn all_points_near_a_segment_are_found() {
        let noise = |i: usize| (i as f64 * 0.618_033_988_749_895).fract() - 0.5;
        let point = |i: usize| {
            [noise(3 * i), noise(3 * i + 1) * 0.3, if i.is_multiple_of(3) { 0.1 } else { noise(3 * i + 2) }]
        };
        let points: Vec<(Vec3, u32)> = (0..3000).map(|i| (point(i), i as u32)).collect();
        let tree = PointTree::new(points.clone());
        for i in 0..200 {
            let (from, to, distance) = (point(7 * i + 1), point(11 * i + 2), 0.03);
            let is_near = |p: Vec3| {
                let edge = sub(to, from);
                let t = (dot(sub(p, from), edge) / dot(edge, edge)).clamp(0.0, 1.0);
                norm(sub(p, add(from, times(t, edge)))) <= distance
            };
            let mut found = Vec::new();
            tree.near_segment(from, to, distance, |p, number| found.extend(is_near(p).then_some(number)));
            found.sort_unstable();
            let expected: Vec<u32> = points.iter().filter(|(p, _)| is_near(*p)).map(|&(_, i)| i).collect();
            assert_eq!(found, expected);
        }
    }
}
