//! Inputs to begin with: the gallery, files of tests, and small ones made here.

use num_complex::Complex64;
use phasefront_core::checkpoint::{State, StateWriter};
use phasefront_nah::Datagram;
use phasefront_pattern::{Pattern, PatternError, Powers, write_cut, write_ffd, write_ffe, write_grd};
use phasefront_report::{Check, RunResult};
use sha2::{Digest, Sha256};
use std::f64::consts::TAU;
use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;
use zip::CompressionMethod;
use zip::write::SimpleFileOptions;

/// Files of a folder of the repository and of the folders in it, with this ending and not too large.
fn found(folder: &str, ending: &str) -> Vec<Vec<u8>> {
    const MAX_BYTES: usize = 40_000;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let mut waiting = vec![root];
    let mut files = Vec::new();
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                files.push(path);
            }
        }
    }
    // In the same order everywhere: inputs are numbered.
    files.sort_unstable();
    files.iter().filter_map(|path| fs::read(path).ok()).filter(|bytes| bytes.len() <= MAX_BYTES).collect()
}

/// Case files of the gallery.
pub fn cases() -> Vec<Vec<u8>> {
    found("cases", ".toml")
}

/// A sweep with every kind of list.
pub fn sweeps() -> Vec<Vec<u8>> {
    let text = "case = \"case.toml\"\nname = \"sizes\"\n[values]\n\"geometry.bodies[0].radius\" = [\"1 m\", \"2 m\"]\n\
                source.frequency = { from = \"1 GHz\", to = \"2 GHz\", points = 3 }\n[values.solve]\norder = [1, 2.5]\n\
                [[together]]\n\"source.polarization\" = [\"TM\", 'TE']\noutput.currents = [true, [{ a = 1 }]]\n";
    vec![text.into()]
}

/// Reference values of the gallery.
pub fn expected() -> Vec<Vec<u8>> {
    found("cases", "expected.json")
}

/// A `result.json`.
pub fn results() -> Vec<Vec<u8>> {
    let mut result = RunResult::new("mom", "circle");
    result.seconds.insert("solve".into(), 1.5);
    result.metrics.insert("error".into(), f64::NAN);
    result.warnings.push("the mesh has a hole".into());
    result.checks.push(Check::new("forward", 34.6, 34.5846, 0.05, "Mie series"));
    vec![result.to_json().into_bytes()]
}

/// STL, text and binary.
pub fn stl() -> Vec<Vec<u8>> {
    let mut binary = vec![b' '; 80];
    binary.extend(2_u32.to_le_bytes());
    for height in [0.0_f32, 1.0] {
        let numbers = [0.0, 0.0, 1.0, 0.0, 0.0, height, 1.0, 0.0, height, 0.0, 1.0, height];
        binary.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
        binary.extend([0; 2]);
    }
    [found("cases", ".stl"), vec![binary]].concat()
}

/// Wavefront.
pub fn obj() -> Vec<Vec<u8>> {
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\ng a\nf 1 3 2\nf -4/1 -3//2 4/1/2\nusemtl b\nf 1 4 3 \\\n 2\no c\nl 1 2\nf 2 3 4 1\n";
    vec![text.into()]
}

/// Stanford's polygons, text and binary.
pub fn ply() -> Vec<Vec<u8>> {
    let text = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty double y\nproperty int z\nelement face 3\n\
                property list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 1 2\n4 0 1 2 3\n3 1 2 3\n";
    let binary = b"ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty char x\nproperty char y\nproperty short z\n\
                   element face 2\nproperty list uchar ushort vertex_index\nend_header\n\
                   \x00\x00\x00\x00\x01\x00\x00\x00\x00\x01\x00\x00\x03\x00\x00\x01\x00\x02\x00\x03\x00\x00\x02\x00\x01\x00";
    vec![text.into(), binary.to_vec()]
}

/// Universal files.
pub fn unv() -> Vec<Vec<u8>> {
    found("crates/mesh/tests/data", ".unv")
}

