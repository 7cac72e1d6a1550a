//! The CUDA program of the thesis.

use super::{Circle, Times, Value};
use num_complex::{Complex, Complex64};
use phasefront_core::constants::ETA0;
use phasefront_core::{Precision, Real};
use phasefront_device::{Arg, Buffer, Gpu, Grid, KernelSource, Program, Result};
use std::sync::Arc;
use std::time::Instant;

/// Fill, inverses and product.
pub const KERNELS: KernelSource = KernelSource {
    name: "mom/baseline.cu",
    text: concat!(
        "#line 1 \"mom/hankel_tables.h\"\n",
        include_str!("../../kernels/hankel_tables.h"),
        "#line 1 \"mom/hankel.h\"\n",
        include_str!("../../kernels/hankel.h"),
        "#line 1 \"mom/baseline.cu\"\n",
        include_str!("../../kernels/baseline.cu")
    ),
};

/// Crout's LU with its barrier.
pub const CROUT: KernelSource =
    KernelSource { name: "mom/cuda_only/crout.cu", text: include_str!("../../kernels/cuda_only/crout.cu") };

/// Shared memory for finished values of a block: the GPU of the thesis had 16 KB per multiprocessor (2000 values, its eq. 44).
const SHARED_BYTES: usize = 16_000;

/// Blocks and threads per block of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launch {
    /// Blocks.
    pub blocks: u32,
    /// Threads of each, up to 1024.
    pub threads: u32,
}

impl Launch {
    fn grid(self) -> Grid {
        Grid { groups: [self.blocks, 1, 1], group_size: [self.threads, 1, 1] }
    }
}

/// How the stages are launched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Z and E.
    pub fill: Launch,
    /// Crout's LU: no more blocks than [`resident_blocks`].
    pub lu: Launch,
    /// Inverses and product.
    pub inverse: Launch,
    /// Whether the LU stores the pivot row and column in shared memory.
    pub shared: bool,
}

impl Plan {
    /// The same launch for all stages.
    pub fn uniform(blocks: u32, threads: u32, shared: bool) -> Self {
        let launch = Launch { blocks, threads };
        Self { fill: launch, lu: launch, inverse: launch, shared }
    }
}

/// The macros of [`CROUT`].
pub fn crout_defines(precision: Precision, shared: bool) -> [(&'static str, String); 2] {
    // Complex values, in single precision the 2000 of the thesis.
    let values = if shared { SHARED_BYTES / (2 * precision.bytes()) } else { 0 };
    [("REAL", precision.c_name().into()), ("SHARED_VALUES", values.to_string())]
}

fn crout_program(gpu: &dyn Gpu, precision: Precision, shared: bool) -> Result<Arc<dyn Program>> {
    let defines = crout_defines(precision, shared);
    gpu.compile(&CROUT, &defines.each_ref().map(|(name, value)| (*name, value.as_str())))
}

/// Most blocks of the LU that may be launched: they synchronize, so all must be resident at once.
pub fn resident_blocks(gpu: &Arc<dyn Gpu>, precision: Precision, threads: u32, shared: bool) -> Result<u32> {
    gpu.resident_groups(&*crout_program(&**gpu, precision, shared)?, "crout", threads)
}

/// Solves the circle of `n` cells; returns the seconds of each stage and the current on each cell. Everything is compiled
/// and allocated before the clock starts.
pub fn solve(
    gpu: &Arc<dyn Gpu>,
    n: usize,
    precision: Precision,
    plan: &Plan,
) -> Result<(Times, Vec<Complex64>)> {
    match precision {
        Precision::Single => run::<f32>(gpu, n, plan),
        Precision::Double => run::<f64>(gpu, n, plan),
    }
}

fn run<T: Real>(gpu: &Arc<dyn Gpu>, n: usize, plan: &Plan) -> Result<(Times, Vec<Complex64>)>
where
    Complex<T>: Value,
{
    let solver = Solver::<T>::new(gpu, n, plan)?;
    let times = Times {
        fill: solver.seconds(Solver::fill)?,
        lu: solver.seconds(Solver::factor)?,
        inverse: solver.seconds(Solver::invert)?,
        multiply: solver.seconds(Solver::multiply)?,
    };
    let current = gpu.download(&solver.current)?;
    Ok((times, current.into_iter().map(T::complex_to_f64).collect()))
}

/// State on the GPU; one method per stage.
struct Solver<'a, T> {
    gpu: &'a Arc<dyn Gpu>,
    plan: &'a Plan,
    stages: Arc<dyn Program>,
    crout: Arc<dyn Program>,
    n: usize,
    circle: Circle,
    x: Buffer<f64>,
    y: Buffer<f64>,
    /// Z, then L and U.
    matrix: Buffer<Complex<T>>,
    inverse: Buffer<Complex<T>>,
    e: Buffer<Complex<T>>,
    /// L⁻¹ E.
    between: Buffer<Complex<T>>,
    current: Buffer<Complex<T>>,
    /// Flags of the barrier.
    arrived: Buffer<i32>,
    released: Buffer<i32>,
}

