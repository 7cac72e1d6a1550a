//! H₀⁽²⁾ and H₁⁽²⁾ of many real arguments at once, for filling matrices.
//!
//! One body for every vector width: AVX-512, AVX2 or scalar, chosen at run time by `pulp`. The error stays below
//! 2e-15 |H| from 1e-8 to 1e6 at each width (`tests/bessel.rs`, against 40-digit values). The polynomials are those of
//! `hankel_tables.py`, which has the equations; a vector wholly above or below their split takes one side only.

// Only code inlined into the dispatched function has its instruction set.
#![allow(clippy::inline_always)]

use super::bessel::{hankel2_0, hankel2_1};
use super::hankel_tables::{
    COS, HALF_PI, J0_BELOW, J1_BELOW, LOG, P0_ABOVE, P1_ABOVE, Q0_ABOVE, Q1_ABOVE, SIN, SPLIT, Y0_BELOW,
    Y1_BELOW,
};
use pulp::{Arch, Simd, WithSimd, bytemuck};
use std::f64::consts::{FRAC_1_PI, FRAC_2_PI, LN_2, SQRT_2};

/// Arguments the vector code accepts: the reduction by π/2 is exact below 2²⁰ quadrants, and the
/// logarithm needs a normal number. All others (zero, negative, larger, infinite, NaN) are
/// evaluated by `libm`, one at a time.
const LOWEST: f64 = 1e-300;
const HIGHEST: f64 = 1e6;

/// H₀⁽²⁾(x) = re + j im for every x.
///
/// # Panics
/// If the slices differ in length.
///
/// ```
/// let (mut re, mut im) = ([0.0; 3], [0.0; 3]);
/// phasefront_core::special::hankel_batch::hankel2_0_batch(&[0.5, 1.0, 20.0], &mut re, &mut im);
/// assert!((re[1] - 0.765_197_686_557_966_6).abs() < 1e-15);
/// assert!((im[1] + 0.088_256_964_215_676_96).abs() < 1e-15);
/// ```
pub fn hankel2_0_batch(x: &[f64], re: &mut [f64], im: &mut [f64]) {
    hankel2_0_batch_on(Arch::new(), x, re, im);
}

/// H₀⁽²⁾(x) = re0 + j im0 and H₁⁽²⁾(x) = re1 + j im1 for every x: the waves share sine, cosine, square root and logarithm.
///
/// # Panics
/// If the slices differ in length.
pub fn hankel2_01_batch(x: &[f64], re0: &mut [f64], im0: &mut [f64], re1: &mut [f64], im1: &mut [f64]) {
    hankel2_01_batch_on(Arch::new(), x, re0, im0, re1, im1);
}

/// [`hankel2_0_batch`] on one of the [instruction sets](crate::simd::instruction_sets), for tests.
#[doc(hidden)]
pub fn hankel2_0_batch_on(arch: Arch, x: &[f64], re: &mut [f64], im: &mut [f64]) {
    arch.dispatch(Batch { x, h: [re, im] });
}

/// [`hankel2_01_batch`] on one of the [instruction sets](crate::simd::instruction_sets), for tests.
#[doc(hidden)]
pub fn hankel2_01_batch_on(
    arch: Arch,
    x: &[f64],
    re0: &mut [f64],
    im0: &mut [f64],
    re1: &mut [f64],
    im1: &mut [f64],
) {
    arch.dispatch(Batch { x, h: [re0, im0, re1, im1] });
}

/// N = 2: H₀ alone; N = 4: H₀ and H₁.
struct Batch<'a, const N: usize> {
    x: &'a [f64],
    h: [&'a mut [f64]; N],
}

impl<const N: usize> WithSimd for Batch<'_, N> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { x, mut h } = self;
        for part in &h {
            assert_eq!(part.len(), x.len(), "one value for each argument");
        }
        let v = Vector { simd };
        // An all-false mask: 1 is in range. Masks are accumulated and tested once after the loop,
        // so that the loop has no branch for arguments that matrices rarely contain.
        let mut strange = v.is_strange(simd.splat_f64s(1.0));
        let (vectors, rest) = S::as_simd_f64s(x);
        {
            let mut h = h.each_mut().map(|part| S::as_mut_simd_f64s(part).0);
            for (i, &x) in vectors.iter().enumerate() {
                strange = simd.or_m64s(strange, v.is_strange(x));
                let values: [S::f64s; N] = v.hankel(x);
                for (part, value) in h.iter_mut().zip(values) {
                    part[i] = value;
                }
            }
        }
        if !rest.is_empty() {
            // The remainder is padded with 1, which is in range and marks nothing for repair.
            let mut last = simd.splat_f64s(1.0);
            lanes_mut::<S>(&mut last)[..rest.len()].copy_from_slice(rest);
            strange = simd.or_m64s(strange, v.is_strange(last));
            let values: [S::f64s; N] = v.hankel(last);
            for (part, mut value) in h.iter_mut().zip(values) {
                part[x.len() - rest.len()..].copy_from_slice(&lanes_mut::<S>(&mut value)[..rest.len()]);
            }
        }
        if !v.none(strange) {
            repair(x, &mut h);
        }
    }
}

