//! The stages of an evaluation on the device, and their buffers.

use super::Setting;
use crate::error::ReflectarrayError;
use crate::objective::Evaluation;
use crate::problem::{Design, Feed};
use crate::transform::Grid as Lattice;
use bytemuck::cast_slice;
use num_complex::Complex64;
use phasefront_device::{Arg, Buffer, DeviceError, Gpu, Grid, Program, Staging};
use std::sync::Arc;

/// SIDE, SAMPLES and ELEMENTS of the kernels.
const SIDE: u32 = 16;
const SAMPLES: usize = 64;
const ELEMENTS: usize = 32;
/// Work items of a group along one axis; ITEMS of the kernels.
const GROUP: u32 = 256;
/// Work items of a group that fills a table.
const TABLE_GROUP: [u32; 2] = [32, 8];
/// Groups that a sum over many elements is shared out to: two for each multiprocessor of an H200, so that one computes
/// while the other loads.
const SHARES: usize = 264;
/// Least elements of a share: what a group takes into local memory at a time.
const LEAST_SHARE: usize = 16;

/// What is done in one go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Job {
    /// E and |E|², and the latter down; tables of exponentials anew if elements have moved.
    Pattern { moved: bool },
    /// Gradients for given weights: 1 for phases, 3 for phases and positions.
    Gradient { kinds: usize },
    /// Pattern, Φ and its gradients, 0 for none; all but the pattern down.
    Distance { moved: bool, kinds: usize },
}

/// Where elements stand.
#[derive(Clone, PartialEq)]
pub(super) struct Places {
    /// x of the columns and y of the rows if they form a grid; else empty.
    x: Vec<f64>,
    y: Vec<f64>,
    /// Element of each cell, −1 for none.
    element: Vec<i32>,
    elements: usize,
}

impl Places {
    pub fn of(design: &Design) -> Self {
        let elements = design.len();
        let Some(Lattice { x, y, cells }) = Lattice::of(design) else {
            return Self { x: vec![], y: vec![], element: (0..elements as i32).collect(), elements };
        };
        let mut element = vec![-1; x.len() * y.len()];
        cells.iter().enumerate().for_each(|(n, &cell)| element[cell] = n as i32);
        Self { x, y, element, elements }
    }

    /// Whether one differs from the other in coordinates only.
    pub fn has_layout_of(&self, other: &Self) -> bool {
        self.x.len() == other.x.len() && self.element == other.element
    }

    fn is_grid(&self) -> bool {
        !self.x.is_empty()
    }
}

/// Buffers for one layout of the elements.
pub(super) struct Stages {
    pub gpu: Arc<dyn Gpu>,
    program: Arc<dyn Program>,
    beta: f64,
    feed: Feed,
    nu: usize,
    nv: usize,
    elements: usize,
    cells: usize,
    /// Columns and rows of a grid.
    grid: Option<[usize; 2]>,
    /// Elements of each share of the field's sums.
    share: usize,
    u: Buffer<f64>,
    v: Buffer<f64>,
    g: Buffer<Complex64>,
    /// ψ, x, y; x of the columns, y of the rows.
    design: Buffer<f64>,
    design_up: Staging<f64>,
    element: Buffer<i32>,
    ex: Buffer<Complex64>,
    ey: Buffer<Complex64>,
    a: Buffer<Complex64>,
    /// Σ over the rows of a grid, of a e^{jβvy} or of W e^{jβvy}.
    half: Buffer<Complex64>,
    sums: Buffer<Complex64>,
    field: Buffer<Complex64>,
    bounds: Buffer<f64>,
    weights: Buffer<f64>,
    weights_up: Staging<f64>,
    /// W, uW, vW.
    w: Buffer<Complex64>,
    element_sums: Buffer<Complex64>,
    back: Buffer<Complex64>,
    /// |E|².
    intensity: Buffer<f64>,
    /// Φ by groups, gradients.
    cost: Buffer<f64>,
    /// The one or the other on the host.
    down: Staging<f64>,
}

