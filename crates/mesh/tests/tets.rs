//! Volume meshes: boxes cut into tetrahedra, files of Gmsh, and tables of faces.

mod msh_binary;

use msh_binary::to_binary;
use phasefront_mesh::{
    BoxMesh, BoxRegion, BoxSheet, FaceTable, GmshMesh, TET_EDGES, TetImport, TetMesh, Units, gmsh_tets,
};

type Vec3 = [f64; 3];

fn sub(a: Vec3, b: Vec3) -> Vec3 {
    [0, 1, 2].map(|k| a[k] - b[k])
}

fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: Vec3, b: Vec3) -> f64 {
    (0..3).map(|k| a[k] * b[k]).sum()
}

/// Normal of a triangle, as long as its area.
fn area([a, b, c]: [Vec3; 3]) -> Vec3 {
    cross(sub(b, a), sub(c, a)).map(|x| 0.5 * x)
}

fn volume(mesh: &TetMesh, group: &str) -> f64 {
    let group = mesh.volume_group(group).unwrap();
    (0..mesh.tets.len()).filter(|&t| mesh.volume_of[t] == group).map(|t| mesh.volume(t)).sum()
}

/// Signed volume inside the triangles of a surface, by the divergence theorem, and the sum of their normals.
fn enclosed(mesh: &TetMesh, surface: &str) -> (f64, Vec3) {
    let group = mesh.surface(surface).unwrap();
    let mut all = (0.0, [0.0; 3]);
    for (triangle, _) in mesh.triangles.iter().zip(&mesh.surface_of).filter(|&(_, &of)| of == group) {
        let corners = triangle.map(|i| mesh.nodes[i as usize]);
        let normal = area(corners);
        all.0 += dot(normal, corners[0]) / 3.0;
        all.1 = [0, 1, 2].map(|k| all.1[k] + normal[k]);
    }
    all
}

/// Neighbors tell the same of each other, and corners of faces are where the neighbor's are, but for `shift`, which is
/// allowed where the table was joined.
fn check_neighbors(mesh: &TetMesh, faces: &FaceTable, shifts: &[Vec3]) -> usize {
    let mut matched = 0;
    for (tet, behind) in faces.neighbors.iter().enumerate() {
        for (face, neighbor) in behind.iter().enumerate().filter_map(|(f, n)| n.map(|n| (f, n))) {
            let (other, orientation) = (neighbor.tet as usize, usize::from(neighbor.orientation));
            let back = faces.neighbors[other][usize::from(neighbor.face)].unwrap();
            assert_eq!((back.tet as usize, usize::from(back.face)), (tet, face));
            let mine = mesh.face_corners(tet, face);
            let others = mesh.face_corners(other, usize::from(neighbor.face));
            let gaps = [0, 1, 2].map(|i| sub(others[(orientation + 3 - i) % 3], mine[i]));
            let near = |shift: &Vec3| gaps.iter().all(|&gap| dot(sub(gap, *shift), sub(gap, *shift)) < 1e-24);
            assert!(shifts.iter().any(near), "{gaps:?}");
            matched += 1;
        }
    }
    matched
}

fn cube(cells: f64) -> BoxMesh {
    BoxMesh { cell: [1.0 / cells; 3], ..BoxMesh::default() }
}

#[test]
fn kuhn_cuts_conform() {
    for (cells, tets) in [(1.0, 6), (2.0, 48), (3.0, 162)] {
        let mesh = cube(cells).mesh().unwrap();
        assert_eq!(mesh.tets.len(), tets);
        assert!((0..tets).all(|t| (mesh.volume(t) * tets as f64 - 1.0).abs() < 1e-12));
        let faces = mesh.faces().unwrap();
        // Twelve triangles of each cell's skin are in the box's if they are outside: 12 n² of them.
        let outer = 12 * (cells * cells) as usize;
        assert_eq!(faces.boundary().count(), outer);
        assert_eq!(check_neighbors(&mesh, &faces, &[[0.0; 3]]), 4 * tets - outer);
        // All diagonals lead upward: every edge has a direction with no negative component.
        for corners in (0..tets).map(|t| mesh.corners(t)) {
            for (i, j) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
                let edge = sub(corners[j], corners[i]);
                assert!(edge.iter().all(|&x| x > -1e-12) || edge.iter().all(|&x| x < 1e-12));
            }
        }
    }
}

