//! Surfaces of triangles for ParaView: one VTU file with values on its triangles.

use crate::ReportError;
use crate::base64::base64;
use crate::plot::escape;
use std::fmt::Write as _;

/// VTK's number for a triangle.
const VTK_TRIANGLE: u8 = 5;

/// A surface of triangles with named values on them: one VTU file, opened by ParaView, VTK and meshio.
///
/// ```
/// use phasefront_report::Surface;
///
/// let surface = Surface {
///     name: "hotspots".into(),
///     vertices: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
///     triangles: vec![[0, 1, 2]],
///     values: vec![("vv_dbsm".into(), vec![-12.5])],
/// };
/// let text = String::from_utf8(surface.to_vtu()?)?;
/// assert!(text.contains("<DataArray type=\"Float64\" Name=\"vv_dbsm\""));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Surface {
    /// File stem: `hotspots` becomes `hotspots.vtu`.
    pub name: String,
    /// Places of the vertices.
    pub vertices: Vec<[f64; 3]>,
    /// Positions in `vertices`.
    pub triangles: Vec<[u32; 3]>,
    /// Names, and a value for each triangle. What is not finite is written as NaN, which ParaView shows without a colour.
    pub values: Vec<(String, Vec<f64>)>,
}

impl Surface {
    /// The bytes of the VTU file (VTK's XML format, version 1.0): arrays inline in base 64, each behind its length in bytes.
    pub fn to_vtu(&self) -> Result<Vec<u8>, ReportError> {
        self.validate()?;
        let (points, cells) = (self.vertices.len(), self.triangles.len());
        let mut text = format!(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" \
             header_type=\"UInt64\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"{points}\" NumberOfCells=\"{cells}\">\n\
             <Points>\n"
        );
        let places = bytes(self.vertices.iter().flatten(), |x| x.to_le_bytes());
        array(&mut text, "Float64", "Points", " NumberOfComponents=\"3\"", &places);
        text.push_str("</Points>\n<Cells>\n");
        let corners = bytes(self.triangles.iter().flatten(), |corner| i64::from(*corner).to_le_bytes());
        array(&mut text, "Int64", "connectivity", "", &corners);
        let ends: Vec<i64> = (1..=cells as i64).map(|cell| 3 * cell).collect();
        array(&mut text, "Int64", "offsets", "", &bytes(ends.iter(), |end| end.to_le_bytes()));
        array(&mut text, "UInt8", "types", "", &vec![VTK_TRIANGLE; cells]);
        text.push_str("</Cells>\n<CellData>\n");
        for (name, values) in &self.values {
            let finite = |x: &f64| if x.is_finite() { *x } else { f64::NAN };
            array(&mut text, "Float64", name, "", &bytes(values.iter(), |x| finite(x).to_le_bytes()));
        }
        text.push_str("</CellData>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n");
        Ok(text.into_bytes())
    }

    fn validate(&self) -> Result<(), ReportError> {
        let failed = |reason: String| Err(ReportError::Surface { surface: self.name.clone(), reason });
        let vertices = self.vertices.len();
        if let Some(corner) = self.triangles.iter().flatten().find(|corner| **corner as usize >= vertices) {
            return failed(format!("a triangle has vertex {corner} of {vertices}"));
        }
        match self.values.iter().find(|(_, values)| values.len() != self.triangles.len()) {
            Some((name, values)) => {
                failed(format!("{name} has {} values for {} triangles", values.len(), self.triangles.len()))
            }
            None => Ok(()),
        }
    }
}

fn bytes<'a, T: 'a, const N: usize>(
    items: impl Iterator<Item = &'a T>,
    little_endian: impl Fn(&T) -> [u8; N],
) -> Vec<u8> {
    items.flat_map(little_endian).collect()
}

fn array(text: &mut String, kind: &str, name: &str, more: &str, bytes: &[u8]) {
    let mut coded = (bytes.len() as u64).to_le_bytes().to_vec();
    coded.extend(bytes);
    let (name, coded) = (escape(name), base64(&coded));
    // Writing to a String cannot fail.
    let _ = writeln!(
        text,
        "<DataArray type=\"{kind}\" Name=\"{name}\"{more} format=\"binary\">{coded}</DataArray>"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square() -> Surface {
        Surface {
            name: "square".into(),
            vertices: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]],
            triangles: vec![[0, 1, 2], [0, 2, 3]],
            values: vec![("a<b".into(), vec![1.0, f64::NEG_INFINITY])],
        }
    }

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
    fn a_surface_is_xml_with_all_its_arrays() {
        let text = String::from_utf8(square().to_vtu().unwrap()).unwrap();
        assert!(text.contains("NumberOfPoints=\"4\" NumberOfCells=\"2\""));
        for name in ["Points", "connectivity", "offsets", "types", "a&lt;b"] {
            assert_eq!(text.matches(&format!("Name=\"{name}\"")).count(), 1, "{name}");
        }
        assert!(Surface::default().to_vtu().is_ok(), "nothing is a surface too");
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        let message = |surface: Surface| surface.to_vtu().unwrap_err().to_string();
        let mut surface = square();
        surface.triangles[1][2] = 4;
        assert_eq!(message(surface), "cannot write surface square: a triangle has vertex 4 of 4");
        let mut surface = square();
        surface.values[0].1.pop();
        assert_eq!(message(surface), "cannot write surface square: a<b has 1 values for 2 triangles");
    }
}
