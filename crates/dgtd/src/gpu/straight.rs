//! A stage of straight elements in one kernel.

use super::engine::{GpuEngine, Part, Section};
use super::tables::GpuReal;
use crate::error::DgtdError;
use phasefront_device::Grid;
use std::ops::Range;

impl<T: GpuReal> GpuEngine<'_, T> {
    pub(super) fn grid(&self, slots: &Range<usize>) -> Grid {
        let groups = self.layout.groups(slots.len());
        Grid { groups: [groups, 1, 1], group_size: [self.layout.items() as u32, 1, 1] }
    }

    /// Launches a stage of a part of a section in one kernel; `step` is the scalars of STEP_PARAMS.
    pub(super) fn launch_fused(
        &self,
        section: &Section<T>,
        part: &Part,
        step: &[f64],
    ) -> Result<(), DgtdError> {
        // The same parameters for `kernels/stage.cu` and `kernels/tensor.cu`, in the layout of
        // each.
        let mut args = self.stage_args(section, part, step);
        args.push((&self.tables.derivative).into());
        args.push((&self.tables.lift).into());
        self.gpu.launch(&*section.program, "stage", self.grid(&part.slots), &args)?;
        Ok(())
    }
}
