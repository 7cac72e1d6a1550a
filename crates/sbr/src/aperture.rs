//! The plane that rays start from.

use crate::scene::Scene;
use glam::{DVec2, DVec3};
use phasefront_mesh::bvh::Sheaf;

/// Rays along each side of a block, and tubes between them: the memory of a run is that of the blocks under way.
pub(crate) const RAYS: usize = 32;
pub(crate) const BLOCK: usize = RAYS - 1;

/// The grid lies off the middle of the shadow by these parts of a tube (powers of the golden ratio's inverse, halved), lest its lines or
/// diagonals run along the seams of symmetric targets, where rounding decides what a ray meets.
const OFF_CENTER: DVec2 = DVec2::new(0.191, 0.309);

/// A grid of tubes across the incident wave, around the target's shadow, in blocks.
pub(crate) struct Aperture {
    /// The wave's direction, and those of rows and columns.
    pub sheaf: Sheaf,
    /// Width of a tube.
    pub step: f64,
    /// The first ray, along u and v.
    corner: DVec2,
    blocks: [usize; 2],
}

impl Aperture {
    /// For a wave along `k`; `u` lies across it.
    pub fn new(scene: &Scene, k: DVec3, u: DVec3, step: f64) -> Self {
        let v = k.cross(u);
        let flat = |p: DVec3| DVec2::new(p.dot(u), p.dot(v));
        let points = || scene.facets.iter().flat_map(|facet| facet.corners).map(flat);
        let low = points().fold(DVec2::INFINITY, DVec2::min);
        let high = points().fold(DVec2::NEG_INFINITY, DVec2::max);
        let count = ((high - low) / step).floor() + 2.0;
        // Half a tube to spare on each side, at least.
        let corner = 0.5 * (low + high) - step * (0.5 * count - OFF_CENTER);
        let blocks = [count.x, count.y].map(|n| (n as usize).div_ceil(BLOCK));
        Self { sheaf: Sheaf { k, u, v }, step, corner, blocks }
    }

    /// Where a ray passes, in meters along u and v, from its place counted in tubes.
    pub fn place(&self, [i, j]: [f64; 2]) -> [f64; 2] {
        [self.corner.x + self.step * i, self.corner.y + self.step * j]
    }

    /// The first rays of all blocks that the box of some triangle's shadow reaches into.
    pub fn occupied(&self, scene: &Scene) -> Vec<[usize; 2]> {
        let size = self.step * BLOCK as f64;
        let mut mask = vec![false; self.blocks[0] * self.blocks[1]];
        for facet in &scene.facets {
            let flat =
                facet.corners.map(|p| DVec2::new(p.dot(self.sheaf.u), p.dot(self.sheaf.v)) - self.corner);
            let low = flat[0].min(flat[1]).min(flat[2]) / size;
            let high = flat[0].max(flat[1]).max(flat[2]) / size;
            let last = |x: f64, axis: usize| (x as usize).min(self.blocks[axis] - 1);
            for j in low.y as usize..=last(high.y, 1) {
                let row = j * self.blocks[0];
                mask[row + low.x as usize..=row + last(high.x, 0)].fill(true);
            }
        }
        let place = |(n, _): (usize, &bool)| [n % self.blocks[0] * BLOCK, n / self.blocks[0] * BLOCK];
        mask.iter().enumerate().filter(|(_, occupied)| **occupied).map(place).collect()
    }
}
