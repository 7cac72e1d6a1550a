//! Point location: which tetrahedron contains a point.

use crate::geometry::Shape;
use crate::reference::basis::barycentric;
use glam::DVec3;
use phasefront_mesh::TetMesh;
use rayon::prelude::*;

/// Tolerance in barycentric coordinates: a point on a face belongs to an element in spite of rounding.
const SLACK: f64 = 1e-9;

/// A uniform grid of cells, each with the tetrahedra that overlap it.
pub struct Locator<'a> {
    mesh: &'a TetMesh,
    low: DVec3,
    cell: DVec3,
    counts: [usize; 3],
    /// Start of the list of each cell.
    start: Vec<usize>,
    tets: Vec<u32>,
}

impl<'a> Locator<'a> {
    /// About one cell for every two tetrahedra. Only elements of the model are found: guides behind ports may overlap it.
    pub fn new(mesh: &'a TetMesh, in_model: impl Fn(usize) -> bool + Sync) -> Self {
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
        // Cell and tetrahedron, sorted: in each cell the tetrahedra are in the order of the mesh.
        let found = (0..mesh.tets.len()).into_par_iter().filter(|tet| in_model(*tet));
        let mut pairs: Vec<u64> = found.flat_map_iter(|tet| locator.cells_of(tet)).collect();
        // Counting sort would need a pass with atomics; sorted pairs are the same for any number of threads.
        pairs.par_sort_unstable();
        let cells = counts.iter().product::<usize>() as u64;
        locator.start =
            (0..=cells).into_par_iter().map(|cell| pairs.partition_point(|pair| pair >> 32 < cell)).collect();
        locator.tets = pairs.into_par_iter().map(|pair| pair as u32).collect();
        locator
    }

    /// The cells that a tetrahedron overlaps, each with the tetrahedron in the lower half.
    fn cells_of(&self, tet: usize) -> impl Iterator<Item = u64> + use<> {
        let shape = Shape::of(self.mesh, tet);
        let nodes = || shape.corners.iter().chain(&shape.middles).copied();
        // A curved edge deviates from its nodes by less than their distance.
        let (a, b) =
            (nodes().fold(DVec3::INFINITY, DVec3::min), nodes().fold(DVec3::NEG_INFINITY, DVec3::max));
        let margin = if shape.curved { 0.25 * (b - a) } else { 1e-9 * (b - a) };
        let ([from, to], counts) = ([a - margin, b + margin].map(|p| self.cell_of(p)), self.counts);
        let rows = (from[2]..=to[2]).flat_map(move |z| (from[1]..=to[1]).map(move |y| z * counts[1] + y));
        rows.flat_map(move |row| (from[0]..=to[0]).map(move |x| row * counts[0] + x))
            .map(move |cell| (cell as u64) << 32 | tet as u64)
    }

    fn cell_of(&self, position: DVec3) -> [usize; 3] {
        let at = ((position - self.low) / self.cell).to_array();
        std::array::from_fn(|axis| (at[axis].max(0.0) as usize).min(self.counts[axis] - 1))
    }

    /// The tetrahedron and the local coordinates in it; none outside of the mesh.
    pub fn find(&self, position: DVec3) -> Option<(usize, [f64; 3])> {
        let [x, y, z] = self.cell_of(position);
        let cell = (z * self.counts[1] + y) * self.counts[0] + x;
        let list = &self.tets[self.start[cell]..self.start[cell + 1]];
        // A point on a common face belongs to the first of its elements in the order of the mesh.
        list.iter().find_map(|&tet| {
            let local = Shape::of(self.mesh, tet as usize).locate(position)?;
            barycentric(local).iter().all(|λ| *λ >= -SLACK).then_some((tet as usize, local))
        })
    }
}
