//! A stage of straight elements in one kernel.

use super::engine::{GpuEngine, Section};
use super::tables::{GpuReal, Tables};
use crate::error::DgtdError;
use phasefront_device::{Arg, Grid};

impl<T: GpuReal> GpuEngine<'_, T> {
    pub(super) fn grid(&self, section: &Section<T>) -> Grid {
        let groups = self.shape.groups(section.slots.len());
        Grid { groups: [groups, 1, 1], group_size: [self.shape.items() as u32, 1, 1] }
    }

    /// A stage of one section in one kernel; `step` is the pulse, a, b and dt.
    pub(super) fn launch_fused(&self, section: &Section<T>, step: [f64; 4]) -> Result<(), DgtdError> {
        let Tables { shapes, faces, neighbors, across, derivative, lift, drive, currents, .. } = &self.tables;
        let mut args: Vec<Arg<'_>> = vec![
            (&self.fields).into(),
            (&self.increments).into(),
            (&self.traces[0]).into(),
            (&self.traces[1]).into(),
            shapes.into(),
            faces.into(),
            neighbors.into(),
            across.into(),
            derivative.into(),
            lift.into(),
            (&drive.of_face).into(),
            (&drive.values).into(),
            (&currents.of_slot).into(),
            (&currents.values).into(),
        ];
        args.extend(section.further.args());
        args.extend(step.map(Arg::F64));
        self.gpu.launch(&*section.program, "stage", self.grid(section), &args)?;
        Ok(())
    }
}