/// Evaluates the arguments outside the range of the vector code with `libm`, over its invalid
/// results.
#[cold]
fn repair<const N: usize>(x: &[f64], h: &mut [&mut [f64]; N]) {
    for (i, &x) in x.iter().enumerate() {
        if !(LOWEST..=HIGHEST).contains(&x) {
            let (h0, h1) = (hankel2_0(x), hankel2_1(x));
            for (part, value) in h.iter_mut().zip([h0.re, h0.im, h1.re, h1.im]) {
                part[i] = value;
            }
        }
    }
}

fn lanes_mut<S: Simd>(v: &mut S::f64s) -> &mut [f64] {
    bytemuck::cast_slice_mut(std::slice::from_mut(v))
}

/// The arithmetic of one vector of arguments. `mul_add_e` is fused where the machine fuses; nothing here depends on it.
#[derive(Clone, Copy)]
struct Vector<S> {
    simd: S,
}

/// Terms common to both orders above the split.
struct Far<V> {
    /// a + jb = √(2/(πx)) e^{−j(x − π/4)}
    a: V,
    b: V,
    /// 5/x, and the variable of the polynomials.
    z: V,
    t: V,
}

/// Terms common to both orders below the split.
struct Near<V> {
    x: V,
    /// (2/π) ln(x/2)
    log: V,
    t: V,
}

impl<S: Simd> Vector<S> {
    #[inline(always)]
    fn none(self, mask: S::m64s) -> bool {
        self.simd.first_true_m64s(mask) >= S::F64_LANES
    }

    #[inline(always)]
    fn is_strange(self, x: S::f64s) -> S::m64s {
        let s = self.simd;
        s.not_m64s(s.and_m64s(
            s.greater_than_or_equal_f64s(x, s.splat_f64s(LOWEST)),
            s.less_than_or_equal_f64s(x, s.splat_f64s(HIGHEST)),
        ))
    }

    /// Σ c[n] tⁿ
    #[inline(always)]
    fn polynomial<const TERMS: usize>(self, c: &[f64; TERMS], t: S::f64s) -> S::f64s {
        let s = self.simd;
        // Horner's rule. Each polynomial is one dependent chain; the two to four of a vector are
        // independent, and out-of-order execution overlaps them.
        let mut sum = s.splat_f64s(c[TERMS - 1]);
        for &c in c[..TERMS - 1].iter().rev() {
            sum = s.mul_add_e_f64s(sum, t, s.splat_f64s(c));
        }
        sum
    }

    #[inline(always)]
    fn hankel<const N: usize>(self, x: S::f64s) -> [S::f64s; N] {
        let s = self.simd;
        let near = s.less_than_f64s(x, s.splat_f64s(SPLIT));
        // Distances along a matrix row vary slowly: most vectors lie on one side of the split, and
        // the branch is well predicted. Only mixed vectors pay for both sides.
        if self.none(near) {
            return self.above(x);
        }
        let below = self.below(x);
        if self.none(s.not_m64s(near)) {
            return below;
        }
        let above: [S::f64s; N] = self.above(x);
        std::array::from_fn(|i| s.select_f64s(near, below[i], above[i]))
    }

    #[inline(always)]
    fn above<const N: usize>(self, x: S::f64s) -> [S::f64s; N] {
        let far = self.far(x);
        let [re0, im0] = self.far0(&far);
        let [re1, im1] = if N == 4 { self.far1(&far) } else { [re0, im0] };
        std::array::from_fn(|i| [re0, im0, re1, im1][i])
    }

    #[inline(always)]
    fn below<const N: usize>(self, x: S::f64s) -> [S::f64s; N] {
        let near = self.near(x);
        let [re0, im0] = self.near0(&near);
        let [re1, im1] = if N == 4 { self.near1(&near) } else { [re0, im0] };
        std::array::from_fn(|i| [re0, im0, re1, im1][i])
    }

