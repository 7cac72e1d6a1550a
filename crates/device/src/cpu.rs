//! FFT, dense LU and matrix product on the host, for the CPU solvers and for OpenCL.
//!
//! Threads are rayon's: all of the current pool. Matrices are column-major.

use crate::gpu::largest;
use crate::{Direction, Fft, Op, Result};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::solve;
use faer::linalg::matmul::matmul;
use faer::perm::PermRef;
use faer::traits::ComplexField;
use faer::{Accum, Conj, MatMut, MatRef, Par};
use num_complex::{Complex, Complex32, Complex64};
use rayon::prelude::*;
use rustfft::{FftDirection, FftNum, FftPlanner};
use std::sync::Arc;

mod lu;
mod registers;
pub mod team;

pub use lu::Lu;

mod sealed {
    use super::Lu;
    use crate::{Direction, Fft, Op, Result};
    use faer::Par;

    /// The routines for one type. They are not generic, so they are compiled once, here, and not in every
    /// crate that calls them: that saves minutes of build time.
    pub trait Routines: Sized {
        fn fft(shape: Fft, direction: Direction, data: &mut [Self]);
        fn factor(n: usize, matrix: &mut [Self]) -> Result<Lu>;
        fn solve(lu: &Lu, op: Op, matrix: &[Self], rhs: &mut [Self]);
        fn multiply(shape: [usize; 3], a: &[Self], b: &[Self], c: &mut [Self], threads: Par);
        fn modulus(&self) -> f64;
    }
}

/// `Complex<f32>` or `Complex<f64>`: what the routines here work on.
pub trait HostComplex: crate::Complex + sealed::Routines {}

/// `f32` or `f64`, with its FFTs: like the routines above these are compiled here and nowhere else.
pub trait PlanFft: FftNum {
    /// An FFT of `len` values.
    fn plan_fft(len: usize, direction: Direction) -> Arc<dyn rustfft::Fft<Self>>;
}

macro_rules! routines {
    ($complex:ty, $real:ty) => {
        impl PlanFft for $real {
            fn plan_fft(len: usize, direction: Direction) -> Arc<dyn rustfft::Fft<Self>> {
                let direction = match direction {
                    Direction::Forward => FftDirection::Forward,
                    Direction::Inverse => FftDirection::Inverse,
                };
                FftPlanner::new().plan_fft(len, direction)
            }
        }
        impl HostComplex for $complex {}
        impl sealed::Routines for $complex {
            fn fft(shape: Fft, direction: Direction, data: &mut [Self]) {
                transform(shape, direction, data);
            }
            fn factor(n: usize, matrix: &mut [Self]) -> Result<Lu> {
                lu::factor_in_place(n, matrix)
            }
            fn solve(lu: &Lu, op: Op, matrix: &[Self], rhs: &mut [Self]) {
                solve_in_place(lu, op, matrix, rhs);
            }
            fn multiply(shape: [usize; 3], a: &[Self], b: &[Self], c: &mut [Self], threads: Par) {
                multiply(shape, a, b, c, threads);
            }
            fn modulus(&self) -> f64 {
                self.norm().into()
            }
        }
    };
}
routines!(Complex32, f32);
routines!(Complex64, f64);

fn threads() -> Par {
    Par::rayon(rayon::current_num_threads())
}

/// Transforms `data` in place; its length must be that of `shape`. The inverse is not divided by N.
///
/// ```
/// use phasefront_device::{cpu, Direction, Fft};
/// use num_complex::Complex64;
/// let shape = Fft { planes: 1, rows: 1, cols: 4, batch: 1, precision: phasefront_core::Precision::Double };
/// let mut data = [1.0, 2.0, 3.0, 4.0].map(Complex64::from);
/// cpu::fft(shape, Direction::Forward, &mut data);
/// assert!((data[0] - 10.0).norm() < 1e-14);
/// assert!((data[1] - Complex64::new(-2.0, 2.0)).norm() < 1e-14);
/// ```
///
/// # Panics
/// If `data` does not have the length of `shape`.
pub fn fft<C: HostComplex>(shape: Fft, direction: Direction, data: &mut [C]) {
    assert_eq!(shape.len(), data.len(), "FFT shape does not match its data");
    C::fft(shape, direction, data);
}

