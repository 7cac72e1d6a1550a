//! Which vertices become one vertex of the next coarser level.

use super::level::Level;
use super::repeatable::{CHUNK, hash};
use rayon::prelude::*;
use std::cmp::Reverse;

/// No partner.
pub(super) const ALONE: u32 = u32::MAX;

/// Rounds of proposals. After eight, fewer than one edge in a thousand has two free ends.
const ROUNDS: usize = 8;

/// Above this fraction of vertices without partner, vertices that share a neighbor are paired as well.
const STALLED: f64 = 0.3;

/// The partner of each vertex: a maximal matching that prefers heavy edges.
///
/// Heavy-edge matching (G. Karypis and V. Kumar, SIAM J. Sci. Comput. 20, 359, 1998) in the order of locally dominant
/// edges (R. Preis, STACS 1999): two vertices are matched if each is the other's first choice among free neighbors. The
/// choices of a round depend on the state before it only, so that all threads work and their number does not matter.
/// Pairs heavier than `max_weight` are not formed.
pub(super) fn matching(level: &Level, max_weight: u64, seed: u64) -> Vec<u32> {
    let mut partner = vec![ALONE; level.len()];
    for _ in 0..ROUNDS {
        // First all choices, then all matches: no thread writes what another one reads in the same pass.
        let choice: Vec<u32> = (0..level.len() as u32)
            .into_par_iter()
            .with_min_len(CHUNK)
            .map(|v| {
                if partner[v as usize] == ALONE {
                    choose(level, &partner, v, max_weight, seed)
                } else {
                    ALONE
                }
            })
            .collect();
        let matched: usize = partner
            .par_chunks_mut(CHUNK)
            .enumerate()
            .map(|(chunk, partners)| {
                let first = chunk * CHUNK;
                let mut matched = 0;
                for (v, partner) in (first..).zip(partners) {
                    let chosen = choice[v];
                    // Mutual first choices. Both ends write their own entry, so that no lock is needed.
                    if chosen != ALONE && choice[chosen as usize] as usize == v {
                        *partner = chosen;
                        matched += 1;
                    }
                }
                matched
            })
            .sum();
        // What is left in the last rounds costs more than it gives.
        if matched < level.len() / 200 {
            break;
        }
    }
    pair_the_rest(level, &mut partner, max_weight);
    partner
}

/// The free neighbor along the first edge in the order of (weight, hash, ends), the same seen from both ends.
fn choose(level: &Level, partner: &[u32], v: u32, max_weight: u64, seed: u64) -> u32 {
    let weight = level.weight(v);
    let free = level
        .edges_of(v)
        .iter()
        .filter(|edge| partner[edge.to as usize] == ALONE && weight + level.weight(edge.to) <= max_weight);
    // Ends in ascending order: both vertices compute the same rank, and the heaviest edge around is mutual.
    let rank = |to: u32, edge_weight: u32| {
        let ends = u64::from(v.min(to)) << 32 | u64::from(v.max(to));
        (edge_weight, hash(ends ^ seed), ends)
    };
    free.max_by_key(|edge| rank(edge.to, edge.weight)).map_or(ALONE, |edge| edge.to)
}

/// Pairs vertices that found no partner: those without neighbors always, those that share their heaviest neighbor if so
/// many are left that the levels would not shrink, as around the center of a star.
fn pair_the_rest(level: &Level, partner: &mut [u32], max_weight: u64) {
    let left: Vec<u32> = (0..level.len() as u32).filter(|&v| partner[v as usize] == ALONE).collect();
    let stalled = left.len() as f64 > STALLED * level.len() as f64;
    let anchor = |v: u32| {
        let heaviest = level.edges_of(v).iter().max_by_key(|edge| (edge.weight, Reverse(edge.to)));
        heaviest.map_or(ALONE, |edge| edge.to)
    };
    let mut anchored: Vec<(u32, u32)> =
        left.iter().map(|&v| (anchor(v), v)).filter(|&(anchor, _)| stalled || anchor == ALONE).collect();
    anchored.sort_unstable();
    for group in anchored.chunk_by(|a, b| a.0 == b.0) {
        for pair in group.chunks_exact(2) {
            let (a, b) = (pair[0].1, pair[1].1);
            if level.weight(a) + level.weight(b) <= max_weight {
                (partner[a as usize], partner[b as usize]) = (b, a);
            }
        }
    }
}