#[test]
fn sides_of_a_box() {
    let mesh =
        BoxMesh { from: [-1.0, 0.0, 2.0], to: [1.0, 3.0, 3.0], cell: [0.7, 1.0, 0.5], ..BoxMesh::default() };
    let mesh = mesh.mesh().unwrap();
    assert_eq!(mesh.tets.len(), 6 * 3 * 3 * 2);
    assert!((volume(&mesh, "domain") - 6.0).abs() < 1e-13);
    let normals = [
        ("xmin", [-3.0, 0.0, 0.0]),
        ("xmax", [3.0, 0.0, 0.0]),
        ("ymin", [0.0, -2.0, 0.0]),
        ("ymax", [0.0, 2.0, 0.0]),
        ("zmin", [0.0, 0.0, -6.0]),
        ("zmax", [0.0, 0.0, 6.0]),
    ];
    let names: Vec<&str> = normals.iter().map(|(name, _)| *name).collect();
    assert_eq!(mesh.surface_names, names);
    for (name, normal) in normals {
        let (_, sum) = enclosed(&mesh, name);
        assert!(dot(sub(sum, normal), sub(sum, normal)) < 1e-24, "{name} {sum:?}");
    }
    let faces = mesh.faces().unwrap();
    for (tet, face) in faces.boundary() {
        assert_eq!(faces.surfaces_of(tet, face).count(), 1);
    }
    assert_eq!(faces.faces_in(0).count(), 3 * 2 * 2);
}

fn region(name: &str, from: Vec3, to: Vec3) -> BoxRegion {
    BoxRegion { name: name.into(), from, to }
}

#[test]
fn regions_and_their_skins() {
    // A block in the middle, a smaller one inside it, a slab at the bottom that was drawn with rounding; the last one wins.
    let mesh = BoxMesh {
        name: "air".into(),
        cell: [0.3; 3],
        regions: vec![
            region("shell", [0.2; 3], [0.8; 3]),
            region("core", [0.4; 3], [0.6; 3]),
            region("ground", [0.0; 3], [1.0, 1.0, 0.1]),
            region("ground", [0.0, 0.0, 0.1], [1.0, 1.0, 0.1 + 0.2 - 0.1]),
        ],
        ..BoxMesh::default()
    };
    let mesh = mesh.mesh().unwrap();
    assert_eq!(mesh.volume_names, ["air", "shell", "core", "ground"]);
    assert_eq!(mesh.surface_names[6..], ["shell", "core", "ground"]);
    for (name, expected) in [("core", 0.008), ("shell", 0.216 - 0.008), ("ground", 0.2), ("air", 0.8 - 0.216)]
    {
        assert!((volume(&mesh, name) - expected).abs() < 1e-14, "{name}");
    }
    // Each skin is closed with its normals outward, whichever side is numbered first.
    for name in ["core", "shell", "ground"] {
        let (inside, sum) = enclosed(&mesh, name);
        assert!((inside - volume(&mesh, name)).abs() < 1e-14, "{name} {inside}");
        assert!(dot(sum, sum) < 1e-28);
    }
    // A face between two regions is in both skins, from both sides.
    let faces = mesh.faces().unwrap();
    let groups = ["shell", "core"].map(|name| mesh.surface(name).unwrap());
    let both =
        faces.faces_in(groups[1]).map(|(tet, face)| faces.surfaces_of(tet, face).collect::<Vec<u16>>());
    assert!(both.into_iter().all(|of| of == groups));
}

