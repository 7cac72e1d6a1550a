//! The partition and what a domain decomposition asks of it.

use super::graph::Graph;

/// Vertices of a graph divided into parts.
#[derive(Debug, Clone, PartialEq)]
pub struct Parts {
    /// The part of each vertex.
    pub part_of: Vec<u32>,
    /// The weight of each part.
    pub weights: Vec<u64>,
    /// The weight of the heaviest part over the mean.
    pub imbalance: f64,
    /// Edges between different parts.
    pub cut: usize,
}

impl Parts {
    /// Measures a division of the graph into this many parts, wherever it comes from; every entry of `part_of` must be
    /// below `parts`.
    pub(super) fn measure(graph: &Graph, part_of: Vec<u32>, parts: usize) -> Self {
        let mut weights = vec![0; parts];
        for (&part, &weight) in part_of.iter().zip(&graph.weights) {
            weights[part as usize] += u64::from(weight);
        }
        let total: u64 = weights.iter().sum();
        let heaviest = weights.iter().copied().max().unwrap_or(0);
        let imbalance = heaviest as f64 * parts as f64 / total as f64;
        let cut = cut_pairs(graph, &part_of).count();
        Self { part_of, weights, imbalance, cut }
    }

    /// The number of parts.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Whether there are no parts.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// The vertices of each part, in ascending order.
    pub fn members(&self) -> Vec<Vec<u32>> {
        let mut members = vec![Vec::new(); self.len()];
        for (v, &part) in (0_u32..).zip(&self.part_of) {
            members[part as usize].push(v);
        }
        members
    }

    /// The edges between different parts, each once with its lower vertex first, in ascending order of that vertex.
    pub fn cut_edges(&self, graph: &Graph) -> Vec<[u32; 2]> {
        cut_pairs(graph, &self.part_of).collect()
    }

    /// Pairs of parts with an edge between them, lower part first, in ascending order, with the number of these edges.
    pub fn interfaces(&self, graph: &Graph) -> Vec<([u32; 2], usize)> {
        let parts = |[a, b]: [u32; 2]| {
            let [a, b] = [a, b].map(|v| self.part_of[v as usize]);
            [a.min(b), a.max(b)]
        };
        let mut pairs: Vec<[u32; 2]> = cut_pairs(graph, &self.part_of).map(parts).collect();
        pairs.sort_unstable();
        pairs.chunk_by(|a, b| a == b).map(|same| (same[0], same.len())).collect()
    }
}

fn cut_pairs<'a>(graph: &'a Graph, part_of: &'a [u32]) -> impl Iterator<Item = [u32; 2]> + 'a {
    (0..graph.len() as u32).flat_map(move |v| {
        let others = graph.neighbors_of(v as usize).iter().copied();
        let cut = others.filter(move |&o| v < o && part_of[v as usize] != part_of[o as usize]);
        cut.map(move |other| [v, other])
    })
}
