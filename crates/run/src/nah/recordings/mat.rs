//! MAT files of level 5 (MATLAB versions 5 to 7), from *MAT-File Format*, The MathWorks: matrices of numbers, compressed or not. Files of
//! version 7.3 are HDF5, and read as such.

use super::bytes::{Cursor, Endian, Number};
use super::recording::{Expected, RATES, Recording, checked_rate};
use crate::input::try_collect;
use flate2::read::ZlibDecoder;
use std::borrow::Cow;
use std::io::Read;

/// Length of the text and of the rest of the header.
const TEXT: u64 = 124;
/// Types of data elements.
const MATRIX: u32 = 14;
const COMPRESSED: u32 = 15;
/// Classes of matrices of numbers: double, single, and integers of 8 to 64 bits.
const NUMERIC: std::ops::RangeInclusive<u8> = 6..=15;
/// Flag of complex matrices.
const COMPLEX: u8 = 0x08;
/// Bytes that a compressed element may hold whatever its own size, and the ratio beyond which a larger one is refused.
const MAX_SMALL: u64 = 1 << 24;
const MAX_RATIO: u64 = 200;

/// A matrix of numbers, column by column.
struct Matrix<'a> {
    name: String,
    rows: usize,
    columns: usize,
    class: u8,
    /// Type of the values in the file, which may be smaller than their class.
    number: Number,
    endian: Endian,
    data: Cow<'a, [u8]>,
    is_complex: bool,
}

impl Matrix<'_> {
    fn value(&self, index: usize) -> f64 {
        let size = self.number.size();
        self.number.value(&self.data[index * size..][..size], self.endian)
    }
}

/// Reads the samples of a file: of several matrices that of the name `variable`, and the sample rate from a scalar `fs` or the like.
pub(super) fn read(bytes: &[u8], expected: &Expected<'_>) -> Result<Recording, String> {
    let matrices = matrices(bytes)?;
    let scalar = |matrix: &&Matrix<'_>| {
        matrix.rows * matrix.columns == 1 && RATES.contains(&matrix.name.to_lowercase().as_str())
    };
    let rate = matrices.iter().find(scalar).map(|matrix| checked_rate(matrix.value(0))).transpose()?;
    let matrix = chosen(&matrices, expected.variable)?;
    if matrix.is_complex {
        return Err(format!("{} is complex, and samples are real", matrix.name));
    }
    // A row for each moment, unless only the rows are as many as there are microphones, or one of several files has one row.
    let is_row = matrix.rows == 1 || matrix.rows == expected.microphones;
    let is_transposed = is_row && matrix.columns != expected.microphones;
    let (frames, channels) =
        if is_transposed { (matrix.columns, matrix.rows) } else { (matrix.rows, matrix.columns) };
    let scale = expected.full_scale / largest(matrix)?;
    let value = |i: usize| {
        let (frame, channel) = (i / channels, i % channels);
        let index = if is_transposed { channel + matrix.rows * frame } else { frame + matrix.rows * channel };
        (matrix.value(index) * scale) as f32
    };
    let values = try_collect(0..frames * channels).map(|all| all.into_iter().map(value).collect())?;
    Ok(Recording { rate, channels, values, limit: None })
}

/// The magnitude of the most negative integer of a class; one for floating point.
fn largest(matrix: &Matrix<'_>) -> Result<f64, String> {
    match matrix.class {
        6 | 7 => Ok(1.0),
        8 => Ok(128.0),
        10 => Ok(32_768.0),
        12 => Ok(2_147_483_648.0),
        _ => Err(format!(
            "{} has unsigned integers or integers of 64 bits; samples are in floating point or signed integers of 8 to 32 bits",
            matrix.name
        )),
    }
}

/// The matrix of a name, or the only one that is no scalar.
fn chosen<'a, 'b>(matrices: &'a [Matrix<'b>], name: Option<&str>) -> Result<&'a Matrix<'b>, String> {
    let arrays: Vec<&Matrix<'_>> =
        matrices.iter().filter(|matrix| matrix.rows * matrix.columns > 1).collect();
    let names = || {
        let all: Vec<String> =
            arrays.iter().map(|m| format!("{} ({} x {})", m.name, m.rows, m.columns)).collect();
        if all.is_empty() { "none".to_owned() } else { all.join(", ") }
    };
    match (name, &arrays[..]) {
        (Some(name), _) => arrays
            .iter()
            .find(|matrix| matrix.name == name)
            .copied()
            .ok_or_else(|| format!("it has no matrix of numbers {name}; it has: {}", names())),
        (None, [only]) => Ok(only),
        (None, _) => Err(format!("which matrix has the samples is not clear; it has: {}", names())),
    }
}

