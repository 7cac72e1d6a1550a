//! Element sizes from the mesh of an earlier pass, where its elements were found too large.

use crate::tet::{TET_EDGES, TetMesh};
use crate::triangle::vec3::{Vec3, cross, dot, norm, sub};
use std::fmt::Write;

/// Growth of the element size per distance from where it is small.
pub(super) const SLOPE: f64 = 0.6;
/// Elements per size cubed: a regular tetrahedron with the side a has a³/6√2, and those of meshes fill space with about a³/7.
pub(super) const PER_VOLUME: f64 = 7.0;
/// New size of a marked element relative to the one that it has.
const REDUCTION: f64 = 0.5;

/// Sizes at the corners of tetrahedra, which Gmsh reads as a view for post-processing.
#[derive(Debug, Clone, PartialEq)]
pub struct SizeView {
    /// The file.
    pub text: String,
    /// Its digest: other sizes make another mesh.
    pub digest: String,
}

impl SizeView {
    /// About how many tetrahedra it asks for, where it has sizes.
    pub(super) fn elements(&self) -> f64 {
        let numbers =
            |list: &str| list.split(',').filter_map(|number| number.parse().ok()).collect::<Vec<f64>>();
        let of_line = |line: &str| {
            let (corners, sizes) = line.strip_prefix("SS(")?.strip_suffix("};")?.split_once("){")?;
            let (corners, sizes) = (numbers(corners), numbers(sizes));
            let corner = |i: usize| -> Option<Vec3> { corners.get(3 * i..3 * i + 3)?.try_into().ok() };
            let [a, b, c, d] = [corner(0)?, corner(1)?, corner(2)?, corner(3)?];
            let volume = dot(cross(sub(b, a), sub(c, a)), sub(d, a)).abs() / 6.0;
            let size = sizes.iter().sum::<f64>() / sizes.len() as f64;
            Some(PER_VOLUME * volume / size.powi(3))
        };
        self.text.lines().filter_map(of_line).sum()
    }
}

/// Element sizes of a drawing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DrawnSizes {
    /// The largest, that of free space, m.
    pub largest: f64,
    /// One unit of the script, m.
    pub unit: f64,
}

/// A view that asks for elements half as large as those that are marked, with sizes that grow from there up to the largest.
pub fn size_view(mesh: &TetMesh, marked: &[bool], sizes: DrawnSizes) -> String {
    let DrawnSizes { largest, unit } = sizes;
    let position = |node: u32| mesh.nodes[node as usize];
    let mut sizes = vec![largest; mesh.nodes.len()];
    for (tet, _) in mesh.tets.iter().zip(marked).filter(|(_, marked)| **marked) {
        let sides = TET_EDGES.map(|[a, b]| norm(sub(position(tet[a]), position(tet[b]))));
        let size = REDUCTION * sides.iter().sum::<f64>() / sides.len() as f64;
        for corner in tet {
            let known = &mut sizes[*corner as usize];
            *known = known.min(size);
        }
    }
    // Sizes grow by the slope from one end of each edge to the other, until none changes.
    let mut changed = true;
    while changed {
        changed = false;
        for tet in &mesh.tets {
            for [a, b] in TET_EDGES.map(|ends| ends.map(|i| tet[i])) {
                let growth = SLOPE * norm(sub(position(a), position(b)));
                let [at_a, at_b] = [a, b].map(|node| sizes[node as usize]);
                let [low_a, low_b] = [at_a.min(at_b + growth), at_b.min(at_a + growth)];
                changed |= low_a < at_a || low_b < at_b;
                (sizes[a as usize], sizes[b as usize]) = (low_a, low_b);
            }
        }
    }
    let mut text = "View \"sizes\" {\n".to_owned();
    for tet in mesh.tets.iter().filter(|tet| tet.iter().any(|node| sizes[*node as usize] < largest)) {
        let corners: Vec<String> = tet
            .iter()
            .flat_map(|node| position(*node))
            .map(|coordinate| format!("{:.6e}", coordinate / unit))
            .collect();
        let values: Vec<String> =
            tet.iter().map(|node| format!("{:.4e}", sizes[*node as usize] / unit)).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "SS({}){{{}}};", corners.join(","), values.join(","));
    }
    text + "};\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BoxMesh;

    /// Sizes of a view by the position of their corner, in meters.
    fn sizes(text: &str, unit: f64) -> Vec<([f64; 3], f64)> {
        let mut found = Vec::new();
        for line in text.lines().filter_map(|line| line.strip_prefix("SS(")) {
            let (positions, values) = line.split_once("){").unwrap();
            let numbers = |list: &str| -> Vec<f64> {
                list.split(',').map(|n| n.parse::<f64>().unwrap() * unit).collect()
            };
            let (positions, values) = (numbers(positions), numbers(values.strip_suffix("};").unwrap()));
            found.extend(
                positions.chunks(3).zip(values).map(|(position, size)| (position.try_into().unwrap(), size)),
            );
        }
        found
    }

    /// In a row of cubes only the first is marked: sizes grow by the slope from there, and end where they have the largest.
    #[test]
    fn sizes_grow_from_marked_elements() {
        let row = BoxMesh { from: [0.0; 3], to: [8.0, 1.0, 1.0], cell: [1.0; 3], ..BoxMesh::default() };
        let mesh = row.mesh().unwrap();
        let first = |tet: &[u32; 4]| tet.iter().all(|node| mesh.nodes[*node as usize][0] < 1.5);
        let marked: Vec<bool> = mesh.tets.iter().map(first).collect();
        let found = sizes(&size_view(&mesh, &marked, DrawnSizes { largest: 3.0, unit: 0.1 }), 0.1);
        let at = |x: f64| {
            found.iter().filter(move |(position, _)| (position[0] - x).abs() < 1e-6).map(|(_, size)| *size)
        };
        // Three sides of such a tetrahedron are 1, two √2, one √3.
        let half = 0.5 * (3.0 + 2.0 * 2_f64.sqrt() + 3_f64.sqrt()) / 6.0;
        assert!(at(0.0).chain(at(1.0)).all(|size| (size - half).abs() < 1e-3));
        for x in [2.0, 3.0, 4.0] {
            let expected = half + SLOPE * (x - 1.0);
            assert!(at(x).count() > 0 && at(x).all(|size| (size - expected).abs() < 1e-3), "{x}");
        }
        // Half a meter and 0.6 per meter: 3 m after some 4 m.
        assert_eq!(at(8.0).count(), 0);
        // Of a cube with edges of a tenth everywhere, 7 times 1000.
        let cube = BoxMesh { cell: [0.5; 3], ..BoxMesh::default() }.mesh().unwrap();
        let text: String =
            size_view(&cube, &vec![true; cube.tets.len()], DrawnSizes { largest: 9.0, unit: 0.5 });
        let size = text.split('{').nth(2).unwrap().split(',').next().unwrap().to_owned();
        let text = text.replace(&size, "0.2");
        let elements = SizeView { text, digest: String::new() }.elements();
        assert!((elements / 7000.0 - 1.0).abs() < 1e-6, "{elements}");
    }
}
