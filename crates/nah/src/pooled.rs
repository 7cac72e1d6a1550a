//! Burg's method for all rows of a field at once, with one prediction for all: the fast way to `plpbp`.
//!
//! The rows that share it are lanes, side by side, and lie step by step along the prediction.

// Code has the instruction set of the dispatched function only if it is inlined into it.
#![allow(clippy::inline_always)]

use crate::scalar::Scalar;
use num_complex::Complex;
use phasefront_core::simd::{ComplexLanes, ComplexPack, Simd};

/// What prediction errors need, kept between calls.
pub struct Burg<T> {
    ahead: Vec<ComplexPack<T>>,
    behind: Vec<ComplexPack<T>>,
}

impl<T: Scalar> Burg<T> {
    pub fn new() -> Self {
        Self { ahead: Vec::new(), behind: Vec::new() }
    }

    /// The coefficients a₁, a₂, … that predict x_n ≈ −Σ a_i x_{n−i} best in all lanes of all these rows, `steps` long each.
    #[inline(always)]
    pub fn coefficients<'a, S: Simd>(
        &mut self,
        simd: S,
        rows: impl Iterator<Item = &'a [ComplexPack<T>]>,
        steps: usize,
        order: usize,
        a: &mut Vec<Complex<T>>,
    ) {
        self.ahead.clear();
        for row in rows {
            self.ahead.extend_from_slice(row);
        }
        self.behind.clone_from(&self.ahead);
        a.clear();
        let mut k = Complex::new(T::zero(), T::zero());
        for m in 0..order {
            let mut sums = Sums { product: ComplexLanes::zero(simd), power: T::simd_splat(simd, T::zero()) };
            for (ahead, behind) in self.ahead.chunks_exact_mut(steps).zip(self.behind.chunks_exact_mut(steps))
            {
                for part in 0..ComplexLanes::<S, T>::per_pack() {
                    step(simd, part, [ahead, behind], (m, k), &mut sums);
                }
            }
            // Nothing is left: the prediction is exact.
            let Some(next) = sums.reflection(simd) else { break };
            k = next;
            for i in 0..m / 2 {
                (a[i], a[m - 1 - i]) = (a[i] + k * a[m - 1 - i].conj(), a[m - 1 - i] + k * a[i].conj());
            }
            if m % 2 == 1 {
                a[m / 2] = a[m / 2] + k * a[m / 2].conj();
            }
            a.push(k);
        }
    }
}

/// Σ f b* and Σ(|f|² + |b|²), lane by lane.
struct Sums<S: Simd, T: Scalar> {
    product: ComplexLanes<S, T>,
    power: T::Vector<S>,
}

impl<S: Simd, T: Scalar> Sums<S, T> {
    #[inline(always)]
    fn add(&mut self, s: S, f: ComplexLanes<S, T>, b: ComplexLanes<S, T>) {
        let sum = &mut self.product;
        sum.re = T::simd_fma(s, f.im, b.im, T::simd_fma(s, f.re, b.re, sum.re));
        sum.im = T::simd_fma(s, T::simd_neg(s, f.re), b.im, T::simd_fma(s, f.im, b.re, sum.im));
        let ahead = T::simd_fma(s, f.im, f.im, T::simd_mul(s, f.re, f.re));
        let both = T::simd_fma(s, b.im, b.im, T::simd_fma(s, b.re, b.re, ahead));
        self.power = T::simd_add(s, self.power, both);
    }

    /// k = −2 Σ f b* / Σ(|f|² + |b|²).
    #[inline(always)]
    fn reflection(&self, simd: S) -> Option<Complex<T>> {
        let power = T::simd_sum(simd, self.power);
        let factor = -(T::one() + T::one()) / power;
        let [re, im] = [T::simd_sum(simd, self.product.re), T::simd_sum(simd, self.product.im)];
        (power > T::zero()).then_some(Complex::new(factor * re, factor * im))
    }
}

