//! Clusters of elements for local time stepping: small elements take short steps, large ones long steps.

use crate::domain::Domain;
use crate::kind::Kinds;
use crate::scheme::STAGES;
use rayon::prelude::*;
use std::f64::consts::TAU;

/// Longest local step of an element relative to its Runge-Kutta step: one evaluation of its rates instead of five. The two stability
/// regions have the same shape, and the smallest ratio of their radii in the left half-plane is 0.97 of a fifth.
const LOCAL_STEP: f64 = 0.95 / STAGES as f64;
/// Longest step, in radians of the highest frequency: the scheme damps by 0.575 (ωΔt)³ per radian, here a Q of 7000.
const LONGEST: f64 = 0.05;
/// Shortest steps that are tried, between half of the longest stable one and all of it: the work depends on how many elements just reach
/// the next power of two.
const CANDIDATES: usize = 32;
/// Highest level: steps 4096 times as long as the shortest. More would make a step of the highest level last too long between energy
/// checks.
const MAX_LEVEL: f64 = 12.0;
/// Cost of a local step relative to a Runge-Kutta stage: three older rates are read instead of one. Measured: 1.0 on a CPU, which computes;
/// on an H200 1.2 to 1.3 in large clusters, whose memory traffic limits it, and 1.5 with many small ones, whose launches do.
const LOCAL_COST: f64 = 1.5;

/// The steps of all elements: 2^level of the shortest one.
#[derive(Debug, Clone, PartialEq)]
pub struct Clusters {
    /// The level of each tetrahedron; empty if all take the same Runge-Kutta step.
    of: Vec<u8>,
    /// Number of levels, at least one.
    levels: usize,
    /// Speed-up against one Runge-Kutta step for all elements, as far as the work tells.
    pub gain: f64,
}

impl Clusters {
    /// One Runge-Kutta step for all elements.
    pub fn global() -> Self {
        Self { of: Vec::new(), levels: 1, gain: 1.0 }
    }

    /// Clusters for the limits of the elements in a Runge-Kutta step, s, and their common step, that of the highest level.
    pub fn local(limits: &[f64], domain: &Domain, kinds: &Kinds, highest_frequency: f64) -> (Self, f64) {
        let shortest = LOCAL_STEP * limits.iter().copied().fold(f64::INFINITY, f64::min);
        let longest = (LONGEST / (TAU * highest_frequency)).max(shortest);
        // Octaves above the shortest step, in parts of as many as there are candidates.
        let part = |limit: &f64| {
            let octaves = ((LOCAL_STEP * limit).min(longest) / shortest).log2();
            (CANDIDATES as f64 * octaves.clamp(0.0, MAX_LEVEL)) as usize
        };
        let parts: Vec<usize> = limits.par_iter().map(part).collect();
        let weights: Vec<f64> = kinds.of.iter().map(|kind| f64::from(kind.work())).collect();
        // A histogram of the work by part of an octave: a candidate then costs as many terms as there are parts, not
        // elements.
        let mut sums = vec![0.0; CANDIDATES * MAX_LEVEL as usize + 1];
        for (part, weight) in parts.iter().zip(&weights) {
            sums[*part] += weight;
        }
        // Candidate i is i parts of an octave below the shortest step.
        let level = |part: usize, i: usize| (part + i) / CANDIDATES;
        let step = |i: usize| shortest * (-(i as f64) / CANDIDATES as f64).exp2();
        // Work per second of simulated time: each element by the inverse of its step.
        let cost = |i: &usize| {
            let of = |(part, sum): (usize, &f64)| sum / (level(part, *i) as f64).exp2();
            sums.iter().enumerate().map(of).sum::<f64>() / step(*i)
        };
        let best = (0..CANDIDATES).min_by(|a, b| cost(a).total_cmp(&cost(b))).unwrap_or(0);
        let base = step(best);
        let mut of: Vec<u8> = parts.iter().map(|part| level(*part, best) as u8).collect();
        // After the choice, whose cost leaves it out: it depends on the neighbors of every element.
        grade(&mut of, domain);
        let levels = usize::from(of.iter().copied().max().unwrap_or(0)) + 1;
        let spent: f64 =
            of.iter().zip(&weights).map(|(level, w)| w / f64::from(*level).exp2()).sum::<f64>() / base;
        // The Runge-Kutta scheme evaluates the rates of all elements STAGES times in the step of the smallest.
        let all = weights.iter().sum::<f64>() * LOCAL_STEP * STAGES as f64 / shortest;
        let gain = all / (spent * LOCAL_COST);
        (Self { of, levels, gain }, base * ((levels - 1) as f64).exp2())
    }

    /// Whether elements have steps of their own.
    pub fn is_local(&self) -> bool {
        !self.of.is_empty()
    }

    /// Number of levels.
    pub fn levels(&self) -> usize {
        self.levels
    }

    /// The level of a tetrahedron.
    pub fn level(&self, tet: usize) -> u8 {
        self.of.get(tet).copied().unwrap_or(0)
    }

    /// Whether a neighbor of a tetrahedron takes shorter steps.
    pub fn is_beside_finer(&self, domain: &Domain, tet: usize) -> bool {
        let finer = |tet: u32| self.level(tet as usize);
        self.is_local()
            && domain.faces.neighbors[tet].iter().flatten().any(|n| finer(n.tet) < self.level(tet))
    }

    /// Stages of a step of the highest level: those of the Runge-Kutta scheme, or the steps of the lowest level.
    pub fn stages(&self) -> usize {
        if self.is_local() { 1 << (self.levels - 1) } else { STAGES }
    }

    /// Whether the elements of a level take a step at a stage.
    pub fn is_due(&self, level: u8, stage: usize) -> bool {
        !self.is_local() || stage.is_multiple_of(1 << level)
    }

    /// The highest level that takes a step at a stage.
    pub fn last_due(&self, stage: usize) -> u8 {
        (0..self.levels as u8).rev().find(|level| self.is_due(*level, stage)).unwrap_or(0)
    }

    /// Whether a stage is halfway in a step of a level.
    pub fn is_halfway(&self, level: u8, stage: usize) -> bool {
        self.is_local() && level > 0 && stage % (1 << level) == 1 << (level - 1)
    }
}

/// Lowers levels until neighbors differ by one at most: an element then needs its coarser neighbors at their steps and halfway only.
fn grade(of: &mut [u8], domain: &Domain) {
    // From the lowest level up: lowering a neighbor to level + 1 never disturbs a level that is done.
    for level in 0..of.iter().copied().max().unwrap_or(0) {
        for tet in 0..of.len() {
            if of[tet] == level {
                for neighbor in domain.faces.neighbors[tet].iter().flatten() {
                    let there = &mut of[neighbor.tet as usize];
                    *there = (*there).min(level + 1);
                }
            }
        }
    }
}