/// Abaqus input, with parts, sets and instances.
pub fn inp() -> Vec<Vec<u8>> {
    let parts = "** two triangles\n*Part, name=fin\n*Node\n1, 0, 0, 0\n2, 1., 0\n3, 0, 1e0, 0\n4, 1, 1, 0.5\n*Element, type=S3R\n\
                 7, 1, 2, 3\n8, 2, 4, 3\n*Elset, elset=half, generate\n7, 7, 1\n*Elset, elset=rest\n8,\n*End Part\n\
                 *Instance, name=a, part=fin\n1, 0, 0\n0, 0, 0, 0, 0, 1, 90\n*End Instance\n";
    let plain = "*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,.5,0,0\n*ELEMENT, TYPE=C3D4\n9, 1, 2,\n3, 4\n\
                 *ELEMENT,TYPE=S8R,ELSET=\"a b\"\n1, 1, 2, 3, 4, 5, 5,\n5, 5\n";
    vec![parts.into(), plain.into()]
}

/// glTF, as text and binary.
pub fn gltf() -> Vec<Vec<u8>> {
    // Three corners of twelve bytes, then three indices of two.
    let mut data: Vec<u8> =
        [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    data.extend([0, 0, 1, 0, 2, 0, 0, 0]);
    let model = |buffer: &str| {
        format!(
            r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":[{{"children":[1],"scale":[1,2,-1]}},
            {{"mesh":0,"translation":[0,0,1],"rotation":[0,0,1,0]}}],"meshes":[{{"name":"fin","primitives":[
            {{"attributes":{{"POSITION":0}},"indices":1,"mode":4}}]}}],"accessors":[
            {{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}},{{"bufferView":1,"componentType":5123,"count":3,"type":"SCALAR"}}],
            "bufferViews":[{{"buffer":0,"byteLength":36}},{{"buffer":0,"byteOffset":36,"byteLength":6}}],"buffers":[{buffer}]}}"#
        )
    };
    let text = model(
        r#"{"byteLength":44,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAABAAIAAAA="}"#,
    );
    let mut json = model(r#"{"byteLength":44}"#).into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let chunk =
        |kind: &[u8; 4], content: &[u8]| [&(content.len() as u32).to_le_bytes(), &kind[..], content].concat();
    let chunks = [chunk(b"JSON", &json), chunk(b"BIN\0", &data)].concat();
    let header = [&b"glTF"[..], &2_u32.to_le_bytes(), &(12 + chunks.len() as u32).to_le_bytes()].concat();
    vec![text.into_bytes(), [header, chunks].concat()]
}

/// Gmsh's, of both versions.
pub fn gmsh() -> Vec<Vec<u8>> {
    let mut all = found("crates/mesh/tests/data", ".msh");
    all.extend(found("cases", ".msh"));
    let head = b"$MeshFormat\n2.2 1 8\n\x01\0\0\0\n$EndMeshFormat\n$Nodes\n2\n\x07\0\0\0";
    let nodes = [0.0_f64, 0.0, 0.0].iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let more = [1.0_f64, 0.0, 0.0].iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let elements: Vec<u8> = [1_i32, 1, 2, 1, 5, 9, 7, 8].iter().flat_map(|x| x.to_le_bytes()).collect();
    let parts: [&[u8]; 7] =
        [head, &nodes, &[8, 0, 0, 0], &more, b"\n$EndNodes\n$Elements\n1\n", &elements, b"\n$EndElements\n"];
    all.push(parts.concat());
    all
}

/// MFEM meshes.
pub fn mfem() -> Vec<Vec<u8>> {
    let text = "MFEM mesh v1.3\n# two elements\ndimension\n3\nelements\n2\n4 5 0 1 2 3 4 5 6 7\n5 4 4 5 6 8\n\
        attribute_sets\n1\n\"a b\" 1 4\nboundary\n2\n9 3 3 2 1 0\n2 2 4 5 6\nbdr_attribute_sets\n0\nvertices\n9\n3\n\
        0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n.5 .5 2\nmfem_mesh_end\n";
    vec![text.into()]
}

/// Drawings.
pub fn svg() -> Vec<Vec<u8>> {
    let text = "<svg xmlns='http://www.w3.org/2000/svg' width='9mm'><g id='a' transform='rotate(30) skewX(9)'>\
        <path d='M0 0 1 1 2 0C3 0 3 0 4 1S9 9 5 5q-1-1-3 2t.5.5A3 2 30 1 0-1e1-4z m1 1h1v-1H0V5Z' style='display:x'/>\
        <rect x='1' y='2' width='3' height='4' rx='1'/><circle r='3'/><ellipse rx='3' ry='2'/><line x2='3'/>\
        <polygon points='0,0 1,0 1,1'/><polyline points='0,0 1,0 1,1'/></g></svg>";
    [found("cases", ".svg"), vec![text.into()]].concat()
}

