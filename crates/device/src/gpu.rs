//! The interface between solvers and GPUs.
//!
//! [`Gpu`] has what a solver needs and nothing else: memory, kernels, FFT, dense LU and GEMM. `Cuda` and `OpenCl`
//! implement it. All work goes to one in-order queue (a CUDA stream). Calls are asynchronous: only `download` and
//! `synchronize` wait for the device.

use crate::{Buffer, DeviceError, DeviceKind, HostMemory, Memory, MemoryInfo, Result, SharedLu};
use bytemuck::Pod;
use num_complex::{Complex32, Complex64};
use phasefront_core::Precision;
use std::any::Any;
use std::sync::Arc;

/// `Complex<f32>` or `Complex<f64>`: what FFT, GEMM and LU work on.
pub trait Complex: Pod + Send + Sync {
    /// Its precision.
    const PRECISION: Precision;
}
impl Complex for Complex32 {
    const PRECISION: Precision = Precision::Single;
}
impl Complex for Complex64 {
    const PRECISION: Precision = Precision::Double;
}

/// A kernel file, embedded in the binary.
#[derive(Debug, Clone, Copy)]
pub struct KernelSource {
    /// File name, for messages.
    pub name: &'static str,
    /// Its text, without the prelude.
    pub text: &'static str,
}

/// A compiled kernel file; each backend has its own. Kernels in it are named at launch.
pub trait Program: Send + Sync {
    /// For the backend to get its own type back.
    fn as_any(&self) -> &dyn Any;
}

/// The launch grid: number and size of work groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    /// Number of work groups (CUDA blocks) along each axis.
    pub groups: [u32; 3],
    /// Work items (CUDA threads) per group along each axis.
    pub group_size: [u32; 3],
}

impl Grid {
    /// Enough groups of `group_size` items to cover `items` along one axis.
    pub fn cover(items: usize, group_size: u32) -> Self {
        Self { groups: [groups(items, group_size), 1, 1], group_size: [group_size, 1, 1] }
    }

    /// Enough groups to cover a `rows` x `cols` plane.
    pub fn cover_2d([x, y]: [usize; 2], [sx, sy]: [u32; 2]) -> Self {
        Self { groups: [groups(x, sx), groups(y, sy), 1], group_size: [sx, sy, 1] }
    }
}

/// Groups that cover `items`. On overflow the count saturates: the device then refuses the launch.
fn groups(items: usize, size: u32) -> u32 {
    u32::try_from(items.div_ceil(size as usize)).unwrap_or(u32::MAX)
}

/// One kernel argument, in the order of the kernel's parameters.
#[derive(Clone, Copy)]
pub enum Arg<'a> {
    /// A pointer to device memory.
    Buffer(&'a dyn Memory),
    /// `i32` in the kernel.
    I32(i32),
    /// `i64` in the kernel.
    I64(i64),
    /// `f32` in the kernel.
    F32(f32),
    /// `f64` in the kernel.
    F64(f64),
}

impl<'a, T> From<&'a Buffer<T>> for Arg<'a> {
    fn from(buffer: &'a Buffer<T>) -> Self {
        Self::Buffer(buffer.memory())
    }
}

/// Sign of the exponent of an FFT.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Σ x e^{-j2πkn/N}.
    Forward,
    /// Σ x e^{+j2πkn/N}, not divided by N.
    Inverse,
}

/// Shape of a batched in-place complex FFT in one, two or three dimensions, row-major and contiguous.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fft {
    /// Planes of each transform; 1 for one and two dimensions.
    pub planes: usize,
    /// Rows of each plane; 1 for one dimension.
    pub rows: usize,
    /// Columns (fastest axis).
    pub cols: usize,
    /// How many transforms follow one another.
    pub batch: usize,
    /// Precision of the data.
    pub precision: Precision,
}

impl Fft {
    /// Number of complex values of all transforms together.
    pub fn len(&self) -> usize {
        self.planes * self.rows * self.cols * self.batch
    }

    /// Whether there is nothing to transform.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Which system a factorization of A solves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Op {
    /// A x = b.
    None,
    /// Aᵀ x = b.
    Transpose,
    /// Aᴴ x = b.
    ConjTranspose,
}

