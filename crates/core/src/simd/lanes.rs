//! Vector arithmetic as methods, so that formulas stay readable.

use super::real::SimdReal;
use pulp::Simd;
use std::marker::PhantomData;

/// Arithmetic on the vectors of one instruction set and precision.
#[derive(Clone, Copy)]
pub struct Lanes<S, T> {
    simd: S,
    real: PhantomData<T>,
}

/// A vector in space per lane: x, y and z.
pub type Lanes3<S, T> = [<T as SimdReal>::Vector<S>; 3];

impl<S: Simd, T: SimdReal> Lanes<S, T> {
    /// Arithmetic with `simd`.
    #[inline(always)]
    pub fn new(simd: S) -> Self {
        Self { simd, real: PhantomData }
    }
    /// The same value in all lanes.
    #[inline(always)]
    pub fn splat(self, x: T) -> T::Vector<S> {
        T::simd_splat(self.simd, x)
    }
    /// a + b.
    #[inline(always)]
    pub fn add(self, a: T::Vector<S>, b: T::Vector<S>) -> T::Vector<S> {
        T::simd_add(self.simd, a, b)
    }
    /// a − b.
    #[inline(always)]
    pub fn sub(self, a: T::Vector<S>, b: T::Vector<S>) -> T::Vector<S> {
        T::simd_sub(self.simd, a, b)
    }
    /// a b.
    #[inline(always)]
    pub fn mul(self, a: T::Vector<S>, b: T::Vector<S>) -> T::Vector<S> {
        T::simd_mul(self.simd, a, b)
    }
    /// a b + c.
    #[inline(always)]
    pub fn fma(self, a: T::Vector<S>, b: T::Vector<S>, c: T::Vector<S>) -> T::Vector<S> {
        T::simd_fma(self.simd, a, b, c)
    }
    /// a/b.
    #[inline(always)]
    pub fn div(self, a: T::Vector<S>, b: T::Vector<S>) -> T::Vector<S> {
        T::simd_div(self.simd, a, b)
    }
    /// √a.
    #[inline(always)]
    pub fn sqrt(self, a: T::Vector<S>) -> T::Vector<S> {
        T::simd_sqrt(self.simd, a)
    }
    /// −a.
    #[inline(always)]
    pub fn neg(self, a: T::Vector<S>) -> T::Vector<S> {
        T::simd_neg(self.simd, a)
    }
    /// a − b of vectors in space.
    #[inline(always)]
    pub fn sub3(self, a: Lanes3<S, T>, b: Lanes3<S, T>) -> Lanes3<S, T> {
        [self.sub(a[0], b[0]), self.sub(a[1], b[1]), self.sub(a[2], b[2])]
    }
    /// a·b.
    #[inline(always)]
    pub fn dot(self, a: Lanes3<S, T>, b: Lanes3<S, T>) -> T::Vector<S> {
        // Two fused steps after one product: three roundings instead of five.
        self.fma(a[2], b[2], self.fma(a[1], b[1], self.mul(a[0], b[0])))
    }
    /// a × b.
    #[inline(always)]
    pub fn cross(self, a: Lanes3<S, T>, b: Lanes3<S, T>) -> Lanes3<S, T> {
        // Written out: closures are not always compiled for the instruction set of their surroundings.
        [
            self.sub(self.mul(a[1], b[2]), self.mul(a[2], b[1])),
            self.sub(self.mul(a[2], b[0]), self.mul(a[0], b[2])),
            self.sub(self.mul(a[0], b[1]), self.mul(a[1], b[0])),
        ]
    }
}
