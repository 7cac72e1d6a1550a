//! Last resort: parts that are empty or too heavy get or give vertices without regard to neighbors.

use super::assignment::Assignment;
use super::level::Level;
use std::collections::BTreeSet;

/// Gives every empty part a vertex of the heaviest part that can spare one: the vertex with the fewest edges to its own
/// part.
pub(super) fn fill_empty(level: &Level, now: &mut Assignment) {
    if now.count.iter().all(|&count| count > 0) {
        return;
    }
    let mut members = members(now);
    let mut by_weight = by_weight(now);
    for empty in 0..now.count.len() as u32 {
        if now.count[empty as usize] > 0 {
            continue;
        }
        let donor = by_weight.iter().rev().find(|&&(_, part)| now.count[part as usize] > 1);
        let Some(&(_, donor)) = donor else { return };
        let of_donor = &mut members[donor as usize];
        let spared = (0..of_donor.len()).min_by_key(|&i| inner_edges(level, now, of_donor[i]));
        if let Some(spared) = spared {
            let v = of_donor.swap_remove(spared);
            members[empty as usize].push(v);
            shift(level, now, &mut by_weight, v, empty);
        }
    }
}

/// Moves vertices of overloaded parts to the lightest part.
///
/// The lightest part is never above the mean, so every part ends at most the heaviest vertex above the mean, if not below
/// its limit.
pub(super) fn unload(level: &Level, now: &mut Assignment) {
    if now.total_overload == 0 {
        return;
    }
    let mut by_weight = by_weight(now);
    for (part, mut members) in (0_u32..).zip(members(now)) {
        if now.overload(part) == 0 {
            continue;
        }
        members.sort_by_cached_key(|&v| inner_edges(level, now, v));
        for v in members {
            let Some(&(_, lightest)) = by_weight.first() else { return };
            if now.overload(part) > 0 && lightest != part && now.accepts(part, lightest, level.weight(v)) {
                shift(level, now, &mut by_weight, v, lightest);
            }
        }
    }
}

/// The vertices of each part.
fn members(now: &Assignment) -> Vec<Vec<u32>> {
    let mut members = vec![Vec::new(); now.count.len()];
    for (v, &part) in (0_u32..).zip(&now.part) {
        members[part as usize].push(v);
    }
    members
}

/// The parts, the lightest first.
fn by_weight(now: &Assignment) -> BTreeSet<(u64, u32)> {
    now.weight.iter().copied().zip(0..).collect()
}

/// Moves a vertex and keeps the order of the parts.
fn shift(level: &Level, now: &mut Assignment, by_weight: &mut BTreeSet<(u64, u32)>, v: u32, to: u32) {
    let pair = [now.of(v), to];
    for part in pair {
        by_weight.remove(&(now.weight[part as usize], part));
    }
    now.shift(v, level.weight(v), to);
    by_weight.extend(pair.map(|part| (now.weight[part as usize], part)));
}

/// The weight of the edges to the vertex's own part.
fn inner_edges(level: &Level, now: &Assignment, v: u32) -> u64 {
    let inner = level.edges_of(v).iter().filter(|edge| now.of(edge.to) == now.of(v));
    inner.map(|edge| u64::from(edge.weight)).sum()
}
