//! Sources of a stage, at the points of faces.

use super::engine::GpuEngine;
use super::layout::GROUP;
use super::tables::GpuReal;
use crate::error::DgtdError;
use phasefront_device::{Arg, Grid};
use std::f64::consts::TAU;

impl<T: GpuReal> GpuEngine<'_, T> {
    /// The pulse at the points of driven faces; once it is over everywhere, nothing.
    pub(super) fn drive(&mut self, time: f64) -> Result<(), DgtdError> {
        if self.drive_is_over {
            return Ok(());
        }
        self.drive_is_over = time > self.study.drive_end();
        let pulse = self.study.problem.pulse;
        for drive in [&self.tables.drive, &self.curved.drive].into_iter().filter(|drive| drive.points > 0) {
            if self.drive_is_over {
                let zeros = vec![T::default(); drive.values.len()];
                self.gpu.upload_bytes(bytemuck::cast_slice(&zeros), drive.values.memory())?;
                continue;
            }
            let args = [
                (&drive.delays).into(),
                (&drive.amounts).into(),
                (&drive.values).into(),
                Arg::F64(time - pulse.delay),
                Arg::F64(pulse.width),
                Arg::F64(TAU * pulse.carrier),
                Arg::F64(pulse.phase()),
                Arg::I32(drive.scalars as i32),
                Arg::I64(drive.points as i64),
            ];
            self.gpu.launch(&*self.watch, "drive_faces", Grid::cover(drive.points, GROUP), &args)?;
        }
        Ok(())
    }
}