impl<'a, T: Real> Solver<'a, T>
where
    Complex<T>: Value,
{
    fn new(gpu: &'a Arc<dyn Gpu>, n: usize, plan: &'a Plan) -> Result<Self> {
        let circle = Circle::new(n);
        let blocks = plan.lu.blocks as usize;
        Ok(Self {
            stages: gpu.compile(&KERNELS, &[("REAL", T::PRECISION.c_name())])?,
            crout: crout_program(&**gpu, T::PRECISION, plan.shared)?,
            x: gpu.upload(&circle.x)?,
            y: gpu.upload(&circle.y)?,
            matrix: gpu.alloc(n * n)?,
            inverse: gpu.alloc(n * n)?,
            e: gpu.alloc(n)?,
            between: gpu.alloc(n)?,
            current: gpu.alloc(n)?,
            // Zeroed: the first goal of the barrier is 1.
            arrived: gpu.alloc(blocks)?,
            released: gpu.alloc(blocks)?,
            gpu,
            plan,
            n,
            circle,
        })
    }

    fn seconds(&self, stage: impl FnOnce(&Self) -> Result<()>) -> Result<f64> {
        self.gpu.synchronize()?;
        // Launches are asynchronous: the clock starts and stops with an idle GPU.
        let start = Instant::now();
        stage(self)?;
        self.gpu.synchronize()?;
        Ok(start.elapsed().as_secs_f64())
    }

    fn launch(&self, kernel: &str, launch: Launch, args: &[Arg<'_>]) -> Result<()> {
        self.gpu.launch(&*self.stages, kernel, launch.grid(), args)
    }

    fn fill(&self) -> Result<()> {
        let (n, k) = (Arg::I64(self.n as i64), Arg::F64(Circle::K));
        let (x, y) = ((&self.x).into(), (&self.y).into());
        let matrix = [(&self.matrix).into(), x, y, n, Arg::F64(self.circle.w), k, Arg::F64(ETA0)];
        self.launch("fill", self.plan.fill, &matrix)?;
        self.launch("plane_wave", self.plan.fill, &[(&self.e).into(), x, n, k])
    }

    fn factor(&self) -> Result<()> {
        let launch = self.plan.lu;
        let args = [
            (&self.matrix).into(),
            (&self.arrived).into(),
            (&self.released).into(),
            Arg::I64(self.n as i64),
            Arg::I32(chunk_columns(launch.blocks) as i32),
        ];
        // Blocks wait for each other: all of them must be resident.
        self.gpu.launch_cooperative(&*self.crout, "crout", launch.grid(), &args)
    }

    fn invert(&self) -> Result<()> {
        let args = [(&self.matrix).into(), (&self.inverse).into(), Arg::I64(self.n as i64)];
        self.launch("triangular_inverses", self.plan.inverse, &args)
    }

    fn multiply(&self) -> Result<()> {
        let (n, launch) = (Arg::I64(self.n as i64), self.plan.inverse);
        let (inverse, between) = ((&self.inverse).into(), (&self.between).into());
        // Two launches: the second product needs all of L⁻¹ E, and only a launch orders the blocks.
        self.launch("multiply_lower", launch, &[inverse, (&self.e).into(), between, n])?;
        self.launch("multiply_upper", launch, &[inverse, between, (&self.current).into(), n])
    }
}

/// Columns of the grid of chunks for `blocks` blocks: the divisor that makes the chunks most nearly square.
fn chunk_columns(blocks: u32) -> u32 {
    // Square chunks read the fewest values of row k and column k per entry.
    let rows = (1..=blocks.isqrt()).rev().find(|rows| blocks.is_multiple_of(*rows));
    rows.map_or(1, |rows| blocks / rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::tests::{DOUBLE, SINGLE, identity_error, pivoted, relative_error};
    use phasefront_device::{Backend, DeviceError, for_each_gpu, testing};

    /// Not a multiple of the blocks and threads below.
    const N: usize = 203;

    /// Plans of every kind that this GPU supports: one thread, one block, and as many blocks as are resident.
    fn plans(gpu: &Arc<dyn Gpu>, precision: Precision) -> Vec<Plan> {
        let mut plans = vec![Plan::uniform(1, 1, false), Plan::uniform(1, 1, true)];
        for shared in [false, true] {
            for threads in [24, 64, 256] {
                let most = resident_blocks(gpu, precision, threads, shared).unwrap();
                let mut blocks = vec![1, most.min(30), most];
                blocks.dedup();
                for blocks in blocks {
                    let other = Launch { blocks: 7, threads };
                    plans.push(Plan {
                        fill: other,
                        inverse: other,
                        ..Plan::uniform(blocks, threads, shared)
                    });
                }
            }
        }
        plans
    }

    fn agrees_with_the_pivoted_lu(backend: &Backend, precision: Precision, tolerance: f64) {
        let Backend::Gpu(gpu) = backend else { return };
        let expected = pivoted(N);
        for plan in plans(gpu, precision) {
            let (times, current) = solve(gpu, N, precision, &plan).unwrap();
            let error = relative_error(&current, &expected);
            assert!(error < tolerance, "{plan:?}: {error:e}");
            assert!(times.total() > 0.0);
        }
    }

    for_each_gpu! {
        fn double_precision_agrees_with_the_pivoted_lu(backend: &Backend) {
            agrees_with_the_pivoted_lu(backend, Precision::Double, DOUBLE);
        }

        fn single_precision_agrees_with_the_pivoted_lu(backend: &Backend) {
            agrees_with_the_pivoted_lu(backend, Precision::Single, SINGLE);
        }

        fn factors_times_inverses_are_the_identity(backend: &Backend) {
            let Backend::Gpu(gpu) = backend else { return };
            let plan = Plan::uniform(1, 64, true);
            let solver = Solver::<f64>::new(gpu, N, &plan).unwrap();
            solver.fill().and_then(|()| solver.factor()).and_then(|()| solver.invert()).unwrap();
            let (lu, inverse) = (gpu.download(&solver.matrix).unwrap(), gpu.download(&solver.inverse).unwrap());
            let error = identity_error(N, &lu, &inverse);
            assert!(error < 1e-12, "{error:e}");
        }

        fn values_beyond_the_shared_memory_are_read_from_global_memory(backend: &Backend) {
            let Backend::Gpu(gpu) = backend else { return };
            // One block needs 2 N values of the pivot row and column, and has shared memory for 1000.
            let n = 611;
            let (_, current) = solve(gpu, n, Precision::Double, &Plan::uniform(1, 128, true)).unwrap();
            let error = relative_error(&current, &pivoted(n));
            assert!(error < DOUBLE, "{error:e}");
        }

        fn blocks_that_cannot_synchronize_are_refused(backend: &Backend) {
            let Backend::Gpu(gpu) = backend else { return };
            let most = resident_blocks(gpu, Precision::Single, 64, true).unwrap();
            let error = solve(gpu, N, Precision::Single, &Plan::uniform(most + 1, 64, true)).unwrap_err();
            assert!(matches!(error, DeviceError::TooManyGroups { .. }), "{error}");
        }

        fn the_smallest_systems_are_solved(backend: &Backend) {
            let Backend::Gpu(gpu) = backend else { return };
            for n in [1, 2] {
                let (_, current) = solve(gpu, n, Precision::Double, &Plan::uniform(1, 32, true)).unwrap();
                let error = relative_error(&current, &pivoted(n));
                assert!(error < 1e-14, "{n}: {error:e}");
            }
        }
    }

    #[test]
    fn chunks_are_nearly_square() {
        assert_eq!([1, 2, 7, 30, 132, 528].map(chunk_columns), [1, 2, 7, 6, 12, 24]);
    }

    #[test]
    fn kernels_compile_for_every_architecture() {
        for precision in [Precision::Single, Precision::Double] {
            testing::compile_for_all_architectures(&KERNELS, &[("REAL", precision.c_name())]);
            for shared in [false, true] {
                let defines = crout_defines(precision, shared);
                let defines = defines.each_ref().map(|(name, value)| (*name, value.as_str()));
                testing::compile_for_all_architectures(&CROUT, &defines);
            }
        }
    }
}
