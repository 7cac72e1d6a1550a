//! What the states of sheets and walls add to the flux of a stage, and their own step (`kernels/sheets.cu`).

use super::engine::{GpuEngine, Step};
use super::layout::GROUP;
use super::tables::GpuReal;
use crate::error::DgtdError;
use crate::share::face_values;
use phasefront_device::{Arg, Grid, Stream};

impl<T: GpuReal> GpuEngine<'_, T> {
    /// What the states of sheets add to the flux of a stage, and their own step.
    pub(super) fn advance_sheets(&self, step: &Step) -> Result<(), DgtdError> {
        let Some(sheets) = &self.sheets else { return Ok(()) };
        if self.halo().is_some() {
            // Traces of other ranks arrive on the second stream.
            self.gpu.order(Stream::First)?;
        }
        let (plan, local) = (&self.share.plan, self.layout.local);
        for part in &sheets.parts {
            let (sources, traces, permutations, scalars) = if part.curved {
                let tables = &self.curved;
                (&tables.sources, &tables.traces, &tables.permutations, plan.point_traces())
            } else {
                (&self.tables.sources, &self.traces, &self.tables.permutations, plan.traces())
            };
            let values = face_values(plan, part.curved);
            let count = part.count * values;
            let mut args: Vec<Arg<'_>> = vec![(&sheets.values).into()];
            args.extend(sheets.registers[..if local { 3 } else { 1 }].iter().map(Arg::from));
            args.extend(self.trace_args(traces, step));
            args.extend([
                (&part.faces).into(),
                permutations.into(),
                (&sheets.equations).into(),
                (&sources.values).into(),
                Arg::I32(values as i32),
                Arg::I32(scalars as i32),
                Arg::I32(i32::from(!part.curved)),
                Arg::I64((sources.points * sources.scalars / values) as i64),
                Arg::I64(count as i64),
            ]);
            args.extend(self.step_args(step));
            args.push(Arg::I32(0));
            self.gpu.launch(&*sheets.program, "sheets", Grid::cover(count, GROUP), &args)?;
        }
        Ok(())
    }
}
