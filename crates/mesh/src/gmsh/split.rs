//! Hexahedra, prisms and pyramids, divided into tetrahedra: of the first order with flat faces, and of the second order.
//!
//! Every face with four corners is divided by the diagonal through its corner with the lowest number, which is the same seen from both
//! sides; an element, by the tetrahedra between its corner with the lowest number and the triangles of the faces opposite to it. In the
//! second order the nodes in the middle of faces and of hexahedra are on these diagonals, so that neighbors have the same nodes there, too.
//! Serendipity elements, which lack them, get those of their own map.

use super::mesh::{ElementBlock, ElementKind, GmshMesh};
use crate::error::MeshError;
use crate::tet::TET_EDGES;
use crate::triangle::vec3::{Vec3, add, cross, dot, norm, sub, times};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

/// A shape that is divided.
struct Shape {
    name: &'static str,
    /// Gmsh's numbers of the first order, of serendipity elements and of complete ones of the second.
    numbers: [i32; 3],
    corners: usize,
    /// Corners of edges and of faces with four corners, in the order of their nodes in elements of the second order (reference manual, "Node
    /// ordering").
    edges: &'static [[usize; 2]],
    quads: &'static [[usize; 4]],
    triangles: &'static [[usize; 3]],
}

const QUADRANGLE: Shape = Shape {
    name: "quadrangles",
    numbers: [3, 16, 10],
    corners: 4,
    edges: &[[0, 1], [1, 2], [2, 3], [3, 0]],
    quads: &[[0, 1, 2, 3]],
    triangles: &[],
};
const HEXAHEDRON: Shape = Shape {
    name: "hexahedra",
    numbers: [5, 17, 12],
    corners: 8,
    edges: &[[0, 1], [0, 3], [0, 4], [1, 2], [1, 5], [2, 3], [2, 6], [3, 7], [4, 5], [4, 7], [5, 6], [6, 7]],
    quads: &[[0, 1, 2, 3], [0, 1, 5, 4], [0, 3, 7, 4], [1, 2, 6, 5], [2, 3, 7, 6], [4, 5, 6, 7]],
    triangles: &[],
};
const PRISM: Shape = Shape {
    name: "prisms",
    numbers: [6, 18, 13],
    corners: 6,
    edges: &[[0, 1], [0, 2], [0, 3], [1, 2], [1, 4], [2, 5], [3, 4], [3, 5], [4, 5]],
    quads: &[[0, 1, 4, 3], [0, 2, 5, 3], [1, 2, 5, 4]],
    triangles: &[[0, 1, 2], [3, 4, 5]],
};
const PYRAMID: Shape = Shape {
    name: "pyramids",
    numbers: [7, 19, 14],
    corners: 5,
    edges: &[[0, 1], [0, 3], [0, 4], [1, 2], [1, 4], [2, 3], [2, 4], [3, 4]],
    quads: &[[0, 1, 2, 3]],
    triangles: &[[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]],
};
/// Height of a corner over the plane of the others, relative to the size of a face, that counts as none.
const FLAT: f64 = 1e-6;

/// Nodes that serendipity elements get.
struct Centers {
    /// By the corners of a face, in order.
    of_quads: HashMap<[usize; 4], usize>,
    /// The number of the next one.
    next_tag: u64,
}

/// The mesh with tetrahedra and triangles in place of elements that can be divided exactly, and notes.
pub(super) fn split(mesh: &GmshMesh) -> Result<(Cow<'_, GmshMesh>, Vec<String>), MeshError> {
    let solid = |block: &ElementBlock| volume_shape(block.kind.number).is_some();
    if !mesh.blocks.iter().any(solid) {
        return Ok((Cow::Borrowed(mesh), Vec::new()));
    }
    let mut divided = mesh.clone();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut centers = Centers {
        of_quads: HashMap::new(),
        next_tag: mesh.node_tags.iter().max().map_or(1, |tag| tag.saturating_add(1)),
    };
    for b in 0..mesh.blocks.len() {
        let block = &mesh.blocks[b];
        let number = block.kind.number;
        if let Some(shape) = volume_shape(number) {
            *counts.entry(shape.name).or_default() += block.tags.len();
            if number == shape.numbers[0] {
                check_flat(mesh, block, shape)?;
            }
            divided.blocks[b] = parts(shape, block, &mut divided, &mut centers);
        } else if QUADRANGLE.numbers.contains(&number) {
            divided.blocks[b] = parts(&QUADRANGLE, block, &mut divided, &mut centers);
        }
    }
    let note = |(name, count)| format!("{count} {name} are divided into tetrahedra");
    Ok((Cow::Owned(divided), counts.into_iter().map(note).collect()))
}

