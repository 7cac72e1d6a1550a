//! Draws `docs/nufft-accuracy.svg`: error of the nonuniform FFTs against the requested tolerance,
//! every type and dimension.
//!
//! `cargo run --release -p phasefront-bench --example nufft_accuracy`

use num_complex::Complex64;
use phasefront_device::Backend;
use phasefront_nufft::{ModeOrder, NufftError, Options, Plan, Sign, TransformType, direct};
use phasefront_report::plot::{Axis, LinePlot, Plot, Series};
use std::error::Error;

const MODES: [&[usize]; 3] = [&[1000], &[40, 50], &[12, 14, 16]];
const POINTS: usize = 2000;
const TYPES: [TransformType; 3] = [TransformType::One, TransformType::Two, TransformType::Three];

/// Uniform numbers in (−1, 1), the same every time: a linear congruence (Knuth, MMIX).
fn random(count: usize, seed: &mut u64) -> Vec<f64> {
    let mut next = || {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

/// Points and frequencies along each axis, and values at points and modes.
struct Data {
    modes: &'static [usize],
    points: Vec<Vec<f64>>,
    frequencies: Vec<Vec<f64>>,
    strengths: Vec<Complex64>,
    values: Vec<Complex64>,
}

impl Data {
    fn new(modes: &'static [usize]) -> Self {
        let seed = &mut 1;
        let mut axes = |scale: f64| {
            modes.iter().map(|_| random(POINTS, seed).iter().map(|x| scale * x).collect()).collect()
        };
        let (points, frequencies) = (axes(3.0), axes(5.0));
        let mut complex =
            |count| random(2 * count, seed).chunks(2).map(|z| Complex64::new(z[0], z[1])).collect();
        Self {
            modes,
            points,
            frequencies,
            strengths: complex(POINTS),
            values: complex(modes.iter().product()),
        }
    }

    fn exact(&self, kind: TransformType) -> Vec<Complex64> {
        let (x, s) = (slices(&self.points), slices(&self.frequencies));
        match kind {
            TransformType::One => {
                direct::type1(&x, &self.strengths, self.modes, Sign::Plus, ModeOrder::Centered)
            }
            TransformType::Two => {
                direct::type2(&x, &self.values, self.modes, Sign::Plus, ModeOrder::Centered)
            }
            TransformType::Three => direct::type3(&x, &self.strengths, &s, Sign::Plus),
        }
    }

    fn fast(
        &self,
        kind: TransformType,
        tolerance: f64,
        outputs: usize,
    ) -> Result<Vec<Complex64>, NufftError> {
        let mut plan = Plan::new(kind, self.modes, tolerance, &Options::default(), &Backend::Cpu)?;
        if kind == TransformType::Three {
            plan.set_points_and_frequencies(&slices(&self.points), &slices(&self.frequencies))?;
        } else {
            plan.set_points(&slices(&self.points))?;
        }
        let mut output = vec![Complex64::ZERO; outputs];
        plan.execute(if kind == TransformType::Two { &self.values } else { &self.strengths }, &mut output)?;
        Ok(output)
    }
}

fn slices(axes: &[Vec<f64>]) -> Vec<&[f64]> {
    axes.iter().map(Vec::as_slice).collect()
}

/// ‖a − b‖/‖b‖.
fn distance(a: &[Complex64], b: &[Complex64]) -> f64 {
    let error: f64 = a.iter().zip(b).map(|(a, b)| (a - b).norm_sqr()).sum();
    (error / b.iter().map(Complex64::norm_sqr).sum::<f64>()).sqrt()
}

fn main() -> Result<(), Box<dyn Error>> {
    let tolerances: Vec<f64> = (2..=26).map(|step| 10_f64.powf(-0.5 * f64::from(step))).collect();
    let mut series = Vec::new();
    for modes in MODES {
        let data = Data::new(modes);
        for (i, kind) in TYPES.into_iter().enumerate() {
            let exact = data.exact(kind);
            let errors: Vec<f64> = tolerances
                .iter()
                .map(|&tolerance| Ok(distance(&data.fast(kind, tolerance, exact.len())?, &exact)))
                .collect::<Result<_, NufftError>>()?;
            let worst = errors.iter().zip(&tolerances).map(|(error, tolerance)| error / tolerance);
            println!("type {}, {modes:?}: at most {:.2} tolerances", i + 1, worst.fold(0.0, f64::max));
            series.push(Series::solid(
                format!("type {}, {}-D", i + 1, modes.len()),
                tolerances.clone(),
                errors,
            ));
        }
    }
    series.push(Series::dashed("the tolerance itself", tolerances.clone(), tolerances));
    let plot = Plot::Line(LinePlot {
        name: "nufft-accuracy".into(),
        title: "Nonuniform FFTs against the sums themselves".into(),
        x: Axis::new("tolerance asked for").logarithmic(),
        y: Axis::new("relative error").logarithmic(),
        series,
        ..LinePlot::default()
    });
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/nufft-accuracy.svg");
    std::fs::write(path, plot.render()?.svg)?;
    Ok(())
}