    #[inline(always)]
    fn far(self, x: S::f64s) -> Far<S::f64s> {
        let s = self.simd;
        let inverse = s.div_f64s(s.splat_f64s(1.0), x);
        let z = s.mul_f64s(s.splat_f64s(SPLIT), inverse);
        let t = s.mul_add_e_f64s(s.mul_f64s(s.splat_f64s(2.0), z), z, s.splat_f64s(-1.0));
        // e^{−j(x − π/4)} = ((cos + sin) + j (cos − sin)) / √2: no rounding of x − π/4.
        let amplitude = s.sqrt_f64s(s.mul_f64s(s.splat_f64s(FRAC_1_PI), inverse));
        let [sum, difference] = self.cos_plus_minus_sin(x);
        Far { a: s.mul_f64s(amplitude, sum), b: s.mul_f64s(amplitude, difference), z, t }
    }

    /// (P − j z Q)(a + jb)
    #[inline(always)]
    fn far0(self, far: &Far<S::f64s>) -> [S::f64s; 2] {
        let s = self.simd;
        // (p − jq)(a + jb) = pa + qb + j(pb − qa), with q = zQ.
        let p = self.polynomial(&P0_ABOVE, far.t);
        let q = s.mul_f64s(far.z, self.polynomial(&Q0_ABOVE, far.t));
        [
            s.mul_add_e_f64s(p, far.a, s.mul_f64s(q, far.b)),
            s.mul_add_e_f64s(p, far.b, s.neg_f64s(s.mul_f64s(q, far.a))),
        ]
    }

    /// (P − j z Q) j (a + jb)
    #[inline(always)]
    fn far1(self, far: &Far<S::f64s>) -> [S::f64s; 2] {
        let s = self.simd;
        // e^{jπ/2} = j of order 1 turns a + jb into −b + ja: qa − pb + j(pa + qb).
        let p = self.polynomial(&P1_ABOVE, far.t);
        let q = s.mul_f64s(far.z, self.polynomial(&Q1_ABOVE, far.t));
        [
            s.mul_add_e_f64s(q, far.a, s.neg_f64s(s.mul_f64s(p, far.b))),
            s.mul_add_e_f64s(p, far.a, s.mul_f64s(q, far.b)),
        ]
    }

    #[inline(always)]
    fn near(self, x: S::f64s) -> Near<S::f64s> {
        let s = self.simd;
        let t = s.mul_add_e_f64s(s.mul_f64s(x, s.splat_f64s(2.0 / (SPLIT * SPLIT))), x, s.splat_f64s(-1.0));
        Near { x, log: s.mul_f64s(s.splat_f64s(FRAC_2_PI), self.ln_half(x)), t }
    }

    #[inline(always)]
    fn near0(self, near: &Near<S::f64s>) -> [S::f64s; 2] {
        let s = self.simd;
        // H₀ = J₀ − jY₀ with Y₀ = (2/π) ln(x/2) J₀ + Y(t), Abramowitz and Stegun 9.1.13.
        let j = self.polynomial(&J0_BELOW, near.t);
        let y = s.mul_add_e_f64s(near.log, j, self.polynomial(&Y0_BELOW, near.t));
        [j, s.neg_f64s(y)]
    }

    #[inline(always)]
    fn near1(self, near: &Near<S::f64s>) -> [S::f64s; 2] {
        let s = self.simd;
        // H₁ = J₁ − jY₁ with Y₁ = (2/π) ln(x/2) J₁ + x Y(t) − 2/(πx), Abramowitz and Stegun 9.1.11.
        let j = s.mul_f64s(near.x, self.polynomial(&J1_BELOW, near.t));
        let pole = s.div_f64s(s.splat_f64s(-FRAC_2_PI), near.x);
        let smooth = s.mul_add_e_f64s(near.x, self.polynomial(&Y1_BELOW, near.t), pole);
        [j, s.neg_f64s(s.mul_add_e_f64s(near.log, j, smooth))]
    }

