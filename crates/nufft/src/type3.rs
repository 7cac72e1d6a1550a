//! Transforms of type 3, from points to any frequencies, f_k = Σ_j c_j e^{±i s_k·x_j}: the part common to CPU and GPU.
//!
//! The points are scaled to one period and spread on a grid fine enough for the highest frequency; the grid values are then the
//! modes of a transform of type 2 to the scaled frequencies (Lee and Greengard 2005, with the parameters of Barnett,
//! Magland and af Klinteberg 2019, section 3.3).

use crate::check;
use crate::cpu::Float;
use crate::error::{NufftError, Result};
use crate::grid::{GridShape, smooth_size, too_large};
use crate::kernel::{Kernel, KernelUse, choose_kernel, epsilon};
use crate::options::{Options, Upsampling};
use crate::table::TapTable;
use num_complex::{Complex, Complex64};
use phasefront_core::{Precision, Real};
use std::f64::consts::{PI, TAU};

/// Error of the tap polynomials relative to that in types 1 and 2: the second grid divides it by Φ once more.
const POLYNOMIAL_ERROR: f64 = 0.1;

/// RMS rounding error of a phase, in units of ε times the largest phase: points, frequencies and their product are each rounded by at
/// most ε/2, uniformly distributed.
const PHASE_ROUNDING: f64 = 0.1;

/// Tolerances allowed for phase rounding: errors are to stay below five, which leaves two for the rest.
const MARGIN: f64 = 3.0;

/// Floor of a half-width where it is inverted, so that nothing overflows.
const MIN_HALF_WIDTH: f64 = 1e-300;

/// Points and frequencies scaled to the two grids, and the factors applied before and after them.
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
    /// e^{±i D·x_j}: centers the frequencies.
    pub prephase: Vec<Complex<T>>,
    /// e^{±i (s_k − D)·C} / Φ(s'_k): centers the points, and deconvolves the spreading.
    pub deconvolution: Vec<Complex<T>>,
}

/// Scaling of one axis.
struct Axis {
    /// Centers C of the points and D of the frequencies.
    center: [f64; 2],
    /// Grid points: n.
    fine: usize,
    /// x' = (x − C)/γ lies within one period.
    gamma: f64,
    /// Half-width of the points times that of the frequencies: the largest phase.
    product: f64,
    /// Largest phases of the two factors that center points and frequencies.
    shifts: f64,
}

impl Axis {
    fn new(points: &[f64], frequencies: &[f64], kernel: &Kernel) -> Result<Self> {
        let (c, mut x) = center(points);
        let (d, mut s) = center(frequencies);
        // One point or one frequency: any half-width with a product of at least one.
        match (x == 0.0, s == 0.0) {
            (true, true) => (x, s) = (1.0, 1.0),
            (true, false) => x = 1.0 / s.max(MIN_HALF_WIDTH),
            _ => s = s.max(1.0 / x.max(MIN_HALF_WIDTH)),
        }
        // n = 2σ S X/π + w + 1 (Barnett et al. 2019, section 3.3): σ-fold oversampling of the product of half-widths.
        let needed = 2.0 * kernel.upsampling * s * x / PI + (kernel.width + 1) as f64;
        // NaN is not below the limit either.
        if !matches!(needed.partial_cmp(&1e12), Some(std::cmp::Ordering::Less)) {
            return Err(too_large(needed));
        }
        let fine = smooth_size((needed as usize).max(2 * kernel.width)).ok_or(too_large(needed))?;
        Ok(Self {
            center: [c, d],
            fine,
            gamma: fine as f64 / (2.0 * kernel.upsampling * s),
            product: x * s,
            shifts: (c.abs() + x) * d.abs() + s * c.abs(),
        })
    }

    fn point(&self, x: f64) -> f64 {
        (x - self.center[0]) / self.gamma
    }

    fn frequency(&self, s: f64) -> f64 {
        // |s'| ≤ π/σ by the choice of γ: within the band of the inner transform.
        TAU / self.fine as f64 * self.gamma * (s - self.center[1])
    }
}

/// Center and half-width of some values.
fn center(values: &[f64]) -> (f64, f64) {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if values.is_empty() { (0.0, 0.0) } else { (f64::midpoint(low, high), 0.5 * (high - low)) }
}

impl<T: Float> Scaled<T> {
    pub fn new(points: &[&[T]], frequencies: &[&[T]], tolerance: f64, options: &Options) -> Result<Self> {
        // In double precision throughout: phases are products of two large numbers, and their
        // fraction is what matters.
        let [points, frequencies] = [doubles(points)?, doubles(frequencies)?];
        // With σ = 1.25 the first grid would amplify the errors of the second too much.
        let kernel =
            choose_kernel::<T>(KernelUse::Type3(points.len()), tolerance, options.kernel, Upsampling::High)?;
        let axes = points
            .iter()
            .zip(&frequencies)
            .map(|(x, s)| Axis::new(x, s, &kernel))
            .collect::<Result<Vec<Axis>>>()?;
        // Axes have independent rounding errors. The
        // phase s·x itself is not known better than this.
        let rms = |of: fn(&Axis) -> f64| axes.iter().map(|a| of(a).powi(2)).sum::<f64>().sqrt();
        // The centering factors are evaluated in double precision, whatever T is.
        let shifts = rms(|a| a.shifts);
        let attainable = PHASE_ROUNDING
            * rms(|a| a.product).mul_add(epsilon(T::PRECISION), shifts * epsilon(Precision::Double));
        if attainable.is_nan() || attainable > 1.0 {
            return Err(NufftError::Phase { phase: shifts });
        }
        if attainable > MARGIN * tolerance {
            return Err(NufftError::Tolerance { tolerance, attainable });
        }
        let fine: Vec<usize> = axes.iter().map(|a| a.fine).collect();
        let sign = options.sign.value();
        // f_k = e^{±i(s_k−D)·C} Σ_j [c_j e^{±iD·x_j}]
        // e^{±i(s_k−D)·(x_j−C)}: both factors are of magnitude 1.
        let prephase = (0..points[0].len()).map(|j| {
            let phase: f64 = axes.iter().zip(&points).map(|(a, x)| a.center[1] * x[j]).sum();
            T::complex_from_f64(Complex64::cis(sign * phase))
        });
        let deconvolution = (0..frequencies[0].len()).map(|k| {
            let (mut phase, mut spreading) = (0.0, 1.0);
            for (a, s) in axes.iter().zip(&frequencies) {
                phase += (s[k] - a.center[1]) * a.center[0];
                spreading *= kernel.transform(a.frequency(s[k]));
            }
            T::complex_from_f64(Complex64::cis(sign * phase) / spreading)
        });
        Ok(Self {
            table: TapTable::new(&kernel, POLYNOMIAL_ERROR * tolerance),
            // Every point of the outer grid is a mode of the inner transform.
            outer: GridShape::exact(&fine, &kernel)?,
            inner: GridShape::new(&fine, &kernel)?,
            prephase: prephase.collect(),
            deconvolution: deconvolution.collect(),
            points: each_axis(&points, &axes, Axis::point),
            frequencies: each_axis(&frequencies, &axes, Axis::frequency),
            kernel,
        })
    }
}

/// All coordinates in double precision; they must be finite.
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
