//! FFTs along an axis of the padded grid, one row or column for each SIMD lane. Inverse FFTs compute only the middle third, which is on the array.
//!
//! Stockham's mixed-radix algorithm: with N = r₁ r₂ …, DFTs of L points over every (N/L)-th value become DFTs of r L points,
//! y[j + L q][k] = Σ_i w_{rL}^{i (j + L q)} y[j][k + m i], m = N/(r L). The output is in natural order (Van Loan, *Computational Frameworks for the
//! Fast Fourier Transform*, 1992, section 1.7). The last radix is 3, and the middle third of the output is one of its three results.

// Code has the instruction set of the dispatched function only if it is inlined into it.
#![allow(clippy::inline_always)]

use crate::scalar::Scalar;
use num_complex::{Complex, Complex64};
use phasefront_core::simd::{ComplexLanes, ComplexPack, Simd};
use std::f64::consts::TAU;

/// A forward DFT, Σ x_n e^{−jωn}, along a padded axis.
pub struct AxisFft<T> {
    stages: Vec<Stage<T>>,
}

/// One stage, from DFTs of `before` points (L) to `radix` times as many (r L).
struct Stage<T> {
    radix: usize,
    before: usize,
    /// Number of DFTs after the stage, m.
    after: usize,
    /// Twiddle factors: w^{i j} for each j and i where the radix has a butterfly; otherwise w^{i (j + L q)} for each j, q and i.
    factors: Vec<Complex<T>>,
}

impl<T: Scalar> AxisFft<T> {
    /// Of 3 `count` points.
    pub fn padded(count: usize) -> Self {
        // The radices of the array, then 3 for the padding: the last stage separates the thirds.
        let mut radices = factors(count);
        radices.push(3);
        let mut before = 1;
        let mut stage = |radix: usize| {
            let length = radix * before;
            // In double precision, then rounded once.
            let root = |power: usize| {
                T::complex_from_f64(Complex64::from_polar(
                    1.0,
                    -TAU * (power % length) as f64 / length as f64,
                ))
            };
            // Up to 4 a butterfly exists and needs one factor per input; others are evaluated as
            // DFTs, factor by factor.
            let factors = if radix <= 4 {
                (0..before).flat_map(|j| (0..radix).map(move |i| i * j)).map(root).collect()
            } else {
                let all = (0..before).flat_map(|j| (0..radix).map(move |q| j + before * q));
                all.flat_map(|o| (0..radix).map(move |i| i * o)).map(root).collect()
            };
            let stage = Stage { radix, before, after: 3 * count / length, factors };
            before = length;
            stage
        };
        Self { stages: radices.into_iter().map(&mut stage).collect() }
    }

    /// Transforms vector `part` of the packs of a line in place, with a buffer of the same length.
    #[inline(always)]
    pub fn run<S: Simd>(
        &self,
        simd: S,
        part: usize,
        line: &mut [ComplexPack<T>],
        buffer: &mut [ComplexPack<T>],
    ) {
        self.all_but(0, simd, part, line, buffer);
        // Stages alternate between line and buffer: after
        // an odd number the result is in the buffer.
        if !self.stages.len().is_multiple_of(2) {
            for (to, from) in line.iter_mut().zip(buffer) {
                ComplexLanes::load(simd, from, part).store(to, part);
            }
        }
    }

    /// The middle third of the output, at the start of the line; the rest is overwritten.
    #[inline(always)]
    pub fn middle<S: Simd>(
        &self,
        simd: S,
        part: usize,
        line: &mut [ComplexPack<T>],
        buffer: &mut [ComplexPack<T>],
    ) {
        self.all_but(1, simd, part, line, buffer);
        let Some(last) = self.stages.last() else { return };
        for j in 0..last.before {
            // Where the stages before left their result.
            let from = if self.stages.len().is_multiple_of(2) { &buffer[..] } else { &line[..] };
            let y = ComplexLanes::load(simd, &from[3 * j], part);
            let [_, middle, _] = radix_3(
                y,
                last.twiddled(simd, part, from, 3 * j + 1),
                last.twiddled(simd, part, from, 3 * j + 2),
            );
            // In place: index j is read before it is written.
            middle.store(&mut line[j], part);
        }
    }

