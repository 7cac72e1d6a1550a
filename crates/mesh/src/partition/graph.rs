//! The graph to be partitioned.

use super::repeatable::{CHUNK, hash};
use crate::error::MeshError;
use crate::tet::FaceTable;
use rayon::prelude::*;
use std::cmp::Ordering;

/// An undirected graph with vertex weights, in compressed rows.
///
/// ```
/// use phasefront_mesh::BoxMesh;
/// use phasefront_mesh::partition::Graph;
///
/// let mesh = BoxMesh { cell: [0.5; 3], ..BoxMesh::default() }.mesh().unwrap();
/// let graph = Graph::dual(&mesh.faces().unwrap(), vec![1; mesh.tets.len()], &[]).unwrap();
/// // 48 tetrahedra have 192 faces, 48 of which are on the boundary.
/// assert_eq!((graph.len(), graph.neighbors.len()), (48, 144));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    /// The neighbors of vertex v are those from `offsets[v]` to `offsets[v + 1]`; one more than there are vertices.
    pub offsets: Vec<u32>,
    /// Neighbors. Every edge is there from both ends; an edge that is there twice counts twice, loops do not count.
    pub neighbors: Vec<u32>,
    /// The cost of each vertex in any unit, at least one.
    pub weights: Vec<u32>,
}

impl Graph {
    /// The dual graph of a tetrahedral mesh: tetrahedra are vertices, faces between two tetrahedra are edges.
    ///
    /// `weights` has the cost of each tetrahedron, see [`integer_weights`]; `joins` has pairs of tetrahedra that exchange
    /// data without being neighbors in the table. Periodic sides that
    /// [`FaceTable::join_periodic`] has joined are neighbors already.
    pub fn dual(faces: &FaceTable, weights: Vec<u32>, joins: &[[u32; 2]]) -> Result<Self, MeshError> {
        let count = faces.neighbors.len();
        if weights.len() != count {
            return Err(MeshError::graph(
                format!("there are {} weights for {count} tetrahedra", weights.len()),
                "give one weight for each tetrahedron",
            ));
        }
        // Every edge from both ends, in the order of the rows, so that one pass appends each to its row.
        let mut joined: Vec<[u32; 2]> = joins.iter().flat_map(|&[a, b]| [[a, b], [b, a]]).collect();
        joined.sort_unstable();
        let mut joined = joined.into_iter().peekable();
        let mut graph = Self { offsets: Vec::new(), neighbors: Vec::new(), weights };
        MeshError::reserve(&mut graph.offsets, count + 1)?;
        MeshError::reserve(&mut graph.neighbors, 4 * count + joined.len())?;
        graph.offsets.push(0);
        for (tet, of) in (0_u32..).zip(&faces.neighbors) {
            // A face joined to another face of the same tetrahedron needs no exchange.
            let others = of.iter().flatten().map(|neighbor| neighbor.tet).filter(|&other| other != tet);
            graph.neighbors.extend(others);
            while let Some([_, other]) = joined.next_if(|pair| pair[0] == tet) {
                if other != tet {
                    graph.neighbors.push(other);
                }
            }
            graph.offsets.push(end_of(graph.neighbors.len())?);
        }
        if let Some([tet, _]) = joined.next() {
            return Err(MeshError::graph(
                format!("a join names tetrahedron {tet}, counted from 0, of {count}"),
                "give pairs of tetrahedra of this mesh",
            ));
        }
        graph.check()?;
        Ok(graph)
    }

    /// The number of vertices.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Whether there are no vertices.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// The neighbors of a vertex.
    pub fn neighbors_of(&self, v: usize) -> &[u32] {
        &self.neighbors[self.offsets[v] as usize..self.offsets[v + 1] as usize]
    }

