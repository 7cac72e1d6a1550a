//! Damaged files are refused or read as something else, and never end the program.

use phasefront_mesh::{GmshMesh, Outline, csv_points, gmsh_outlines, spline, svg_outlines};

const MESHES: [&str; 3] = [
    include_str!("data/rim-order-2.msh"),
    include_str!("data/rim-order-3-2.2.msh"),
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n1 4 \"side\"\n$EndPhysicalNames\n\
     $Entities\n0 1 0 0\n9 0 0 0 0 0 0 1 4 2 1 -2\n$EndEntities\n\
     $Nodes\n1 4 1 4\n2 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 .5 0\n$EndNodes\n\
     $Elements\n1 4 1 4\n1 9 1 4\n1 1 2\n2 2 3\n3 3 4\n4 4 1\n$EndElements\n",
];

const DRAWING: &str = "<svg xmlns='http://www.w3.org/2000/svg' width='9mm'><g id='a' transform='rotate(30) skewX(9)'>\
    <path d='M0 0 1 1 2 0C3 0 3 0 4 1S9 9 5 5q-1-1-3 2t.5.5A3 2 30 1 0-1e1-4z m1 1h1v-1H0V5Z' style='display:x'/>\
    <rect x='1' y='2' width='3' height='4' rx='1'/><circle r='3'/><ellipse rx='3' ry='2'/><line x2='3'/>\
    <polygon points='0,0 1,0 1,1'/><polyline points='0,0 1,0 1,1'/></g></svg>";

const TABLE: &str = "x,y,corner\n0,0,1\n1,0\n1.5,.5,0\n1,1,corner # end\n-1e-2,3\n0,0\n";

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

fn files() -> Vec<(&'static [u8], Reader)> {
    let meshes = MESHES.map(|text| (text.as_bytes(), read_mesh as Reader));
    let others = [(DRAWING.as_bytes(), read_drawing as Reader), (TABLE.as_bytes(), read_table as Reader)];
    meshes.into_iter().chain(others).collect()
}

#[test]
fn cut_anywhere() {
    for (bytes, read) in files() {
        assert!(read(bytes));
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
            let mut changed = bytes.to_vec();
            for _ in 0..=random.below(3) {
                let at = random.below(changed.len());
                changed[at] = alphabet[random.below(alphabet.len())];
            }
            refused += usize::from(!read(&changed));
        }
        assert!(refused > 100, "{refused}");
    }
}
