//! Layers of tetrahedra behind a flat outer surface of a mesh, such as the guide behind a port.

use super::mesh::{TET_EDGES, TET_FACES, TetMesh, determinant, group_number};
use crate::error::MeshError;
use crate::triangle::vec3::{Vec3, add, times};
use std::collections::{BTreeMap, HashMap};

/// Ends of an edge, in order.
type Edge = [u32; 2];

/// A layer of an extrusion.
#[derive(Debug, Clone, PartialEq)]
pub struct ExtrudedLayer {
    /// Its height, m.
    pub height: f64,
    /// Its volume groups have the names of those that they continue, with this before them.
    pub prefix: String,
    /// The surface group of the faces at which it begins, if they are to have one.
    pub begin: Option<String>,
}

/// The surface group of the faces that stand on an edge of the faces of an extrusion, ends in order; those on other edges are in none.
pub type SideNames = BTreeMap<[u32; 2], String>;

impl TetMesh {
    /// Adds layers behind outer faces that lie in one plane, along the unit vector `direction`. Each face becomes a column of prisms, and
    /// each prism three tetrahedra. Edges of a mesh of the second order are straight in the layers but for those of the faces
    /// themselves.
    ///
    /// ```
    /// use phasefront_mesh::{BoxMesh, ExtrudedLayer};
    ///
    /// let mut mesh = BoxMesh { to: [1.0; 3], cell: [0.5; 3], name: "air".into(), ..BoxMesh::default() }.mesh().unwrap();
    /// let group = mesh.surface("zmax").unwrap();
    /// let faces: Vec<_> = mesh.faces().unwrap().faces_in(group).collect();
    /// let layer = ExtrudedLayer { height: 0.25, prefix: "pml_".into(), begin: None };
    /// mesh.extrude(&faces, [0.0, 0.0, 1.0], &[layer], &Default::default()).unwrap();
    /// let added = mesh.volume_group("pml_air").unwrap();
    /// assert_eq!(mesh.volume_of.iter().filter(|group| **group == added).count(), 3 * faces.len());
    /// ```
    pub fn extrude(
        &mut self,
        faces: &[(usize, usize)],
        direction: [f64; 3],
        layers: &[ExtrudedLayer],
        sides: &SideNames,
    ) -> Result<(), MeshError> {
        let mut column = Columns::new(self, faces);
        for layer in layers {
            let upper = self.lifted(&column.corners, times(layer.height, direction));
            for (corners, volume) in column.corners.iter().zip(&column.volumes) {
                let name = format!("{}{}", layer.prefix, self.volume_names[usize::from(*volume)]);
                let volume = self.volume_number(&name)?;
                self.add_prism([*corners, corners.map(|node| upper[&node])], volume, &mut column.middles);
            }
            let begins =
                layer.begin.iter().flat_map(|name| column.corners.iter().map(move |face| (*face, name)));
            // Divided as the prism is, from the lower number below to the higher one above.
            let stands = sides.iter().flat_map(|(edge, name)| {
                let [a, b] = edge.map(|node| column.above[&node]);
                let [c, d] = [upper[&a], upper[&b]];
                [([a, b, d], name), ([a, d, c], name)]
            });
            for (corners, name) in begins.chain(stands) {
                self.add_triangle(corners, name, &column.middles)?;
            }
            column.rise(&upper);
        }
        Ok(())
    }

    /// Adds a triangle to a surface group, which may be a new one.
    fn add_triangle(
        &mut self,
        corners: [u32; 3],
        name: &str,
        middles: &HashMap<Edge, u32>,
    ) -> Result<(), MeshError> {
        let found = self.surface_names.iter().position(|known| known == name);
        let position = found.unwrap_or(self.surface_names.len());
        if found.is_none() {
            self.surface_names.push(name.to_owned());
        }
        self.surface_of.push(group_number(position)?);
        self.triangles.push(corners);
        if !self.middles.is_empty() {
            let [a, b, c] = corners;
            self.triangle_middles.push([[a, b], [b, c], [c, a]].map(|[a, b]| middles[&[a.min(b), a.max(b)]]));
        }
        Ok(())
    }

    /// The number of a volume group, which may be a new one.
    fn volume_number(&mut self, name: &str) -> Result<u16, MeshError> {
        let found = self.volume_names.iter().position(|known| known == name);
        let position = found.unwrap_or(self.volume_names.len());
        if found.is_none() {
            self.volume_names.push(name.to_owned());
        }
        group_number(position)
    }

    /// Copies of nodes, displaced by a step; in the order of their numbers, so that the copies are in order, too.
    fn lifted(&mut self, corners: &[[u32; 3]], step: Vec3) -> HashMap<u32, u32> {
        let mut nodes: Vec<u32> = corners.iter().flatten().copied().collect();
        nodes.sort_unstable();
        nodes.dedup();
        let lift = |node: u32| {
            self.nodes.push(add(self.nodes[node as usize], step));
            (node, self.nodes.len() as u32 - 1)
        };
        nodes.into_iter().map(lift).collect()
    }

