//! Improvement of a partition of one level: first its balance, then its cut.

use super::assignment::Assignment;
use super::level::Level;
use super::repeatable::hash;
use super::search::{Connections, Search};
use std::collections::BinaryHeap;

/// How much work the improvement of a level is worth.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effort {
    pub passes: usize,
    /// Moves without improvement before a search over the whole boundary ends.
    pub patience: usize,
    /// The same for searches around single vertices.
    pub local_patience: usize,
    /// A boundary of more vertices is not searched around each of them: that takes most of the time and gains 3 %.
    pub local_boundary: usize,
}

/// A pass that improves the cut by less than this fraction is the last.
const WORTHWHILE: f64 = 2e-3;

/// Sweeps over the boundary in which local searches start. One after the other along the boundary, they would block each
/// other; in random order, they would miss the cache.
const SWEEPS: u64 = 16;

/// Balances the parts, then decreases the cut.
pub(super) fn refine(level: &Level, now: &mut Assignment, effort: Effort, seed: u64) {
    balance(level, now);
    let mut search = Search::new(level, now.limit.len(), seed);
    // Once; afterwards it follows from the gains of the moves.
    let mut cut = level.cut(&now.part) as i64;
    for _ in 0..effort.passes {
        search.start_pass();
        let mut starts = level.boundary(&now.part);
        let mut gain = search.run(now, &starts, effort.patience);
        if starts.len() <= effort.local_boundary {
            // Around one vertex after the other: a loss at one place is worth it only if it pays at the same place
            // (P. Sanders and C. Schulz, ESA 2011).
            starts.sort_by_cached_key(|&v| hash(seed ^ u64::from(v)) % SWEEPS);
            for &v in &starts {
                if !search.has_moved(v) {
                    gain += search.run(now, &[v], effort.local_patience);
                }
            }
        }
        cut -= gain;
        if gain as f64 <= WORTHWHILE * cut as f64 {
            break;
        }
    }
}

/// Moves vertices out of overloaded parts into parts of their neighbors, those first that cost the cut least.
pub(super) fn balance(level: &Level, now: &mut Assignment) {
    if now.total_overload == 0 {
        return;
    }
    let mut connections = Connections::new(now.limit.len());
    let mut queue = BinaryHeap::new();
    for v in level.boundary(&now.part) {
        if now.overload(now.of(v)) > 0
            && let Some(step) = connections.best(level, now, v)
        {
            queue.push((step.gain, v));
        }
    }
    while let Some((expected, v)) = queue.pop() {
        // Its part is light enough by now: further moves would only cost cut.
        if now.overload(now.of(v)) == 0 {
            continue;
        }
        let Some(step) = connections.best(level, now, v) else { continue };
        if step.gain < expected {
            queue.push((step.gain, v));
            continue;
        }
        now.shift(v, level.weight(v), step.to);
        // The vertex itself as well: the part that it came to may be overloaded, and passes it on.
        for v in level.edges_of(v).iter().map(|edge| edge.to).chain([v]) {
            if now.overload(now.of(v)) > 0
                && let Some(step) = connections.best(level, now, v)
            {
                queue.push((step.gain, v));
            }
        }
    }
}
