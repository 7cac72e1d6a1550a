//! Times LU and GEMM of complex128 matrices and the copy rate of a device.
//!
//! `cargo run --release -p phasefront-device --example dense -- cuda 5000 20000`

use num_complex::Complex64;
use phasefront_device::{Backend, DeviceChoice, Result, cpu, doctor, open};
use std::time::Instant;

fn matrix(n: usize) -> Vec<Complex64> {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    (0..n * n).map(|_| Complex64::new(next(), next())).collect()
}

/// Seconds of one factorisation and of one solution, the best of three.
fn time_lu(backend: &Backend, n: usize) -> Result<(f64, f64)> {
    let (a, b) = (matrix(n), vec![Complex64::ONE; n]);
    let mut best = (f64::INFINITY, f64::INFINITY);
    for _ in 0..3 {
        let seconds = match backend {
            Backend::Cpu => {
                let (mut a, mut b) = (a.clone(), b.clone());
                let start = Instant::now();
                let lu = cpu::lu_factor(n, &mut a)?;
                let factored = Instant::now();
                cpu::lu_solve(&lu, &a, &mut b);
                (factored - start, factored.elapsed())
            }
            Backend::Gpu(gpu) => {
                let (a, b) = (gpu.upload(&a)?, gpu.upload(&b)?);
                gpu.synchronize()?;
                let start = Instant::now();
                let lu = gpu.lu_factor(n, &a)?;
                gpu.synchronize()?;
                let factored = Instant::now();
                gpu.lu_solve(&lu, &a, &b)?;
                gpu.synchronize()?;
                (factored - start, factored.elapsed())
            }
        };
        best = (best.0.min(seconds.0.as_secs_f64()), best.1.min(seconds.1.as_secs_f64()));
    }
    Ok(best)
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let choice: DeviceChoice = arguments.next().map_or(Ok(DeviceChoice::Auto), |name| name.parse())?;
    let opened = open(choice, false)?;
    println!("{}", opened.reason);
    let rates = doctor::measure(&opened.backend)?;
    println!("copy {:.1} GB/s", rates.copy_bytes_per_s / 1e9);
    println!("gemm {:.1} Gflop/s", rates.gemm_flop_per_s / 1e9);
    for n in arguments.filter_map(|text| text.parse().ok()) {
        let (factor, solve) = time_lu(&opened.backend, n)?;
        let flops = 8.0 / 3.0 * (n as f64).powi(3);
        println!(
            "n = {n}: factor {:.1} ms ({:.1} Gflop/s), solve {:.2} ms",
            factor * 1e3,
            flops / factor / 1e9,
            solve * 1e3
        );
    }
    Ok(())
}
