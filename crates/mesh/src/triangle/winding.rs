//! Shells and their orientation.

use super::disjoint_sets::DisjointSets;
use super::edges::{Edges, ends};
use super::mesh::TriangleMesh;

/// What [`orient`] found and did.
pub(super) struct Winding {
    /// Whether each shell is closed.
    pub closed: Vec<bool>,
    /// Triangles whose winding was flipped.
    pub flipped: usize,
    /// Edges over which no orientation is consistent: the surface is one-sided.
    pub one_sided_edges: usize,
}

/// Makes the winding of each shell consistent, with outward normals where it is closed.
///
/// A shell is connected over edges of exactly two triangles. In a closed shell the normals point
/// out of its own volume; in an open one the majority of triangles retains its orientation.
pub(super) fn orient(mesh: &mut TriangleMesh, edges: &Edges) -> Winding {
    let shells = shells(mesh, edges);
    let count = shells.iter().max().map_or(0, |&last| last as usize + 1);
    let closed = closed(&shells, count, edges);
    let mut flip = sides(mesh, edges);
    // Orientation was propagated over a spanning tree; an edge outside it may contradict, as on a
    // Möbius strip.
    let one_sided_edges = edges.pairs().filter(|&pair| against(mesh, pair) != differ(&flip, pair)).count();

    let volume = volumes(mesh, &shells, count, |t| if flip[t] { -1.0 } else { 1.0 });
    // Triangles that retain their orientation minus those that are flipped, per shell.
    let mut balance = vec![0_i64; count];
    for (&shell, &flip) in shells.iter().zip(&flip) {
        balance[shell as usize] += if flip { -1 } else { 1 };
    }
    for (t, &shell) in shells.iter().enumerate() {
        let shell = shell as usize;
        let inside_out = if closed[shell] { volume[shell] < 0.0 } else { balance[shell] < 0 };
        flip[t] ^= inside_out;
    }
    for (triangle, _) in mesh.triangles.iter_mut().zip(&flip).filter(|(_, flip)| **flip) {
        triangle.swap(1, 2);
    }
    Winding { closed, flipped: flip.iter().filter(|&&flip| flip).count(), one_sided_edges }
}

/// For each triangle the side of its normal that is outside of its shell: 1, or −1 if the shell is inside out; 0 if the shell is
/// open or not all of it is wound alike, so that it has no outside.
///
/// ```
/// use phasefront_mesh::{outer_sides, targets};
///
/// let mut sphere = targets::sphere(1.0, 2).unwrap();
/// assert!(outer_sides(&sphere).iter().all(|&side| side == 1));
/// sphere.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
/// assert!(outer_sides(&sphere).iter().all(|&side| side == -1));
/// sphere.triangles[0].swap(1, 2);
/// assert!(outer_sides(&sphere).iter().all(|&side| side == 0));
/// assert!(outer_sides(&targets::plate([1.0, 1.0], [1, 1]).unwrap()).iter().all(|&side| side == 0));
/// ```
pub fn outer_sides(mesh: &TriangleMesh) -> Vec<i8> {
    let edges = Edges::of(mesh);
    let shells = shells(mesh, &edges);
    let count = shells.iter().max().map_or(0, |&last| last as usize + 1);
    let mut has_outside = closed(&shells, count, &edges);
    for edge in edges.iter() {
        for (i, &a) in edge.halves.iter().enumerate() {
            let shell = shells[a as usize / 3];
            let mut others = edge.halves[..i].iter().filter(|&&b| shells[b as usize / 3] == shell);
            has_outside[shell as usize] &= others.all(|&b| !against(mesh, [a, b]));
        }
    }
    let volume = volumes(mesh, &shells, count, |_| 1.0);
    let side = |&shell: &u32| match shell as usize {
        shell if !has_outside[shell] => 0,
        shell if volume[shell] < 0.0 => -1,
        _ => 1,
    };
    shells.iter().map(side).collect()
}

/// The volume of each shell, with a sign for each triangle.
fn volumes(mesh: &TriangleMesh, shells: &[u32], count: usize, sign: impl Fn(usize) -> f64) -> Vec<f64> {
    let mut volume = vec![0.0; count];
    let mut apex = vec![None; count];
    for (t, &shell) in shells.iter().enumerate() {
        // The apex is a vertex of the shell itself: a small shell far from the origin loses no
        // digits.
        let apex = *apex[shell as usize].get_or_insert(mesh.corners(t)[0]);
        volume[shell as usize] += sign(t) * mesh.tetrahedron(t, apex);
    }
    volume
}

/// The shell of each triangle: those that are connected over edges of two.
pub(super) fn shells(mesh: &TriangleMesh, edges: &Edges) -> Vec<u32> {
    let mut parts = DisjointSets::new(mesh.triangles.len());
    for [a, b] in edges.pairs() {
        parts.join(a as usize / 3, b as usize / 3);
    }
    parts.numbers()
}

/// A shell is closed if it contains each of its edges exactly twice, regardless of other shells on
/// the same edge.
fn closed(shells: &[u32], count: usize, edges: &Edges) -> Vec<bool> {
    let mut closed = vec![true; count];
    for edge in edges.iter().filter(|edge| edge.halves.len() != 2) {
        let of = |half: u32| shells[half as usize / 3];
        for &half in edge.halves {
            let uses = edge.halves.iter().filter(|&&other| of(other) == of(half)).count();
            closed[of(half) as usize] &= uses == 2;
        }
    }
    closed
}

/// Whether two triangles are wound against each other: they go along their edge in the same direction.
fn against(mesh: &TriangleMesh, [a, b]: [u32; 2]) -> bool {
    ends(mesh, a) == ends(mesh, b)
}

fn differ(flip: &[bool], [a, b]: [u32; 2]) -> bool {
    flip[a as usize / 3] != flip[b as usize / 3]
}

/// Which triangles to flip so that the winding is consistent within each shell, following its first triangle.
fn sides(mesh: &TriangleMesh, edges: &Edges) -> Vec<bool> {
    let mut neighbors = vec![None; 3 * mesh.triangles.len()];
    for pair @ [a, b] in edges.pairs() {
        let against = against(mesh, pair);
        neighbors[a as usize] = Some((b as usize / 3, against));
        neighbors[b as usize] = Some((a as usize / 3, against));
    }
    let mut flip = vec![None; mesh.triangles.len()];
    // An explicit stack: recursion would be as deep as a shell has triangles.
    let mut waiting = Vec::new();
    for first in 0..mesh.triangles.len() {
        if flip[first].is_some() {
            continue;
        }
        flip[first] = Some(false);
        waiting.push((first, false));
        while let Some((t, flipped)) = waiting.pop() {
            for &(other, against) in neighbors[3 * t..3 * t + 3].iter().flatten() {
                if flip[other].is_none() {
                    flip[other] = Some(flipped != against);
                    waiting.push((other, flipped != against));
                }
            }
        }
    }
    flip.into_iter().map(|side| side == Some(true)).collect()
}