/// Pivots of an LU factorization; the factors themselves lie where the matrix was.
pub struct LuFactors {
    /// Order of the matrix.
    pub n: usize,
    /// Backend's own pivots.
    pub pivots: Box<dyn Any + Send + Sync>,
}

/// Recorded work that is replayed with one call (a CUDA graph).
pub trait Recording {
    /// Runs the recorded work again, on the current contents of its buffers.
    fn replay(&self) -> Result<()>;
}

/// The work passed to [`Gpu::record`].
pub type Work<'a> = dyn Fn() -> Result<()> + 'a;

/// Description of a GPU.
#[derive(Debug, Clone, PartialEq)]
pub struct GpuInfo {
    /// CUDA or OpenCL.
    pub kind: DeviceKind,
    /// N of `cuda:N`; OpenCL devices have none.
    pub index: Option<usize>,
    /// Marketing name.
    pub name: String,
    /// Compute capability (`sm_90`) or OpenCL version.
    pub architecture: String,
    /// Driver or platform version.
    pub driver: String,
}

/// The streams of a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// To which all work goes in order.
    First,
    /// Whose work runs beside that of the first.
    Second,
}

/// A GPU: memory, kernels, FFT, dense complex LU and GEMM. Matrices are column-major.
///
/// Solvers call the typed methods on `dyn Gpu` below; backends implement the untyped ones.
pub trait Gpu: Send + Sync {
    /// Its description.
    fn info(&self) -> &GpuInfo;
    /// Free and total memory.
    fn memory(&self) -> Result<MemoryInfo>;
    /// Waits until all work is done; an error of an earlier asynchronous call surfaces here at the latest.
    fn synchronize(&self) -> Result<()>;

    /// Allocates `bytes` of zeroed memory (`bytes` > 0).
    fn alloc_bytes(&self, bytes: usize) -> Result<Box<dyn Memory>>;
    /// Copies host bytes to the start of `target`.
    fn upload_bytes(&self, source: &[u8], target: &dyn Memory) -> Result<()>;
    /// Copies the start of `source` to host bytes, and waits for it.
    fn download_bytes(&self, source: &dyn Memory, target: &mut [u8]) -> Result<()>;
    /// Copies `bytes` from device to device.
    fn copy_bytes(&self, source: &dyn Memory, target: &dyn Memory, bytes: usize) -> Result<()>;

    /// Allocates `bytes` of zeroed host memory (`bytes` > 0) that is copied from and to in the order of the queue.
    fn alloc_host_bytes(&self, bytes: usize) -> Result<Box<dyn HostMemory>>;
    /// Copies the first `bytes` of host memory to the start of `target`, without waiting where the device can.
    fn send_bytes(&self, source: &dyn HostMemory, target: &dyn Memory, bytes: usize) -> Result<()>;
    /// Copies the first `bytes` of `source` to the start of host memory, without waiting where the device can.
    fn fetch_bytes(&self, source: &dyn Memory, target: &dyn HostMemory, bytes: usize) -> Result<()>;

