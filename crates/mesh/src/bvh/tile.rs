//! Packet traversal of a tile of parallel rays.
//!
//! All rays have one direction, so that the edge functions and the depth of a triangle are linear over the tile, and are set up once
//! for 64 rays.

use super::ray::{Stack, StackEntry, Traversal};
use super::tree::{Bvh, LEAF_BIT, Leaf, NOTHING, WIDTH};
use glam::DVec3;
use phasefront_core::simd::f32x8::{F32x8, WithF32x8, dispatch};

/// Rays along a side of a tile.
pub const TILE: usize = WIDTH;

/// Relative rounding error of depths.
const ROUNDING: f32 = 4.0 * f32::EPSILON;

/// Parallel rays: their direction, and two directions across it.
#[derive(Debug, Clone, Copy)]
pub struct Sheaf {
    /// Unit vector along the rays.
    pub k: DVec3,
    /// Unit vector across them, along rows.
    pub u: DVec3,
    /// The third: k × u.
    pub v: DVec3,
}

/// The first hits of the rays of a tile.
pub struct Tile {
    /// Triangles by row (along v) and column (along u), or [`NOTHING`].
    pub triangles: [[u32; TILE]; TILE],
}

impl Bvh {
    /// Traces a tile of rays from infinity: the first one through `corner`, given along u and v,
    /// the others at distances `step`.
    pub fn tile(&self, sheaf: &Sheaf, corner: [f64; 2], step: f64) -> Tile {
        dispatch(Shot { tree: self, sheaf, corner, step })
    }
}

struct Shot<'a> {
    tree: &'a Bvh,
    sheaf: &'a Sheaf,
    corner: [f64; 2],
    step: f64,
}

impl WithF32x8 for Shot<'_> {
    type Output = Tile;

    #[inline(always)]
    fn run<L: F32x8>(self, lanes: L) -> Tile {
        Packet::new(lanes, self.sheaf, self.corner, self.step).shoot(self.tree)
    }
}

struct Packet<'a, L: F32x8> {
    lanes: L,
    sheaf: &'a Sheaf,
    middle: [f64; 2],
    /// Offsets of the rays from the center, along u and along v.
    offsets: [f32; TILE],
    /// Depth along k of the first hits of each row, and the bits of their triangle indices.
    depths: [L::F; TILE],
    triangles: [L::F; TILE],
}

impl<'a, L: F32x8> Packet<'a, L> {
    #[inline(always)]
    fn new(lanes: L, sheaf: &'a Sheaf, corner: [f64; 2], step: f64) -> Self {
        let half = 0.5 * (TILE - 1) as f64;
        Self {
            lanes,
            sheaf,
            middle: corner.map(|x| x + half * step),
            offsets: std::array::from_fn(|i| ((i as f64 - half) * step) as f32),
            depths: [lanes.splat(f32::INFINITY); TILE],
            triangles: [lanes.splat(f32::from_bits(NOTHING)); TILE],
        }
    }

    /// A ray of the tile can hit a box only if the center ray hits the box enlarged by the half
    /// width of the tile.
    #[inline(always)]
    fn shoot(mut self, tree: &Bvh) -> Tile {
        let Sheaf { k, u, v } = *self.sheaf;
        let half = f64::from(self.offsets[TILE - 1]);
        let wider = (half * (u.abs() + v.abs())).as_vec3().to_array();
        // In front of all boxes: the diagonal of a cube is shorter than two sides.
        let back = 2.0 * f64::from(tree.extent);
        let start = self.middle[0] * u + self.middle[1] * v - back * k;
        let walk = Traversal::new(start.as_vec3().to_array(), k.as_vec3().to_array());
        let mut farthest = f32::INFINITY;
        let mut stack = Stack::new();
        while let Some(StackEntry { child, at }) = stack.pop() {
            if at > farthest {
                continue;
            }
            if child & LEAF_BIT == 0 {
                let node = &tree.nodes[child as usize];
                stack.push(node, walk.boxes(self.lanes, node, wider, farthest));
            } else {
                self.leaf(&tree.leaves[(child & !LEAF_BIT) as usize]);
                let mut deepest = self.depths[0];
                for row in 1..TILE {
                    deepest = self.lanes.max(deepest, self.depths[row]);
                }
                // Until every ray of the tile has a hit, the maximum is infinite and nothing is
                // culled.
                let deepest = self.lanes.store(deepest).into_iter().fold(f32::NEG_INFINITY, f32::max);
                // Depths count along k from the origin, traversal distances from the start point.
                farthest = (deepest + back as f32) * (1.0 + ROUNDING);
            }
        }
        let mut tile = Tile { triangles: [[NOTHING; TILE]; TILE] };
        for row in 0..TILE {
            tile.triangles[row] = self.lanes.store(self.triangles[row]).map(f32::to_bits);
        }
        tile
    }

