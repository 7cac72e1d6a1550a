//! FFT and deconvolution on a GPU.

use super::kernels::LANES_GROUP;
use super::plan::{DeviceResult, GpuPlan, MAX_ROWS, sizes};
use crate::options::Sign;
use bytemuck::Pod;
use num_complex::Complex;
use phasefront_core::Real;
use phasefront_device::{Arg, Buffer, Direction, Grid};

impl<T: Real + Pod> GpuPlan<T> {
    /// The FFT of the grid.
    pub(super) fn transform(&self, sign: Sign) -> DeviceResult {
        let direction = match sign {
            Sign::Minus => Direction::Forward,
            Sign::Plus => Direction::Inverse,
        };
        self.gpu.fft_bytes(self.fft, direction, self.grid.memory())
    }

    /// From the grid to the modes, f_k = b̂_k/Φ_k.
    pub(super) fn deconvolve(&self, modes: &Buffer<Complex<T>>) -> DeviceResult {
        self.launch_lines("deconvolve", [&self.grid, modes], &self.grid_index, self.shape.modes)
    }

    /// From the modes to the grid, b̂_k = f_k/Φ_k, zero elsewhere.
    pub(super) fn fill(&self, modes: &Buffer<Complex<T>>) -> DeviceResult {
        self.launch_lines("fill_grid", [modes, &self.grid], &self.mode_at, self.shape.fine)
    }

    /// Launches `kernel` over the lines of `lines`.
    fn launch_lines(
        &self,
        kernel: &str,
        [from, to]: [&Buffer<Complex<T>>; 2],
        table: &Buffer<i32>,
        lines: [usize; 3],
    ) -> DeviceResult {
        let mut args = vec![from.into(), to.into(), table.into(), (&self.factors).into()];
        args.extend(sizes(self.shape.modes));
        args.extend(sizes(self.shape.fine));
        args.push(Arg::I32(self.options.batch as i32));
        // Rows beyond the limit are processed by the same groups with a stride.
        let rows = (lines[1] * lines[2] * self.options.batch).min(MAX_ROWS);
        // Groups along x: consecutive items read and write consecutive values.
        let grid = Grid::cover_2d([lines[0], rows], [LANES_GROUP, 1]);
        self.gpu.launch(&*self.kernels.modes, kernel, grid, &args)
    }
}