fn transform<T: PlanFft>(shape: Fft, direction: Direction, data: &mut [Complex<T>]) {
    if shape.is_empty() {
        return;
    }
    let along_rows = T::plan_fft(shape.cols, direction);
    // Rows of all transforms lie one after another: one batch.
    data.par_chunks_mut(shape.cols).for_each_init(
        || vec![Complex::new(T::zero(), T::zero()); along_rows.get_inplace_scratch_len()],
        |scratch, row| along_rows.process_with_scratch(row, scratch),
    );
    // Along the planes, a transform is a matrix whose columns are the positions in a plane.
    for (count, stride) in [(shape.rows, shape.cols), (shape.planes, shape.rows * shape.cols)] {
        if count > 1 {
            let along_cols = T::plan_fft(count, direction);
            // One matrix after the other; all threads share each of them.
            data.chunks_mut(count * stride)
                .for_each(|matrix| transform_columns(&*along_cols, stride, matrix));
        }
    }
}

/// Transforms every column of a row-major matrix with rows of `cols`. Transposed, the columns are contiguous.
fn transform_columns<T: FftNum>(fft: &dyn rustfft::Fft<T>, cols: usize, matrix: &mut [Complex<T>]) {
    let zeros = |len| vec![Complex::new(T::zero(), T::zero()); len];
    let mut turned = zeros(matrix.len());
    transpose(matrix, cols, &mut turned);
    turned.par_chunks_mut(fft.len()).for_each_init(
        || zeros(fft.get_inplace_scratch_len()),
        |scratch, column| fft.process_with_scratch(column, scratch),
    );
    transpose(&turned, fft.len(), matrix);
}

/// `target` becomes the transpose of `source`, row-major with rows of `cols`.
fn transpose<T: Copy + Send + Sync>(source: &[T], cols: usize, target: &mut [T]) {
    /// Side of a square that stays in the first-level cache in both orders.
    const TILE: usize = 32;
    let rows = source.len() / cols;
    // A thread owns a strip of the target. Tiles use every value of a cache line before it is
    // evicted, in the strided direction too.
    target.par_chunks_mut(rows * TILE).enumerate().for_each(|(strip, target)| {
        let c0 = strip * TILE;
        for r0 in (0..rows).step_by(TILE) {
            for (c, line) in target.chunks_mut(rows).enumerate() {
                for r in r0..rows.min(r0 + TILE) {
                    line[r] = source[r * cols + c0 + c];
                }
            }
        }
    });
}

/// Factors the `n` x `n` matrix in place, P A = L U with partial pivoting.
///
/// ```
/// use phasefront_device::{cpu, Op};
/// use num_complex::Complex64;
/// // Columns (0, 2) and (1, 0): needs a row interchange.
/// let mut matrix = [0.0, 2.0, 1.0, 0.0].map(Complex64::from);
/// let mut rhs = [3.0, 8.0].map(Complex64::from);
/// let lu = cpu::lu_factor(2, &mut matrix).unwrap();
/// cpu::lu_solve(&lu, Op::None, &matrix, &mut rhs);
/// assert_eq!(rhs, [4.0, 3.0].map(Complex64::from));
/// ```
///
/// # Panics
/// If `matrix` does not have `n`² values.
pub fn lu_factor<C: HostComplex>(n: usize, matrix: &mut [C]) -> Result<Lu> {
    assert_eq!(n * n, matrix.len(), "LU order does not match its matrix");
    C::factor(n, matrix)
}

/// Solves in place for every column of `rhs` with the factors that [`lu_factor`] left in `matrix`: for the matrix, its
/// transpose or its conjugate transpose.
///
/// # Panics
/// If the lengths do not match the order of `lu`.
pub fn lu_solve<C: HostComplex>(lu: &Lu, op: Op, matrix: &[C], rhs: &mut [C]) {
    let n = lu.n();
    if n == 0 || rhs.is_empty() {
        return;
    }
    assert_eq!(n * n, matrix.len(), "LU order does not match its matrix");
    assert_eq!(rhs.len() % n, 0, "right-hand sides do not match the LU order");
    C::solve(lu, op, matrix, rhs);
}