    #[inline(always)]
    fn leaf(&mut self, leaf: &Leaf) {
        for i in 0..WIDTH {
            if leaf.triangles[i] == NOTHING {
                break;
            }
            self.triangle(&ProjectedTriangle::new(leaf, i, self.sheaf, self.middle), leaf.triangles[i]);
        }
    }

    #[inline(always)]
    fn triangle(&mut self, flat: &ProjectedTriangle, number: u32) {
        let lanes = self.lanes;
        let x = lanes.load(&self.offsets);
        let zero = lanes.splat(0.0);
        // The index travels as the bits of a float: `select` applies the same mask, and nothing
        // computes with it.
        let number = lanes.splat(f32::from_bits(number));
        let rise = lanes.mul(x, lanes.splat(flat.slope[0]));
        let mut along = [zero; 3];
        for s in 0..3 {
            along[s] = lanes.mul(x, lanes.splat(flat.sides[s][1]));
        }
        for row in 0..TILE {
            let y = self.offsets[row];
            // Most triangles cover few rows; the branch saves the edge functions of the others.
            if y < flat.rows[0] || y > flat.rows[1] {
                continue;
            }
            let mut side = [zero; 3];
            for s in 0..3 {
                side[s] = lanes.sub(lanes.splat(flat.sides[s][0] + y * flat.sides[s][2]), along[s]);
            }
            let lowest = lanes.min(side[0], lanes.min(side[1], side[2]));
            let highest = lanes.max(side[0], lanes.max(side[1], side[2]));
            let inside = lanes.or(lanes.le(zero, lowest), lanes.le(highest, zero));
            let depth = lanes.add(lanes.splat(flat.level + y * flat.slope[1]), rise);
            // At equal depth the later triangle wins.
            let closer = lanes.and(inside, lanes.le(depth, self.depths[row]));
            self.depths[row] = lanes.select(closer, depth, self.depths[row]);
            self.triangles[row] = lanes.select(closer, number, self.triangles[row]);
        }
    }
}

/// A triangle projected along the rays, relative to the center of a tile.
struct ProjectedTriangle {
    /// The ray at (x, y) passes the side from a to b on the side of (a − p) × (b − p) = a × b − x (b_y − a_y) + y (b_x − a_x), every
    /// term of which changes its sign with the order of a and b: the three factors.
    sides: [[f32; 3]; 3],
    /// Its depth in the middle, and the change along x and y.
    level: f32,
    slope: [f32; 2],
    /// Range of y.
    rows: [f32; 2],
}

impl ProjectedTriangle {
    /// A triangle seen edge-on covers no ray.
    fn new(leaf: &Leaf, i: usize, sheaf: &Sheaf, middle: [f64; 2]) -> Self {
        // Set up in double precision: projections far from the origin cancel. Relative to the
        // center of the tile, the results are small, and single precision suffices.
        let corners = [0, 1, 2].map(|c| DVec3::from([0, 1, 2].map(|x| f64::from(leaf.corners[c][x][i]))));
        let flat = corners.map(|p| [p.dot(sheaf.u) - middle[0], p.dot(sheaf.v) - middle[1]]);
        let depth = corners.map(|p| p.dot(sheaf.k));
        let [ax, ay] = [flat[1][0] - flat[0][0], flat[1][1] - flat[0][1]];
        let [bx, by] = [flat[2][0] - flat[0][0], flat[2][1] - flat[0][1]];
        let area = ax * by - ay * bx;
        let (dz1, dz2) = (depth[1] - depth[0], depth[2] - depth[0]);
        // Depth is a plane over (x, y): slopes by Cramer's rule from two edges.
        let slope = [(dz1 * by - dz2 * ay) / area, (dz2 * ax - dz1 * bx) / area];
        let corners = flat.map(|p| p.map(|x| x as f32));
        let side = |i: usize, j: usize| {
            let ([ax, ay], [bx, by]) = (corners[i], corners[j]);
            [ax * by - ay * bx, by - ay, bx - ax]
        };
        let [a, b, c] = corners.map(|p| p[1]);
        let rows = if area == 0.0 { [f32::INFINITY; 2] } else { [a.min(b).min(c), a.max(b).max(c)] };
        Self {
            sides: [side(0, 1), side(1, 2), side(2, 0)],
            level: (depth[0] - slope[0] * flat[0][0] - slope[1] * flat[0][1]) as f32,
            slope: slope.map(|x| x as f32),
            rows,
        }
    }
}
