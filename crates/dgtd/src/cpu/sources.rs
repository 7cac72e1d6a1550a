//! Sources of a stage, block by block.

use super::engine::CpuEngine;
use super::float::Float;
use super::sweep::BlockSources;
use crate::plan::LANES;
use crate::pulse::Pulse;
use crate::share::Share;

impl<T: Float> CpuEngine<'_, T> {
    /// Sources at a time, block by block, of the levels that take a step; none after the end of the pulse. Sheets and thin
    /// wires add theirs later.
    pub(super) fn evaluate_sources(&mut self, time: f64, is_due: impl Fn(u8) -> bool) {
        let Share { study, plan, sources, sheets, wires, currents, .. } = self.share;
        let pulse: &Pulse = &study.problem.pulse;
        let ended = (sources.is_empty() && currents.is_empty()) || time > study.source_end();
        if ended && self.sheets.is_empty() && wires.is_empty() {
            // An empty list: the sweep skips sources in all blocks while the fields decay.
            self.sources.clear();
            return;
        }
        self.sources.resize(plan.blocks(), BlockSources::default());
        let is_due = |slot: u32| {
            plan.tets[slot as usize].is_some_and(|tet| is_due(study.clusters.level(tet as usize)))
        };
        let slots = sources.iter().map(|(slot, _)| *slot).chain(currents.iter().map(|(slot, _)| *slot));
        let slots = slots.chain(wires.iter().map(|(slot, _)| *slot));
        for slot in slots.chain(sheets.iter().map(|sheet| sheet.slot)) {
            self.sources[slot as usize / LANES].clear();
        }
        if ended {
            return;
        }
        for (slot, face) in sources.iter().filter(|(slot, _)| is_due(*slot)) {
            let (slot, f) = (*slot as usize, usize::from(face.face));
            let (block, there) = (&mut self.sources[slot / LANES], &plan.faces[slot][f]);
            // The sweep stores d times the scale of the face at nodes, and d itself at quadrature
            // points.
            let (list, scale, per_point) = if there.curved {
                (&mut block.points, 1.0, self.curved_tables.traces)
            } else {
                (&mut block.faces, there.scale, self.tables.traces)
            };
            // The points of a near field have the same delays.
            let (mut delay, mut value) = (f64::NAN, 0.0);
            for (k, point) in face.points.iter().enumerate() {
                if point.delay != delay {
                    (delay, value) = (point.delay, scale * pulse.at(time - point.delay));
                }
                for s in 0..per_point {
                    let position = ((f * face.points.len() + k) * per_point + s) as u32;
                    list.push(((slot % LANES) as u8, position, T::from_f64(value * point.amplitude[s])));
                }
            }
        }
        // Dipoles have no delay of their own.
        let value = pulse.at(time);
        for (slot, current) in currents.iter().filter(|(slot, _)| is_due(*slot)) {
            let (block, lane) = (&mut self.sources[*slot as usize / LANES], (*slot as usize % LANES) as u8);
            for (c, amounts) in current.amplitude.iter().enumerate() {
                for (node, amount) in amounts.iter().enumerate() {
                    let position = (c * self.tables.nodes + node) as u32;
                    block.rates.push((lane, position, T::from_f64(value * amount)));
                }
            }
        }
    }
}
