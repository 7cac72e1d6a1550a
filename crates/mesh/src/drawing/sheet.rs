//! Sheets: surfaces without thickness.

use super::cad_sheet::CadSheet;
use super::numbers::list;
use super::solid::{around, circle, in_polygon, polygon_script};
use crate::error::MeshError;
use crate::triangle::vec3::{Vec3, add, cross, dot, norm, sub, times};

/// Relative distance from a plane up to which points are in it.
const FLAT: f64 = 1e-6;

/// The shape of a sheet, in meters.
#[derive(Debug, Clone, PartialEq)]
pub enum SheetShape {
    /// Flat polygon.
    Polygon {
        /// Corners in order.
        corners: Vec<[f64; 3]>,
    },
    /// Circular disk normal to a coordinate axis.
    Disk {
        /// Center.
        center: [f64; 3],
        /// Radius.
        radius: f64,
        /// 0, 1, 2 for x, y, z.
        axis: usize,
    },
    /// Surfaces of a CAD file.
    Cad(CadSheet),
}

impl SheetShape {
    /// A rectangle between two corners that are equal along one axis.
    pub fn rectangle(from: [f64; 3], to: [f64; 3]) -> Self {
        // Equal coordinates are that, not nearly: the case gives both.
        let flat = (0..3).find(|&k| from[k] == to[k]).unwrap_or(2);
        let [u, v] = [(flat + 1) % 3, (flat + 2) % 3];
        let corner = |a: f64, b: f64| {
            let mut corner = from;
            (corner[u], corner[v]) = (a, b);
            corner
        };
        let corners = vec![
            corner(from[u], from[v]),
            corner(to[u], from[v]),
            corner(to[u], to[v]),
            corner(from[u], to[v]),
        ];
        Self::Polygon { corners }
    }

    /// Refuses polygons that are not flat, or without an area.
    pub fn check(&self) -> Result<(), MeshError> {
        let Self::Polygon { corners } = self else { return Ok(()) };
        let (normal, [low, high]) = (area_vector(corners), around(corners, 0.0));
        let size = norm(sub(high, low));
        if norm(normal) <= FLAT * size * size {
            return Err(MeshError::geometry(
                "the polygon has no area",
                "give corners that are not on one line",
            ));
        }
        let off = |&&corner: &&Vec3| dot(sub(corner, corners[0]), normal).abs() > FLAT * size * norm(normal);
        match corners.iter().find(off) {
            Some(corner) => Err(MeshError::geometry(
                format!(
                    "the corner {} m is not in the plane of the others",
                    crate::tet::position_text(*corner)
                ),
                "a sheet is flat: divide it into triangles",
            )),
            None => Ok(()),
        }
    }

    /// Whether a point that is a face's center is on it; `tolerance` is the distance from its plane that counts as none.
    pub(super) fn contains(&self, point: Vec3, tolerance: f64) -> bool {
        match self {
            Self::Polygon { corners } => {
                let normal = area_vector(corners);
                let off = dot(sub(point, corners[0]), normal) / norm(normal);
                // Seen along the axis that is closest to the normal.
                let axis = (0..3).max_by(|&a, &b| normal[a].abs().total_cmp(&normal[b].abs())).unwrap_or(2);
                let flat = |p: Vec3| [p[(axis + 1) % 3], p[(axis + 2) % 3]];
                let outline: Vec<[f64; 2]> = corners.iter().map(|&corner| flat(corner)).collect();
                off.abs() <= tolerance && in_polygon(&outline, flat(point))
            }
            Self::Disk { center, radius, axis } => {
                let mut off = sub(point, *center);
                let height = std::mem::take(&mut off[*axis]);
                height.abs() <= tolerance && norm(off) < *radius
            }
            Self::Cad(sheet) => sheet.contains(point, tolerance),
        }
    }

    /// The corners of its bounding box.
    pub fn bounds(&self) -> [Vec3; 2] {
        match self {
            Self::Polygon { corners } => around(corners, 0.0),
            Self::Disk { .. } => around(&self.edges().concat(), 0.0),
            Self::Cad(sheet) => sheet.surface.bounds(),
        }
    }

