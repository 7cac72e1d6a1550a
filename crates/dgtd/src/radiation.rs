//! Radiation integrals N and L, Σ J e^{jk r̂·p} over points p, for many directions r̂ (Balanis, Antenna Theory, section 12.2).

// Code has the instruction set of the dispatched function only if it is inlined into it.
#![allow(clippy::inline_always)]

use glam::DVec3;
use num_complex::Complex64;
use phasefront_core::simd::{Lanes, Simd, WithSimd, dispatch};
use rayon::prelude::*;
use std::f64::consts::{FRAC_PI_2, TAU};

/// Points of a group: one to four vectors of a CPU.
const GROUP: usize = 8;
/// Groups that stay in the cache for all directions of a batch: 61 kB.
const BLOCK: usize = 64;
/// Directions of a batch.
const DIRECTIONS: usize = 16;
/// 1.5 · 2⁵²: adding and subtracting it rounds to an integer.
const WHOLE: f64 = 6_755_399_441_055_744.0;
/// Taylor coefficients (−1)ⁿ/(2n + 1)! and (−1)ⁿ/(2n)!, highest first: sine and cosine up to π/4, to the last bit but one.
const SINE: [f64; 8] = [
    -1.0 / 1_307_674_368_000.0,
    1.0 / 6_227_020_800.0,
    -1.0 / 39_916_800.0,
    1.0 / 362_880.0,
    -1.0 / 5040.0,
    1.0 / 120.0,
    -1.0 / 6.0,
    1.0,
];
const COSINE: [f64; 9] = [
    1.0 / 20_922_789_888_000.0,
    -1.0 / 87_178_291_200.0,
    1.0 / 479_001_600.0,
    -1.0 / 3_628_800.0,
    1.0 / 40_320.0,
    -1.0 / 720.0,
    1.0 / 24.0,
    -0.5,
    1.0,
];

/// Equivalent currents at a point of a surface, times its area: J η = n × ηH, then M = −n × E.
pub type Current = (DVec3, [Complex64; 6]);

/// Points in structure-of-arrays layout.
#[derive(Clone, Copy, Default)]
struct Group {
    position: [[f64; GROUP]; 3],
    real: [[f64; GROUP]; 6],
    imaginary: [[f64; GROUP]; 6],
}

/// Equivalent currents at points, six components.
pub struct RadiationIntegral {
    groups: Vec<Group>,
}

impl RadiationIntegral {
    /// From positions and components.
    pub fn new(points: &[(DVec3, [Complex64; 6])]) -> Self {
        let group = |points: &[(DVec3, [Complex64; 6])]| {
            // The last group is padded with zero currents.
            let mut group = Group::default();
            for (lane, (position, components)) in points.iter().enumerate() {
                for axis in 0..3 {
                    group.position[axis][lane] = position[axis];
                }
                for (c, component) in components.iter().enumerate() {
                    (group.real[c][lane], group.imaginary[c][lane]) = (component.re, component.im);
                }
            }
            group
        };
        Self { groups: points.chunks(GROUP).map(group).collect() }
    }

    /// Σ J e^{jk r·p} for each unit vector r.
    pub fn evaluate(&self, k: f64, directions: &[DVec3]) -> Vec<[Complex64; 6]> {
        // Phases in turns: range reduction subtracts an integer, which is exact.
        let turns: Vec<DVec3> = directions.iter().map(|r| k / TAU * *r).collect();
        let batch = |directions: &[DVec3]| dispatch(DirectionBatch { groups: &self.groups, directions });
        turns.par_chunks(DIRECTIONS).flat_map_iter(batch).collect()
    }
}

/// A batch of directions: k r̂/2π.
struct DirectionBatch<'a> {
    groups: &'a [Group],
    directions: &'a [DVec3],
}

impl WithSimd for DirectionBatch<'_> {
    type Output = Vec<[Complex64; 6]>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        let mut sums = vec![[Complex64::default(); 6]; self.directions.len()];
        // Blocks are outermost: each is loaded once for all directions of the batch.
        for block in self.groups.chunks(BLOCK) {
            for (sums, direction) in sums.iter_mut().zip(self.directions) {
                add(simd, block, *direction, sums);
            }
        }
        sums
    }
}

