//! From a graph to a hierarchy of smaller graphs of the same shape.

use super::level::{Edge, Level, Rows};
use super::matching::{ALONE, matching};
use super::repeatable::CHUNK;
use rayon::prelude::*;

/// A level that keeps more than this fraction of the vertices is not worth its memory: coarsening ends.
const SHRINKS: f64 = 0.95;

/// A vertex of the coarsest level weighs at most this many times the average, so that parts can be balanced there.
const HEAVY: f64 = 2.0;

/// A level with the way back to the one below it.
pub(super) struct Coarse {
    pub level: Level,
    /// The coarse vertex of each vertex of the finer level.
    pub parent: Vec<u32>,
}

/// Coarser and coarser levels, until one has at most `target` vertices.
pub(super) fn hierarchy(finest: &Level, target: usize, seed: u64) -> Vec<Coarse> {
    let max_weight = (HEAVY * finest.total() as f64 / target as f64) as u64;
    let mut coarse: Vec<Coarse> = Vec::new();
    loop {
        let finer = coarse.last().map_or(finest, |coarse| &coarse.level);
        if finer.len() <= target {
            break;
        }
        // Another seed on every level, so that ties are not broken in the same direction again.
        let next = contract(finer, &matching(finer, max_weight, seed.wrapping_add(coarse.len() as u64)));
        // Stars do not match: one center has many leaves, and further levels would hardly shrink.
        if next.level.len() as f64 > SHRINKS * finer.len() as f64 {
            break;
        }
        coarse.push(next);
    }
    coarse
}

/// The level in which partners are one vertex. Its vertices keep the order of their first members, so that what was close
/// in memory stays close.
fn contract(fine: &Level, partner: &[u32]) -> Coarse {
    let mut parent = vec![0; fine.len()];
    let mut members = Vec::with_capacity(fine.len());
    for (v, &other) in (0_u32..).zip(partner) {
        // The member with the lower number makes the vertex, the other one finds it there.
        if other == ALONE || v < other {
            parent[v as usize] = members.len() as u32;
            members.push((v, other));
        } else {
            parent[v as usize] = parent[other as usize];
        }
    }
    let rows: Vec<Rows> = members.par_chunks(CHUNK).map(|chunk| merge(fine, &parent, chunk)).collect();
    Coarse { level: Level::assemble(&rows), parent }
}

/// The rows of coarse vertices: edges to the same coarse vertex are merged, those inside are dropped.
fn merge(fine: &Level, parent: &[u32], members: &[(u32, u32)]) -> Rows {
    let mut rows = Rows::for_vertices(members.len());
    let mut row: Vec<Edge> = Vec::new();
    for &(a, b) in members {
        let mine = parent[a as usize];
        let both = [Some(a), (b != ALONE).then_some(b)];
        row.clear();
        for v in both.into_iter().flatten() {
            let edges = fine.edges_of(v).iter();
            let mapped = edges.map(|edge| Edge { to: parent[edge.to as usize], ..*edge });
            row.extend(mapped.filter(|edge| edge.to != mine));
        }
        // Rows are short: sorting them costs less than a table of marks.
        row.sort_unstable();
        let before = rows.edges.len();
        for same in row.chunk_by(|a, b| a.to == b.to) {
            // The cut of the coarse graph is that of the fine one: weights of merged edges add.
            rows.edges.push(Edge { to: same[0].to, weight: same.iter().map(|edge| edge.weight).sum() });
        }
        rows.degrees.push((rows.edges.len() - before) as u32);
        rows.weights.push(both.into_iter().flatten().map(|v| fine.weight(v)).sum());
    }
    rows
}
