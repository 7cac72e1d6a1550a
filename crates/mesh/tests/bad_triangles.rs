//! Wrong surfaces and wrong files: every one has its message, says where, and what to do.

use phasefront_mesh::{
    Import, MeshError, MeshFormat, TriangleMesh, Units, WELD_TOLERANCE, read_triangles, repair,
};

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, MeshError>, message: &str, advice: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.to_string(), message);
    assert_eq!(error.advice(), advice);
}

fn read(bytes: impl AsRef<[u8]>, format: MeshFormat) -> Result<Import, MeshError> {
    read_triangles(bytes.as_ref(), format, Units::Meters)
}

const AGAIN: &str = "the file is damaged: save it again";
const CUT: &str = "the file is cut short: save or copy it again";
const NUMBERS: &str = "write coordinates as finite numbers: 1.5 or 2e-3";

#[test]
fn wrong_surfaces() {
    let corners = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let names = |names: &[&str]| names.iter().map(|&name| name.into()).collect::<Vec<String>>();
    let new = |triangles: &[[u32; 3]], groups: &[u32], group_names: &[&str]| {
        TriangleMesh::new(corners.clone(), triangles.to_vec(), groups.to_vec(), names(group_names))
    };
    refused(new(&[], &[], &["a"]), "the mesh has no triangles", "give a surface mesh");
    refused(
        new(&[[0, 1, 2], [1, 2, 3]], &[0, 0], &["a"]),
        "triangle 2 has vertices [1, 2, 3], counted from 0, of 3",
        "number the vertices of triangles from 0",
    );
    let groups = "give each triangle the position of its group's name, and each group a name of its own";
    refused(new(&[[0, 1, 2]], &[], &["a"]), "1 triangles have 0 group numbers", groups);
    refused(new(&[[0, 1, 2]], &[1], &["a"]), "triangle 1 is in group 1, counted from 0, of 1", groups);
    refused(new(&[[0, 1, 2]], &[0], &["a", "b", "a"]), "two groups have the name \"a\"", groups);
    let finite = "give finite coordinates";
    for (x, shown) in [(f64::NAN, "NaN"), (f64::NEG_INFINITY, "-inf"), (1e101, &format!("{}", 1e101))] {
        let mut vertices = corners.clone();
        vertices[1][2] = x;
        refused(
            TriangleMesh::with_one_group(vertices, vec![[0, 1, 2]], "a"),
            &format!("vertex 2 is at (1, 0, {shown})"),
            finite,
        );
    }
    let line = vec![[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]];
    refused(
        repair(TriangleMesh::with_one_group(line, vec![[0, 1, 2]], "a").unwrap(), WELD_TOLERANCE),
        "none of the 1 triangles has an area",
        "give a surface mesh: these are lines and points",
    );
    for tolerance in [-1e-9, 0.02, f64::NAN] {
        refused(
            repair(new(&[[0, 1, 2]], &[0], &["a"]).unwrap(), tolerance),
            &format!("a tolerance of {tolerance} for joining vertices"),
            "it is a part of the size of the mesh: give 0 to 0.01",
        );
    }
    // A mesh that was changed by hand is checked again.
    let mut changed = new(&[[0, 1, 2]], &[0], &["a"]).unwrap();
    changed.vertices[0][0] = f64::NAN;
    refused(repair(changed, WELD_TOLERANCE), "vertex 1 is at (NaN, 0, 0)", finite);
}

#[test]
fn wrong_units() {
    refused(
        Units::parse("mn"),
        "\"mn\" is not a unit of length",
        "give the unit of the file's coordinates: \"um\", \"mm\", \"cm\", \"m\", \"in\" or \"ft\"",
    );
}

