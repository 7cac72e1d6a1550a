//! VTK's XML format of unstructured grids, for surfaces and volumes, and collections of such files
//! in time.

use crate::ReportError;
use crate::base64::{coded_len, encode};
use crate::plot::escape;
use rayon::prelude::*;
use std::fmt::Write as _;

/// Values on points, one for each. Values that are not finite are written as NaN, which ParaView
/// leaves uncolored.
#[derive(Debug, Clone, PartialEq)]
pub enum PointValues {
    /// Numbers.
    Scalar(Vec<f32>),
    /// Vectors, x, y and z.
    Vector(Vec<[f32; 3]>),
}

impl PointValues {
    fn len(&self) -> usize {
        match self {
            Self::Scalar(values) => values.len(),
            Self::Vector(values) => values.len(),
        }
    }
}

/// Cells of one type with `N` corners each, with point and cell data.
pub(crate) struct Grid<'a, const N: usize> {
    /// Its type and name, for errors: `surface hotspots`.
    pub what: String,
    /// The name of a cell, and VTK's type number.
    pub cell: (&'static str, u8),
    pub points: &'a [[f64; 3]],
    pub cells: &'a [[u32; N]],
    pub point_values: &'a [(String, PointValues)],
    pub cell_values: &'a [(String, Vec<f64>)],
}

impl<const N: usize> Grid<'_, N> {
    /// The bytes of the VTU file (VTK's XML format, version 1.0): inline base64 arrays, each
    /// preceded by its length in bytes.
    pub fn to_vtu(&self) -> Result<Vec<u8>, ReportError> {
        self.validate()?;
        let (points, cells) = (self.points.len(), self.cells.len());
        let mut text = Text { bytes: vec![0; self.coded_len()], len: 0 };
        text.push(&format!(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" \
             header_type=\"UInt64\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"{points}\" NumberOfCells=\"{cells}\">\n\
             <Points>\n"
        ));
        let coordinates = self.points.as_flattened();
        text.array("Float64", "Points", VECTOR, coordinates.len(), |i| coordinates[i].to_le_bytes());
        text.push("</Points>\n<Cells>\n");
        let corners = self.cells.as_flattened();
        text.array("Int64", "connectivity", "", corners.len(), |i| i64::from(corners[i]).to_le_bytes());
        text.array("Int64", "offsets", "", cells, |cell| (N as i64 * (cell as i64 + 1)).to_le_bytes());
        text.array("UInt8", "types", "", cells, |_| [self.cell.1]);
        text.push("</Cells>\n<PointData>\n");
        for (name, values) in self.point_values {
            let (more, values) = match values {
                PointValues::Scalar(values) => ("", &values[..]),
                PointValues::Vector(values) => (VECTOR, values.as_flattened()),
            };
            // An infinity would enter ParaView's color range; NaN has a color of its own.
            let finite = |i: usize| if values[i].is_finite() { values[i] } else { f32::NAN }.to_le_bytes();
            text.array("Float32", name, more, values.len(), finite);
        }
        text.push("</PointData>\n<CellData>\n");
        for (name, values) in self.cell_values {
            let finite = |i: usize| if values[i].is_finite() { values[i] } else { f64::NAN }.to_le_bytes();
            text.array("Float64", name, "", values.len(), finite);
        }
        text.push("</CellData>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n");
        text.bytes.truncate(text.len);
        Ok(text.bytes)
    }

    /// About the length of the file: memory that is asked for at once is not copied as the file grows.
    fn coded_len(&self) -> usize {
        // Points of three coordinates; corners, the end and the type of a cell.
        let geometry = size_of_val(self.points) + self.cells.len() * (8 * N + 8 + 1);
        let bytes_of = |values: &PointValues| match values {
            PointValues::Scalar(values) => size_of_val(&values[..]),
            PointValues::Vector(values) => size_of_val(&values[..]),
        };
        let point_values: usize = self.point_values.iter().map(|(_, values)| bytes_of(values)).sum();
        let cell_values: usize = self.cell_values.iter().map(|(_, values)| size_of_val(&values[..])).sum();
        let arrays = 5 + self.point_values.len() + self.cell_values.len();
        coded_len(geometry + point_values + cell_values) + TAG_BYTES * arrays
    }

    fn validate(&self) -> Result<(), ReportError> {
        let (points, cells, (cell, _)) = (self.points.len(), self.cells.len(), self.cell);
        let failed = |reason: String| Err(ReportError::Grid { grid: self.what.clone(), reason });
        if let Some(corner) = self.cells.iter().flatten().find(|corner| **corner as usize >= points) {
            return failed(format!("a {cell} has vertex {corner} of {points}"));
        }
        if let Some((name, values)) = self.point_values.iter().find(|(_, values)| values.len() != points) {
            return failed(format!("{name} has {} values for {points} vertices", values.len()));
        }
        match self.cell_values.iter().find(|(_, values)| values.len() != cells) {
            Some((name, values)) => failed(format!("{name} has {} values for {cells} {cell}s", values.len())),
            None => Ok(()),
        }
    }
}

/// Three components per value.
const VECTOR: &str = " NumberOfComponents=\"3\"";

