//! Against files that h5py wrote (`tests/recordings/make.py`), and others made here.

use super::{is_matlab, read};
use crate::nah::recordings::recording::{Expected, Recording};
use flate2::read::ZlibDecoder;
use hdf5_pure::{AttrValue, FileBuilder};
use std::io::Read;

/// A file of `tests/recordings`.
fn sample(digits: &str) -> Vec<u8> {
    let digits: Vec<u8> = digits.bytes().filter(u8::is_ascii_hexdigit).collect();
    let pairs = digits.chunks_exact(2).map(|pair| std::str::from_utf8(pair).unwrap());
    let compressed: Vec<u8> = pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect();
    let mut bytes = Vec::new();
    ZlibDecoder::new(&compressed[..]).read_to_end(&mut bytes).unwrap();
    bytes
}

macro_rules! sample {
    ($name:literal) => {
        sample(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recordings/", $name, ".hex")))
    };
}

fn read_as(bytes: &[u8], microphones: usize, variable: Option<&str>) -> Result<Recording, String> {
    read(bytes.to_vec(), &Expected { full_scale: 2.0, microphones, variable })
}

/// Twice what the files of h5py hold, at a full scale of two.
fn assert_is_sample(found: &Recording) {
    assert_eq!((found.rate, found.channels, found.limit), (Some(51_200.0), 16, None));
    let values: Vec<f32> = (0..320).map(|i| 2.0 * ((i / 16) as f32 - (i % 16) as f32 / 16.0)).collect();
    assert_eq!(found.values, values);
}

#[test]
fn files_of_h5py_have_their_samples_and_rates() {
    for bytes in [sample!("acoular"), sample!("compressed"), sample!("groups"), sample!("matlab")] {
        assert_is_sample(&read_as(&bytes, 16, None).unwrap());
    }
    for name in ["measurement/pressure", "/measurement/pressure"] {
        assert_is_sample(&read_as(&sample!("groups"), 16, Some(name)).unwrap());
    }
    // Beside the samples of Acoular.
    let other = read_as(&sample!("compressed"), 16, Some("other")).unwrap();
    assert_eq!((other.rate, other.channels, other.values), (None, 16, vec![0.0; 48]));
}

#[test]
fn mat_files_of_version_7_3_are_hdf5() {
    let matlab = sample!("matlab");
    assert!(is_matlab(&matlab) && matlab.starts_with(b"MATLAB 7.3"));
    // Without its text too, and others not.
    assert!(is_matlab(&[&[0; 512], &matlab[512..]].concat()) && is_matlab(&sample!("acoular")));
    assert!(!is_matlab(b"MATLAB 5.0 MAT-file") && !is_matlab(&[]));
    assert_eq!(
        read_as(&matlab, 16, Some("note")).unwrap_err(),
        "note has no real numbers, but elements of the type char"
    );
    let error = read_as(b"MATLAB 7.3 MAT-file", 16, None).unwrap_err();
    assert!(error.contains("HDF5 signature not found"), "{error}");
    // Rows that are microphones, in a matrix that is stored by columns.
    let mut file = FileBuilder::new();
    let p = file.create_dataset("p").with_f64_data(&[1.0, -1.0, 2.0, -2.0, 3.0, -3.0]).with_shape(&[3, 2]);
    p.set_attr("MATLAB_class", AttrValue::AsciiString("double".into()));
    let found = read_as(&file.finish().unwrap(), 2, None).unwrap();
    assert_eq!((found.channels, found.values), (2, vec![2.0, -2.0, 4.0, -4.0, 6.0, -6.0]));
}

#[test]
fn rows_are_microphones_where_only_they_are_as_many() {
    let file = |shape: &[u64]| {
        let mut file = FileBuilder::new();
        file.create_dataset("p").with_f64_data(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).with_shape(shape);
        file.finish().unwrap()
    };
    let read = |shape: &[u64], microphones| {
        let found = read_as(&file(shape), microphones, None).unwrap();
        (found.channels, found.values)
    };
    let in_order = vec![2.0, 4.0, 6.0, 8.0, 10.0, 12.0];
    assert_eq!(read(&[3, 2], 2), (2, in_order.clone()));
    assert_eq!(read(&[2, 3], 2), (2, vec![2.0, 8.0, 4.0, 10.0, 6.0, 12.0]));
    assert_eq!(read(&[2, 3], 5), (3, in_order.clone()));
    // One of several files.
    assert_eq!(read(&[1, 6], 2), (1, in_order.clone()));
    assert_eq!(read(&[6], 2), (1, in_order));
}

#[test]
fn integers_are_fractions_of_full_scale() {
    let mut file = FileBuilder::new();
    let p = file.create_dataset("p").with_i16_data(&[16_384, -32_768, 8192, 0]).with_shape(&[2, 2]);
    p.set_attr("fs", AttrValue::I32(48_000)).set_attr("Note", AttrValue::String("48".into()));
    file.create_dataset("counts").with_u8_data(&[1, 2, 3, 4]).with_shape(&[2, 2]);
    let bytes = file.finish().unwrap();
    let found = read_as(&bytes, 2, Some("p")).unwrap();
    assert_eq!((found.rate, found.values), (Some(48e3), vec![1.0, -2.0, 0.5, 0.0]));
    assert_eq!(found.limit, Some(2.0 - 2.0 / 32_768.0));
    assert_eq!(
        read_as(&bytes, 2, None).unwrap_err(),
        "which array has the samples is not clear; it has: counts (2 x 2), p (2 x 2)"
    );
    assert_eq!(
        read_as(&bytes, 2, Some("counts")).unwrap_err(),
        "counts has unsigned integers; samples are in floating point or signed integers of 8 to 32 bits"
    );
    assert_eq!(
        read_as(&bytes, 2, Some("q")).unwrap_err(),
        "it has no array q; it has: counts (2 x 2), p (2 x 2)"
    );
}

#[test]
fn wrong_files_say_what_is_wrong() {
    let one = |shape: &[u64], rate: Option<f64>| {
        let mut file = FileBuilder::new();
        let data: Vec<f64> = (0..shape.iter().product::<u64>()).map(|i| i as f64).collect();
        file.create_dataset("time_data").with_f64_data(&data).with_shape(shape);
        if let Some(rate) = rate {
            file.create_dataset("Sample_Rate").with_f64_data(&[rate]).with_shape(&[1, 1]);
        }
        file.finish().unwrap()
    };
    assert_eq!(read_as(&one(&[3, 2], Some(8e3)), 2, None).unwrap().rate, Some(8e3));
    assert_eq!(read_as(&one(&[3, 2], Some(-1.0)), 2, None).unwrap_err(), "its sample rate is -1 Hz");
    assert_eq!(
        read_as(&one(&[2, 2, 2], None), 2, None).unwrap_err(),
        "time_data has 3 dimensions, and samples have two"
    );
    let empty = FileBuilder::new().finish().unwrap();
    assert_eq!(
        read_as(&empty, 2, None).unwrap_err(),
        "which array has the samples is not clear; it has: none"
    );
    assert!(read_as(b"pressure", 2, None).unwrap_err().contains("signature not found"));
}

/// Replaces the only place of some bytes.
fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let places: Vec<usize> =
        (0..bytes.len() - from.len()).filter(|i| bytes[*i..].starts_with(from)).collect();
    assert_eq!(places.len(), 1);
    [&bytes[..places[0]], to, &bytes[places[0] + from.len()..]].concat()
}