/// Adds the sums over a block.
#[inline(always)]
fn add<S: Simd>(simd: S, block: &[Group], direction: DVec3, sums: &mut [Complex64; 6]) {
    let ops = Lanes::<S, f64>::new(simd);
    let (x, y, z) = (ops.splat(direction.x), ops.splat(direction.y), ops.splat(direction.z));
    let (mut real, mut imaginary) = ([ops.splat(0.0); 6], [ops.splat(0.0); 6]);
    for group in block {
        for i in 0..GROUP / S::F64_LANES {
            let position = &group.position;
            let there =
                [vector::<S>(&position[0], i), vector::<S>(&position[1], i), vector::<S>(&position[2], i)];
            let (sin, cos) = sine_and_cosine(ops, ops.dot([x, y, z], there));
            // (re + j im)(cos + j sin), with 12 accumulators in registers.
            let back = ops.neg(sin);
            for c in 0..6 {
                let (re, im) = (vector::<S>(&group.real[c], i), vector::<S>(&group.imaginary[c], i));
                real[c] = ops.fma(im, back, ops.fma(re, cos, real[c]));
                imaginary[c] = ops.fma(im, cos, ops.fma(re, sin, imaginary[c]));
            }
        }
    }
    for c in 0..6 {
        sums[c] += Complex64::new(simd.reduce_sum_f64s(real[c]), simd.reduce_sum_f64s(imaginary[c]));
    }
}

#[inline(always)]
fn vector<S: Simd>(numbers: &[f64; GROUP], i: usize) -> S::f64s {
    S::as_simd_f64s(numbers).0[i]
}

/// sin 2πt and cos 2πt: Taylor series of a quarter of the angle, at most π/4, then doubled twice.
#[inline(always)]
fn sine_and_cosine<S: Simd>(ops: Lanes<S, f64>, turns: S::f64s) -> (S::f64s, S::f64s) {
    // Nearest integer: |t − whole| ≤ 1/2, a quarter of the angle at most π/4.
    let whole = ops.sub(ops.add(turns, ops.splat(WHOLE)), ops.splat(WHOLE));
    let angle = ops.mul(ops.splat(FRAC_PI_2), ops.sub(turns, whole));
    let square = ops.mul(angle, angle);
    let (mut sin, mut cos) = (ops.splat(SINE[0]), ops.splat(COSINE[0]));
    for coefficient in &SINE[1..] {
        sin = ops.fma(sin, square, ops.splat(*coefficient));
    }
    for coefficient in &COSINE[1..] {
        cos = ops.fma(cos, square, ops.splat(*coefficient));
    }
    sin = ops.mul(sin, angle);
    // sin 2a = 2 sin a cos a, cos 2a = 1 − 2 sin² a.
    for _ in 0..2 {
        let twice = ops.add(sin, sin);
        (sin, cos) = (ops.mul(twice, cos), ops.fma(ops.neg(twice), sin, ops.splat(1.0)));
    }
    (sin, cos)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the standard library's sine and cosine, term by term; 21 points and 37 directions leave groups partly filled.
    #[test]
    fn sums_are_those_of_sines_and_cosines() {
        let spread =
            |i: usize| DVec3::new((1.3 * i as f64).sin(), (2.1 * i as f64).cos(), (0.7 * i as f64).sin());
        let points: Vec<(DVec3, [Complex64; 6])> = (0..21)
            .map(|i| (spread(i), std::array::from_fn(|c| Complex64::cis((i * i + c) as f64))))
            .collect();
        let directions: Vec<DVec3> = (0..37).map(|i| spread(3 * i + 1).normalize()).collect();
        // Angles up to a thousand radians.
        for k in [0.0, 0.3, 20.0, 600.0] {
            let sums = RadiationIntegral::new(&points).evaluate(k, &directions);
            assert_eq!(sums.len(), directions.len());
            for (sum, r) in sums.iter().zip(&directions) {
                for c in 0..6 {
                    let terms =
                        points.iter().map(|(p, components)| components[c] * Complex64::cis(k * r.dot(*p)));
                    let exact: Complex64 = terms.sum();
                    assert!((sum[c] - exact).norm() < 1e-11, "k = {k}: {} for {exact}", sum[c]);
                }
            }
        }
    }
}
