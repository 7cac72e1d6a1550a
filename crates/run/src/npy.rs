//! Arrays of NumPy, from NPY files and from NPZ archives (NumPy Enhancement Proposal 1, format versions 1 to 3).
//!
//! A header promises a shape, and an archive a size: both are compared with the bytes that there are before anything is
//! allocated, and an archive is decompressed no further than the array needs.

use num_complex::Complex64;
use std::io::{Cursor, Read};
use zip::ZipArchive;

const MAGIC: &[u8] = b"\x93NUMPY";
/// Magic, two bytes of version, and four of length at most.
const MAX_START: usize = MAGIC.len() + 6;
/// Longest header accepted; NumPy's own have a few hundred bytes.
const MAX_HEADER: usize = 1 << 16;
/// Bytes that an archive may hold whatever its own size.
const MAX_SMALL: u64 = 1 << 24;
/// Ratio of decompression beyond which a larger array is refused: measured spectra compress by less than ten.
const MAX_RATIO: u64 = 100;

/// Type of the elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    I16,
    I32,
    F32,
    F64,
    C64,
    C128,
}

impl Kind {
    fn size(self) -> usize {
        match self {
            Self::I16 => 2,
            Self::I32 | Self::F32 => 4,
            Self::F64 | Self::C64 => 8,
            Self::C128 => 16,
        }
    }
}

/// What a header says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Header {
    pub kind: Kind,
    pub shape: Vec<usize>,
    big_endian: bool,
    fortran_order: bool,
}

/// An array: the header, and as many bytes as it needs.
#[derive(Debug)]
pub(crate) struct Npy<'a> {
    pub header: Header,
    data: std::borrow::Cow<'a, [u8]>,
}

impl Header {
    /// Number of elements; none if it exceeds all memory.
    fn len(&self) -> Option<usize> {
        let len = self.shape.iter().try_fold(1_usize, |product, &n| product.checked_mul(n))?;
        len.checked_mul(self.kind.size()).map(|_| len)
    }

    /// Bytes of all elements, once it is checked that there are as many.
    fn bytes_of(&self, there: u64) -> Result<usize, String> {
        let needed = self.len().map(|len| len * self.kind.size());
        needed.filter(|&needed| needed as u64 <= there).ok_or_else(|| {
            let shape = &self.shape;
            let size = self.kind.size();
            format!("its header promises the shape {shape:?} of {size} bytes each, and {there} bytes follow")
        })
    }

    /// The dictionary of a header: `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`.
    fn parse(text: &str) -> Option<Self> {
        let (mut descr, mut fortran_order, mut shape) = (None, None, None);
        let mut rest = text.trim().strip_prefix('{')?.strip_suffix('}')?.trim();
        while !rest.is_empty() {
            let (key, after) = quoted(rest)?;
            rest = after.trim_start().strip_prefix(':')?.trim_start();
            match key {
                "descr" => {
                    let (value, after) = quoted(rest)?;
                    (descr, rest) = (Some(kind(value)?), after);
                }
                "fortran_order" => {
                    let known = [("True", true), ("False", false)];
                    let (word, value) = known.into_iter().find(|(word, _)| rest.starts_with(word))?;
                    (fortran_order, rest) = (Some(value), &rest[word.len()..]);
                }
                "shape" => {
                    let (list, after) = rest.strip_prefix('(')?.split_once(')')?;
                    let numbers = list.split(',').map(str::trim).filter(|number| !number.is_empty());
                    shape = Some(numbers.map(|number| number.parse().ok()).collect::<Option<Vec<usize>>>()?);
                    rest = after;
                }
                _ => return None,
            }
            rest = rest.trim_start();
            rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
        }
        let (kind, big_endian) = descr?;
        Some(Self { kind, big_endian, fortran_order: fortran_order?, shape: shape? })
    }
}

