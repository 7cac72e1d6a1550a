//! One level of the multilevel hierarchy: a graph with weights on vertices and edges.

use super::graph::Graph;
use super::repeatable::CHUNK;
use rayon::prelude::*;

/// One direction of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Edge {
    pub to: u32,
    /// How many edges of the finest graph it stands for.
    pub weight: u32,
}

/// A weighted graph in compressed rows, symmetric and without loops.
#[derive(Debug, Clone, Default)]
pub(super) struct Level {
    /// The edges of vertex v are those from `offsets[v]` to `offsets[v + 1]`.
    pub offsets: Vec<u32>,
    pub edges: Vec<Edge>,
    pub weights: Vec<u64>,
}

/// Rows of consecutive vertices of a level, built by one task.
pub(super) struct Rows {
    pub degrees: Vec<u32>,
    pub edges: Vec<Edge>,
    pub weights: Vec<u64>,
}

impl Rows {
    /// Room for rows of this many vertices, with as many edges as dual graphs of tetrahedra and their first coarse levels
    /// have.
    pub fn for_vertices(count: usize) -> Self {
        Self {
            degrees: Vec::with_capacity(count),
            edges: Vec::with_capacity(8 * count),
            weights: Vec::with_capacity(count),
        }
    }
}

impl Level {
    /// The finest level: the graph without its loops, each edge of weight one.
    pub fn finest(graph: &Graph) -> Self {
        let vertices: Vec<u32> = (0..graph.len() as u32).collect();
        // Chunks of a fixed size, whatever the number of threads: the rows are the same in every run.
        let rows = |chunk: &[u32]| {
            let mut rows = Rows::for_vertices(chunk.len());
            for &v in chunk {
                let others = graph.neighbors_of(v as usize).iter().filter(|&&other| other != v);
                let before = rows.edges.len();
                rows.edges.extend(others.map(|&to| Edge { to, weight: 1 }));
                rows.degrees.push((rows.edges.len() - before) as u32);
                rows.weights.push(u64::from(graph.weights[v as usize]));
            }
            rows
        };
        Self::assemble(&vertices.par_chunks(CHUNK).map(rows).collect::<Vec<_>>())
    }

    /// A level from its rows, in order.
    pub fn assemble(all: &[Rows]) -> Self {
        let vertices: usize = all.iter().map(|rows| rows.degrees.len()).sum();
        let mut level = Self {
            offsets: Vec::with_capacity(vertices + 1),
            edges: Vec::with_capacity(all.iter().map(|rows| rows.edges.len()).sum()),
            weights: Vec::with_capacity(vertices),
        };
        level.offsets.push(0);
        let mut end = 0;
        // Degrees become offsets by a running sum; copies are contiguous and bound by memory.
        for rows in all {
            level.offsets.extend(rows.degrees.iter().map(|degree| {
                end += degree;
                end
            }));
            level.edges.extend_from_slice(&rows.edges);
            level.weights.extend_from_slice(&rows.weights);
        }
        level
    }

    /// The number of vertices.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// The edges of a vertex.
    pub fn edges_of(&self, v: u32) -> &[Edge] {
        let v = v as usize;
        &self.edges[self.offsets[v] as usize..self.offsets[v + 1] as usize]
    }

    /// The weight of a vertex.
    pub fn weight(&self, v: u32) -> u64 {
        self.weights[v as usize]
    }

    /// The weight of all vertices.
    pub fn total(&self) -> u64 {
        self.weights.iter().sum()
    }

    /// The weight of the heaviest vertex.
    pub fn heaviest(&self) -> u64 {
        self.weights.iter().copied().max().unwrap_or(0)
    }

    /// Vertices with a neighbor in another part, in ascending order.
    pub fn boundary(&self, part: &[u32]) -> Vec<u32> {
        // Collected in the order of the range, whatever thread filters it: no sort is needed.
        let is_boundary = |v: &u32| {
            let mine = part[*v as usize];
            self.edges_of(*v).iter().any(|edge| part[edge.to as usize] != mine)
        };
        (0..self.len() as u32).into_par_iter().with_min_len(CHUNK).filter(is_boundary).collect()
    }

    /// The weight of the edges between parts.
    pub fn cut(&self, part: &[u32]) -> u64 {
        let cut_of = |v: u32| {
            let mine = part[v as usize];
            let cut = self.edges_of(v).iter().filter(|edge| part[edge.to as usize] != mine);
            cut.map(|edge| u64::from(edge.weight)).sum::<u64>()
        };
        // Integers: the sum does not depend on its order. Every edge is seen from both ends.
        (0..self.len() as u32).into_par_iter().with_min_len(CHUNK).map(cut_of).sum::<u64>() / 2
    }
}
