//! Holograms of a stream on a GPU, by a recording of launches that is replayed for every hop: with
//! samples on the device, with upload and download, one at a time, and for many windows at once.

use super::paper;
use super::setup::{
    COUNTS, GRID, HOP, LATENCIES, SAMPLES, bins, propagator_of_bin, report_latencies, samples,
};
use crate::error::BenchError;
use crate::harness::{Bench, median_seconds};
use num_complex::Complex64;
use phasefront_core::Precision;
use phasefront_device::{DeviceKind, Gpu};
use phasefront_nah::{Extrapolation, GpuStream, StreamShape};
use std::sync::Arc;
use std::time::Instant;

/// Frames on the device: 64 MiB of samples, more than the caches hold.
const FRAMES: usize = 16_384;
/// Number of replays averaged, for single windows and for many; OpenCL serves for tests.
const REPLAYS: usize = 5000;
const BATCH_REPLAYS: usize = 200;
const OPENCL_REPLAYS: usize = 2;
const REPEATS: usize = 5;
/// Frequencies and windows of replays in batches.
const BATCHES: [(usize, usize); 4] = [(1, 256), (1, 1024), (10, 64), (10, 256)];

pub(super) fn run(bench: &mut Bench<'_>, gpu: &Arc<dyn Gpu>) -> Result<(), BenchError> {
    let samples = samples(FRAMES);
    for (name, extrapolation) in [("plpbp", Extrapolation::Plpbp), ("zero", Extrapolation::Zero)] {
        for n in COUNTS {
            let seconds = replay_seconds(bench, gpu, (n, 1), extrapolation, &samples)?;
            bench.report(format!("nah hop 32, {name}, single, n={n}"), seconds, 1.0, "iterations/s");
        }
    }
    for n in [1, 10] {
        with_copies(bench, gpu, n, &samples)?;
    }
    for (n, batch) in BATCHES {
        let seconds = replay_seconds(bench, gpu, (n, batch), Extrapolation::Plpbp, &samples)?;
        let holograms = (n * batch) as f64;
        bench.report(format!("nah {batch} windows at once, n={n}"), seconds, holograms, "holograms/s");
        let (flops, bytes) = (holograms * operations(), holograms * bytes());
        let name = format!("nah {batch} windows at once, n={n}");
        paper::roofline(bench, &name, seconds, flops, bytes, Precision::Single);
    }
    paper::transforms(bench)
}

fn stream(
    gpu: &Arc<dyn Gpu>,
    (n, batch): (usize, usize),
    extrapolation: Extrapolation,
    samples: &[f32],
) -> Result<GpuStream<f32>, BenchError> {
    let shape = StreamShape {
        grid: GRID,
        extrapolation,
        samples: SAMPLES,
        hop: HOP,
        bins: bins(n),
        fields: 1,
        frames: FRAMES,
        batch,
    };
    let propagators: Vec<_> = bins(n).into_iter().map(propagator_of_bin).collect();
    let propagators: Vec<&dyn Fn(f64) -> Complex64> =
        propagators.iter().map(|propagator| propagator as _).collect();
    let mut stream = GpuStream::new(gpu, shape, &propagators)?;
    stream.upload(samples)?;
    Ok(stream)
}

/// Mean time of a replay, with samples and fields on the device.
fn replay_seconds(
    bench: &Bench<'_>,
    gpu: &Arc<dyn Gpu>,
    (n, batch): (usize, usize),
    extrapolation: Extrapolation,
    samples: &[f32],
) -> Result<f64, BenchError> {
    bench.progress.check()?;
    let stream = stream(gpu, (n, batch), extrapolation, samples)?;
    let recording = gpu.record(Box::new(|| stream.run()))?;
    let count = match (gpu.info().kind, batch) {
        (DeviceKind::OpenCl, _) => OPENCL_REPLAYS,
        (_, 1) => REPLAYS,
        _ => BATCH_REPLAYS,
    };
    let seconds = median_seconds(REPEATS, || {
        (0..count).try_for_each(|_| recording.replay())?;
        Ok(gpu.synchronize()?)
    })?;
    Ok(seconds / count as f64)
}

/// Single replays with synchronization; and with upload of the samples of a hop before and download
/// of the fields after.
fn with_copies(
    bench: &mut Bench<'_>,
    gpu: &Arc<dyn Gpu>,
    n: usize,
    samples: &[f32],
) -> Result<(), BenchError> {
    let stream = stream(gpu, (n, 1), Extrapolation::Plpbp, samples)?;
    let recording = gpu.record(Box::new(|| stream.run()))?;
    let count = if gpu.info().kind == DeviceKind::OpenCl { OPENCL_REPLAYS } else { LATENCIES };
    let mut times = Vec::with_capacity(count);
    for _ in 0..count {
        let start = Instant::now();
        recording.replay()?;
        gpu.synchronize()?;
        times.push(start.elapsed().as_secs_f64());
    }
    report_latencies(bench, n, times);
    let newest = gpu.alloc::<f32>(HOP * GRID.len())?;
    let mut times = Vec::with_capacity(count);
    for block in samples.chunks_exact(HOP * GRID.len()).cycle().take(count) {
        let start = Instant::now();
        gpu.upload_bytes(bytemuck::cast_slice(block), newest.memory())?;
        recording.replay()?;
        stream.fields()?;
        times.push(start.elapsed().as_secs_f64());
    }
    let mean = times.iter().sum::<f64>() / count as f64;
    bench.report(format!("nah with upload and download, n={n}"), mean, 1.0, "iterations/s");
    Ok(())
}

/// Floating-point operations of a hologram in the batched kernels: complex multiply-adds of 8 each.
fn operations() -> f64 {
    let (points, side) = (GRID.rows as f64, 3.0 * GRID.columns as f64);
    // Sums of a block; predictions; along x, extrapolation and along y, forward and inverse, in sums of 8 and of 12 terms.
    let sums = GRID.len() as f64 * (HOP as f64 * 12.0 + 5.0 * 6.0);
    let predictions = 2.0 * 8.0 * GRID.len() as f64 * 32.0 + 2.0 * 2.0 * points * points * 8.0 * 8.0;
    let forth = side * points * (12.0 + 8.0) + side * 2.0 * points * 8.0 + side * side * 20.0;
    let back = (side + points) * (side * 8.0 + points * 12.0);
    sums + predictions + 8.0 * (forth + back)
}

/// Minimum memory traffic of a hologram: samples of a hop in, a field out.
fn bytes() -> f64 {
    (GRID.len() * (4 * HOP + 8)) as f64
}
