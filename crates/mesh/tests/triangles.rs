//! The same small bodies in every format.

use phasefront_mesh::{Import, MeshFormat, TriangleMesh, Units, WELD_TOLERANCE, read_triangles, repair};
use std::fmt::Write;

/// A pyramid on a square: apex 1 above the middle of a side of 2.
const VERTICES: [[f64; 3]; 5] =
    [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 2.0, 0.0], [0.0, 2.0, 0.0], [1.0, 1.0, 1.0]];
const BASE: [u32; 4] = [0, 3, 2, 1];
const SIDES: [[u32; 3]; 4] = [[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]];
const TRIANGLES: [[u32; 3]; 6] = [[0, 3, 2], [0, 2, 1], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]];

#[track_caller]
fn read(bytes: impl AsRef<[u8]>, format: MeshFormat) -> Import {
    read_triangles(bytes.as_ref(), format, Units::Meters).unwrap()
}

/// The pyramid as it is, up to the numbers of its vertices.
#[track_caller]
fn check_pyramid(mesh: &TriangleMesh) {
    assert_eq!(mesh.triangles.len(), 6);
    for (t, triangle) in TRIANGLES.iter().enumerate() {
        assert_eq!(mesh.corners(t), triangle.map(|i| VERTICES[i as usize]), "triangle {t}");
    }
    let report = repair(mesh.clone(), WELD_TOLERANCE).unwrap().report;
    assert_eq!((report.vertices, report.closed_shells, report.repairs.flipped), (5, 1, 0));
    // A third of base times height; the base, and four sides of height √2.
    assert!((report.volume.unwrap() - 4.0 / 3.0).abs() < 1e-15);
    assert!((report.area - 4.0 - 4.0 * 2.0_f64.sqrt()).abs() < 1e-15);
}

fn binary_stl(header: &[u8]) -> Vec<u8> {
    let mut bytes = header.to_vec();
    bytes.resize(80, b' ');
    bytes.extend((TRIANGLES.len() as u32).to_le_bytes());
    for triangle in TRIANGLES {
        bytes.extend([0; 12]);
        for x in triangle.iter().flat_map(|&i| VERTICES[i as usize]) {
            bytes.extend((x as f32).to_le_bytes());
        }
        bytes.extend([0; 2]);
    }
    bytes
}

fn text_stl(parts: &[(&str, &[[u32; 3]])]) -> String {
    let mut text = String::new();
    for (name, triangles) in parts {
        writeln!(text, "solid {name}").unwrap();
        for triangle in *triangles {
            text += "  facet normal 0 0 0\n    outer loop\n";
            for [x, y, z] in triangle.map(|i| VERTICES[i as usize]) {
                writeln!(text, "      vertex {x:e} {y} {z:.3}").unwrap();
            }
            text += "    endloop\n  endfacet\n";
        }
        writeln!(text, "endsolid {name}").unwrap();
    }
    text
}

#[test]
fn stl_is_told_by_its_size() {
    check_pyramid(&read(binary_stl(b"made by hand"), MeshFormat::Stl).mesh);
    // The word of text files in the header of a binary one.
    let import = read(binary_stl(b"solid pyramid"), MeshFormat::Stl);
    check_pyramid(&import.mesh);
    assert_eq!(import.mesh.group_names, ["body"]);

    let text = text_stl(&[("base plate", &TRIANGLES[..2]), ("", &TRIANGLES[2..])]);
    for text in [text.clone(), text.to_uppercase(), text.replace('\n', "\r\n")] {
        let import = read(&text, MeshFormat::Stl);
        check_pyramid(&import.mesh);
        assert_eq!(import.mesh.groups, [0, 0, 1, 1, 1, 1]);
        assert_eq!(import.mesh.group_names[1], "body");
        assert_eq!(import.mesh.group_names[0].to_lowercase(), "base plate");
    }
}

#[test]
fn units_are_the_callers() {
    let bytes = binary_stl(b"");
    let [_, high] = read_triangles(&bytes, MeshFormat::Stl, Units::Inches).unwrap().mesh.bounds();
    assert_eq!(high, [0.0508, 0.0508, 0.0254]);
    let sizes = ["um", "mm", "cm", "m", "in", "ft"].map(|name| Units::parse(name).unwrap().in_meters());
    assert_eq!(sizes, [1e-6, 1e-3, 1e-2, 1.0, 0.0254, 0.3048]);
}

