//! Refinement without a change of the surface.

use super::mesh::TriangleMesh;
use super::vec3::{Vec3, dot, middle, sub};
use std::collections::{BinaryHeap, HashMap};

impl TriangleMesh {
    /// Each triangle cut into four, at the middles of its sides.
    ///
    /// ```
    /// let plate = phasefront_mesh::targets::plate([1.0, 1.0], [1, 1]).unwrap();
    /// let finer = plate.subdivided();
    /// assert_eq!((finer.triangles.len(), finer.vertices.len()), (8, 9));
    /// assert_eq!(finer.area(), 1.0);
    /// ```
    #[must_use]
    pub fn subdivided(&self) -> Self {
        let mut fine = Self { vertices: self.vertices.clone(), ..Self::default() };
        fine.group_names.clone_from(&self.group_names);
        let mut middles = HashMap::new();
        for (&[a, b, c], &group) in self.triangles.iter().zip(&self.groups) {
            let [ab, bc, ca] = [[a, b], [b, c], [c, a]].map(|[from, to]| {
                *middles.entry([from.min(to), from.max(to)]).or_insert_with(|| fine.add_middle(from, to))
            });
            fine.triangles.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
            fine.groups.extend([group; 4]);
        }
        fine
    }

    fn add_middle(&mut self, a: u32, b: u32) -> u32 {
        self.vertices.push(middle(self.vertices[a as usize], self.vertices[b as usize]));
        self.vertices.len() as u32 - 1
    }
}

/// Cuts the longest edges in half until there are `count` triangles. On a closed surface each cut adds two, so `count`
/// must be even; a mesh that has as many or more stays as it is.
pub(crate) fn split_longest(mesh: &mut TriangleMesh, count: usize) {
    let mut sides: HashMap<[u32; 2], Vec<usize>> = HashMap::new();
    for (t, &[a, b, c]) in mesh.triangles.iter().enumerate() {
        for [from, to] in [[a, b], [b, c], [c, a]] {
            sides.entry([from.min(to), from.max(to)]).or_default().push(t);
        }
    }
    let mut longest: BinaryHeap<(u64, [u32; 2])> =
        sides.keys().map(|&edge| (length(&mesh.vertices, edge), edge)).collect();
    while mesh.triangles.len() < count {
        // Ties are resolved by the vertex indices in the key, so that the result is reproducible.
        let Some((_, edge)) = longest.pop() else { return };
        let new = mesh.add_middle(edge[0], edge[1]);
        let mut halves = [Vec::new(), Vec::new()];
        for t in sides.remove(&edge).unwrap_or_default() {
            let whole = mesh.triangles[t];
            let added = mesh.triangles.len();
            // This triangle retains the first end of the edge; the added one has the second.
            let put = |end: u32| whole.map(|i| if i == end { new } else { i });
            mesh.triangles[t] = put(edge[1]);
            mesh.triangles.push(put(edge[0]));
            mesh.groups.push(mesh.groups[t]);
            halves[0].push(t);
            halves[1].push(added);
            let Some(apex) = whole.into_iter().find(|i| !edge.contains(i)) else { continue };
            // The side between the second end and the apex now belongs to the added triangle.
            let outer = [edge[1].min(apex), edge[1].max(apex)];
            for user in sides.entry(outer).or_default().iter_mut().filter(|user| **user == t) {
                *user = added;
            }
            // In order: the new vertex has the highest index.
            let cut = [apex, new];
            sides.insert(cut, vec![t, added]);
            longest.push((length(&mesh.vertices, cut), cut));
        }
        for (end, users) in edge.into_iter().zip(halves) {
            sides.insert([end, new], users);
            longest.push((length(&mesh.vertices, [end, new]), [end, new]));
        }
    }
}

/// The squared length as an ordering key: the bits of positive floats are ordered like their
/// values.
fn length(vertices: &[Vec3], [a, b]: [u32; 2]) -> u64 {
    let along = sub(vertices[b as usize], vertices[a as usize]);
    dot(along, along).to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets::cuboid;
    use crate::triangle::{WELD_TOLERANCE, repair};

    #[test]
    fn splitting_keeps_the_body() {
        let mut mesh = cuboid([3.0, 2.0, 1.0], [1, 1, 1]).unwrap();
        split_longest(&mut mesh, 1000);
        assert_eq!(mesh.triangles.len(), 1000);
        assert!((mesh.volume() - 6.0).abs() < 1e-12 && (mesh.area() - 22.0).abs() < 1e-12);
        let report = repair(mesh, WELD_TOLERANCE).unwrap().report;
        assert_eq!((report.closed_shells, report.triangles, report.repairs.flipped), (1, 1000, 0));
    }

    #[test]
    fn subdivision_keeps_the_body_closed() {
        let mesh = cuboid([3.0, 2.0, 1.0], [1, 1, 1]).unwrap().subdivided().subdivided();
        assert_eq!(mesh.triangles.len(), 12 * 16);
        // Euler: half as many triangles as vertices, and two more.
        assert_eq!(mesh.vertices.len(), 12 * 8 + 2);
        assert!((mesh.volume() - 6.0).abs() < 1e-12);
    }
}