#[test]
fn wrong_stl() {
    let stl = |bytes: &[u8]| read(bytes, MeshFormat::Stl);
    let advice = "the file is cut short or no STL: save or copy it again";
    refused(stl(b""), "byte 0: the file ends inside the header", advice);
    refused(stl(&[7; 83]), "byte 83: the file ends inside the header", advice);
    // A count that lies: nothing is set aside for it.
    let mut lying = vec![0; 84 + 50];
    lying[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    refused(
        stl(&lying),
        "byte 80: 4294967295 triangles take 214748364834 bytes, and the file has 134",
        advice,
    );
    lying[..5].copy_from_slice(b"solid");
    assert!(stl(&lying).unwrap_err().to_string().starts_with("byte 80: 4294967295 triangles"));
    lying[80..84].copy_from_slice(&1_u32.to_le_bytes());
    lying[84 + 24..84 + 28].copy_from_slice(&f32::NAN.to_le_bytes());
    refused(
        stl(&lying),
        "byte 108: corner 2 of triangle 1 has coordinates that are no finite numbers",
        "repair the mesh, or save it again",
    );
    refused(stl(&[0; 84]), "the mesh has no triangles", "give a surface mesh");

    let text = |body: &str| stl(format!("solid s\n facet normal 0 0 1\n  outer loop\n{body}").as_bytes());
    refused(text("vertex 0 0\n"), "line 4: a point with fewer than three coordinates", "give x, y and z");
    refused(text("vertex 0 0 nan\n"), "line 4: \"nan\" where a coordinate belongs", NUMBERS);
    refused(text("vertex 0 0 0\nendloop\n"), "line 5: a loop of 1 corners, not 3", AGAIN);
    refused(text("normal 1\n"), "line 4: \"normal\" where it does not belong", AGAIN);
    refused(text("vertex 0 0 0\n"), "line 4: the file ends before endsolid", CUT);
    refused(stl(b"solid s\nvertex 0 0 0\n"), "line 2: \"vertex\" where it does not belong", AGAIN);
    refused(stl(b"solid s\nendsolid s\n"), "the mesh has no triangles", "give a surface mesh");
}

#[test]
fn wrong_obj() {
    let obj = |faces: &str| read(format!("v 0 0 0\nv 1 0 0\nv 0 1 0\n{faces}"), MeshFormat::Obj);
    let order = "number vertices from 1, or from -1 backwards, and put them before their faces";
    for corner in ["0", "4", "-4", "x", "", "/1", "99999999999999999999", "-9223372036854775808"] {
        if !corner.is_empty() {
            refused(
                obj(&format!("f 1 2 {corner}\n")),
                &format!(
                    "line 4: a face has the corner {:?}, after 3 vertices",
                    &corner[..corner.len().min(20)]
                ),
                order,
            );
        }
    }
    refused(obj("\n\nf 1 2\n"), "line 6: a face with 2 corners", "give a face three corners or more");
    refused(obj("v 1 2 z\n"), "line 4: \"z\" where a coordinate belongs", NUMBERS);
    refused(obj("v 1 \\\n inf 3\n"), "line 4: \"inf\" where a coordinate belongs", NUMBERS);
    refused(obj("# nothing\n"), "the mesh has no triangles", "give a surface mesh");
}

#[test]
fn wrong_ply_headers() {
    let ply = |text: &str| read(text, MeshFormat::Ply);
    let advice = "give a mesh in the PLY format, version 1.0";
    refused(ply("polly\n"), "line 1: the file does not begin with \"ply\"", advice);
    refused(
        ply("ply\nformat ascii 2.0\n"),
        "line 2: the PLY format \"ascii\", version \"2.0\" is not supported",
        advice,
    );
    refused(ply("ply\nformat ascii 1.0\n"), "line 2: the file ends inside the header", CUT);
    refused(ply("ply\nend_header\n"), "line 2: the header does not state the format", advice);
    refused(ply("ply\nproperty int x\n"), "line 2: \"property int x\" in the header", advice);
    refused(
        ply("ply\nelement vertex 1\nproperty real x\n"),
        "line 3: \"real\" is no type of a property",
        "take char, uchar, short, ushort, int, uint, float or double",
    );
    refused(ply("ply\nelement vertex -1\n"), "line 2: \"-1\" where an integer belongs", AGAIN);
    let head = "ply\nformat ascii 1.0\n";
    let end = "end_header\n0 0 0\n";
    refused(
        ply(&format!("{head}element vertex 1\nproperty int x\nproperty int y\n{end}")),
        "line 7: vertices have no property \"z\"",
        AGAIN,
    );
    refused(
        ply(&format!("{head}element face 1\nproperty int x\n{end}")),
        "line 6: faces have no property \"vertex_indices\"",
        AGAIN,
    );
    refused(
        ply(&format!("{head}element tristrips 1\nproperty list int int vertex_indices\n{end}")),
        "line 6: a mesh of triangle strips is not supported",
        "save it with faces",
    );
}

#[test]
fn wrong_ply_values() {
    let head = |format: &str, vertices: u64, faces: u64| {
        format!(
            "ply\nformat {format} 1.0\nelement vertex {vertices}\nproperty float x\nproperty float y\n\
             property float z\nelement face {faces}\nproperty list uchar int vertex_indices\nend_header\n"
        )
    };
    let text = |body: &str| read(head("ascii", 3, 1) + "0 0 0\n1 0 0\n0 1 0\n" + body, MeshFormat::Ply);
    assert!(text("3 0 1 2\n").is_ok());
    for corner in ["3", "-1", "1.5", "nan", "4294967296"] {
        refused(
            text(&format!("3 0 1 {corner}\n")),
            "line 13: a face has a corner that is none of the 3 vertices",
            AGAIN,
        );
    }
    refused(text("2 0 1\n"), "line 13: a face with 2 corners", AGAIN);
    refused(text("-3 0 1 2\n"), "line 13: a list of -3 items", AGAIN);
    refused(text("3 0 1 two\n"), "line 13: \"two\" where a number belongs", AGAIN);
    let ends = "the file ends before the numbers that its header announces";
    refused(text("3 0 1\n"), &format!("line 14: {ends}"), CUT);
    let finite = "has coordinates that are no finite numbers";
    refused(
        read(head("ascii", 1, 0) + "0 nan 0\n", MeshFormat::Ply),
        &format!("line 10: vertex 1 {finite}"),
        AGAIN,
    );

    // Counts that lie: nothing is set aside for them.
    let most = u64::MAX;
    let lying = head("binary_little_endian", most, most);
    let at = lying.len();
    let damaged = "the file is cut short or damaged: save or copy it again";
    let announced = |count: u64, name: &str, size: usize, left: usize| {
        format!(
            "the header announces {count} elements {name:?} of at least {size} bytes each, and {left} bytes follow"
        )
    };
    refused(
        read(&lying, MeshFormat::Ply),
        &format!("byte {at}: {}", announced(most, "vertex", 12, 0)),
        damaged,
    );
    let mut vertices = lying.into_bytes();
    vertices.extend([0; 30]);
    refused(
        read(&vertices, MeshFormat::Ply),
        &format!("byte {at}: {}", announced(most, "vertex", 12, 30)),
        damaged,
    );
    let mut faces = head("binary_little_endian", 1, 7).into_bytes();
    let at = faces.len() + 12;
    faces.extend([0; 18]);
    refused(read(&faces, MeshFormat::Ply), &format!("byte {at}: {}", announced(7, "face", 1, 6)), damaged);
    refused(
        read(head("ascii", 5, 0) + "0 0 0\n", MeshFormat::Ply),
        &format!("line 10: {}", announced(5, "vertex", 6, 6)),
        damaged,
    );
    // Things without properties take no time, however many there are.
    let empty = format!("ply\nformat ascii 1.0\nelement nothing {most}\nend_header\n");
    refused(read(empty, MeshFormat::Ply), "the mesh has no triangles", "give a surface mesh");
}

#[test]
fn wrong_unv() {
    let unv = |text: &str| read(text, MeshFormat::Unv);
    let nodes = "    -1\n  2411\n 1 1 1 1\n 0 0 0\n 2 1 1 1\n 1 0 0\n 3 1 1 1\n 0 1 0\n    -1\n";
    let with = |more: &str| unv(&format!("{nodes}{more}"));
    assert!(with("    -1\n  2412\n 1 91 1 1 7 3\n 1 2 3\n    -1\n").is_ok());
    refused(
        unv("hello\n"),
        "line 1: the file has no data sets between lines of -1",
        "give a mesh in the universal file format, UNV",
    );
    let ends = "the file ends inside a data set";
    refused(unv("    -1\n  2411\n 1 1 1 1\n"), &format!("line 3: {ends}"), CUT);
    refused(unv("    -1\n   999\n 1 1 1 1\n"), &format!("line 3: {ends}"), CUT);
    let inside = "a data set ends inside a record";
    refused(unv("    -1\n  2411\n 1 1 1 1\n    -1\n"), &format!("line 4: {inside}"), AGAIN);
    refused(
        unv("    -1\n  2411\n 1 1 1 1\n 0 0 1.0X+00\n"),
        "line 4: \"1.0X+00\" where a coordinate belongs",
        NUMBERS,
    );
    refused(unv("    -1\n  2411\n 1 1 1 1\n 0 0\n"), "line 4: \"\" where a coordinate belongs", NUMBERS);
    refused(
        unv("    -1\n  2411\n 1 1 1 1\n 0 0 0\n 1 1 1 1\n 1 0 0\n    -1\n"),
        "line 5: node 1 is there twice",
        AGAIN,
    );
    refused(unv("    -1\n  2411\n -5 1 1 1\n"), "line 3: -5 is no label", AGAIN);
    let element = |text: &str| with(&format!("    -1\n  2412\n{text}    -1\n"));
    refused(element(" 1 91 1\n"), "line 12: an element without a number of nodes", AGAIN);
    refused(element(" 1 91 1 1 7 3\n 1 2 4\n"), "line 12: an element has node 4, which is not there", AGAIN);
    refused(element(" 1 91 1 1 7 3\n\n"), "line 13: an element with fewer nodes than it says", AGAIN);
    refused(element(" 1 91 1 1 7 9000000000000\n 1 2 3\n"), &format!("line 14: {inside}"), AGAIN);
    let group = |text: &str| with(&format!("    -1\n  2467\n{text}    -1\n"));
    refused(group(" 1 0 0 0\n"), "line 12: a group without a number of members", AGAIN);
    refused(
        group(" 1 0 0 0 0 0 0 2\nname\n 8 1\n"),
        "line 14: a group with fewer members than it says",
        AGAIN,
    );
    refused(group(" 1 0 0 0 0 0 0 9000000000000\nname\n"), &format!("line 14: {inside}"), AGAIN);
}

#[test]
fn wrong_inp() {
    let inp = |text: &str| read(text, MeshFormat::Abaqus);
    let nodes = "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n";
    let with = |more: &str| inp(&format!("{nodes}{more}"));
    assert!(with("*ELEMENT, TYPE=S3\n1, 1, 2, 3\n").is_ok());
    let keywords = "give an Abaqus input file: keywords such as *NODE begin its blocks";
    refused(inp("hello\n"), "line 1: the file has no keywords", keywords);
    refused(inp("*NODE,"), "the mesh has no triangles", "give a surface mesh");
    refused(inp(nodes), "the mesh has no triangles", "give a surface mesh");
    refused(with("1, 0, 0, 0\n"), "line 5: node 1 is there twice", AGAIN);
    refused(with("x, 0\n"), "line 5: \"x\" where an integer belongs", AGAIN);
    refused(with("4, 0, y\n"), "line 5: \"y\" where a coordinate belongs", NUMBERS);
    let element = |text: &str| with(&format!("*ELEMENT, TYPE=S3\n{text}"));
    refused(element("1, 1, 2\n"), "line 6: an element with 2 of 3 nodes", AGAIN);
    refused(element("1, 1,\n2,\n"), "line 6: an element with 2 of 3 nodes", AGAIN);
    refused(element("1, 1, 2, 9\n"), "line 6: an element has node 9, which is not there", AGAIN);
    refused(
        element("1, 1, 2, 3\n*INCLUDE, INPUT=rest.inp\n"),
        "line 7: *INCLUDE of another file is not supported",
        "write the model into one file",
    );
    refused(
        element("1, 1, 2, 3\n*ELSET, ELSET=a, GENERATE\n7, 1, 1\n"),
        "line 8: a set from element 7 to 1",
        AGAIN,
    );
    refused(
        element("1, 1, 2, 3\n*INSTANCE, PART=a\n1, 2\n"),
        "line 8: an instance is placed by \"1, 2\"",
        "give a shift x, y, z, then two points of an axis and an angle",
    );
    let cartesian = "write all nodes and elements by themselves, in Cartesian coordinates";
    refused(element("1, 1, 2, 3\n*ELGEN\n1, 4, 1, 1\n"), "line 7: *ELGEN is not supported", cartesian);
    refused(
        with("*NODE, SYSTEM=C\n4, 1, 90, 0\n"),
        "line 5: *NODE in cylindrical or spherical coordinates is not supported",
        cartesian,
    );
    refused(
        with("*ELEMENT, TYPE=S3,\nINPUT=skin.inp\n"),
        "line 5: *ELEMENT of another file is not supported",
        "write the model into one file",
    );
    refused(
        element("1, 1, 2, 3\n*INSTANCE, PART=fin\n*END INSTANCE\n"),
        "an instance of part \"fin\", which is not there",
        AGAIN,
    );
    // Ranges may be of elements that are no surface, and longer than memory.
    assert!(element("1, 1, 2, 3\n*ELSET, ELSET=a, GENERATE\n1, 18446744073709551615, 1\n").is_ok());
}

#[test]
fn wrong_gltf() {
    let gltf = |text: &str| read(text, MeshFormat::Gltf);
    let format = "give a glTF 2.0 file, .glb or .gltf";
    refused(gltf("{"), "line 1: not glTF: EOF while parsing an object at line 1 column 1", format);
    refused(gltf("{}"), "the file has no scene", AGAIN);
    refused(gltf("glTF\x02"), "byte 5: the file ends inside a chunk", AGAIN);
    let scene = |rest: &str| gltf(&format!(r#"{{"scenes":[{{"nodes":[0]}}],{rest}}}"#));
    refused(scene(r#""nodes":[]"#), "there is no node 0", AGAIN);
    refused(scene(r#""nodes":[{"children":[0]}]"#), "node 0 is in the scene twice", AGAIN);
    refused(scene(r#""nodes":[{"mesh":3}]"#), "there is no mesh 3", AGAIN);
    refused(scene(r#""nodes":[{}]"#), "the mesh has no triangles", "give a surface mesh");
    refused(
        scene(r#""nodes":[{}],"extensionsRequired":["KHR_draco_mesh_compression"]"#),
        "byte 0: the extension KHR_draco_mesh_compression is not supported",
        "export without compression and without extensions of the geometry",
    );
    let mesh = |buffer: &str, accessor: &str| {
        scene(&format!(
            r#""nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],
            "buffers":[{buffer}],"bufferViews":[{{"buffer":0,"byteLength":36}}],"accessors":[{accessor}]"#
        ))
    };
    let three = r#"{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}"#;
    let data = format!(r#"{{"uri":"data:application/octet-stream;base64,{}"}}"#, "A".repeat(48));
    assert!(mesh(&data, three).is_ok());
    refused(
        mesh(r#"{"uri":"wing.bin"}"#, three),
        "byte 0: coordinates in another file is not supported",
        "save the model as one file, .glb",
    );
    let beyond = "accessor 0 reaches beyond its buffer, or is empty";
    refused(mesh("{}", three), beyond, AGAIN);
    refused(mesh(&data, &three.replace("\"count\":3", "\"count\":18446744073709551615")), beyond, AGAIN);
    refused(mesh(&data, &three.replace("\"count\":3", "\"count\":0")), beyond, AGAIN);
    refused(mesh(&data, &three.replace("5126", "5123")), "accessor 0 is VEC3 of type 5123", AGAIN);
    refused(
        mesh(&data, &three.replace("\"count\":3", "\"count\":3,\"sparse\":{}")),
        "byte 0: a sparse accessor is not supported",
        "export without sparse accessors",
    );
    refused(
        mesh(&data.replace("AAAA\"", "AA!A\""), three),
        "a buffer is not base64: Invalid symbol 33, offset 46.",
        AGAIN,
    );
}

#[test]
fn gmsh_without_a_surface() {
    let text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2\n1 0 0 0\n2 1 0 0\n$EndNodes\n\
        $Elements\n1\n1 1 2 0 1 1 2\n$EndElements\n";
    refused(
        read(text, MeshFormat::Gmsh),
        "the mesh has no surface elements",
        "mesh the surfaces, and save them: all elements, or those of a Physical Surface",
    );
}
