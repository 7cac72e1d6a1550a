//! Self-intersections of a surface.

use super::edges::Edges;
use super::mesh::TriangleMesh;
use super::vec3::{Vec3, cross, dot, sub, times};
use super::winding::shells;
use crate::bvh::Bvh;
use rayon::prelude::*;

/// Part of an edge or of a triangle at its border that is left out: surfaces that touch do not cross, and coordinates are rounded.
const BORDER: f64 = 1e-4;

impl TriangleMesh {
    /// The number of edges that pass through a triangle of their own shell. Shells that reach into each other are not counted: closed
    /// ones are solids that overlap. The mesh must be welded.
    ///
    /// ```
    /// use phasefront_mesh::targets::sphere;
    ///
    /// let mut ball = sphere(1.0, 6).unwrap();
    /// assert_eq!(ball.self_crossings(), 0);
    /// // A dent that comes out on the other side.
    /// let top = ball.vertices.iter().position(|p| p[2] > 0.999).unwrap();
    /// ball.vertices[top][2] = -1.5;
    /// assert!(ball.self_crossings() > 0);
    /// ```
    pub fn self_crossings(&self) -> usize {
        let single: Vec<[[f32; 3]; 3]> =
            (0..self.triangles.len()).map(|t| self.corners(t).map(|p| p.map(|x| x as f32))).collect();
        let tree = Bvh::new(&single, 0.0);
        let edges = Edges::of(self);
        let shells = shells(self, &edges);
        let all: Vec<([u32; 2], u32)> =
            edges.iter().map(|edge| (edge.vertices, shells[edge.halves[0] as usize / 3])).collect();
        let passes = |&([a, b], shell): &([u32; 2], u32)| {
            let [from, to] = [a, b].map(|i| self.vertices[i as usize]);
            let along = sub(to, from);
            let distance = |t: u32| {
                let corners = self.triangles[t as usize];
                // Neighbors touch the edge at its ends.
                let is_apart = !corners.contains(&a) && !corners.contains(&b);
                let is_own = shells[t as usize] == shell;
                (is_apart && is_own).then(|| crossing(self.corners(t as usize), from, along)).flatten()
            };
            tree.closest(from.map(|x| x as f32), along.map(|x| x as f32), distance).is_some()
        };
        all.par_iter().filter(|edge| passes(edge)).count()
    }
}

/// Where an edge passes through the inside of a triangle, from 0 to 1 (T. Möller, B. Trumbore, J. Graphics Tools 2, 21, 1997).
fn crossing([a, b, c]: [Vec3; 3], from: Vec3, along: Vec3) -> Option<f64> {
    let [side, other] = [sub(b, a), sub(c, a)];
    let across = cross(along, other);
    let scale = dot(side, across).recip();
    let start = sub(from, a);
    let up = cross(start, side);
    let [u, v, t] = times(scale, [dot(start, across), dot(along, up), dot(other, up)]);
    let inside = |x: f64| (BORDER..=1.0 - BORDER).contains(&x);
    // A triangle that the edge is parallel to gives NaN or infinity, and no crossing.
    (inside(u) && inside(v) && inside(u + v) && inside(t)).then_some(t)
}

#[cfg(test)]
mod tests {
    use crate::targets::{cuboid, missile, plate};

    #[test]
    fn overlapping_solids_do_not_count_and_one_that_crosses_itself_does() {
        assert_eq!(missile().self_crossings(), 0);
        let mut two = cuboid([1.0; 3], [1, 1, 1]).unwrap();
        two.append(&cuboid([1.0; 3], [1, 1, 1]).unwrap().mapped(|[x, y, z]| [x + 0.3, y + 0.2, z + 0.1]));
        assert_eq!(two.self_crossings(), 0);
        // A plate of three cells, folded so that the last one passes through the first: z of the fold is in the middle of it.
        let folded = plate([3.0, 1.0], [3, 1]).unwrap().mapped(|[x, y, z]| match x {
            x if x < 0.0 => [x, y, z],
            x if x < 1.0 => [0.2, y, 1.0],
            _ => [-1.3, 0.7 * y, -1.0],
        });
        assert!(folded.self_crossings() > 0);
    }
}
