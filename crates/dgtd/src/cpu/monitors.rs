//! Monitors on the CPU: recorded rows, spectra, energy.

use super::engine::{Cpu, index};
use super::float::Float;
use crate::plan::LANES;
use num_complex::Complex64;
use rayon::prelude::*;

impl<T: Float> Cpu<'_, T> {
    /// Appends one row of records.
    pub(super) fn record_rows(&mut self, time: f64) {
        let pulse = self.study.problem.pulse.at(time);
        for row in &self.study.monitors.rows {
            let term = |&(slot, component, node, weight): &(u32, u8, u8, f64)| {
                let index = index(&self.tables, slot as usize, component.into(), node.into());
                weight * self.fields[index].to_f64()
            };
            self.records.push(row.terms.iter().map(term).sum::<f64>() + row.source * pulse);
        }
    }

    /// Adds factor × field to the spectra of all monitored nodes.
    pub(super) fn accumulate_spectra(&mut self, factors: &[Complex64]) {
        let nodes = &self.study.monitors.nodes;
        if nodes.is_empty() {
            return;
        }
        // One task per frequency: no two write the same sum. Sums are in double precision, since a
        // run adds thousands of small terms.
        let (tables, fields) = (&self.tables, &self.fields);
        self.spectra.par_chunks_mut(6 * nodes.len()).zip(factors).for_each(|(spectrum, factor)| {
            for (values, &(slot, node)) in spectrum.chunks_exact_mut(6).zip(nodes) {
                for (component, value) in values.iter_mut().enumerate() {
                    *value += factor * fields[index(tables, slot as usize, component, node.into())].to_f64();
                }
            }
        });
    }

    /// The energy of all elements, summed in the order of their blocks.
    pub(super) fn total_energy(&self) -> f64 {
        // Collected first and added in order: the sum does not depend on the number of threads.
        let parts: Vec<f64> =
            (0..self.study.plan.blocks()).into_par_iter().map(|block| self.block_energy(block)).collect();
        parts.iter().sum()
    }

    /// ½ Σ J (ε Eᵀ M E + μ Hᵀ M H) of the elements of a block.
    fn block_energy(&self, block: usize) -> f64 {
        let (plan, nodes) = (&self.study.plan, self.tables.nodes);
        let mut sum = 0.0;
        for slot in (LANES * block..LANES * (block + 1)).filter(|&slot| plan.tets[slot].is_some()) {
            let [eps, mu, _] = plan.media[slot];
            for component in 0..6 {
                let values: Vec<f64> =
                    (0..nodes).map(|n| self.fields[self.index(slot, component, n)].to_f64()).collect();
                sum += 0.5 * plan.square(slot, &values) * if component < 3 { eps } else { mu };
            }
        }
        sum
    }
}