impl Stages {
    pub fn new(setting: &Setting, places: &Places) -> Result<Self, ReflectarrayError> {
        let gpu = &setting.gpu;
        let (nu, nv, elements) = (setting.u.len(), setting.v.len(), places.elements);
        let (samples, cells) = (nu * nv, places.element.len());
        let grid = places.is_grid().then_some([places.x.len(), places.y.len()]);
        let [nx, ny] = grid.unwrap_or([elements; 2]);
        let blocks = nu.div_ceil(SAMPLES) * nv.div_ceil(SAMPLES);
        let share = elements.div_ceil(SHARES.div_ceil(blocks)).max(LEAST_SHARE);
        let (shares, half, parts) = match grid {
            Some(_) => (1, (nv * nx).max(3 * nu * ny), 1),
            None => (elements.div_ceil(share), 0, nu.div_ceil(SAMPLES)),
        };
        let numbers = 3 * elements + places.x.len() + places.y.len();
        let cost = samples.div_ceil(GROUP as usize) + 3 * elements;
        Ok(Self {
            program: setting.program.clone(),
            beta: setting.beta,
            feed: setting.feed,
            nu,
            nv,
            elements,
            cells,
            grid,
            share,
            u: gpu.upload(&setting.u)?,
            v: gpu.upload(&setting.v)?,
            g: gpu.upload(&setting.g)?,
            design: gpu.alloc(numbers)?,
            design_up: gpu.staging(numbers)?,
            element: gpu.upload(&places.element)?,
            ex: gpu.alloc(nu * nx)?,
            ey: gpu.alloc(nv * ny)?,
            a: gpu.alloc(cells)?,
            half: gpu.alloc(half)?,
            sums: gpu.alloc(samples * shares)?,
            field: gpu.alloc(samples)?,
            bounds: gpu.alloc(2 * samples)?,
            weights: gpu.alloc(samples)?,
            weights_up: gpu.staging(samples)?,
            w: gpu.alloc(3 * samples)?,
            element_sums: gpu.alloc(3 * cells * parts)?,
            back: gpu.alloc(elements)?,
            intensity: gpu.alloc(samples)?,
            cost: gpu.alloc(cost)?,
            down: gpu.staging(cost.max(samples))?,
            gpu: gpu.clone(),
        })
    }

    pub fn set_phases(&self, phase: &[f64]) -> Result<(), ReflectarrayError> {
        Ok(self.design_up.write(0, phase)?)
    }

    pub fn set_design(&self, design: &Design, places: &Places) -> Result<(), ReflectarrayError> {
        let all = [&design.phase[..], &design.x, &design.y, &places.x, &places.y].concat();
        Ok(self.design_up.write(0, &all)?)
    }

    pub fn set_bounds(&self, bounds: &[f64]) -> Result<(), ReflectarrayError> {
        Ok(self.gpu.upload_bytes(cast_slice(bounds), self.bounds.memory())?)
    }

    pub fn set_weights(&self, weights: &[f64]) -> Result<(), ReflectarrayError> {
        Ok(self.weights_up.write(0, weights)?)
    }

    /// Φ and so many gradients, after a job that had them.
    pub fn fetched_cost(&self, kinds: usize) -> Result<Evaluation, ReflectarrayError> {
        let gradient = |kind: usize| {
            let first = self.groups() + kind * self.elements;
            self.down.read(first..if kind < kinds { first + self.elements } else { first })
        };
        let value = self.down.read(0..self.groups())?.iter().sum();
        Ok(Evaluation { value, phase: gradient(0)?, x: gradient(1)?, y: gradient(2)? })
    }

    /// |E|² after a job of the pattern.
    pub fn fetched_intensity(&self) -> Result<Vec<f64>, ReflectarrayError> {
        Ok(self.down.read(0..self.samples())?)
    }

    /// |E|² after any job.
    pub fn intensity(&self) -> Result<Vec<f64>, ReflectarrayError> {
        Ok(self.gpu.download(&self.intensity)?)
    }

    pub fn field(&self) -> Result<Vec<Complex64>, ReflectarrayError> {
        Ok(self.gpu.download(&self.field)?)
    }

    pub fn back(&self) -> Result<Vec<Complex64>, ReflectarrayError> {
        Ok(self.gpu.download(&self.back)?)
    }

