//! Local search: vertices change parts, the most profitable first.

use super::assignment::Assignment;
use super::level::Level;
use super::repeatable::hash;
use std::collections::BinaryHeap;

/// A change of parts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Move {
    /// By how much the cut decreases.
    pub gain: i64,
    pub to: u32,
}

/// Connections of one vertex to parts: a table that is cleared by the list of its entries.
pub(super) struct Connections {
    weight: Vec<u32>,
    touched: Vec<u32>,
}

impl Connections {
    pub fn new(parts: usize) -> Self {
        Self { weight: vec![0; parts], touched: Vec::new() }
    }

    /// The best move of a vertex to a part of one of its neighbors; of equally good ones, that into the lightest part.
    pub fn best(&mut self, level: &Level, now: &Assignment, v: u32) -> Option<Move> {
        // Few parts are near a vertex: the table is dense, but only touched entries are visited and cleared.
        for edge in level.edges_of(v) {
            let part = now.of(edge.to);
            if self.weight[part as usize] == 0 {
                self.touched.push(part);
            }
            self.weight[part as usize] += edge.weight;
        }
        let (from, weight) = (now.of(v), level.weight(v));
        let mine = i64::from(self.weight[from as usize]);
        let mut best: Option<Move> = None;
        for to in self.touched.drain(..) {
            // Gain of a move to `to`: edges that are cut no more, less those that are cut then. Taking the weight clears
            // the table for the next vertex.
            let gain = i64::from(std::mem::take(&mut self.weight[to as usize])) - mine;
            // Ties go to the lighter part: balance improves at no cost in the cut.
            let lighter = |other: u32| now.weight[to as usize] < now.weight[other as usize];
            let better = best.is_none_or(|best| gain > best.gain || gain == best.gain && lighter(best.to));
            if to != from && better && now.accepts(from, to, weight) {
                best = Some(Move { gain, to });
            }
        }
        best
    }
}

/// Moves in the order of C. M. Fiduccia and R. M. Mattheyses (DAC 1982): the best first, even at a loss, each vertex once;
/// then back to the best state seen. With more than two parts a vertex moves to the best of its neighbors' parts.
///
/// Gains in the queue may be out of date. They are recomputed when a vertex is taken from it, which costs less than
/// keeping them current.
pub(super) struct Search<'a> {
    level: &'a Level,
    connections: Connections,
    queue: BinaryHeap<(i64, u32, u32)>,
    /// The last pass in which a vertex has moved.
    moved: Vec<u32>,
    pass: u32,
    /// Moves of the current run: vertex and the part it left.
    trail: Vec<(u32, u32)>,
    seed: u64,
}

impl<'a> Search<'a> {
    pub fn new(level: &'a Level, parts: usize, seed: u64) -> Self {
        Self {
            level,
            connections: Connections::new(parts),
            queue: BinaryHeap::new(),
            moved: vec![0; level.len()],
            pass: 0,
            trail: Vec::new(),
            seed,
        }
    }

    /// Starts a pass, in which each vertex may move once.
    pub fn start_pass(&mut self) {
        self.pass += 1;
    }

    /// Whether a vertex has moved in this pass.
    pub fn has_moved(&self, v: u32) -> bool {
        self.moved[v as usize] == self.pass
    }

    /// Moves vertices from `starts` on, until `patience` moves in a row have brought nothing. Returns by how much the cut
    /// decreases; it never grows unless an overload decreases.
    pub fn run(&mut self, now: &mut Assignment, starts: &[u32], patience: usize) -> i64 {
        self.queue.clear();
        self.trail.clear();
        for &v in starts {
            self.offer(now, v);
        }
        let mut gain = 0;
        // Overload before cut: a balanced partition is preferred to a smaller cut.
        let (mut best, mut kept) = ((now.total_overload, 0), 0);
        while let Some((expected, tie, v)) = self.queue.pop() {
            if self.has_moved(v) {
                continue;
            }
            let Some(step) = self.connections.best(self.level, now, v) else { continue };
            // Its neighbors have moved since it was queued: it waits for its turn with its true gain. Gains that have
            // risen are in the queue a second time.
            if step.gain < expected {
                self.queue.push((step.gain, tie, v));
                continue;
            }
            self.trail.push((v, now.shift(v, self.level.weight(v), step.to)));
            self.moved[v as usize] = self.pass;
            gain += step.gain;
            if (now.total_overload, -gain) < best {
                (best, kept) = ((now.total_overload, -gain), self.trail.len());
            // Uphill moves escape local minima, but most runs of losses lead nowhere.
            } else if self.trail.len() - kept > patience {
                break;
            }
            for edge in self.level.edges_of(v) {
                self.offer(now, edge.to);
            }
        }
        // Undone in reverse, so that weights of parts pass through the same states.
        for &(v, from) in self.trail[kept..].iter().rev() {
            now.shift(v, self.level.weight(v), from);
        }
        -best.1
    }

    /// Puts a vertex into the queue, if it may move.
    fn offer(&mut self, now: &Assignment, v: u32) {
        if !self.has_moved(v)
            && let Some(step) = self.connections.best(self.level, now, v)
        {
            // Equal gains are ordered by a hash: the order of the mesh would sweep over the boundary from one side.
            self.queue.push((step.gain, hash(self.seed ^ u64::from(v)) as u32, v));
        }
    }
}
