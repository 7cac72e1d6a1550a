//! Meshes that Gmsh 4 saved: half a disc of radius 1 (an arc in two parts, and its chord) and a strip.

use phasefront_mesh::{GmshMesh, Outline, Segment, gmsh_outlines};
use std::f64::consts::PI;

const TEXT_4: &str = include_str!("data/half-disc-4.1.msh");
const TEXT_2: &str = include_str!("data/half-disc-2.2.msh");

fn mesh(text: &str) -> GmshMesh {
    GmshMesh::parse(text.as_bytes()).unwrap()
}

fn rim(text: &str, flat: bool) -> Outline {
    let mut outlines = gmsh_outlines(&mesh(text), Some("rim of the disc"), flat).unwrap();
    assert_eq!(outlines.len(), 1);
    outlines.remove(0)
}

fn corner_points(outline: &Outline) -> Vec<[f64; 2]> {
    (0..outline.segments.len()).filter(|&i| outline.corners[i]).map(|i| outline.vertex(i)).collect()
}

/// Largest distance of the curved part from the unit circle.
fn off_circle(outline: &Outline) -> f64 {
    let curved = outline.segments.iter().filter(|segment| matches!(segment, Segment::Cubic { .. }));
    let samples = curved.flat_map(|segment| (0..=20).map(|k| segment.point(f64::from(k) / 20.0)));
    samples.map(|[x, y]| (x.hypot(y) - 1.0).abs()).fold(0.0, f64::max)
}

#[test]
fn both_versions_tell_the_same() {
    let (new, old) = (mesh(TEXT_4), mesh(TEXT_2));
    assert_eq!(new.nodes, old.nodes);
    assert_eq!(new.node_tags, old.node_tags);
    assert_eq!(new.groups, old.groups);
    let groups: Vec<(&str, usize, i32)> =
        new.groups.iter().map(|g| (g.name.as_str(), g.dim, g.tag)).collect();
    assert_eq!(groups, [("rim of the disc", 1, 1), ("strip", 1, 2), ("5", 1, 5), ("inside", 2, 1)]);
    // 3 x 8 + 2 lines; a triangulation with h boundary and n inner nodes has h + 2n - 2 triangles (Euler).
    let count = |mesh: &GmshMesh, kind: i32, group: i32| -> usize {
        let blocks =
            mesh.blocks.iter().filter(|block| block.kind.number == kind && block.groups.contains(&group));
        blocks.map(|block| block.nodes.len() / block.kind.nodes).sum()
    };
    for mesh in [&new, &old] {
        assert_eq!([1, 2, 5].map(|group| count(mesh, 1, group)), [24, 2, 10]);
        let inner = mesh.nodes.len() - 24 - 3;
        assert_eq!(count(mesh, 2, 1), 24 + 2 * inner - 2);
    }
    // All lines: those in two groups, which version 2.2 repeats, are taken once.
    let all = |text| gmsh_outlines(&mesh(text), None, false).unwrap();
    assert_eq!(all(TEXT_4).len(), 2);
    assert_eq!(all(TEXT_4), all(TEXT_2));
}

#[test]
fn straight_elements_become_the_curve_behind_them() {
    let outline = rim(TEXT_4, false);
    assert!(outline.closed);
    // The chord is one line again, the arc 16 cubics, with corners where they meet.
    assert_eq!(outline.segments.len(), 17);
    assert_eq!(corner_points(&outline), [[1.0, 0.0], [-1.0, 0.0]]);
    // Worst in the first interval of a not-a-knot spline, which is as good as the cubic through four points there:
    // max |u(u-1)(u-2)(u-3)| h⁴/24 = h⁴/24, with h = π/16.
    let bound = (PI / 16.0).powi(4) / 24.0;
    assert!(off_circle(&outline) < bound, "{}", off_circle(&outline));
    assert!((outline.signed_area() - PI / 2.0).abs() < bound);

    let strip = gmsh_outlines(&mesh(TEXT_4), Some("strip"), false).unwrap().remove(0);
    assert_eq!(strip.segments, [Segment::Line { from: [2.0, 0.0], to: [3.0, 0.5] }]);
    assert!(!strip.closed);
    // The group without a name, by its number: chord and strip.
    assert_eq!(gmsh_outlines(&mesh(TEXT_4), Some("5"), false).unwrap().len(), 2);
}

#[test]
fn flat_keeps_the_polygon() {
    let outline = rim(TEXT_4, true);
    assert_eq!(outline.segments.len(), 24);
    // Sixteen triangles with an angle of π/16 at the center.
    assert!((outline.signed_area() - 8.0 * (PI / 16.0).sin()).abs() < 1e-8);
    // All joints but the seven inside the chord turn.
    assert_eq!(outline.corners.iter().filter(|&&corner| corner).count(), 17);
}