fn volume_shape(number: i32) -> Option<&'static Shape> {
    [&HEXAHEDRON, &PRISM, &PYRAMID].into_iter().find(|shape| shape.numbers.contains(&number))
}

/// Refuses elements of the first order whose faces their tetrahedra would not have.
fn check_flat(mesh: &GmshMesh, block: &ElementBlock, shape: &Shape) -> Result<(), MeshError> {
    let is_bent = |nodes: &&[usize]| {
        shape.quads.iter().any(|quad| !is_flat(quad.map(|corner| mesh.nodes[nodes[corner]])))
    };
    let bent = block.nodes.chunks_exact(block.kind.nodes).filter(is_bent).count();
    if bent == 0 {
        return Ok(());
    }
    Err(MeshError::geometry(
        format!("{bent} {} of {} have faces that are not flat", shape.name, mesh.group_names(block)),
        "mesh with tetrahedra, or with Mesh.ElementOrder = 2: of the first order only elements with flat faces can be divided exactly",
    ))
}

/// The tetrahedra, or of quadrangles the triangles, of a block.
fn parts(shape: &Shape, block: &ElementBlock, mesh: &mut GmshMesh, centers: &mut Centers) -> ElementBlock {
    let second = block.kind.number != shape.numbers[0];
    // Gmsh's numbers of triangles and tetrahedra of both orders, and their nodes.
    let (number, nodes) = match (block.kind.dim, second) {
        (2, false) => (2, 3),
        (2, true) => (9, 6),
        (_, false) => (4, 4),
        (_, true) => (11, 10),
    };
    let kind = ElementKind { number, dim: block.kind.dim, nodes };
    let mut found = ElementBlock { kind, tags: Vec::new(), nodes: Vec::new(), ..block.clone() };
    for (given, &tag) in block.nodes.chunks_exact(block.kind.nodes).zip(&block.tags) {
        let mut nodes = given.to_vec();
        if block.kind.number == shape.numbers[1] {
            complete(shape, &mut nodes, mesh, centers);
        }
        for part in shape.divide(&nodes) {
            found.nodes.extend(part.iter().map(|&i| nodes[i]));
            if second {
                // The edges of a triangle are the first three of a tetrahedron.
                let edges = TET_EDGES.iter().filter(|edge| edge.iter().all(|end| *end < part.len()));
                found.nodes.extend(edges.map(|&[a, b]| nodes[shape.middle(part[a], part[b])]));
            }
            found.tags.push(tag);
        }
    }
    found
}

impl Shape {
    /// The parts of an element, by their corners.
    fn divide(&self, nodes: &[usize]) -> Vec<Vec<usize>> {
        let fans =
            self.quads.iter().map(|quad| fan(*quad, nodes)).chain(self.triangles.iter().map(|t| vec![*t]));
        if self.corners == 4 {
            return fans.flatten().map(|triangle| triangle.to_vec()).collect();
        }
        let lowest = (0..self.corners).min_by_key(|&i| nodes[i]).unwrap_or(0);
        // A triangle of the face that has the lowest corner is not opposite to it.
        let opposite = fans.filter(|fan| fan.iter().all(|triangle| !triangle.contains(&lowest)));
        opposite.flatten().map(|[a, b, c]| vec![a, b, c, lowest]).collect()
    }

    /// The node in the middle between two corners: of an edge, of a face, or of the element.
    fn middle(&self, a: usize, b: usize) -> usize {
        let at = |corners: &[usize]| corners.contains(&a) && corners.contains(&b);
        let edge = self.edges.iter().position(|edge| at(edge));
        let quad = || self.quads.iter().position(|quad| at(quad)).unwrap_or(self.quads.len());
        self.corners + edge.unwrap_or_else(|| self.edges.len() + quad())
    }
}

/// Adds the nodes that a serendipity element lacks, in the middle of its faces and, of a hexahedron, of itself.
fn complete(shape: &Shape, nodes: &mut Vec<usize>, mesh: &mut GmshMesh, centers: &mut Centers) {
    for quad in shape.quads {
        let mut key = quad.map(|corner| nodes[corner]);
        key.sort_unstable();
        let center = match centers.of_quads.get(&key) {
            Some(&center) => center,
            None => centers.add(shape, quad, 0.5, nodes, mesh),
        };
        centers.of_quads.insert(key, center);
        nodes.push(center);
    }
    if shape.corners == 8 {
        let center = centers.add(shape, &[0, 1, 2, 3, 4, 5, 6, 7], 0.25, nodes, mesh);
        nodes.push(center);
    }
}

