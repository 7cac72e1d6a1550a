//! A stage of straight elements in one kernel.

use super::engine::{GpuEngine, Section};
use super::tables::GpuReal;
use crate::error::DgtdError;
use phasefront_device::Grid;

impl<T: GpuReal> GpuEngine<'_, T> {
    pub(super) fn grid(&self, section: &Section<T>) -> Grid {
        let groups = self.layout.groups(section.slots.len());
        Grid { groups: [groups, 1, 1], group_size: [self.layout.items() as u32, 1, 1] }
    }

    /// Launches a stage of one section in one kernel; `step` is the pulse, a, b and dt.
    pub(super) fn launch_fused(&self, section: &Section<T>, step: [f64; 4]) -> Result<(), DgtdError> {
        // The same parameters for `kernels/stage.cu` and `kernels/tensor.cu`, in the layout of
        // each.
        let mut args = self.stage_args(section, step);
        args.push((&self.tables.derivative).into());
        args.push((&self.tables.lift).into());
        self.gpu.launch(&*section.program, "stage", self.grid(section), &args)?;
        Ok(())
    }
}
