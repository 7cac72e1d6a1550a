//! The plane that rays start from.

use super::scene::Scene;
use glam::{DVec2, DVec3};

/// Tubes along each side of a block: the memory of a run is that of the blocks under way.
pub(crate) const BLOCK: usize = 32;

/// A grid of tubes across the incident wave, around the target's shadow, in blocks.
pub(crate) struct Aperture {
    /// Direction of the wave.
    pub k: DVec3,
    /// Width of a tube.
    pub step: f64,
    corner: DVec3,
    u: DVec3,
    v: DVec3,
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
        let corner = 0.5 * (low + high) - 0.5 * step * count;
        let blocks = [count.x, count.y].map(|n| (n as usize).div_ceil(BLOCK));
        // Behind everything, by a little more than rounding.
        let back = -1.01 * scene.radius;
        Self { k, step, corner: corner.x * u + corner.y * v + back * k, u, v, blocks }
    }

    /// Where a ray starts; tubes are counted from the corner.
    pub fn point(&self, [i, j]: [f64; 2]) -> DVec3 {
        self.corner + self.step * (i * self.u + j * self.v)
    }

    /// The first tubes of all blocks that the box of some triangle's shadow reaches into.
    pub fn occupied(&self, scene: &Scene) -> Vec<[usize; 2]> {
        let size = self.step * BLOCK as f64;
        let mut mask = vec![false; self.blocks[0] * self.blocks[1]];
        for facet in &scene.facets {
            let flat =
                facet.corners.map(|p| p - self.corner).map(|p| DVec2::new(p.dot(self.u), p.dot(self.v)));
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
