//! Last resort: parts that are empty or too heavy get or give vertices without regard to neighbors.

use super::assignment::Assignment;
use super::level::Level;

/// Gives every empty part a vertex of the heaviest part that can spare one: the one whose loss the cut feels least.
pub(super) fn fill_empty(level: &Level, now: &mut Assignment) {
    for empty in 0..now.count.len() {
        if now.count[empty] > 0 {
            continue;
        }
        let donors = (0..now.count.len()).filter(|&part| now.count[part] > 1);
        let Some(donor) = donors.max_by_key(|&part| now.weight[part]) else { return };
        let members = (0..level.len() as u32).filter(|&v| now.of(v) as usize == donor);
        if let Some(v) = members.min_by_key(|&v| inner_edges(level, now, v)) {
            now.shift(v, level.weight(v), empty as u32);
        }
    }
}

/// Moves vertices of overloaded parts to the lightest part.
///
/// The lightest part is never above the mean, so every part ends at most the heaviest vertex above the mean, if not below
/// its limit.
pub(super) fn unload(level: &Level, now: &mut Assignment) {
    for part in 0..now.count.len() as u32 {
        if now.overload(part) == 0 {
            continue;
        }
        let mut members: Vec<u32> = (0..level.len() as u32).filter(|&v| now.of(v) == part).collect();
        members.sort_by_cached_key(|&v| inner_edges(level, now, v));
        for v in members {
            let lightest = (0..now.count.len()).min_by_key(|&other| now.weight[other]).unwrap_or(0) as u32;
            if now.overload(part) > 0 && lightest != part && now.accepts(part, lightest, level.weight(v)) {
                now.shift(v, level.weight(v), lightest);
            }
        }
    }
}

/// The weight of the edges to the vertex's own part.
fn inner_edges(level: &Level, now: &Assignment, v: u32) -> u64 {
    let inner = level.edges_of(v).iter().filter(|edge| now.of(edge.to) == now.of(v));
    inner.map(|edge| u64::from(edge.weight)).sum()
}