/// All matrices of numbers; others are skipped.
fn matrices(bytes: &[u8]) -> Result<Vec<Matrix<'_>>, String> {
    let mut file = Cursor::new(bytes, Endian::Little);
    file.take(TEXT, "header")?;
    file.take(2, "version")?;
    file.endian = match file.take(2, "mark of the order of bytes")? {
        b"IM" => Endian::Little,
        b"MI" => Endian::Big,
        other => return Err(format!("its bytes 126 and 127 are {other:?}, where IM or MI would stand")),
    };
    let mut found = Vec::new();
    let mut allowed = MAX_SMALL.max(MAX_RATIO * bytes.len() as u64);
    while file.left() > 0 {
        let at = file.position();
        let broken = |error: String| format!("in the element at byte {at}: {error}");
        let (kind, data) = element(&mut file)?;
        match kind {
            MATRIX => found.extend(matrix(data, file.endian, Cow::Borrowed).map_err(broken)?),
            COMPRESSED => {
                let whole = decompressed(data, file.endian, allowed).map_err(broken)?;
                allowed -= whole.len() as u64;
                let mut inside = Cursor::new(&whole, file.endian);
                let (kind, data) = element(&mut inside).map_err(broken)?;
                if kind == MATRIX {
                    let own = |data: &[u8]| Cow::Owned(data.to_vec());
                    found.extend(matrix(data, file.endian, own).map_err(broken)?);
                }
            }
            _ => {}
        }
    }
    Ok(found)
}

/// The type and the data of the next element. Up to four bytes may stand in its tag, whose upper half is then their number.
fn element<'a>(cursor: &mut Cursor<'a>) -> Result<(u32, &'a [u8]), String> {
    let kind = cursor.u32("type")?;
    if kind > 0xffff {
        let size = kind >> 16;
        if size > 4 {
            return Err(format!("a small element at byte {} has {size} bytes", cursor.position()));
        }
        let data = cursor.take(4, "small element")?;
        return Ok((kind & 0xffff, &data[..size as usize]));
    }
    let size = cursor.u32("size")?;
    let data = cursor.take(u64::from(size), "element")?;
    // Compressed elements are not aligned.
    if kind != COMPRESSED {
        cursor.align(8);
    }
    Ok((kind, data))
}

/// What a compressed element holds: its first eight bytes tell how much that is.
fn decompressed(data: &[u8], endian: Endian, allowed: u64) -> Result<Vec<u8>, String> {
    let mut tag = [0; 8];
    let mut decoder = ZlibDecoder::new(data);
    decoder.read_exact(&mut tag).map_err(|error| format!("it cannot be decompressed: {error}"))?;
    let mut cursor = Cursor::new(&tag, endian);
    cursor.u32("type")?;
    let size = u64::from(cursor.u32("size")?);
    let limit = MAX_SMALL.max(MAX_RATIO * data.len() as u64).min(allowed).saturating_sub(tag.len() as u64);
    if size > limit {
        return Err(format!(
            "its {} compressed bytes promise {size} bytes, and up to {limit} are read",
            data.len()
        ));
    }
    let mut whole = tag.to_vec();
    let broken = |error: std::io::Error| format!("it cannot be decompressed: {error}");
    decoder.by_ref().take(size).read_to_end(&mut whole).map_err(broken)?;
    // The end has a checksum.
    if decoder.read(&mut [0]).map_err(broken)? != 0 {
        return Err(format!("it has more than the {size} bytes that it promises"));
    }
    Ok(whole)
}

