//! Complex numbers in structure-of-arrays layout.
//!
//! Memory holds packs of a fixed size, independent of the machine; [`ComplexLanes`] is the part of
//! a pack that one instruction processes.

use super::real::SimdReal;
use num_complex::Complex;
use pulp::Simd;
use std::ops::{Add, Mul, Sub};

/// Complex numbers of a pack: as many single-precision values as the widest vectors hold.
pub const PACK: usize = 16;

/// A pack of complex numbers: all real parts, then all imaginary parts.
#[derive(Debug, Clone, Copy)]
// Aligned to a cache line, so that no vector load of any width crosses one.
#[repr(C, align(64))]
pub struct ComplexPack<T> {
    /// Real parts.
    pub re: [T; PACK],
    /// Imaginary parts.
    pub im: [T; PACK],
}

impl<T: SimdReal> ComplexPack<T> {
    /// `count` packs of zeros.
    pub fn zeros(count: usize) -> Vec<Self> {
        vec![Self { re: [T::default(); PACK], im: [T::default(); PACK] }; count]
    }
}

/// As many complex numbers of a pack as one vector has lanes.
#[derive(Clone, Copy)]
#[must_use]
pub struct ComplexLanes<S: Simd, T: SimdReal> {
    simd: S,
    /// Real parts.
    pub re: T::Vector<S>,
    /// Imaginary parts.
    pub im: T::Vector<S>,
}

impl<S: Simd, T: SimdReal> ComplexLanes<S, T> {
    /// Vectors of a pack.
    #[inline(always)]
    pub fn per_pack() -> usize {
        PACK / T::simd_lanes::<S>()
    }

    /// Zeros.
    #[inline(always)]
    pub fn zero(simd: S) -> Self {
        let zero = T::simd_splat(simd, T::default());
        Self { simd, re: zero, im: zero }
    }

    /// Loads a vector of a pack.
    #[inline(always)]
    pub fn load(simd: S, pack: &ComplexPack<T>, vector: usize) -> Self {
        Self { simd, re: T::as_simd::<S>(&pack.re)[vector], im: T::as_simd::<S>(&pack.im)[vector] }
    }

    /// Stores a vector of a pack.
    #[inline(always)]
    pub fn store(self, pack: &mut ComplexPack<T>, vector: usize) {
        T::as_simd_mut::<S>(&mut pack.re)[vector] = self.re;
        T::as_simd_mut::<S>(&mut pack.im)[vector] = self.im;
    }

    /// Times a real number.
    #[inline(always)]
    pub fn scale(self, by: T) -> Self {
        let by = T::simd_splat(self.simd, by);
        Self { re: T::simd_mul(self.simd, self.re, by), im: T::simd_mul(self.simd, self.im, by), ..self }
    }

    /// Times a complex number.
    #[inline(always)]
    pub fn times(self, by: Complex<T>) -> Self {
        self * Self { re: T::simd_splat(self.simd, by.re), im: T::simd_splat(self.simd, by.im), ..self }
    }

    /// self + other · factor.
    #[inline(always)]
    pub fn add_product(self, other: Self, factor: Complex<T>) -> Self {
        let s = self.simd;
        let (re, im) = (T::simd_splat(s, factor.re), T::simd_splat(s, factor.im));
        Self {
            // (a + jb)(c + jd) = ac − bd + j(ad + bc) as four fused multiply-adds; the negation is
            // a sign flip.
            re: T::simd_fma(s, T::simd_neg(s, other.im), im, T::simd_fma(s, other.re, re, self.re)),
            im: T::simd_fma(s, other.im, re, T::simd_fma(s, other.re, im, self.im)),
            ..self
        }
    }

    /// Times −j.
    #[inline(always)]
    pub fn times_minus_j(self) -> Self {
        // −j(a + jb) = b − ja: no multiplication, as radix-4 butterflies need it.
        Self { re: self.im, im: T::simd_neg(self.simd, self.re), ..self }
    }

    /// Real and imaginary parts exchanged. Applied before and after a forward DFT, it gives the inverse DFT.
    #[inline(always)]
    pub fn swap_parts(self) -> Self {
        // swap(z) = j conj(z). IDFT(z) = conj(DFT(conj z)), and the factors j and conj(j) cancel.
        Self { re: self.im, im: self.re, ..self }
    }
}

impl<S: Simd, T: SimdReal> Add for ComplexLanes<S, T> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self {
            re: T::simd_add(self.simd, self.re, other.re),
            im: T::simd_add(self.simd, self.im, other.im),
            ..self
        }
    }
}

impl<S: Simd, T: SimdReal> Sub for ComplexLanes<S, T> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self {
            re: T::simd_sub(self.simd, self.re, other.re),
            im: T::simd_sub(self.simd, self.im, other.im),
            ..self
        }
    }
}

impl<S: Simd, T: SimdReal> Mul for ComplexLanes<S, T> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // Re: ac − bd, Im: ad + bc; one product and one fused multiply-add each.
        let (s, minus_im) = (self.simd, T::simd_neg(self.simd, self.im));
        Self {
            re: T::simd_fma(s, minus_im, other.im, T::simd_mul(s, self.re, other.re)),
            im: T::simd_fma(s, self.im, other.re, T::simd_mul(s, self.re, other.im)),
            ..self
        }
    }
}

/// Transposes up to 16 × 16 complex numbers: lane i of pack j becomes lane j of pack i. Other lanes stay unchanged.
#[inline(always)]
pub fn transpose<T: SimdReal>(from: &[ComplexPack<T>], to: &mut [ComplexPack<T>]) {
    // Reads are contiguous, writes strided by a pack: 16 packs of f64 are 4 KiB, within the L1
    // cache.
    for (j, from) in from.iter().enumerate().take(PACK) {
        for (i, to) in to.iter_mut().enumerate().take(PACK) {
            to.re[j] = from.re[i];
            to.im[j] = from.im[i];
        }
    }
}
