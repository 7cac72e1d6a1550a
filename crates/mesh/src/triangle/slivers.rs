//! Triangles without height.

use super::vec3::{Vec3, cross, norm, sub};
use std::collections::HashMap;

/// Corners and group.
pub(super) type Facet = ([u32; 3], u32);

/// Rounds of dropping, after which what is still flat goes without care for its neighbors. Each round leaves only what
/// lay upon another flat one.
const ROUNDS: usize = 8;

/// Drops triangles that are not higher than `height`, and gives how many there were and how many cuts that took.
///
/// The corner across from the longest side lies on that side, so it is put into the triangles behind it: where a closed
/// surface loses a sliver it stays closed.
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
            // Two on the same side: the second waits until it is cut by the first.
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
        // The first half takes this place and is looked at again, the second waits at the end.
        match found {
            // No chain of cuts is longer than the number of middles on its edges; more would go round in circles.
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
    // Twice the area is the longest side times the lowest height.
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