    /// Compiles a kernel file behind the prelude with `defines` as macros; cached by content.
    fn compile(&self, source: &KernelSource, defines: &[(&str, &str)]) -> Result<Arc<dyn Program>>;
    /// Launches kernel `name`.
    fn launch(&self, program: &dyn Program, name: &str, grid: Grid, args: &[Arg<'_>]) -> Result<()>;
    /// Programmatic dependent launch: kernel `name` may start before the previous kernel has finished, where the device supports it and that
    /// kernel calls `TRIGGER_DEPENDENTS()`. It must call `GRID_DEPENDENCY_SYNC()` before it accesses memory used by earlier launches.
    fn launch_dependent(
        &self,
        program: &dyn Program,
        name: &str,
        grid: Grid,
        args: &[Arg<'_>],
    ) -> Result<()> {
        self.launch(program, name, grid, args)
    }
    /// Cooperative launch: all groups of kernel `name` are resident at once, so that they may synchronize with each other. Refused for
    /// more groups than [`Gpu::resident_groups`].
    fn launch_cooperative(
        &self,
        program: &dyn Program,
        name: &str,
        grid: Grid,
        args: &[Arg<'_>],
    ) -> Result<()>;
    /// Occupancy: how many groups of `group_size` items of kernel `name` are guaranteed to be resident at once; one on OpenCL.
    fn resident_groups(&self, program: &dyn Program, name: &str, group_size: u32) -> Result<u32>;

    /// Runs `work` once and records it as a CUDA graph. A replay then costs one launch however many kernels the work has; OpenCL calls
    /// `work` again.
    ///
    /// `work` launches kernels, transforms, and copies between buffers and [`Staging`](crate::Staging), on this GPU and the
    /// calling thread only: it must do the same every time, and not allocate, upload, download or synchronize. What it
    /// borrows stays borrowed as long as the recording lives.
    fn record<'a>(&self, work: Box<Work<'a>>) -> Result<Box<dyn Recording + 'a>>;

    /// From now on the launches and copies of this thread go to `stream`; returns the stream that they went to before. OpenCL has one
    /// stream. See [`beside`](#method.beside) of `dyn Gpu`.
    fn switch(&self, _stream: Stream) -> Result<Stream> {
        Ok(Stream::First)
    }
    /// Later work of stream `waiting` begins after all that the other one has now; the host does not wait.
    fn order(&self, _waiting: Stream) -> Result<()> {
        Ok(())
    }

    /// Transforms `data` in place.
    fn fft_bytes(&self, shape: Fft, direction: Direction, data: &dyn Memory) -> Result<()>;
    /// LU with partial pivoting of the `n` x `n` matrix in place.
    fn lu_factor_bytes(&self, n: usize, precision: Precision, matrix: &dyn Memory) -> Result<LuFactors>;
    /// Solves for `columns` right-hand sides in place.
    fn lu_solve_bytes(
        &self,
        lu: &LuFactors,
        op: Op,
        precision: Precision,
        matrix: &dyn Memory,
        rhs: &dyn Memory,
        columns: usize,
    ) -> Result<()>;
    /// The library by which the GPUs of several processes factor a matrix together; none on OpenCL.
    fn shared_lu(&self) -> Result<Option<Box<dyn SharedLu>>> {
        Ok(None)
    }
    /// C = A B with A `m` x `k` and B `k` x `n`; `shape` = [m, n, k].
    fn gemm_bytes(
        &self,
        shape: [usize; 3],
        precision: Precision,
        a: &dyn Memory,
        b: &dyn Memory,
        c: &dyn Memory,
    ) -> Result<()>;
}

const NORM: KernelSource = KernelSource { name: "norm.cu", text: include_str!("../kernels/norm.cu") };

/// Work items that sum one column: a power of two.
const NORM_GROUP: u32 = 256;

/// The largest sum; NaN if one is NaN, which `f64::max` would skip.
pub(crate) fn largest(sums: impl IntoIterator<Item = f64>) -> f64 {
    // A comparison with NaN is false: a NaN sum replaces the largest, and then stays.
    let larger = |largest: f64, sum| if largest.is_nan() || sum <= largest { largest } else { sum };
    sums.into_iter().fold(0.0, larger)
}

impl dyn Gpu + '_ {
    /// Does `work` on the second stream: its launches and copies run beside those of the first, in order among themselves. What one
    /// stream needs of the other is said by [`Gpu::order`]; new buffers are zeroed on the first. Not for FFT, LU and matrix products, and
    /// not in a recording.
    pub fn beside<T, E: From<DeviceError>>(
        &self,
        work: impl FnOnce() -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        /// Switches back also when the work panics.
        struct Back<'a>(&'a dyn Gpu, Stream);
        impl Drop for Back<'_> {
            fn drop(&mut self) {
                if let Err(error) = self.0.switch(self.1) {
                    tracing::warn!(%error, "a stream was not switched back");
                }
            }
        }
        let _back = Back(self, self.switch(Stream::Second)?);
        work()
    }

    /// `len` zeroed values.
    pub fn alloc<T: Pod>(&self, len: usize) -> Result<Buffer<T>> {
        // A product that wraps would allocate too little.
        let bytes = len.checked_mul(size_of::<T>()).ok_or(DeviceError::TooLarge { values: len })?;
        // Zero-size allocations differ between drivers: an empty buffer still owns one element.
        let memory = self.alloc_bytes(bytes.max(size_of::<T>()))?;
        Ok(Buffer::new(memory, len))
    }

    /// A buffer with a copy of `values`.
    pub fn upload<T: Pod>(&self, values: &[T]) -> Result<Buffer<T>> {
        let buffer = self.alloc(values.len())?;
        self.upload_bytes(bytemuck::cast_slice(values), buffer.memory())?;
        Ok(buffer)
    }