impl Centers {
    /// A node in the middle between corners. The shape functions are -1/4 at all of them there, and those of the edges between them 1/2 on a
    /// face and 1/4 in a hexahedron.
    fn add(
        &mut self,
        shape: &Shape,
        corners: &[usize],
        of_edge: f64,
        nodes: &[usize],
        mesh: &mut GmshMesh,
    ) -> usize {
        let is_between = |e: &usize| shape.edges[*e].iter().all(|end| corners.contains(end));
        let edges = (0..shape.edges.len()).filter(is_between).map(|e| (of_edge, nodes[shape.corners + e]));
        let terms = corners.iter().map(|&i| (-0.25, nodes[i])).chain(edges);
        let center = terms.fold([0.0; 3], |sum, (weight, node)| add(sum, times(weight, mesh.nodes[node])));
        mesh.nodes.push(center);
        mesh.node_tags.push(self.next_tag);
        self.next_tag = self.next_tag.saturating_add(1);
        mesh.nodes.len() - 1
    }
}

/// The triangles of a face, which share its corner with the lowest number.
fn fan(corners: [usize; 4], nodes: &[usize]) -> Vec<[usize; 3]> {
    let lowest = (0..4).min_by_key(|&i| nodes[corners[i]]).unwrap_or(0);
    (1..3).map(|i| [0, i, i + 1].map(|step| corners[(lowest + step) % 4])).collect()
}

