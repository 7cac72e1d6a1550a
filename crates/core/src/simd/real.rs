//! `f32` and `f64` with their SIMD vectors.

use crate::real::Real;
use pulp::{Simd, bytemuck};
use std::ops::{Add, AddAssign, Mul, Neg, Sub};

/// `f32` or `f64` with its vectors in every instruction set. [`Lanes`](super::Lanes) has the same operations as methods.
pub trait SimdReal:
    Real
    + bytemuck::Pod
    + Default
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
    + AddAssign
{
    /// A vector of an instruction set.
    type Vector<S: Simd>: Copy;
    /// Lanes of a vector.
    fn simd_lanes<S: Simd>() -> usize;
    /// The same value in all lanes.
    fn simd_splat<S: Simd>(simd: S, value: Self) -> Self::Vector<S>;
    /// a + b.
    fn simd_add<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// a − b.
    fn simd_sub<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// a b.
    fn simd_mul<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// a b + c, fused where the instruction set has a fused multiply-add.
    fn simd_fma<S: Simd>(
        simd: S,
        a: Self::Vector<S>,
        b: Self::Vector<S>,
        c: Self::Vector<S>,
    ) -> Self::Vector<S>;
    /// a/b.
    fn simd_div<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// √a.
    fn simd_sqrt<S: Simd>(simd: S, a: Self::Vector<S>) -> Self::Vector<S>;
    /// −a.
    fn simd_neg<S: Simd>(simd: S, a: Self::Vector<S>) -> Self::Vector<S>;
    /// The sum of all lanes.
    fn simd_sum<S: Simd>(simd: S, a: Self::Vector<S>) -> Self;
    /// The slice as vectors, without the remainder that fills none.
    fn as_simd<S: Simd>(slice: &[Self]) -> &[Self::Vector<S>];
    /// The slice as mutable vectors, without the remainder that fills none.
    fn as_simd_mut<S: Simd>(slice: &mut [Self]) -> &mut [Self::Vector<S>];
    /// Zero in place of a value so small that products with it may be subnormal: CPUs take a hundred cycles for each of these. Front and
    /// tail of every pulse pass through such values.
    #[must_use]
    fn flushed(self) -> Self;
    /// The lanes of a vector.
    fn simd_values<S: Simd>(vector: &Self::Vector<S>) -> &[Self];
}

// `pulp` names the operations by precision (`add_f32s`, `add_f64s`); one body serves both. The
// fused multiply-add is `mul_add_e`, which falls back to two instructions where there is none.
macro_rules! simd_real {
    (
        $real:ty, $vector:ident, $lanes:ident, $splat:ident, $add:ident, $sub:ident, $mul:ident, $fma:ident, $div:ident, $sqrt:ident,
        $neg:ident, $sum:ident, $as_simd:ident, $as_simd_mut:ident
    ) => {
        impl SimdReal for $real {
            type Vector<S: Simd> = S::$vector;
            #[inline(always)]
            fn simd_lanes<S: Simd>() -> usize {
                S::$lanes
            }
            #[inline(always)]
            fn simd_splat<S: Simd>(simd: S, value: Self) -> S::$vector {
                simd.$splat(value)
            }
            #[inline(always)]
            fn simd_add<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$add(a, b)
            }
            #[inline(always)]
            fn simd_sub<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$sub(a, b)
            }
            #[inline(always)]
            fn simd_mul<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$mul(a, b)
            }
            #[inline(always)]
            fn simd_fma<S: Simd>(simd: S, a: S::$vector, b: S::$vector, c: S::$vector) -> S::$vector {
                simd.$fma(a, b, c)
            }
            #[inline(always)]
            fn simd_div<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$div(a, b)
            }
            #[inline(always)]
            fn simd_sqrt<S: Simd>(simd: S, a: S::$vector) -> S::$vector {
                simd.$sqrt(a)
            }
            #[inline(always)]
            fn simd_neg<S: Simd>(simd: S, a: S::$vector) -> S::$vector {
                simd.$neg(a)
            }
            #[inline(always)]
            fn simd_sum<S: Simd>(simd: S, a: S::$vector) -> Self {
                simd.$sum(a)
            }
            #[inline(always)]
            fn as_simd<S: Simd>(slice: &[Self]) -> &[S::$vector] {
                // The remainder is dropped: callers pad their arrays to whole vectors.
                S::$as_simd(slice).0
            }
            #[inline(always)]
            fn as_simd_mut<S: Simd>(slice: &mut [Self]) -> &mut [S::$vector] {
                S::$as_simd_mut(slice).0
            }
            #[inline(always)]
            fn flushed(self) -> Self {
                // Products with what is above the rounding error of one stay normal.
                const LEAST: $real = <$real>::MIN_POSITIVE / <$real>::EPSILON;
                // NaN stays NaN.
                if self.abs() < LEAST { 0.0 } else { self }
            }
            #[inline(always)]
            fn simd_values<S: Simd>(vector: &S::$vector) -> &[Self] {
                bytemuck::cast_slice(std::slice::from_ref(vector))
            }
        }
    };
}
simd_real!(
    f32,
    f32s,
    F32_LANES,
    splat_f32s,
    add_f32s,
    sub_f32s,
    mul_f32s,
    mul_add_e_f32s,
    div_f32s,
    sqrt_f32s,
    neg_f32s,
    reduce_sum_f32s,
    as_simd_f32s,
    as_mut_simd_f32s
);
simd_real!(
    f64,
    f64s,
    F64_LANES,
    splat_f64s,
    add_f64s,
    sub_f64s,
    mul_f64s,
    mul_add_e_f64s,
    div_f64s,
    sqrt_f64s,
    neg_f64s,
    reduce_sum_f64s,
    as_simd_f64s,
    as_mut_simd_f64s
);
