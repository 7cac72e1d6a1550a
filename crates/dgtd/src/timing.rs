//! Timing of steps and kernels, for benchmarks.

use crate::engine::{Elements, Engine};
use crate::error::DgtdError;
use crate::gpu::{GpuEngine, KernelLayout, SplitKernel, fastest_split};
use crate::part::Part;
use crate::share::{Direction, Halo, Share};
use crate::solve::engine;
use crate::study::Study;
use phasefront_device::{Backend, Gpu};
use rayon::prelude::*;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

/// Elements of a sample whose steps are timed: enough to fill a GPU, and its caches several times.
const SAMPLE: usize = 1 << 17;
/// Consecutive elements of a sample: most of their neighbors are among them.
const SAMPLE_RUN: usize = 1 << 11;

/// Times of one rank's part of a mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PartTiming {
    /// Elements of the part.
    pub elements: usize,
    /// Elements of which other ranks read traces.
    pub border: usize,
    /// Bytes that are sent in a stage.
    pub bytes: usize,
    /// Seconds of the partition of the mesh, and of the plan of this part.
    pub planning: f64,
    /// Seconds of all steps with the border advanced first, its traces packed and others unpacked, without the exchange itself.
    pub seconds: f64,
    /// Seconds of the same steps with all elements advanced at once.
    pub at_once: f64,
}

impl Study {
    /// Seconds for `steps` steps after a warm-up; on a GPU with the given kernel layout, or the default one.
    pub fn time_steps(
        &self,
        backend: &Backend,
        steps: usize,
        shape: Option<KernelLayout>,
    ) -> Result<f64, DgtdError> {
        let share = Share::whole(self);
        timed(&mut *engine(&share, backend, shape)?, steps, self, &mut [])
    }

    /// Elements of which [`Self::time_sample`] times steps.
    pub fn sampled_elements(&self) -> usize {
        self.domain.mesh.tets.len().min(SAMPLE)
    }

    /// Seconds for `steps` steps, estimated from a part of the mesh where it is large: its elements, weighted by their kind, against all.
    /// Setting up a large mesh on a device takes longer than the steps.
    pub fn time_sample(&self, backend: &Backend, steps: usize) -> Result<f64, DgtdError> {
        let kinds = &self.kinds.of;
        if kinds.len() <= SAMPLE {
            return self.time_steps(backend, steps, None);
        }
        let tets = sample(kinds.len());
        let part: u64 = tets.iter().map(|tet| u64::from(kinds[*tet as usize].work())).sum();
        let all: u64 = kinds.par_iter().map(|kind| u64::from(kind.work())).sum();
        let share = Share::new(self, &Part::of(tets));
        let seconds = timed(&mut *engine(&share, backend, None)?, steps, self, &mut [])?;
        Ok(seconds * all as f64 / part as f64)
    }

    /// Seconds for `steps` steps of the first of so many parts, to see what it costs to advance the border apart.
    pub fn time_part(&self, backend: &Backend, ranks: usize, steps: usize) -> Result<PartTiming, DgtdError> {
        let started = Instant::now();
        let owner = self.partition(ranks)?;
        let part = Part::new(&self.domain, &owner, 0);
        let share = Share::new(self, &part);
        let planning = started.elapsed().as_secs_f64();
        let all = self.clusters.last_due(0);
        let size =
            |halo: &Halo| halo.values(&share.plan, Direction::Sent, all) * self.problem.precision.bytes();
        // Of numbers, since engines want the bytes aligned like them.
        let mut halos: Vec<Vec<f64>> =
            share.halos.iter().map(|halo| vec![0.0; size(halo).div_ceil(8)]).collect();
        let mut bytes: Vec<&mut [u8]> = halos
            .iter_mut()
            .zip(&share.halos)
            .map(|(values, halo)| &mut bytemuck::cast_slice_mut(values)[..size(halo)])
            .collect();
        let seconds = timed(&mut *engine(&share, backend, None)?, steps, self, &mut bytes)?;
        let border: HashSet<u32> =
            part.borders.iter().flat_map(|border| &border.own).map(|face| face.0).collect();
        let alone = Share::new(self, &Part::of(part.tets.clone()));
        let at_once = timed(&mut *engine(&alone, backend, None)?, steps, self, &mut [])?;
        Ok(PartTiming {
            elements: part.tets.len(),
            border: border.len(),
            bytes: share.halos.iter().map(size).sum(),
            planning,
            seconds,
            at_once,
        })
    }

    /// Split kernels in single precision: their layout, and the seconds of each kernel for all elements.
    pub fn time_kernels(
        &self,
        gpu: &Arc<dyn Gpu>,
        times: usize,
    ) -> Result<(KernelLayout, [f64; 3]), DgtdError> {
        let share = Share::whole(self);
        let mut engine = GpuEngine::<f32>::with_layout(&share, gpu, fastest_split::<f32>(&share, gpu)?)?;
        let mut seconds = [0.0; 3];
        for (seconds, kernel) in seconds.iter_mut().zip(SplitKernel::ALL) {
            *seconds = engine.time_kernel(kernel, times)? / times as f64;
        }
        Ok((engine.shape(), seconds))
    }
}

/// Seconds of `steps` steps. Traces are packed into `halos` and unpacked again, as if other ranks had sent the same ones at once.
fn timed(
    engine: &mut dyn Engine,
    steps: usize,
    study: &Study,
    halos: &mut [&mut [u8]],
) -> Result<f64, DgtdError> {
    let (stages, dt) = (study.stages(), study.step.dt);
    let mut step = |engine: &mut dyn Engine, time: f64| -> Result<(), DgtdError> {
        for (stage, c) in stages.iter().enumerate() {
            engine.advance(Elements::Border, time + c * dt, stage)?;
            for (i, bytes) in halos.iter_mut().enumerate() {
                engine.pack(i, bytes)?;
            }
            engine.advance(Elements::Interior, time + c * dt, stage)?;
            for (i, bytes) in halos.iter().enumerate() {
                engine.unpack(i, bytes)?;
            }
        }
        Ok(())
    };
    // Warm-up: clocks rise, and caches and pages are filled.
    (0..steps.div_ceil(4)).try_for_each(|i| step(engine, i as f64 * dt))?;
    // Computing the energy waits for all work before it.
    engine.energy()?;
    let started = Instant::now();
    (0..steps).try_for_each(|i| step(engine, i as f64 * dt))?;
    engine.energy()?;
    Ok(started.elapsed().as_secs_f64())
}

/// Runs of consecutive elements among `count`, evenly spread: most of their neighbors are among them, and they have the kinds of all.
fn sample(count: usize) -> Vec<u32> {
    let (runs, last) = (SAMPLE / SAMPLE_RUN, count - SAMPLE_RUN);
    let first = |run: usize| run * last / (runs - 1);
    (0..runs).flat_map(|run| first(run)..first(run) + SAMPLE_RUN).map(|tet| tet as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the first element to the last one, none twice.
    #[test]
    fn a_sample_is_spread_over_the_mesh() {
        for count in [SAMPLE, SAMPLE + 1, 3 * SAMPLE + 5, 1 << 27] {
            let tets = sample(count);
            assert_eq!((tets.len(), tets[0] as usize, tets[SAMPLE - 1] as usize), (SAMPLE, 0, count - 1));
            assert!(tets.windows(2).all(|pair| pair[0] < pair[1]), "{count}");
        }
    }
}
