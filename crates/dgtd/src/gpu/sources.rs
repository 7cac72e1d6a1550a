//! Sources of a stage, at the points of faces.

use super::engine::GpuEngine;
use super::layout::GROUP;
use super::tables::GpuReal;
use crate::error::DgtdError;
use crate::pulse::Pulse;
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
        let pulse = &self.share.study.problem.pulse;
        for sources in
            [&self.tables.sources, &self.curved.sources].into_iter().filter(|sources| sources.points > 0)
        {
            if self.sources_ended {
                let zeros = vec![T::default(); sources.points * sources.scalars];
                self.gpu.upload_bytes(bytemuck::cast_slice(&zeros), sources.values.memory())?;
                continue;
            }
            let mut args: Vec<Arg<'_>> =
                vec![(&sources.delays).into(), (&sources.amplitudes).into(), (&sources.values).into()];
            let kernel = match pulse {
                Pulse::Gaussian(pulse) => {
                    // The kernel takes time relative to the peak of the pulse.
                    let numbers = [time - pulse.delay, pulse.width, TAU * pulse.carrier, pulse.phase()];
                    args.extend(numbers.map(Arg::F64));
                    "source_faces"
                }
                Pulse::Table(waveform) => {
                    args.push((&self.tables.waveform).into());
                    args.extend([time - waveform.start, waveform.step].map(Arg::F64));
                    args.push(Arg::I32(waveform.coefficients.len() as i32));
                    "source_faces_by_table"
                }
            };
            args.extend([Arg::I32(sources.scalars as i32), Arg::I32(sources.copies as i32)]);
            args.push(Arg::I64(sources.points as i64));
            self.gpu.launch(&*self.monitor_program, kernel, Grid::cover(sources.points, GROUP), &args)?;
        }
        Ok(())
    }
}
