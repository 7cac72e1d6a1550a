//! Spreading on a GPU.

use super::kernels::{GROUP, LANES_GROUP};
use super::plan::{DeviceResult, GpuPlan, sizes};
use super::sort::{Points, Spreading, tiles};
use bytemuck::Pod;
use num_complex::Complex;
use phasefront_core::Real;
use phasefront_device::{Arg, Buffer, Grid};

impl<T: Real + Pod> GpuPlan<T> {
    /// Spreads strengths over a grid: b_l = Σ_j c_j φ(l − n x_j/2π).
    pub(super) fn spread(
        &self,
        points: &Points<T>,
        strengths: &Buffer<Complex<T>>,
        grid: &Buffer<Complex<T>>,
    ) -> DeviceResult {
        let program = &*self.kernels.spread;
        let (kernel, extra, groups, size) = match &points.spreading {
            Spreading::Tiles { starts } => {
                let tiles = tiles(&self.shape).iter().product();
                ("spread_tiles", Some(starts), tiles, LANES_GROUP)
            }
            Spreading::Subproblems { lists } => {
                // A group covers the taps of a point, with two warps at least.
                let size = (self.taps as u32).next_power_of_two().clamp(64, 256);
                ("spread_subproblems", Some(lists), lists.len() / 3, size)
            }
            Spreading::Points => ("spread_points", None, points.count.div_ceil(GROUP as usize), GROUP),
            Spreading::Taps => {
                ("spread_taps", None, (points.count * self.taps).div_ceil(GROUP as usize), GROUP)
            }
        };
        // The output-driven kernel writes every cell; the others add to the grid.
        if kernel != "spread_tiles" {
            let args = [grid.into(), Arg::I64(grid.len() as i64)];
            self.gpu.launch(program, "clear", Grid::cover(grid.len(), GROUP), &args)?;
        }
        let mut args = vec![(&points.first).into(), (&points.z).into(), (&points.order).into()];
        args.extend(extra.map(Arg::from));
        args.extend([strengths.into(), grid.into(), Arg::I64(points.count as i64)]);
        args.extend(sizes(self.shape.fine));
        self.launch_batch(program, kernel, groups, size, &args)
    }
}