/// Tables of points.
pub fn points() -> Vec<Vec<u8>> {
    let text = "x,y,corner\n0,0,1\n1,0\n1.5,.5,0\n1,1,corner # end\n-1e-2,3\n0,0\n";
    vec![text.into(), "x,y\n0,0\n1e-170,0\n".into()].into_iter().chain(found("cases", "corner.csv")).collect()
}

/// Samples of 16 microphones.
fn frames() -> impl Iterator<Item = i16> {
    (0..16 * 40_i32).map(|i| ((i % 16 + 1) * ((i / 16) % 7 - 3) * 900) as i16)
}

/// WAV with integers and with floating-point numbers.
pub fn wav() -> Vec<Vec<u8>> {
    let file = |tag: u16, bits: u16, data: Vec<u8>| {
        let mut bytes = b"RIFF".to_vec();
        bytes.extend((36 + data.len() as u32).to_le_bytes());
        bytes.extend(b"WAVEfmt ");
        bytes.extend(16_u32.to_le_bytes());
        bytes.extend(tag.to_le_bytes());
        bytes.extend(16_u16.to_le_bytes());
        bytes.extend(6400_u32.to_le_bytes());
        bytes.extend((6400 * 16 * u32::from(bits) / 8).to_le_bytes());
        bytes.extend((16 * bits / 8).to_le_bytes());
        bytes.extend(bits.to_le_bytes());
        bytes.extend(b"data");
        bytes.extend((data.len() as u32).to_le_bytes());
        bytes.extend(data);
        bytes
    };
    let integers = frames().flat_map(i16::to_le_bytes).collect();
    let floats = frames().flat_map(|v| (f32::from(v) / 32_768.0).to_le_bytes()).collect();
    vec![file(1, 16, integers), file(3, 32, floats)]
}

/// An array of NumPy.
fn array(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let length = (header.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), data].concat()
}

/// NPY.
pub fn npy() -> Vec<Vec<u8>> {
    let integers: Vec<u8> = frames().flat_map(i16::to_le_bytes).collect();
    let doubles: Vec<u8> = frames().flat_map(|v| f64::from(v).to_le_bytes()).collect();
    vec![array("<i2", "(40, 16)", &integers), array("<f8", "(40, 16)", &doubles)]
}

/// NPZ, stored and compressed.
pub fn npz() -> Vec<Vec<u8>> {
    let frequency = array("<f8", "(1,)", &500.0_f64.to_le_bytes());
    let p: Vec<u8> = (0..32).flat_map(|i| (f64::from(i) / 7.0).sin().to_le_bytes()).collect();
    let p = array("<c16", "(1, 4, 4)", &p);
    let zipped = |method: CompressionMethod| {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default().compression_method(method);
        for (name, bytes) in [("frequency.npy", &frequency), ("p.npy", &p)] {
            writer.start_file(name, options).ok()?;
            writer.write_all(bytes).ok()?;
        }
        Some(writer.finish().ok()?.into_inner())
    };
    [CompressionMethod::Stored, CompressionMethod::Deflated].into_iter().filter_map(zipped).collect()
}

/// Samples without a header, behind a byte for their type.
pub fn raw() -> Vec<Vec<u8>> {
    let samples: Vec<u8> = frames().flat_map(i16::to_le_bytes).collect();
    (0..4).map(|kind| [&[kind], &samples[..]].concat()).collect()
}

/// Phasors of microphones.
pub fn spectra() -> Vec<Vec<u8>> {
    let rows: Vec<String> = (0..16).map(|m| format!("500,{m},{},{}\n", 1 + m, m % 5)).collect();
    vec![format!("frequency_hz,microphone,re_pa,im_pa\n{}", rows.concat()).into_bytes()]
}

/// Positions of microphones.
pub fn positions() -> Vec<Vec<u8>> {
    let rows: Vec<String> =
        (0..16).map(|m| format!("{},{}\n", 0.05 * f64::from(m % 4), 0.06 * f64::from(m / 4))).collect();
    vec![format!("x_m,y_m\n{}", rows.concat()).into_bytes()]
}

