//! Monitors on the CPU: time series, spectra, energy.

use super::engine::{CpuEngine, index};
use super::float::Float;
use num_complex::Complex64;
use phasefront_core::ExactSum;
use rayon::prelude::*;

impl<T: Float> CpuEngine<'_, T> {
    /// Appends the terms of one step.
    pub(super) fn sample_terms(&mut self) {
        for (slot, term) in &self.share.terms {
            let value = |&(component, node, weight): &(u8, u8, f64)| {
                let index = index(&self.tables, *slot as usize, component.into(), node.into());
                weight * self.fields[index].to_f64()
            };
            let current = term.current.map_or(0.0, |(i, weight)| weight * self.wires.values[i].to_f64());
            self.samples.push(term.weights.iter().map(value).sum::<f64>() + current);
        }
    }

    /// Adds factor × field to the spectra of all monitored nodes.
    pub(super) fn accumulate_spectra(&mut self, factors: &[Complex64]) {
        let nodes = &self.share.nodes;
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

    /// The energy of all elements and thin wires.
    pub(super) fn total_energy(&self) -> ExactSum {
        let energies: Vec<f64> =
            (0..self.share.plan.tets.len()).into_par_iter().map(|slot| self.slot_energy(slot)).collect();
        let mut energy: ExactSum = energies.into_iter().collect();
        energy.merge(&self.wires.energy(self.share));
        energy
    }

    /// ½ J Σ_c (ε_c E_cᵀ M E_c + μ_c H_cᵀ M H_c) of an element; zero for an empty slot.
    fn slot_energy(&self, slot: usize) -> f64 {
        let (plan, nodes) = (&self.share.plan, self.tables.nodes);
        if plan.tets[slot].is_none() {
            return 0.0;
        }
        let medium = &plan.media[slot];
        let constants = [medium.eps, medium.mu];
        let component = |component: usize| {
            let values: Vec<f64> =
                (0..nodes).map(|n| self.fields[self.index(slot, component, n)].to_f64()).collect();
            0.5 * plan.square(slot, &values) * constants[component / 3][component % 3]
        };
        (0..6).map(component).sum()
    }
}
