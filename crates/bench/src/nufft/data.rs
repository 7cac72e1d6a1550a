//! Input of the nonuniform FFTs, exact results, and the time of a transform on the CPU.

use crate::error::BenchError;
use crate::harness::{complex_noise, median_seconds, noise};
use num_complex::Complex64;
use phasefront_device::Backend;
use phasefront_nufft::{Options, Plan, Sign, TransformType, direct};
use std::f64::consts::TAU;

pub(super) const TOLERANCES: [f64; 2] = [1e-6, 1e-12];
const REPEATS: usize = 5;
/// Number of sampled outputs whose exact sums define the error.
pub(super) const SAMPLES: usize = 50;

/// Seconds and relative error.
pub(super) type Timed = (f64, f64);

/// Input and exact results.
pub(super) struct Data {
    pub side: usize,
    pub points: [Vec<f64>; 2],
    pub strengths: Vec<Complex64>,
    pub modes: Vec<Complex64>,
    /// Exact sums at the sampled modes and at the sampled points.
    pub exact: [Vec<Complex64>; 2],
}

impl Data {
    /// Points uniform over the period; strengths and modes with parts within 0.5 of `middle`.
    pub fn new(count: usize, side: usize, middle: f64) -> Self {
        let points = [1, 2].map(|seed| noise(seed).take(count).map(|x| TAU * x).collect());
        let [strengths, modes] = [(count, 3), (side * side, 4)].map(|(count, seed)| {
            complex_noise(count, seed).into_iter().map(|z| z + Complex64::new(middle, middle)).collect()
        });
        let mut data = Self { side, points, strengths, modes, exact: [vec![], vec![]] };
        let numbers = data.mode_numbers();
        let [sampled_modes, sampled_points] =
            [&numbers, &data.points].map(|axes| axes.each_ref().map(|x| sample(x)));
        // Direct sums of type 3 evaluate both transforms at a few outputs: O(M) each.
        let sums = |from: &[Vec<f64>; 2], values: &[Complex64], to: &[Vec<f64>; 2]| {
            direct::type3(
                &from.each_ref().map(Vec::as_slice),
                values,
                &to.each_ref().map(Vec::as_slice),
                Sign::Plus,
            )
        };
        data.exact = [
            sums(&data.points, &data.strengths, &sampled_modes),
            sums(&numbers, &data.modes, &sampled_points),
        ];
        data
    }

    pub fn count(&self) -> usize {
        self.strengths.len()
    }

    /// Its name in rows: `M=1e6 256^2`, and `M=5041` if not a power of ten.
    pub fn size(&self) -> String {
        let round = self.count().max(1).ilog10();
        let count =
            if 10_usize.pow(round) == self.count() { format!("1e{round}") } else { self.count().to_string() };
        format!("M={count} {}^2", self.side)
    }

    /// k along either axis of every mode, −N/2 first, the first axis fastest.
    fn mode_numbers(&self) -> [Vec<f64>; 2] {
        let (n, half) = (self.side, (self.side / 2) as f64);
        [1, n].map(|stride| (0..n * n).map(|i| (i / stride % n) as f64 - half).collect())
    }

    /// Relative error of the sampled outputs of type 1 or 2.
    pub fn error(&self, kind: TransformType, outputs: &[Complex64]) -> f64 {
        distance(&sample(outputs), &self.exact[usize::from(kind == TransformType::Two)])
    }

    /// Types 1 and 2 on the current thread pool.
    pub fn measure(&self, tolerance: f64) -> Result<[Timed; 2], BenchError> {
        let timed = |kind, input: &[Complex64], outputs: usize| {
            let (seconds, output) = transform(self, kind, tolerance, &Options::default(), input, outputs)?;
            Ok::<_, BenchError>((seconds, self.error(kind, &output)))
        };
        Ok([
            timed(TransformType::One, &self.strengths, self.modes.len())?,
            timed(TransformType::Two, &self.modes, self.count())?,
        ])
    }
}

/// Seconds of a transform on the CPU, and its output.
pub(super) fn transform(
    data: &Data,
    kind: TransformType,
    tolerance: f64,
    options: &Options,
    input: &[Complex64],
    outputs: usize,
) -> Result<(f64, Vec<Complex64>), BenchError> {
    let mut plan = Plan::<f64>::new(kind, &[data.side, data.side], tolerance, options, &Backend::Cpu)?;
    plan.set_points(&data.points.each_ref().map(Vec::as_slice))?;
    let mut output = vec![Complex64::ZERO; outputs];
    let seconds = median_seconds(REPEATS, || Ok(plan.execute(input, &mut output)?))?;
    Ok((seconds, output))
}

/// Stride between samples: a prime, so that they do not all fall on one line of a grid.
const STRIDE: usize = 104_729;

/// A subset of the values; the script of the other program samples the same.
fn sample<T: Copy>(values: &[T]) -> Vec<T> {
    (0..SAMPLES.min(values.len())).map(|i| values[i * STRIDE % values.len()]).collect()
}

/// ‖a − b‖/‖b‖.
pub(super) fn distance(a: &[Complex64], b: &[Complex64]) -> f64 {
    let error: f64 = a.iter().zip(b).map(|(a, b)| (a - b).norm_sqr()).sum();
    (error / b.iter().map(Complex64::norm_sqr).sum::<f64>()).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_names_and_mode_numbers_run_along_the_first_axis_first() {
        let data = Data {
            side: 3,
            points: [vec![], vec![]],
            strengths: vec![],
            modes: vec![],
            exact: [vec![], vec![]],
        };
        assert_eq!(Data::new(500, 3, 0.0).size(), "M=500 3^2");
        assert_eq!(Data::new(1000, 4, 0.0).size(), "M=1e3 4^2");
        let [x, y] = data.mode_numbers();
        assert_eq!(x, [-1.0, 0.0, 1.0, -1.0, 0.0, 1.0, -1.0, 0.0, 1.0]);
        assert_eq!(y, [-1.0, -1.0, -1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    }
}
