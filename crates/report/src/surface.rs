//! Surfaces of triangles for ParaView: one VTU file with values on its triangles and vertices.

use crate::ReportError;
use crate::vtu::{Grid, PointValues};
use std::sync::Arc;

/// VTK's number for a triangle.
const VTK_TRIANGLE: u8 = 5;

/// A surface of triangles with named values on them: one VTU file, opened by ParaView, VTK and meshio.
///
/// ```
/// use phasefront_report::Surface;
///
/// let surface = Surface {
///     name: "hotspots".into(),
///     vertices: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].into(),
///     triangles: vec![[0, 1, 2]].into(),
///     values: vec![("vv_dbsm".into(), vec![-12.5])],
///     ..Surface::default()
/// };
/// let text = String::from_utf8(surface.to_vtu()?)?;
/// assert!(text.contains("<DataArray type=\"Float64\" Name=\"vv_dbsm\""));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Surface {
    /// File stem: `hotspots` becomes `hotspots.vtu`.
    pub name: String,
    /// Positions of the vertices; surfaces at several frequencies share them.
    pub vertices: Arc<[[f64; 3]]>,
    /// Indices into `vertices`.
    pub triangles: Arc<[[u32; 3]]>,
    /// Names, and a value for each triangle. Values that are not finite are written as NaN, which
    /// ParaView leaves uncolored.
    pub values: Vec<(String, Vec<f64>)>,
    /// Names, and a value for each vertex, such as surface currents.
    pub point_values: Vec<(String, PointValues)>,
}

impl Surface {
    /// The bytes of the VTU file.
    pub fn to_vtu(&self) -> Result<Vec<u8>, ReportError> {
        let grid = Grid {
            what: format!("surface {}", self.name),
            cell: ("triangle", VTK_TRIANGLE),
            points: &self.vertices,
            cells: &self.triangles,
            point_values: &self.point_values,
            cell_values: &self.values,
        };
        grid.to_vtu()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square() -> Surface {
        Surface {
            name: "square".into(),
            vertices: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]].into(),
            triangles: vec![[0, 1, 2], [0, 2, 3]].into(),
            values: vec![("a<b".into(), vec![1.0, f64::NEG_INFINITY])],
            point_values: vec![("current".into(), PointValues::Vector(vec![[0.0, 1.0, 2.0]; 4]))],
        }
    }

    #[test]
    fn a_surface_is_xml_with_all_its_arrays() {
        let text = String::from_utf8(square().to_vtu().unwrap()).unwrap();
        assert!(text.contains("NumberOfPoints=\"4\" NumberOfCells=\"2\""));
        for name in ["Points", "connectivity", "offsets", "types", "a&lt;b", "current"] {
            assert_eq!(text.matches(&format!("Name=\"{name}\"")).count(), 1, "{name}");
        }
        assert!(Surface::default().to_vtu().is_ok(), "nothing is a surface too");
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        let message = |surface: Surface| surface.to_vtu().unwrap_err().to_string();
        let mut surface = square();
        surface.triangles = vec![[0, 1, 2], [0, 2, 4]].into();
        assert_eq!(message(surface), "cannot write surface square: a triangle has vertex 4 of 4");
        let mut surface = square();
        surface.values[0].1.pop();
        assert_eq!(message(surface), "cannot write surface square: a<b has 1 values for 2 triangles");
        let mut surface = square();
        surface.point_values[0].1 = PointValues::Scalar(vec![1.0]);
        assert_eq!(message(surface), "cannot write surface square: current has 1 values for 4 vertices");
    }
}
