//! Burg's method with one set of prediction coefficients for all rows of a field (pooled LPBP), vectorized.
//!
//! Each row is a SIMD lane. The equations are those of [`crate::burg`].

// Code has the instruction set of the dispatched function only if it is inlined into it.
#![allow(clippy::inline_always)]

use crate::scalar::Scalar;
use num_complex::Complex;
use phasefront_core::simd::{ComplexLanes, ComplexPack, Simd};

/// Forward and backward prediction errors, with their memory reused between calls.
pub struct Burg<T> {
    forward: Vec<ComplexPack<T>>,
    backward: Vec<ComplexPack<T>>,
}

impl<T: Scalar> Burg<T> {
    pub fn new() -> Self {
        Self { forward: Vec::new(), backward: Vec::new() }
    }

    /// The coefficients a₁, a₂, … of x_n ≈ −Σ a_i x_{n−i} with the least prediction error over all lanes of all rows, `steps` long each.
    #[inline(always)]
    pub fn coefficients<'a, S: Simd>(
        &mut self,
        simd: S,
        rows: impl Iterator<Item = &'a [ComplexPack<T>]>,
        steps: usize,
        order: usize,
        a: &mut Vec<Complex<T>>,
    ) {
        self.forward.clear();
        for row in rows {
            self.forward.extend_from_slice(row);
        }
        // Order 0: both errors are the signal.
        self.backward.clone_from(&self.forward);
        a.clear();
        let mut k = Complex::new(T::zero(), T::zero());
        // Errors of the last order are updated with its k in the same pass that sums the next one:
        // memory is read once per order.
        for m in 0..order {
            let mut sums = Sums { product: ComplexLanes::zero(simd), power: T::simd_splat(simd, T::zero()) };
            for (forward, backward) in
                self.forward.chunks_exact_mut(steps).zip(self.backward.chunks_exact_mut(steps))
            {
                for part in 0..ComplexLanes::<S, T>::per_pack() {
                    step(simd, part, [forward, backward], (m, k), &mut sums);
                }
            }
            // No error is left: the prediction is exact.
            let Some(next) = sums.reflection(simd) else { break };
            k = next;
            // Pairs from both ends: each update needs the other's old value.
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

/// Numerator Σ f b* and denominator Σ(|f|² + |b|²) of the reflection coefficient, lane by lane.
struct Sums<S: Simd, T: Scalar> {
    product: ComplexLanes<S, T>,
    power: T::Vector<S>,
}

impl<S: Simd, T: Scalar> Sums<S, T> {
    #[inline(always)]
    fn add(&mut self, s: S, f: ComplexLanes<S, T>, b: ComplexLanes<S, T>) {
        let sum = &mut self.product;
        // f b*, in fused multiply-adds.
        sum.re = T::simd_fma(s, f.im, b.im, T::simd_fma(s, f.re, b.re, sum.re));
        sum.im = T::simd_fma(s, T::simd_neg(s, f.re), b.im, T::simd_fma(s, f.im, b.re, sum.im));
        let forward = T::simd_fma(s, f.im, f.im, T::simd_mul(s, f.re, f.re));
        let both = T::simd_fma(s, b.im, b.im, T::simd_fma(s, b.re, b.re, forward));
        self.power = T::simd_add(s, self.power, both);
    }

    /// The reflection coefficient k = −2 Σ f b*/Σ(|f|² + |b|²); none if there is no error left.
    #[inline(always)]
    fn reflection(&self, simd: S) -> Option<Complex<T>> {
        let power = T::simd_sum(simd, self.power);
        // Infinite for zero power, and then not used.
        let factor = -(T::one() + T::one()) / power;
        let [re, im] = [T::simd_sum(simd, self.product.re), T::simd_sum(simd, self.product.im)];
        (power > T::zero()).then_some(Complex::new(factor * re, factor * im))
    }
}

/// The prediction errors of order m from those of the order before, f + k b and b + k* f, and their contribution to the next k: one pass over memory.
///
/// Forward errors start at step m. Backward errors stay in place while their number decreases, so that the partner of the forward error at
/// step s is m steps before it.
#[inline(always)]
fn step<S: Simd, T: Scalar>(
    simd: S,
    part: usize,
    [forward, backward]: [&mut [ComplexPack<T>]; 2],
    (m, k): (usize, Complex<T>),
    sums: &mut Sums<S, T>,
) {
    let mut last = ComplexLanes::zero(simd);
    for (i, (forward, backward)) in forward[m..].iter_mut().zip(backward).enumerate() {
        let (f, b) = (ComplexLanes::load(simd, forward, part), ComplexLanes::load(simd, backward, part));
        let (f, b) = (f.add_product(b, k), b.add_product(f, k.conj()));
        f.store(forward, part);
        b.store(backward, part);
        // The partner of f at this step is the updated b of the step before.
        if i > 0 {
            sums.add(simd, f, last);
        }
        last = b;
    }
}

/// Extrapolates the middle third of a line to both sides by linear prediction, and tapers them by the window.
#[inline(always)]
pub fn extrapolate<S: Simd, T: Scalar>(
    simd: S,
    part: usize,
    line: &mut [ComplexPack<T>],
    a: &[Complex<T>],
    window: &[T],
) {
    let count = line.len() / 3;
    for i in 0..count {
        let (right, left) = (2 * count + i, count - 1 - i);
        let (mut forward, mut back) = (ComplexLanes::zero(simd), ComplexLanes::zero(simd));
        // The nearest value is added last: the next one depends on it, and this shortens the dependency chain. The backward prediction has conjugate
        // coefficients.
        for (i, a) in a.iter().enumerate().rev() {
            forward = forward.add_product(ComplexLanes::load(simd, &line[right - 1 - i], part), -*a);
            back = back.add_product(ComplexLanes::load(simd, &line[left + 1 + i], part), -a.conj());
        }
        forward.store(&mut line[right], part);
        back.store(&mut line[left], part);
    }
    // The measured field is not even rounded.
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

    /// The same coefficients and the same field as by the scalar code.
    #[test]
    fn lanes_equal_rows() {
        let steps = 13;
        // With an unpredictable part: otherwise the last coefficients are determined by rounding.
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
            extrapolate(simd::Scalar, part, &mut wide, &a, &window);
        }
        for (r, row) in rows.iter().enumerate().take(PACK) {
            for (n, x) in burg::extrapolate(row, &plain, steps).iter().enumerate() {
                let weight = if n / steps == 1 { 1.0 } else { window[n] };
                assert!(
                    (Complex64::new(wide[n].re[r], wide[n].im[r]) - x * weight).norm() < 1e-10,
                    "{r} {n}"
                );
            }
        }
    }
}
