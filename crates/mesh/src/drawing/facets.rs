//! Flat faces of a triangulated surface: triangles that lie in one plane side by side are one face.

use crate::triangle::vec3::{Vec3, cross, dot, norm, sub};
use crate::triangle::{DisjointSets, Edges, TriangleMesh};
use std::collections::{BTreeMap, HashMap};

/// Angle between triangles of one plane, in radians: coordinates of STL files have seven digits.
const FLAT: f64 = 1e-5;

/// A face: closed lines of vertices, the outer one first, then those of its holes.
pub(super) type Face = Vec<Vec<u32>>;

/// The faces of each shell of a closed surface.
pub(super) fn planar_faces(mesh: &TriangleMesh) -> Vec<Vec<Face>> {
    let edges = Edges::of(mesh);
    let [mut planes, mut shells] = [0, 1].map(|_| DisjointSets::new(mesh.triangles.len()));
    let normals: Vec<Vec3> = (0..mesh.triangles.len()).map(|t| mesh.area_vector(t)).collect();
    for edge in edges.iter() {
        let [a, b] = match edge.halves {
            [a, b] => [a, b].map(|&half| half as usize / 3),
            _ => continue,
        };
        shells.join(a, b);
        let turned = norm(cross(normals[a], normals[b])) / (norm(normals[a]) * norm(normals[b]));
        if turned < FLAT && dot(normals[a], normals[b]) > 0.0 {
            planes.join(a, b);
        }
    }
    let (planes, shells) = (planes.numbers(), shells.numbers());
    let mut members: BTreeMap<(u32, u32), Vec<usize>> = BTreeMap::new();
    for t in 0..mesh.triangles.len() {
        members.entry((shells[t], planes[t])).or_default().push(t);
    }
    let mut faces: BTreeMap<u32, Vec<Face>> = BTreeMap::new();
    for ((shell, _), triangles) in members {
        faces.entry(shell).or_default().extend(outlines(mesh, &triangles));
    }
    faces.into_values().collect()
}

/// The face of triangles in one plane; where its outline touches itself, the triangles one by one.
fn outlines(mesh: &TriangleMesh, triangles: &[usize]) -> Vec<Face> {
    let mut next: HashMap<u32, u32> = HashMap::new();
    let sides =
        || triangles.iter().map(|&t| mesh.triangles[t]).flat_map(|[a, b, c]| [[a, b], [b, c], [c, a]]);
    let all: std::collections::HashSet<[u32; 2]> = sides().collect();
    for [from, to] in sides().filter(|&[from, to]| !all.contains(&[to, from])) {
        if next.insert(from, to).is_some() {
            return triangles.iter().map(|&t| vec![mesh.triangles[t].to_vec()]).collect();
        }
    }
    let mut loops = Vec::new();
    // In the order of the triangles, so that the script is the same each time.
    for [start, _] in sides() {
        let mut line = Vec::new();
        let mut at = start;
        while let Some(to) = next.remove(&at) {
            line.push(at);
            at = to;
        }
        if !line.is_empty() {
            loops.push(line);
        }
    }
    let reach = |line: &Vec<u32>| {
        let origin = mesh.vertices[line[0] as usize];
        line.iter().map(|&i| norm(sub(mesh.vertices[i as usize], origin))).fold(0.0, f64::max)
    };
    // A hole is smaller than what is around it.
    loops.sort_by(|a, b| reach(b).total_cmp(&reach(a)));
    vec![loops]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets::{cuboid, sphere};

    #[test]
    fn faces_of_a_box_and_of_a_ball() {
        let faces = planar_faces(&cuboid([1.0, 2.0, 3.0], [2, 3, 4]).unwrap());
        assert_eq!((faces.len(), faces[0].len()), (1, 6));
        // The outline of a side of 3 by 4 divisions has 14 points.
        assert!(faces[0].iter().any(|face| face.len() == 1 && face[0].len() == 14));
        let ball = sphere(1.0, 3).unwrap();
        assert_eq!(planar_faces(&ball)[0].len(), ball.triangles.len());
    }

    #[test]
    fn a_hole_comes_after_the_outline() {
        // A square ring of eight triangles in a plane: it is no closed surface, but one face.
        let square = |s: f64| [[-s, -s, 0.0], [s, -s, 0.0], [s, s, 0.0], [-s, s, 0.0]];
        let vertices = [square(2.0), square(1.0)].concat();
        let triangles = (0..4_u32).flat_map(|i| {
            let j = (i + 1) % 4;
            [[i, j, j + 4], [i, j + 4, i + 4]]
        });
        let ring = TriangleMesh::with_one_group(vertices, triangles.collect(), "ring").unwrap();
        let faces = planar_faces(&ring);
        assert_eq!((faces.len(), faces[0].len(), faces[0][0].len()), (1, 1, 2));
        assert!(faces[0][0][0].iter().all(|&vertex| vertex < 4) && faces[0][0][1].iter().all(|&v| v >= 4));
    }
}
