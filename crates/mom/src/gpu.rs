//! The stages on a GPU: the kernels of `kernels/pulse.cu`, and the device's LU.

use crate::engine::{Engine, NEAR_CELLS};
use crate::error::MomError;
use crate::mesh::Mesh;
use crate::problem::NearGrid;
use num_complex::{Complex, Complex64};
use phasefront_core::constants::ETA0;
use phasefront_core::{Precision, Progress, Real};
use phasefront_device::{
    Arg, Buffer, Complex as DeviceComplex, Gpu, Grid, KernelSource, LuFactors, Op, Program,
};
use std::sync::Arc;

/// The kernels of this solver.
pub const KERNELS: KernelSource = KernelSource {
    name: "mom/pulse.cu",
    text: concat!(
        "#line 1 \"mom/hankel_tables.h\"\n",
        include_str!("../kernels/hankel_tables.h"),
        "#line 1 \"mom/hankel.h\"\n",
        include_str!("../kernels/hankel.h"),
        "#line 1 \"mom/pulse.cu\"\n",
        include_str!("../kernels/pulse.cu")
    ),
};

/// The macros they are compiled with.
pub fn kernel_defines(precision: Precision) -> Vec<(&'static str, String)> {
    vec![("REAL", precision.c_name().into()), ("NEAR_CELLS", format!("{NEAR_CELLS:?}"))]
}

/// Work items per group. The matrix is launched over rows and columns: rows are contiguous, and four columns per
/// group let the number of groups along the second axis, which CUDA limits to 65535, cover 262140 columns, a matrix of
/// half a terabyte in single precision. Everything else is launched over one axis.
const GROUP: u32 = 128;
const MATRIX_GROUP: [u32; 2] = [32, 4];

/// The GPU's state: the mesh, the matrix or its factors, and the currents last solved for.
pub(crate) struct GpuEngine<T> {
    gpu: Arc<dyn Gpu>,
    program: Arc<dyn Program>,
    n: usize,
    x: Buffer<f64>,
    y: Buffer<f64>,
    tx: Buffer<f64>,
    ty: Buffer<f64>,
    w: Buffer<f64>,
    matrix: Buffer<Complex<T>>,
    lu: Option<LuFactors>,
    /// One column per direction.
    currents: Option<Buffer<Complex<T>>>,
}

impl<T: Real> GpuEngine<T>
where
    Complex<T>: DeviceComplex,
{
    pub(crate) fn new(gpu: Arc<dyn Gpu>, mesh: &Mesh) -> Result<Self, MomError> {
        let defines = kernel_defines(T::PRECISION);
        let defines: Vec<(&str, &str)> =
            defines.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let program = gpu.compile(&KERNELS, &defines)?;
        let n = mesh.len();
        Ok(Self {
            program,
            n,
            x: gpu.upload(&mesh.x)?,
            y: gpu.upload(&mesh.y)?,
            tx: gpu.upload(&mesh.tx)?,
            ty: gpu.upload(&mesh.ty)?,
            w: gpu.upload(&mesh.w)?,
            matrix: gpu.alloc(n * n)?,
            lu: None,
            currents: None,
            gpu,
        })
    }

    fn launch(&self, kernel: &str, grid: Grid, args: &[Arg<'_>]) -> Result<(), MomError> {
        Ok(self.gpu.launch(&*self.program, kernel, grid, args)?)
    }

    fn solved(&self) -> &Buffer<Complex<T>> {
        self.currents.as_ref().expect("solve comes before what needs its currents")
    }
}

impl<T: Real> Engine for GpuEngine<T>
where
    Complex<T>: DeviceComplex,
{
    fn fill(&mut self, k: f64, progress: &Progress) -> Result<(), MomError> {
        let n = self.n;
        let stage = progress.stage("fill", Some(n as u64), "columns");
        self.lu = None;
        let (z, x, y, w) = ((&self.matrix).into(), (&self.x).into(), (&self.y).into(), (&self.w).into());
        let grid = Grid::cover_2d([n, n], MATRIX_GROUP);
        self.launch("fill", grid, &[z, x, y, w, Arg::I64(n as i64), Arg::F64(k), Arg::F64(ETA0)])?;
        self.gpu.synchronize()?;
        stage.advance(n as u64);
        Ok(())
    }

    fn factor(&mut self) -> Result<(), MomError> {
        self.lu = Some(self.gpu.lu_factor(self.n, &self.matrix)?);
        Ok(())
    }

    fn solve(&mut self, k: f64, directions: &[f64]) -> Result<(), MomError> {
        let (n, columns) = (self.n, directions.len());
        let rhs: Buffer<Complex<T>> = self.gpu.alloc(n * columns)?;
        let directions = self.gpu.upload(directions)?;
        let sizes = [Arg::I64(n as i64), Arg::I64(columns as i64), Arg::F64(k)];
        let buffers = [(&rhs).into(), (&self.x).into(), (&self.y).into(), (&directions).into()];
        self.launch("plane_waves", Grid::cover(n * columns, GROUP), &[&buffers[..], &sizes].concat())?;
        let lu = self.lu.as_ref().expect("factor comes before solve");
        self.gpu.lu_solve(lu, Op::None, &self.matrix, &rhs)?;
        self.currents = Some(rhs);
        Ok(())
    }

    fn currents(&self) -> Result<Vec<Vec<Complex64>>, MomError> {
        let columns = self.gpu.download(self.solved())?;
        let widen = |column: &[Complex<T>]| column.iter().map(|&j| T::complex_to_f64(j)).collect();
        Ok(columns.chunks(self.n).map(widen).collect())
    }

    fn far_sums(&self, k: f64, observation: &[f64]) -> Result<Vec<Vec<Complex64>>, MomError> {
        let (currents, angles) = (self.solved(), observation.len());
        let columns = currents.len() / self.n;
        let sums: Buffer<Complex64> = self.gpu.alloc(angles * columns)?;
        if angles == 0 {
            return Ok(vec![Vec::new(); columns]);
        }
        let observation = self.gpu.upload(observation)?;
        let buffers = [
            (&sums).into(),
            currents.into(),
            (&self.x).into(),
            (&self.y).into(),
            (&self.w).into(),
            (&observation).into(),
        ];
        let sizes = [Arg::I64(self.n as i64), Arg::I64(angles as i64), Arg::I64(columns as i64), Arg::F64(k)];
        self.launch("far_sums", Grid::cover(angles * columns, GROUP), &[&buffers[..], &sizes].concat())?;
        Ok(self.gpu.download(&sums)?.chunks(angles).map(<[_]>::to_vec).collect())
    }

    fn near_field(&self, k: f64, grid: &NearGrid, progress: &Progress) -> Result<Vec<Complex64>, MomError> {
        let (cols, rows) = (grid.x.len(), grid.y.len());
        let stage = progress.stage("near", Some(rows as u64), "rows");
        let field: Buffer<Complex64> = self.gpu.alloc(cols * rows)?;
        let (grid_x, grid_y) = (self.gpu.upload(&grid.x)?, self.gpu.upload(&grid.y)?);
        let mut args = vec![(&field).into(), self.solved().into()];
        args.extend([&self.x, &self.y, &self.tx, &self.ty, &self.w, &grid_x, &grid_y].map(Arg::from));
        args.extend([self.n, cols, rows].map(|size| Arg::I64(size as i64)));
        args.extend([Arg::F64(k), Arg::F64(ETA0)]);
        self.launch("near_field", Grid::cover(cols * rows, GROUP), &args)?;
        let field = self.gpu.download(&field)?;
        stage.advance(rows as u64);
        Ok(field)
    }
}
