//! A Fourier series through scattered samples, by least squares: `cargo run --release -p phasefront-nufft --example scattered_samples [DEVICE]`.
//!
//! Samples b_j = Σ_k f_k e^{i k·x_j} are known at 20 000 points in the plane, the 41 × 41 coefficients are not. Conjugate gradients on
//! AᴴA f = Aᴴb need nothing but the transform (type 2) and its adjoint, from one plan.

use num_complex::Complex64;
use phasefront_device::{DeviceChoice, open};
use phasefront_nufft::{Options, Plan, TransformType};
use std::error::Error;
use std::f64::consts::PI;

const SIDE: usize = 41;
const SAMPLES: usize = 20_000;

fn main() -> Result<(), Box<dyn Error>> {
    let choice: DeviceChoice = std::env::args().nth(1).as_deref().unwrap_or("auto").parse()?;
    let opened = open(choice, false)?;
    println!("{}", opened.reason);
    // Points without pattern: fractions of multiples of two irrational numbers.
    let coordinates =
        |root: f64| (0..SAMPLES).map(move |j| PI * (2.0 * (root * j as f64).fract() - 1.0)).collect();
    let [x, y]: [Vec<f64>; 2] = [coordinates(2f64.sqrt()), coordinates(3f64.sqrt())];
    let mut plan = Plan::new(TransformType::Two, &[SIDE, SIDE], 1e-12, &Options::default(), &opened.backend)?;
    plan.set_points(&[&x, &y])?;

    let wanted: Vec<Complex64> =
        (0..SIDE * SIDE).map(|k| Complex64::cis(k as f64) / (1.0 + k as f64)).collect();
    let mut samples = vec![Complex64::ZERO; SAMPLES];
    plan.execute(&wanted, &mut samples)?;

    let (mut f, mut residual) = (vec![Complex64::ZERO; wanted.len()], vec![Complex64::ZERO; wanted.len()]);
    plan.execute_adjoint(&samples, &mut residual)?;
    let (mut direction, mut image, mut back) = (residual.clone(), samples.clone(), residual.clone());
    let first = norm(&residual);
    for step in 1..=50 {
        plan.execute(&direction, &mut image)?;
        plan.execute_adjoint(&image, &mut back)?;
        let (before, length) = (norm(&residual), norm(&residual) / norm(&image));
        add(&mut f, length * length, &direction);
        add(&mut residual, -length * length, &back);
        let after = norm(&residual);
        if step % 5 == 0 || after < 1e-12 * first {
            println!("step {step:2}: residual {:.1e}, error {:.1e}", after / first, distance(&f, &wanted));
        }
        if after < 1e-12 * first {
            break;
        }
        let share = (after / before).powi(2);
        direction.iter_mut().zip(&residual).for_each(|(d, r)| *d = r + share * *d);
    }
    assert!(distance(&f, &wanted) < 1e-10, "the coefficients were not found");
    Ok(())
}

fn norm(a: &[Complex64]) -> f64 {
    a.iter().map(Complex64::norm_sqr).sum::<f64>().sqrt()
}

/// a += s b.
fn add(a: &mut [Complex64], s: f64, b: &[Complex64]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a += s * b);
}

/// ‖a − b‖/‖b‖.
fn distance(a: &[Complex64], b: &[Complex64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).norm_sqr()).sum::<f64>().sqrt() / norm(b)
}
