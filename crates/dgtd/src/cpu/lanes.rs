//! Vectors of `f32` or `f64`, whatever the instruction set: the few operations that elements need.

use super::sweep::Sweep;
use phasefront_core::Real;
use pulp::{Arch, Scalar128b, Simd, WithSimd};
use std::ops::{Add, AddAssign, Mul, Neg, Sub};

/// The routines for one type. Being no generic functions, they are compiled once, here, and not in every crate that runs fields.
pub trait Routines: Sized {
    /// Advances blocks by one stage.
    fn sweep(job: Sweep<'_, Self>);
}

/// `f32` or `f64`, with its SIMD vectors.
pub trait Float:
    Real
    + bytemuck::Pod
    + Default
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + Routines
{
    /// A vector of an instruction set.
    type Vector<S: Simd>: Copy;
    /// Values in a vector.
    fn lanes<S: Simd>() -> usize;
    /// The same value everywhere.
    fn splat<S: Simd>(simd: S, value: Self) -> Self::Vector<S>;
    /// a + b.
    fn plus<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// a − b.
    fn minus<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// a b.
    fn times<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// a b + c.
    fn fused<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>, c: Self::Vector<S>)
    -> Self::Vector<S>;
    /// a/b.
    fn quotient<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// √a.
    fn root<S: Simd>(simd: S, a: Self::Vector<S>) -> Self::Vector<S>;
    /// −a.
    fn negated<S: Simd>(simd: S, a: Self::Vector<S>) -> Self::Vector<S>;
    /// The slice as vectors.
    fn vectors<S: Simd>(slice: &[Self]) -> &[Self::Vector<S>];
    /// The same, to write to.
    fn vectors_mut<S: Simd>(slice: &mut [Self]) -> &mut [Self::Vector<S>];
}

macro_rules! float {
    ($real:ty, $vector:ident, $lanes:ident, $splat:ident, $add:ident, $sub:ident, $mul:ident, $mul_add:ident, $div:ident, $sqrt:ident, $neg:ident, $as:ident, $as_mut:ident) => {
        impl Routines for $real {
            fn sweep(job: Sweep<'_, Self>) {
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
            fn plus<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$add(a, b)
            }
            #[inline(always)]
            fn minus<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$sub(a, b)
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
            fn quotient<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$div(a, b)
            }
            #[inline(always)]
            fn root<S: Simd>(simd: S, a: S::$vector) -> S::$vector {
                simd.$sqrt(a)
            }
            #[inline(always)]
            fn negated<S: Simd>(simd: S, a: S::$vector) -> S::$vector {
                simd.$neg(a)
            }
            #[inline(always)]
            fn vectors<S: Simd>(slice: &[Self]) -> &[S::$vector] {
                S::$as(slice).0
            }
            #[inline(always)]
            fn vectors_mut<S: Simd>(slice: &mut [Self]) -> &mut [S::$vector] {
                S::$as_mut(slice).0
            }
        }
    };
}
float!(
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
    as_simd_f32s,
    as_mut_simd_f32s
);
float!(
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
    as_simd_f64s,
    as_mut_simd_f64s
);

/// Runs `op` on the widest vectors of this CPU; without AVX2 on pairs.
pub fn dispatch<Op: WithSimd>(op: Op) -> Op::Output {
    match Arch::new() {
        Arch::Scalar => Simd::vectorize(Scalar128b, op),
        arch => arch.dispatch(op),
    }
}

/// Arithmetic on vectors of one instruction set, to write formulas with.
#[derive(Clone, Copy)]
pub struct Ops<S, T> {
    simd: S,
    real: std::marker::PhantomData<T>,
}

/// Three of them.
pub type Three<S, T> = [<T as Float>::Vector<S>; 3];

impl<S: Simd, T: Float> Ops<S, T> {
    #[inline(always)]
    pub fn new(simd: S) -> Self {
        Self { simd, real: std::marker::PhantomData }
    }
    #[inline(always)]
    pub fn splat(self, x: T) -> T::Vector<S> {
        T::splat(self.simd, x)
    }
    #[inline(always)]
    pub fn add(self, a: T::Vector<S>, b: T::Vector<S>) -> T::Vector<S> {
        T::plus(self.simd, a, b)
    }
    #[inline(always)]
    pub fn sub(self, a: T::Vector<S>, b: T::Vector<S>) -> T::Vector<S> {
        T::minus(self.simd, a, b)
    }
    #[inline(always)]
    pub fn mul(self, a: T::Vector<S>, b: T::Vector<S>) -> T::Vector<S> {
        T::times(self.simd, a, b)
    }
    #[inline(always)]
    pub fn fma(self, a: T::Vector<S>, b: T::Vector<S>, c: T::Vector<S>) -> T::Vector<S> {
        T::fused(self.simd, a, b, c)
    }
    #[inline(always)]
    pub fn over(self, a: T::Vector<S>, b: T::Vector<S>) -> T::Vector<S> {
        T::quotient(self.simd, a, b)
    }
    #[inline(always)]
    pub fn root(self, a: T::Vector<S>) -> T::Vector<S> {
        T::root(self.simd, a)
    }
    #[inline(always)]
    pub fn neg(self, a: T::Vector<S>) -> T::Vector<S> {
        T::negated(self.simd, a)
    }
    /// a − b.
    #[inline(always)]
    pub fn minus(self, a: Three<S, T>, b: Three<S, T>) -> Three<S, T> {
        [self.sub(a[0], b[0]), self.sub(a[1], b[1]), self.sub(a[2], b[2])]
    }
    /// a·b.
    #[inline(always)]
    pub fn dot(self, a: Three<S, T>, b: Three<S, T>) -> T::Vector<S> {
        self.fma(a[2], b[2], self.fma(a[1], b[1], self.mul(a[0], b[0])))
    }
    /// a × b.
    #[inline(always)]
    pub fn cross(self, a: Three<S, T>, b: Three<S, T>) -> Three<S, T> {
        // Written out: closures are not always compiled for the vectors of their surroundings.
        [
            self.sub(self.mul(a[1], b[2]), self.mul(a[2], b[1])),
            self.sub(self.mul(a[2], b[0]), self.mul(a[0], b[2])),
            self.sub(self.mul(a[0], b[1]), self.mul(a[1], b[0])),
        ]
    }
}