#[test]
fn sheets_are_faces() {
    let sheet = |name: &str, from: Vec3, to: Vec3| BoxSheet { name: name.into(), from, to };
    let mesh = BoxMesh {
        regions: vec![region("block", [0.5, 0.0, 0.0], [1.0; 3])],
        sheets: vec![
            sheet("plate", [0.25, 0.25, 0.4], [0.75, 1.0, 0.4]),
            sheet("plate", [0.25, 0.25, 0.6], [0.75, 1.0, 0.6]),
            sheet("block", [0.5, 0.0, 0.0], [0.5, 1.0, 1.0]),
        ],
        ..cube(3.0)
    };
    let mesh = mesh.mesh().unwrap();
    let area_of = |name: &str| -> f64 {
        let group = mesh.surface(name).unwrap();
        let of = mesh.triangles.iter().zip(&mesh.surface_of).filter(|&(_, &of)| of == group);
        of.map(|(triangle, _)| area(triangle.map(|i| mesh.nodes[i as usize]))).map(|n| dot(n, n).sqrt()).sum()
    };
    assert!((area_of("plate") - 2.0 * 0.5 * 0.75).abs() < 1e-14);
    // The sheet between block and the rest is a part of the skin already.
    assert!((area_of("block") - 4.0).abs() < 1e-13);
    mesh.faces().unwrap();
}

#[test]
fn reordered_is_the_same_mesh() {
    let mesh =
        BoxMesh { regions: vec![region("low", [0.0; 3], [1.0, 1.0, 0.4])], ..cube(8.0) }.mesh().unwrap();
    let sorted = mesh.reordered();
    assert_eq!((&sorted.nodes, &sorted.triangles), (&mesh.nodes, &mesh.triangles));
    let all = |mesh: &TetMesh| {
        let mut all: Vec<([u32; 4], u16)> =
            mesh.tets.iter().copied().zip(mesh.volume_of.iter().copied()).collect();
        all.sort_unstable();
        all
    };
    assert_eq!(all(&sorted), all(&mesh));
    // Hilbert's curve enters each octant of the cube once.
    let octant = |t: usize| {
        let corners = sorted.corners(t);
        [0, 1, 2].map(|k| corners.iter().map(|corner| corner[k]).sum::<f64>() > 2.0)
    };
    let mut octants: Vec<[bool; 3]> = (0..sorted.tets.len()).map(octant).collect();
    octants.dedup();
    assert_eq!(octants.len(), 8);
}

/// Faces are sorted and searched in parallel.
#[test]
fn threads_do_not_change_a_mesh() {
    let sheets = vec![BoxSheet { name: "film".into(), from: [0.2, 0.2, 0.5], to: [0.8, 0.6, 0.5] }];
    let regions = vec![region("core", [0.2; 3], [0.6; 3])];
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mesh = BoxMesh { regions: regions.clone(), sheets: sheets.clone(), ..cube(20.0) };
            let mesh = mesh.mesh().unwrap().reordered();
            (mesh.faces().unwrap(), mesh)
        })
    };
    assert_eq!(with(1), with(5));
}

#[test]
fn opposite_sides_can_be_joined() {
    let mesh = BoxMesh { to: [1.0, 2.0, 0.5], ..cube(3.0) }.mesh().unwrap().reordered();
    let mut faces = mesh.faces().unwrap();
    let mut join =
        |a: &str, b: &str| faces.join_periodic(&mesh, mesh.surface(a).unwrap(), mesh.surface(b).unwrap());
    assert_eq!(join("xmin", "xmax").unwrap(), [1.0, 0.0, 0.0]);
    assert_eq!(join("ymax", "ymin").unwrap(), [0.0, -2.0, 0.0]);
    assert_eq!(join("zmin", "zmax").unwrap(), [0.0, 0.0, 0.5]);
    assert_eq!(faces.boundary().count(), 0);
    let shifts = [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.5]];
    let back = shifts.map(|shift| shift.map(|x: f64| -x));
    let all: Vec<Vec3> = shifts.into_iter().chain(back).chain([[0.0; 3]]).collect();
    assert_eq!(check_neighbors(&mesh, &faces, &all), 4 * mesh.tets.len());
}

