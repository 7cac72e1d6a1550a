//! VTK's XML format of unstructured grids, for surfaces and volumes, and collections of such files
//! in time.

use crate::ReportError;
use crate::base64::base64;
use crate::plot::escape;
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
        let mut text = format!(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" \
             header_type=\"UInt64\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"{points}\" NumberOfCells=\"{cells}\">\n\
             <Points>\n"
        );
        let points = bytes(self.points.iter().flatten(), |x| x.to_le_bytes());
        array(&mut text, "Float64", "Points", VECTOR, &points);
        text.push_str("</Points>\n<Cells>\n");
        let corners = bytes(self.cells.iter().flatten(), |corner| i64::from(*corner).to_le_bytes());
        array(&mut text, "Int64", "connectivity", "", &corners);
        let ends: Vec<i64> = (1..=cells as i64).map(|cell| N as i64 * cell).collect();
        array(&mut text, "Int64", "offsets", "", &bytes(ends.iter(), |end| end.to_le_bytes()));
        array(&mut text, "UInt8", "types", "", &vec![self.cell.1; cells]);
        text.push_str("</Cells>\n<PointData>\n");
        for (name, values) in self.point_values {
            // An infinity would enter ParaView's color range; NaN has a color of its own.
            let finite = |x: &f32| if x.is_finite() { *x } else { f32::NAN }.to_le_bytes();
            let (more, coded) = match values {
                PointValues::Scalar(values) => ("", bytes(values.iter(), finite)),
                PointValues::Vector(values) => (VECTOR, bytes(values.iter().flatten(), finite)),
            };
            array(&mut text, "Float32", name, more, &coded);
        }
        text.push_str("</PointData>\n<CellData>\n");
        for (name, values) in self.cell_values {
            let finite = |x: &f64| if x.is_finite() { *x } else { f64::NAN }.to_le_bytes();
            array(&mut text, "Float64", name, "", &bytes(values.iter(), finite));
        }
        text.push_str("</CellData>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n");
        Ok(text.into_bytes())
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

fn bytes<'a, T: 'a, const B: usize>(
    items: impl Iterator<Item = &'a T>,
    little_endian: impl Fn(&T) -> [u8; B],
) -> Vec<u8> {
    items.flat_map(little_endian).collect()
}

fn array(text: &mut String, kind: &str, name: &str, more: &str, bytes: &[u8]) {
    // Length and data are encoded together: separately, padding would appear in the middle.
    let mut coded = (bytes.len() as u64).to_le_bytes().to_vec();
    coded.extend(bytes);
    let (name, coded) = (escape(name), base64(&coded));
    // Writing to a String cannot fail.
    let _ = writeln!(
        text,
        "<DataArray type=\"{kind}\" Name=\"{name}\"{more} format=\"binary\">{coded}</DataArray>"
    );
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

    /// Two values of one byte behind the length 2 in eight bytes: by hand, from RFC 4648.
    #[test]
    fn arrays_have_their_length_before_them() {
        let mut text = String::new();
        array(&mut text, "UInt8", "types", "", &[5, 5]);
        assert_eq!(
            text,
            "<DataArray type=\"UInt8\" Name=\"types\" format=\"binary\">AgAAAAAAAAAFBQ==</DataArray>\n"
        );
    }

    #[test]
    fn a_collection_is_xml_with_a_line_for_each_file() {
        let text = pvd(&[(0.0, "a&b.vtu".into()), (1.5e-9, "c.vtu".into())]);
        assert_eq!(text.matches("<DataSet ").count(), 2);
        assert!(text.contains("timestep=\"0e0\"") && text.contains("file=\"a&amp;b.vtu\""), "{text}");
        assert!(text.ends_with("</Collection>\n</VTKFile>\n"));
    }
}