#[test]
fn obj_with_all_ways_to_name_a_corner() {
    let vertices =
        VERTICES.iter().map(|[x, y, z]| format!("v {x} {y} {z} 1.0\n")).collect::<Vec<String>>().concat();
    let text = format!(
        "# pyramid\nmtllib none.mtl\no thing\n{vertices}vt 0 0\nvn 0 0 1\ns off\n\
         f 1/1 4/1 3/1 2/1 # the base\ng side one\nf 1//1 2//1 5//1\nusemtl paint\nf -4/1/1 -3/1/1 -1/1/1\n\
         f 3 4 \\\n 5\ng\nf 4 1 5\nl 1 2 3\np 1\np 2\n"
    );
    let import = read(text, MeshFormat::Obj);
    check_pyramid(&import.mesh);
    assert_eq!(import.mesh.group_names, ["thing", "side one", "paint"]);
    assert_eq!(import.mesh.groups, [0, 0, 1, 2, 2, 2]);
    assert_eq!(import.notes, ["1 lines are left out", "2 points are left out"]);
}

#[test]
fn obj_indices_count_back_from_where_they_stand() {
    let text = "v 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 5 5 5\n";
    assert_eq!(read(text, MeshFormat::Obj).mesh.triangles, [[1, 2, 3]]);
}

const PLY_HEADER: &str = "element vertex 5\nproperty float confidence\nproperty double z\nproperty float x\n\
    property short y\nproperty list uchar int rings\nelement edge 1\nproperty int vertex1\nproperty uchar flag\n\
    element face 5\nproperty uchar red\nproperty list uchar uint vertex_indices\nproperty ushort last\nend_header\n";

fn faces() -> Vec<Vec<u32>> {
    [BASE.to_vec()].into_iter().chain(SIDES.iter().map(|side| side.to_vec())).collect()
}

fn text_ply() -> String {
    let mut text = format!("ply\nformat ascii 1.0\ncomment by hand\nobj_info none\n{PLY_HEADER}");
    for [x, y, z] in VERTICES {
        writeln!(text, "0.5 {z} {x} {y} 2 7 8").unwrap();
    }
    text += "3 1\n";
    for face in faces() {
        let corners: Vec<String> = face.iter().map(u32::to_string).collect();
        writeln!(text, "255 {} {} 9", face.len(), corners.join(" ")).unwrap();
    }
    text
}

fn binary_ply(big_endian: bool) -> Vec<u8> {
    let name = if big_endian { "binary_big_endian" } else { "binary_little_endian" };
    let mut bytes = format!("ply\nformat {name} 1.0\n{PLY_HEADER}").into_bytes();
    let mut put = |little: &[u8]| {
        let mut number = little.to_vec();
        if big_endian {
            number.reverse();
        }
        bytes.extend(number);
    };
    for [x, y, z] in VERTICES {
        put(&0.5_f32.to_le_bytes());
        put(&z.to_le_bytes());
        put(&(x as f32).to_le_bytes());
        put(&(y as i16).to_le_bytes());
        put(&[2]);
        put(&7_i32.to_le_bytes());
        put(&8_i32.to_le_bytes());
    }
    put(&3_i32.to_le_bytes());
    put(&[1]);
    for face in faces() {
        put(&[255]);
        put(&[face.len() as u8]);
        for corner in face {
            put(&corner.to_le_bytes());
        }
        put(&9_u16.to_le_bytes());
    }
    bytes
}

#[test]
fn ply_in_text_and_in_both_byte_orders() {
    check_pyramid(&read(text_ply(), MeshFormat::Ply).mesh);
    check_pyramid(&read(text_ply().replace("vertex_indices", "vertex_index"), MeshFormat::Ply).mesh);
    check_pyramid(&read(text_ply().replace('\n', "\r\n"), MeshFormat::Ply).mesh);
    check_pyramid(&read(binary_ply(false), MeshFormat::Ply).mesh);
    check_pyramid(&read(binary_ply(true), MeshFormat::Ply).mesh);
}

