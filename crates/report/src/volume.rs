//! Volumes of tetrahedra for ParaView: one VTU file with values on their points.

use crate::ReportError;
use crate::vtu::{Grid, PointValues};
use std::sync::Arc;

/// VTK's number for a tetrahedron with straight sides.
const VTK_TETRA: u8 = 10;

/// Tetrahedra with named values on their points: one VTU file, opened by ParaView, VTK and meshio.
/// Values are linear inside a tetrahedron; elements of higher order are subdivided. A field that is
/// discontinuous between elements has one point per element and value.
///
/// ```
/// use phasefront_report::{PointValues, Volume};
///
/// let volume = Volume {
///     name: "fields_0".into(),
///     points: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].into(),
///     tetrahedra: vec![[0, 1, 2, 3]].into(),
///     values: vec![("E (V/m)".into(), PointValues::Vector(vec![[0.0, 0.0, 1.0]; 4]))],
/// };
/// let text = String::from_utf8(volume.to_vtu()?)?;
/// assert!(text.contains("<DataArray type=\"Float32\" Name=\"E (V/m)\" NumberOfComponents=\"3\""));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Volume {
    /// File stem: `fields_0` becomes `fields_0.vtu`.
    pub name: String,
    /// Positions of the points; volumes at several times share them.
    pub points: Arc<[[f64; 3]]>,
    /// Indices into `points`; in VTK's orientation (b - a) x (c - a) points toward d.
    pub tetrahedra: Arc<[[u32; 4]]>,
    /// Names, and a value for each point.
    pub values: Vec<(String, PointValues)>,
}

impl Volume {
    /// The bytes of the VTU file.
    pub fn to_vtu(&self) -> Result<Vec<u8>, ReportError> {
        let grid = Grid {
            what: format!("volume {}", self.name),
            cell: ("tetrahedron", VTK_TETRA),
            points: &self.points,
            cells: &self.tetrahedra,
            point_values: &self.values,
            cell_values: &[],
        };
        grid.to_vtu()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner() -> Volume {
        Volume {
            name: "corner".into(),
            points: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].into(),
            tetrahedra: vec![[0, 1, 2, 3]].into(),
            values: vec![
                ("phi".into(), PointValues::Scalar(vec![1.0, 2.0, f32::INFINITY, 4.0])),
                ("E".into(), PointValues::Vector(vec![[0.0, 0.5, 1.0]; 4])),
            ],
        }
    }

    /// The arrays as base 64 by hand (Python's struct and base64): lengths of 8 bytes, 0..3 as four 64-bit integers, the end 4,
    /// VTK's type 10, and the scalars as 32-bit numbers with NaN for infinity.
    #[test]
    fn a_volume_has_its_cells_and_values() {
        let text = String::from_utf8(corner().to_vtu().unwrap()).unwrap();
        assert!(text.contains("NumberOfPoints=\"4\" NumberOfCells=\"1\""));
        let arrays = [
            ("Int64\" Name=\"connectivity\"", "IAAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAgAAAAAAAAADAAAAAAAAAA=="),
            ("Int64\" Name=\"offsets\"", "CAAAAAAAAAAEAAAAAAAAAA=="),
            ("UInt8\" Name=\"types\"", "AQAAAAAAAAAK"),
            ("Float32\" Name=\"phi\"", "EAAAAAAAAAAAAIA/AAAAQAAAwH8AAIBA"),
        ];
        for (head, coded) in arrays {
            let array = format!("<DataArray type=\"{head} format=\"binary\">{coded}</DataArray>");
            assert!(text.contains(&array), "{head} in {text}");
        }
        assert!(text.contains("Float32\" Name=\"E\" NumberOfComponents=\"3\""));
        assert!(Volume::default().to_vtu().is_ok(), "nothing is a volume too");
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        let message = |volume: Volume| volume.to_vtu().unwrap_err().to_string();
        let mut volume = corner();
        volume.tetrahedra = vec![[0, 1, 4, 3]].into();
        assert_eq!(message(volume), "cannot write volume corner: a tetrahedron has vertex 4 of 4");
        let mut volume = corner();
        volume.values[1].1 = PointValues::Vector(vec![[0.0; 3]; 3]);
        assert_eq!(message(volume), "cannot write volume corner: E has 3 values for 4 vertices");
    }
}