/// Bytes of the tags around an array, about.
const TAG_BYTES: usize = 256;
/// Bytes before the values of an array: their number as 64 bits.
const LENGTH_BYTES: usize = 8;
/// Bytes that a thread encodes at once. A multiple of three: blocks are encoded independently.
const BLOCK: usize = 3 << 14;

/// A text that grows within zeros.
struct Text {
    bytes: Vec<u8>,
    len: usize,
}

impl Text {
    /// The next `len` bytes.
    fn next(&mut self, len: usize) -> &mut [u8] {
        let first = self.len;
        self.len += len;
        if self.bytes.len() < self.len {
            self.bytes.resize(self.len, 0);
        }
        &mut self.bytes[first..self.len]
    }

    fn push(&mut self, text: &str) {
        self.next(text.len()).copy_from_slice(text.as_bytes());
    }

    /// An array of `count` values of `B` bytes each.
    fn array<const B: usize>(
        &mut self,
        kind: &str,
        name: &str,
        more: &str,
        count: usize,
        little_endian: impl Fn(usize) -> [u8; B] + Sync,
    ) {
        let name = escape(name);
        self.push(&format!("<DataArray type=\"{kind}\" Name=\"{name}\"{more} format=\"binary\">"));
        // Length and data are encoded together: separately, padding would appear in the middle.
        let length = ((count * B) as u64).to_le_bytes();
        let bytes = LENGTH_BYTES + count * B;
        let blocks = self.next(coded_len(bytes)).par_chunks_mut(coded_len(BLOCK));
        blocks.enumerate().for_each_init(Vec::new, |plain: &mut Vec<u8>, (block, letters)| {
            let (from, to) = (block * BLOCK, bytes.min((block + 1) * BLOCK));
            plain.clear();
            if block == 0 {
                plain.extend(length);
            }
            // The values that are in the block, wholly or in part.
            let first = from.saturating_sub(LENGTH_BYTES) / B;
            for i in first..(to - LENGTH_BYTES).div_ceil(B) {
                plain.extend(little_endian(i));
            }
            let before = from.saturating_sub(LENGTH_BYTES + first * B);
            encode(&plain[before..][..to - from], letters);
        });
        self.push("</DataArray>\n");
    }
}

/// ParaView's collection of files in time, to be written as `.pvd` beside them: times in seconds, and names of files.
///
/// ```
/// use phasefront_report::pvd;
/// let text = pvd(&[(0.0, "fields_0.vtu".into()), (2.5e-10, "fields_1.vtu".into())]);
/// assert!(text.contains("<DataSet timestep=\"2.5e-10\" group=\"\" part=\"0\" file=\"fields_1.vtu\"/>"));
/// ```
pub fn pvd(files: &[(f64, String)]) -> String {
    let mut text = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" \
                    byte_order=\"LittleEndian\">\n<Collection>\n"
        .to_owned();
    for (time, file) in files {
        let file = escape(file);
        // Writing to a String cannot fail.
        let _ = writeln!(text, "<DataSet timestep=\"{time:e}\" group=\"\" part=\"0\" file=\"{file}\"/>");
    }
    text.push_str("</Collection>\n</VTKFile>\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base64::base64;

    /// The letters of an array of bytes.
    fn array(count: usize, value: impl Fn(usize) -> u8 + Sync) -> String {
        let mut text = Text { bytes: Vec::new(), len: 0 };
        text.array("UInt8", "types", "", count, |i| [value(i)]);
        String::from_utf8(text.bytes).unwrap()
    }

    /// Two values of one byte behind the length 2 in eight bytes: by hand, from RFC 4648.
    #[test]
    fn arrays_have_their_length_before_them() {
        let expected =
            "<DataArray type=\"UInt8\" Name=\"types\" format=\"binary\">AgAAAAAAAAAFBQ==</DataArray>\n";
        assert_eq!(array(2, |_| 5), expected);
    }

    /// Values of seven bytes straddle blocks: the letters are those of the whole stream.
    #[test]
    fn blocks_are_encoded_as_one_stream() {
        for count in [0, 1, BLOCK / 7 - 1, BLOCK / 7, BLOCK / 7 + 1, 2 * BLOCK / 7, 3 * BLOCK / 7 + 5] {
            let value = |i: usize| [0, 1, 2, 3, 4, 5, 6].map(|k| (31 * i + k) as u8);
            let mut stream = ((7 * count) as u64).to_le_bytes().to_vec();
            (0..count).for_each(|i| stream.extend(value(i)));
            let mut text = Text { bytes: Vec::new(), len: 0 };
            text.array("UInt8", "x", "", count, value);
            let text = String::from_utf8(text.bytes).unwrap();
            let letters = text.split(['<', '>']).nth(2).unwrap();
            assert!(letters == base64(&stream), "{count} values");
        }
    }

    #[test]
    fn a_collection_is_xml_with_a_line_for_each_file() {
        let text = pvd(&[(0.0, "a&b.vtu".into()), (1.5e-9, "c.vtu".into())]);
        assert_eq!(text.matches("<DataSet ").count(), 2);
        assert!(text.contains("timestep=\"0e0\"") && text.contains("file=\"a&amp;b.vtu\""), "{text}");
        assert!(text.ends_with("</Collection>\n</VTKFile>\n"));
    }
}
