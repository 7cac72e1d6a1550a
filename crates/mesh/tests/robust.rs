//! Damaged files are refused or read as something else, and never end the program.

mod msh_binary;

use msh_binary::to_binary;
use phasefront_mesh::{
    GmshMesh, MeshFormat, Outline, SMOOTH_ANGLE, Units, WELD_TOLERANCE, csv_points, gmsh_outlines, gmsh_tets,
    read_triangles, repair, spline, svg_outlines, wedges,
};

const MESHES: [&str; 3] = [
    include_str!("data/rim-order-2.msh"),
    include_str!("data/rim-order-3-2.2.msh"),
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n1 4 \"side\"\n$EndPhysicalNames\n\
     $Entities\n0 1 0 0\n9 0 0 0 0 0 0 1 4 2 1 -2\n$EndEntities\n\
     $Nodes\n1 4 1 4\n2 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 .5 0\n$EndNodes\n\
     $Elements\n1 4 1 4\n1 9 1 4\n1 1 2\n2 2 3\n3 3 4\n4 4 1\n$EndElements\n",
];

const VOLUMES: [&str; 2] =
    [include_str!("data/two-boxes-2.2.msh"), include_str!("data/ball-order-2-4.1.msh")];

const DRAWING: &str = "<svg xmlns='http://www.w3.org/2000/svg' width='9mm'><g id='a' transform='rotate(30) skewX(9)'>\
    <path d='M0 0 1 1 2 0C3 0 3 0 4 1S9 9 5 5q-1-1-3 2t.5.5A3 2 30 1 0-1e1-4z m1 1h1v-1H0V5Z' style='display:x'/>\
    <rect x='1' y='2' width='3' height='4' rx='1'/><circle r='3'/><ellipse rx='3' ry='2'/><line x2='3'/>\
    <polygon points='0,0 1,0 1,1'/><polyline points='0,0 1,0 1,1'/></g></svg>";

const TABLE: &str = "x,y,corner\n0,0,1\n1,0\n1.5,.5,0\n1,1,corner # end\n-1e-2,3\n0,0\n";

const STL: &str = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1e-1 0\nendloop\n\
    endfacet\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 0 3\nendloop\nendfacet\nendsolid a\n";

const OBJ: &str =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\ng a\nf 1 3 2\nf -4/1 -3//2 4/1/2\nusemtl b\nf 1 4 3\nf 2 3 4 1\n";

const PLY: &str = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty double y\nproperty int z\n\
    element face 3\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 1 2\n\
    4 0 1 2 3\n3 1 2 3\n";

const PLY_BINARY: &[u8] =
    b"ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty char x\nproperty char y\n\
    property short z\nelement face 2\nproperty list uchar ushort vertex_index\nend_header\n\
    \x00\x00\x00\x00\x01\x00\x00\x00\x00\x01\x00\x00\x03\x00\x00\x01\x00\x02\x00\x03\x00\x00\x02\x00\x01\x00";

const UNV: &str = "    -1\n  2411\n 1 1 1 1\n 0 0 0\n 2 1 1 1\n 1.0D+00 0 0\n 3 1 1 1\n 0 1 0\n 4 1 1 1\n 0 0 1\n    -1\n\
    -1\n  2412\n 1 91 1 1 7 3\n 1 2 3\n 2 94 1 1 7 4\n 1 2 3 4\n 3 21 1 1 7 2\n 0 0 0\n 1 2\n    -1\n\
    -1\n  2467\n 1 0 0 0 0 0 0 2\nname\n 8 1 0 0 8 2 0 0\n    -1\n";

/// One triangle.
fn stl_binary() -> Vec<u8> {
    let mut bytes = vec![b' '; 80];
    bytes.extend(1_u32.to_le_bytes());
    let numbers: [f32; 12] = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    bytes.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
    bytes.extend([0; 2]);
    bytes
}

/// A surface that was read can be repaired, or has no area; what comes out holds together.
fn read_surface(bytes: &[u8], format: MeshFormat) -> bool {
    let Ok(import) = read_triangles(bytes, format, Units::Millimeters) else { return false };
    if let Ok(repaired) = repair(import.mesh, WELD_TOLERANCE) {
        let (mesh, report) = (&repaired.mesh, &repaired.report);
        assert!(report.area > 0.0 && report.area.is_finite());
        assert!(report.closed_shells <= report.shells && report.triangles == mesh.triangles.len());
        assert!(wedges(mesh, SMOOTH_ANGLE).iter().all(|wedge| (0.0..=7.0).contains(&wedge.exterior)));
    }
    true
}