/// Materials over frequency.
pub fn media() -> Vec<Vec<u8>> {
    vec![b"frequency_hz,eps_real,eps_loss,mu_real,mu_loss\n1e9,12,0.3,1.6,0.9\n2e9,11,0.4,1.5,0.8\n8e9,9,1,1.2,0.5\n".to_vec()]
}

/// Designs of a reflectarray.
pub fn designs() -> Vec<Vec<u8>> {
    let rows: Vec<String> = (0..6)
        .map(|i| {
            format!(
                "{},{},{},{},{}\n",
                i % 3,
                i / 3,
                0.01 * f64::from(i % 3),
                0.01 * f64::from(i / 3),
                40 * i
            )
        })
        .collect();
    vec![format!("ix,iy,x_m,y_m,phase_deg\n{}", rows.concat()).into_bytes()]
}

/// Reflection tables of cells.
pub fn reflections() -> Vec<Vec<u8>> {
    vec![b"theta_deg,amplitude,phase_deg\n0,0.98,0\n30,0.97,5\n60,0.9,20\n".to_vec()]
}

/// Patterns of a feed polarized along x, after a byte for their format.
pub fn feeds() -> Vec<Vec<u8>> {
    let theta: Vec<f64> = (0..5).map(|i| 0.1 * f64::from(i)).collect();
    let phi: Vec<f64> = (0..8).map(|j| TAU / 8.0 * f64::from(j)).collect();
    let at = |theta: f64, phi: f64| [phi.cos(), -phi.sin()].map(|c| Complex64::from(c * theta.cos()));
    let fields = theta.iter().flat_map(|&t| phi.iter().map(move |&p| at(t, p))).collect();
    let Ok(pattern) = Pattern::new(14.25e9, theta.clone(), phi.clone(), fields, Powers::default()) else {
        return Vec::new();
    };
    let all = [pattern];
    let texts = [write_ffe(&all), write_ffd(&all), write_cut(&all), write_grd(&all)];
    let with_kind = |(kind, text): (u8, Result<String, PatternError>)| {
        text.ok().map(|text| [&[kind], text.as_bytes()].concat())
    };
    (0..).zip(texts).filter_map(with_kind).collect()
}

/// Coverages on the Earth.
pub fn geojson() -> Vec<Vec<u8>> {
    let text = r#"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"west"},"geometry":
        {"type":"Polygon","coordinates":[[[0,40],[10,40],[10,50],[0,50],[0,40]],[[3,43],[6,43],[6,46],[3,43]]]}},
        {"type":"Feature","properties":{},"geometry":{"type":"MultiPolygon","coordinates":[[[[20,40],[30,40],[25,50],[20,40]]]]}}]}"#;
    vec![text.into()]
}

fn bytes_of<S: State>(state: &S) -> Vec<u8> {
    let mut out = StateWriter::default();
    state.write(&mut out);
    out.parts().concat()
}

fn dgtd_state() -> phasefront_dgtd::Checkpoint {
    phasefront_dgtd::Checkpoint {
        steps: 30,
        energy: vec![(0.0, 1.0), (1e-9, 0.5)],
        samples: vec![1.0, -2.0],
        snapshots: vec![0.5],
        dissipated: vec![1e-9],
    }
}

/// What a rank saves of its elements: their numbers, and their values.
fn dgtd_part() -> (phasefront_dgtd::PartNumbers, phasefront_dgtd::PartValues) {
    let numbers = phasefront_dgtd::PartNumbers { tets: vec![0, 3], nodes: vec![1] };
    let spectra = vec![num_complex::Complex64::ONE; 6];
    (numbers, phasefront_dgtd::PartValues { fields: vec![1; 24], spectra })
}

