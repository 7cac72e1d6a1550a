//! A tile of parallel rays through the tree, side by side.
//!
//! All have one direction, so a triangle is for them a flat one: its three sides and its depth are linear over the tile, and are set
//! up once for 64 rays.

use super::ray::{Stack, Waiting, Walk};
use super::{Bvh, LEAF, LEAF_BIT, Leaf, NOTHING};
use glam::DVec3;
use pulp::Arch;

/// Rays along a side of a tile.
pub const TILE: usize = 8;

/// Distances from the start of a tile are rounded by this part of them.
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

/// What the rays of a tile meet first, by row (along v) and place (along u).
pub struct Tile {
    /// Numbers of triangles, or [`NOTHING`].
    pub triangles: [[u32; TILE]; TILE],
    /// Their places along k.
    depths: [[f32; TILE]; TILE],
}

impl Bvh {
    /// Shoots the rays whose first one passes `corner`, given along u and v, with `step` between them; they come from infinity.
    pub fn tile(&self, sheaf: &Sheaf, corner: [f64; 2], step: f64) -> Tile {
        Arch::new().dispatch(
            #[inline(always)]
            || Packet::new(sheaf, corner, step).shoot(self),
        )
    }
}

struct Packet<'a> {
    sheaf: &'a Sheaf,
    middle: [f64; 2],
    /// Of rays from the middle, along u and along v.
    places: [f32; TILE],
    tile: Tile,
}

impl<'a> Packet<'a> {
    #[inline(always)]
    fn new(sheaf: &'a Sheaf, corner: [f64; 2], step: f64) -> Self {
        let half = 0.5 * (TILE - 1) as f64;
        let mut places = [0.0; TILE];
        for (i, place) in places.iter_mut().enumerate() {
            *place = ((i as f64 - half) * step) as f32;
        }
        Self {
            sheaf,
            middle: corner.map(|x| x + half * step),
            places,
            tile: Tile { triangles: [[NOTHING; TILE]; TILE], depths: [[f32::INFINITY; TILE]; TILE] },
        }
    }

    /// A box is in the way of some ray if the middle ray meets it when it is made wider by the tile.
    #[inline(always)]
    fn shoot(mut self, tree: &Bvh) -> Tile {
        let Sheaf { k, u, v } = *self.sheaf;
        let half = f64::from(self.places[TILE - 1]);
        let wider = (half * (u.abs() + v.abs())).as_vec3().to_array();
        // Before all boxes: the diagonal of a cube is less than two of its sides.
        let back = 2.0 * f64::from(tree.reach);
        let start = self.middle[0] * u + self.middle[1] * v - back * k;
        let walk = Walk::new(start.as_vec3().to_array(), k.as_vec3().to_array());
        let mut farthest = f32::INFINITY;
        let mut stack = Stack::new();
        while let Some(Waiting { child, at }) = stack.pop() {
            if at > farthest {
                continue;
            }
            if child & LEAF_BIT == 0 {
                let node = &tree.nodes[child as usize];
                let (near, far) = walk.boxes(node, wider);
                stack.push(node, &near, &far, farthest);
            } else {
                self.leaf(&tree.leaves[(child & !LEAF_BIT) as usize]);
                let deepest = self.tile.depths.iter().flatten();
                let deepest = deepest.fold(f32::NEG_INFINITY, |a, &b| if b > a { b } else { a });
                farthest = (deepest + back as f32) * (1.0 + ROUNDING);
            }
        }
        self.tile
    }

    #[inline(always)]
    fn leaf(&mut self, leaf: &Leaf) {
        for i in 0..LEAF {
            if leaf.triangles[i] != NOTHING {
                let corner = |c: usize| {
                    let [x, y, z] = [0, 1, 2].map(|axis| f64::from(leaf.corners[c][axis][i]));
                    DVec3::new(x, y, z)
                };
                self.triangle([corner(0), corner(1), corner(2)], leaf.triangles[i]);
            }
        }
    }

    /// The ray at (x, y) passes the side from a to b on the side of (a − p) × (b − p) = a × b − x (b_y − a_y) + y (b_x − a_x),
    /// every term of which changes its sign with the order of a and b.
    #[inline(always)]
    fn triangle(&mut self, corners: [DVec3; 3], number: u32) {
        let Sheaf { k, u, v } = *self.sheaf;
        let flat = corners.map(|p| [p.dot(u) - self.middle[0], p.dot(v) - self.middle[1]]);
        let depth = corners.map(|p| p.dot(k));
        let [ax, ay] = [flat[1][0] - flat[0][0], flat[1][1] - flat[0][1]];
        let [bx, by] = [flat[2][0] - flat[0][0], flat[2][1] - flat[0][1]];
        let area = ax * by - ay * bx;
        if area == 0.0 {
            return;
        }
        let (dz1, dz2) = (depth[1] - depth[0], depth[2] - depth[0]);
        let slope = [(dz1 * by - dz2 * ay) / area, (dz2 * ax - dz1 * bx) / area];
        let level = (depth[0] - slope[0] * flat[0][0] - slope[1] * flat[0][1]) as f32;
        let slope = slope.map(|x| x as f32);
        let corners = flat.map(|p| p.map(|x| x as f32));
        let sides = [[0, 1], [1, 2], [2, 0]].map(|[i, j]| {
            let ([ax, ay], [bx, by]) = (corners[i], corners[j]);
            [ax * by - ay * bx, by - ay, bx - ax]
        });
        let low = corners[0][1].min(corners[1][1]).min(corners[2][1]);
        let high = corners[0][1].max(corners[1][1]).max(corners[2][1]);
        for row in 0..TILE {
            let y = self.places[row];
            if y < low || y > high {
                continue;
            }
            let starts = sides.map(|side| side[0] + y * side[2]);
            let start = level + y * slope[1];
            let (depths, triangles) = (&mut self.tile.depths[row], &mut self.tile.triangles[row]);
            for i in 0..TILE {
                let x = self.places[i];
                let [a, b, c] = [0, 1, 2].map(|s| starts[s] - x * sides[s][1]);
                let depth = start + x * slope[0];
                let inside = (a >= 0.0 && b >= 0.0 && c >= 0.0) || (a <= 0.0 && b <= 0.0 && c <= 0.0);
                let closer = inside && depth < depths[i];
                depths[i] = if closer { depth } else { depths[i] };
                triangles[i] = if closer { number } else { triangles[i] };
            }
        }
    }
}
