//! Monitors on the GPU: time series, spectra, energy.

use super::engine::{GpuEngine, SAMPLE_STEPS, energy_sums};
use super::layout::GROUP;
use super::tables::GpuReal;
use crate::error::DgtdError;
use num_complex::Complex64;
use phasefront_core::ExactSum;
use phasefront_device::{Arg, Grid};

impl<T: GpuReal> GpuEngine<'_, T> {
    /// Appends the terms of one step.
    pub(super) fn sample_terms(&mut self) -> Result<(), DgtdError> {
        let terms = self.share.terms.len();
        if terms == 0 {
            return Ok(());
        }
        if self.sampled == SAMPLE_STEPS {
            self.fetch_samples()?;
        }
        let monitors = &self.tables.monitors;
        let args = [
            (&self.fields).into(),
            (&monitors.starts).into(),
            (&monitors.indices).into(),
            (&monitors.weights).into(),
            (&self.samples).into(),
            Arg::I64((self.sampled * terms) as i64),
        ];
        // A group per term: a whole element, or a face of it.
        let grid = Grid { groups: [terms as u32, 1, 1], group_size: [GROUP, 1, 1] };
        self.gpu.launch(&*self.monitor_program, "sample_terms", grid, &args)?;
        self.sampled += 1;
        Ok(())
    }

    /// Adds factor × field to the spectra of all monitored nodes.
    pub(super) fn accumulate_spectra(&mut self, factors: &[Complex64]) -> Result<(), DgtdError> {
        let nodes = self.share.nodes.len();
        if nodes == 0 || factors.is_empty() {
            return Ok(());
        }
        self.gpu.upload_bytes(bytemuck::cast_slice(factors), self.tables.monitors.factors.memory())?;
        let args = [
            (&self.fields).into(),
            (&self.tables.monitors.nodes).into(),
            (&self.tables.monitors.factors).into(),
            (&self.spectra).into(),
            Arg::I64(nodes as i64),
            // Stride from a component to the next in [block][component][node][lane].
            Arg::I64((self.share.plan.element.len() * self.layout.lanes()) as i64),
            Arg::I32(factors.len() as i32),
        ];
        self.gpu.launch(&*self.monitor_program, "accumulate", Grid::cover(6 * nodes, GROUP), &args)?;
        Ok(())
    }

    /// The energy of all elements; the order of the partial sums is fixed.
    pub(super) fn total_energy(&mut self) -> Result<ExactSum, DgtdError> {
        let slots = self.share.plan.tets.len();
        let args = [
            (&self.fields).into(),
            (&self.tables.mass).into(),
            (&self.tables.energy_weights).into(),
            (&self.energies).into(),
            Arg::I64(slots as i64),
        ];
        self.gpu.launch(&*self.monitor_program, "energies", Grid::cover(6 * slots, GROUP), &args)?;
        // Curved elements have weight zero in the kernel above.
        for section in self.sections.iter().filter(|section| section.curved) {
            self.launch_curved_energies(section, energy_sums(slots))?;
        }
        // Kernels leave out the factor of one half.
        Ok(self.gpu.download(&self.energies)?.iter().map(|energy| 0.5 * energy).collect())
    }

    /// Downloads the time series from the device.
    pub(super) fn fetch_samples(&mut self) -> Result<(), DgtdError> {
        if self.sampled > 0 {
            let terms = self.share.terms.len();
            // The whole buffer in one copy; only the steps sampled since the last one are valid.
            let values = self.gpu.download(&self.samples)?;
            self.fetched.extend_from_slice(&values[..self.sampled * terms]);
            self.sampled = 0;
        }
        Ok(())
    }
}