    /// cos x + sin x and cos x − sin x.
    ///
    /// With x = n π/2 + r, |r| ≤ π/4 (Cody and Waite, Software Manual for the Elementary Functions, 1980): each step of n
    /// turns the pair (c + s, c − s) of r into (c − s, −(c + s)).
    #[inline(always)]
    fn cos_plus_minus_sin(self, x: S::f64s) -> [S::f64s; 2] {
        /// Adding it rounds to integers, which then are the low bits.
        const ROUND: f64 = 6_755_399_441_055_744.0; // 1.5 · 2⁵²
        let s = self.simd;
        let shifted = s.mul_add_e_f64s(x, s.splat_f64s(FRAC_2_PI), s.splat_f64s(ROUND));
        // Exact: both operands are near 2⁵², where neighboring doubles differ by one.
        let minus_n = s.sub_f64s(s.splat_f64s(ROUND), shifted);
        let mut r = x;
        // π/2 in three parts. The first two have 33 bits, so their products with n < 2²⁰ are exact
        // and the subtractions lose nothing to cancellation.
        for part in HALF_PI {
            r = s.mul_add_e_f64s(minus_n, s.splat_f64s(part), r);
        }
        let w = s.mul_f64s(r, r);
        let sin = s.mul_add_e_f64s(s.mul_f64s(r, w), self.polynomial(&SIN, w), r);
        let cos = s.mul_add_e_f64s(w, self.polynomial(&COS, w), s.splat_f64s(1.0));
        let (sum, difference) = (s.add_f64s(cos, sin), s.sub_f64s(cos, sin));

        // The low two bits of `shifted` are n modulo 4: an odd n swaps the pair; its members are
        // negated for n = 2, 3 and for n = 1, 2.
        let n = s.transmute_u64s_f64s(shifted);
        let odd = self.has_bit(n, 1);
        let first = s.select_f64s(odd, difference, sum);
        let second = s.select_f64s(odd, sum, difference);
        [
            self.negate_where(self.has_bit(n, 2), first),
            self.negate_where(self.has_bit(s.add_u64s(n, s.splat_u64s(1)), 2), second),
        ]
    }

    #[inline(always)]
    fn has_bit(self, n: S::u64s, bit: u64) -> S::m64s {
        let s = self.simd;
        s.equal_u64s(s.and_u64s(n, s.splat_u64s(bit)), s.splat_u64s(bit))
    }

    #[inline(always)]
    fn negate_where(self, mask: S::m64s, v: S::f64s) -> S::f64s {
        self.simd.select_f64s(mask, self.simd.neg_f64s(v), v)
    }

    /// ln(x/2) for normal x: with x = 2^e m and m within a factor √2 of 1, ln m = 2 artanh((m − 1)/(m + 1)).
    #[inline(always)]
    fn ln_half(self, x: S::f64s) -> S::f64s {
        const MANTISSA: u64 = (1 << 52) - 1;
        /// The exponent field of 1.0, and of 2⁵², whose mantissa counts in ones.
        const ONE: u64 = 1023 << 52;
        const COUNT: u64 = (1023 + 52) << 52;
        let s = self.simd;
        // `pulp` has no shift of 64-bit lanes for a generic instruction set, hence lane by lane.
        // The exponent field becomes the mantissa of 2⁵²: an exact conversion from integer to
        // double.
        let mut exponent = x;
        for lane in lanes_mut::<S>(&mut exponent) {
            *lane = f64::from_bits((lane.to_bits() >> 52) | COUNT);
        }
        // m in [1, 2), then in (√½, √2], where the series in (m − 1)/(m + 1) converges fastest.
        let mantissa = s.and_u64s(s.transmute_u64s_f64s(x), s.splat_u64s(MANTISSA));
        let m = s.transmute_f64s_u64s(s.or_u64s(mantissa, s.splat_u64s(ONE)));
        let upper = s.greater_than_f64s(m, s.splat_f64s(SQRT_2));
        let m = s.select_f64s(upper, s.mul_f64s(m, s.splat_f64s(0.5)), m);
        // One less for x/2, one more where m was halved.
        let bias = s.select_f64s(
            upper,
            s.splat_f64s(f64::from_bits(COUNT) + 1023.0),
            s.splat_f64s(f64::from_bits(COUNT) + 1024.0),
        );
        let e = s.sub_f64s(exponent, bias);
        // ln m = 2 artanh u = 2u + u³ LOG(u²).
        let u = s.div_f64s(s.sub_f64s(m, s.splat_f64s(1.0)), s.add_f64s(m, s.splat_f64s(1.0)));
        let w = s.mul_f64s(u, u);
        let ln_m = s.mul_add_e_f64s(s.mul_f64s(u, w), self.polynomial(&LOG, w), s.add_f64s(u, u));
        s.mul_add_e_f64s(e, s.splat_f64s(LN_2), ln_m)
    }
}
