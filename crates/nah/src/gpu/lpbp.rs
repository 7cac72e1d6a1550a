//! LPBP and propagation on a GPU: a group of work items extrapolates each row and each column by coefficients of its own; FFTs are those of
//! the device.

use crate::error::NahError;
use crate::extrapolation::order;
use crate::grid::Grid;
use crate::scalar::Scalar;
use crate::tukey::tukey;
use num_complex::{Complex, Complex64};
use phasefront_device::{Arg, Buffer, Direction, Fft, Gpu, Grid as Groups, KernelSource, Program};
use std::sync::Arc;

/// The kernels.
pub const LPBP_KERNELS: KernelSource =
    KernelSource { name: "lpbp.cu", text: include_str!("../../kernels/lpbp.cu") };

/// Work items of a group that extrapolates a line, and of other groups.
const ITEMS: usize = 32;
const POINT_ITEMS: usize = 256;

/// Holograms of all frequencies.
pub struct GpuLpbp<T: Scalar> {
    gpu: Arc<dyn Gpu>,
    program: Arc<dyn Program>,
    grid: Grid,
    holograms: usize,
    fields_per_hologram: usize,
    window: [Buffer<f64>; 2],
    phasors: Buffer<Complex<T>>,
    rows: Buffer<Complex64>,
    padded: Buffer<Complex<T>>,
    propagators: Buffer<Complex<T>>,
    propagated: Buffer<Complex<T>>,
    fields: Buffer<Complex<T>>,
}

/// The macros that the kernels are compiled with.
pub fn lpbp_defines<T: Scalar>(grid: &Grid, fields: usize) -> Vec<(&'static str, String)> {
    let [order_x, order_y] = [grid.columns, grid.rows].map(order);
    let numbers = [
        ("COLUMNS", grid.columns),
        ("ROWS", grid.rows),
        ("LONGER", grid.columns.max(grid.rows)),
        ("ORDER_X", order_x),
        ("ORDER_Y", order_y),
        ("ORDER", order_x.max(order_y).max(1)),
        ("FIELDS", fields),
        ("ITEMS", ITEMS),
    ];
    let real = [("REAL", T::PRECISION.c_name().to_owned())];
    real.into_iter().chain(numbers.map(|(name, number)| (name, number.to_string()))).collect()
}

impl<T: Scalar> GpuLpbp<T> {
    /// `propagators` are sampled, of each field of the first frequency, then of the next.
    pub fn new(
        gpu: &Arc<dyn Gpu>,
        grid: Grid,
        fields: usize,
        propagators: &[Vec<Complex64>],
    ) -> Result<Self, NahError> {
        let (padded, holograms) = (grid.padded(), propagators.len() / fields.max(1));
        let defines = lpbp_defines::<T>(&grid, fields);
        let defines: Vec<(&str, &str)> =
            defines.iter().map(|(name, value)| (*name, value.as_str())).collect();
        // Row by row, as the FFT of the device.
        let transposed = |propagators: &Vec<Complex64>| -> Vec<Complex<T>> {
            let at = |i: usize| propagators[i % padded.columns * padded.rows + i / padded.columns];
            (0..padded.len()).map(|i| T::complex_from_f64(at(i))).collect()
        };
        let all: Vec<Complex<T>> = propagators.iter().flat_map(transposed).collect();
        Ok(Self {
            program: gpu.compile(&LPBP_KERNELS, &defines)?,
            window: [gpu.upload(&tukey(grid.columns))?, gpu.upload(&tukey(grid.rows))?],
            phasors: gpu.alloc(holograms * grid.len())?,
            // In double precision: columns are predicted from these predicted rows.
            rows: gpu.alloc(holograms * padded.columns * grid.rows)?,
            padded: gpu.alloc(holograms * padded.len())?,
            propagated: gpu.alloc(all.len())?,
            propagators: gpu.upload(&all)?,
            fields: gpu.alloc(propagators.len() * grid.len())?,
            gpu: gpu.clone(),
            grid,
            holograms,
            fields_per_hologram: fields,
        })
    }

    /// The fields of the phasors of all frequencies.
    pub fn reconstruct(&mut self, phasors: &[Complex<T>], fields: &mut [Complex<T>]) -> Result<(), NahError> {
        let (gpu, grid, padded) = (&self.gpu, self.grid, self.grid.padded());
        gpu.upload_bytes(bytemuck::cast_slice(phasors), self.phasors.memory())?;
        let holograms = self.holograms as u32;
        // A group for each line of each hologram.
        let lines = |name: &str, count: usize, args: &[Arg<'_>]| {
            let groups = Groups { groups: [count as u32, holograms, 1], group_size: [ITEMS as u32, 1, 1] };
            gpu.launch(&*self.program, name, groups, args)
        };
        let [window_x, window_y] = &self.window;
        lines("extrapolate_rows", grid.rows, &[(&self.phasors).into(), (&self.rows).into()])?;
        let args = [(&self.rows).into(), window_x.into(), window_y.into(), (&self.padded).into()];
        lines("extrapolate_columns", padded.columns, &args)?;
        let shape = |batch: usize| Fft {
            planes: 1,
            rows: padded.rows,
            cols: padded.columns,
            batch,
            precision: T::PRECISION,
        };
        gpu.fft_bytes(shape(self.holograms), Direction::Forward, self.padded.memory())?;
        let each = |name: &str, from: &[Arg<'_>], count: usize| {
            let groups = Groups {
                groups: [count.div_ceil(POINT_ITEMS) as u32, 1, 1],
                group_size: [POINT_ITEMS as u32, 1, 1],
            };
            gpu.launch(&*self.program, name, groups, &[from, &[Arg::I64(count as i64)]].concat())
        };
        let args = [(&self.padded).into(), (&self.propagators).into(), (&self.propagated).into()];
        each("propagate", &args, self.propagated.len())?;
        // All fields of all holograms in one batch of FFTs.
        let all = shape(self.holograms * self.fields_per_hologram);
        gpu.fft_bytes(all, Direction::Inverse, self.propagated.memory())?;
        each("crop", &[(&self.propagated).into(), (&self.fields).into()], self.fields.len())?;
        gpu.download_bytes(self.fields.memory(), bytemuck::cast_slice_mut(fields))?;
        Ok(())
    }
}
