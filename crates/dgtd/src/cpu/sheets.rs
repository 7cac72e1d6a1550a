//! What the states of sheets and walls add to the flux of a stage, and their own step.

use super::engine::CpuEngine;
use super::float::Float;
use super::sheet_tables::{Place, Sheets};
use super::stage::{Stage, by_age};
use crate::share::face_values;
use rayon::prelude::*;

impl<T: Float> CpuEngine<'_, T> {
    /// Adds what the states of sheets add to the flux of a stage to its sources, and advances the states of the levels that have one.
    pub(super) fn advance_sheets(&mut self, stage_of: impl Fn(u8) -> Option<Stage<T>> + Sync) {
        let Self { sheets, sources, traces, point_traces, oldest, share, .. } = self;
        // Runge-Kutta stages exchange the buffers before they read.
        let newest = usize::from(share.study.clusters.is_local());
        let traces = [&traces[newest][..], &point_traces[newest]];
        let plan = &share.plan;
        let sizes =
            [(face_values(plan, false), plan.traces()), (face_values(plan, true), plan.point_traces())];
        let Sheets { values, registers, faces, blocks, equations, permutations } = sheets;
        // A task owns the states and sources of its block. The faces of a block are of one section, and so of one level.
        let mut tasks = Vec::with_capacity(blocks.len());
        let mut rest = (&mut values[..], &mut sources[..], 0);
        let mut rings = registers.each_mut().map(|register| &mut register[..]);
        for (block, range) in &*blocks {
            let own = &faces[range.clone()];
            let count: usize = own.iter().map(|face| face.range.len()).sum();
            let (states, later) = rest.0.split_at_mut(count);
            let (block_sources, later_sources) = rest.1[block - rest.2..].split_at_mut(1);
            rest = (later, later_sources, block + 1);
            let ring = rings.each_mut().map(|ring| {
                let all = std::mem::take(ring);
                // Registers of local steps only may be empty.
                let end = count.min(all.len());
                let (now, later) = all.split_at_mut(end);
                *ring = later;
                now
            });
            tasks.push((own, states, &mut block_sources[0], ring));
        }
        tasks.into_par_iter().for_each(|(own, states, sources, mut ring)| {
            let Some(stage) = stage_of(own[0].level) else { return };
            let mut registers = by_age(&mut ring, oldest[usize::from(own[0].level)], 0..states.len());
            let first = own[0].range.start;
            let mut rates: Vec<T> = Vec::new();
            for face in own {
                let range = face.range.start - first..face.range.end - first;
                let kind = usize::from(face.curved);
                let place = Place {
                    traces: traces[kind],
                    permutation: &permutations[kind][usize::from(face.orientation)],
                    size: sizes[kind],
                };
                rates.clear();
                face.rates(
                    &equations[face.equations as usize],
                    &place,
                    &states[range.clone()],
                    sources,
                    &mut rates,
                );
                stage.advance(&mut states[range.clone()], registers.part(range.start, range.len()), &rates);
            }
        });
    }
}
