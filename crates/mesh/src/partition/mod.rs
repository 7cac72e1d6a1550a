//! Partition of a graph into parts of equal weight with few edges between them.
//!
//! A multilevel k-way scheme (G. Karypis and V. Kumar, "Multilevel k-way partitioning scheme for irregular graphs", J.
//! Parallel Distrib. Comput. 48, 96, 1998). Neighbors are merged along heavy edges until the graph is small
//! (`matching`, `coarsen`); the small graph is divided by recursive bisection (`bisect`); and on the way back to the full
//! graph, each level is balanced and its cut decreased by moves of vertices at the boundary (`refine`, `search`).
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
mod search;

pub use graph::{Graph, integer_weights};
pub use parts::Parts;

use crate::error::MeshError;
use assignment::Assignment;
use level::{CHUNK, Level, hash};
use rayon::prelude::*;
use refine::{Effort, refine};

/// The weight of the heaviest part over the mean is at most this, if vertices are light enough.
pub const MAX_IMBALANCE: f64 = 1.02;

/// Vertices of the coarsest level for each part.
const COARSEST_PER_PART: usize = 50;

/// Vertices of the coarsest level, at least.
const COARSEST: usize = 2000;

/// Levels with fewer vertices are searched more thoroughly: they cost little and decide most.
const SMALL: usize = 100_000;

/// Divides a graph into parts of nearly equal weight with few edges between them.
///
/// No part is empty. The heaviest part weighs at most [`MAX_IMBALANCE`] times the mean, or the mean and the heaviest vertex if that is more.
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
    let coarsest = coarse.last().map_or(finest, |coarse| &coarse.level);
    let mut part = bisect::recursive_bisection(coarsest, parts, seed);
    for number in (0..=coarse.len()).rev() {
        let level = if number == 0 { finest } else { &coarse[number - 1].level };
        if let Some(coarser) = coarse.get(number) {
            part = coarser.parent.par_iter().with_min_len(CHUNK).map(|&v| part[v as usize]).collect();
        }
        let mut now = Assignment::new(level, part, limits(level, parts));
        if number == 0 {
            repair::fill_empty(level, &mut now);
        }
        refine(level, &mut now, effort(level), hash(seed ^ number as u64));
        if number == 0 {
            repair::unload(level, &mut now);
        }
        part = now.part;
    }
    part
}

/// How heavy each part may become. Coarse vertices cannot be divided: one of them above the mean is allowed.
fn limits(level: &Level, parts: usize) -> Vec<u64> {
    let mean = level.total() as f64 / parts as f64;
    let limit = (MAX_IMBALANCE * mean).floor().max(mean.ceil());
    vec![limit as u64; parts]
}

fn effort(level: &Level) -> Effort {
    if level.len() < SMALL {
        Effort { passes: 6, patience: 100, local_patience: 15 }
    } else {
        Effort { passes: 3, patience: 100, local_patience: 0 }
    }
}
