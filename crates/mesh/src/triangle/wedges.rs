//! Sharp edges, which diffract.

use super::edges::{Edges, ends, turn};
use super::mesh::TriangleMesh;
use std::f64::consts::{PI, TAU};

/// An edge over which the surface turns by less than this, in radians, is taken for a facet's and not for the body's:
/// 30 degrees. A cylinder must have more than twelve facets around it, and the corners of bodies turn by more. The same
/// limit holds for line elements in the plane.
pub const SMOOTH_ANGLE: f64 = crate::outline::MESH_CORNER_ANGLE;

/// Faces that enclose less than this, in radians, lie on each other.
const FOLDED: f64 = 1e-6;

/// A straight edge where two facets meet at an angle, or where a sheet ends.
///
/// With x into the first face, square to the edge, and y its normal, x × y points from the first of `vertices` to the
/// second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wedge {
    /// Its ends, in the order of the first face.
    pub vertices: [u32; 2],
    /// The face on its left, seen from outside.
    pub face: u32,
    /// The face behind it; none at the rim of a sheet, which is a half plane.
    pub other: Option<u32>,
    /// The angle from face to face outside the body, 0 to 2π: 3π/2 for a cube, π/2 for a corner reflector, 2π for a rim.
    pub exterior: f64,
}

impl Wedge {
    /// The angle from face to face inside the body.
    pub fn interior(&self) -> f64 {
        TAU - self.exterior
    }
}

/// Edges over which the surface turns by `angle` or more, and all rims, in the order of [`Edges`].
///
/// Edges of more than two triangles, or of two that are wound against each other, are left out: [`crate::repair`] counts
/// them.
///
/// ```
/// use phasefront_mesh::{SMOOTH_ANGLE, targets::cuboid, wedges};
/// use std::f64::consts::PI;
///
/// let edges = wedges(&cuboid([1.0, 1.0, 1.0], [1, 1, 1]).unwrap(), SMOOTH_ANGLE);
/// assert_eq!(edges.len(), 12);
/// assert!(edges.iter().all(|edge| (edge.exterior - 1.5 * PI).abs() < 1e-12));
/// ```
pub fn wedges(mesh: &TriangleMesh, angle: f64) -> Vec<Wedge> {
    let wedge = |halves: &[u32]| match *halves {
        [half] => Some(Wedge { vertices: ends(mesh, half), face: half / 3, other: None, exterior: TAU }),
        [first, second] => {
            let vertices = ends(mesh, first);
            let turn = match turn(mesh, [first, second]) {
                // Two sheets on each other are a half plane; rounding decides the sign of the angle between them.
                turn if turn < FOLDED - PI => PI,
                turn => turn,
            };
            // Consistent winding runs along a shared edge in opposite directions; otherwise the
            // angle has no sign.
            let is_sharp = turn.abs() >= angle && vertices[0] == ends(mesh, second)[1];
            let other = Some(second / 3);
            is_sharp.then_some(Wedge { vertices, face: first / 3, other, exterior: PI + turn })
        }
        _ => None,
    };
    Edges::of(mesh).iter().filter_map(|edge| wedge(edge.halves)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets::{dihedral, plate, sphere};
    use crate::triangle::vec3::{cross, dot, sub};

    #[test]
    fn a_dihedral_has_one_seam_and_six_rims() {
        let mesh = dihedral(1.0, 2.0, [1, 1]).unwrap();
        let all = wedges(&mesh, SMOOTH_ANGLE);
        let (seams, rims): (Vec<Wedge>, Vec<Wedge>) = all.into_iter().partition(|w| w.other.is_some());
        assert_eq!((seams.len(), rims.len()), (1, 6));
        assert!((seams[0].exterior - PI / 2.0).abs() < 1e-12);
        assert!((seams[0].interior() - 1.5 * PI).abs() < 1e-12);
        assert!(rims.iter().all(|rim| rim.exterior == TAU && rim.interior() == 0.0));
    }

    #[test]
    fn the_frame_is_right_handed() {
        let mesh = plate([1.0, 1.0], [1, 1]).unwrap();
        for rim in wedges(&mesh, SMOOTH_ANGLE) {
            let [from, to] = rim.vertices.map(|i| mesh.vertices[i as usize]);
            let along = sub(to, from);
            // The plate's middle is the origin, so this leads into the face.
            let inward = from.map(|x| -x);
            let normal = mesh.area_vector(rim.face as usize);
            assert!(dot(cross(inward, normal), along) > 0.0);
        }
    }

    #[test]
    fn an_icosahedron_has_its_angle() {
        // Between faces: acos(-√5/3).
        let edges = wedges(&sphere(1.0, 1).unwrap(), SMOOTH_ANGLE);
        assert_eq!(edges.len(), 30);
        let inside = (-(5.0_f64.sqrt()) / 3.0).acos();
        assert!(edges.iter().all(|edge| (edge.interior() - inside).abs() < 1e-12));
        assert!(wedges(&sphere(1.0, 4).unwrap(), SMOOTH_ANGLE).is_empty());
    }
}