#[test]
fn curved_elements_are_exact() {
    // Interpolation with p + 1 even nodes is off by at most max |Π (u - uᵢ)| /(p+1)! in units of the node distance
    // h/p: 2/(3√3)/6 for p = 2, 1/24 for p = 3, with h = π/8.
    let h = PI / 8.0;
    let (second, third) = ((h / 2.0).powi(3) / (9.0 * 3.0_f64.sqrt()), (h / 3.0).powi(4) / 24.0);
    for (text, error) in [
        (include_str!("data/rim-order-2.msh"), second),
        (include_str!("data/rim-order-3.msh"), third),
        (include_str!("data/rim-order-3-2.2.msh"), third),
    ] {
        let outline = rim(text, false);
        assert_eq!(outline.segments.len(), 12);
        assert_eq!(corner_points(&outline), [[1.0, 0.0], [-1.0, 0.0]]);
        assert!(off_circle(&outline) < error, "{}", off_circle(&outline));
    }
    // The nodes inside an element are on its curve, at a half or at a third and two thirds.
    let text = include_str!("data/rim-order-3.msh");
    let (outline, mesh) = (rim(text, false), mesh(text));
    let first = &mesh.blocks[0].nodes[..4];
    for (node, t) in [(first[2], 1.0 / 3.0), (first[3], 2.0 / 3.0)] {
        let ([x, y], [nx, ny, _]) = (outline.segments[0].point(t), mesh.nodes[node]);
        assert!((x - nx).hypot(y - ny) < 1e-15);
    }
}

#[test]
fn elements_in_any_order_and_direction_make_the_same_outlines() {
    let mut mixed = mesh(TEXT_4);
    let straight = gmsh_outlines(&mixed, Some("rim of the disc"), false).unwrap().remove(0);
    for block in mixed.blocks.iter_mut().filter(|block| block.kind.number == 1) {
        let mut lines: Vec<[usize; 2]> = block.nodes.chunks(2).map(|line| [line[0], line[1]]).collect();
        lines.reverse();
        lines.swap(0, 1);
        for line in lines.iter_mut().step_by(2) {
            line.reverse();
        }
        block.nodes = lines.concat();
    }
    mixed.blocks.reverse();
    let outline = gmsh_outlines(&mixed, Some("rim of the disc"), false).unwrap().remove(0);
    assert_eq!(outline.segments.len(), straight.segments.len());
    assert!((outline.signed_area().abs() - straight.signed_area()).abs() < 1e-12);
    let mut corners = corner_points(&outline);
    corners.sort_by(|a, b| b[0].total_cmp(&a[0]));
    assert_eq!(corners, corner_points(&straight));
}

/// A triangle with one named side, in binary; the same numbers as in text below.
fn binary_triangle(big_endian: bool) -> Vec<u8> {
    let order = |mut bytes: Vec<u8>| {
        if big_endian {
            bytes.reverse();
        }
        bytes
    };
    let ints =
        |values: &[i32]| -> Vec<u8> { values.iter().flat_map(|v| order(v.to_le_bytes().into())).collect() };
    let sizes =
        |values: &[u64]| -> Vec<u8> { values.iter().flat_map(|v| order(v.to_le_bytes().into())).collect() };
    let floats =
        |values: &[f64]| -> Vec<u8> { values.iter().flat_map(|v| order(v.to_le_bytes().into())).collect() };
    [
        b"$MeshFormat\n4.1 1 8\n".to_vec(),
        ints(&[1]),
        b"\n$EndMeshFormat\n$PhysicalNames\n1\n1 4 \"side\"\n$EndPhysicalNames\n$Entities\n".to_vec(),
        sizes(&[0, 1, 0, 0]),
        ints(&[9]),
        floats(&[0.0; 6]),
        sizes(&[1]),
        ints(&[4]),
        sizes(&[2]),
        ints(&[1, -2]),
        b"\n$EndEntities\n$Nodes\n".to_vec(),
        sizes(&[1, 3, 1, 3]),
        ints(&[2, 1, 0]),
        sizes(&[3, 1, 2, 3]),
        floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]),
        b"\n$EndNodes\n$Elements\n".to_vec(),
        sizes(&[2, 2, 1, 2]),
        ints(&[1, 9, 1]),
        sizes(&[1, 1, 1, 2]),
        ints(&[2, 1, 2]),
        sizes(&[1, 2, 1, 2, 3]),
        b"\n$EndElements\n".to_vec(),
    ]
    .concat()
}

#[test]
fn binary_of_either_byte_order_is_read_like_text() {
    let text = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n1 4 \"side\"\n$EndPhysicalNames\n\
        $Entities\n0 1 0 0\n9 0 0 0 0 0 0 1 4 2 1 -2\n$EndEntities\n\
        $Nodes\n1 3 1 3\n2 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0\n$EndNodes\n\
        $Elements\n2 2 1 2\n1 9 1 1\n1 1 2\n2 1 2 1\n2 1 2 3\n$EndElements\n";
    let expected = mesh(text);
    assert_eq!(expected.blocks.len(), 2);
    for big_endian in [false, true] {
        assert_eq!(GmshMesh::parse(&binary_triangle(big_endian)).unwrap(), expected);
        // Cut anywhere, it is refused; between two sections it is a smaller mesh.
        let whole = binary_triangle(big_endian);
        for length in 0..whole.len() {
            if let Ok(part) = GmshMesh::parse(&whole[..length]) {
                assert!(part == expected || part.blocks.is_empty());
            }
        }
    }
}
