//! The incident aperture: the plane that rays start from.

use crate::layout::RAYS;
use crate::scene::Scene;
use glam::{DVec2, DVec3};
use phasefront_mesh::bvh::Sheaf;

/// Ray tubes along each side of a block of `RAYS` by `RAYS` rays. Only blocks being traced take memory.
pub(crate) const TUBES: usize = RAYS - 1;

/// Offset of the grid from the center of the projected target, in tubes (halved powers of the inverse golden ratio). Without it, grid
/// lines and diagonals coincide with edges of symmetric targets, where rounding decides which triangle a ray hits.
const GRID_OFFSET: DVec2 = DVec2::new(0.191, 0.309);

/// A grid of tubes perpendicular to the incident wave that covers the projection of the target, in blocks.
#[derive(Clone)]
pub(crate) struct Aperture {
    /// The direction of incidence, and those of rows and columns.
    pub sheaf: Sheaf,
    /// Width of a tube.
    pub step: f64,
    /// Position of the first ray, along u and v.
    corner: DVec2,
    blocks: [usize; 2],
}

impl Aperture {
    /// For a wave along `k`; `u` is perpendicular to it.
    pub fn new(scene: &Scene, k: DVec3, u: DVec3, step: f64) -> Self {
        let v = k.cross(u);
        let project = |p: DVec3| DVec2::new(p.dot(u), p.dot(v));
        let points = || scene.facets.iter().flat_map(|facet| facet.corners).map(project);
        let low = points().fold(DVec2::INFINITY, DVec2::min);
        let high = points().fold(DVec2::NEG_INFINITY, DVec2::max);
        // At least one tube more than the target spans, whatever its alignment to the grid.
        let count = ((high - low) / step).floor() + 2.0;
        // A margin of half a tube on each side before the offset, hence more than 0.19 of a tube.
        let corner = 0.5 * (low + high) - step * (0.5 * count - GRID_OFFSET);
        let blocks = [count.x, count.y].map(|n| (n as usize).div_ceil(TUBES));
        Self { sheaf: Sheaf { k, u, v }, step, corner, blocks }
    }

    /// Position of a ray along u and v, m, from its grid coordinates in tubes.
    pub fn position(&self, [i, j]: [f64; 2]) -> [f64; 2] {
        [self.corner.x + self.step * i, self.corner.y + self.step * j]
    }

    /// Grid coordinates of the first ray of every block that overlaps the bounding box of a projected triangle.
    pub fn occupied(&self, scene: &Scene) -> Vec<[usize; 2]> {
        let size = self.step * TUBES as f64;
        let mut mask = vec![false; self.blocks[0] * self.blocks[1]];
        for facet in &scene.facets {
            let projected =
                facet.corners.map(|p| DVec2::new(p.dot(self.sheaf.u), p.dot(self.sheaf.v)) - self.corner);
            // Coordinates relative to the corner are positive: truncation is the floor.
            let low = projected[0].min(projected[1]).min(projected[2]) / size;
            let high = projected[0].max(projected[1]).max(projected[2]) / size;
            // Rounding may place a corner beyond the last block.
            let last = |x: f64, axis: usize| (x as usize).min(self.blocks[axis] - 1);
            // The bounding box marks too many blocks for slanted triangles: rays that miss cost
            // little, a missed block would be an error.
            for j in low.y as usize..=last(high.y, 1) {
                let row = j * self.blocks[0];
                mask[row + low.x as usize..=row + last(high.x, 0)].fill(true);
            }
        }
        let first = |(n, _): (usize, &bool)| [n % self.blocks[0] * TUBES, n / self.blocks[0] * TUBES];
        mask.iter().enumerate().filter(|(_, occupied)| **occupied).map(first).collect()
    }
}
