//! Damaged files: truncated at every byte, with every byte replaced, with digits inserted.

use crate::files::{FFE, GRD};
use crate::reference::{huygens, pattern};
use phasefront_pattern::{read_cut, read_ffd, read_ffe, read_grd, write_cut, write_ffd};
use std::f64::consts::PI;

/// Calls all readers; whatever comes is fine, but for a panic.
fn read_all(bytes: &[u8]) -> usize {
    let results =
        [read_ffe(bytes), read_ffd(bytes, Some(1e9)), read_cut(bytes, &[1e9]), read_grd(bytes, &[1e9])];
    let mut good = 0;
    for result in results {
        match result {
            Ok(patterns) => {
                good += 1;
                for pattern in &patterns {
                    let _ = (pattern.lobes(), pattern.radiated_power());
                }
            }
            Err(error) => assert!(!error.to_string().is_empty() && !error.advice().is_empty()),
        }
    }
    good
}

#[test]
fn damaged_files_never_panic() {
    let small = pattern((vec![0.0, PI / 2.0, PI], vec![0.0, 1.0, 2.0]), huygens);
    let uv = "uv\n++++\n1\n1 3 2 1\n0 0\n-0.5 -0.5 0.5 0.5\n4 4 1\n".to_owned()
        + &format!("1 4\n{}", "1 0 0 0\n".repeat(4)).repeat(4);
    let files = [
        FFE.to_owned(),
        GRD.to_owned(),
        uv,
        write_ffd(std::slice::from_ref(&small)).unwrap(),
        write_cut(std::slice::from_ref(&small)).unwrap(),
        "cut\n-90 90 3 0 2 1 2\n1 0 0 0\n1 0 0 0\n1 0 0 0\n".to_owned(),
    ];
    let mut read = 0;
    for file in files {
        let bytes = file.as_bytes();
        assert_eq!(read_all(bytes), 1, "{file}");
        for end in 0..bytes.len() {
            read += read_all(&bytes[..end]);
            for damage in [b'9', b'-', b'.', b'E', b' ', b'\n', b'#', b'"', b'0', 0xff] {
                let mut damaged = bytes.to_vec();
                damaged[end] = damage;
                read += read_all(&damaged);
            }
            let mut longer = bytes.to_vec();
            longer.splice(end..end, *b"99999999");
            read += read_all(&longer);
        }
    }
    // Much of the damage leaves a file that can be read: a digit for a digit.
    assert!(read > 1000, "{read}");
}
