//! Interpolation: chunks of points on several threads.

use super::float::Float;
use super::interpolate_points::{InterpolateValues, InterpolateWithGradient, Interpolation};
use super::scatter::Scatter;
use super::sort::CHUNK;
use num_complex::Complex;
use rayon::prelude::*;

impl<T: Float> Interpolation<'_, T> {
    /// Writes the value at each point to `outputs[0]`, and its derivatives along the axes, per grid point, to the others.
    pub fn run(&self, outputs: &mut [&mut [Complex<T>]]) {
        let count = self.points.order.len();
        let targets: Vec<Scatter<'_, Complex<T>>> = outputs.iter_mut().map(|o| Scatter::new(o)).collect();
        // Chunks of sorted points read neighboring parts of the grid, which stay in cache.
        let chunk = |at: usize| {
            let points = at..count.min(at + CHUNK);
            match self.derivative_taps {
                None => T::interpolate(InterpolateValues { job: self, points, target: &targets[0] }),
                Some(derivative_taps) => T::interpolate_with_gradient(InterpolateWithGradient {
                    job: self,
                    derivative_taps,
                    points,
                    targets: &targets,
                }),
            }
        };
        if self.parallel {
            (0..count.div_ceil(CHUNK)).into_par_iter().for_each(|i| chunk(i * CHUNK));
        } else {
            (0..count).step_by(CHUNK).for_each(chunk);
        }
    }
}
