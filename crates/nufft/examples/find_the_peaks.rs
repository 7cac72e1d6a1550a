//! Points that climb: `cargo run --release -p phasefront-nufft --example find_the_peaks [DEVICE]`.
//!
//! Three plane waves e^{-i k·p} have modes whose sum Σ_k f_k e^{i k·x} peaks at the points p. Sixty-four points start all over the plane and go
//! uphill on |Σ|²; values and derivatives at all of them come from one FFT each round.

use num_complex::Complex64;
use phasefront_device::{DeviceChoice, open};
use phasefront_nufft::{Options, Plan, TransformType};
use std::error::Error;

const SIDE: usize = 16;
const PEAKS: [[f64; 2]; 3] = [[0.4, -1.1], [-2.0, 1.5], [1.9, 2.2]];

fn main() -> Result<(), Box<dyn Error>> {
    let choice: DeviceChoice = std::env::args().nth(1).as_deref().unwrap_or("auto").parse()?;
    let opened = open(choice, false)?;
    println!("{}", opened.reason);
    let half = (SIDE / 2) as f64;
    let mode = |i: usize| {
        let k = [(i % SIDE) as f64 - half, (i / SIDE) as f64 - half];
        // Modes that fade smoothly to the rim of their box leave no side lobes to climb.
        let fade = (-0.06 * (k[0] * k[0] + k[1] * k[1])).exp();
        fade * PEAKS.iter().map(|p| Complex64::cis(-(k[0] * p[0] + k[1] * p[1]))).sum::<Complex64>()
    };
    let modes: Vec<Complex64> = (0..SIDE * SIDE).map(mode).collect();

    let start = |stride: usize| (0..64).map(move |i| 0.75 * (i / stride % 8) as f64 - 2.6).collect();
    let mut points: [Vec<f64>; 2] = [start(1), start(8)];
    let mut plan = Plan::new(TransformType::Two, &[SIDE, SIDE], 1e-12, &Options::default(), &opened.backend)?;
    let mut values = vec![Complex64::ZERO; 64];
    let mut slopes = [values.clone(), values.clone()];
    for _ in 0..400 {
        plan.set_points(&[&points[0], &points[1]])?;
        let [along_x, along_y] = &mut slopes;
        plan.execute_with_gradient(&modes, &mut values, &mut [along_x, along_y])?;
        for (axis, slopes) in points.iter_mut().zip(&slopes) {
            for ((x, value), slope) in axis.iter_mut().zip(&values).zip(slopes) {
                // ∇ ln|s|² = 2 Re(s* ∇s)/|s|²: a step that does not depend on the height.
                *x += 0.1 * (value.conj() * slope).re / (value.norm_sqr() + 1e-3);
            }
        }
    }
    for peak in PEAKS {
        let apart = |i: &usize| (points[0][*i] - peak[0]).hypot(points[1][*i] - peak[1]);
        let arrived: Vec<f64> = (0..64).map(|i| apart(&i)).filter(|d| *d < 0.05).collect();
        let nearest = arrived.iter().copied().fold(f64::INFINITY, f64::min);
        println!("{peak:?}: {} points within 0.05, the nearest {nearest:.1e} away", arrived.len());
        assert!(arrived.len() > 3, "no points found {peak:?}");
    }
    Ok(())
}