    /// All values of `buffer`; waits for preceding work.
    pub fn download<T: Pod>(&self, buffer: &Buffer<T>) -> Result<Vec<T>> {
        let mut values = vec![T::zeroed(); buffer.len()];
        self.download_bytes(buffer.memory(), bytemuck::cast_slice_mut(&mut values))?;
        Ok(values)
    }

    /// Copies `source` over the start of `target`.
    ///
    /// # Panics
    /// If `target` is shorter than `source`.
    pub fn copy<T: Pod>(&self, source: &Buffer<T>, target: &Buffer<T>) -> Result<()> {
        assert!(source.len() <= target.len(), "copy of {} values into {}", source.len(), target.len());
        self.copy_bytes(source.memory(), target.memory(), source.len() * size_of::<T>())
    }

    /// In-place FFT; `shape` must fill `data`.
    ///
    /// # Panics
    /// If `shape` and `data` differ in length or precision.
    pub fn fft<C: Complex>(&self, shape: Fft, direction: Direction, data: &Buffer<C>) -> Result<()> {
        assert_eq!(shape.precision, C::PRECISION);
        assert_eq!(shape.len(), data.len(), "FFT shape does not match its data");
        self.fft_bytes(shape, direction, data.memory())
    }

    /// LU with partial pivoting of an `n` x `n` matrix, in place.
    ///
    /// # Panics
    /// If `matrix` does not have `n`² values.
    pub fn lu_factor<C: Complex>(&self, n: usize, matrix: &Buffer<C>) -> Result<LuFactors> {
        assert_eq!(n * n, matrix.len(), "LU order does not match its matrix");
        self.lu_factor_bytes(n, C::PRECISION, matrix.memory())
    }

    /// Solves in place for all columns of `rhs`, with the matrix, its transpose or its conjugate transpose.
    ///
    /// # Panics
    /// If the lengths do not match the order of `lu`.
    pub fn lu_solve<C: Complex>(
        &self,
        lu: &LuFactors,
        op: Op,
        matrix: &Buffer<C>,
        rhs: &Buffer<C>,
    ) -> Result<()> {
        assert_eq!(lu.n * lu.n, matrix.len(), "LU order does not match its matrix");
        if lu.n == 0 || rhs.is_empty() {
            return Ok(());
        }
        assert_eq!(rhs.len() % lu.n, 0, "right-hand sides do not match the LU order");
        self.lu_solve_bytes(lu, op, C::PRECISION, matrix.memory(), rhs.memory(), rhs.len() / lu.n)
    }

    /// ‖A‖₁ = max_j Σ_i |a_ij| of an `n` x `n` matrix; NaN if an entry is NaN.
    ///
    /// # Panics
    /// If `matrix` does not have `n`² values.
    pub fn norm_1<C: Complex>(&self, n: usize, matrix: &Buffer<C>) -> Result<f64> {
        assert_eq!(n * n, matrix.len(), "the order does not match the matrix");
        let group = NORM_GROUP.to_string();
        let defines = [("REAL", C::PRECISION.c_name()), ("GROUP", group.as_str())];
        // Compiled once: later calls find it in the cache.
        let program = self.compile(&NORM, &defines)?;
        let sums: Buffer<f64> = self.alloc(n)?;
        let args = [matrix.into(), (&sums).into(), Arg::I64(n as i64)];
        // One work group per column.
        self.launch(&*program, "column_sums", Grid::cover(n * NORM_GROUP as usize, NORM_GROUP), &args)?;
        Ok(largest(self.download(&sums)?))
    }

    /// C = A B, column-major, `shape` = [m, n, k].
    ///
    /// # Panics
    /// If the lengths do not match the shape.
    pub fn gemm<C: Complex>(
        &self,
        shape: [usize; 3],
        a: &Buffer<C>,
        b: &Buffer<C>,
        c: &Buffer<C>,
    ) -> Result<()> {
        let [m, n, k] = shape;
        assert_eq!(
            [a.len(), b.len(), c.len()],
            [m * k, k * n, m * n],
            "GEMM shape does not match its matrices"
        );
        self.gemm_bytes(shape, C::PRECISION, a.memory(), b.memory(), c.memory())
    }
}
