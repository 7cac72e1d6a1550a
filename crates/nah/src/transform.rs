//! Fast Fourier transforms of many lines side by side: three times as many points as a side of an array has, and on the way back
//! only the middle third.
//!
//! With N = r₁ r₂ …, transforms of L points over every (N/L)-th value become transforms of r L points,
//! y[j + L q][k] = Σ_i w_{rL}^{i (j + L q)} y[j][k + m i], m = N/(r L) (Stockham's order: nothing is left to be sorted; Van Loan, *Computational
//! Frameworks for the Fast Fourier Transform*, 1992, section 1.7). The last r is 3, and of its three results the middle third needs one.

// Code has the instruction set of the dispatched function only if it is inlined into it.
#![allow(clippy::inline_always)]

use crate::scalar::Scalar;
use num_complex::{Complex, Complex64};
use phasefront_core::simd::{ComplexLanes, ComplexPack, Simd};
use std::f64::consts::TAU;

/// A transform Σ x_n e^{−jωn} of a length.
pub struct Transform<T> {
    steps: Vec<Step<T>>,
}

/// From transforms of `before` points to ones of `radix` times as many.
struct Step<T> {
    radix: usize,
    before: usize,
    /// m: how many of these there will be.
    after: usize,
    /// w^{i j} for each j and i, where there is a fast way for the radix; or else w^{i (j + L q)} for each j, q and i.
    factors: Vec<Complex<T>>,
}

impl<T: Scalar> Transform<T> {
    /// Of three times so many points.
    pub fn thrice(count: usize) -> Self {
        let mut radices = factors(count);
        radices.push(3);
        let mut before = 1;
        let mut step = |radix: usize| {
            let whole = radix * before;
            let root = |turns: usize| {
                T::complex_from_f64(Complex64::from_polar(1.0, -TAU * (turns % whole) as f64 / whole as f64))
            };
            let factors = if radix <= 4 {
                (0..before).flat_map(|j| (0..radix).map(move |i| i * j)).map(root).collect()
            } else {
                let all = (0..before).flat_map(|j| (0..radix).map(move |q| j + before * q));
                all.flat_map(|o| (0..radix).map(move |i| i * o)).map(root).collect()
            };
            let step = Step { radix, before, after: 3 * count / whole, factors };
            before = whole;
            step
        };
        Self { steps: radices.into_iter().map(&mut step).collect() }
    }

    /// Transforms a part of the packs of a line, with as much room beside it.
    #[inline(always)]
    pub fn run<S: Simd>(
        &self,
        simd: S,
        part: usize,
        line: &mut [ComplexPack<T>],
        room: &mut [ComplexPack<T>],
    ) {
        self.all_but(0, simd, part, line, room);
        if !self.steps.len().is_multiple_of(2) {
            for (to, from) in line.iter_mut().zip(room) {
                ComplexLanes::load(simd, from, part).store(to, part);
            }
        }
    }

    /// The middle third of what comes out, at the beginning of the line; the rest is lost.
    #[inline(always)]
    pub fn middle<S: Simd>(
        &self,
        simd: S,
        part: usize,
        line: &mut [ComplexPack<T>],
        room: &mut [ComplexPack<T>],
    ) {
        self.all_but(1, simd, part, line, room);
        let Some(last) = self.steps.last() else { return };
        for j in 0..last.before {
            let from = if self.steps.len().is_multiple_of(2) { &room[..] } else { &line[..] };
            let y = ComplexLanes::load(simd, &from[3 * j], part);
            let [_, middle, _] =
                thirds(y, last.turned(simd, part, from, 3 * j + 1), last.turned(simd, part, from, 3 * j + 2));
            // What is written has been read.
            middle.store(&mut line[j], part);
        }
    }

    #[inline(always)]
    fn all_but<S: Simd>(
        &self,
        last: usize,
        simd: S,
        part: usize,
        line: &mut [ComplexPack<T>],
        room: &mut [ComplexPack<T>],
    ) {
        let (mut from, mut to) = (line, room);
        for step in &self.steps[..self.steps.len() - last] {
            step.run(simd, part, from, to);
            (from, to) = (to, from);
        }
    }
}