    /// Whether the rows are well formed, the graph is undirected and weights are positive.
    pub fn check(&self) -> Result<(), MeshError> {
        let count = self.len();
        let ends = (self.offsets.first().copied(), self.offsets.last().map(|&end| end as usize));
        let rises = self.offsets.windows(2).all(|pair| pair[0] <= pair[1]);
        if self.offsets.len() != count + 1 || ends != (Some(0), Some(self.neighbors.len())) || !rises {
            return Err(MeshError::graph(
                format!(
                    "the offsets of a graph of {count} vertices and {} neighbors are not {} rising numbers from 0 to {}",
                    self.neighbors.len(),
                    count + 1,
                    self.neighbors.len()
                ),
                "give the compressed rows of one graph, and one weight for each vertex",
            ));
        }
        if let Some(&other) = self.neighbors.iter().find(|&&other| other as usize >= count) {
            return Err(MeshError::graph(
                format!("there is no vertex {other}, counted from 0, of {count}"),
                "neighbors are numbers of vertices",
            ));
        }
        if let Some(v) = self.weights.iter().position(|&weight| weight == 0) {
            return Err(MeshError::graph(
                format!("vertex {v} has weight zero"),
                "give every vertex a weight of at least one",
            ));
        }
        if !self.is_symmetric() {
            return Err(MeshError::graph(
                "the graph has an edge that only one of its ends names".to_owned(),
                "give every edge from both ends",
            ));
        }
        Ok(())
    }

    /// Whether every edge is there from both ends. Edges seen from the lower end and from the higher end are the same
    /// set if sums of their hashes agree: linear, and wrong once in 2⁶⁴.
    fn is_symmetric(&self) -> bool {
        let balance_of = |v: usize| {
            let mine = v as u32;
            let signed = |&other: &u32| {
                // The lower end first: both ends hash the same number, with opposite signs.
                let mixed = hash(u64::from(mine.min(other)) << 32 | u64::from(mine.max(other)));
                match mine.cmp(&other) {
                    Ordering::Less => mixed,
                    Ordering::Equal => 0,
                    Ordering::Greater => mixed.wrapping_neg(),
                }
            };
            self.neighbors_of(v).iter().map(signed).fold(0, u64::wrapping_add)
        };
        let vertices = (0..self.len()).into_par_iter().with_min_len(CHUNK);
        vertices.map(balance_of).reduce(|| 0, u64::wrapping_add) == 0
    }
}

/// The end of a row as an offset.
fn end_of(neighbors: usize) -> Result<u32, MeshError> {
    u32::try_from(neighbors).map_err(|_| {
        MeshError::graph(
            format!("the graph has more than {} neighbors", u32::MAX),
            "partition meshes of at most 1e9 tetrahedra",
        )
    })
}

/// Costs in any unit as weights: the lowest positive cost becomes 64, so that rounding errors stay below 1 %, unless the
/// highest would then exceed 2²⁴. Costs that are not positive numbers count as the lowest.
///
/// ```
/// use phasefront_mesh::partition::integer_weights;
///
/// // Plain elements, PML elements, curved elements.
/// assert_eq!(integer_weights(&[1.0, 1.3, 4.0]), [64, 83, 256]);
/// ```
pub fn integer_weights(costs: &[f64]) -> Vec<u32> {
    const LOWEST: f64 = 64.0;
    const HIGHEST: f64 = (1 << 24) as f64;
    let valid = || costs.iter().copied().filter(|&cost| cost > 0.0 && cost.is_finite());
    let (low, high) = (valid().fold(f64::INFINITY, f64::min), valid().fold(0.0, f64::max));
    // Integers keep sums of weights exact and independent of their order; 2²⁴ leaves room for 2⁴⁰ vertices in a u64.
    let scale = (LOWEST / low).min(HIGHEST / high);
    let weight = |&cost: &f64| {
        let scaled = if cost > 0.0 && cost.is_finite() { scale * cost } else { scale * low };
        // Without any valid cost, the scale is not a number: all weights are equal.
        if scaled.is_finite() { (scaled.round() as u32).max(1) } else { 1 }
    };
    costs.iter().map(weight).collect()
}