/// Elements: a beam, the base as a shell of four nodes, sides of three; the last is parabolic, with nodes 60 to 62 at the
/// middles of its sides.
fn unv() -> String {
    let mut text =
        String::from("    -1\n   164\n  1  SI\n 1.0D+00 1.0D+00 1.0D+00\n    -1\n    -1\n  2411\n");
    for (i, [x, y, z]) in VERTICES.iter().enumerate() {
        writeln!(text, "{:10}         1         1        11", 10 * (i + 1)).unwrap();
        writeln!(text, "  {x:.16}D+00  {y:.16}D+00  {z:e}").unwrap();
    }
    for label in 60..63 {
        writeln!(text, "{label:10}         1         1        11\n  5.0E+00  5.0E+00  5.0E+00").unwrap();
    }
    text += "    -1\n    -1\n  2412\n";
    text += "         1        21         2         1         7         2\n         0         1         1\n";
    text += "        10        20\n";
    text += "         2        94         1         1         7         4\n        10        40        30        20\n";
    for (label, nodes) in [(3, "10 20 50"), (4, "20 30 50"), (5, "30 40 50")] {
        writeln!(text, "{label:10}        91         1         1         7         3\n{nodes}").unwrap();
    }
    text += "         6        92         1         1         7         6\n  40  60  10  61  50  62\n";
    text += "    -1\n    -1\n  2467\n";
    text +=
        "         1         0         0         0         0         0         0         3\nbase and beam\n";
    text += "         8         2         0         0         8         1         0         0\n";
    text += "         7        10         0         0\n";
    text += "         2         0         0         0         0         0         0         2\nside\n";
    text += "         8         3         0         0         8         2         0         0\n    -1\n";
    text
}

#[test]
fn unv_with_groups_and_other_elements() {
    let import = read(unv(), MeshFormat::Unv);
    check_pyramid(&import.mesh);
    assert_eq!(import.mesh.group_names, ["base and beam", "side", "body"]);
    assert_eq!(import.mesh.groups, [0, 0, 1, 2, 2, 2]);
    assert_eq!(
        import.notes,
        [
            "the file's own units are ignored: those given hold",
            "1 elements of group \"side\" stay in the group that came before it",
            "1 curved elements are taken by their corners",
            "1 elements that are no surface are left out",
        ]
    );
}

/// Cubic thin shells of data set 2412, element types 93 (triangle, nine nodes around it) and 96 (quadrilateral, twelve): corners are
/// at every third node, eight nodes to a line.
#[test]
fn cubic_unv_elements_are_taken_by_their_corners() {
    let around = |corners: &[[f64; 2]]| -> Vec<[f64; 2]> {
        let side = |i: usize| {
            let (a, b) = (corners[i], corners[(i + 1) % corners.len()]);
            [0.0, 1.0 / 3.0, 2.0 / 3.0].map(|t| [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])])
        };
        (0..corners.len()).flat_map(side).collect()
    };
    let triangle = around(&[[0.0, 0.0], [2.0, 0.0], [0.0, 1.0]]);
    let quadrilateral = around(&[[5.0, 0.0], [8.0, 0.0], [8.0, 2.0], [5.0, 2.0]]);
    let mut text = String::from("    -1\n  2411\n");
    for (i, [x, y]) in triangle.iter().chain(&quadrilateral).enumerate() {
        writeln!(text, "{:10} 1 1 11\n {x:e} {y:e} 0.0", i + 1).unwrap();
    }
    text += "    -1\n    -1\n  2412\n 1 93 1 1 7 9\n 1 2 3 4 5 6 7 8\n 9\n 2 96 1 1 7 12\n";
    text += " 10 11 12 13 14 15 16 17\n 18 19 20 21\n    -1\n";
    let import = read(text, MeshFormat::Unv);
    assert_eq!(import.mesh.triangles.len(), 3);
    assert!((import.mesh.area() - 7.0).abs() < 1e-12);
    assert_eq!(import.notes, ["2 curved elements are taken by their corners"]);
}

#[test]
fn old_unv_data_sets() {
    let text = "    -1\n   781\n 1 0 0 1\n 0 0 0\n 2 0 0 1\n 1 0 0\n 3 0 0 1\n 0 1 0\n    -1\n    -1\n   780\n\
         7  91  1  1  1  1  7  3\n  1 2 3\n    -1\n";
    assert_eq!(read(text, MeshFormat::Unv).mesh.triangles, [[0, 1, 2]]);
}

#[test]
fn gmsh_surfaces_by_physical_group() {
    let nodes = VERTICES
        .iter()
        .enumerate()
        .map(|(i, [x, y, z])| format!("{} {x} {y} {z}\n", i + 1))
        .collect::<Vec<_>>()
        .concat();
    let text = format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 1 \"base\"\n2 4 \"sides\"\n$EndPhysicalNames\n\
         $Nodes\n5\n{nodes}$EndNodes\n$Elements\n7\n1 15 2 0 1 1\n2 3 2 1 1 1 4 3 2\n3 2 2 4 2 1 2 5\n\
         4 2 2 4 2 2 3 5\n5 2 2 4 2 3 4 5\n6 2 2 0 3 4 1 5\n7 2 2 1 2 1 2 5\n$EndElements\n"
    );
    // Element 7 is element 3 again, in its second group.
    let import = read(text, MeshFormat::Gmsh);
    check_pyramid(&import.mesh);
    assert_eq!(import.mesh.group_names, ["base", "sides", "body"]);
    assert_eq!(import.mesh.groups, [0, 0, 1, 1, 1, 2]);
    assert_eq!(import.notes, ["1 elements that are no surface are left out"]);
}

