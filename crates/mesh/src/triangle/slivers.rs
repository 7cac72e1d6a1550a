//! Removal of slivers, triangles of negligible height.

use super::vec3::{Vec3, cross, norm, sub};
use std::collections::HashMap;

/// Corners and group.
pub(super) type Facet = ([u32; 3], u32);

/// Rounds of removal. Each leaves only slivers that lie on another one; those left after the last
/// round are removed without cutting their neighbors.
const ROUNDS: usize = 8;

/// Removes triangles of height up to `height`; returns the numbers of removed triangles and of
/// cuts.
///
/// The vertex opposite to the longest side lies on that side, and is inserted into the triangles
/// behind it: a closed surface stays closed.
pub(super) fn drop_slivers(facets: &mut Vec<Facet>, vertices: &[Vec3], height: f64) -> (usize, usize) {
    let mut counts = (0, 0);
    for _ in 0..ROUNDS {
        let mut middles = HashMap::new();
        let before = facets.len();
        facets.retain(|&(triangle, _)| {
            if !is_flat(triangle, vertices, height) {
                return true;
            }
            let [a, b, c] = longest_first(triangle, vertices);
            // Two slivers on the same side: the second is cut by the first, and is removed in the
            // next round.
            let key = [a.min(b), a.max(b)];
            let waits = middles.contains_key(&key);
            if !waits {
                middles.insert(key, c);
            }
            waits
        });
        if middles.is_empty() {
            return counts;
        }
        counts.0 += before - facets.len();
        counts.1 += cut(facets, &middles);
    }
    let before = facets.len();
    facets.retain(|&(triangle, _)| !is_flat(triangle, vertices, height));
    (counts.0 + before - facets.len(), counts.1)
}

/// Cuts triangles that have one of these edges at the vertex on it; returns how many cuts there were.
fn cut(facets: &mut Vec<Facet>, middles: &HashMap<[u32; 2], u32>) -> usize {
    let mut cuts = 0;
    let mut i = 0;
    while i < facets.len() {
        let (triangle, group) = facets[i];
        let found = (0..3).find_map(|k| {
            let [a, b] = [triangle[k], triangle[(k + 1) % 3]];
            let &middle = middles.get(&[a.min(b), a.max(b)])?;
            (!triangle.contains(&middle)).then_some((a, b, middle))
        });
        // The first half replaces the triangle and is examined again; the second is appended.
        match found {
            // A chain of cuts is no longer than the number of vertices on its edges; the limit ends
            // cycles.
            Some((a, b, middle)) if cuts < 8 * middles.len() => {
                facets[i].0 = triangle.map(|j| if j == b { middle } else { j });
                facets.push((triangle.map(|j| if j == a { middle } else { j }), group));
                cuts += 1;
            }
            _ => i += 1,
        }
    }
    cuts
}

fn is_flat(triangle: [u32; 3], vertices: &[Vec3], height: f64) -> bool {
    let [a, b, c] = longest_first(triangle, vertices).map(|i| vertices[i as usize]);
    // Twice the area is the longest side times the smallest height.
    norm(cross(sub(b, a), sub(c, a))) <= height * norm(sub(b, a))
}

/// The corners in the same turn, so that the longest side is between the first two.
fn longest_first([a, b, c]: [u32; 3], vertices: &[Vec3]) -> [u32; 3] {
    let length = |i: u32, j: u32| norm(sub(vertices[i as usize], vertices[j as usize]));
    let (ab, bc, ca) = (length(a, b), length(b, c), length(c, a));
    if ab >= bc && ab >= ca {
        [a, b, c]
    } else if bc >= ca {
        [b, c, a]
    } else {
        [c, a, b]
    }
}
