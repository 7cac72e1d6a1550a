//! The pattern of a design: excitations, field, intensity and the distance from the mask.

use super::buffers::{Buffers, Matrix};
use super::kernels::{BLOCK_SAMPLES, DESIGN_AXES, DESIGN_X, DESIGN_Y, GROUP, SIDE, sizes};
use phasefront_device::{Arg, DeviceError, Grid};

/// Work items of a group that fills a table of exponentials.
const TABLE_GROUP: [u32; 2] = [32, 8];

impl Buffers {
    /// E, |E|², Φ and the weights of its gradient, of the staged design; the exponentials too if elements have moved.
    pub fn pattern(&self, moved: bool) -> Result<(), DeviceError> {
        // Phases come first in the buffer: without moved elements, they are all that is sent.
        let numbers = if moved { self.design.len() } else { self.elements };
        self.gpu.send(&self.design_upload, &self.design, numbers)?;
        if moved {
            self.exponentials()?;
        }
        let mut args = vec![Arg::from(&self.design), (&self.element).into(), (&self.a).into()];
        args.extend(sizes([self.elements, self.cells]));
        args.extend(self.feed_args());
        self.launch("excitations", Grid::cover(self.cells, GROUP as u32), &args)?;
        let partial_sums = match self.grid {
            Some(axes) => self.field_of_grid(axes)?,
            None => self.field_of_scattered()?,
        };
        let mut args = vec![Arg::from(&self.sums), (&self.g).into(), (&self.bounds).into()];
        args.extend([Arg::from(&self.u), (&self.v).into(), (&self.field).into(), (&self.w).into()]);
        args.extend([Arg::from(&self.intensity), (&self.cost).into()]);
        args.extend(sizes([self.nu, self.nv, partial_sums]));
        self.launch("pattern", Grid::cover(self.samples(), GROUP as u32), &args)
    }

    fn exponentials(&self) -> Result<(), DeviceError> {
        let n = self.elements;
        let (starts, counts) = match self.grid {
            // On a grid one column of exponentials per column
            // or row of the array, else one per element.
            Some([nx, ny]) => ([DESIGN_AXES * n, DESIGN_AXES * n + nx], [nx, ny]),
            None => ([DESIGN_X * n, DESIGN_Y * n], [n; 2]),
        };
        let axes = [(&self.u, &self.ex), (&self.v, &self.ey)];
        for (((u, table), start), count) in axes.into_iter().zip(starts).zip(counts) {
            let mut args = vec![Arg::from(u), (&self.design).into()];
            args.extend(sizes([start]));
            args.push(table.into());
            args.extend(sizes([u.len(), count]));
            args.push(Arg::F64(self.beta));
            self.launch("exponentials", Grid::cover_2d([u.len(), count], TABLE_GROUP), &args)?;
        }
        Ok(())
    }

    /// F = Ex A Eyᵀ with A the matrix of excitations; returns the number of partial sums, one.
    fn field_of_grid(&self, [nx, ny]: [usize; 2]) -> Result<usize, DeviceError> {
        let (nu, nv) = (self.nu, self.nv);
        let (ex, ey, a) =
            (Matrix(&self.ex, [1, nu, 0]), Matrix(&self.ey, [1, nv, 0]), Matrix(&self.a, [1, nx, 0]));
        // Inner sum over rows first, then over columns: nv nx ny + nu nv nx products instead of nu
        // nv nx ny.
        self.product(ey, a, &self.row_sums, [nv, nx, ny], 1)?;
        self.product(ex, Matrix(&self.row_sums, [1, nv, 0]), &self.sums, [nu, nv, nx], 1)?;
        Ok(1)
    }

    /// F = Ex diag(a) Eyᵀ in partial sums over the elements; returns their number.
    fn field_of_scattered(&self) -> Result<usize, DeviceError> {
        let partial_sums = self.elements.div_ceil(self.partial);
        let mut args = vec![Arg::from(&self.ex), (&self.ey).into(), (&self.a).into(), (&self.sums).into()];
        args.extend(sizes([self.nu, self.nv, self.elements, self.partial]));
        let blocks = |n: usize| n.div_ceil(BLOCK_SAMPLES);
        let groups = [blocks(self.nu), blocks(self.nv), partial_sums].map(|n| n as u32);
        self.launch("array_factor", Grid { groups, group_size: [SIDE as u32, SIDE as u32, 1] }, &args)?;
        Ok(partial_sums)
    }
}
