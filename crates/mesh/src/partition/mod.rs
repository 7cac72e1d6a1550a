//! Partition of a graph into parts of equal weight with few edges between them.
//!
//! A multilevel k-way scheme (G. Karypis and V. Kumar, "Multilevel k-way partitioning scheme for irregular graphs", J.
//! Parallel Distrib. Comput. 48, 96, 1998). Neighbors are merged along heavy edges until the graph is small
//! (`matching`, `coarsen`); the small graph is divided by recursive bisection (`bisect`); and on the way back to the full
//! graph, each level is balanced and its cut decreased by moves of vertices at the boundary (`refine`, `search`).
//!
//! Written for graphs of small degree, such as the dual graphs of meshes: a vertex with d neighbors costs d² operations.
//!
//! The result is a function of graph, number of parts and seed; the number of threads does not matter.

mod assignment;
mod bisect;
mod coarsen;
mod graph;
mod level;
mod matching;
mod parts;
mod refine;
mod repair;
mod repeatable;
mod search;
#[cfg(test)]
mod tests;

pub use graph::{Graph, integer_weights};
pub use parts::Parts;

use crate::error::MeshError;
use assignment::Assignment;
use level::Level;
use rayon::prelude::*;
use refine::{Effort, refine};
use repeatable::{CHUNK, hash};

/// The weight of the heaviest part over the mean is at most this, if vertices are light enough.
pub const MAX_IMBALANCE: f64 = 1.02;

/// Vertices of the coarsest level for each part, and at least. Fewer, and parts cannot be balanced there; more, and their
/// shapes are not optimized as a whole.
const COARSEST_PER_PART: usize = 50;
const COARSEST: usize = 2000;

/// First partitions of the coarsest level, of which the best is kept: they cost little and decide most.
const TRIES: u64 = 4;

const EFFORT: Effort = Effort { passes: 4, patience: 100, local_patience: 12, local_boundary: 50_000 };

/// Divides a graph into parts of nearly equal weight with few edges between them.
///
/// No part is empty. The heaviest part weighs at most [`MAX_IMBALANCE`] times the mean, or as much as the mean and the
/// heaviest vertex together if that is more.
///
/// ```
/// use phasefront_mesh::BoxMesh;
/// use phasefront_mesh::partition::{Graph, partition};
///
/// let mesh = BoxMesh { cell: [0.1; 3], ..BoxMesh::default() }.mesh().unwrap();
/// let graph = Graph::dual(&mesh.faces().unwrap(), vec![1; mesh.tets.len()], &[]).unwrap();
/// let halves = partition(&graph, 2, 1).unwrap();
/// assert!(halves.imbalance <= 1.02);
/// // A plane between layers of cells cuts 2 × 10 × 10 faces.
/// assert!(halves.cut <= 240);
/// ```
pub fn partition(graph: &Graph, parts: usize, seed: u64) -> Result<Parts, MeshError> {
    graph.check()?;
    if parts == 0 || parts > graph.len() {
        return Err(MeshError::Parts { parts, vertices: graph.len() });
    }
    let finest = Level::finest(graph);
    let part = if parts == 1 { vec![0; graph.len()] } else { multilevel(&finest, parts, seed) };
    Ok(Parts::measure(graph, part, parts))
}

fn multilevel(finest: &Level, parts: usize, seed: u64) -> Vec<u32> {
    let seed = hash(seed);
    let coarse = coarsen::hierarchy(finest, COARSEST.max(COARSEST_PER_PART * parts), seed);
    let mut part = first_partition(coarse.last().map_or(finest, |coarse| &coarse.level), parts, seed);
    for number in (0..coarse.len()).rev() {
        let level = if number == 0 { finest } else { &coarse[number - 1].level };
        part = coarse[number].parent.par_iter().with_min_len(CHUNK).map(|&v| part[v as usize]).collect();
        let mut now = Assignment::new(level, part, limits(level, parts));
        refine(level, &mut now, EFFORT, hash(seed ^ number as u64));
        part = now.part;
    }
    let mut now = Assignment::new(finest, part, limits(finest, parts));
    repair::fill_empty(finest, &mut now);
    repair::unload(finest, &mut now);
    now.part
}

/// The best of several partitions of the coarsest level.
fn first_partition(level: &Level, parts: usize, seed: u64) -> Vec<u32> {
    let tries = (0..TRIES).into_par_iter().map(|attempt| {
        let seed = hash(seed ^ attempt);
        let part = bisect::recursive_bisection(level, parts, seed);
        let mut now = Assignment::new(level, part, limits(level, parts));
        refine(level, &mut now, EFFORT, seed);
        (now.total_overload, level.cut(&now.part), attempt, now.part)
    });
    let best = tries.min_by_key(|&(overload, cut, attempt, _)| (overload, cut, attempt));
    best.map_or_else(Vec::new, |best| best.3)
}

/// How heavy each part may become.
fn limits(level: &Level, parts: usize) -> Vec<u64> {
    let mean = level.total() as f64 / parts as f64;
    vec![(MAX_IMBALANCE * mean).max(mean.ceil()) as u64; parts]
}