/// What every outline must keep, however strange its file.
fn check(outlines: &[Outline]) {
    for outline in outlines {
        assert_eq!(outline.corners.len(), outline.segments.len());
        assert!(outline.length() > 0.0 && outline.signed_area().is_finite());
        for segment in &outline.segments {
            for t in [0.0, 0.3, 1.0] {
                let [x, y] = segment.derivative(t);
                assert!(x.hypot(y) > 0.0, "{segment:?} {t}");
            }
        }
    }
}

fn read_mesh(bytes: &[u8]) -> bool {
    let Ok(mesh) = GmshMesh::parse(bytes) else { return false };
    for flat in [false, true] {
        if let Ok(outlines) = gmsh_outlines(&mesh, None, flat) {
            check(&outlines);
        }
    }
    true
}

/// Tetrahedra that were read have a volume; if they conform, faces are matched in pairs.
fn read_volume(bytes: &[u8]) -> bool {
    let Ok(mesh) = GmshMesh::parse(bytes) else { return false };
    let Ok(import) = gmsh_tets(&mesh, Units::Millimeters) else { return false };
    let mesh = import.mesh.reordered();
    let Ok(mut faces) = mesh.faces() else { return false };
    assert!((0..mesh.tets.len()).all(|t| mesh.volume(t) > 0.0));
    assert_eq!((4 * mesh.tets.len() - faces.boundary().count()) % 2, 0);
    for a in 0..3 {
        let _ = faces.join_periodic(&mesh, a, a + 1);
    }
    true
}

fn read_drawing(bytes: &[u8]) -> bool {
    let outlines = svg_outlines(&String::from_utf8_lossy(bytes), None);
    check(outlines.as_deref().unwrap_or_default());
    outlines.is_ok()
}

fn read_table(bytes: &[u8]) -> bool {
    let Ok((points, corners)) = csv_points(&String::from_utf8_lossy(bytes)) else { return false };
    for closed in [false, true] {
        if let Ok(outline) = spline(&points, &corners, closed) {
            check(&[outline]);
        }
    }
    true
}

type Reader = fn(&[u8]) -> bool;

fn files() -> Vec<(Vec<u8>, Reader)> {
    let meshes = MESHES.map(|text| (text.into(), read_mesh as Reader));
    let others: [(Vec<u8>, Reader); 8] = [
        (DRAWING.into(), read_drawing),
        (TABLE.into(), read_table),
        (STL.into(), |bytes| read_surface(bytes, MeshFormat::Stl)),
        (stl_binary(), |bytes| read_surface(bytes, MeshFormat::Stl)),
        (OBJ.into(), |bytes| read_surface(bytes, MeshFormat::Obj)),
        (PLY.into(), |bytes| read_surface(bytes, MeshFormat::Ply)),
        (PLY_BINARY.into(), |bytes| read_surface(bytes, MeshFormat::Ply)),
        (UNV.into(), |bytes| read_surface(bytes, MeshFormat::Unv)),
    ];
    let volumes = VOLUMES.iter().flat_map(|text| [text.as_bytes().to_vec(), to_binary(text, false)]);
    let volumes = volumes.map(|bytes| (bytes, read_volume as Reader));
    meshes.into_iter().chain(others).chain(volumes).collect()
}

#[test]
fn cut_anywhere() {
    for (bytes, read) in files() {
        assert!(read(&bytes));
        let good = (0..bytes.len()).filter(|&length| read(&bytes[..length])).count();
        assert!(good < bytes.len());
    }
}

/// Numbers without pattern (Steele, Lea and Flood 2014: SplitMix64), the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }
}

#[test]
fn bytes_changed_at_random() {
    // Bytes that numbers and marks are made of do more harm than others.
    let alphabet = b"0123456789.-+eE,; \n\t$<>/='\"MmLlHhVvCcSsQqTtAaZzn\x00\x80\xff";
    let mut random = Random(1);
    for (bytes, read) in files() {
        let mut refused = 0;
        for _ in 0..3000 {
            let mut changed = bytes.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(changed.len());
                changed[at] = alphabet[random.below(alphabet.len())];
            }
            refused += usize::from(!read(&changed));
        }
        assert!(refused > 100, "{refused}");
    }
}