    /// All stages but the `last` ones.
    #[inline(always)]
    fn all_but<S: Simd>(
        &self,
        last: usize,
        simd: S,
        part: usize,
        line: &mut [ComplexPack<T>],
        buffer: &mut [ComplexPack<T>],
    ) {
        let (mut from, mut to) = (line, buffer);
        for stage in &self.stages[..self.stages.len() - last] {
            stage.run(simd, part, from, to);
            (from, to) = (to, from);
        }
    }
}

impl<T: Scalar> Stage<T> {
    #[inline(always)]
    fn run<S: Simd>(&self, simd: S, part: usize, from: &[ComplexPack<T>], to: &mut [ComplexPack<T>]) {
        // Prime factors of 5 and more have no butterfly: a DFT of r² products.
        if self.radix > 4 {
            return self.dft(simd, part, from, to);
        }
        let (before, after) = (self.before, self.after);
        for j in 0..before {
            // k innermost: consecutive packs, contiguous in memory.
            for k in 0..after {
                let first = self.radix * j * after + k;
                let a = ComplexLanes::load(simd, &from[first], part);
                let b = self.twiddled(simd, part, from, first + after);
                if self.radix == 2 {
                    (a + b).store(&mut to[j * after + k], part);
                    (a - b).store(&mut to[(j + before) * after + k], part);
                    continue;
                }
                let c = self.twiddled(simd, part, from, first + 2 * after);
                if self.radix == 3 {
                    let [a, b, c] = radix_3(a, b, c);
                    a.store(&mut to[j * after + k], part);
                    b.store(&mut to[(j + before) * after + k], part);
                    c.store(&mut to[(j + 2 * before) * after + k], part);
                    continue;
                }
                let d = self.twiddled(simd, part, from, first + 3 * after);
                // The butterfly has factors of ±1 and ±j only: no multiplications.
                let (s, t, u, v) = (a + c, a - c, b + d, (b - d).times_minus_j());
                (s + u).store(&mut to[j * after + k], part);
                (t + v).store(&mut to[(j + before) * after + k], part);
                (s - u).store(&mut to[(j + 2 * before) * after + k], part);
                (t - v).store(&mut to[(j + 3 * before) * after + k], part);
            }
        }
    }

    /// A value times its twiddle factor, w^{ij} y[j][k + m i], by its index.
    #[inline(always)]
    fn twiddled<S: Simd>(
        &self,
        simd: S,
        part: usize,
        from: &[ComplexPack<T>],
        at: usize,
    ) -> ComplexLanes<S, T> {
        ComplexLanes::load(simd, &from[at], part).times(self.factors[at / self.after])
    }

    #[inline(always)]
    fn dft<S: Simd>(&self, simd: S, part: usize, from: &[ComplexPack<T>], to: &mut [ComplexPack<T>]) {
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

/// The radix-3 butterfly.
#[inline(always)]
fn radix_3<S: Simd, T: Scalar>(
    a: ComplexLanes<S, T>,
    b: ComplexLanes<S, T>,
    c: ComplexLanes<S, T>,
) -> [ComplexLanes<S, T>; 3] {
    // sin 60° = √(3/4), cos 60° = ½.
    let (sum, difference) = (b + c, (b - c).times_minus_j().scale(T::rounded(0.75_f64.sqrt())));
    let middle = a - sum.scale(T::rounded(0.5));
    [a + sum, middle + difference, middle - difference]
}

/// The radices of a length: 4, then 2, then the other primes.
fn factors(mut count: usize) -> Vec<usize> {
    let mut factors = Vec::new();
    // Radix 4 first: fewer passes over memory than two of radix 2.
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

    /// Against the DFT by definition: powers of two, of three, and primes.
    #[test]
    fn ffts_equal_the_definition() {
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
            let transform = AxisFft::<f64>::padded(count);
            let mut buffer = [ComplexPack::zeros(length), ComplexPack::zeros(length)];
            let mut copies = [line.clone(), line];
            for part in 0..ComplexLanes::<simd::Scalar, f64>::per_pack() {
                transform.run(simd::Scalar, part, &mut copies[0], &mut buffer[0]);
                transform.middle(simd::Scalar, part, &mut copies[1], &mut buffer[1]);
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