#[test]
fn gmsh_files_of_both_versions_have_the_same_surface() {
    let [new, old] = [
        include_bytes!("data/half-disc-4.1.msh").to_vec(),
        include_bytes!("data/half-disc-2.2.msh").to_vec(),
    ]
    .map(|bytes| read(bytes, MeshFormat::Gmsh).mesh);
    assert_eq!(new, old);
    assert_eq!(new.group_names, ["inside"]);
    // A polygon of sixteen triangles with the angle π/16 at the center.
    assert!((new.area() - 8.0 * (std::f64::consts::PI / 16.0).sin()).abs() < 1e-8);
}

/// A box of 2 × 1 × 1 that Gmsh 4 saved: triangles, and quadrilaterals of the second order; with the beams of its edges.
#[test]
fn unv_files_of_gmsh() {
    let triangles = include_bytes!("data/box-order-1.unv");
    let curved = include_bytes!("data/box-order-2.unv");
    let beams = "elements that are no surface are left out";
    for (import, count, notes) in [
        (read(triangles, MeshFormat::Unv), 24, vec![format!("12 {beams}")]),
        (
            read(curved, MeshFormat::Unv),
            20,
            vec!["10 curved elements are taken by their corners".into(), format!("16 {beams}")],
        ),
    ] {
        assert_eq!(import.mesh.group_names, ["ends", "rest", "body"]);
        assert_eq!(import.notes, notes);
        let ends = import.mesh.group("ends").unwrap();
        let area: f64 = ends.iter().map(|&t| import.mesh.area_vector(t as usize)[0].abs()).sum();
        assert!((area - 2.0).abs() < 1e-12);
        let report = repair(import.mesh, WELD_TOLERANCE).unwrap().report;
        assert_eq!((report.triangles, report.closed_shells, report.repairs.flipped), (count, 1, 0));
        assert_eq!(report.bounds, [[0.0; 3], [2.0, 1.0, 1.0]]);
        assert!((report.volume.unwrap() - 2.0).abs() < 1e-12 && (report.area - 10.0).abs() < 1e-12);
    }
}

/// The base as a shell of four nodes, three sides, and the last with nodes in the middles of its sides, over two lines.
fn inp() -> String {
    let mut text = String::from("*Heading\n** a pyramid\n*Part, name=Pyramid\n*NODE, nset=all\n");
    for (i, [x, y, z]) in VERTICES.iter().enumerate() {
        writeln!(text, "{:10}, {x:e}, {y}, {z}", 10 * (i + 1)).unwrap();
    }
    text += "60, 5., 5.\n*Element, type=S4R, elset=base\n2, 10, 40, 30, 20\n*ELEMENT, TYPE=STRI3\n3, 10, 20, 50\n";
    text += "4, 20, 30, 50\n5, 30, 40, 50\n*Element, TYPE=STRI65\n6, 40, 10, 50, 60,\n60, 60\n";
    text +=
        "*Element, type=B31\n1, 10, 20\n*Element, type=C3D10\n8, 10, 20, 30, 40, 60, 60, 60, 60,\n60, 60\n";
    text += "*Elset, elset=_Picked, internal\n4\n*Elset, elset=side, generate\n3, 5, 2\n*Elset, elset=late\n5, 6,\n*End Part\n";
    text
}

#[test]
fn inp_with_sets_and_other_elements() {
    let import = read(inp(), MeshFormat::Abaqus);
    check_pyramid(&import.mesh);
    assert_eq!(import.mesh.group_names, ["base", "side", "Pyramid", "late"]);
    assert_eq!(import.mesh.groups, [0, 0, 1, 2, 1, 3]);
    assert_eq!(
        import.notes,
        ["1 curved elements are taken by their corners", "2 elements that are no surface are left out"]
    );
}

