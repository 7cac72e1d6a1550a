//! Which tetrahedron holds a place.

use crate::geometry::Shape;
use crate::reference::basis::barycentric;
use glam::DVec3;
use phasefront_mesh::TetMesh;

/// How far outside an element, in barycentric coordinates, a place may be and still belong to it: rounding on a face.
const SLACK: f64 = 1e-9;

/// A grid of boxes, each with the tetrahedra that reach into it.
pub struct Locator<'a> {
    mesh: &'a TetMesh,
    low: DVec3,
    cell: DVec3,
    counts: [usize; 3],
    /// Where the list of each box begins.
    start: Vec<u32>,
    tets: Vec<u32>,
}

impl<'a> Locator<'a> {
    /// About one box for every two tetrahedra.
    pub fn new(mesh: &'a TetMesh) -> Self {
        let points = || mesh.nodes.iter().copied().map(DVec3::from);
        let low = points().fold(DVec3::INFINITY, DVec3::min);
        let high = points().fold(DVec3::NEG_INFINITY, DVec3::max);
        let size = (high - low).max(DVec3::splat(1e-30));
        let edge = (2.0 * size.element_product() / mesh.tets.len().max(1) as f64).cbrt();
        let counts = (size / edge).to_array().map(|n| (n.ceil() as usize).clamp(1, 512));
        let cell = size / DVec3::from(counts.map(|n| n as f64));
        let mut locator = Self { mesh, low, cell, counts, start: Vec::new(), tets: Vec::new() };
        let mut lists = vec![Vec::new(); counts.iter().product()];
        for tet in 0..mesh.tets.len() {
            let shape = Shape::of(mesh, tet);
            let nodes = || shape.corners.iter().chain(&shape.middles).copied();
            // A curved edge swings out no farther beyond its nodes than they are apart.
            let (a, b) =
                (nodes().fold(DVec3::INFINITY, DVec3::min), nodes().fold(DVec3::NEG_INFINITY, DVec3::max));
            let margin = if shape.curved { 0.25 * (b - a) } else { 1e-9 * (b - a) };
            let [from, to] = [a - margin, b + margin].map(|p| locator.cell_of(p));
            for z in from[2]..=to[2] {
                for y in from[1]..=to[1] {
                    for x in from[0]..=to[0] {
                        lists[(z * counts[1] + y) * counts[0] + x].push(tet as u32);
                    }
                }
            }
        }
        for list in lists {
            locator.start.push(locator.tets.len() as u32);
            locator.tets.extend(list);
        }
        locator.start.push(locator.tets.len() as u32);
        locator
    }

    fn cell_of(&self, place: DVec3) -> [usize; 3] {
        let at = ((place - self.low) / self.cell).to_array();
        std::array::from_fn(|axis| (at[axis].max(0.0) as usize).min(self.counts[axis] - 1))
    }

    /// The tetrahedron and the place on it; none outside of the mesh.
    pub fn find(&self, place: DVec3) -> Option<(usize, [f64; 3])> {
        let [x, y, z] = self.cell_of(place);
        let cell = (z * self.counts[1] + y) * self.counts[0] + x;
        let list = &self.tets[self.start[cell] as usize..self.start[cell + 1] as usize];
        list.iter().find_map(|&tet| {
            let local = Shape::of(self.mesh, tet as usize).locate(place)?;
            barycentric(local).iter().all(|λ| *λ >= -SLACK).then_some((tet as usize, local))
        })
    }
}
