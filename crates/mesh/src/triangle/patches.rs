//! Smooth parts of a surface.

use super::TriangleMesh;
use super::edges::{Edges, ends, turn};

/// An edge over which the surface turns by less than this, in radians, is taken for a facet's and not for the body's:
/// 30 degrees. A cylinder must have more than twelve facets around it, and the corners of bodies turn by more. The same
/// limit holds for line elements in the plane.
pub const SMOOTH_ANGLE: f64 = crate::gmsh::MESH_CORNER_ANGLE;

/// The number of the smooth patch that each triangle belongs to, from zero in the order of first triangles.
///
/// Triangles are joined over edges where exactly two meet, wound alike, that turn by less than `angle` and lie inside one
/// group, since materials go by groups.
///
/// ```
/// use phasefront_mesh::{SMOOTH_ANGLE, smooth_patches, targets::cylinder};
///
/// let can = cylinder(0.5, 1.0, [2, 36], true).unwrap();
/// let patches = smooth_patches(&can, SMOOTH_ANGLE);
/// // The side and two ends.
/// assert_eq!(patches.iter().max(), Some(&2));
/// ```
pub fn smooth_patches(mesh: &TriangleMesh, angle: f64) -> Vec<u32> {
    let mut parts = Parts::new(mesh.triangles.len());
    for pair in Edges::of(mesh).pairs() {
        let [a, b] = pair.map(|half| half as usize / 3);
        let alike = ends(mesh, pair[0])[0] == ends(mesh, pair[1])[1];
        if alike && mesh.groups[a] == mesh.groups[b] && turn(mesh, pair).abs() < angle {
            parts.join(a, b);
        }
    }
    parts.numbers()
}

/// Things that are joined in pairs (union-find with path halving).
pub(super) struct Parts(Vec<usize>);

impl Parts {
    pub fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    fn root(&mut self, mut i: usize) -> usize {
        while self.0[i] != i {
            self.0[i] = self.0[self.0[i]];
            i = self.0[i];
        }
        i
    }

    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b);
    }

    /// The part of each, numbered in the order of their first members.
    pub fn numbers(mut self) -> Vec<u32> {
        let mut numbers = vec![0; self.0.len()];
        let mut count = 0;
        for i in 0..numbers.len() {
            // A root is the lowest of its part, so it has its number already.
            let root = self.root(i);
            if root == i {
                numbers[i] = count;
                count += 1;
            } else {
                numbers[i] = numbers[root];
            }
        }
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets::{cuboid, sphere};

    fn count(patches: &[u32]) -> u32 {
        patches.iter().max().unwrap() + 1
    }

    #[test]
    fn a_sphere_is_one_patch_and_a_box_has_six() {
        assert_eq!(count(&smooth_patches(&sphere(1.0, 4).unwrap(), SMOOTH_ANGLE)), 1);
        let cube = cuboid([1.0, 2.0, 3.0], [2, 2, 2]).unwrap();
        let patches = smooth_patches(&cube, SMOOTH_ANGLE);
        assert_eq!(count(&patches), 6);
        // Each of them flat.
        for (a, b) in (0..48).flat_map(|a| (0..48).map(move |b| (a, b))) {
            let same = patches[a] == patches[b];
            let [na, nb] = [a, b].map(|t| mesh_normal(&cube, t));
            assert_eq!(same, na == nb);
        }
    }

    fn mesh_normal(mesh: &TriangleMesh, t: usize) -> [i32; 3] {
        mesh.area_vector(t).map(|x| if x.abs() < 1e-9 { 0 } else { x.signum() as i32 })
    }

    #[test]
    fn groups_are_not_joined() {
        let mut ball = sphere(1.0, 2).unwrap();
        ball.group_names.push("patch".into());
        ball.groups[0] = 1;
        assert_eq!(count(&smooth_patches(&ball, 1.0)), 2);
        // An icosahedron's faces meet at 138.19 degrees, so the surface turns by 41.81.
        let coarse = sphere(1.0, 1).unwrap();
        assert_eq!(count(&smooth_patches(&coarse, 41.8_f64.to_radians())), 20);
        assert_eq!(count(&smooth_patches(&coarse, 41.82_f64.to_radians())), 1);
    }
}
