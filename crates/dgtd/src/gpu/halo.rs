//! Traces that are exchanged with other ranks: packed on the device, one copy in each direction, all on the second stream.

use super::engine::GpuEngine;
use super::halo_tables::{HaloTables, Transfer};
use super::layout::GROUP;
use super::tables::GpuReal;
use crate::error::DgtdError;
use phasefront_device::{Arg, Grid};

impl<T: GpuReal> GpuEngine<'_, T> {
    /// Packs the traces that other ranks read, behind the kernels of the border, and has them copied to the host.
    pub(super) fn fetch_border(&self, tables: &HaloTables<T>) -> Result<(), DgtdError> {
        let outgoing = &tables.outgoing;
        self.copy_traces(tables, outgoing, "pack")?;
        if outgoing.packed.is_empty() {
            return Ok(());
        }
        Ok(self.gpu.fetch(&outgoing.packed, &outgoing.staging, outgoing.packed.len())?)
    }

    /// The traces that another rank reads. Waits for the second stream alone.
    pub(super) fn pack_traces(&self, halo: usize, bytes: &mut [u8]) -> Result<(), DgtdError> {
        let Some(tables) = self.halo() else { return Ok(()) };
        let start = tables.outgoing.ranges[halo].start;
        Ok(tables.outgoing.staging.read_into(start, bytemuck::cast_slice_mut(bytes))?)
    }

    /// The traces that another rank has sent; after those of the last one they go to the device, beside the kernels of the interior.
    pub(super) fn unpack_traces(&self, halo: usize, bytes: &[u8]) -> Result<(), DgtdError> {
        let Some(tables) = self.halo() else { return Ok(()) };
        let incoming = &tables.incoming;
        incoming.staging.write(incoming.ranges[halo].start, bytemuck::cast_slice(bytes))?;
        if halo + 1 < incoming.ranges.len() || incoming.packed.is_empty() {
            return Ok(());
        }
        self.gpu.beside(|| {
            self.gpu.send(&incoming.staging, &incoming.packed, incoming.packed.len())?;
            self.copy_traces(tables, incoming, "unpack")
        })
    }

    /// Copies between the traces of faces and the packed array.
    fn copy_traces(
        &self,
        tables: &HaloTables<T>,
        transfer: &Transfer<T>,
        kernel: &str,
    ) -> Result<(), DgtdError> {
        for faces in &transfer.faces {
            let traces = if faces.curved { &self.curved.traces } else { &self.traces };
            let count = faces.numbers.len() * faces.values;
            let args = [
                (&traces[0]).into(),
                (&traces[1]).into(),
                (&traces[2]).into(),
                (&faces.numbers).into(),
                (&faces.levels).into(),
                (&faces.starts).into(),
                (&transfer.packed).into(),
                Arg::I32(faces.values as i32),
                Arg::I64(count as i64),
                Arg::I32(i32::from(self.share.study.clusters.last_due(self.next))),
                Arg::I32(self.newest),
            ];
            self.gpu.launch(&*tables.program, kernel, Grid::cover(count, GROUP), &args)?;
        }
        Ok(())
    }
}
