//! Transforms of type 3: from points to any frequencies, f_k = Σ_j c_j e^{±i s_k·x_j}.
//!
//! The points are scaled to one period and spread on a grid fine enough for the highest frequency; the grid's values then are
//! modes of a transform of type 2 towards the scaled frequencies (Lee and Greengard 2005, with the parameters of Barnett,
//! Magland and af Klinteberg 2019, section 3.3).

use crate::cpu::{CpuPlan, Float};
use crate::error::{NufftError, Result};
use crate::grid::{GridShape, smooth_size};
use crate::kernel::Kernel;
use crate::options::{ModeOrder, Options, Sign};
use crate::plan::choose_kernel;
use crate::table::TapTable;
use num_complex::{Complex, Complex64};
use phasefront_core::Real;
use std::f64::consts::{PI, TAU};

/// A transform of type 3 with its points and frequencies.
pub(crate) struct Type3<T: Float> {
    /// Grid of the points.
    outer: CpuPlan<T>,
    /// From that grid to the frequencies.
    inner: CpuPlan<T>,
    sign: Sign,
    /// e^{±i D·x_j}: moves the frequencies to their middle.
    before: Vec<Complex<T>>,
    /// e^{±i (s_k − D)·C} / Φ(s'_k): moves the points to their middle, and undoes the spreading.
    after: Vec<Complex<T>>,
    /// The outer grid without margins, in FFT order.
    grid: Vec<Complex<T>>,
    strengths: Vec<Complex<T>>,
}

/// How one axis is scaled.
struct Axis {
    /// Middle of the points and of the frequencies.
    middle: [f64; 2],
    /// Grid points.
    fine: usize,
    /// x' = (x − C)/γ lies within one period.
    gamma: f64,
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
        if !(needed < 1e12) {
            return Err(NufftError::TooLarge);
        }
        let fine = smooth_size((needed as usize).max(2 * kernel.width)).ok_or(NufftError::TooLarge)?;
        Ok(Self { middle: [c, d], fine, gamma: fine as f64 / (2.0 * kernel.upsampling * s) })
    }
}

/// Middle and half-width of some values.
fn middle(values: &[f64]) -> (f64, f64) {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if values.is_empty() { (0.0, 0.0) } else { (f64::midpoint(low, high), 0.5 * (high - low)) }
}

impl<T: Float> Type3<T> {
    pub fn new(points: &[&[T]], frequencies: &[&[T]], tolerance: f64, options: &Options) -> Result<Self> {
        let dimensions = points.len();
        let [points, frequencies] = [doubles(points)?, doubles(frequencies)?];
        let upsampling = options.upsampling.unwrap_or(2.0);
        // Spreading on two grids, one after the other.
        let kernel = choose_kernel(2 * dimensions, tolerance, options.kernel, upsampling)?;
        let table = TapTable::new(&kernel, tolerance);
        let axes = points
            .iter()
            .zip(&frequencies)
            .map(|(x, s)| Axis::new(x, s, &kernel))
            .collect::<Result<Vec<Axis>>>()?;
        let fine: Vec<usize> = axes.iter().map(|a| a.fine).collect();
        let scaled_points = scaled::<T>(&points, &axes, |a, x| (x - a.middle[0]) / a.gamma);
        let step = |a: &Axis| TAU / a.fine as f64 * a.gamma;
        let scaled_frequencies = scaled::<T>(&frequencies, &axes, |a, s| step(a) * (s - a.middle[1]));
        let mut outer = CpuPlan::new(GridShape::exact(&fine, &kernel)?, &kernel, &table, ModeOrder::Fft);
        let mut inner = CpuPlan::new(GridShape::new(&fine, &kernel)?, &kernel, &table, ModeOrder::Fft);
        outer.set_points(&slices(&scaled_points))?;
        inner.set_points(&slices(&scaled_frequencies))?;
        let sign = options.sign;
        let before = (0..points[0].len()).map(|j| {
            let phase: f64 = axes.iter().zip(&points).map(|(a, x)| a.middle[1] * x[j]).sum();
            T::complex_from_f64(Complex64::cis(sign.value() * phase))
        });
        let after = (0..frequencies[0].len()).map(|k| {
            let (mut phase, mut spreading) = (0.0, 1.0);
            for (a, s) in axes.iter().zip(&frequencies) {
                phase += (s[k] - a.middle[1]) * a.middle[0];
                spreading *= kernel.transform(step(a) * (s[k] - a.middle[1]));
            }
            T::complex_from_f64(Complex64::cis(sign.value() * phase) / spreading)
        });
        let size = fine.iter().product();
        Ok(Self {
            before: before.collect(),
            after: after.collect(),
            grid: vec![Complex::default(); size],
            strengths: Vec::new(),
            outer,
            inner,
            sign,
        })
    }

    pub fn execute(&mut self, strengths: &[Complex<T>], output: &mut [Complex<T>]) -> Result<()> {
        self.strengths.clear();
        self.strengths.extend(strengths.iter().zip(&self.before).map(|(c, b)| *c * *b));
        self.outer.spread_to(&self.strengths, &mut self.grid);
        self.inner.type2(&self.grid, self.sign, output);
        output.iter_mut().zip(&self.after).for_each(|(f, a)| *f = *f * *a);
        Ok(())
    }

    /// The same steps, each transposed and conjugated, from last to first.
    pub fn execute_adjoint(&mut self, values: &[Complex<T>], output: &mut [Complex<T>]) -> Result<()> {
        self.strengths.clear();
        self.strengths.extend(values.iter().zip(&self.after).map(|(f, a)| *f * a.conj()));
        self.inner.type1(&self.strengths, self.sign.flipped(), &mut self.grid);
        self.outer.interpolate_from(&self.grid, output);
        output.iter_mut().zip(&self.before).for_each(|(c, b)| *c = *c * b.conj());
        Ok(())
    }
}

/// All coordinates as doubles; the first that is not finite is an error.
fn doubles<T: Float>(axes: &[&[T]]) -> Result<Vec<Vec<f64>>> {
    let axis = |(axis, values): (usize, &&[T])| {
        let values: Vec<f64> = values.iter().map(|x| Real::to_f64(*x)).collect();
        match values.iter().position(|x| !x.is_finite()) {
            Some(index) => Err(NufftError::Point { index, axis, value: values[index] }),
            None => Ok(values),
        }
    };
    axes.iter().enumerate().map(axis).collect()
}

fn scaled<T: Float>(values: &[Vec<f64>], axes: &[Axis], scale: impl Fn(&Axis, f64) -> f64) -> Vec<Vec<T>> {
    let axis = |(values, axis): (&Vec<f64>, &Axis)| {
        values.iter().map(|&v| <T as Real>::from_f64(scale(axis, v))).collect()
    };
    values.iter().zip(axes).map(axis).collect()
}

fn slices<T>(axes: &[Vec<T>]) -> Vec<&[T]> {
    axes.iter().map(Vec::as_slice).collect()
}