    /// Whether its edge or itself is curved.
    pub fn is_curved(&self) -> bool {
        match self {
            Self::Polygon { .. } => false,
            Self::Disk { .. } => true,
            Self::Cad(sheet) => sheet.sagitta > 0.0,
        }
    }

    /// Its edges, as lines through points: one closed line, or several lines of a CAD file.
    pub fn edges(&self) -> Vec<Vec<Vec3>> {
        match self {
            Self::Polygon { corners } => vec![corners.iter().chain(&corners[..1]).copied().collect()],
            Self::Disk { center, radius, axis } => {
                vec![circle(*center, std::array::from_fn(|k| f64::from(k == *axis)), *radius)]
            }
            Self::Cad(sheet) => sheet.edges(),
        }
    }

    /// Its width: twice the ratio of area to perimeter is that of a long strip, and half the side of a square.
    pub fn width(&self) -> f64 {
        if let Self::Cad(sheet) = self {
            return sheet.width();
        }
        let edge = self.edges().concat();
        let perimeter: f64 = edge.windows(2).map(|ends| norm(sub(ends[1], ends[0]))).sum();
        2.0 * norm(area_vector(&edge[1..])) / perimeter
    }

    /// The statements that make it and assign it to the list `name`; lengths are divided by `unit`.
    pub(super) fn script(&self, name: &str, unit: f64) -> String {
        match self {
            Self::Polygon { corners } => format!("{}{name}() = {{s}};\n", polygon_script(corners, unit)),
            Self::Disk { center, radius, axis } => {
                // Gmsh's disks are normal to z.
                let turn = match axis {
                    0 => "Rotate{{0, 1, 0}, {0, 0, 0}, Pi/2}{ Surface{s}; }\n",
                    1 => "Rotate{{1, 0, 0}, {0, 0, 0}, Pi/2}{ Surface{s}; }\n",
                    _ => "",
                };
                format!(
                    "s = news; Disk(s) = {{0, 0, 0, {:e}}};\n{turn}Translate{{{}}}{{ Surface{{s}}; }}\n{name}() = {{s}};\n",
                    radius / unit,
                    list(&times(1.0 / unit, *center))
                )
            }
            Self::Cad(sheet) => sheet.script(name),
        }
    }
}

/// Area times normal of a polygon.
fn area_vector(corners: &[Vec3]) -> Vec3 {
    let origin = corners[0];
    let triangles = corners.windows(2).map(|ends| cross(sub(ends[0], origin), sub(ends[1], origin)));
    times(0.5, triangles.fold([0.0; 3], add))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rectangles_and_disks_hold_their_points() {
        let plate = SheetShape::rectangle([0.0, 1.0, 0.0], [2.0, 1.0, 0.5]);
        assert!(plate.contains([1.0, 1.0, 0.2], 1e-9) && !plate.contains([1.0, 1.1, 0.2], 1e-9));
        assert!(!plate.contains([2.1, 1.0, 0.2], 1e-9));
        // Two by a half: 2 · 1 / 5.
        assert!((plate.width() - 0.4).abs() < 1e-12);
        let disk = SheetShape::Disk { center: [1.0, 0.0, 0.0], radius: 1.0, axis: 0 };
        assert!(disk.contains([1.0, 0.5, 0.5], 1e-9) && !disk.contains([1.0, 0.8, 0.8], 1e-9));
        let [low, high] = disk.bounds();
        assert!((low[0] - 1.0).abs() < 1e-12 && (high[1] - 1.0).abs() < 1e-12);
    }

    #[test]
    fn polygons_are_flat() {
        let polygon = |z: f64| SheetShape::Polygon {
            corners: vec![[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, z], [0.0, 1.0, 0.0]],
        };
        assert!(polygon(0.0).check().is_ok());
        assert!(polygon(0.1).check().unwrap_err().to_string().contains("not in the plane"));
        let line = SheetShape::Polygon { corners: vec![[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]] };
        assert!(line.check().unwrap_err().to_string().contains("no area"));
    }
}
