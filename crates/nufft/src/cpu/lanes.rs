//! Vectors of `f32` or `f64`, whatever the instruction set: the few operations that spreading needs.

use super::interpolate::{Slopes, Values};
use super::spread::SpreadPoints;
use phasefront_core::Real;
use phasefront_device::cpu::PlanFft;
use pulp::{Arch, Scalar128b, Simd, WithSimd};

/// The routines for one type. Being no generic functions, they are compiled once, here, and not in every crate that
/// transforms something: that is minutes of build time.
pub trait Routines: Sized {
    /// Spreads points over a subgrid.
    fn spread(job: SpreadPoints<'_, '_, Self>);
    /// Interpolates values.
    fn interpolate(job: Values<'_, '_, Self>);
    /// Interpolates values and slopes.
    fn interpolate_slopes(job: Slopes<'_, '_, Self>);
}

/// `f32` or `f64`, with its SIMD vectors.
pub trait Float: Real + PlanFft + bytemuck::Pod + Default + std::ops::AddAssign + Routines {
    /// A vector of an instruction set.
    #[doc(hidden)]
    type Vector<S: Simd>: Copy;
    /// Values in a vector; always even.
    #[doc(hidden)]
    fn lanes<S: Simd>() -> usize;
    /// The same value everywhere.
    #[doc(hidden)]
    fn splat<S: Simd>(simd: S, value: Self) -> Self::Vector<S>;
    /// a b.
    #[doc(hidden)]
    fn times<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// a b + c.
    #[doc(hidden)]
    fn fused<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>, c: Self::Vector<S>)
    -> Self::Vector<S>;
    /// The slice as vectors; what does not fill one is left out.
    #[doc(hidden)]
    fn vectors<S: Simd>(slice: &[Self]) -> &[Self::Vector<S>];
    /// The same, to write to.
    #[doc(hidden)]
    fn vectors_mut<S: Simd>(slice: &mut [Self]) -> &mut [Self::Vector<S>];
    /// The values of a vector.
    #[doc(hidden)]
    fn values<S: Simd>(vector: &Self::Vector<S>) -> &[Self];
}

macro_rules! float {
    ($real:ty, $vector:ident, $lanes:ident, $splat:ident, $mul:ident, $mul_add:ident, $as:ident, $as_mut:ident) => {
        impl Routines for $real {
            fn spread(job: SpreadPoints<'_, '_, Self>) {
                dispatch(job);
            }
            fn interpolate(job: Values<'_, '_, Self>) {
                dispatch(job);
            }
            fn interpolate_slopes(job: Slopes<'_, '_, Self>) {
                dispatch(job);
            }
        }
        impl Float for $real {
            type Vector<S: Simd> = S::$vector;
            #[inline(always)]
            fn lanes<S: Simd>() -> usize {
                S::$lanes
            }
            #[inline(always)]
            fn splat<S: Simd>(simd: S, value: Self) -> S::$vector {
                simd.$splat(value)
            }
            #[inline(always)]
            fn times<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$mul(a, b)
            }
            #[inline(always)]
            fn fused<S: Simd>(simd: S, a: S::$vector, b: S::$vector, c: S::$vector) -> S::$vector {
                simd.$mul_add(a, b, c)
            }
            #[inline(always)]
            fn vectors<S: Simd>(slice: &[Self]) -> &[S::$vector] {
                S::$as(slice).0
            }
            #[inline(always)]
            fn vectors_mut<S: Simd>(slice: &mut [Self]) -> &mut [S::$vector] {
                S::$as_mut(slice).0
            }
            #[inline(always)]
            fn values<S: Simd>(vector: &S::$vector) -> &[Self] {
                bytemuck::cast_slice(std::slice::from_ref(vector))
            }
        }
    };
}
float!(f32, f32s, F32_LANES, splat_f32s, mul_f32s, mul_add_e_f32s, as_simd_f32s, as_mut_simd_f32s);
float!(f64, f64s, F64_LANES, splat_f64s, mul_f64s, mul_add_e_f64s, as_simd_f64s, as_mut_simd_f64s);

/// Runs `op` on the widest vectors of this CPU; without AVX2 on pairs.
fn dispatch<Op: WithSimd>(op: Op) -> Op::Output {
    match Arch::new() {
        Arch::Scalar => Simd::vectorize(Scalar128b, op),
        arch => arch.dispatch(op),
    }
}

/// A double rounded to working precision. (`T::from_f64` alone is ambiguous: `FftNum` brings another.)
#[inline(always)]
pub(crate) fn real<T: Float>(x: f64) -> T {
    <T as Real>::from_f64(x)
}
