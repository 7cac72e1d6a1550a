//! A stage of curved elements, and their energy.

use super::engine::{GpuEngine, Section};
use super::tables::GpuReal;
use crate::error::DgtdError;
use phasefront_device::{Arg, Grid};

impl<T: GpuReal> GpuEngine<'_, T> {
    fn curved_grid(&self, section: &Section<T>) -> Grid {
        let lanes = self.shape.lanes();
        let groups = section.slots.len() / lanes;
        Grid { groups: [groups as u32, 1, 1], group_size: [self.shape.curved_items() as u32, 1, 1] }
    }

    /// A stage of the curved elements; `step` is the pulse, a, b and dt.
    pub(super) fn launch_curved(&self, section: &Section<T>, step: [f64; 4]) -> Result<(), DgtdError> {
        let (tables, curved) = (&self.tables, &self.curved);
        let mut args: Vec<Arg<'_>> = vec![
            (&self.fields).into(),
            (&self.increments).into(),
            (&self.traces[0]).into(),
            (&self.traces[1]).into(),
            (&curved.traces[0]).into(),
            (&curved.traces[1]).into(),
            (&tables.shapes).into(),
            (&tables.faces).into(),
            (&curved.bends).into(),
            (&tables.neighbors).into(),
            (&curved.neighbors).into(),
            (&tables.across).into(),
            (&curved.across).into(),
            (&curved.operators).into(),
            (&tables.drive.of_face).into(),
            (&curved.drive.of_face).into(),
            (&tables.drive.values).into(),
            (&curved.drive.values).into(),
            (&tables.currents.of_slot).into(),
            (&tables.currents.values).into(),
        ];
        args.extend(section.further.args());
        args.extend(step.map(Arg::F64));
        args.push(Arg::I32((section.slots.start / self.shape.lanes()) as i32));
        self.gpu.launch(&*section.program, "stage", self.curved_grid(section), &args)?;
        Ok(())
    }

    /// Twice the energies of groups of curved elements, behind those of the others.
    pub(super) fn launch_curved_energies(
        &self,
        section: &Section<T>,
        first_sum: usize,
    ) -> Result<(), DgtdError> {
        let args = [
            (&self.fields).into(),
            (&self.tables.shapes).into(),
            (&self.curved.bends).into(),
            (&self.curved.operators).into(),
            (&self.energies).into(),
            Arg::I32((section.slots.start / self.shape.lanes()) as i32),
            Arg::I32(first_sum as i32),
        ];
        self.gpu.launch(&*section.program, "energies", self.curved_grid(section), &args)?;
        Ok(())
    }
}
