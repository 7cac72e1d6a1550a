//! Recursive bisection, which gives the first partition of the coarsest level.

use super::assignment::Assignment;
use super::coarsen::hierarchy;
use super::level::{Edge, Level, Rows};
use super::refine::{Effort, refine};
use super::repeatable::{CHUNK, hash};
use rayon::prelude::*;
use std::collections::BinaryHeap;

/// Vertices of the level on which a bisection starts.
const COARSEST: usize = 120;

/// Regions grown from different vertices, of which the best is kept.
const TRIES: u64 = 8;

/// The tolerance of one bisection. Deviations of nested bisections add up; the refinement of all parts removes them.
const TOLERANCE: f64 = 0.005;

/// The graphs are small: a search over the whole boundary finds what there is.
const EFFORT: Effort = Effort { passes: 6, patience: 60, local_patience: 0, local_boundary: 0 };

/// Assigns the vertices to this many parts.
pub(super) fn recursive_bisection(level: &Level, parts: usize, seed: u64) -> Vec<u32> {
    let mut part = vec![0; level.len()];
    if parts < 2 || level.len() < 2 {
        return part;
    }
    // Odd numbers of parts divide unevenly, and the fraction of the weight with them.
    let first = parts / 2;
    let side = bisect(level, first as f64 / parts as f64, seed);
    let [low, high] = [0, 1].map(|which| subgraph(level, &side, which));
    // Each branch has its own seed: results do not depend on which thread runs it.
    let seeds = [1, 2].map(|which| hash(seed ^ which));
    let (low_parts, high_parts) = rayon::join(
        || recursive_bisection(&low.1, first, seeds[0]),
        || recursive_bisection(&high.1, parts - first, seeds[1]),
    );
    for (&v, below) in low.0.iter().zip(low_parts) {
        part[v as usize] = below;
    }
    for (&v, below) in high.0.iter().zip(high_parts) {
        part[v as usize] = first as u32 + below;
    }
    part
}

/// The side, 0 or 1, of each vertex; side 0 gets this fraction of the weight.
fn bisect(level: &Level, fraction: f64, seed: u64) -> Vec<u32> {
    let coarse = hierarchy(level, COARSEST, seed);
    let coarsest = coarse.last().map_or(level, |coarse| &coarse.level);
    let tries = (0..TRIES).into_par_iter().map(|attempt| {
        let seed = hash(seed ^ attempt << 32);
        let mut now = Assignment::new(coarsest, grow(coarsest, fraction, seed), limits(coarsest, fraction));
        refine(coarsest, &mut now, EFFORT, seed);
        (now.total_overload, coarsest.cut(&now.part), attempt, now.part)
    });
    // The number of the attempt breaks ties, so that the winner does not depend on the order of the threads.
    let best = tries.min_by_key(|&(overload, cut, attempt, _)| (overload, cut, attempt));
    let mut side = best.map(|best| best.3).unwrap_or_default();
    // Uncoarsening: each level inherits the sides of its parents and refines the boundary, where a vertex now
    // stands for fewer tetrahedra.
    for finer in (0..coarse.len()).rev() {
        let fine = if finer == 0 { level } else { &coarse[finer - 1].level };
        side = coarse[finer].parent.iter().map(|&parent| side[parent as usize]).collect();
        let mut now = Assignment::new(fine, side, limits(fine, fraction));
        refine(fine, &mut now, EFFORT, seed);
        side = now.part;
    }
    side
}

/// How heavy the sides may become. A coarse vertex cannot be divided: half of the heaviest is allowed.
fn limits(level: &Level, fraction: f64) -> Vec<u64> {
    let (total, half) = (level.total() as f64, level.heaviest() as f64 / 2.0);
    [fraction, 1.0 - fraction]
        .map(|of| (of * total + half.max(TOLERANCE * of * total)).ceil() as u64)
        .to_vec()
}

/// Grows a region from a random vertex, by the vertex that increases the cut least, until it has the weight of side 0
/// (greedy graph growing, Karypis and Kumar 1998).
fn grow(level: &Level, fraction: f64, seed: u64) -> Vec<u32> {
    let mut side = vec![1; level.len()];
    let aim = (fraction * level.total() as f64) as u64;
    let gain_of = |side: &[u32], v: u32| {
        // Edges into the region stop being cut, edges out of it begin to be.
        let signed = |edge: &Edge| i64::from(edge.weight) * (1 - 2 * i64::from(side[edge.to as usize]));
        level.edges_of(v).iter().map(signed).sum::<i64>()
    };
    // Where growth starts, and starts again when a component is full.
    let mut starts: Vec<u32> = (0..level.len() as u32).collect();
    starts.sort_unstable_by_key(|&v| hash(seed ^ u64::from(v)));
    let mut starts = starts.into_iter();
    let mut queue: BinaryHeap<(i64, u32)> = BinaryHeap::new();
    let mut weight = 0;
    while weight < aim {
        let Some(v) = queue.pop().map(|(_, v)| v).or_else(|| starts.next()) else { break };
        if side[v as usize] == 0 {
            continue;
        }
        // Half of a vertex above the aim is as good as half below it.
        if weight + level.weight(v) / 2 > aim {
            continue;
        }
        side[v as usize] = 0;
        weight += level.weight(v);
        for edge in level.edges_of(v) {
            if side[edge.to as usize] == 1 {
                // Older entries of the same vertex stay in the queue: they are skipped once it has joined.
                queue.push((gain_of(&side, edge.to), edge.to));
            }
        }
    }
    side
}

/// The vertices of one side, and the graph of the edges between them.
fn subgraph(level: &Level, side: &[u32], which: u32) -> (Vec<u32>, Level) {
    let vertices: Vec<u32> = (0..level.len() as u32).filter(|&v| side[v as usize] == which).collect();
    let mut number = vec![0; level.len()];
    for (i, &v) in (0_u32..).zip(&vertices) {
        number[v as usize] = i;
    }
    let rows = |chunk: &[u32]| {
        let mut rows = Rows::for_vertices(chunk.len());
        for &v in chunk {
            let before = rows.edges.len();
            // Cut edges are left out: no later bisection can change them.
            let inner = level.edges_of(v).iter().filter(|edge| side[edge.to as usize] == which);
            rows.edges.extend(inner.map(|edge| Edge { to: number[edge.to as usize], ..*edge }));
            rows.degrees.push((rows.edges.len() - before) as u32);
            rows.weights.push(level.weight(v));
        }
        rows
    };
    let rows: Vec<Rows> = vertices.par_chunks(CHUNK).map(rows).collect();
    let graph = Level::assemble(&rows);
    (vertices, graph)
}