/// A word between quotes of one kind, and what follows.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let mark = text.chars().next().filter(|mark| matches!(mark, '\'' | '"'))?;
    text[1..].split_once(mark)
}

/// The type of a descriptor, and whether its bytes are big-endian.
fn kind(descr: &str) -> Option<(Kind, bool)> {
    let (order, name) = descr.split_at_checked(1)?;
    let big_endian = match order {
        "<" => false,
        ">" => true,
        "=" => cfg!(target_endian = "big"),
        _ => return None,
    };
    let kind = match name {
        "i2" => Kind::I16,
        "i4" => Kind::I32,
        "f4" => Kind::F32,
        "f8" => Kind::F64,
        "c8" => Kind::C64,
        "c16" => Kind::C128,
        _ => return None,
    };
    Some((kind, big_endian))
}

/// Version and length of the header at the beginning of an array, and how many bytes these take.
fn start(bytes: &[u8]) -> Result<(usize, usize), String> {
    let rest = bytes.strip_prefix(MAGIC).ok_or("it is not an array of NumPy")?;
    let (taken, length) = match *rest {
        [1, _, a, b, ..] => (MAGIC.len() + 4, usize::from(u16::from_le_bytes([a, b]))),
        [2 | 3, _, a, b, c, d, ..] => (MAGIC.len() + 6, u32::from_le_bytes([a, b, c, d]) as usize),
        [version, ..] if version > 3 => return Err(format!("its format has version {version}, not 1 to 3")),
        _ => return Err("it ends inside its header".into()),
    };
    if length > MAX_HEADER {
        return Err(format!("its header promises {length} bytes for itself; at most {MAX_HEADER} are read"));
    }
    Ok((taken, length))
}

fn header(bytes: &[u8]) -> Result<Header, String> {
    let text = String::from_utf8_lossy(bytes);
    Header::parse(&text).ok_or_else(|| {
        let shown: String = text.trim().chars().take(80).collect();
        format!("its header is {shown:?}, where a numeric type, an order and a shape belong")
    })
}

/// Reads an NPY file.
pub(crate) fn npy(bytes: &[u8]) -> Result<Npy<'_>, String> {
    let (taken, length) = start(bytes)?;
    let (text, data) = bytes[taken..].split_at_checked(length).ok_or("it ends inside its header")?;
    let header = header(text)?;
    let needed = header.bytes_of(data.len() as u64)?;
    Ok(Npy { header, data: data[..needed].into() })
}

/// Opens an archive.
pub(crate) fn archive(bytes: &[u8]) -> Result<ZipArchive<Cursor<&[u8]>>, String> {
    ZipArchive::new(Cursor::new(bytes)).map_err(|error| error.to_string())
}

/// Reads the array of this name from an archive. `accept` sees the header first, and nothing is decompressed for an array that
/// it refuses.
pub(crate) fn from_archive(
    archive: &mut ZipArchive<Cursor<&[u8]>>,
    name: &str,
    accept: impl FnOnce(&Header) -> Result<(), String>,
) -> Result<Npy<'static>, String> {
    let failed = |error: String| format!("{name}: {error}");
    let mut file = match archive.by_name(&format!("{name}.npy")) {
        Ok(file) => file,
        Err(error) => return Err(failed(error.to_string())),
    };
    let (size, compressed) = (file.size(), file.compressed_size());
    if size > MAX_SMALL && size / MAX_RATIO > compressed {
        return Err(failed(format!(
            "{compressed} bytes of the archive decompress to {size}, more than {MAX_RATIO} times as many"
        )));
    }
    let mut read = |length: usize| {
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(length).map_err(|_| format!("there is no memory for {length} bytes"))?;
        // Never more than asked for, whatever the archive goes on to decompress to.
        (&mut file).take(length as u64).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        if bytes.len() < length {
            Err(format!("it ends after {} of {length} bytes", bytes.len()))
        } else {
            Ok(bytes)
        }
    };
    // The first length has two bytes or four: a header of either version is longer than both.
    let mut first = read(MAX_START).map_err(failed)?;
    let (taken, length) = start(&first).map_err(failed)?;
    let more =
        (taken + length).checked_sub(first.len()).ok_or_else(|| failed("its header is too short".into()))?;
    first.extend(read(more).map_err(failed)?);
    let header = header(&first[taken..]).map_err(failed)?;
    let needed = header.bytes_of(size.saturating_sub(first.len() as u64)).map_err(failed)?;
    accept(&header).map_err(failed)?;
    let data = read(needed).map_err(failed)?;
    // At the end of the file the archive compares its checksum.
    let surplus = file.read(&mut [0]).map_err(|error| failed(error.to_string()))?;
    if surplus > 0 {
        return Err(failed(format!("more than {needed} bytes follow its header")));
    }
    Ok(Npy { header, data: data.into() })
}

