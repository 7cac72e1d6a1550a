//! Complex numbers side by side: what is done to one is done to all, by the widest vectors there are.
//!
//! In memory they lie in packs of a fixed size, whatever the machine; [`Few`] are those of a pack that one instruction works on.

// What runs inside of pulp's dispatch must be inlined into it: only there are the wide instructions allowed.
#![allow(clippy::inline_always)]

use crate::scalar::Scalar;
use num_complex::Complex;
use pulp::Simd;
use std::ops::{Add, Sub};

/// Numbers of a pack: as many single ones as the widest vectors hold.
pub const LANES: usize = 16;

/// Complex numbers, real parts together and imaginary parts together.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub struct Pack<T> {
    pub re: [T; LANES],
    pub im: [T; LANES],
}

impl<T: Scalar> Pack<T> {
    pub fn zeros(count: usize) -> Vec<Self> {
        vec![Self { re: [T::zero(); LANES], im: [T::zero(); LANES] }; count]
    }
}

/// `f32` or `f64`, with its vectors.
pub trait Vectors: Sized {
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
    fn product<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// a b + c.
    fn fused<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>, c: Self::Vector<S>)
    -> Self::Vector<S>;
    /// −a.
    fn negated<S: Simd>(simd: S, a: Self::Vector<S>) -> Self::Vector<S>;
    /// The sum of all values.
    fn sum<S: Simd>(simd: S, a: Self::Vector<S>) -> Self;
    /// The slice as vectors.
    fn vectors<S: Simd>(slice: &[Self]) -> &[Self::Vector<S>];
    /// The same, to write to.
    fn vectors_mut<S: Simd>(slice: &mut [Self]) -> &mut [Self::Vector<S>];
}

macro_rules! vectors {
    ($real:ty, $vector:ident, $lanes:ident, $splat:ident, $add:ident, $sub:ident, $mul:ident, $mul_add:ident, $neg:ident, $sum:ident, $as:ident, $as_mut:ident) => {
        impl Vectors for $real {
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
            fn product<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$mul(a, b)
            }
            #[inline(always)]
            fn fused<S: Simd>(simd: S, a: S::$vector, b: S::$vector, c: S::$vector) -> S::$vector {
                simd.$mul_add(a, b, c)
            }
            #[inline(always)]
            fn negated<S: Simd>(simd: S, a: S::$vector) -> S::$vector {
                simd.$neg(a)
            }
            #[inline(always)]
            fn sum<S: Simd>(simd: S, a: S::$vector) -> Self {
                simd.$sum(a)
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
vectors!(
    f32,
    f32s,
    F32_LANES,
    splat_f32s,
    add_f32s,
    sub_f32s,
    mul_f32s,
    mul_add_e_f32s,
    neg_f32s,
    reduce_sum_f32s,
    as_simd_f32s,
    as_mut_simd_f32s
);
vectors!(
    f64,
    f64s,
    F64_LANES,
    splat_f64s,
    add_f64s,
    sub_f64s,
    mul_f64s,
    mul_add_e_f64s,
    neg_f64s,
    reduce_sum_f64s,
    as_simd_f64s,
    as_mut_simd_f64s
);

/// As many complex numbers of a pack as fit vectors of an instruction set.
#[derive(Clone, Copy)]
pub struct Few<S: Simd, T: Vectors> {
    simd: S,
    pub re: T::Vector<S>,
    pub im: T::Vector<S>,
}

impl<S: Simd, T: Scalar> Few<S, T> {
    /// How many of them a pack has.
    #[inline(always)]
    pub fn parts() -> usize {
        LANES / T::lanes::<S>()
    }

    #[inline(always)]
    pub fn zero(simd: S) -> Self {
        let zero = T::splat(simd, T::zero());
        Self { simd, re: zero, im: zero }
    }

    /// Those of a part of a pack.
    #[inline(always)]
    pub fn load(simd: S, pack: &Pack<T>, part: usize) -> Self {
        Self { simd, re: T::vectors::<S>(&pack.re)[part], im: T::vectors::<S>(&pack.im)[part] }
    }

    #[inline(always)]
    pub fn store(self, pack: &mut Pack<T>, part: usize) {
        T::vectors_mut::<S>(&mut pack.re)[part] = self.re;
        T::vectors_mut::<S>(&mut pack.im)[part] = self.im;
    }

    /// Times a real number.
    #[inline(always)]
    pub fn scaled(self, by: T) -> Self {
        let by = T::splat(self.simd, by);
        Self { re: T::product(self.simd, self.re, by), im: T::product(self.simd, self.im, by), ..self }
    }

    /// Each times its own.
    #[inline(always)]
    pub fn times(self, by: Self) -> Self {
        let (s, lower) = (self.simd, T::negated(self.simd, self.im));
        Self {
            re: T::fused(s, lower, by.im, T::product(s, self.re, by.re)),
            im: T::fused(s, self.im, by.re, T::product(s, self.re, by.im)),
            ..self
        }
    }

    /// Times a complex number.
    #[inline(always)]
    pub fn turned(self, by: Complex<T>) -> Self {
        self.times(Self { re: T::splat(self.simd, by.re), im: T::splat(self.simd, by.im), ..self })
    }

    /// With other numbers times a complex number added.
    #[inline(always)]
    pub fn with(self, other: Self, by: Complex<T>) -> Self {
        let s = self.simd;
        let (re, im) = (T::splat(s, by.re), T::splat(s, by.im));
        Self {
            re: T::fused(s, T::negated(s, other.im), im, T::fused(s, other.re, re, self.re)),
            im: T::fused(s, other.im, re, T::fused(s, other.re, im, self.im)),
            ..self
        }
    }

    /// Times −j.
    #[inline(always)]
    pub fn turned_back(self) -> Self {
        Self { re: self.im, im: T::negated(self.simd, self.re), ..self }
    }

    /// Real for imaginary parts: a transform of these is the one back, with its parts swapped as well.
    #[inline(always)]
    pub fn swapped(self) -> Self {
        Self { re: self.im, im: self.re, ..self }
    }
}

impl<S: Simd, T: Scalar> Add for Few<S, T> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { re: T::plus(self.simd, self.re, other.re), im: T::plus(self.simd, self.im, other.im), ..self }
    }
}

impl<S: Simd, T: Scalar> Sub for Few<S, T> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self {
            re: T::minus(self.simd, self.re, other.re),
            im: T::minus(self.simd, self.im, other.im),
            ..self
        }
    }
}

/// Lane i of pack j becomes lane j of pack i, as many as there are; further lanes stay as they are.
#[inline(always)]
pub fn transpose<T: Scalar>(from: &[Pack<T>], to: &mut [Pack<T>]) {
    for (j, from) in from.iter().enumerate().take(LANES) {
        for (i, to) in to.iter_mut().enumerate().take(LANES) {
            to.re[j] = from.re[i];
            to.im[j] = from.im[i];
        }
    }
}
