//! A stage of straight elements in one kernel.

use super::engine::{GpuEngine, Section, Step};
use super::tables::GpuReal;
use crate::error::DgtdError;
use phasefront_device::Grid;
use std::ops::Range;

impl<T: GpuReal> GpuEngine<'_, T> {
    pub(super) fn grid(&self, slots: &Range<usize>) -> Grid {
        let groups = self.layout.groups(slots.len());
        Grid { groups: [groups, 1, 1], group_size: [self.layout.items() as u32, 1, 1] }
    }

    /// Launches a stage of some elements of a section in one kernel.
    pub(super) fn launch_fused(
        &self,
        section: &Section<T>,
        slots: &Range<usize>,
        step: &Step,
    ) -> Result<(), DgtdError> {
        // The same parameters for `kernels/stage.cu` and `kernels/tensor.cu`, in the layout of
        // each.
        let mut args = self.stage_args(section, slots, step);
        args.push((&self.tables.derivative).into());
        args.push((&self.tables.lift).into());
        self.gpu.launch(&*section.program, "stage", self.grid(slots), &args)?;
        Ok(())
    }
}