impl Npy<'_> {
    /// The elements, real ones with an imaginary part of zero, in the order of the last index first.
    pub(crate) fn values(&self) -> impl ExactSizeIterator<Item = Complex64> {
        let (kind, big) = (self.header.kind, self.header.big_endian);
        let count = self.data.len() / kind.size();
        (0..count).map(move |i| self.value(self.offset(i), kind, big))
    }

    /// Where the element of this number in the order of C is stored.
    fn offset(&self, mut i: usize) -> usize {
        if !self.header.fortran_order {
            return i;
        }
        // Digits of i in the mixed radix of the shape, the last one first; Fortran's strides grow from the first.
        let mut offset = 0;
        let mut stride: usize = self.header.shape.iter().product();
        for &n in self.header.shape.iter().rev() {
            stride /= n;
            offset += i % n * stride;
            i /= n;
        }
        offset
    }

    fn value(&self, i: usize, kind: Kind, big: bool) -> Complex64 {
        let raw = &self.data[i * kind.size()..][..kind.size()];
        let real = |raw: &[u8], kind: Kind| {
            let mut low = [0; 8];
            for (k, &byte) in raw.iter().enumerate() {
                low[if big { raw.len() - 1 - k } else { k }] = byte;
            }
            let bits = u64::from_le_bytes(low);
            match kind {
                Kind::I16 => f64::from(bits as u16 as i16),
                Kind::I32 => f64::from(bits as u32 as i32),
                Kind::F32 | Kind::C64 => f64::from(f32::from_bits(bits as u32)),
                Kind::F64 | Kind::C128 => f64::from_bits(bits),
            }
        };
        match kind {
            Kind::C64 | Kind::C128 => {
                let (re, im) = raw.split_at(raw.len() / 2);
                Complex64::new(real(re, kind), real(im, kind))
            }
            _ => Complex64::new(real(raw, kind), 0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let length = (header.len() as u16).to_le_bytes();
        [MAGIC, &[1, 0], &length, header.as_bytes(), data].concat()
    }

    fn header_of(descr: &str, fortran: &str, shape: &str) -> String {
        format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}          \n")
    }

    #[test]
    fn types_orders_and_versions() {
        let doubles: Vec<u8> = (0..6).flat_map(|i| f64::from(i).to_le_bytes()).collect();
        let values = |bytes: &[u8]| npy(bytes).unwrap().values().map(|z| z.re).collect::<Vec<f64>>();
        assert_eq!(values(&file(&header_of("<f8", "False", "(2, 3)"), &doubles)), [0., 1., 2., 3., 4., 5.]);
        assert_eq!(values(&file(&header_of("<f8", "True", "(2, 3)"), &doubles)), [0., 2., 4., 1., 3., 5.]);
        let swapped: Vec<u8> = (0..6_i16).flat_map(|i| (i - 3).to_be_bytes()).collect();
        assert_eq!(values(&file(&header_of(">i2", "False", "(6,)"), &swapped)), [-3., -2., -1., 0., 1., 2.]);
        let text = header_of("<c8", "False", "()");
        let version_2 =
            [MAGIC, &[2, 0], &(text.len() as u32).to_le_bytes(), text.as_bytes(), &[0; 8]].concat();
        assert_eq!(npy(&version_2).unwrap().values().collect::<Vec<_>>(), [Complex64::ZERO]);
    }

    #[test]
    fn headers_that_promise_more_than_there_is() {
        let refused = |bytes: &[u8]| npy(bytes).unwrap_err();
        for shape in ["(1000000000000,)", "(4294967296, 4294967296)", "(18446744073709551615,)", "(3, 1)"] {
            let error = refused(&file(&header_of("<f8", "False", shape), &[0; 16]));
            assert!(error.starts_with("its header promises the shape ["), "{error}");
            assert!(error.ends_with(" of 8 bytes each, and 16 bytes follow"), "{error}");
        }
        let long = [MAGIC, &[2, 0], &u32::MAX.to_le_bytes(), b"{"].concat();
        assert_eq!(refused(&long), "its header promises 4294967295 bytes for itself; at most 65536 are read");
        assert_eq!(refused(&[MAGIC, &[1, 0, 200, 0], b"{'d"].concat()), "it ends inside its header");
        assert_eq!(refused(MAGIC), "it ends inside its header");
        assert_eq!(refused(&[MAGIC, &[9, 0, 0, 0]].concat()), "its format has version 9, not 1 to 3");
        assert_eq!(refused(b"RIFF"), "it is not an array of NumPy");
        for header in ["{", "{'shape': (1,)}", "{'descr': '|O', }", &"(".repeat(60_000)] {
            assert!(
                refused(&file(header, &[])).contains("where a numeric type, an order and a shape belong")
            );
        }
    }

    fn zipped(name: &str, bytes: &[u8]) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let deflated =
            zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
        writer.start_file(format!("{name}.npy"), deflated).unwrap();
        std::io::Write::write_all(&mut writer, bytes).unwrap();
        writer.finish().unwrap().into_inner()
    }

    #[test]
    fn archives_stop_before_they_have_decompressed_too_much() {
        let read = |bytes: &[u8]| {
            let mut archive = archive(bytes).unwrap();
            from_archive(&mut archive, "p", |_| Ok(())).map(|array| array.values().len())
        };
        let good = file(&header_of("<f8", "False", "(1000,)"), &[0; 8000]);
        assert_eq!(read(&zipped("p", &good)), Ok(1000));
        // A bomb: seventeen million zeros in seventeen thousand bytes.
        let bomb = zipped("p", &file(&header_of("<f8", "False", "(2200000,)"), &vec![0; 17_600_000]));
        assert!(bomb.len() < 30_000);
        assert!(read(&bomb).unwrap_err().contains("more than 100 times as many"));
        // The header decides how much is read, and the archive's own sizes are checked against it.
        let short = file(&header_of("<f8", "False", "(1001,)"), &[0; 8000]);
        assert!(read(&zipped("p", &short)).unwrap_err().ends_with("and 8000 bytes follow"));
        let long = file(&header_of("<f8", "False", "(999,)"), &[0; 8000]);
        assert_eq!(read(&zipped("p", &long)).unwrap_err(), "p: more than 7992 bytes follow its header");
        // A size in the directory that is not the size of the data.
        let mut lying = zipped("p", &good);
        let size = (good.len() as u32).to_le_bytes();
        while let Some(at) = lying.windows(4).position(|window| window == size) {
            lying[at..at + 4].copy_from_slice(&9_999_u32.to_le_bytes());
        }
        assert!(read(&lying).is_ok() || read(&lying).is_err());
        let mut archive = archive(&bomb).unwrap();
        assert!(from_archive(&mut archive, "q", |_| Ok(())).unwrap_err().starts_with("q: "));
    }
}
