//! LU factorization by the GPUs of all ranks. The entries of a rank come from its host, and the factors stay on its GPU.

use crate::error::MomError;
use bytemuck::Pod;
use phasefront_comm::{BlockCyclic, Comm, DENSE_BLOCK_GPU};
use phasefront_core::Precision;
use phasefront_device::{Gpu, SharedLu, SharedMatrix};

/// The GPUs of all ranks, and a matrix.
pub(super) struct GpuLu {
    lu: Box<dyn SharedLu>,
    layout: BlockCyclic,
    matrix: SharedMatrix,
    /// The GPUs meet when the first matrix is factored: until then nothing is collective.
    have_met: bool,
}

impl GpuLu {
    /// For matrices of order `n`. An error if the libraries are missing, or the device has none.
    pub(super) fn new(
        comm: &dyn Comm,
        gpu: &dyn Gpu,
        n: usize,
        precision: Precision,
    ) -> Result<Self, MomError> {
        let lu = gpu.shared_lu()?.ok_or(MomError::GpuOnRanks)?;
        let layout = BlockCyclic::on_ranks(n, DENSE_BLOCK_GPU, comm.size(), comm.rank());
        let grid = [layout.rows.parts, layout.columns.parts];
        let matrix = SharedMatrix { n, block: DENSE_BLOCK_GPU, grid, rank: comm.rank(), precision };
        Ok(Self { lu, layout, matrix, have_met: false })
    }

    pub(super) fn describe(&self) -> String {
        let [rows, columns] = self.matrix.grid;
        format!("cuSOLVERMp on {rows} x {columns} GPUs")
    }

    pub(super) fn layout(&self) -> &BlockCyclic {
        &self.layout
    }

    /// Factors a matrix; the column of a pivot that is zero, if there is one. Collective.
    pub(super) fn factor<C: Pod>(
        &mut self,
        comm: &dyn Comm,
        entries: &[C],
    ) -> Result<Option<usize>, MomError> {
        if !self.have_met {
            let mut group = if comm.rank() == 0 { self.lu.new_group()? } else { Vec::new() };
            comm.broadcast(&mut group)?;
            self.lu.join(self.matrix, &group)?;
            self.have_met = true;
        }
        let singular = self.lu.factor_bytes(bytemuck::cast_slice(entries))?;
        // Only the ranks that have the column may know of it.
        let column = comm.max(singular.map_or(-1.0, |column| column as f64))?;
        Ok((column >= 0.0).then_some(column as usize))
    }

    /// Solves for right-hand sides of which every rank has its own entries, in place. Collective.
    pub(super) fn solve<C: Pod>(&self, rhs: &mut [C], columns: usize) -> Result<(), MomError> {
        Ok(self.lu.solve_bytes(bytemuck::cast_slice_mut(rhs), columns)?)
    }
}