fn solve_in_place<C: ComplexField>(lu: &Lu, op: Op, matrix: &[C], rhs: &mut [C]) {
    let n = lu.n();
    let columns = rhs.len() / n;
    let factors = MatRef::from_column_major_slice(matrix, n, n);
    let permutation = PermRef::new_checked(&lu.forward, &lu.inverse, n);
    let par = threads();
    let scratch = match op {
        Op::None => solve::solve_in_place_scratch::<usize, C>(n, columns, par),
        Op::Transpose | Op::ConjTranspose => {
            solve::solve_transpose_in_place_scratch::<usize, C>(n, columns, par)
        }
    };
    let mut memory = MemBuffer::new(scratch);
    let stack = MemStack::new(&mut memory);
    let rhs = MatMut::from_column_major_slice_mut(rhs, n, columns);
    // Aᴴ x = b is the transposed solve with conjugated factors.
    let (solve, conj): (fn(_, _, _, _, _, _, _), _) = match op {
        Op::None => (solve::solve_in_place_with_conj::<usize, C>, Conj::No),
        Op::Transpose => (solve::solve_transpose_in_place_with_conj::<usize, C>, Conj::No),
        Op::ConjTranspose => (solve::solve_transpose_in_place_with_conj::<usize, C>, Conj::Yes),
    };
    solve(factors, factors, permutation, conj, rhs, par, stack);
    registers::release(par);
}

/// ‖A‖₁ = max_j Σ_i |a_ij| of an `n` x `n` matrix; NaN if an entry is NaN.
///
/// ```
/// use num_complex::Complex64;
/// // Columns (3 + 4j, 0) and (1, -2).
/// let matrix = [Complex64::new(3.0, 4.0), 0.0.into(), 1.0.into(), (-2.0).into()];
/// assert_eq!(phasefront_device::cpu::norm_1(2, &matrix), 5.0);
/// ```
///
/// # Panics
/// If `matrix` does not have `n`² values.
pub fn norm_1<C: HostComplex>(n: usize, matrix: &[C]) -> f64 {
    assert_eq!(n * n, matrix.len(), "the order does not match the matrix");
    if n == 0 {
        return 0.0;
    }
    // A column is summed by one thread, in order: the result is repeatable.
    let sums: Vec<f64> = matrix.par_chunks(n).map(|column| column.iter().map(C::modulus).sum()).collect();
    largest(sums)
}

/// C = A B with A `m` x `k` and B `k` x `n`; `shape` = [m, n, k].
///
/// # Panics
/// If the lengths do not match the shape.
pub fn gemm<C: HostComplex>(shape: [usize; 3], a: &[C], b: &[C], c: &mut [C]) {
    checked_multiply(shape, a, b, c, threads());
}

/// As [`gemm`], on the thread that calls it: for many small products side by side.
///
/// # Panics
/// If the lengths do not match the shape.
pub fn gemm_on_one_thread<C: HostComplex>(shape: [usize; 3], a: &[C], b: &[C], c: &mut [C]) {
    checked_multiply(shape, a, b, c, Par::Seq);
}

fn checked_multiply<C: HostComplex>(shape: [usize; 3], a: &[C], b: &[C], c: &mut [C], threads: Par) {
    let [m, n, k] = shape;
    assert_eq!([a.len(), b.len(), c.len()], [m * k, k * n, m * n], "GEMM shape does not match its matrices");
    C::multiply(shape, a, b, c, threads);
}

fn multiply<C: ComplexField>([m, n, k]: [usize; 3], a: &[C], b: &[C], c: &mut [C], threads: Par) {
    matmul(
        MatMut::from_column_major_slice_mut(c, m, n),
        Accum::Replace,
        MatRef::from_column_major_slice(a, m, k),
        MatRef::from_column_major_slice(b, k, n),
        C::one_impl(),
        threads,
    );
    registers::release(threads);
}
