//! Solving with LU factors for many right-hand sides at the speed of matrix products.
//!
//! cuSOLVER's own solve is made for few columns: for 360 of them it takes half as long as the factorization. Here the
//! diagonal blocks of both triangles are inverted once, and all else is products:
//!
//! L: Y_k = L_kk⁻¹ B_k, then B_i −= L_ik Y_k for all i > k;  U: X_k = U_kk⁻¹ Y_k, then Y_i −= U_ik X_k for all i < k.
//!
//! The inverses come from tiles by doubling, [A 0; B C]⁻¹ = [A⁻¹ 0; −C⁻¹BA⁻¹ C⁻¹], for all blocks in one batch. The
//! backward error is that of substitution times what the condition of the diagonal blocks adds: see [`BLOCK`].
//!
//! Nothing here names CUDA: the product is passed in, so the tests run all of it on OpenCL.

use super::blas::{Operand, Product};
use crate::{Arg, Gpu, Grid, KernelSource, Memory, Program, Result};
use phasefront_core::Precision;
use std::sync::Arc;

const KERNELS: KernelSource =
    KernelSource { name: "triangular.cu", text: include_str!("../../kernels/triangular.cu") };

/// From how many columns on the inverses pay: measured on an H200 at n = 10000, they take 2.0 ms for one column and 2.5 ms for two,
/// cuSOLVER 3.9 ms and 7.5 ms; a single one stays with cuSOLVER, which needs no scratch memory.
pub const MANY_COLUMNS: usize = 2;

/// Rows of a diagonal block, a power of two times [`TILE`]: the fewest that keep the products at speed. For 360 columns
/// on an H200 at n = 10000: 9.6 ms with 128 rows, 7.5 ms with 256, 7.3 ms with 512, backward errors 3e-15, 4e-15, 1e-14 (cuSOLVER:
/// 18 ms, 7e-15).
const BLOCK: usize = 256;

/// Rows of the triangles that are inverted by substitution: one warp each, and two of them fit in the 48 KiB of memory
/// that a work group shares.
const TILE: usize = 32;

/// Work items per group, over one axis and over rows and columns.
const GROUP: u32 = 256;
const PERMUTE_GROUP: [u32; 2] = [64, 4];

/// Right-hand sides solved for at a time: ten times 360 columns take nine times as long, and the scratch memory stays bounded.
const COLUMNS_AT_ONCE: usize = 1024;

/// Bytes that solving for `columns` right-hand sides of order `n` takes on a GPU beside its arguments, at most.
pub fn scratch_bytes(n: usize, columns: usize, precision: Precision) -> u64 {
    if columns < MANY_COLUMNS {
        return 0;
    }
    let count = n.div_ceil(BLOCK);
    let values = n * columns.min(COLUMNS_AT_ONCE) + 2 * block_values(count) + doubling_values(count);
    (values * 2 * precision.bytes()) as u64
}

/// The blocks begin BLOCK (BLOCK + 1) apart: then the pairs of triangles on all diagonals are equally far apart.
fn block_values(count: usize) -> usize {
    count * BLOCK * (BLOCK + 1)
}

/// The largest intermediate of the doubling: a quarter of every block.
fn doubling_values(count: usize) -> usize {
    count * BLOCK * BLOCK / 4
}

/// The kernels for values of `precision`.
pub fn kernels(gpu: &dyn Gpu, precision: Precision) -> Result<Arc<dyn Program>> {
    gpu.compile(&KERNELS, &[("REAL", precision.c_name()), ("TILE", &TILE.to_string())])
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Triangle {
    /// L, with a diagonal of ones that is not stored.
    Lower,
    /// U.
    Upper,
}

/// The LU factors of a matrix of order `n`, with all that is needed to solve with them.
pub struct Factors<'a> {
    /// The device.
    pub gpu: &'a dyn Gpu,
    /// What [`kernels`] compiled for it.
    pub kernels: &'a dyn Program,
    /// C ← α A B + β C on it.
    pub multiply: &'a dyn Fn(&Product<'_>) -> Result<()>,
    /// Order.
    pub n: usize,
    /// Of the values.
    pub precision: Precision,
    /// L below and U on and above the diagonal, `n` x `n`.
    pub matrix: &'a dyn Memory,
    /// Row i of P A is row `permutation[i]` of A: `n` values of 64 bits.
    pub permutation: &'a dyn Memory,
}