fn is_flat([a, b, c, d]: [Vec3; 4]) -> bool {
    let normal = cross(sub(c, a), sub(d, b));
    dot(sub(b, a), normal).abs() <= FLAT * norm(normal) * norm(sub(c, a)).max(norm(sub(d, b)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Units, gmsh_tets};
    use std::fmt::Write;

    /// Unit cubes side by side along x, prisms behind them and a pyramid on the first, with node numbers turned around.
    fn text(turned: bool) -> String {
        let mut nodes = Vec::new();
        for x in 0..3 {
            for y in 0..3 {
                for z in 0..2 {
                    nodes.push([f64::from(x), f64::from(y), f64::from(z)]);
                }
            }
        }
        nodes.push([0.5, 0.5, 1.7]);
        let count = nodes.len();
        let number = |x: usize, y: usize, z: usize| {
            let i = 6 * x + 2 * y + z;
            if turned { count - i } else { i + 1 }
        };
        let ring = |x: usize, y: usize, z: usize| {
            [number(x, y, z), number(x + 1, y, z), number(x + 1, y + 1, z), number(x, y + 1, z)]
        };
        let tip = if turned { 1 } else { count };
        let [low, high, next, above] = [ring(0, 0, 0), ring(0, 0, 1), ring(1, 0, 0), ring(1, 0, 1)];
        let [back, top] = [ring(0, 1, 0), ring(0, 1, 1)];
        let list = |numbers: &[usize]| numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
        let elements = [
            format!("5 2 1 1 {}", list(&[low, high].concat())),
            format!("5 2 1 1 {}", list(&[next, above].concat())),
            format!("6 2 1 1 {}", list(&[back[0], back[1], back[2], top[0], top[1], top[2]])),
            format!("6 2 1 1 {}", list(&[back[0], back[2], back[3], top[0], top[2], top[3]])),
            format!("7 2 1 1 {}", list(&[&high[..], &[tip]].concat())),
            format!("3 2 2 2 {}", list(&low)),
        ];
        let mut text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n3 1 \"slab\"\n2 2 \"floor\"\n$EndPhysicalNames\n".to_owned();
        let _ = writeln!(text, "$Nodes\n{count}");
        for (i, [x, y, z]) in nodes.iter().enumerate() {
            let _ = writeln!(text, "{} {x} {y} {z}", if turned { count - i } else { i + 1 });
        }
        let _ = writeln!(text, "$EndNodes\n$Elements\n{}", elements.len());
        for (i, element) in elements.iter().enumerate() {
            let _ = writeln!(text, "{} {element}", i + 1);
        }
        text + "$EndElements\n"
    }

    #[test]
    fn divided_elements_conform_and_fill_their_volume() {
        for turned in [false, true] {
            let import =
                gmsh_tets(&GmshMesh::parse(text(turned).as_bytes()).unwrap(), Units::Meters).unwrap();
            let mesh = &import.mesh;
            // Two cubes of six, two prisms of three, a pyramid of two.
            assert_eq!(mesh.tets.len(), 20);
            let volume: f64 = (0..20).map(|t| mesh.volume(t)).sum();
            assert!((volume - (3.0 + 0.7 / 3.0)).abs() < 1e-12, "{volume}");
            assert_eq!(mesh.statistics().surfaces[0].size, 1.0);
            // Faces meet: this refuses a mesh that does not conform.
            mesh.faces().unwrap();
            assert!(import.notes.iter().any(|note| note == "2 hexahedra are divided into tetrahedra"));
        }
    }

    #[test]
    fn bent_faces_are_refused_with_their_group() {
        let bent = text(false).replace("2 0 0 1\n", "2 0 0 1.1\n");
        let error = gmsh_tets(&GmshMesh::parse(bent.as_bytes()).unwrap(), Units::Meters).unwrap_err();
        assert_eq!(error.to_string(), "1 hexahedra of \"slab\" have faces that are not flat");
    }

    /// The mesh of `text` in the second order, complete or of serendipity elements, bent by a map of the second degree in each coordinate.
    fn bent(complete: bool, turned: bool, bend: &dyn Fn(Vec3) -> Vec3) -> GmshMesh {
        let mut mesh = GmshMesh::parse(text(turned).as_bytes()).unwrap();
        let mut known: HashMap<Vec<usize>, usize> = HashMap::new();
        for b in 0..mesh.blocks.len() {
            let block = mesh.blocks[b].clone();
            let shape = [&QUADRANGLE, &HEXAHEDRON, &PRISM, &PYRAMID]
                .into_iter()
                .find(|s| s.numbers[0] == block.kind.number)
                .unwrap();
            let all: Vec<usize> = (0..shape.corners).collect();
            let mut middles: Vec<&[usize]> = shape.edges.iter().map(|edge| &edge[..]).collect();
            if complete {
                middles.extend(shape.quads.iter().map(|quad| &quad[..]));
                middles.extend((shape.corners == 8).then_some(&all[..]));
            }
            let mut nodes = Vec::new();
            for element in block.nodes.chunks(shape.corners) {
                nodes.extend(element);
                for middle in &middles {
                    let mut key: Vec<usize> = middle.iter().map(|&i| element[i]).collect();
                    key.sort_unstable();
                    let sum = key.iter().fold([0.0; 3], |sum, &i| add(sum, mesh.nodes[i]));
                    let position = times(1.0 / key.len() as f64, sum);
                    nodes.push(*known.entry(key).or_insert_with(|| {
                        mesh.nodes.push(position);
                        mesh.node_tags.push(mesh.nodes.len() as u64);
                        mesh.nodes.len() - 1
                    }));
                }
            }
            let kind = ElementKind::new(shape.numbers[if complete { 2 } else { 1 }]).unwrap();
            assert_eq!(kind.nodes, shape.corners + middles.len());
            mesh.blocks[b] = ElementBlock { kind, nodes, ..block };
        }
        mesh.nodes.iter_mut().for_each(|x| *x = bend(*x));
        mesh
    }

    /// x + y z/10 is in both spaces of shape functions, with a Jacobian of 1: volumes stay, and so do the areas of faces at z = 0.
    #[test]
    fn elements_of_the_second_order_keep_their_shape() {
        let bend = |[x, y, z]: Vec3| [x + 0.1 * y * z, y, z];
        for (complete, turned) in [(true, false), (true, true), (false, false), (false, true)] {
            // A pyramid's map is rational: it is left straight.
            let mut mesh = bent(complete, turned, &bend);
            mesh.blocks.retain(|block| !PYRAMID.numbers.contains(&block.kind.number));
            let import = gmsh_tets(&mesh, Units::Meters).unwrap();
            let mesh = &import.mesh;
            assert_eq!((mesh.tets.len(), mesh.middles.len()), (18, 18));
            let volume: f64 = (0..18).map(|t| mesh.volume(t)).sum();
            assert!((volume - 3.0).abs() < 1e-12, "{volume}");
            assert_eq!(mesh.triangle_middles.len(), 2);
            mesh.faces().unwrap();
            // Every node is on the bent mesh: x - y z/10 is a multiple of 1/2.
            for [x, y, z] in &mesh.nodes {
                let twice = 2.0 * (x - 0.1 * y * z);
                assert!((twice - twice.round()).abs() < 1e-12, "{x} {y} {z}");
            }
        }
        // Straight, with the pyramid.
        for complete in [true, false] {
            let import = gmsh_tets(&bent(complete, true, &|x| x), Units::Meters).unwrap();
            let volume: f64 = (0..20).map(|t| import.mesh.volume(t)).sum();
            assert!((volume - (3.0 + 0.7 / 3.0)).abs() < 1e-12, "{volume}");
            import.mesh.faces().unwrap();
        }
    }
}