/// A matrix of numbers; none if it is something else: a structure, a cell, text, or sparse.
fn matrix<'a, 'b>(
    data: &'a [u8],
    endian: Endian,
    keep: impl FnOnce(&'a [u8]) -> Cow<'b, [u8]>,
) -> Result<Option<Matrix<'b>>, String> {
    let mut parts = Cursor::new(data, endian);
    let (_, flags) = element(&mut parts)?;
    let flags = Cursor::new(flags, endian).u32("flags")?;
    let [class, flags] = [flags as u8, (flags >> 8) as u8];
    if !NUMERIC.contains(&class) {
        return Ok(None);
    }
    let (_, shape) = element(&mut parts)?;
    let side = |bytes: &[u8]| Number::I32.value(bytes, endian);
    let [rows, columns] = shape.chunks_exact(4).map(side).collect::<Vec<f64>>()[..] else {
        return Ok(None);
    };
    let (_, name) = element(&mut parts)?;
    let name = String::from_utf8_lossy(name).into_owned();
    let (kind, data) = element(&mut parts)?;
    let number = match kind {
        1 => Number::I8,
        2 => Number::U8,
        3 => Number::I16,
        4 => Number::U16,
        5 => Number::I32,
        6 => Number::U32,
        7 => Number::F32,
        9 => Number::F64,
        12 => Number::I64,
        13 => Number::U64,
        _ => return Err(format!("the values of {name} have the type {kind}, which is not known")),
    };
    // Products of sides up to 2³¹ are exact in double precision where they can be equal to the length of the data.
    if rows < 0.0 || columns < 0.0 || rows * columns * number.size() as f64 != data.len() as f64 {
        return Err(format!("{name} has {rows} x {columns} values in {} bytes", data.len()));
    }
    Ok(Some(Matrix {
        name,
        rows: rows as usize,
        columns: columns as usize,
        class,
        number,
        endian,
        data: keep(data),
        is_complex: flags & COMPLEX != 0,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::write::ZlibEncoder;
    use std::io::Write;

    fn expected(variable: Option<&str>) -> Expected<'_> {
        Expected { full_scale: 2.0, microphones: 2, variable }
    }

    /// A writer of elements in either order of bytes.
    struct Writer(Endian);

    impl Writer {
        fn number(&self, value: u32) -> [u8; 4] {
            if self.0 == Endian::Little { value.to_le_bytes() } else { value.to_be_bytes() }
        }

        fn element(&self, kind: u32, data: &[u8]) -> Vec<u8> {
            let mut bytes = [&self.number(kind)[..], &self.number(data.len() as u32), data].concat();
            bytes.resize(bytes.len().next_multiple_of(8), 0);
            bytes
        }

        /// A matrix, column by column, of values in double precision.
        fn matrix(&self, name: &str, shape: [u32; 2], values: &[f64]) -> Vec<u8> {
            let numbers: Vec<u8> = values
                .iter()
                .flat_map(|v| if self.0 == Endian::Little { v.to_le_bytes() } else { v.to_be_bytes() })
                .collect();
            self.matrix_of(name, shape, (9, &numbers), 6)
        }

        fn matrix_of(&self, name: &str, shape: [u32; 2], (kind, data): (u32, &[u8]), class: u32) -> Vec<u8> {
            let flags = [self.number(class), self.number(0)].concat();
            let shape = shape.map(|side| self.number(side)).concat();
            let mut body = [self.element(6, &flags), self.element(5, &shape)].concat();
            if name.len() <= 4 {
                // In the tag itself.
                body.extend(self.number((name.len() as u32) << 16 | 1));
                body.extend(name.bytes().chain([0; 4]).take(4));
            } else {
                body.extend(self.element(1, name.as_bytes()));
            }
            body.extend(self.element(kind, data));
            self.element(MATRIX, &body)
        }

        fn compressed(&self, element: &[u8]) -> Vec<u8> {
            let mut encoder = ZlibEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(element).unwrap();
            let data = encoder.finish().unwrap();
            [&self.number(COMPRESSED)[..], &self.number(data.len() as u32), &data].concat()
        }

        fn file(&self, elements: &[Vec<u8>]) -> Vec<u8> {
            let mut file = vec![b' '; 124];
            file.extend(if self.0 == Endian::Little { [0, 1, b'I', b'M'] } else { [1, 0, b'M', b'I'] });
            file.extend(elements.concat());
            file
        }
    }

    const VALUES: [f64; 6] = [1.0, 2.0, 3.0, -1.0, -2.0, -3.0];

    #[test]
    fn matrices_are_frames_by_microphones() {
        for writer in [Writer(Endian::Little), Writer(Endian::Big)] {
            let fs = writer.matrix("Fs", [1, 1], &[48e3]);
            let tall = writer.matrix("pressure", [3, 2], &VALUES);
            let wide = writer.matrix("p", [2, 3], &[1.0, -1.0, 2.0, -2.0, 3.0, -3.0]);
            let text = writer.matrix_of("note", [1, 2], (4, &[0; 4]), 4);
            for file in [
                writer.file(&[fs.clone(), text.clone(), tall.clone()]),
                writer.file(&[writer.compressed(&tall), writer.compressed(&fs)]),
                writer.file(&[wide, fs]),
            ] {
                let found = read(&file, &expected(None)).unwrap();
                assert_eq!((found.rate, found.channels), (Some(48e3), 2));
                assert_eq!(found.values, [2.0, -2.0, 4.0, -4.0, 6.0, -6.0]);
            }
            let file = writer.file(&[tall.clone(), writer.matrix("q", [1, 2], &[7.0, 8.0])]);
            assert_eq!(read(&file, &expected(Some("q"))).unwrap().values, [14.0, 16.0]);
            assert_eq!(
                read(&file, &expected(None)).unwrap_err(),
                "which matrix has the samples is not clear; it has: pressure (3 x 2), q (1 x 2)"
            );
        }
    }

    #[test]
    fn integers_are_fractions_of_full_scale() {
        let writer = Writer(Endian::Little);
        let data: Vec<u8> = [16_384_i16, -32_768].iter().flat_map(|v| v.to_le_bytes()).collect();
        let file = writer.file(&[writer.matrix_of("p", [1, 2], (3, &data), 10)]);
        let found = read(&file, &expected(None)).unwrap();
        assert_eq!((found.rate, found.values), (None, vec![1.0, -2.0]));
        // In double precision, though stored in fewer bytes.
        let file = writer.file(&[writer.matrix_of("p", [1, 2], (1, &[3, 0xfe]), 6)]);
        assert_eq!(read(&file, &expected(None)).unwrap().values, [6.0, -4.0]);
        let file = writer.file(&[writer.matrix_of("p", [1, 2], (2, &[3, 4]), 9)]);
        assert!(read(&file, &expected(None)).unwrap_err().starts_with("p has unsigned integers"));
    }

    #[test]
    fn truncated_files_are_refused() {
        let writer = Writer(Endian::Little);
        let tall = writer.matrix("pressure", [3, 2], &VALUES);
        for file in [writer.file(std::slice::from_ref(&tall)), writer.file(&[writer.compressed(&tall)])] {
            assert!(read(&file, &expected(None)).is_ok());
            for end in 0..file.len() {
                assert!(read(&file[..end], &expected(None)).is_err(), "{end}");
            }
        }
    }

    #[test]
    fn wrong_files_say_what_is_wrong() {
        let writer = Writer(Endian::Little);
        let refused = |elements: &[Vec<u8>]| read(&writer.file(elements), &expected(None)).unwrap_err();
        assert_eq!(refused(&[]), "which matrix has the samples is not clear; it has: none");
        assert!(read(&[0; 200], &expected(None)).unwrap_err().contains("IM or MI"));
        let lying = writer.matrix("p", [1 << 30, 1 << 30], &VALUES);
        assert_eq!(
            refused(&[lying]),
            "in the element at byte 128: p has 1073741824 x 1073741824 values in 48 bytes"
        );
        let mut long = writer.matrix("p", [3, 2], &VALUES);
        long[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(refused(&[long]).contains("has 4294967295 bytes, and 96 are left"));
        let bomb = writer.compressed(&writer.element(MATRIX, &vec![0; 20_000_000]));
        assert!(refused(&[bomb]).contains("compressed bytes promise 20000000 bytes"));
        let tall = writer.matrix("p", [3, 2], &VALUES);
        assert_eq!(refused(&[tall, writer.matrix("fs", [1, 1], &[-1.0])]), "its sample rate is -1 Hz");
        let missing = writer.file(&[writer.matrix("p", [3, 2], &VALUES)]);
        assert_eq!(
            read(&missing, &expected(Some("q"))).unwrap_err(),
            "it has no matrix of numbers q; it has: p (3 x 2)"
        );
    }
}
