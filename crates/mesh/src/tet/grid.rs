//! Planes along the axes, and the cells between them.

/// Planes closer than this, relative to the box, are one: 0.1 + 0.2 and 0.3 are.
pub(super) const SAME_PLANE: f64 = 1e-9;

/// The first and the last plane of something along each axis.
pub(super) type Spans = [[usize; 2]; 3];

/// The planes of a grid along each axis, in ascending order.
pub(super) struct Grid {
    pub planes: [Vec<f64>; 3],
}

/// Permutations of the axes and their parity: odd ones give tetrahedra of negative volume.
const PATHS: [([usize; 3], bool); 6] = [
    ([0, 1, 2], false),
    ([1, 2, 0], false),
    ([2, 0, 1], false),
    ([0, 2, 1], true),
    ([1, 0, 2], true),
    ([2, 1, 0], true),
];

impl Grid {
    /// How many cells there are along each axis.
    pub fn cells(&self) -> [usize; 3] {
        [0, 1, 2].map(|a| self.planes[a].len() - 1)
    }

    /// The indices of a cell along each axis; x varies fastest.
    pub fn cell(&self, number: usize) -> [usize; 3] {
        let [nx, ny, _] = self.cells();
        [number % nx, number / nx % ny, number / (nx * ny)]
    }

    /// The number of the next cell along an axis, up or down, if there is one.
    pub fn beside(&self, mut cell: [usize; 3], axis: usize, up: bool) -> Option<usize> {
        let [nx, ny, _] = self.cells();
        cell[axis] = if up { cell[axis] + 1 } else { cell[axis].checked_sub(1)? };
        (cell[axis] < self.cells()[axis]).then(|| cell[0] + nx * (cell[1] + ny * cell[2]))
    }

    /// Grid nodes, x varying fastest.
    pub fn nodes(&self) -> Vec<[f64; 3]> {
        let [x, y, z] = &self.planes;
        z.iter().flat_map(|&z| y.iter().flat_map(move |&y| x.iter().map(move |&x| [x, y, z]))).collect()
    }

    fn node(&self, [i, j, k]: [usize; 3]) -> u32 {
        (i + self.planes[0].len() * (j + self.planes[1].len() * k)) as u32
    }

    /// The planes from the lowest to the highest of three nodes.
    pub fn spans(&self, nodes: [u32; 3]) -> Spans {
        let [nx, ny, _] = [0, 1, 2].map(|a| self.planes[a].len());
        // Inverse of `node`: index triples, x fastest.
        let indices =
            nodes.map(|node| node as usize).map(|node| [node % nx, node / nx % ny, node / (nx * ny)]);
        [0, 1, 2].map(|a| {
            let [p, q, r] = indices.map(|index| index[a]);
            [p.min(q).min(r), p.max(q).max(r)]
        })
    }

    /// The planes at the ends of a part of the grid.
    pub fn range(&self, from: [f64; 3], to: [f64; 3]) -> Spans {
        [0, 1, 2].map(|a| [from[a], to[a]].map(|end| nearest(&self.planes[a], end)))
    }

    /// A cell in six tetrahedra: each goes from its lowest corner along the axes in one order to its highest.
    pub fn cut(&self, cell: [usize; 3]) -> [[u32; 4]; 6] {
        PATHS.map(|(path, odd)| {
            let mut at = cell;
            let mut corners = [self.node(at); 4];
            for (corner, axis) in corners[1..].iter_mut().zip(path) {
                at[axis] += 1;
                *corner = self.node(at);
            }
            // Exchanging two corners restores the positive determinant that `TetMesh` requires.
            if odd {
                corners.swap(1, 2);
            }
            corners
        })
    }
}

/// The position of the plane that is nearest.
fn nearest(planes: &[f64], x: f64) -> usize {
    let above = planes.partition_point(|&plane| plane < x).min(planes.len() - 1);
    if above > 0 && x - planes[above - 1] < planes[above] - x { above - 1 } else { above }
}

/// The ends of an interval and the values between them, sorted, without duplicates.
pub(super) fn stops([from, to]: [f64; 2], between: impl Iterator<Item = f64>) -> Vec<f64> {
    // Ends of regions computed from other numbers may differ by rounding: they share a plane.
    let near = SAME_PLANE * (to - from);
    let mut between: Vec<f64> = between.filter(|&x| x > from + near && x < to - near).collect();
    between.sort_unstable_by(f64::total_cmp);
    between.dedup_by(|x, last| *x - *last <= near);
    std::iter::once(from).chain(between).chain([to]).collect()
}