const BOXES: [&str; 2] = [include_str!("data/two-boxes-4.1.msh"), include_str!("data/two-boxes-2.2.msh")];
const BALLS: [&str; 2] =
    [include_str!("data/ball-order-2-4.1.msh"), include_str!("data/ball-order-2-2.2.msh")];

fn read(bytes: &[u8]) -> TetImport {
    gmsh_tets(&GmshMesh::parse(bytes).unwrap(), Units::Meters).unwrap()
}

#[test]
fn all_encodings_tell_the_same() {
    for texts in [BOXES, BALLS] {
        let expected = read(texts[0].as_bytes());
        assert!(expected.notes.is_empty(), "{:?}", expected.notes);
        assert_eq!(read(texts[1].as_bytes()), expected);
        for (text, big_endian) in [(0, false), (0, true), (1, false), (1, true)] {
            assert_eq!(read(&to_binary(texts[text], big_endian)), expected);
        }
    }
}

#[test]
fn two_boxes_from_gmsh() {
    let mesh = read(BOXES[0].as_bytes()).mesh;
    // In the order of their numbers in the file; the last has none but that.
    assert_eq!(mesh.volume_names, ["block", "air"]);
    assert_eq!(mesh.surface_names, ["left", "between", "9"]);
    assert!((volume(&mesh, "block") - 1.0).abs() < 1e-14);
    assert!((volume(&mesh, "air") - 1.0).abs() < 1e-14);
    // Air is where x < 1.
    for (t, &group) in mesh.volume_of.iter().enumerate() {
        let x = mesh.corners(t).iter().map(|corner| corner[0]).sum::<f64>() / 4.0;
        assert_eq!(mesh.volume_names[usize::from(group)] == "air", x < 1.0);
    }
    let faces = mesh.faces().unwrap();
    let outer = faces.boundary().count();
    assert_eq!(check_neighbors(&mesh, &faces, &[[0.0; 3]]), 4 * mesh.tets.len() - outer);
    // The normals of the boundary add up to nothing, and their fluxes of (x, y, z)/3 to the volume.
    let mut sum = [0.0; 3];
    let mut flux = 0.0;
    for (tet, face) in faces.boundary() {
        let corners = mesh.face_corners(tet, face);
        sum = [0, 1, 2].map(|k| sum[k] + area(corners)[k]);
        flux += dot(area(corners), corners[0]) / 3.0;
    }
    assert!(dot(sum, sum) < 1e-28 && (flux - 2.0).abs() < 1e-14);
    // Four triangles on each square: the left one is in two groups, the one between seen from both sides.
    let groups = ["left", "between", "9"].map(|name| mesh.surface(name).unwrap());
    assert_eq!(groups.map(|group| faces.faces_in(group).count()), [4, 8, 4 + 4 + 8]);
    for (tet, face) in faces.faces_in(groups[0]) {
        assert!(faces.surfaces_of(tet, face).eq([groups[0], groups[2]]));
        assert!(mesh.face_corners(tet, face).iter().all(|corner| corner[0] == 0.0));
    }
    assert!(faces.faces_in(groups[1]).all(|(tet, face)| faces.neighbors[tet][face].is_some()));
}

#[test]
fn units_scale() {
    let boxes = GmshMesh::parse(BOXES[0].as_bytes()).unwrap();
    let mesh = gmsh_tets(&boxes, Units::Millimeters).unwrap().mesh;
    assert!((volume(&mesh, "air") - 1e-9).abs() < 1e-23);
}

