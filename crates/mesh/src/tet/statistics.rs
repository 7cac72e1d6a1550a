//! What a mesh consists of: groups with their sizes, the shapes and the sizes of elements.

use super::mesh::{TetMesh, determinant};
use crate::triangle::vec3::{Vec3, add, cross, dot, norm, sub, times};

/// What a mesh consists of.
///
/// ```
/// use phasefront_mesh::BoxMesh;
///
/// let cube = BoxMesh { to: [2.0; 3], cell: [1.0; 3], name: "air".into(), ..BoxMesh::default() }.mesh().unwrap();
/// let found = cube.statistics();
/// assert_eq!(found.volumes[0].elements, 48);
/// assert!((found.volumes[0].size - 8.0).abs() < 1e-12);
/// assert!((found.edges[2] - 3_f64.sqrt()).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct MeshStatistics {
    /// Volume groups, with their tetrahedra.
    pub volumes: Vec<GroupStatistics>,
    /// Surface groups, with their triangles.
    pub surfaces: Vec<GroupStatistics>,
    /// Shapes of elements, 12 (3V)^(2/3) / Σ l² over the six edges: 1 for a regular tetrahedron, 0 for a flat one. The smallest and the
    /// median.
    pub quality: [f64; 2],
    /// Center of the element of the worst shape.
    pub worst: [f64; 3],
    /// Lengths of edges in meters: the shortest, the median and the longest.
    pub edges: [f64; 3],
}

/// A group of elements.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupStatistics {
    /// Its name.
    pub name: String,
    /// How many elements it has.
    pub elements: usize,
    /// Their volume in cubic meters, or area in square meters; of straight elements.
    pub size: f64,
}

impl TetMesh {
    /// Shape of an element, as in [`MeshStatistics::quality`].
    pub fn quality(&self, tet: usize) -> f64 {
        let corners = self.corners(tet);
        let squares: f64 = edges_of(corners).iter().map(|l| l * l).sum();
        12.0 * (0.5 * determinant(corners)).cbrt().powi(2) / squares
    }

    /// What the mesh consists of.
    pub fn statistics(&self) -> MeshStatistics {
        let group = |name: &String| GroupStatistics { name: name.clone(), elements: 0, size: 0.0 };
        let mut volumes: Vec<GroupStatistics> = self.volume_names.iter().map(group).collect();
        let mut surfaces: Vec<GroupStatistics> = self.surface_names.iter().map(group).collect();
        let (mut qualities, mut edges) = (Vec::with_capacity(self.tets.len()), Vec::new());
        for t in 0..self.tets.len() {
            let corners = self.corners(t);
            let volume = determinant(corners) / 6.0;
            qualities.push(self.quality(t));
            edges.extend(edges_of(corners));
            let group = &mut volumes[usize::from(self.volume_of[t])];
            group.elements += 1;
            group.size += volume;
        }
        for (triangle, &of) in self.triangles.iter().zip(&self.surface_of) {
            let [a, b, c] = triangle.map(|i| self.nodes[i as usize]);
            let group = &mut surfaces[usize::from(of)];
            group.elements += 1;
            group.size += 0.5 * norm(cross(sub(b, a), sub(c, a)));
        }
        let worst = (0..qualities.len()).min_by(|&a, &b| qualities[a].total_cmp(&qualities[b])).unwrap_or(0);
        let at = self.corners(worst).into_iter().fold([0.0; 3], add);
        let smallest = qualities.get(worst).copied().unwrap_or_default();
        edges.sort_by(f64::total_cmp);
        MeshStatistics {
            volumes,
            surfaces,
            quality: [smallest, median(&mut qualities)],
            worst: times(0.25, at),
            edges: [0, edges.len() / 2, edges.len().saturating_sub(1)]
                .map(|i| edges.get(i).copied().unwrap_or(0.0)),
        }
    }
}

fn edges_of(corners: [Vec3; 4]) -> [f64; 6] {
    super::mesh::TET_EDGES.map(|[a, b]| {
        let edge = sub(corners[b], corners[a]);
        dot(edge, edge).sqrt()
    })
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_regular_tetrahedron_is_the_best() {
        let regular = [[1.0, 1.0, 1.0], [-1.0, -1.0, 1.0], [-1.0, 1.0, -1.0], [1.0, -1.0, -1.0]];
        let mut mesh = TetMesh {
            nodes: regular.to_vec(),
            tets: vec![[0, 1, 2, 3]],
            volume_of: vec![0],
            volume_names: vec!["a".into()],
            ..TetMesh::default()
        };
        let found = mesh.statistics();
        assert!((found.quality[0] - 1.0).abs() < 1e-12, "{found:?}");
        // The side is √8, the volume a³/6√2.
        assert!((found.volumes[0].size - 8_f64.sqrt().powi(3) / 72_f64.sqrt()).abs() < 1e-12);
        mesh.nodes[3] = [-0.3, 0.3, 0.34];
        assert!(mesh.statistics().quality[0] < 0.2);
    }
}
