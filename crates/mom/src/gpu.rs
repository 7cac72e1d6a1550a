//! The stages on a GPU: the kernels of `kernels/mom.cu`, and the device's LU. Entries near the diagonal come from the host.

use crate::engine::Operator;
use crate::error::MomError;
use crate::field::Place;
use crate::layout::Density;
use crate::problem::Study;
use crate::system::System;
use crate::wave::Medium;
use num_complex::{Complex, Complex64};
use phasefront_core::{Precision, Progress, Real};
use phasefront_device::{
    Arg, Buffer, Complex as DeviceComplex, Gpu, Grid, KernelSource, LuFactors, Op, Program, inverse_norm_1,
};
use rayon::prelude::*;
use std::sync::Arc;

/// The kernels of this solver.
pub const KERNELS: KernelSource = KernelSource {
    name: "mom/mom.cu",
    text: concat!(
        "#line 1 \"mom/hankel_tables.h\"\n",
        include_str!("../kernels/hankel_tables.h"),
        "#line 1 \"mom/hankel.h\"\n",
        include_str!("../kernels/hankel.h"),
        "#line 1 \"mom/ray_hankel.h\"\n",
        include_str!("../kernels/ray_hankel.h"),
        "#line 1 \"mom/mom.cu\"\n",
        include_str!("../kernels/mom.cu")
    ),
};

/// The macros they are compiled with.
pub fn kernel_defines(precision: Precision, order: usize) -> Vec<(&'static str, String)> {
    vec![("REAL", precision.c_name().into()), ("ORDER", order.to_string())]
}

/// Work items per group. The matrix is launched over rows and columns: rows are contiguous, and four columns per
/// group let the number of groups along the second axis, which CUDA limits to 65535, cover 262140 columns, a matrix of
/// half a terabyte in single precision. Everything else is launched over one axis.
const GROUP: u32 = 128;
const MATRIX_GROUP: [u32; 2] = [32, 4];

/// The GPU's state: the nodes, the matrix or its factors, and the solutions.
pub(crate) struct GpuOperator<T> {
    gpu: Arc<dyn Gpu>,
    program: Arc<dyn Program>,
    n: usize,
    order: usize,
    /// x, y, nx, ny, w of the nodes.
    nodes: [Buffer<f64>; 5],
    /// Rows and columns of the system at the present frequency.
    plan: Option<Plan>,
    matrix: Buffer<Complex<T>>,
    lu: Option<LuFactors>,
    /// One column per direction.
    solutions: Option<Buffer<Complex<T>>>,
}

/// Rows and columns of a system, on the device.
struct Plan {
    row_node: Buffer<i32>,
    value: Buffer<f64>,
    slope: Buffer<f64>,
    column_node: Buffer<i32>,
    is_double: Buffer<i32>,
}

impl Plan {
    fn new(gpu: &dyn Gpu, system: &System<'_>) -> Result<Self, MomError> {
        let rows = &system.rows;
        let column_nodes: Vec<i32> = system.columns.iter().map(|c| c.0 as i32).collect();
        let doubles: Vec<i32> = system.columns.iter().map(|c| i32::from(c.1 == Density::Double)).collect();
        Ok(Self {
            row_node: gpu.upload(&rows.iter().map(|r| r.node as i32).collect::<Vec<_>>())?,
            value: gpu.upload(&rows.iter().map(|r| r.value).collect::<Vec<_>>())?,
            slope: gpu.upload(&rows.iter().map(|r| r.slope).collect::<Vec<_>>())?,
            column_node: gpu.upload(&column_nodes)?,
            is_double: gpu.upload(&doubles)?,
        })
    }
}

/// The table of Hankel functions in a lossy medium, or an empty one.
fn hankel_table(gpu: &dyn Gpu, k: Complex64) -> Result<(Buffer<f64>, i32), MomError> {
    match Medium::new(k).table() {
        Some(table) => Ok((gpu.upload(table)?, 1)),
        None => Ok((gpu.alloc(1)?, 0)),
    }
}

