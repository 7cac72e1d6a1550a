//! Tables of all elements: operators and geometry in working precision, lane by lane.

use crate::plan::{Face, LANES, Plan};
use crate::problem::Flux;
use phasefront_core::simd::SimdReal;
use rayon::prelude::*;

/// Operators and geometry.
pub struct Tables<T> {
    /// Nodes of an element.
    pub nodes: usize,
    /// Nodes of a face.
    pub face_len: usize,
    /// Whether the flux is central: four scalars per node of a face instead of two.
    pub central: bool,
    /// Scalars per node of a face.
    pub traces: usize,
    /// [row][column][3]: the three derivatives side by side.
    pub derivative: Vec<T>,
    /// [row][face][node of the face].
    pub lift: Vec<T>,
    /// Nodes of each face.
    pub face_nodes: [Vec<usize>; 4],
    /// Offsets of the permuted face nodes in a neighbor's trace, for each orientation.
    pub permutations: [Vec<usize>; 3],
    /// [block][SHAPE][lane].
    pub shapes: Vec<T>,
    /// [block][face][FACE][lane].
    pub faces: Vec<T>,
    /// [block][face][lane]: start of the neighbor's trace.
    pub neighbors: Vec<u32>,
    /// [block][face][lane]: orientation of the neighbor's face.
    pub orientations: Vec<u8>,
}

impl<T: SimdReal> Tables<T> {
    pub fn new(plan: &Plan) -> Self {
        let element = &plan.element;
        let (nodes, face_len, traces) = (element.len(), element.face_len(), plan.traces());
        let real = |x: f64| T::from_f64(x);
        // A row of a curl reads the three derivatives of a column together.
        let derivative = (0..nodes)
            .flat_map(|i| (0..nodes).flat_map(move |j| (0..3).map(move |a| (i, j, a))))
            .map(|(i, j, a)| real(element.derivative[a].row(i)[j]))
            .collect();
        // Traces are [block][face][node][scalar][lane]; permutations hold the offsets of nodes in
        // them.
        let trace_start = |neighbor: u32| {
            let (slot, face) = (neighbor as usize / 4, neighbor as usize % 4);
            ((slot / LANES * 4 + face) * face_len * traces * LANES + slot % LANES) as u32
        };
        Self {
            nodes,
            face_len,
            central: plan.flux == Flux::Central,
            traces,
            derivative,
            lift: element.lift.values.iter().map(|x| real(*x)).collect(),
            face_nodes: std::array::from_fn(|f| {
                element.face_nodes[f].iter().map(|n| usize::from(*n)).collect()
            }),
            permutations: std::array::from_fn(|orientation| {
                element
                    .face_permutation(orientation as u8)
                    .iter()
                    .map(|n| usize::from(*n) * traces * LANES)
                    .collect()
            }),
            shapes: plan.shape_table(LANES),
            faces: plan.face_table(LANES),
            neighbors: by_face(plan, |face| trace_start(face.neighbor)),
            orientations: by_face(plan, |face| face.orientation),
        }
    }

    /// Values of the fields of a block.
    pub fn block_len(&self) -> usize {
        6 * self.nodes * LANES
    }

    /// Values of the traces of a block.
    pub fn trace_len(&self) -> usize {
        4 * self.face_len * self.traces * LANES
    }
}

/// A number of every face: [block][face][lane].
fn by_face<T: Copy + Send>(plan: &Plan, of: impl Fn(&Face) -> T + Sync) -> Vec<T> {
    let of_block = |faces: &[[Face; 4]]| -> [[T; LANES]; 4] {
        std::array::from_fn(|face| std::array::from_fn(|lane| of(&faces[lane][face])))
    };
    let blocks: Vec<[[T; LANES]; 4]> = plan.faces.par_chunks_exact(LANES).map(of_block).collect();
    blocks.into_flattened().into_flattened()
}