impl Factors<'_> {
    /// Solves for `columns` right-hand sides in place.
    pub fn solve(&self, rhs: &dyn Memory, columns: usize) -> Result<()> {
        // Inverted once per call, for all batches of columns.
        let lower = self.inverses(Triangle::Lower)?;
        let upper = self.inverses(Triangle::Upper)?;
        let work = self.alloc(self.n * columns.min(COLUMNS_AT_ONCE))?;
        let work = &*work;
        for first in (0..columns).step_by(COLUMNS_AT_ONCE) {
            let columns = COLUMNS_AT_ONCE.min(columns - first);
            let sizes = [self.n, columns, first].map(|size| Arg::I64(size as i64));
            let buffers = [rhs, work, self.permutation].map(Arg::Buffer);
            let grid = Grid::cover_2d([self.n, columns], PERMUTE_GROUP);
            self.launch("permute_rows", grid, &[&buffers[..], &sizes].concat())?;
            // Each substitution consumes one of the two matrices and fills the other.
            let here = Operand { memory: rhs, at: first * self.n, ld: self.n, stride: 0 };
            let there = Operand { memory: work, at: 0, ld: self.n, stride: 0 };
            self.substitute(Triangle::Lower, &*lower, [there, here], columns)?;
            self.substitute(Triangle::Upper, &*upper, [here, there], columns)?;
            let buffers = [work, rhs].map(Arg::Buffer);
            let grid = Grid::cover(self.n * columns, GROUP);
            self.launch("put_columns", grid, &[&buffers[..], &sizes].concat())?;
        }
        Ok(())
    }

    /// T⁻¹ B for a triangle T with the inverses of its diagonal blocks: consumes the `source` B and fills `target`.
    fn substitute(
        &self,
        triangle: Triangle,
        inverses: &dyn Memory,
        [source, target]: [Operand<'_>; 2],
        columns: usize,
    ) -> Result<()> {
        let n = self.n;
        let count = n.div_ceil(BLOCK);
        for step in 0..count {
            // Forward through L, backward through U.
            let block = if triangle == Triangle::Lower { step } else { count - 1 - step };
            let (lo, hi) = (block * BLOCK, n.min((block + 1) * BLOCK));
            (self.multiply)(&Product {
                shape: [hi - lo, columns, hi - lo],
                batch: 1,
                alpha: 1.0,
                beta: 0.0,
                a: Operand { memory: inverses, at: block_values(block), ld: BLOCK, stride: 0 },
                b: source.from(lo),
                c: target.from(lo),
            })?;
            // Right-looking: one large product per block updates all remaining rows.
            let rest = if triangle == Triangle::Lower { hi..n } else { 0..lo };
            if !rest.is_empty() {
                (self.multiply)(&Product {
                    shape: [rest.len(), columns, hi - lo],
                    batch: 1,
                    alpha: -1.0,
                    beta: 1.0,
                    a: Operand { memory: self.matrix, at: rest.start + lo * n, ld: n, stride: 0 },
                    b: target.from(lo),
                    c: source.from(rest.start),
                })?;
            }
        }
        Ok(())
    }

    /// The inverses of the diagonal blocks of a triangle, [`block_values`] apart.
    fn inverses(&self, triangle: Triangle) -> Result<Box<dyn Memory>> {
        let count = self.n.div_ceil(BLOCK);
        let blocks = self.alloc(block_values(count))?;
        let scratch = self.alloc(doubling_values(count))?;
        let (buffer, size) = (Arg::Buffer(&*blocks), Arg::I64(BLOCK as i64));
        let lower = Arg::I32(i32::from(triangle == Triangle::Lower));
        let (n, number) = (Arg::I64(self.n as i64), Arg::I64(count as i64));
        let grid = Grid::cover(count * BLOCK * BLOCK, GROUP);
        self.launch("copy_blocks", grid, &[Arg::Buffer(self.matrix), buffer, n, size, number, lower])?;
        self.launch("invert_tiles", Grid::cover(count * BLOCK, TILE as u32), &[buffer, size, lower])?;
        // Orders 32, 64 and 128 become 256; a batch has all pairs of all blocks.
        let mut half = TILE;
        while half < BLOCK {
            self.double(triangle, &*blocks, &*scratch, half)?;
            half *= 2;
        }
        Ok(blocks)
    }

    /// Triangles of order `half` on the diagonals are inverses; makes those of twice the order so.
    fn double(
        &self,
        triangle: Triangle,
        blocks: &dyn Memory,
        scratch: &dyn Memory,
        half: usize,
    ) -> Result<()> {
        // From pair to pair along the diagonals, also from one block to the next.
        let stride = 2 * half * (BLOCK + 1);
        let operand = |at| Operand { memory: blocks, at, ld: BLOCK, stride };
        let (first, second) = (operand(0), operand(half * (BLOCK + 1)));
        // [A 0; B C]⁻¹ has −C⁻¹ B A⁻¹ where B was, [A B; 0 C]⁻¹ has −A⁻¹ B C⁻¹.
        let (between, left, right) = match triangle {
            Triangle::Lower => (operand(half), second, first),
            Triangle::Upper => (operand(half * BLOCK), first, second),
        };
        let product = Operand { memory: scratch, at: 0, ld: half, stride: half * half };
        // Pairs in all blocks, also in the padding of the last one, which is the identity.
        let batch = self.n.div_ceil(BLOCK) * BLOCK / (2 * half);
        let shape = [half; 3];
        (self.multiply)(&Product { shape, batch, alpha: 1.0, beta: 0.0, a: between, b: right, c: product })?;
        (self.multiply)(&Product { shape, batch, alpha: -1.0, beta: 0.0, a: left, b: product, c: between })
    }

    fn alloc(&self, values: usize) -> Result<Box<dyn Memory>> {
        self.gpu.alloc_bytes(values * 2 * self.precision.bytes())
    }

    fn launch(&self, kernel: &str, grid: Grid, args: &[Arg<'_>]) -> Result<()> {
        self.gpu.launch(self.kernels, kernel, grid, args)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DeviceChoice, testing};
    use num_complex::{Complex32, Complex64};
    use std::ops::{Add, Mul};

    /// Numbers without pattern in the unit square, from a linear congruence (Knuth's MMIX).
    fn noise(count: usize, seed: u64) -> impl Iterator<Item = Complex64> {
        let mut state = seed;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        (0..count).map(move |_| Complex64::new(next(), next()))
    }

    /// A complex type and its distance from doubles.
    trait Value: crate::Complex + Mul<Output = Self> + Add<Output = Self> {
        const EPSILON: f64;
        fn narrow(z: Complex64) -> Self;
        fn widen(self) -> Complex64;
    }
    impl Value for Complex32 {
        const EPSILON: f64 = f32::EPSILON as f64;
        fn narrow(z: Complex64) -> Self {
            Self::new(z.re as f32, z.im as f32)
        }
        fn widen(self) -> Complex64 {
            Complex64::new(self.re.into(), self.im.into())
        }
    }
    impl Value for Complex64 {
        const EPSILON: f64 = f64::EPSILON;
        fn narrow(z: Complex64) -> Self {
            z
        }
        fn widen(self) -> Complex64 {
            self
        }
    }

    /// The product by its definition, through the host.
    fn multiply<V: Value>(gpu: &dyn Gpu, product: &Product<'_>) -> Result<()> {
        let [m, n, k] = product.shape;
        let read = |x: &Operand<'_>| {
            let mut values = vec![V::zeroed(); x.memory.bytes() / size_of::<V>()];
            gpu.download_bytes(x.memory, bytemuck::cast_slice_mut(&mut values)).map(|()| values)
        };
        let (a, b, mut c) = (read(&product.a)?, read(&product.b)?, read(&product.c)?);
        let [alpha, beta] = [product.alpha, product.beta].map(|x| V::narrow(x.into()));
        let at = |x: &Operand<'_>, item, i, j| x.at + item * x.stride + i + j * x.ld;
        for item in 0..product.batch {
            for (i, j) in (0..n).flat_map(|j| (0..m).map(move |i| (i, j))) {
                let term = |l| a[at(&product.a, item, i, l)] * b[at(&product.b, item, l, j)];
                let sum = (0..k).map(term).fold(V::zeroed(), |sum, term| sum + term);
                let c = &mut c[at(&product.c, item, i, j)];
                *c = alpha * sum + beta * *c;
            }
        }
        gpu.upload_bytes(bytemuck::cast_slice(&c), product.c.memory)
    }

    /// Solves P⁻¹ L U x = b made from known L, U, P and x.
    fn check<V: Value>(gpu: &dyn Gpu, n: usize, columns: usize) {
        // Triangles of that scale are well conditioned, whatever their order.
        let scale = 0.5 / (n as f64).sqrt();
        let mut lu: Vec<_> = noise(n * n, 1).map(|z| V::narrow(scale * z)).collect();
        (0..n).for_each(|i| lu[i * (n + 1)] = V::narrow(Complex64::cis(i as f64)));
        // Seven steps on around the circle, which never meets itself when seven does not divide n.
        assert!(n == 1 || !n.is_multiple_of(7));
        let permutation: Vec<i64> = (0..n).map(|i| (7 * i % n) as i64).collect();
        let x: Vec<_> = noise(n * columns, 2).map(V::narrow).collect();
        let mut b = vec![V::zeroed(); n * columns];
        for (b, x) in b.chunks_mut(n).zip(x.chunks(n)) {
            let entry = |i: usize, j: usize| lu[i + j * n].widen();
            let y: Vec<Complex64> =
                (0..n).map(|i| (i..n).map(|j| entry(i, j) * x[j].widen()).sum()).collect();
            for i in 0..n {
                let row = y[i] + (0..i).map(|j| entry(i, j) * y[j]).sum::<Complex64>();
                b[permutation[i] as usize] = V::narrow(row);
            }
        }
        let (matrix, rhs) = (gpu.upload(&lu).unwrap(), gpu.upload(&b).unwrap());
        let permutation = gpu.upload(&permutation).unwrap();
        let factors = Factors {
            gpu,
            kernels: &*kernels(gpu, V::PRECISION).unwrap(),
            multiply: &|product| multiply::<V>(gpu, product),
            n,
            precision: V::PRECISION,
            matrix: matrix.memory(),
            permutation: permutation.memory(),
        };
        factors.solve(rhs.memory(), columns).unwrap();
        let got = gpu.download(&rhs).unwrap();
        let error = got.iter().zip(&x).map(|(a, b)| (a.widen() - b.widen()).norm()).fold(0.0, f64::max);
        assert!(error < 40.0 * V::EPSILON, "n = {n}, {columns} columns: {error:e}");
    }

    #[test]
    fn solves_with_products_and_kernels_alone() {
        testing::on_device("solves_with_products_and_kernels_alone", DeviceChoice::OpenCl, |backend| {
            let gpu = &**backend.gpu().expect("OpenCL is behind the seam of GPUs");
            let sizes = [(1, 2), (TILE - 1, 1), (BLOCK, 2), (2 * BLOCK + 88, 3), (5, COLUMNS_AT_ONCE + 6)];
            for (n, columns) in sizes {
                check::<Complex32>(gpu, n, columns);
                check::<Complex64>(gpu, n, columns);
            }
        });
    }
}