/// Two instances: one moved, one moved and then turned by a quarter about an axis along z through (1, 0, 0).
#[test]
fn parts_of_inp_files_are_where_their_instances_are() {
    let assembly = "*Assembly, name=both\n*Instance, name=a, part=pyramid\n0, 0, 7\n*End Instance\n\
                    *Instance, name=b, part=PYRAMID\n1, 0, 0\n1, 0, 0, 1, 0, 5, 90\n*End Instance\n*End Assembly\n";
    let mesh = read(inp() + assembly, MeshFormat::Abaqus).mesh;
    assert_eq!(mesh.triangles.len(), 12);
    let near = |t: usize, place: &dyn Fn([f64; 3]) -> [f64; 3]| {
        let expected = TRIANGLES[t % 6].map(|i| place(VERTICES[i as usize]));
        let apart = mesh.corners(t).into_iter().flatten().zip(expected.into_iter().flatten());
        apart.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) < 1e-12
    };
    assert!((0..6).all(|t| near(t, &|[x, y, z]| [x, y, z + 7.0])));
    // x + 1 - 1 along x from the axis turns to y.
    assert!((6..12).all(|t| near(t, &|[x, y, z]| [1.0 - y, x, z])));
}

/// Binary glTF of some JSON; positions of all corners one after the other from byte 0, and as bytes the vertices of the triangles.
fn glb(json: &str) -> Vec<u8> {
    let mut data: Vec<u8> = VERTICES.iter().flatten().flat_map(|&x| (x as f32).to_le_bytes()).collect();
    data.extend(TRIANGLES.iter().flatten().map(|&i| i as u8));
    data.extend([0; 2]);
    let mut json = json.as_bytes().to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let chunk =
        |kind: &[u8; 4], content: &[u8]| [&(content.len() as u32).to_le_bytes(), &kind[..], content].concat();
    let chunks = [chunk(b"JSON", &json), chunk(b"BIN\0", &data)].concat();
    [&b"glTF"[..], &2_u32.to_le_bytes(), &(12 + chunks.len() as u32).to_le_bytes(), &chunks].concat()
}

fn gltf_json(nodes: &str, primitive: &str) -> String {
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[0]}}],"nodes":{nodes},"materials":[{{"name":"tin"}}],
        "meshes":[{{"name":"pyramid","primitives":[{primitive}]}}],"buffers":[{{"byteLength":80}}],
        "bufferViews":[{{"buffer":0,"byteLength":60}},{{"buffer":0,"byteOffset":60,"byteLength":18}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":5,"type":"VEC3"}},
        {{"bufferView":1,"componentType":5121,"count":18,"type":"SCALAR"}}]}}"#
    )
}

#[test]
fn gltf_scenes_are_put_together() {
    let primitive = r#"{"attributes":{"POSITION":0,"NORMAL":7},"indices":1,"material":0}"#;
    let plain = read(glb(&gltf_json(r#"[{"mesh":0}]"#, primitive)), MeshFormat::Gltf);
    check_pyramid(&plain.mesh);
    assert_eq!(plain.mesh.group_names, ["tin"]);
    assert_eq!(plain.notes.len(), 1, "{:?}", plain.notes);
    // A child, twice as large and mirrored in x, in a node that turns by a quarter about z and then moves.
    let nodes = r#"[{"children":[1],"rotation":[0,0,0.7071067811865476,0.7071067811865476],"translation":[0,0,3]},
                    {"mesh":0,"scale":[-2,2,2]}]"#;
    let mesh = read(glb(&gltf_json(nodes, primitive)), MeshFormat::Gltf).mesh;
    // (-2x, 2y, 2z) turned: (-2y, -2x, 2z + 3). Outside stays outside.
    assert!((mesh.volume() - 8.0 * 4.0 / 3.0).abs() < 1e-9);
    let [low, high] = mesh.bounds();
    let expected = [[-4.0, -4.0, 3.0], [0.0, 0.0, 5.0]];
    let apart = [low, high].concat().into_iter().zip(expected.concat());
    assert!(apart.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) < 1e-12, "{low:?} {high:?}");
}

#[test]
fn gltf_strips_and_fans_keep_their_winding() {
    // Without indices: five corners in turn.
    for (mode, expected) in [
        (5, vec![[0, 1, 2], [2, 1, 3], [2, 3, 4]]),
        (6, vec![[0, 1, 2], [0, 2, 3], [0, 3, 4]]),
        (4, vec![[0, 1, 2]]),
    ] {
        let primitive = format!(
            r#"{{"attributes":{{"POSITION":0}},"mode":{mode}}},{{"attributes":{{"POSITION":0}},"mode":1}}"#
        );
        let import = read(glb(&gltf_json(r#"[{"mesh":0}]"#, &primitive)), MeshFormat::Gltf);
        assert_eq!(import.mesh.triangles, expected);
        assert_eq!(import.mesh.group_names, ["pyramid"]);
        assert_eq!(import.notes[1], "1 sets of points or lines are left out");
    }
}
