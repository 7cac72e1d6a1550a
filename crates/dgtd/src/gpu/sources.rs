//! Sources of a stage, at the points of faces.

use super::engine::GpuEngine;
use super::layout::GROUP;
use super::tables::GpuReal;
use crate::error::DgtdError;
use phasefront_device::{Arg, Grid};
use std::f64::consts::TAU;

impl<T: GpuReal> GpuEngine<'_, T> {
    /// Evaluates the sources on faces at a time; zero after the end of the pulse.
    pub(super) fn evaluate_sources(&mut self, time: f64) -> Result<(), DgtdError> {
        if self.sources_ended {
            return Ok(());
        }
        // At the end of the pulse the values are set to zero once; after that nothing is launched.
        self.sources_ended = time > self.share.study.source_end();
        let pulse = self.share.study.problem.pulse;
        for sources in
            [&self.tables.sources, &self.curved.sources].into_iter().filter(|sources| sources.points > 0)
        {
            if self.sources_ended {
                let zeros = vec![T::default(); sources.values.len()];
                self.gpu.upload_bytes(bytemuck::cast_slice(&zeros), sources.values.memory())?;
                continue;
            }
            let args = [
                (&sources.delays).into(),
                (&sources.amplitudes).into(),
                (&sources.values).into(),
                // The kernel takes time relative to the peak of the pulse.
                Arg::F64(time - pulse.delay),
                Arg::F64(pulse.width),
                Arg::F64(TAU * pulse.carrier),
                Arg::F64(pulse.phase()),
                Arg::I32(sources.scalars as i32),
                Arg::I64(sources.points as i64),
            ];
            self.gpu.launch(
                &*self.monitor_program,
                "source_faces",
                Grid::cover(sources.points, GROUP),
                &args,
            )?;
        }
        Ok(())
    }
}