/// States of all solvers, behind a byte for the solver.
pub fn states() -> Vec<Vec<u8>> {
    let zero = num_complex::Complex64::ZERO;
    // Two aspects at one frequency.
    let sbr = phasefront_sbr::Checkpoint {
        aspects: 0..2,
        scattering: vec![vec![
            phasefront_sbr::ScatteringMatrix { vv: zero, vh: zero, hv: zero, hh: zero };
            2
        ]],
        counts: phasefront_sbr::Counts::default(),
    };
    let mom = phasefront_mom::Checkpoint {
        index: 0,
        solution: phasefront_mom::FrequencySolution {
            frequency: 1e9,
            currents: vec![vec![num_complex::Complex64::ONE; 2]],
            echo_width: vec![vec![1.0, 2.0]],
            monostatic: vec![1.0],
            extinction_width: vec![2.0],
            near_field: None,
            residual: 1e-12,
            backward_error: 1e-15,
            condition: Some(10.0),
            interior_field: 1e-9,
            echo_width_error: None,
        },
    };
    let nah = phasefront_nah::Checkpoint { blocks: 3, ..phasefront_nah::Checkpoint::default() };
    let design = phasefront_reflectarray::Design {
        index: vec![[0, 0], [1, 0]],
        x: vec![0.0, 0.1],
        y: vec![0.0; 2],
        phase: vec![1.0; 2],
    };
    let reflectarray = phasefront_reflectarray::Checkpoint {
        stage: phasefront_reflectarray::SynthesisStage::Elements,
        round: 1,
        tasks: Vec::new(),
        designs: vec![design.clone()],
        finished: vec![phasefront_reflectarray::Rated { score: 3.0, design }],
        minima: Vec::new(),
        position_step: 0.1,
        best: None,
        history: Vec::new(),
        evaluations: 12,
    };
    let (numbers, values) = dgtd_part();
    let all = [
        bytes_of(&dgtd_state()),
        bytes_of(&sbr),
        bytes_of(&reflectarray),
        bytes_of(&mom),
        bytes_of(&nah),
        bytes_of(&numbers),
        bytes_of(&values),
    ];
    (0..).zip(all).map(|(kind, state)| [&[kind], &state[..]].concat()).collect()
}

fn record(payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u64).to_le_bytes();
    let checksum = Sha256::new().chain_update(length).chain_update(payload).finalize();
    [&length[..], payload, checksum.as_slice()].concat()
}

/// Records of a checkpoint.
pub fn records() -> Vec<Vec<u8>> {
    vec![[record(b"first"), record(b""), record(&bytes_of(&dgtd_state()))].concat()]
}

/// Header and records of a checkpoint.
pub fn checkpoints() -> Vec<Vec<u8>> {
    let header = r#"{"version": 2, "fingerprint": "00", "identity": {"software": "phasefront", "solver": "sbr", "values": {"name": "a"}, "inputs": {"a.stl": "11"}}, "case_folder": "/nowhere", "format": "npz", "case": ""}"#;
    vec![[header.as_bytes(), &[0], &record(b"first")[..]].concat()]
}

/// Sequences of datagrams, each behind its length.
pub fn datagrams() -> Vec<Vec<u8>> {
    let one = |sequence: u64, first: u64| {
        let payload: Vec<u8> = (0..8_u32).flat_map(|i| (i << 20).to_le_bytes()).collect();
        let bytes = Datagram { sequence, first, microphones: 2, bits: false, payload: &payload }.encode();
        [&(bytes.len() as u16).to_le_bytes(), &bytes[..]].concat()
    };
    let all = (0..12).map(|i| one(i, 4 * i)).collect::<Vec<_>>().concat();
    let gap = [one(0, 0), one(1, 4), one(5, 20), one(3, 12), one(90, 1_000_000)].concat();
    vec![all, gap]
}

/// Requests of a browser; `ADDRESS` becomes the server's.
pub fn requests() -> Vec<Vec<u8>> {
    let paths = [
        "/",
        "/api/runs",
        "/api/state",
        "/files/a/result.json?download",
        "/files/%2e%2e/x",
        "/api/live",
        "/assets/a.js",
    ];
    let get = |path: &str| {
        format!("GET {path} HTTP/1.1\r\nHost: ADDRESS\r\nOrigin: http://ADDRESS\r\nCookie: a=b\r\n\r\n")
            .into_bytes()
    };
    let mut all: Vec<Vec<u8>> = paths.into_iter().map(get).collect();
    all.push(b"POST /api/runs HTTP/1.1\r\nHost: ADDRESS\r\nContent-Length: 3\r\n\r\nabc".to_vec());
    all.push(b"GET / HTTP/1.1\r\nHost: ADDRESS\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\nx".to_vec());
    all.push(
        b"GET /api/live HTTP/1.1\r\nHost: ADDRESS\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
          Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n\x81\x85\0\0\0\0hello"
            .to_vec(),
    );
    all
}
