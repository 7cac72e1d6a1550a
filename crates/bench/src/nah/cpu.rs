//! Holograms of 1024 microphones, 1024 samples per spectrum, on a padded grid of 96 x 96: whole
//! iterations from a block of 32 samples to holograms at n frequencies, latencies of single
//! iterations, and phasors by every spectral method. `gpu.rs` has the same on a GPU, and `paper.rs`
//! reproduces the tables and figures of the thesis.

use super::setup::{
    COUNTS, GRID, HOP, LATENCIES, REPEATS, SAMPLES, estimator, pipeline, report_latencies, samples, words,
};
use crate::error::BenchError;
use crate::harness::{Bench, Timed, median_seconds};
use num_complex::Complex;
use phasefront_nah::{
    Block, Extrapolation, Scalar, SpectralMethod, SpectrumEstimator, WalshFunctions, WalshSelection,
    WalshTerms,
};
use std::time::Instant;

const ITERATIONS: usize = 1024;

pub(super) fn run(bench: &mut Bench<'_>) -> Result<(), BenchError> {
    for n in [1, 10] {
        latencies(bench, n)?;
    }
    let extrapolation = [
        (Extrapolation::Plpbp, "plpbp", ITERATIONS),
        (Extrapolation::Zero, "zero", ITERATIONS),
        (Extrapolation::Lpbp, "lpbp", ITERATIONS / 8),
    ];
    for (extrapolation, name, count) in extrapolation {
        for n in COUNTS {
            bench.progress.check()?;
            let times = iterations::<f32>(n, extrapolation, count)?;
            bench.report(format!("nah hop 32, {name}, single, n={n}"), mean(&times), 1.0, "iterations/s");
        }
    }
    for n in [1, 10] {
        bench.progress.check()?;
        let times = iterations::<f64>(n, Extrapolation::Plpbp, ITERATIONS)?;
        bench.report(format!("nah hop 32, plpbp, double, n={n}"), mean(&times), 1.0, "iterations/s");
    }
    methods(bench)
}

/// Holograms at ten frequencies, for the scaling over cores.
pub(crate) fn on_cores() -> Result<Timed, BenchError> {
    let times = iterations::<f32>(10, Extrapolation::Plpbp, ITERATIONS)?;
    Ok(Timed { seconds: mean(&times), work: 1.0, unit: "iterations/s" })
}

/// Times from blocks of samples to holograms.
fn iterations<T: Scalar>(
    n: usize,
    extrapolation: Extrapolation,
    count: usize,
) -> Result<Vec<f64>, BenchError> {
    let mut pipeline = pipeline::<T>(SpectralMethod::SlidingDft, false, n, extrapolation);
    let samples = samples(SAMPLES);
    let mut times = Vec::with_capacity(count);
    for block in samples.chunks_exact(HOP * GRID.len()).cycle().take(count + SAMPLES / HOP) {
        let start = Instant::now();
        if pipeline.push(Block::Samples(block))? {
            times.push(start.elapsed().as_secs_f64());
        }
    }
    Ok(times)
}

fn mean(times: &[f64]) -> f64 {
    times.iter().sum::<f64>() / times.len() as f64
}

/// Median, 99th percentile and maximum of the latency.
fn latencies(bench: &mut Bench<'_>, n: usize) -> Result<(), BenchError> {
    bench.progress.check()?;
    let times = iterations::<f32>(n, Extrapolation::Plpbp, LATENCIES)?;
    report_latencies(bench, n, times);
    Ok(())
}

/// Phasors of a window by every spectral method, after a block of words.
fn methods(bench: &mut Bench<'_>) -> Result<(), BenchError> {
    let words = words();
    let strongest =
        |functions| SpectralMethod::Walsh(WalshTerms { which: WalshSelection::Strongest(40), functions });
    for (name, method) in [
        ("fft", SpectralMethod::Fft { fir: false }),
        ("fft, compensation fir", SpectralMethod::Fft { fir: true }),
        ("dft", SpectralMethod::Dft),
        ("auto", SpectralMethod::Auto),
        ("block-average", SpectralMethod::BlockAverage),
        ("cic-popcount", SpectralMethod::CicPopcount),
        ("walsh, 40 precomputed", strongest(WalshFunctions::Precomputed)),
        ("walsh, 40 Rademacher", strongest(WalshFunctions::Rademacher)),
        ("walsh-exact", SpectralMethod::WalshExact),
    ] {
        // All functions take seconds for each frequency.
        let (counts, repeats) =
            if method == SpectralMethod::WalshExact { (&COUNTS[..1], 1) } else { (&COUNTS[..], REPEATS) };
        for n in counts.iter().copied() {
            bench.progress.check()?;
            let seconds = phasor_seconds(method, n, &words, repeats)?;
            bench.report(format!("nah phasors of bits, {name}, n={n}"), seconds, 1.0, "iterations/s");
        }
    }
    Ok(())
}

/// Seconds from a block of words to phasors of a full window.
fn phasor_seconds(
    method: SpectralMethod,
    n: usize,
    words: &[u32],
    repeats: usize,
) -> Result<f64, BenchError> {
    let mut estimator = estimator::<f64>(method, true, n);
    for block in words.chunks_exact(HOP * GRID.len()) {
        estimator.push(Block::Words(block))?;
    }
    let mut phasors = vec![Complex::new(0.0, 0.0); n * GRID.len()];
    let mut blocks = words.chunks_exact(HOP * GRID.len()).cycle();
    median_seconds(repeats, || {
        if let Some(block) = blocks.next() {
            estimator.push(Block::Words(block))?;
        }
        estimator.spectra(&mut phasors)?;
        Ok(())
    })
}
