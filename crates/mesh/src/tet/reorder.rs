//! Reordering of tetrahedra so that neighbors are close in memory.

use super::mesh::TetMesh;
use crate::triangle::vec3::{Vec3, add, times};
use rayon::prelude::*;

/// Bits per coordinate: three coordinates of 21 bits fit a 64-bit key.
const BITS: u32 = 21;

impl TetMesh {
    /// The same mesh with its tetrahedra ordered along a Hilbert curve through their centroids.
    ///
    /// ```
    /// use phasefront_mesh::BoxMesh;
    ///
    /// let mesh = BoxMesh { cell: [1.0 / 16.0; 3], ..BoxMesh::default() }.mesh().unwrap();
    /// // Neighbors among the same 384 tetrahedra.
    /// let near = |mesh: &phasefront_mesh::TetMesh| {
    ///     let neighbors = mesh.faces().unwrap().neighbors;
    ///     let all = neighbors.iter().zip(0_u32..).flat_map(|(of, t)| of.iter().flatten().map(move |n| (t, n.tet)));
    ///     all.filter(|(t, other)| t / 384 == other / 384).count()
    /// };
    /// assert!(near(&mesh.reordered()) > near(&mesh));
    /// ```
    #[must_use]
    pub fn reordered(&self) -> Self {
        let centroids: Vec<Vec3> = self
            .tets
            .par_iter()
            .map(|tet| times(0.25, tet.iter().map(|&i| self.nodes[i as usize]).fold([0.0; 3], add)))
            .collect();
        let lower = |a: Vec3, b: Vec3| [0, 1, 2].map(|k| a[k].min(b[k]));
        let low = centroids.par_iter().copied().reduce(|| [f64::INFINITY; 3], lower);
        let longest = |c: &Vec3| [0, 1, 2].map(|k| c[k] - low[k]).into_iter().fold(0.0, f64::max);
        let extent = centroids.par_iter().map(longest).reduce(|| 0.0, f64::max);
        // One scale for all axes: the curve is local only in cubes. MIN_POSITIVE guards a single
        // element.
        let scale = f64::from((1_u32 << BITS) - 1) / extent.max(f64::MIN_POSITIVE);
        let mut order: Vec<(u64, usize)> = centroids
            .into_par_iter()
            .enumerate()
            .map(|(tet, c)| (hilbert([0, 1, 2].map(|k| (scale * (c[k] - low[k])) as u32)), tet))
            .collect();
        // No two are equal: the order is the same for any number of threads.
        order.par_sort_unstable();
        Self {
            nodes: self.nodes.clone(),
            tets: in_order(&self.tets, &order),
            middles: if self.middles.is_empty() { Vec::new() } else { in_order(&self.middles, &order) },
            volume_of: in_order(&self.volume_of, &order),
            volume_names: self.volume_names.clone(),
            triangles: self.triangles.clone(),
            triangle_middles: self.triangle_middles.clone(),
            surface_of: self.surface_of.clone(),
            surface_names: self.surface_names.clone(),
        }
    }
}

/// Values of the tetrahedra, in the order of the keys.
fn in_order<T: Copy + Send + Sync>(values: &[T], order: &[(u64, usize)]) -> Vec<T> {
    order.par_iter().map(|&(_, tet)| values[tet]).collect()
}

/// The position of a cell along the Hilbert curve, on a grid of 2²¹ cells per side.
///
/// J. Skilling, "Programming the Hilbert curve", AIP Conf. Proc. 707, 381 (2004): from the largest
/// cubes to the smallest, the remaining bits of the coordinates are reflected or exchanged
/// according to the orientation of the curve; the result is a Gray code.
fn hilbert(mut x: [u32; 3]) -> u64 {
    for bit in (1..BITS).rev() {
        let (q, lower) = (1 << bit, (1 << bit) - 1);
        for k in 0..3 {
            if x[k] & q != 0 {
                x[0] ^= lower;
            } else {
                let exchanged = (x[0] ^ x[k]) & lower;
                x[0] ^= exchanged;
                x[k] ^= exchanged;
            }
        }
    }
    x[1] ^= x[0];
    x[2] ^= x[1];
    // Gray decoding across the bits: each set bit of the last coordinate inverts all lower bits.
    let turned =
        (1..BITS).filter(|bit| x[2] >> bit & 1 == 1).fold(0, |turned, bit| turned ^ ((1 << bit) - 1));
    let x = x.map(|x| x ^ turned);
    (0..BITS).rev().fold(0, |d, bit| x.iter().fold(d, |d, x| d << 1 | u64::from(x >> bit & 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_goes_from_cell_to_neighboring_cell() {
        // The first 8³ cells of the curve fill a cube, in whichever order of axes.
        let side = 8_u32;
        let cells = (0..side).flat_map(|i| (0..side).flat_map(move |j| (0..side).map(move |k| [i, j, k])));
        let mut along: Vec<(u64, [u32; 3])> = cells.map(|cell| (hilbert(cell), cell)).collect();
        along.sort_unstable();
        assert!(along.iter().map(|&(d, _)| d).eq(0..512));
        for pair in along.windows(2) {
            let steps: u32 = (0..3).map(|k| pair[0].1[k].abs_diff(pair[1].1[k])).sum();
            assert_eq!(steps, 1);
        }
    }
}