#[test]
fn filters_that_are_not_read_are_named() {
    // The entry of a filter: number, length of its name, flag, count of values, name.
    let entry = |number: u16| [&number.to_le_bytes()[..], &[8, 0, 1, 0, 1, 0], b"deflate\0"].concat();
    let blosc = replaced(&sample!("compressed"), &entry(1), &entry(32_001));
    assert!(read_as(&blosc, 16, None).unwrap_err().starts_with(
        "time_data is compressed by the filter 32001 (Blosc), which is not read; save it with gzip"
    ));
}

#[test]
fn promises_are_compared_with_the_file() {
    let shape = |rows: u64| [rows.to_le_bytes(), 16_u64.to_le_bytes()].concat();
    let tall = sample!("acoular");
    // Sides and largest sides.
    let [from, to] = [20, 1 << 40].map(|rows| [shape(rows), shape(rows)].concat());
    assert_eq!(
        read_as(&replaced(&tall, &from, &to), 16, None).unwrap_err(),
        format!("time_data promises 1099511627776 x 16 values in a file of {} bytes", tall.len())
    );
}

#[test]
fn damage_and_truncation_are_errors_or_do_not_matter() {
    for whole in [sample!("acoular"), sample!("compressed"), sample!("groups"), sample!("matlab")] {
        let mut refused = 0;
        for end in (0..whole.len()).step_by(7) {
            match read_as(&whole[..end], 16, None) {
                Ok(found) => assert_is_sample(&found),
                Err(_) => refused += 1,
            }
        }
        assert!(refused > whole.len() / 28, "{refused} of {}", whole.len());
    }
    // A checksum over each block.
    let mut damaged = sample!("compressed");
    let at = damaged.windows(2).rposition(|pair| pair == [0x78, 0x5e] || pair == [0x78, 0x9c]).unwrap();
    damaged[at + 20] ^= 0x10;
    assert!(read_as(&damaged, 16, None).is_err());
}