    /// Adds a prism over a triangle with rising numbers as three tetrahedra. The diagonal of each side goes from the lower number below
    /// to the higher one above.
    fn add_prism(&mut self, [below, above]: [[u32; 3]; 2], volume: u16, middles: &mut HashMap<Edge, u32>) {
        let [[a, b, c], [d, e, f]] = [below, above];
        for mut corners in [[a, b, c, f], [a, b, e, f], [a, d, e, f]] {
            if determinant(corners.map(|node| self.nodes[node as usize])) < 0.0 {
                corners.swap(2, 3);
            }
            if !self.middles.is_empty() {
                let of_tet = TET_EDGES.map(|ends| {
                    let [from, to] = ends.map(|i| corners[i]);
                    *middles.entry([from.min(to), from.max(to)]).or_insert_with(|| {
                        let [p, q] = [from, to].map(|node| self.nodes[node as usize]);
                        self.nodes.push(times(0.5, add(p, q)));
                        self.nodes.len() as u32 - 1
                    })
                });
                self.middles.push(of_tet);
            }
            self.tets.push(corners);
            self.volume_of.push(volume);
        }
    }
}

/// The columns of an extrusion, one over each face.
struct Columns {
    /// Corners of their upper ends, with rising numbers: columns that share an edge divide their common side in the same way.
    corners: Vec<[u32; 3]>,
    /// The volume groups that they continue.
    volumes: Vec<u16>,
    /// The node that stands above each node of the faces.
    above: HashMap<u32, u32>,
    /// Nodes on edges, of a mesh of the second order.
    middles: HashMap<Edge, u32>,
}

impl Columns {
    fn new(mesh: &TetMesh, faces: &[(usize, usize)]) -> Self {
        let sorted = |&(tet, face): &(usize, usize)| {
            let mut corners = mesh.face(tet, face);
            corners.sort_unstable();
            corners
        };
        let corners: Vec<[u32; 3]> = faces.iter().map(sorted).collect();
        let above = corners.iter().flatten().map(|node| (*node, *node)).collect();
        let volumes = faces.iter().map(|&(tet, _)| mesh.volume_of[tet]).collect();
        let mut middles = HashMap::new();
        for &(tet, face) in faces.iter().filter(|_| !mesh.middles.is_empty()) {
            for (ends, middle) in TET_EDGES.iter().zip(mesh.middles[tet]) {
                if ends.iter().all(|end| TET_FACES[face].contains(end)) {
                    let [a, b] = ends.map(|end| mesh.tets[tet][end]);
                    middles.insert([a.min(b), a.max(b)], middle);
                }
            }
        }
        Self { corners, volumes, above, middles }
    }

    /// Goes on from the upper ends of a layer.
    fn rise(&mut self, upper: &HashMap<u32, u32>) {
        for node in self.corners.iter_mut().flatten() {
            *node = upper[node];
        }
        for node in self.above.values_mut() {
            *node = upper[node];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BoxMesh;

    /// A box of 1 by 2 by 1 with two layers of 0.5 and 0.25 behind its end: a conforming mesh with outer sides in the groups of the
    /// edges that they stand on.
    #[test]
    fn layers_fit_to_the_mesh_and_to_each_other() {
        let mut mesh =
            BoxMesh { to: [1.0, 2.0, 1.0], cell: [0.5; 3], name: "air".into(), ..BoxMesh::default() }
                .mesh()
                .unwrap();
        let group = mesh.surface("zmax").unwrap();
        let faces: Vec<(usize, usize)> = mesh.faces().unwrap().faces_in(group).collect();
        let (before, outer) = (mesh.tets.len(), mesh.faces().unwrap().boundary().count());
        let layer = |height: f64, prefix: &str, begin: Option<&str>| ExtrudedLayer {
            height,
            prefix: prefix.into(),
            begin: begin.map(str::to_owned),
        };
        let layers = [layer(0.5, "guide_", None), layer(0.25, "pml_", Some("sheet"))];
        let walls = ["xmin", "xmax", "ymin", "ymax"].map(|name| (mesh.surface(name).unwrap(), name));
        let mut sides = SideNames::new();
        let at_end = |node: &u32| mesh.nodes[*node as usize][2] == 1.0;
        for (triangle, group) in mesh.triangles.iter().zip(&mesh.surface_of) {
            let mut edge: Vec<u32> = triangle.iter().copied().filter(at_end).collect();
            edge.sort_unstable();
            if let (Some((_, name)), [a, b]) = (walls.iter().find(|(wall, _)| wall == group), &edge[..]) {
                sides.insert([*a, *b], if *name == "xmin" { "left" } else { "other" }.to_owned());
            }
        }
        mesh.extrude(&faces, [0.0, 0.0, 1.0], &layers, &sides).unwrap();
        assert_eq!(mesh.tets.len() - before, 2 * 3 * faces.len());
        let volume = |name: &str| {
            let group = mesh.volume_group(name).unwrap();
            let tets = (0..mesh.tets.len()).filter(|tet| mesh.volume_of[*tet] == group);
            tets.map(|tet| determinant(mesh.corners(tet)) / 6.0).sum::<f64>()
        };
        assert!((volume("guide_air") - 1.0).abs() < 1e-12 && (volume("pml_air") - 0.5).abs() < 1e-12);
        let table = mesh.faces().unwrap();
        let area = |name: &str| {
            let group = mesh.surface(name).unwrap();
            let area = |(tet, face): (usize, usize)| {
                let [p, q, r] = mesh.face_corners(tet, face).map(glam::DVec3::from);
                0.5 * (q - p).cross(r - p).length()
            };
            table.faces_in(group).map(area).sum::<f64>()
        };
        // Both sides of an inner face count.
        for (name, expected) in [("left", 1.5), ("other", 0.75 * 4.0), ("sheet", 2.0 * 2.0), ("zmax", 4.0)] {
            assert!((area(name) - expected).abs() < 1e-12, "{name}: {}", area(name));
        }
        // The new end has as many faces as the old one; each of 12 edges has two triangles in each layer.
        assert_eq!(table.boundary().count(), outer + 12 * 2 * 2);
    }
}
