//! A stage of curved elements, and their energy.

use super::engine::{GpuEngine, Section, Step};
use super::tables::GpuReal;
use crate::error::DgtdError;
use phasefront_device::{Arg, Grid};
use std::ops::Range;

impl<T: GpuReal> GpuEngine<'_, T> {
    fn curved_grid(&self, slots: &Range<usize>) -> Grid {
        let lanes = self.layout.lanes();
        let groups = slots.len() / lanes;
        Grid { groups: [groups as u32, 1, 1], group_size: [self.layout.curved_items() as u32, 1, 1] }
    }

    /// A stage of some of the curved elements.
    pub(super) fn launch_curved(
        &self,
        section: &Section<T>,
        slots: &Range<usize>,
        step: &Step,
    ) -> Result<(), DgtdError> {
        let curved = &self.curved;
        let mut args = self.stage_args(section, slots, step);
        args.extend(self.trace_args(&curved.traces, step));
        args.extend::<[Arg<'_>; 6]>([
            (&curved.maps).into(),
            (&curved.neighbors).into(),
            (&curved.permutations).into(),
            (&curved.operators).into(),
            (&curved.sources.of_face).into(),
            (&curved.sources.values).into(),
        ]);
        // Maps and traces at points are counted from the first block of curved elements.
        args.push(Arg::I32((section.slots.start / self.layout.lanes()) as i32));
        self.gpu.launch(&*section.program, "stage", self.curved_grid(slots), &args)?;
        Ok(())
    }

    /// Twice the energies of groups of curved elements, behind those of the straight ones.
    pub(super) fn launch_curved_energies(
        &self,
        section: &Section<T>,
        first_sum: usize,
    ) -> Result<(), DgtdError> {
        let args = [
            (&self.fields).into(),
            (&self.tables.shapes).into(),
            (&self.curved.maps).into(),
            (&self.curved.operators).into(),
            (&self.energies).into(),
            Arg::I32((section.slots.start / self.layout.lanes()) as i32),
            Arg::I32(first_sum as i32),
        ];
        self.gpu.launch(&*section.program, "energies", self.curved_grid(&section.slots), &args)?;
        Ok(())
    }
}
