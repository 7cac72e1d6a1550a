//! Rays over the paper's kd-tree: one call per bounce, with the leaf carried on, is its single pass.

use glam::DVec3;
use phasefront_mesh::{KdTree, Steps};

/// The facet that a ray meets first no nearer than `nearest`, but for the one that it has `left`. `corners` gives those of a facet,
/// in double precision: the tree's margins are a few units in the last place of single precision, and a test that is worse would
/// find facets in leaves that the ray is not in. `leaf` goes from one bounce to the next, `None` at first.
pub(crate) fn closest(
    tree: &KdTree,
    corners: impl Fn(usize) -> [DVec3; 3],
    [start, direction]: [DVec3; 2],
    leaf: &mut Option<u32>,
    left: Option<usize>,
    nearest: f64,
) -> Option<usize> {
    let single = |v: DVec3| v.as_vec3().to_array();
    let found = tree.closest(single(start), single(direction), leaf, &mut Steps::default(), |id| {
        let t =
            if Some(id as usize) == left { None } else { distance(corners(id as usize), start, direction) };
        t.filter(|&t| t >= nearest).map_or(f32::INFINITY, |t| t as f32)
    });
    found.map(|(id, _)| id as usize)
}

/// Along a ray to a triangle. The ray passes each edge on a side that both triangles at the edge agree on to the last bit, as
/// d·(a × b) changes its sign with the order of a and b: no ray slips between them.
fn distance(corners: [DVec3; 3], start: DVec3, direction: DVec3) -> Option<f64> {
    let [a, b, c] = corners.map(|corner| corner - start);
    let sides = [b.cross(a), c.cross(b), a.cross(c)].map(|edge| edge.dot(direction));
    let inside = sides.iter().all(|&s| s >= 0.0) || sides.iter().all(|&s| s <= 0.0);
    let normal = (b - a).cross(c - a);
    // A ray in the plane gives no number, and no hit.
    let t = normal.dot(a) / normal.dot(direction);
    (inside && t.is_finite()).then_some(t)
}
