//! Surfaces of CAD files that bound no solid: sheets, by their triangles.

use super::polygon::to_polygon;
use crate::error::MeshError;
use crate::triangle::vec3::{Vec3, norm, sub};
use crate::triangle::{SMOOTH_ANGLE, TriangleMesh, WELD_TOLERANCE, repair, wedges};

/// A sheet of a CAD file: one or several of its surfaces.
#[derive(Debug, Clone, PartialEq)]
pub struct CadSheet {
    /// Its triangles.
    pub surface: TriangleMesh,
    /// Largest distance of the triangles from a curved surface, in meters; zero if it is flat.
    pub sagitta: f64,
    /// The file that it is from, in [`super::Drawing::files`].
    pub file: usize,
    /// The positions of its surfaces among those of the file that bound no solid.
    pub faces: Vec<usize>,
}

impl CadSheet {
    /// One sheet of several of a file: where they meet is no edge.
    pub fn joined(parts: &[Self]) -> Result<Self, MeshError> {
        let surface = repair(together(parts)?, WELD_TOLERANCE)?.mesh;
        Ok(Self {
            surface,
            sagitta: parts.iter().map(|part| part.sagitta).fold(0.0, f64::max),
            file: parts.first().map_or(0, |part| part.file),
            faces: parts.iter().flat_map(|part| part.faces.clone()).collect(),
        })
    }

    /// Whether a point that is on a face of the mesh is on it.
    pub(super) fn contains(&self, point: Vec3, tolerance: f64) -> bool {
        let [low, high] = self.surface.bounds();
        let reach = tolerance + self.sagitta;
        let is_near = (0..3).all(|k| low[k] - reach <= point[k] && point[k] <= high[k] + reach);
        is_near && self.distance(point) <= reach
    }

    /// Distance of a point from it.
    pub(super) fn distance(&self, point: Vec3) -> f64 {
        let triangles = (0..self.surface.triangles.len()).map(|t| self.surface.corners(t));
        triangles.map(|corners| to_polygon(point, &corners)).fold(f64::INFINITY, f64::min)
    }

    /// Its edges, and where it is folded.
    pub(super) fn edges(&self) -> Vec<Vec<Vec3>> {
        let ends = |vertices: [u32; 2]| vertices.map(|i| self.surface.vertices[i as usize]).to_vec();
        wedges(&self.surface, SMOOTH_ANGLE).into_iter().map(|wedge| ends(wedge.vertices)).collect()
    }

    /// Its width: twice the area over the length of its edges.
    pub(super) fn width(&self) -> f64 {
        let length: f64 = self.edges().iter().map(|edge| norm(sub(edge[1], edge[0]))).sum();
        2.0 * self.surface.area() / length.max(f64::MIN_POSITIVE)
    }

    /// The statement that makes it the list `name`.
    pub(super) fn script(&self, name: &str) -> String {
        let faces: Vec<String> = self.faces.iter().map(usize::to_string).collect();
        format!("{name}() = {{faces_{}({{{}}})}};\n", self.file, faces.join(", "))
    }
}

/// The triangles of several sheets.
pub(super) fn together(parts: &[CadSheet]) -> Result<TriangleMesh, MeshError> {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for CadSheet { surface, .. } in parts {
        let first = vertices.len() as u32;
        triangles.extend(surface.triangles.iter().map(|corners| corners.map(|i| i + first)));
        vertices.extend_from_slice(&surface.vertices);
    }
    TriangleMesh::with_one_group(vertices, triangles, "sheet")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets::{cylinder, plate};

    fn sheet(surface: TriangleMesh, sagitta: f64, face: usize) -> CadSheet {
        CadSheet { surface, sagitta, file: 0, faces: vec![face] }
    }

    #[test]
    fn parts_of_a_sheet_are_one() {
        // Two plates of 2 by 1 side by side are one of 4 by 1, without an edge between.
        let moved = |x: f64| {
            let mut plate = plate([2.0, 1.0], [2, 1]).unwrap();
            plate.vertices.iter_mut().for_each(|vertex| vertex[0] += x);
            plate
        };
        let both = CadSheet::joined(&[sheet(moved(0.0), 0.0, 3), sheet(moved(2.0), 0.0, 5)]).unwrap();
        let length: f64 = both.edges().iter().map(|edge| norm(sub(edge[1], edge[0]))).sum();
        assert!((length - 10.0).abs() < 1e-12 && (both.width() - 0.8).abs() < 1e-12, "{length}");
        assert_eq!(both.script("sheet_1"), "sheet_1() = {faces_0({3, 5})};\n");
        assert!(both.contains([1.0, 0.2, 0.0], 1e-9) && !both.contains([3.1, 0.2, 0.0], 1e-9));
        assert!(!both.contains([1.0, 0.2, 1e-6], 1e-9));
    }

    #[test]
    fn points_of_a_curved_sheet_are_on_it() {
        // A pipe with 24 sides: their middles are r (1 − cos 7.5°) from the cylinder.
        let sagitta = 1.0 - 7.5_f64.to_radians().cos();
        let pipe = sheet(cylinder(1.0, 4.0, [4, 24], false).unwrap(), 1.01 * sagitta, 0);
        for degrees in [0.0_f64, 3.0, 7.5, 11.0] {
            let (sin, cos) = degrees.to_radians().sin_cos();
            assert!(pipe.contains([cos, sin, 0.3], 1e-9), "{degrees}");
            assert!(!pipe.contains([1.02 * cos, 1.02 * sin, 0.3], 1e-9), "{degrees}");
        }
        // Two rims of 24 edges.
        assert_eq!(pipe.edges().len(), 48);
    }
}