#[test]
fn curved_ball() {
    let mesh = read(BALLS[0].as_bytes()).mesh;
    assert_eq!(
        (mesh.volume_names.as_slice(), mesh.surface_names.as_slice()),
        (["ball".into()].as_slice(), ["skin".into()].as_slice())
    );
    assert_eq!(mesh.middles.len(), mesh.tets.len());
    // Middles of edges inside are midpoints, those on the skin are on the sphere: the order of edges is Gmsh's.
    let faces = mesh.faces().unwrap();
    let skin: std::collections::HashSet<u32> =
        mesh.triangles.iter().flatten().chain(mesh.triangle_middles.iter().flatten()).copied().collect();
    for (corners, middles) in mesh.tets.iter().zip(&mesh.middles) {
        for ([i, j], &middle) in TET_EDGES.into_iter().zip(middles) {
            let at = |node: u32| mesh.nodes[node as usize];
            let half = [0, 1, 2].map(|k| 0.5 * (at(corners[i])[k] + at(corners[j])[k]));
            if skin.contains(&middle) {
                assert!((dot(at(middle), at(middle)) - 1.0).abs() < 1e-12);
                let cosine = dot(half, at(middle)) / dot(half, half).sqrt();
                assert!((cosine - 1.0).abs() < 1e-3, "{cosine}");
            } else {
                assert!(dot(sub(half, at(middle)), sub(half, at(middle))) < 1e-24);
            }
        }
    }
    assert_eq!(faces.faces_in(0).count(), mesh.triangles.len());
    assert_eq!(faces.boundary().count(), mesh.triangles.len());
    // The elements fill what their skin encloses; it is inside the sphere, and nearer to it than flat faces are.
    let enclosed: f64 = (0..mesh.triangles.len()).map(|t| patch_flux(&mesh, t)).sum();
    assert!((volume(&mesh, "ball") - enclosed).abs() < 1e-13);
    let ball = 4.0 / 3.0 * std::f64::consts::PI;
    let flat = TetMesh { middles: vec![], ..mesh.clone() };
    assert!((ball - enclosed).abs() < 0.1 * (ball - volume(&flat, "ball")));
}

/// ∫ x·n dA / 3 over a triangle of the second order, seen from the side that its corners orientation to: with barycentric coordinates
/// 1 - u - v, u and v, ∫∫ x·(∂x/∂u × ∂x/∂v) du dv / 3, which is of degree 4. Gauss's rule with three points in u and in
/// v/(1 - u) is exact.
fn patch_flux(mesh: &TetMesh, triangle: usize) -> f64 {
    let nodes = mesh.triangles[triangle].into_iter().chain(mesh.triangle_middles[triangle]);
    let nodes: Vec<Vec3> = nodes.map(|i| mesh.nodes[i as usize]).collect();
    let sum = |weights: [f64; 6]| [0, 1, 2].map(|k| (0..6).map(|i| weights[i] * nodes[i][k]).sum::<f64>());
    let gauss = [(-0.6_f64.sqrt(), 5.0 / 18.0), (0.0, 8.0 / 18.0), (0.6_f64.sqrt(), 5.0 / 18.0)];
    let mut flux = 0.0;
    for (a, weight_a) in gauss.map(|(x, w)| (0.5 + 0.5 * x, w)) {
        for (b, weight_b) in gauss.map(|(x, w)| (0.5 + 0.5 * x, w)) {
            let (u, v) = (a, b * (1.0 - a));
            let w = 1.0 - u - v;
            let x = sum([
                w * (2.0 * w - 1.0),
                u * (2.0 * u - 1.0),
                v * (2.0 * v - 1.0),
                4.0 * w * u,
                4.0 * u * v,
                4.0 * v * w,
            ]);
            let x_u = sum([1.0 - 4.0 * w, 4.0 * u - 1.0, 0.0, 4.0 * (w - u), 4.0 * v, -4.0 * v]);
            let x_v = sum([1.0 - 4.0 * w, 0.0, 4.0 * v - 1.0, -4.0 * u, 4.0 * u, 4.0 * (w - v)]);
            flux += weight_a * weight_b * (1.0 - a) * dot(x, cross(x_u, x_v)) / 3.0;
        }
    }
    flux
}
