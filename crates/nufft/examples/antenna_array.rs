//! The pattern of elements that stand anywhere, in any directions: `cargo run --release -p phasefront-nufft --example antenna_array [DEVICE]`.
//!
//! A sunflower of 2000 elements, half a wavelength apart in the mean, E(u, v) = Σ_n e^{j(2π/λ)(u x_n + v y_n)} in 20 000 directions: a sum from
//! points to frequencies that are both without a grid, type 3.

use num_complex::Complex64;
use phasefront_device::{DeviceChoice, open};
use phasefront_nufft::{Options, Plan, Sign, TransformType, direct};
use std::error::Error;
use std::f64::consts::{PI, TAU};
use std::time::Instant;

const ELEMENTS: usize = 2000;
const DIRECTIONS: usize = 20_000;

fn main() -> Result<(), Box<dyn Error>> {
    let choice: DeviceChoice = std::env::args().nth(1).as_deref().unwrap_or("auto").parse()?;
    let opened = open(choice, false)?;
    println!("{}", opened.reason);
    // Element n at the radius √(n/π) spacings, a golden angle from the one before; wavelength 1.
    let golden = PI * (3.0 - 5f64.sqrt());
    let sunflower = |count: usize, spacing: f64| -> [Vec<f64>; 2] {
        let at = |n: usize| (spacing * (n as f64 / PI).sqrt(), golden * n as f64);
        [
            (0..count).map(|n| at(n).0 * at(n).1.cos()).collect(),
            (0..count).map(|n| at(n).0 * at(n).1.sin()).collect(),
        ]
    };
    let [x, y] = sunflower(ELEMENTS, 0.5);
    // The same spiral over the disc of directions, times 2π/λ.
    let [u, v] = sunflower(DIRECTIONS, TAU / (DIRECTIONS as f64 / PI).sqrt());
    let weights = vec![Complex64::ONE; ELEMENTS];

    let mut plan = Plan::new(TransformType::Three, &[1, 1], 1e-9, &Options::default(), &opened.backend)?;
    plan.set_points_and_frequencies(&[&x, &y], &[&u, &v])?;
    let mut field = vec![Complex64::ZERO; DIRECTIONS];
    let start = Instant::now();
    plan.execute(&weights, &mut field)?;
    let fast = start.elapsed();

    let start = Instant::now();
    let exact = direct::type3(&[&x, &y], &weights, &[&u, &v], Sign::Plus);
    let slow = start.elapsed();
    let error: f64 = field.iter().zip(&exact).map(|(a, b)| (a - b).norm_sqr()).sum();
    let error = (error / exact.iter().map(Complex64::norm_sqr).sum::<f64>()).sqrt();
    println!("type 3 {fast:.1?}, term by term {slow:.1?}, relative error {error:.1e}");
    // The outer half of the directions, where elements without any order would add up to 1/N of the peak, -33 dB.
    let outer = &field[DIRECTIONS / 2..];
    let mean = outer.iter().map(Complex64::norm_sqr).sum::<f64>() / outer.len() as f64;
    println!("far side lobes {:.1} dB", 10.0 * (mean / (ELEMENTS as f64).powi(2)).log10());
    assert!(error < 5e-9);
    Ok(())
}
