//! Planes normal to coordinate axes at which a drawing and the space around it end: planes of symmetry, infinite grounds.

use crate::triangle::vec3::Vec3;

/// Distance from a plane that counts as none, relative to the size of the model.
pub(super) const SAME_PLANE: f64 = 1e-7;
/// The names of the six sides, those with the lower coordinate first.
const NAMES: [[&str; 2]; 3] = [["xmin", "xmax"], ["ymin", "ymax"], ["zmin", "zmax"]];

/// The coordinates of planes in meters, on the lower and the upper side along x, y and z.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Planes(pub [[Option<f64>; 2]; 3]);

impl Planes {
    /// All planes: axis, side, coordinate.
    fn all(&self) -> impl Iterator<Item = (usize, usize, f64)> {
        let sides = (0..6).map(|i| (i / 2, i % 2));
        sides.filter_map(|(axis, side)| Some((axis, side, self.0[axis][side]?)))
    }

    /// A box with the planes as its sides.
    pub(super) fn ends(&self, mut ends: [Vec3; 2]) -> [Vec3; 2] {
        for (axis, side, position) in self.all() {
            ends[side][axis] = position;
        }
        ends
    }

    /// Whether a plane cuts a box.
    pub(super) fn cut(&self, bounds: [Vec3; 2], tolerance: f64) -> bool {
        self.all().any(|(axis, side, position)| beyond(side, bounds[side][axis], position) > tolerance)
    }

    /// The name of the plane that nothing is left of a box by, if there is one. A box that is flat may lie in a plane.
    pub(super) fn leaves_nothing(&self, bounds: [Vec3; 2], tolerance: f64) -> Option<&'static str> {
        let found = self.all().find(|&(axis, side, position)| {
            let [nearest, farthest] = [1 - side, side].map(|end| beyond(side, bounds[end][axis], position));
            nearest >= -tolerance && farthest > tolerance
        });
        found.map(|(axis, side, _)| NAMES[axis][side])
    }

    /// The name of the plane that a point is on.
    pub(super) fn at(&self, point: Vec3, tolerance: f64) -> Option<&'static str> {
        let found = self.all().find(|&(axis, _, position)| (point[axis] - position).abs() <= tolerance);
        found.map(|(axis, side, _)| NAMES[axis][side])
    }

    /// The segments of lines that are not beyond a plane; of lines that do not lie in a plane as a whole, without those in it.
    pub(super) fn before(&self, mut lines: Vec<Vec<Vec3>>, tolerance: f64) -> Vec<Vec<Vec3>> {
        for (axis, side, position) in self.all() {
            let outside = |point: &Vec3| beyond(side, point[axis], position);
            let is_flat = lines.iter().flatten().all(|point| outside(point).abs() <= tolerance);
            let limit = if is_flat { tolerance } else { -tolerance };
            let segments = lines.iter().flat_map(|line| line.windows(2));
            lines = segments
                .filter(|ends| ends.iter().any(|point| outside(point) < limit))
                .map(<[Vec3]>::to_vec)
                .collect();
        }
        lines
    }
}

/// How far a coordinate is beyond a plane on the lower (0) or upper (1) side.
fn beyond(side: usize, coordinate: f64, position: f64) -> f64 {
    if side == 0 { position - coordinate } else { coordinate - position }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUND: Planes = Planes([[None, Some(2.0)], [None, None], [Some(0.0), None]]);

    #[test]
    fn boxes_end_at_planes() {
        let bounds = [[-1.0, -1.0, -1.0], [1.0, 1.0, 1.0]];
        assert_eq!(GROUND.ends(bounds), [[-1.0, -1.0, 0.0], [2.0, 1.0, 1.0]]);
        assert!(GROUND.cut(bounds, 1e-9) && !GROUND.cut([[0.0; 3], [1.0; 3]], 1e-9));
        assert_eq!(GROUND.leaves_nothing(bounds, 1e-9), None);
        assert_eq!(GROUND.leaves_nothing([[0.0, 0.0, -1.0], [1.0, 1.0, 0.0]], 1e-9), Some("zmin"));
        assert_eq!(GROUND.leaves_nothing([[3.0, 0.0, 0.0], [4.0, 1.0, 1.0]], 1e-9), Some("xmax"));
        // A sheet in the ground.
        assert_eq!(GROUND.leaves_nothing([[0.0, 0.0, 0.0], [1.0, 1.0, 0.0]], 1e-9), None);
        assert_eq!(GROUND.at([2.0, 0.5, 0.5], 1e-9), Some("xmax"));
        assert_eq!(GROUND.at([1.0, 0.5, 0.5], 1e-9), None);
    }

    #[test]
    fn edges_end_at_planes() {
        let square = |z: [f64; 2]| {
            vec![vec![
                [0.0, 0.0, z[0]],
                [1.0, 0.0, z[0]],
                [1.0, 0.0, z[1]],
                [0.0, 0.0, z[1]],
                [0.0, 0.0, z[0]],
            ]]
        };
        // A strip that stands on the ground has three edges, one through it those that are not below.
        assert_eq!(GROUND.before(square([0.0, 1.0]), 1e-9).len(), 3);
        assert_eq!(GROUND.before(square([-1.0, 1.0]), 1e-9).len(), 3);
        let mut flat = square([0.0, 1.0]);
        flat[0].iter_mut().for_each(|point| *point = [point[0], point[2], 0.0]);
        assert_eq!(GROUND.before(flat, 1e-9).len(), 4);
    }
}
