//! Thin wires on the CPU: their part in a stage, and their energy.

use super::engine::{CpuEngine, index};
use super::float::Float;
use super::stage::{Registers, Stage};
use crate::plan::LANES;
use crate::share::Share;
use crate::thin_wires::{WireElement, dot};
use phasefront_core::ExactSum;
use rayon::prelude::*;

/// The states of all thin wires.
pub(super) struct Wires<T> {
    pub(super) values: Vec<T>,
    pub(super) increments: Vec<T>,
}

impl<T: Float> Wires<T> {
    pub(super) fn new(share: &Share<'_>) -> Self {
        let states = share.study.wires.states;
        Self { values: vec![T::default(); states], increments: vec![T::default(); states] }
    }

    /// In double precision.
    fn states(&self) -> Vec<f64> {
        self.values.iter().map(|value| value.to_f64()).collect()
    }

    /// Their energy, ½ i·μΛi + ½ u·Su/ε.
    pub(super) fn energy(&self, share: &Share<'_>) -> ExactSum {
        [share.study.wires.energy(&self.states())].into_iter().collect()
    }
}

impl<T: Float> CpuEngine<'_, T> {
    /// Adds the currents of thin wires at the start of a stage to its sources, and advances wires by the fields there.
    pub(super) fn advance_wires(&mut self, time: f64, stage: Stage<T>) {
        let Share { study, wires: elements, .. } = self.share;
        let (plan, problem) = (&study.wires, &study.problem);
        let (states, nodes) = (self.wires.states(), self.tables.nodes);
        // ⟨E⟩ + V.
        let mut forces = vec![0.0; plan.currents];
        if let Some(current) = plan.ports.get(problem.sources.excited).copied().flatten()
            && time <= study.source_end()
        {
            forces[current] += problem.pulse.at(time);
        }
        let (fields, tables) = (&self.fields, &self.tables);
        // ⟨E⟩ of the currents in an element, and the rates of its fields.
        let of_element = |(slot, element): &(u32, &WireElement)| {
            let slot = *slot as usize;
            let at = |k: usize| fields[index(tables, slot, k / nodes, k % nodes)].to_f64();
            let values: Vec<f64> = (0..3 * nodes).map(at).collect();
            let mut rates = vec![0.0; 3 * nodes];
            for (current, own) in element.currents.iter().zip(element.rates.chunks(3 * nodes)) {
                let current = states[*current as usize];
                rates.iter_mut().zip(own).for_each(|(rate, own)| *rate -= own * current);
            }
            let average: Vec<f64> = element.average.chunks(3 * nodes).map(|row| dot(row, &values)).collect();
            (average, rates)
        };
        let parts: Vec<(Vec<f64>, Vec<f64>)> = elements.par_iter().map(of_element).collect();
        // In the order of the elements: the sums do not depend on threads.
        for ((slot, element), (average, rates)) in elements.iter().zip(parts) {
            for (current, average) in element.currents.iter().zip(average) {
                forces[*current as usize] += average;
            }
            let (block, lane) = (*slot as usize / LANES, (*slot as usize % LANES) as u8);
            let list = &mut self.sources[block].rates;
            list.extend((0..).zip(rates).map(|(k, rate)| (lane, k, T::from_f64(rate))));
        }
        let row = |i: usize| {
            let (all, n) = (plan.states, plan.currents);
            T::from_f64(dot(&plan.matrix[i * all..(i + 1) * all], &states) + dot(&plan.input[i * n..(i + 1) * n], &forces))
        };
        let rates: Vec<T> = (0..plan.states).map(row).collect();
        let registers = Registers { newest: &mut self.wires.increments, before: [&[]; 2] };
        stage.advance(&mut self.wires.values, registers, &rates);
    }
}
