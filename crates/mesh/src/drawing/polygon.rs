//! Distances from points to straight pieces and flat polygons.

use super::solid::in_polygon;
use crate::triangle::vec3::{Vec3, add, cross, dot, norm, sub, times};

/// Where the nearest point of a line is, from 0 to 1, and its distance.
pub(super) fn to_segment(point: Vec3, [from, to]: [Vec3; 2]) -> (f64, f64) {
    let way = sub(to, from);
    let along = (dot(sub(point, from), way) / dot(way, way).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    (along, norm(sub(point, add(from, times(along, way)))))
}

/// Distance from a closed line.
pub(super) fn to_outline(point: Vec3, corners: &[Vec3]) -> f64 {
    let sides = (0..corners.len()).map(|i| [corners[i], corners[(i + 1) % corners.len()]]);
    sides.map(|ends| to_segment(point, ends).1).fold(f64::INFINITY, f64::min)
}

/// Distance from a flat polygon.
pub(super) fn to_polygon(point: Vec3, corners: &[Vec3]) -> f64 {
    let origin = corners[0];
    let normal =
        corners.windows(2).map(|ends| cross(sub(ends[0], origin), sub(ends[1], origin))).fold([0.0; 3], add);
    let height = dot(sub(point, origin), normal) / norm(normal);
    let axis = (0..3).max_by(|&a, &b| normal[a].abs().total_cmp(&normal[b].abs())).unwrap_or(2);
    let flat = |p: Vec3| [p[(axis + 1) % 3], p[(axis + 2) % 3]];
    let foot = sub(point, times(height / norm(normal), normal));
    let outline: Vec<[f64; 2]> = corners.iter().map(|&corner| flat(corner)).collect();
    if in_polygon(&outline, flat(foot)) { height.abs() } else { to_outline(point, corners) }
}
