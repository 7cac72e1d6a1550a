//! A bounding volume hierarchy (BVH) of triangles, eight children to a node, for single rays (`ray.rs`), for tiles of parallel rays
//! (`tile.rs`), and for bundles of parallel ones between bounds (`bundle.rs`).
//!
//! Built as a binary tree by the surface area heuristic, then collapsed to width eight: a ray then visits few nodes, and tests all
//! boxes of a node with one SIMD vector.

#![allow(
    clippy::inline_always,
    clippy::needless_range_loop,
    reason = "SIMD code has the instruction set of its caller only if inlined, and lanes are indexed"
)]

mod build;
mod bundle;
mod packed;
mod ray;
mod tile;
mod tree;

pub use bundle::Bundle;
pub use packed::{NODE_WORDS, Packed};
pub use tile::{Sheaf, TILE, Tile};
pub use tree::{Bvh, LEAF, LEAF_BIT, Leaf, NOTHING, Node, WIDTH};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets;
    use glam::{DVec3, Vec3A};

    fn triangles_of(mesh: &crate::TriangleMesh) -> Vec<[[f32; 3]; 3]> {
        (0..mesh.triangles.len()).map(|t| mesh.corners(t).map(|p| p.map(|x| x as f32))).collect()
    }

    /// The same sequence of numbers in [−1, 1) every time (an additive recurrence with the golden ratio's powers).
    fn directions() -> impl Iterator<Item = [DVec3; 2]> {
        let part = |n: usize, ratio: f64| 2.0 * (n as f64 * ratio).fract() - 1.0;
        (1..2000).map(move |n| {
            let point = DVec3::new(part(n, 0.754_877_666), part(n, 0.569_840_291), part(n, 0.819_172_513));
            let direction =
                DVec3::new(part(n, 0.671_043_607), part(n, 0.549_700_478), part(n, 0.450_304_479));
            [point, direction.normalize()]
        })
    }

    /// Möller and Trumbore's test (J. Graphics Tools 2, 21, 1997) against each triangle, in double precision.
    fn brute(triangles: &[[[f32; 3]; 3]], origin: DVec3, direction: DVec3) -> Option<f64> {
        let distance = |corners: &[[f32; 3]; 3]| {
            let [a, b, c] = corners.map(|p| Vec3A::from(p).as_dvec3());
            let (e, f) = (b - a, c - a);
            let p = direction.cross(f);
            let (s, q) = (origin - a, (origin - a).cross(e));
            let scale = 1.0 / e.dot(p);
            let (u, v, t) = (s.dot(p) * scale, direction.dot(q) * scale, f.dot(q) * scale);
            (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t >= 0.0).then_some(t)
        };
        triangles.iter().filter_map(distance).min_by(f64::total_cmp)
    }

    #[test]
    fn rays_meet_what_a_search_over_all_triangles_finds() {
        for mesh in [targets::plate([1.0, 1.0], [3, 5]), targets::sphere(1.0, 12), Ok(targets::missile())] {
            let triangles = triangles_of(&mesh.unwrap());
            let tree = Bvh::new(&triangles, 1e-6);
            let mut hits = 0;
            for [point, direction] in directions() {
                let single = [point, direction].map(|p| p.as_vec3().to_array());
                let [start, along] = single.map(|p| Vec3A::from(p).as_dvec3());
                let found = tree.closest(single[0], single[1], |t| {
                    brute(&triangles[t as usize..=t as usize], start, along)
                });
                let exact = brute(&triangles, start, along);
                hits += usize::from(exact.is_some());
                assert_eq!(found.map(|(_, t)| t), exact);
            }
            assert!(hits > 20, "{hits}");
        }
    }

    /// A bundle visits each triangle whose projection along it overlaps its bounds, and ends at the depth the visitor returns.
    #[test]
    fn bundles_meet_what_a_search_over_all_triangles_finds() {
        let triangles = triangles_of(&targets::missile());
        let tree = Bvh::new(&triangles, 1e-6);
        let mut met = 0;
        for [middle, k] in directions().take(300) {
            let u = k.any_orthonormal_vector();
            let axes = [u, k.cross(u), k];
            let low = [0.3 * middle.x, 0.1 * middle.y, 0.2 * middle.z];
            let bundle = Bundle { axes, low, high: [low[0] + 0.03, low[1] + 0.05, low[2] + 0.4] };
            let overlaps = |triangle: &[[f32; 3]; 3], slack: f64| {
                (0..3).all(|a| {
                    let projections = triangle.map(|p| axes[a].dot(Vec3A::from(p).as_dvec3()));
                    let [from, to] =
                        [f64::min, f64::max].map(|pick| projections.into_iter().reduce(pick).unwrap());
                    from < bundle.high[a] - slack && to > bundle.low[a] + slack
                })
            };
            let mut seen = vec![false; triangles.len()];
            tree.bundle(&bundle, |t| {
                seen[t as usize] = true;
                bundle.high[2]
            });
            for (triangle, seen) in triangles.iter().zip(&seen) {
                assert!(*seen || !overlaps(triangle, 0.0));
                assert!(!*seen || overlaps(triangle, -1e-4));
                met += usize::from(*seen);
            }
            let mut count = 0;
            tree.bundle(&bundle, |_| {
                count += 1;
                f64::NEG_INFINITY
            });
            assert!(count <= LEAF, "{count}");
        }
        assert!(met > 1000, "{met}");
    }

    /// Triangles one inside the other, each a little smaller: the deepest tree, of which no traversal may miss anything.
    #[test]
    fn deep_trees_lose_nothing() {
        let triangles: Vec<[[f32; 3]; 3]> = (0..2000)
            .map(|i| {
                let size = 0.98_f32.powi(i);
                [[0.0, 0.0, size], [size, 0.0, size], [0.0, size, size]]
            })
            .collect();
        let tree = Bvh::new(&triangles, 0.0);
        let mut seen = vec![false; triangles.len()];
        tree.closest([1e-20, 1e-20, 2.0], [0.0, 0.0, -1.0], |t| {
            seen[t as usize] = true;
            None
        });
        assert!(seen.iter().all(|&seen| seen));
        assert!(tree.waiting() > 128, "{}", tree.levels);
    }

    #[test]
    fn tiles_meet_what_single_rays_meet() {
        let triangles = triangles_of(&targets::missile());
        let tree = Bvh::new(&triangles, 1e-6);
        let (mut hits, mut other) = (0, 0);
        for [middle, k] in directions().take(300) {
            let u = k.any_orthonormal_vector();
            let sheaf = Sheaf { k, u, v: k.cross(u) };
            let corner = [0.3 * middle.x, 0.1 * middle.y];
            let tile = tree.tile(&sheaf, corner, 0.003);
            for (row, triangles_of_row) in tile.triangles.iter().enumerate() {
                for (i, &triangle) in triangles_of_row.iter().enumerate() {
                    let at = [corner[0] + 0.003 * i as f64, corner[1] + 0.003 * row as f64];
                    let start = at[0] * sheaf.u + at[1] * sheaf.v - 3.0 * k;
                    let exact = brute(&triangles, start, k);
                    hits += usize::from(exact.is_some());
                    let agrees = match exact {
                        None => triangle == NOTHING,
                        Some(exact) => {
                            let of_tile = triangles.get(triangle as usize).map(std::slice::from_ref);
                            let t = of_tile.and_then(|triangle| brute(triangle, start, k));
                            t.is_some_and(|t| (t - exact).abs() < 1e-5)
                        }
                    };
                    other += usize::from(!agrees);
                }
            }
        }
        // Rays within rounding of an edge may take the neighbor.
        assert!(hits > 3000 && other <= hits / 1000, "{hits} {other}");
    }
}
