//! Point location: which tetrahedron contains a point.

use crate::geometry::Shape;
use crate::reference::basis::barycentric;
use glam::DVec3;
use phasefront_mesh::TetMesh;

/// Tolerance in barycentric coordinates: a point on a face belongs to an element in spite of rounding.
const SLACK: f64 = 1e-9;

/// A uniform grid of cells, each with the tetrahedra that overlap it.
pub struct Locator<'a> {
    mesh: &'a TetMesh,
    low: DVec3,
    cell: DVec3,
    counts: [usize; 3],
    /// Start of the list of each cell.
    start: Vec<u32>,
    tets: Vec<u32>,
}

impl<'a> Locator<'a> {
    /// About one cell for every two tetrahedra.
    pub fn new(mesh: &'a TetMesh) -> Self {
        let points = || mesh.nodes.iter().copied().map(DVec3::from);
        let low = points().fold(DVec3::INFINITY, DVec3::min);
        let high = points().fold(DVec3::NEG_INFINITY, DVec3::max);
        // A flat or empty mesh must not divide by zero.
        let size = (high - low).max(DVec3::splat(1e-30));
        // Cubes with twice the mean volume of a tetrahedron.
        let edge = (2.0 * size.element_product() / mesh.tets.len().max(1) as f64).cbrt();
        let counts = (size / edge).to_array().map(|n| (n.ceil() as usize).clamp(1, 512));
        let cell = size / DVec3::from(counts.map(|n| n as f64));
        let mut locator = Self { mesh, low, cell, counts, start: Vec::new(), tets: Vec::new() };
        let mut lists = vec![Vec::new(); counts.iter().product()];
        for tet in 0..mesh.tets.len() {
            let shape = Shape::of(mesh, tet);
            let nodes = || shape.corners.iter().chain(&shape.middles).copied();
            // A curved edge deviates from its nodes by less than their distance.
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
        // Lists of all cells in one array (CSR).
        for list in lists {
            locator.start.push(locator.tets.len() as u32);
            locator.tets.extend(list);
        }
        locator.start.push(locator.tets.len() as u32);
        locator
    }

    fn cell_of(&self, position: DVec3) -> [usize; 3] {
        let at = ((position - self.low) / self.cell).to_array();
        std::array::from_fn(|axis| (at[axis].max(0.0) as usize).min(self.counts[axis] - 1))
    }

    /// The tetrahedron and the local coordinates in it; none outside of the mesh.
    pub fn find(&self, position: DVec3) -> Option<(usize, [f64; 3])> {
        let [x, y, z] = self.cell_of(position);
        let cell = (z * self.counts[1] + y) * self.counts[0] + x;
        let list = &self.tets[self.start[cell] as usize..self.start[cell + 1] as usize];
        // A point on a common face belongs to the first of its elements in the order of the mesh.
        list.iter().find_map(|&tet| {
            let local = Shape::of(self.mesh, tet as usize).locate(position)?;
            barycentric(local).iter().all(|λ| *λ >= -SLACK).then_some((tet as usize, local))
        })
    }
}
