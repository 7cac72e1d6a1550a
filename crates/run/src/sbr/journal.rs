//! Batches of looks that are finished, on disk as they come: what a run that was stopped goes on from.

use crate::checkpoint::Checkpoints;
use crate::error::RunError;
use num_complex::Complex64;
use phasefront_sbr::{Counts, PartialSolution, Problem, ScatteringMatrix};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::ops::Range;
use std::time::{Duration, Instant};

/// How much work a machine that dies may take with it; waiting for the disk more often would slow down short batches.
const FLUSH: Duration = Duration::from_secs(1);

/// What a checkpoint belongs to: a mesh or a case that was changed meanwhile shows.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Mark {
    looks: usize,
    frequencies: usize,
    triangles: usize,
    /// Area of the mesh, as bits: JSON does not keep the last digit.
    area: u64,
}

impl Mark {
    fn of(problem: &Problem) -> Self {
        Self {
            looks: problem.aspects.len(),
            frequencies: problem.frequencies.len(),
            triangles: problem.mesh.triangles.len(),
            area: problem.mesh.area().to_bits(),
        }
    }
}

/// The looks that are done, from the first on.
pub(super) struct Journal<'a> {
    checkpoints: &'a Checkpoints<'a>,
    /// When the disk was last waited for.
    flushed: Instant,
    /// By frequency, then by look.
    pub scattering: Vec<Vec<ScatteringMatrix>>,
    pub counts: Counts,
}

impl<'a> Journal<'a> {
    /// Begins a journal, or reads the one that is there.
    pub(super) fn open(checkpoints: &'a Checkpoints<'a>, problem: &Problem) -> Result<Self, RunError> {
        let mark = Mark::of(problem);
        let scattering = vec![Vec::with_capacity(mark.looks); mark.frequencies];
        let counts = Counts::default();
        let mut journal = Self { checkpoints, flushed: Instant::now(), scattering, counts };
        let Some(found) = checkpoints.resume.clone() else {
            checkpoints.save(&mark)?;
            return Ok(journal);
        };
        let found: Mark = serde_json::from_value(found)
            .map_err(|error| checkpoints.refusal(format!("its checkpoint is damaged: {error}")))?;
        if found != mark {
            return Err(checkpoints.refusal("its case or its mesh was changed since"));
        }
        checkpoints.finished(|line| match read(line, mark.frequencies) {
            Some((looks, part)) if looks.start == journal.done() && looks.end <= mark.looks => {
                journal.take(part);
                true
            }
            _ => false,
        })?;
        Ok(journal)
    }

    /// How many looks are done.
    pub(super) fn done(&self) -> usize {
        self.scattering.first().map_or(0, Vec::len)
    }

    /// Keeps the next looks, in the file first.
    pub(super) fn add(&mut self, looks: &Range<usize>, part: PartialSolution) -> Result<(), RunError> {
        let flush = self.flushed.elapsed() > FLUSH;
        self.checkpoints.append(&written(looks, &part), flush)?;
        if flush {
            self.flushed = Instant::now();
        }
        self.take(part);
        Ok(())
    }

    fn take(&mut self, part: PartialSolution) {
        for (all, some) in self.scattering.iter_mut().zip(part.scattering) {
            all.extend(some);
        }
        self.counts.merge(&part.counts);
    }
}

/// Looks, counts and amplitudes as a line of numbers, which read back as they are.
fn written(looks: &Range<usize>, part: &PartialSolution) -> String {
    let Counts { rays, bounces, hit_area, discarded_area } = part.counts;
    let mut line = format!("{} {} {rays} {bounces} {hit_area:?} {discarded_area:?}", looks.start, looks.end);
    for ScatteringMatrix { vv, vh, hv, hh } in part.scattering.iter().flatten() {
        for amplitude in [vv, vh, hv, hh] {
            // Writing to a string cannot fail.
            let _ = write!(line, " {:?} {:?}", amplitude.re, amplitude.im);
        }
    }
    line
}

/// What [`written`] wrote; nothing if it is not that.
fn read(line: &str, frequencies: usize) -> Option<(Range<usize>, PartialSolution)> {
    let mut words = line.split(' ');
    let (start, end): (usize, usize) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let counts = Counts {
        rays: words.next()?.parse().ok()?,
        bounces: words.next()?.parse().ok()?,
        hit_area: words.next()?.parse().ok()?,
        discarded_area: words.next()?.parse().ok()?,
    };
    let numbers = words.map(|word| word.parse().ok()).collect::<Option<Vec<f64>>>()?;
    let count = end.checked_sub(start)?;
    if count == 0 || numbers.len() != 8 * count * frequencies {
        return None;
    }
    let complex = |pair: &[f64]| Complex64::new(pair[0], pair[1]);
    let look = |n: &[f64]| ScatteringMatrix {
        vv: complex(&n[0..2]),
        vh: complex(&n[2..4]),
        hv: complex(&n[4..6]),
        hh: complex(&n[6..8]),
    };
    let scattering = numbers.chunks(8 * count).map(|all| all.chunks(8).map(look).collect()).collect();
    Some((start..end, PartialSolution { scattering, counts }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_reads_back_to_the_last_bit() {
        let number = |i: u32| f64::from(i).sin() * 10_f64.powi(i as i32 % 40 - 20);
        let z = |i: u32| Complex64::new(number(i), -number(i + 1));
        let look = |i: u32| ScatteringMatrix { vv: z(i), vh: z(i + 2), hv: Complex64::ZERO, hh: z(i + 6) };
        let scattering = vec![vec![look(1), look(9)], vec![look(20), look(33)], vec![look(50), look(70)]];
        let counts = Counts { rays: u64::MAX, bounces: 5, hit_area: 0.1 + 0.2, discarded_area: 1e-300 };
        let part = PartialSolution { scattering, counts };
        let line = written(&(7..9), &part);
        let (looks, back) = read(&line, 3).unwrap();
        assert_eq!((looks, back.scattering, back.counts), (7..9, part.scattering.clone(), counts));
        for wrong in
            ["", "7", "a b", &line[..line.len() - 30], &line.replace("7 9", "9 7"), &format!("{line} 1")]
        {
            assert!(read(wrong, 3).is_none(), "{wrong}");
        }
        assert!(read(&line, 2).is_none());
    }
}
