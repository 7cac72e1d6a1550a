//! Gradients of a cost by the adjoint sums.

use super::buffers::{Buffers, Matrix};
use super::kernels::{BLOCK_ELEMENTS, BLOCK_SAMPLES, GROUP, SIDE, sizes};
use phasefront_device::{Arg, DeviceError, Grid};

impl Buffers {
    /// W = g E* w for the staged weights.
    pub fn weighted_field(&self) -> Result<(), DeviceError> {
        self.gpu.send(&self.weights_upload, &self.weights, self.samples())?;
        let mut args = vec![Arg::from(&self.weights), (&self.g).into(), (&self.field).into()];
        args.extend([Arg::from(&self.u), (&self.v).into(), (&self.w).into()]);
        args.extend(sizes([self.nu, self.nv]));
        self.launch("weighted_field", Grid::cover(self.samples(), GROUP as u32), &args)
    }

    /// Gradients from `sums` adjoint sums (0: none, 1: phases, 3: phases and positions), downloaded with Φ.
    pub fn gradient(&self, sums: usize) -> Result<(), DeviceError> {
        if sums > 0 {
            self.gradient_kernels(sums)?;
        }
        // Only as much as has been computed.
        self.gpu.fetch(&self.cost, &self.download, self.cost_groups() + sums * self.elements)
    }

    fn gradient_kernels(&self, sums: usize) -> Result<(), DeviceError> {
        let partial_sums = match self.grid {
            Some(axes) => self.adjoint_of_grid(axes, sums)?,
            None => self.adjoint_of_scattered(sums)?,
        };
        let mut args = vec![Arg::from(&self.design), (&self.element).into(), (&self.a).into()];
        args.extend([Arg::from(&self.adjoint_sums), (&self.back_projection).into(), (&self.cost).into()]);
        args.extend(sizes([self.cost_groups(), self.elements, self.cells, partial_sums]));
        args.push(Arg::I32(sums as i32));
        args.extend(self.feed_args());
        self.launch("gradient", Grid::cover(self.cells, GROUP as u32), &args)
    }

    /// S = Exᵀ W Ey, of uW and vW too if `sums` is 3; returns the number of partial sums, one.
    fn adjoint_of_grid(&self, [nx, ny]: [usize; 2], sums: usize) -> Result<usize, DeviceError> {
        let (nu, nv) = (self.nu, self.nv);
        // Strides select W (h + nu k) and Ey (k + nv n) as factors without transposing either.
        let (w, ey) = (Matrix(&self.w, [1, nu, nu * nv]), Matrix(&self.ey, [nv, 1, 0]));
        self.product(w, ey, &self.row_sums, [nu, ny, nv], sums)?;
        let (ext, we) = (Matrix(&self.ex, [nu, 1, 0]), Matrix(&self.row_sums, [nu, 1, nu * ny]));
        self.product(ext, we, &self.adjoint_sums, [nx, ny, nu], sums)?;
        Ok(1)
    }

    /// S = Σ W e^{jβ(ux + vy)} at each element, in partial sums over u; returns their number.
    fn adjoint_of_scattered(&self, sums: usize) -> Result<usize, DeviceError> {
        // The groups of one block of u each leave a partial sum, which `gradient` adds up.
        let partial_sums = self.nu.div_ceil(BLOCK_SAMPLES);
        let mut args = vec![Arg::from(&self.w), (&self.ex).into(), (&self.ey).into()];
        args.extend([Arg::from(&self.u), (&self.v).into(), (&self.adjoint_sums).into()]);
        args.extend(sizes([self.nu, self.nv, self.elements]));
        // A kernel of its own for phases alone, in which the unused accumulators take no registers.
        let kernel = if sums == 1 { "adjoint_phase" } else { "adjoint_phase_and_position" };
        let groups = [partial_sums, self.elements.div_ceil(BLOCK_ELEMENTS), 1].map(|n| n as u32);
        self.launch(kernel, Grid { groups, group_size: [SIDE as u32, SIDE as u32, 1] }, &args)?;
        Ok(partial_sums)
    }
}
