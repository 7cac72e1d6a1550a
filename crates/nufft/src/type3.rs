//! Transforms of type 3, from points to any frequencies, f_k = Σ_j c_j e^{±i s_k·x_j}: what CPU and GPU have in common.
//!
//! The points are scaled to one period and spread on a grid fine enough for the highest frequency; the grid's values then are
//! modes of a transform of type 2 towards the scaled frequencies (Lee and Greengard 2005, with the parameters of Barnett,
//! Magland and af Klinteberg 2019, section 3.3).

use crate::check;
use crate::cpu::Float;
use crate::error::{NufftError, Result};
use crate::grid::{GridShape, smooth_size};
use crate::kernel::{Demand, Kernel, epsilon};
use crate::options::{Options, Upsampling};
use crate::plan::choose_kernel;
use crate::table::TapTable;
use num_complex::{Complex, Complex64};
use phasefront_core::Real;
use std::f64::consts::{PI, TAU};

/// What the polynomials may add, as a share of what they may in types 1 and 2: the second grid divides it by Φ once more.
const SHARE: f64 = 0.1;

/// Scaled points and frequencies are rounded, and a phase is off by so much of ε times the largest one: each is off by ε/2 at most,
/// of which the root mean squares over all three, uniformly distributed, leave a tenth.
const ROUNDED: f64 = 0.1;

/// Errors stay below five tolerances: so many for this leave two for the rest.
const MARGIN: f64 = 3.0;

/// Points and frequencies scaled to the two grids, and the factors before and after them.
pub(crate) struct Scaled<T> {
    pub kernel: Kernel,
    pub table: TapTable,
    /// Grid of the points: its values are the modes of the inner transform.
    pub outer: GridShape,
    /// Grid of the inner transform, which leads to the frequencies.
    pub inner: GridShape,
    /// x' = (x − C)/γ.
    pub points: Vec<Vec<T>>,
    /// s' = (2π/n) γ (s − D).
    pub frequencies: Vec<Vec<T>>,
    /// e^{±i D·x_j}: moves the frequencies to their middle.
    pub before: Vec<Complex<T>>,
    /// e^{±i (s_k − D)·C} / Φ(s'_k): moves the points to their middle, and undoes the spreading.
    pub after: Vec<Complex<T>>,
}

/// How one axis is scaled.
struct Axis {
    /// Middle of the points and of the frequencies: C and D.
    middle: [f64; 2],
    /// Grid points: n.
    fine: usize,
    /// x' = (x − C)/γ lies within one period.
    gamma: f64,
    /// Half-width of the points times that of the frequencies: the largest phase.
    product: f64,
}

impl Axis {
    fn new(points: &[f64], frequencies: &[f64], kernel: &Kernel) -> Result<Self> {
        let (c, mut x) = middle(points);
        let (d, mut s) = middle(frequencies);
        // One point or one frequency: any width that keeps the product of both at one or more.
        match (x == 0.0, s == 0.0) {
            (true, true) => (x, s) = (1.0, 1.0),
            (true, false) => x = 1.0 / s,
            _ => s = s.max(1.0 / x),
        }
        let needed = 2.0 * kernel.upsampling * s * x / PI + (kernel.width + 1) as f64;
        // What is not a number is not below the limit either.
        if !matches!(needed.partial_cmp(&1e12), Some(std::cmp::Ordering::Less)) {
            return Err(NufftError::TooLarge);
        }
        let fine = smooth_size((needed as usize).max(2 * kernel.width)).ok_or(NufftError::TooLarge)?;
        Ok(Self { middle: [c, d], fine, gamma: fine as f64 / (2.0 * kernel.upsampling * s), product: x * s })
    }

    fn point(&self, x: f64) -> f64 {
        (x - self.middle[0]) / self.gamma
    }

    fn frequency(&self, s: f64) -> f64 {
        TAU / self.fine as f64 * self.gamma * (s - self.middle[1])
    }
}

/// Middle and half-width of some values.
fn middle(values: &[f64]) -> (f64, f64) {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if values.is_empty() { (0.0, 0.0) } else { (f64::midpoint(low, high), 0.5 * (high - low)) }
}

impl<T: Float> Scaled<T> {
    pub fn new(points: &[&[T]], frequencies: &[&[T]], tolerance: f64, options: &Options) -> Result<Self> {
        let [points, frequencies] = [doubles(points)?, doubles(frequencies)?];
        // With 1.25 the first grid would amplify the errors of the second too much.
        let kernel =
            choose_kernel::<T>(Demand::Twice(points.len()), tolerance, options.kernel, Upsampling::High)?;
        let axes = points
            .iter()
            .zip(&frequencies)
            .map(|(x, s)| Axis::new(x, s, &kernel))
            .collect::<Result<Vec<Axis>>>()?;
        let reach =
            axes.iter().map(|a| a.product.powi(2)).sum::<f64>().sqrt() * ROUNDED * epsilon(T::PRECISION);
        if reach > MARGIN * tolerance {
            return Err(NufftError::Tolerance { tolerance, reach });
        }
        let fine: Vec<usize> = axes.iter().map(|a| a.fine).collect();
        let sign = options.sign.value();
        let before = (0..points[0].len()).map(|j| {
            let phase: f64 = axes.iter().zip(&points).map(|(a, x)| a.middle[1] * x[j]).sum();
            T::complex_from_f64(Complex64::cis(sign * phase))
        });
        let after = (0..frequencies[0].len()).map(|k| {
            let (mut phase, mut spreading) = (0.0, 1.0);
            for (a, s) in axes.iter().zip(&frequencies) {
                phase += (s[k] - a.middle[1]) * a.middle[0];
                spreading *= kernel.transform(a.frequency(s[k]));
            }
            T::complex_from_f64(Complex64::cis(sign * phase) / spreading)
        });
        Ok(Self {
            table: TapTable::new(&kernel, SHARE * tolerance),
            outer: GridShape::exact(&fine, &kernel)?,
            inner: GridShape::new(&fine, &kernel)?,
            before: before.collect(),
            after: after.collect(),
            points: each_axis(&points, &axes, Axis::point),
            frequencies: each_axis(&frequencies, &axes, Axis::frequency),
            kernel,
        })
    }
}

/// All coordinates as doubles; the first that is not finite is an error.
fn doubles<T: Float>(axes: &[&[T]]) -> Result<Vec<Vec<f64>>> {
    check::finite(axes)?;
    Ok(axes.iter().map(|values| values.iter().map(|x| Real::to_f64(*x)).collect()).collect())
}

fn each_axis<T: Float>(values: &[Vec<f64>], axes: &[Axis], scale: fn(&Axis, f64) -> f64) -> Vec<Vec<T>> {
    let axis = |(values, axis): (&Vec<f64>, &Axis)| {
        values.iter().map(|&v| <T as Real>::from_f64(scale(axis, v))).collect()
    };
    values.iter().zip(axes).map(axis).collect()
}

/// One slice per axis.
pub(crate) fn slices<T>(axes: &[Vec<T>]) -> Vec<&[T]> {
    axes.iter().map(Vec::as_slice).collect()
}
