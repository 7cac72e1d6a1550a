//! Traces that are exchanged with other ranks: packed on the device, one copy in each direction.

use super::engine::GpuEngine;
use super::halo_tables::{Faces, HaloTables};
use super::layout::GROUP;
use super::tables::GpuReal;
use crate::error::DgtdError;
use phasefront_device::{Arg, Buffer, Gpu, Grid};

impl<T: GpuReal> GpuEngine<'_, T> {
    /// The traces that another rank reads. The first call waits for the kernels of the border, which are few; those of the interior are
    /// launched after it.
    pub(super) fn pack_traces(&mut self, halo: usize, bytes: &mut [u8]) -> Result<(), DgtdError> {
        let Some(tables) = &mut self.halo else { return Ok(()) };
        if tables.packed.is_empty() {
            for (faces, traces) in tables.faces.iter().zip([&self.traces[0], &self.curved.traces[0]]) {
                launch(&*self.gpu, tables, faces, "pack", [traces, &tables.outgoing])?;
            }
            tables.packed = self.gpu.download(&tables.outgoing)?;
        }
        bytes.copy_from_slice(bytemuck::cast_slice(&tables.packed[tables.ranges[halo].clone()]));
        Ok(())
    }

    /// The traces that another rank has sent; after those of the last one they go to the device, behind the kernels of the interior.
    pub(super) fn unpack_traces(&mut self, halo: usize, bytes: &[u8]) -> Result<(), DgtdError> {
        let Some(tables) = &mut self.halo else { return Ok(()) };
        let range = tables.ranges[halo].clone();
        bytemuck::cast_slice_mut(&mut tables.received[range]).copy_from_slice(bytes);
        if halo + 1 < tables.ranges.len() {
            return Ok(());
        }
        self.gpu.upload_bytes(bytemuck::cast_slice(&tables.received), tables.incoming.memory())?;
        for (faces, traces) in tables.faces.iter().zip([&self.traces[0], &self.curved.traces[0]]) {
            launch(&*self.gpu, tables, faces, "unpack", [traces, &tables.incoming])?;
        }
        Ok(())
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
