//! Holograms on a GPU with a prediction for each row and for each column: lines are carried on by a group of work items each, and
//! transforms are the device's own.

use crate::carriers::GpuCarrier;
use crate::error::NahError;
use crate::extrapolate::order;
use crate::grid::Grid;
use crate::scalar::Scalar;
use crate::window::weights;
use num_complex::{Complex, Complex64};
use phasefront_device::{
    Arg, Buffer, Complex as DeviceComplex, Direction, Fft, Gpu, Grid as Groups, KernelSource, Program,
};
use std::sync::Arc;

/// The kernels.
pub const LINE_KERNELS: KernelSource =
    KernelSource { name: "carry.cu", text: include_str!("../kernels/carry.cu") };

/// Work items of a group: those that predict a line, and others.
const ITEMS: usize = 32;
const MANY: usize = 256;

/// Holograms of several frequencies at a time.
pub struct GpuLines<T: Scalar> {
    gpu: Arc<dyn Gpu>,
    program: Arc<dyn Program>,
    grid: Grid,
    holograms: usize,
    fields_of_each: usize,
    window: [Buffer<f64>; 2],
    phasors: Buffer<Complex<T>>,
    rows: Buffer<Complex64>,
    wide: Buffer<Complex<T>>,
    gains: Buffer<Complex<T>>,
    gained: Buffer<Complex<T>>,
    fields: Buffer<Complex<T>>,
}

/// What the kernels are compiled with.
pub fn line_defines<T: Scalar>(grid: &Grid, fields: usize) -> Vec<(&'static str, String)> {
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

impl<T: Scalar> GpuLines<T>
where
    Complex<T>: DeviceComplex,
{
    /// `gains` are those of all waves, k_y by k_y for each k_x and over their number; for each field of the first frequency, then of the next.
    pub fn new(
        gpu: &Arc<dyn Gpu>,
        grid: Grid,
        fields: usize,
        gains: &[Vec<Complex64>],
    ) -> Result<Self, NahError> {
        let (wide, holograms) = (grid.widened(), gains.len() / fields.max(1));
        let defines = line_defines::<T>(&grid, fields);
        let defines: Vec<(&str, &str)> =
            defines.iter().map(|(name, value)| (*name, value.as_str())).collect();
        // Row by row, as the device transforms.
        let turned = |gains: &Vec<Complex64>| -> Vec<Complex<T>> {
            let at = |i: usize| gains[i % wide.columns * wide.rows + i / wide.columns];
            (0..wide.len()).map(|i| T::complex_from_f64(at(i))).collect()
        };
        let all: Vec<Complex<T>> = gains.iter().flat_map(turned).collect();
        Ok(Self {
            program: gpu.compile(&LINE_KERNELS, &defines)?,
            window: [gpu.upload(&weights(grid.columns))?, gpu.upload(&weights(grid.rows))?],
            phasors: gpu.alloc(holograms * grid.len())?,
            rows: gpu.alloc(holograms * wide.columns * grid.rows)?,
            wide: gpu.alloc(holograms * wide.len())?,
            gained: gpu.alloc(all.len())?,
            gains: gpu.upload(&all)?,
            fields: gpu.alloc(gains.len() * grid.len())?,
            gpu: gpu.clone(),
            grid,
            holograms,
            fields_of_each: fields,
        })
    }
}

impl<T: Scalar> GpuCarrier<T> for GpuLines<T>
where
    Complex<T>: DeviceComplex,
{
    fn run(&mut self, phasors: &[Complex<T>], fields: &mut [Complex<T>]) -> Result<(), NahError> {
        let (gpu, grid, wide) = (&self.gpu, self.grid, self.grid.widened());
        gpu.upload_bytes(bytemuck::cast_slice(phasors), self.phasors.memory())?;
        let holograms = self.holograms as u32;
        let lines = |name: &str, count: usize, args: &[Arg<'_>]| {
            let groups = Groups { groups: [count as u32, holograms, 1], group_size: [ITEMS as u32, 1, 1] };
            gpu.launch(&*self.program, name, groups, args)
        };
        let [window_x, window_y] = &self.window;
        lines("rows_on", grid.rows, &[(&self.phasors).into(), (&self.rows).into()])?;
        let args = [(&self.rows).into(), window_x.into(), window_y.into(), (&self.wide).into()];
        lines("columns_on", wide.columns, &args)?;
        let shape = |batch: usize| Fft {
            planes: 1,
            rows: wide.rows,
            cols: wide.columns,
            batch,
            precision: T::PRECISION,
        };
        gpu.fft(shape(self.holograms), Direction::Forward, &self.wide)?;
        let each = |name: &str, from: &[Arg<'_>], count: usize| {
            let groups =
                Groups { groups: [count.div_ceil(MANY) as u32, 1, 1], group_size: [MANY as u32, 1, 1] };
            gpu.launch(&*self.program, name, groups, &[from, &[Arg::I64(count as i64)]].concat())
        };
        let args = [(&self.wide).into(), (&self.gains).into(), (&self.gained).into()];
        each("multiply", &args, self.gained.len())?;
        gpu.fft(shape(self.holograms * self.fields_of_each), Direction::Inverse, &self.gained)?;
        each("crop", &[(&self.gained).into(), (&self.fields).into()], self.fields.len())?;
        gpu.download_bytes(self.fields.memory(), bytemuck::cast_slice_mut(fields))?;
        Ok(())
    }
}
