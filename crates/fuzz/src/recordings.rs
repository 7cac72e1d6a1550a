//! Recordings of 16 microphones in every format that has a header, behind a byte for the format as `files::recordings` counts them.

use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use std::fmt::Write as _;
use std::io::{Read, Write};

const MICROPHONES: u32 = 16;
const FRAMES: u32 = 20;

fn value(frame: u32, microphone: u32) -> f64 {
    f64::from((frame * 7 + microphone * 3) % 11) - 5.0
}

/// A table with times and decimal points, and one with decimal commas.
fn tables() -> [Vec<u8>; 2] {
    let table = |separator: &str| {
        let names: Vec<String> = (0..MICROPHONES).map(|m| format!("m{m}")).collect();
        let mut text = format!("time_s{separator}{}\n", names.join(separator));
        for frame in 0..FRAMES {
            let samples = (0..MICROPHONES).map(|m| format!("{:.3}", value(frame, m)));
            let row: Vec<String> =
                std::iter::once(format!("{:.6}", f64::from(frame) / 6400.0)).chain(samples).collect();
            // Text has all the memory that it asks for.
            let _ = writeln!(text, "{}", row.join(separator));
        }
        text
    };
    [table(",").into_bytes(), table(";").replace('.', ",").into_bytes()]
}

/// A universal file with a dataset 58 for each microphone, as text or binary.
fn universal(is_binary: bool) -> Vec<u8> {
    let mut file = Vec::new();
    for microphone in 0..MICROPHONES {
        let values = (0..FRAMES).map(|frame| value(frame, microphone) as f32);
        let mut header = "Microphone\nNONE\nNONE\nNONE\nNONE\n".to_owned();
        let axis = |kind: u32| format!("{kind:10}{:5}{:5}{:5} {:20} {:20}\n", 0, 0, 0, "NONE", "NONE");
        let _ = write!(
            header,
            "{:5}{:10}{:5}{:10} {:10}{:10}{:4} {:10}{:10}{:4}\n{:10}{FRAMES:10}{:10}{:>13}{:>13}{:>13}\n{}{}{}{}",
            1,
            0,
            0,
            0,
            "NONE",
            1,
            3,
            "NONE",
            0,
            0,
            2,
            1,
            "0.00000E+00",
            "1.56250E-04",
            "0.00000E+00",
            axis(17),
            axis(15),
            axis(0),
            axis(0)
        );
        if is_binary {
            let data: Vec<u8> = values.flat_map(f32::to_le_bytes).collect();
            let size = data.len();
            let head =
                format!("    -1\n    58b{:6}{:6}{:12}{size:12}{:6}{:6}{:12}{:12}\n", 1, 2, 11, 0, 0, 0, 0);
            file.extend([head.as_bytes(), header.as_bytes(), &data, b"\n    -1\n"].concat());
        } else {
            let mut text = format!("    -1\n    58\n{header}");
            for (i, value) in values.enumerate() {
                let end = if i % 6 == 5 { "\n" } else { "" };
                let _ = write!(text, "{value:>13.5e}{end}");
            }
            file.extend((text + "\n    -1\n").bytes());
        }
    }
    file
}

/// An element of a MAT file: its type, its size and its data.
fn element(kind: u32, data: &[u8]) -> Vec<u8> {
    let mut bytes = [&kind.to_le_bytes()[..], &(data.len() as u32).to_le_bytes(), data].concat();
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    bytes
}

/// A MAT file of level 5 with samples `p` and their rate, compressed or not.
fn matlab(is_compressed: bool) -> Option<Vec<u8>> {
    let matrix = |name: &str, rows: u32, columns: u32, values: &[f64]| {
        let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let flags = [6_u32.to_le_bytes(), [0; 4]].concat();
        let shape = [rows.to_le_bytes(), columns.to_le_bytes()].concat();
        let parts = [element(6, &flags), element(5, &shape), element(1, name.as_bytes()), element(9, &data)];
        let whole = element(14, &parts.concat());
        if !is_compressed {
            return Some(whole);
        }
        let mut encoder = ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(&whole).ok()?;
        let data = encoder.finish().ok()?;
        Some([&15_u32.to_le_bytes()[..], &(data.len() as u32).to_le_bytes(), &data].concat())
    };
    let samples: Vec<f64> = (0..MICROPHONES).flat_map(|m| (0..FRAMES).map(move |f| value(f, m))).collect();
    let mut file = vec![b' '; 124];
    file.extend([0, 1, b'I', b'M']);
    file.extend(matrix("p", FRAMES, MICROPHONES, &samples)?);
    file.extend(matrix("fs", 1, 1, &[6400.0])?);
    Some(file)
}

/// A file of the tests of HDF5: hexadecimal digits of what zlib made of it.
fn hdf5(digits: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> =
        digits.bytes().filter_map(|byte| char::from(byte).to_digit(16)).map(|d| d as u8).collect();
    let compressed: Vec<u8> = digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect();
    let mut bytes = Vec::new();
    ZlibDecoder::new(&compressed[..]).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

macro_rules! hdf5 {
    ($name:literal) => {
        hdf5(include_str!(concat!("../../run/tests/recordings/", $name, ".hex")))
    };
}

/// One or more for each format.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let [points, commas] = tables();
    let mut all = vec![(0, points), (0, commas), (1, universal(false)), (1, universal(true))];
    let level_5 = [matlab(false), matlab(true)].into_iter().flatten();
    all.extend(level_5.flat_map(|file| [(2, file.clone()), (3, file)]));
    all.extend(hdf5!("matlab").map(|file| (3, file)));
    let others = [hdf5!("acoular"), hdf5!("compressed"), hdf5!("groups")].into_iter().flatten();
    all.extend(others.flat_map(|file| [(4, file.clone()), (5, file)]));
    all.extend(crate::seeds::wav().into_iter().map(|file| (6, file)));
    all.into_iter().map(|(kind, file)| [&[kind], &file[..]].concat()).collect()
}
