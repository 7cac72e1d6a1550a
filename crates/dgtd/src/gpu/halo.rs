//! Traces that are exchanged with other ranks: packed on the device, one copy in each direction, all on the second stream.

use super::engine::GpuEngine;
use super::halo_tables::{Faces, HaloTables};
use super::layout::GROUP;
use super::tables::GpuReal;
use crate::error::DgtdError;
use phasefront_device::{Arg, Buffer, Gpu, Grid};

impl<T: GpuReal> GpuEngine<'_, T> {
    /// Packs the traces that other ranks read, behind the kernels of the border, and has them copied to the host.
    pub(super) fn fetch_border(&self, tables: &HaloTables<T>) -> Result<(), DgtdError> {
        for (faces, traces) in tables.faces.iter().zip([&self.traces[0], &self.curved.traces[0]]) {
            launch(&*self.gpu, tables, faces, "pack", [traces, &tables.outgoing])?;
        }
        Ok(self.gpu.fetch(&tables.outgoing, &tables.packed, tables.outgoing.len())?)
    }

    /// The traces that another rank reads. Waits for the second stream alone.
    pub(super) fn pack_traces(&self, halo: usize, bytes: &mut [u8]) -> Result<(), DgtdError> {
        let Some(tables) = &self.halo else { return Ok(()) };
        Ok(tables.packed.read_into(tables.ranges[halo].start, bytemuck::cast_slice_mut(bytes))?)
    }

    /// The traces that another rank has sent; after those of the last one they go to the device, beside the kernels of the interior.
    pub(super) fn unpack_traces(&self, halo: usize, bytes: &[u8]) -> Result<(), DgtdError> {
        let Some(tables) = &self.halo else { return Ok(()) };
        tables.received.write(tables.ranges[halo].start, bytemuck::cast_slice(bytes))?;
        if halo + 1 < tables.ranges.len() {
            return Ok(());
        }
        self.gpu.beside(|| {
            self.gpu.send(&tables.received, &tables.incoming, tables.incoming.len())?;
            for (faces, traces) in tables.faces.iter().zip([&self.traces[0], &self.curved.traces[0]]) {
                launch(&*self.gpu, tables, faces, "unpack", [traces, &tables.incoming])?;
            }
            Ok(())
        })
    }
}

fn launch<T: GpuReal>(
    gpu: &dyn Gpu,
    tables: &HaloTables<T>,
    faces: &Faces,
    kernel: &str,
    [traces, travelling]: [&Buffer<T>; 2],
) -> Result<(), DgtdError> {
    let count = faces.sent.len() * faces.values;
    if count == 0 {
        return Ok(());
    }
    let numbers = if kernel == "pack" { &faces.sent } else { &faces.received };
    let args = [
        traces.into(),
        numbers.into(),
        (&faces.starts).into(),
        travelling.into(),
        Arg::I32(faces.values as i32),
        Arg::I64(count as i64),
    ];
    gpu.launch(&*tables.program, kernel, Grid::cover(count, GROUP), &args)?;
    Ok(())
}
