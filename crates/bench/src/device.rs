//! The device layer itself: its two peak rates, and LU and FFT relative to them.

use crate::error::BenchError;
use crate::harness::{Bench, complex_noise, lu_flops, median_seconds};
use num_complex::Complex64;
use phasefront_core::Precision;
use phasefront_device::{Backend, DeviceKind, Direction, Fft, Gpu, cpu};
use std::sync::Arc;
use std::time::Instant;

/// LU orders: those of the published cuSOLVER figures on a GPU, about a second of work on a CPU.
const GPU_ORDERS: &[usize] = &[5000, 10000, 20000];
const CPU_ORDERS: &[usize] = &[1000, 2000, 4000];
/// OpenCL serves for tests, and its LU runs on the host.
const OPENCL_ORDERS: &[usize] = &[1000];
/// Side of the square 2-D FFTs, and the size of a batch.
const FFT_SIDE: usize = 1024;
const FFT_BATCH: usize = 4;

pub(crate) fn run(bench: &mut Bench<'_>) -> Result<(), BenchError> {
    let (copy, gemm) = (bench.rates.copy_bytes_per_s, bench.rates.gemm_flop_per_s);
    // The peak rates were measured before: the rows give the time for 1e9 bytes and for 1e9
    // operations.
    bench.report("device copy, per 1e9 bytes".into(), 1e9 / copy, 1e9, "byte/s");
    bench.report("device GEMM complex128, per 1e9 flop".into(), 1e9 / gemm, 1e9, "flop/s");
    for &n in orders(bench.backend) {
        bench.progress.check()?;
        let seconds = lu_seconds(bench.backend, n)?;
        bench.report(format!("device LU complex128 N={n}"), seconds, lu_flops(n), "flop/s");
    }
    let seconds = fft_seconds(bench.backend)?;
    let values = (FFT_SIDE * FFT_SIDE * FFT_BATCH) as f64;
    // A 2-D transform reads and writes the data at least twice: once along rows, once along columns.
    let bytes = 4.0 * 16.0 * values;
    bench.report(format!("device FFT complex128 {FFT_BATCH} x {FFT_SIDE}^2"), seconds, bytes, "byte/s");
    Ok(())
}

/// The matrix orders to time on a backend.
pub(crate) fn orders(backend: &Backend) -> &'static [usize] {
    match backend {
        Backend::Cpu => CPU_ORDERS,
        Backend::Gpu(gpu) if gpu.info().kind == DeviceKind::OpenCl => OPENCL_ORDERS,
        Backend::Gpu(_) => GPU_ORDERS,
    }
}

/// A well-conditioned matrix that needs pivoting: pseudo-random entries in the unit square.
fn matrix(n: usize) -> Vec<Complex64> {
    complex_noise(n * n, 0x9e37_79b9_7f4a_7c15)
}

/// Median time of a factorization alone, with the matrix already in place.
pub(crate) fn lu_seconds(backend: &Backend, n: usize) -> Result<f64, BenchError> {
    const REPEATS: usize = 5;
    let original = matrix(n);
    let mut times = Vec::new();
    match backend {
        Backend::Cpu => {
            let mut work = original.clone();
            for _ in 0..=REPEATS {
                work.copy_from_slice(&original);
                let start = Instant::now();
                cpu::lu_factor(n, &mut work)?;
                times.push(start.elapsed().as_secs_f64());
            }
        }
        Backend::Gpu(gpu) => {
            let (original, work) = (gpu.upload(&original)?, gpu.alloc::<Complex64>(n * n)?);
            for _ in 0..=REPEATS {
                gpu.copy(&original, &work)?;
                gpu.synchronize()?;
                let start = Instant::now();
                gpu.lu_factor(n, &work)?;
                gpu.synchronize()?;
                times.push(start.elapsed().as_secs_f64());
            }
        }
    }
    times.remove(0);
    times.sort_by(f64::total_cmp);
    Ok(times[REPEATS / 2])
}

fn fft_seconds(backend: &Backend) -> Result<f64, BenchError> {
    let shape =
        Fft { planes: 1, rows: FFT_SIDE, cols: FFT_SIDE, batch: FFT_BATCH, precision: Precision::Double };
    let mut data = vec![Complex64::new(0.5, -0.25); shape.len()];
    match backend {
        Backend::Cpu => median_seconds(5, || {
            cpu::fft(shape, Direction::Forward, &mut data);
            Ok(())
        }),
        Backend::Gpu(gpu) => gpu_fft_seconds(gpu, shape, &data),
    }
}

fn gpu_fft_seconds(gpu: &Arc<dyn Gpu>, shape: Fft, data: &[Complex64]) -> Result<f64, BenchError> {
    let buffer = gpu.upload(data)?;
    median_seconds(5, || {
        gpu.fft(shape, Direction::Forward, &buffer)?;
        Ok(gpu.synchronize()?)
    })
}