impl<T: Real> GpuOperator<T>
where
    Complex<T>: DeviceComplex,
{
    pub(crate) fn new(gpu: Arc<dyn Gpu>, study: &Study) -> Result<Self, MomError> {
        let mesh = &study.mesh;
        let order = mesh.rules.order();
        let defines = kernel_defines(T::PRECISION, order);
        let defines: Vec<(&str, &str)> =
            defines.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let program = gpu.compile(&KERNELS, &defines)?;
        let n = study.unknowns();
        Ok(Self {
            program,
            n,
            order,
            nodes: [
                gpu.upload(&mesh.x)?,
                gpu.upload(&mesh.y)?,
                gpu.upload(&mesh.nx)?,
                gpu.upload(&mesh.ny)?,
                gpu.upload(&mesh.w)?,
            ],
            plan: None,
            matrix: gpu.alloc(n * n)?,
            lu: None,
            solutions: None,
            gpu,
        })
    }

    fn launch(&self, kernel: &str, grid: Grid, args: &[Arg<'_>]) -> Result<(), MomError> {
        Ok(self.gpu.launch(&*self.program, kernel, grid, args)?)
    }

    fn plan(&self) -> &Plan {
        self.plan.as_ref().expect("fill comes first")
    }

    fn factors(&self) -> &LuFactors {
        self.lu.as_ref().expect("factor comes before what needs it")
    }

    fn solved(&self) -> &Buffer<Complex<T>> {
        self.solutions.as_ref().expect("solve comes before what needs its solutions")
    }

    /// The inside of each dielectric, added to its block.
    fn fill_insides(&self, system: &System<'_>) -> Result<(), MomError> {
        for inside in &system.interiors {
            let block = &system.layout.blocks[inside.block];
            let count = block.nodes.len();
            let (table, is_lossy) = hankel_table(&*self.gpu, inside.k)?;
            let mut args = vec![(&self.matrix).into()];
            args.extend(self.nodes.iter().map(Arg::from));
            args.extend([Arg::from(&table), Arg::I32(is_lossy)]);
            let sizes = [self.n, block.nodes.start, block.unknowns.start, count];
            args.extend(sizes.map(|size| Arg::I64(size as i64)));
            let constants = [inside.k.re, inside.k.im, system.k, inside.ratio.re, inside.ratio.im];
            args.extend(constants.map(Arg::F64));
            self.launch("fill_inside", Grid::cover_2d([count, count], MATRIX_GROUP), &args)?;
        }
        Ok(())
    }

    /// The entries near the diagonal.
    fn set_near(&self, system: &System<'_>) -> Result<(), MomError> {
        let rows: Vec<i32> = system.near.iter().flat_map(|g| &g.rows).map(|&row| row as i32).collect();
        let columns: Vec<i32> =
            system.near.iter().flat_map(|g| g.rows.iter().map(|_| g.column as i32)).collect();
        let values: Vec<Complex64> = system.near.iter().flat_map(|g| &g.values).copied().collect();
        let count = rows.len();
        let (rows, columns) = (self.gpu.upload(&rows)?, self.gpu.upload(&columns)?);
        let values = self.gpu.upload(&values)?;
        let sizes = [Arg::I64(self.n as i64), Arg::I64(count as i64)];
        let buffers = [(&self.matrix).into(), (&rows).into(), (&columns).into(), (&values).into()];
        self.launch("set_near", Grid::cover(count * self.order, GROUP), &[&buffers[..], &sizes].concat())
    }

    fn sums(&self, system: &System<'_>, observation: &[f64], each: bool) -> Result<Vec<Complex64>, MomError> {
        let (solutions, angles, plan) = (self.solved(), observation.len(), self.plan());
        let columns = solutions.len() / self.n;
        let count = if each { columns } else { angles * columns };
        if count == 0 {
            return Ok(Vec::new());
        }
        let sums: Buffer<Complex64> = self.gpu.alloc(count)?;
        let observation = self.gpu.upload(observation)?;
        let mut args = vec![(&sums).into(), solutions.into()];
        args.extend(self.nodes.iter().map(Arg::from));
        args.extend([Arg::from(&plan.column_node), Arg::from(&plan.is_double), Arg::from(&observation)]);
        args.extend([self.n, angles, columns].map(|size| Arg::I64(size as i64)));
        args.extend([Arg::I32(i32::from(each)), Arg::F64(system.k)]);
        self.launch("far_sums", Grid::cover(count, GROUP), &args)?;
        Ok(self.gpu.download(&sums)?)
    }

    /// The field of the distant cells at those points that lie in one medium.
    fn distant_field(
        &self,
        system: &System<'_>,
        inside: Option<usize>,
        points: &[(Complex64, &Place)],
    ) -> Result<Vec<Complex64>, MomError> {
        let plan = self.plan();
        let (k, single, double) = system.representation(inside);
        let unknowns = inside.map_or(0..self.n, |block| system.layout.blocks[block].unknowns.clone());
        let mut starts = vec![0];
        let mut close = Vec::new();
        for (_, place) in points {
            close.extend(place.close.iter().map(|&c| c as i32));
            starts.push(close.len() as i32);
        }
        let coordinates: Vec<f64> = points.iter().flat_map(|(p, _)| [p.re, p.im]).collect();
        let field: Buffer<Complex64> = self.gpu.alloc(points.len())?;
        let (coordinates, starts) = (self.gpu.upload(&coordinates)?, self.gpu.upload(&starts)?);
        let close = self.gpu.upload(&close)?;
        let (table, is_lossy) = hankel_table(&*self.gpu, k)?;
        let mut args = vec![(&field).into(), self.solved().into()];
        args.extend(self.nodes.iter().map(Arg::from));
        args.extend([Arg::from(&plan.column_node), Arg::from(&plan.is_double), Arg::from(&coordinates)]);
        args.extend([Arg::from(&starts), Arg::from(&close), Arg::from(&table), Arg::I32(is_lossy)]);
        args.extend([points.len(), unknowns.start, unknowns.end].map(|size| Arg::I64(size as i64)));
        args.extend([k.re, k.im, single.re, single.im, double.re, double.im].map(Arg::F64));
        self.launch("distant_field", Grid::cover(points.len(), GROUP), &args)?;
        Ok(self.gpu.download(&field)?)
    }
}

impl<T: Real> Operator for GpuOperator<T>
where
    Complex<T>: DeviceComplex,
{
    fn fill(&mut self, system: &System<'_>, progress: &Progress) -> Result<(), MomError> {
        let n = self.n;
        let stage = progress.stage("fill", Some(n as u64), "columns");
        self.lu = None;
        self.plan = Some(Plan::new(&*self.gpu, system)?);
        let plan = self.plan();
        let both_orders = system.rows.iter().any(|r| r.slope != 0.0)
            || system.columns.iter().any(|c| c.1 == Density::Double);
        let mut args = vec![Arg::from(&self.matrix)];
        args.extend(self.nodes.iter().map(Arg::from));
        args.extend([Arg::from(&plan.row_node), Arg::from(&plan.value), Arg::from(&plan.slope)]);
        args.extend([Arg::from(&plan.column_node), Arg::from(&plan.is_double)]);
        args.extend([Arg::I64(n as i64), Arg::F64(system.k), Arg::I32(i32::from(both_orders))]);
        self.launch("fill", Grid::cover_2d([n, n], MATRIX_GROUP), &args)?;
        self.fill_insides(system)?;
        self.set_near(system)?;
        self.gpu.synchronize()?;
        stage.advance(n as u64);
        Ok(())
    }

    fn norm(&self) -> Result<f64, MomError> {
        Ok(self.gpu.norm_1(self.n, &self.matrix)?)
    }

    fn factor(&mut self) -> Result<(), MomError> {
        self.lu = Some(self.gpu.lu_factor(self.n, &self.matrix)?);
        Ok(())
    }

    fn inverse_norm(&self) -> Result<f64, MomError> {
        inverse_norm_1(self.n, |op: Op, x: &mut [Complex64]| {
            let narrow: Vec<Complex<T>> = x.iter().map(|&z| T::complex_from_f64(z)).collect();
            let rhs = self.gpu.upload(&narrow)?;
            self.gpu.lu_solve(self.factors(), op, &self.matrix, &rhs)?;
            let solved = self.gpu.download(&rhs)?;
            x.iter_mut().zip(solved).for_each(|(x, z)| *x = T::complex_to_f64(z));
            Ok(())
        })
    }

    fn solve(&mut self, system: &System<'_>, directions: &[f64]) -> Result<(), MomError> {
        let (n, columns, plan) = (self.n, directions.len(), self.plan());
        let rhs: Buffer<Complex<T>> = self.gpu.alloc(n * columns)?;
        let directions = self.gpu.upload(directions)?;
        let mut args = vec![(&rhs).into()];
        args.extend(self.nodes[..4].iter().map(Arg::from));
        args.extend([Arg::from(&plan.row_node), Arg::from(&plan.value), Arg::from(&plan.slope)]);
        args.extend([
            Arg::from(&directions),
            Arg::I64(n as i64),
            Arg::I64(columns as i64),
            Arg::F64(system.k),
        ]);
        self.launch("incident", Grid::cover(n * columns, GROUP), &args)?;
        self.gpu.lu_solve(self.factors(), Op::None, &self.matrix, &rhs)?;
        self.gpu.synchronize()?;
        self.solutions = Some(rhs);
        Ok(())
    }

    fn solutions(&self, which: &[usize]) -> Result<Vec<Vec<Complex64>>, MomError> {
        let count = self.n * which.len();
        let picked: Buffer<Complex64> = self.gpu.alloc(count)?;
        let indices = self.gpu.upload(&which.iter().map(|&d| d as i32).collect::<Vec<_>>())?;
        let args = [
            Arg::from(&picked),
            self.solved().into(),
            (&indices).into(),
            Arg::I64(self.n as i64),
            Arg::I64(count as i64),
        ];
        self.launch("pick_columns", Grid::cover(count, GROUP), &args)?;
        Ok(self.gpu.download(&picked)?.chunks(self.n).map(<[_]>::to_vec).collect())
    }

    fn far_sums(&self, system: &System<'_>, observation: &[f64]) -> Result<Vec<Vec<Complex64>>, MomError> {
        let columns = self.solved().len() / self.n;
        if observation.is_empty() {
            return Ok(vec![Vec::new(); columns]);
        }
        let sums = self.sums(system, observation, false)?;
        Ok(sums.chunks(observation.len()).map(<[_]>::to_vec).collect())
    }

    fn far_sums_of_each(&self, system: &System<'_>, observation: &[f64]) -> Result<Vec<Complex64>, MomError> {
        self.sums(system, observation, true)
    }

    fn near_field(
        &self,
        system: &System<'_>,
        points: &[Complex64],
        places: &[Place],
        progress: &Progress,
    ) -> Result<Vec<Complex64>, MomError> {
        let stage = progress.stage("near", Some(points.len() as u64), "points");
        let media = std::iter::once(None).chain(system.interiors.iter().map(|i| Some(i.block)));
        let mut field = vec![Complex64::ZERO; points.len()];
        for inside in media {
            progress.check()?;
            let here: Vec<usize> = (0..points.len()).filter(|&i| places[i].inside == inside).collect();
            if here.is_empty() {
                continue;
            }
            let chosen: Vec<(Complex64, &Place)> = here.iter().map(|&i| (points[i], &places[i])).collect();
            let values = self.distant_field(system, inside, &chosen)?;
            here.iter().zip(values).for_each(|(&i, value)| field[i] = value);
            stage.advance(here.len() as u64);
        }
        let solution = &self.solutions(&[0])?[0];
        field.par_iter_mut().enumerate().for_each(|(i, value)| {
            if places[i].close.is_empty() {
                return;
            }
            let medium = Medium::new(system.representation(places[i].inside).0);
            *value += system.close_field(solution, points[i], &places[i], &medium);
        });
        Ok(field)
    }
}
