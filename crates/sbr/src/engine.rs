//! The trait that a device implements: from incident plane waves to far fields summed over ray tubes.

use crate::accumulator::Accumulator;
use crate::batch::Batch;
use crate::error::SbrError;
use crate::problem::{Bounces, Tubes};
use crate::study::Study;
use phasefront_core::Progress;
use rayon::prelude::*;

/// A device that traces rays. Every method returns one accumulator per incident wave of the batch, in order.
pub(crate) trait Engine {
    /// Incident waves that are best traced together.
    fn waves_per_batch(&self, study: &Study) -> usize;

    /// Traces adaptive beams ([`crate::Tubes::Beams`]) and radiates them from their exit apertures.
    fn beams(&self, batch: &Batch<'_>, progress: &Progress) -> Result<Vec<Accumulator>, SbrError>;

    /// Traces a uniform grid of rays ([`crate::Tubes::RayGrid`]) and radiates the tubes between them.
    fn ray_grid(&self, batch: &Batch<'_>, progress: &Progress) -> Result<Vec<Accumulator>, SbrError>;

    /// Traces and radiates the ray tubes of a batch, with as many bounces as each of its incident waves needs.
    fn trace(&self, batch: &Batch<'_>, progress: &Progress) -> Result<Vec<Accumulator>, SbrError> {
        trace_all(self, batch, progress)
    }

    /// Adds the fringe fields of the diffracting edges. Edges are few compared to rays: the host evaluates them for every device.
    fn edges(&self, batch: &Batch<'_>, totals: &mut [Accumulator]) -> Result<(), SbrError> {
        let Batch { study, incidences, frequencies, .. } = batch;
        incidences.par_iter().zip(totals).for_each(|(incidence, total)| {
            study.edges.add(&study.scene, incidence.aspects, frequencies, &mut total.sums);
        });
        Ok(())
    }

    /// Times the rays of a grid without radiation, the shortest of `repeats`; `None` where that is not measured.
    fn ray_times(&self, _batch: &Batch<'_>, _repeats: usize) -> Result<Option<RayTimes>, SbrError> {
        Ok(None)
    }
}

/// Traces all incident waves of a batch together; those with too much power left again, with more bounces.
pub(crate) fn trace_all<E: Engine + ?Sized>(
    engine: &E,
    batch: &Batch<'_>,
    progress: &Progress,
) -> Result<Vec<Accumulator>, SbrError> {
    let problem = &batch.study.problem;
    let trace = |batch: &Batch<'_>| match problem.tubes {
        Tubes::Beams => engine.beams(batch, progress),
        Tubes::RayGrid => engine.ray_grid(batch, progress),
    };
    let mut totals = trace(batch)?;
    for &bounces in &problem.bounces.levels()[1..] {
        let is_unfinished = |&i: &usize| totals[i].counts.remaining_share() > Bounces::NEGLIGIBLE;
        let unfinished: Vec<usize> = (0..totals.len()).filter(is_unfinished).collect();
        if unfinished.is_empty() {
            break;
        }
        for (i, total) in unfinished.iter().zip(trace(&batch.again(&unfinished, bounces))?) {
            totals[*i] = total;
        }
    }
    for total in &mut totals {
        total.counts.worst_remaining_share = total.counts.remaining_share();
    }
    Ok(totals)
}

/// Duration of ray tracing on a GPU, for benchmarks.
#[derive(Debug, Clone, Copy)]
pub struct RayTimes {
    /// Primary rays.
    pub rays: usize,
    /// Primary rays that hit the target, each of which is reflected once.
    pub hits: usize,
    /// Seconds for the primary rays.
    pub first: f64,
    /// Seconds for the reflected rays.
    pub bounced: f64,
}
