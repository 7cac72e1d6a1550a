//! Milliseconds of the transforms on the CPU: points set, then the best of five of type 1 and of type 2.
//!
//! `cargo run --release -p phasefront-nufft --example speed`

use num_complex::Complex64;
use phasefront_device::Backend;
use phasefront_nufft::{NufftError, Options, Plan, TransformType, Upsampling};
use std::f64::consts::PI;
use std::time::Instant;

fn main() -> Result<(), NufftError> {
    for (count, side) in [(10_000, 256), (1_000_000, 256), (1_000_000, 1000)] {
        for tolerance in [1e-6, 1e-12] {
            for upsampling in [Some(Upsampling::Low), Some(Upsampling::High), None] {
                println!("{count} points, {side} x {side} modes, {tolerance:.0e}, upsampling {upsampling:?}");
                for kind in [TransformType::One, TransformType::Two] {
                    let options = Options { upsampling, ..Options::default() };
                    match times(kind, count, side, tolerance, &options) {
                        Ok([points, best]) => {
                            println!("  type {kind:?}: points {points:8.2}, transform {best:8.2}");
                        }
                        Err(NufftError::Tolerance { .. }) => println!("  beyond reach"),
                        Err(error) => return Err(error),
                    }
                }
            }
        }
    }
    Ok(())
}

/// Milliseconds to set the points and to transform.
fn times(
    kind: TransformType,
    count: usize,
    side: usize,
    tolerance: f64,
    options: &Options,
) -> Result<[f64; 2], NufftError> {
    let [x, y] = [1, 2].map(|seed| noise(count, seed).iter().map(|x| PI * x).collect::<Vec<_>>());
    let (sources, targets) =
        if kind == TransformType::One { (count, side * side) } else { (side * side, count) };
    let input: Vec<Complex64> = noise(sources, 3).into_iter().map(Complex64::from).collect();
    let mut output = vec![Complex64::ZERO; targets];
    let mut plan = Plan::new(kind, &[side, side], tolerance, options, &Backend::Cpu)?;
    let milliseconds = |start: Instant| 1e3 * start.elapsed().as_secs_f64();
    let start = Instant::now();
    plan.set_points(&[&x, &y])?;
    let points = milliseconds(start);
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let start = Instant::now();
        plan.execute(&input, &mut output)?;
        best = best.min(milliseconds(start));
    }
    Ok([points, best])
}

/// Numbers without pattern in [-1, 1).
fn noise(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    (0..count).map(|_| next()).collect()
}