/// The errors of order m from those before, f + k b and b + k* f, and what they add to the sums for the next k.
///
/// Errors ahead are those at steps m on. Errors behind stay where they are while their number falls, so that the partner of the error
/// ahead at step s is m steps before.
#[inline(always)]
fn step<S: Simd, T: Scalar>(
    simd: S,
    part: usize,
    [ahead, behind]: [&mut [ComplexPack<T>]; 2],
    (m, k): (usize, Complex<T>),
    sums: &mut Sums<S, T>,
) {
    let mut last = ComplexLanes::zero(simd);
    for (i, (ahead, behind)) in ahead[m..].iter_mut().zip(behind).enumerate() {
        let (f, b) = (ComplexLanes::load(simd, ahead, part), ComplexLanes::load(simd, behind, part));
        let (f, b) = (f.add_product(b, k), b.add_product(f, k.conj()));
        f.store(ahead, part);
        b.store(behind, part);
        if i > 0 {
            sums.add(simd, f, last);
        }
        last = b;
    }
}

/// Fills the first and the last third of a line from its middle, by the prediction, and fades them out by a window.
#[inline(always)]
pub fn carry_on<S: Simd, T: Scalar>(
    simd: S,
    part: usize,
    line: &mut [ComplexPack<T>],
    a: &[Complex<T>],
    window: &[T],
) {
    let count = line.len() / 3;
    for i in 0..count {
        let (right, left) = (2 * count + i, count - 1 - i);
        let (mut ahead, mut back) = (ComplexLanes::zero(simd), ComplexLanes::zero(simd));
        // The nearest comes last: it is what the next value waits for. Backwards with the conjugates.
        for (i, a) in a.iter().enumerate().rev() {
            ahead = ahead.add_product(ComplexLanes::load(simd, &line[right - 1 - i], part), -*a);
            back = back.add_product(ComplexLanes::load(simd, &line[left + 1 + i], part), -a.conj());
        }
        ahead.store(&mut line[right], part);
        back.store(&mut line[left], part);
    }
    // On the array nothing is touched, not even by a rounding.
    for side in [0..count, 2 * count..3 * count] {
        for (value, weight) in line[side.clone()].iter_mut().zip(&window[side]) {
            ComplexLanes::load(simd, value, part).scale(*weight).store(value, part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::burg;
    use num_complex::Complex64;
    use phasefront_core::simd::{self, PACK};
    use std::array::from_fn;

    /// The same coefficients and the same field as row by row.
    #[test]
    fn lanes_are_rows() {
        let steps = 13;
        // With something that cannot be predicted, or else the last coefficients hang on the last digits.
        let value = |r: usize, n: usize| {
            let (at, odd) = (n as f64, (n * n * (r + 1)) as f64);
            Complex64::from_polar(1.0 + 0.1 * r as f64, 0.7 * at + r as f64) + Complex64::from_polar(0.3, odd)
        };
        let rows: Vec<Vec<Complex64>> =
            (0..2 * PACK).map(|r| (0..steps).map(|n| value(r, n)).collect()).collect();
        let pack = |first: usize| {
            let at = move |n| ComplexPack {
                re: from_fn(|r| value(first + r, n).re),
                im: from_fn(|r| value(first + r, n).im),
            };
            (0..steps).map(at).collect::<Vec<_>>()
        };
        let packs = [pack(0), pack(PACK)];
        let mut a = Vec::new();
        Burg::new().coefficients(simd::Scalar, packs.iter().map(Vec::as_slice), steps, 4, &mut a);
        let plain = burg::coefficients(&rows, 4);
        for (one, other) in a.iter().zip(&plain) {
            assert!((one - other).norm() < 1e-12, "{a:?} {plain:?}");
        }
        let mut wide = ComplexPack::zeros(3 * steps);
        wide[steps..2 * steps].copy_from_slice(&packs[0]);
        let window: Vec<f64> = (0..3 * steps).map(|n| 1.0 / (1.0 + n as f64)).collect();
        for part in 0..ComplexLanes::<simd::Scalar, f64>::per_pack() {
            carry_on(simd::Scalar, part, &mut wide, &a, &window);
        }
        for (r, row) in rows.iter().enumerate().take(PACK) {
            for (n, x) in burg::carry_on(row, &plain, steps).iter().enumerate() {
                let weight = if n / steps == 1 { 1.0 } else { window[n] };
                assert!(
                    (Complex64::new(wide[n].re[r], wide[n].im[r]) - x * weight).norm() < 1e-10,
                    "{r} {n}"
                );
            }
        }
    }
}