    pub fn run(&self, job: Job) -> Result<(), DeviceError> {
        match job {
            Job::Pattern { moved } => {
                self.pattern(moved)?;
                self.gpu.fetch(&self.intensity, &self.down, self.samples())
            }
            Job::Gradient { kinds } => {
                self.weigh()?;
                self.gradient(kinds)
            }
            Job::Distance { moved, kinds } => {
                self.pattern(moved)?;
                self.gradient(kinds)
            }
        }
    }

    fn samples(&self) -> usize {
        self.nu * self.nv
    }

    /// Groups of the kernel that adds up Φ.
    fn groups(&self) -> usize {
        self.samples().div_ceil(GROUP as usize)
    }

    fn launch(&self, kernel: &str, grid: Grid, args: &[Arg<'_>]) -> Result<(), DeviceError> {
        self.gpu.launch(&*self.program, kernel, grid, args)
    }

    /// β and the feed, as kernels take them.
    fn feed_args(&self) -> [Arg<'_>; 4] {
        [self.beta, self.feed.offset, self.feed.height, self.feed.exponent].map(Arg::F64)
    }

    /// E, |E|², Φ and the weights of its gradient, of the design that was written down.
    fn pattern(&self, moved: bool) -> Result<(), DeviceError> {
        let numbers = if moved { self.design.len() } else { self.elements };
        self.gpu.send(&self.design_up, &self.design, numbers)?;
        if moved {
            self.tables()?;
        }
        let mut args = vec![Arg::from(&self.design), (&self.element).into(), (&self.a).into()];
        args.extend(sizes([self.elements, self.cells]));
        args.extend(self.feed_args());
        self.launch("waves", Grid::cover(self.cells, GROUP), &args)?;
        let shares = match self.grid {
            Some(axes) => self.field_of_grid(axes)?,
            None => self.field_of_scattered()?,
        };
        let mut args = vec![Arg::from(&self.sums), (&self.g).into(), (&self.bounds).into()];
        args.extend([Arg::from(&self.u), (&self.v).into(), (&self.field).into(), (&self.w).into()]);
        args.extend([Arg::from(&self.intensity), (&self.cost).into()]);
        args.extend(sizes([self.nu, self.nv, shares]));
        self.launch("pattern", Grid::cover(self.samples(), GROUP), &args)
    }

    fn tables(&self) -> Result<(), DeviceError> {
        let n = self.elements;
        let (starts, counts) = match self.grid {
            Some([nx, ny]) => ([3 * n, 3 * n + nx], [nx, ny]),
            None => ([n, 2 * n], [n; 2]),
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

    /// Ex A Eyᵀ with A the excitations as a matrix; returns the number of shares, one.
    fn field_of_grid(&self, [nx, ny]: [usize; 2]) -> Result<usize, DeviceError> {
        let (nu, nv) = (self.nu, self.nv);
        let (ex, ey, a) =
            (Factor(&self.ex, [1, nu, 0]), Factor(&self.ey, [1, nv, 0]), Factor(&self.a, [1, nx, 0]));
        self.product(ey, a, &self.half, [nv, nx, ny], 1)?;
        self.product(ex, Factor(&self.half, [1, nv, 0]), &self.sums, [nu, nv, nx], 1)?;
        Ok(1)
    }

    /// Ex diag(a) Eyᵀ, share by share of the elements; returns their number.
    fn field_of_scattered(&self) -> Result<usize, DeviceError> {
        let shares = self.elements.div_ceil(self.share);
        let mut args = vec![Arg::from(&self.ex), (&self.ey).into(), (&self.a).into(), (&self.sums).into()];
        args.extend(sizes([self.nu, self.nv, self.elements, self.share]));
        let groups = [self.nu.div_ceil(SAMPLES), self.nv.div_ceil(SAMPLES), shares].map(|n| n as u32);
        self.launch("field_sums", Grid { groups, group_size: [SIDE, SIDE, 1] }, &args)?;
        Ok(shares)
    }

    /// W = g E* w for the weights that were written down.
    fn weigh(&self) -> Result<(), DeviceError> {
        self.gpu.send(&self.weights_up, &self.weights, self.samples())?;
        let mut args = vec![Arg::from(&self.weights), (&self.g).into(), (&self.field).into()];
        args.extend([Arg::from(&self.u), (&self.v).into(), (&self.w).into()]);
        args.extend(sizes([self.nu, self.nv]));
        self.launch("weigh", Grid::cover(self.samples(), GROUP), &args)
    }

    /// Gradients from W, none, those in the phases, or all three; and with Φ down.
    fn gradient(&self, kinds: usize) -> Result<(), DeviceError> {
        if kinds > 0 {
            self.gradient_kernels(kinds)?;
        }
        self.gpu.fetch(&self.cost, &self.down, self.groups() + kinds * self.elements)
    }

    fn gradient_kernels(&self, kinds: usize) -> Result<(), DeviceError> {
        let shares = match self.grid {
            Some(axes) => self.sums_at_grid(axes, kinds)?,
            None => self.sums_at_scattered(kinds)?,
        };
        let mut args = vec![Arg::from(&self.design), (&self.element).into(), (&self.a).into()];
        args.extend([Arg::from(&self.element_sums), (&self.back).into(), (&self.cost).into()]);
        args.extend(sizes([self.groups(), self.elements, self.cells, shares]));
        args.push(Arg::I32(kinds as i32));
        args.extend(self.feed_args());
        self.launch("gradient", Grid::cover(self.cells, GROUP), &args)
    }

    /// Exᵀ W Ey, of uW and vW too if they are wanted; returns the number of shares, one.
    fn sums_at_grid(&self, [nx, ny]: [usize; 2], kinds: usize) -> Result<usize, DeviceError> {
        let (nu, nv) = (self.nu, self.nv);
        let (w, ey) = (Factor(&self.w, [1, nu, nu * nv]), Factor(&self.ey, [nv, 1, 0]));
        self.product(w, ey, &self.half, [nu, ny, nv], kinds)?;
        let (ext, we) = (Factor(&self.ex, [nu, 1, 0]), Factor(&self.half, [nu, 1, nu * ny]));
        self.product(ext, we, &self.element_sums, [nx, ny, nu], kinds)?;
        Ok(1)
    }

    /// Σ W e^{jβ(ux + vy)} at each element, share by share of u; returns their number.
    fn sums_at_scattered(&self, kinds: usize) -> Result<usize, DeviceError> {
        let shares = self.nu.div_ceil(SAMPLES);
        let mut args = vec![Arg::from(&self.w), (&self.ex).into(), (&self.ey).into()];
        args.extend([Arg::from(&self.u), (&self.v).into(), (&self.element_sums).into()]);
        args.extend(sizes([self.nu, self.nv, self.elements]));
        let kernel = if kinds == 1 { "element_sums" } else { "element_sums_and_slopes" };
        let groups = [shares, self.elements.div_ceil(ELEMENTS), 1].map(|n| n as u32);
        self.launch(kernel, Grid { groups, group_size: [SIDE, SIDE, 1] }, &args)?;
        Ok(shares)
    }

    /// C = A B for `count` pairs of matrices, `shape` = [rows, columns, inner].
    fn product(
        &self,
        a: Factor<'_>,
        b: Factor<'_>,
        c: &Buffer<Complex64>,
        shape: [usize; 3],
        count: usize,
    ) -> Result<(), DeviceError> {
        let mut args = vec![Arg::from(a.0)];
        args.extend(sizes(a.1));
        args.push(b.0.into());
        args.extend(sizes(b.1));
        args.push(c.into());
        args.extend(sizes(shape));
        let mut grid = Grid::cover_2d([shape[0], shape[1]], [SIDE; 2]);
        grid.groups[2] = count as u32;
        self.launch("product", grid, &args)
    }
}

/// A factor of a product: its matrix, and its strides along the product's side, the inner sum and the pairs.
#[derive(Clone, Copy)]
struct Factor<'a>(&'a Buffer<Complex64>, [usize; 3]);

fn sizes<const N: usize>(sizes: [usize; N]) -> [Arg<'static>; N] {
    sizes.map(|size| Arg::I64(size as i64))
}