impl<T: Scalar> Step<T> {
    #[inline(always)]
    fn run<S: Simd>(&self, simd: S, part: usize, from: &[ComplexPack<T>], to: &mut [ComplexPack<T>]) {
        if self.radix > 4 {
            return self.sums(simd, part, from, to);
        }
        let (before, after) = (self.before, self.after);
        for j in 0..before {
            for k in 0..after {
                let first = self.radix * j * after + k;
                let a = ComplexLanes::load(simd, &from[first], part);
                let b = self.turned(simd, part, from, first + after);
                if self.radix == 2 {
                    (a + b).store(&mut to[j * after + k], part);
                    (a - b).store(&mut to[(j + before) * after + k], part);
                    continue;
                }
                let c = self.turned(simd, part, from, first + 2 * after);
                if self.radix == 3 {
                    let [a, b, c] = thirds(a, b, c);
                    a.store(&mut to[j * after + k], part);
                    b.store(&mut to[(j + before) * after + k], part);
                    c.store(&mut to[(j + 2 * before) * after + k], part);
                    continue;
                }
                let d = self.turned(simd, part, from, first + 3 * after);
                let (s, t, u, v) = (a + c, a - c, b + d, (b - d).times_minus_j());
                (s + u).store(&mut to[j * after + k], part);
                (t + v).store(&mut to[(j + before) * after + k], part);
                (s - u).store(&mut to[(j + 2 * before) * after + k], part);
                (t - v).store(&mut to[(j + 3 * before) * after + k], part);
            }
        }
    }

    /// w^{ij} y[j][k + m i], by its place.
    #[inline(always)]
    fn turned<S: Simd>(
        &self,
        simd: S,
        part: usize,
        from: &[ComplexPack<T>],
        at: usize,
    ) -> ComplexLanes<S, T> {
        ComplexLanes::load(simd, &from[at], part).times(self.factors[at / self.after])
    }

    #[inline(always)]
    fn sums<S: Simd>(&self, simd: S, part: usize, from: &[ComplexPack<T>], to: &mut [ComplexPack<T>]) {
        let (radix, before, after) = (self.radix, self.before, self.after);
        for (o, factors) in self.factors.chunks_exact(radix).enumerate() {
            let (j, q) = (o / radix, o % radix);
            for k in 0..after {
                let mut sum = ComplexLanes::zero(simd);
                for (i, factor) in factors.iter().enumerate() {
                    sum = sum.add_product(
                        ComplexLanes::load(simd, &from[(j * radix + i) * after + k], part),
                        *factor,
                    );
                }
                sum.store(&mut to[(j + before * q) * after + k], part);
            }
        }
    }
}

/// Three values to their transform.
#[inline(always)]
fn thirds<S: Simd, T: Scalar>(
    a: ComplexLanes<S, T>,
    b: ComplexLanes<S, T>,
    c: ComplexLanes<S, T>,
) -> [ComplexLanes<S, T>; 3] {
    let (sum, apart) = (b + c, (b - c).times_minus_j().scale(T::rounded(0.75_f64.sqrt())));
    let middle = a - sum.scale(T::rounded(0.5));
    [a + sum, middle + apart, middle - apart]
}

/// Fours, then a two, then whatever primes there are.
fn factors(mut count: usize) -> Vec<usize> {
    let mut factors = Vec::new();
    for radix in std::iter::once(4).chain(2..) {
        while count.is_multiple_of(radix) && count > 1 {
            factors.push(radix);
            count /= radix;
        }
        if count <= 1 {
            break;
        }
    }
    factors
}

#[cfg(test)]
mod tests {
    use super::*;
    use phasefront_core::simd::{self, PACK};

    /// By definition, for lengths of all kinds: powers of two, of three, and primes.
    #[test]
    fn transforms_are_sums() {
        for count in [1, 2, 3, 5, 7, 8, 9, 10, 12, 16, 22, 32] {
            let length = 3 * count;
            let value = |n: usize, lane: usize| {
                Complex64::from_polar(1.0 + lane as f64, (n * n * (lane + 2)) as f64 * 0.37)
            };
            let line: Vec<ComplexPack<f64>> = (0..length)
                .map(|n| ComplexPack {
                    re: std::array::from_fn(|lane| value(n, lane).re),
                    im: std::array::from_fn(|lane| value(n, lane).im),
                })
                .collect();
            let transform = Transform::<f64>::thrice(count);
            let mut room = [ComplexPack::zeros(length), ComplexPack::zeros(length)];
            let mut copies = [line.clone(), line];
            for part in 0..ComplexLanes::<simd::Scalar, f64>::per_pack() {
                transform.run(simd::Scalar, part, &mut copies[0], &mut room[0]);
                transform.middle(simd::Scalar, part, &mut copies[1], &mut room[1]);
            }
            let [all, middle] = &copies;
            for o in 0..length {
                for lane in 0..PACK {
                    let wave =
                        |n: usize| Complex64::from_polar(1.0, -TAU * (n * o % length) as f64 / length as f64);
                    let exact: Complex64 = (0..length).map(|n| value(n, lane) * wave(n)).sum();
                    let at = |pack: &ComplexPack<f64>| Complex64::new(pack.re[lane], pack.im[lane]);
                    let allowed = 1e-12 * (length * (lane + 1)) as f64;
                    assert!((at(&all[o]) - exact).norm() < allowed, "{length}: {o}");
                    if o / count == 1 {
                        assert!((at(&middle[o - count]) - exact).norm() < allowed, "{length}: middle {o}");
                    }
                }
            }
        }
    }
}
