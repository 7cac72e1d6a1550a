//! Holograms of 1024 microphones, 1024 samples to a spectrum, on a widened grid of 96 x 96: whole iterations from a block of 32 samples to
//! holograms at n frequencies, how long single ones take, and phasors by every way there is. `gpu.rs` has the same on a GPU, and `paper.rs`
//! re-makes the tables and figures of the thesis.

use super::setup::{
    COUNTS, GRID, HOP, LATENCIES, REPEATS, SAMPLES, analyzer, pipeline, report_latencies, samples, words,
};
use crate::error::BenchError;
use crate::harness::{Bench, median_seconds};
use num_complex::Complex;
use phasefront_nah::{Block, Extrapolation, Functions, Scalar, Terms, Way, Which};
use std::time::Instant;

const ITERATIONS: usize = 1024;

pub(super) fn run(bench: &mut Bench<'_>) -> Result<(), BenchError> {
    for n in [1, 10] {
        latencies(bench, n)?;
    }
    let beyond = [
        (Extrapolation::Plpbp, "plpbp", ITERATIONS),
        (Extrapolation::Zero, "zero", ITERATIONS),
        (Extrapolation::Lpbp, "lpbp", ITERATIONS / 8),
    ];
    for (beyond, name, count) in beyond {
        for n in COUNTS {
            let times = iterations::<f32>(bench, n, beyond, count)?;
            bench.report(format!("nah hop 32, {name}, single, n={n}"), mean(&times), 1.0, "iterations/s");
        }
    }
    for n in [1, 10] {
        let times = iterations::<f64>(bench, n, Extrapolation::Plpbp, ITERATIONS)?;
        bench.report(format!("nah hop 32, plpbp, double, n={n}"), mean(&times), 1.0, "iterations/s");
    }
    ways(bench)
}

/// Times from blocks of samples to holograms.
fn iterations<T: Scalar>(
    bench: &Bench<'_>,
    n: usize,
    beyond: Extrapolation,
    count: usize,
) -> Result<Vec<f64>, BenchError> {
    bench.progress.check()?;
    let mut pipeline = pipeline::<T>(Way::Hop, false, n, beyond);
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

/// The usual time, one that one in a hundred exceeds, and the longest.
fn latencies(bench: &mut Bench<'_>, n: usize) -> Result<(), BenchError> {
    let times = iterations::<f32>(bench, n, Extrapolation::Plpbp, LATENCIES)?;
    report_latencies(bench, n, times);
    Ok(())
}

/// Phasors of a window, by every way, after a block of words of bits.
fn ways(bench: &mut Bench<'_>) -> Result<(), BenchError> {
    let words = words();
    let strongest = |functions| Way::Walsh(Terms { which: Which::Strongest(40), functions });
    for (name, way) in [
        ("nominal", Way::Nominal { fir: false }),
        ("nominal, fir", Way::Nominal { fir: true }),
        ("dot", Way::Dot),
        ("auto", Way::Auto),
        ("average", Way::Average),
        ("cic-popcount", Way::CicPopcount),
        ("walsh, 40 precomputed", strongest(Functions::Precomputed)),
        ("walsh, 40 Rademacher", strongest(Functions::Rademacher)),
        ("walsh-exact", Way::WalshExact),
    ] {
        // All functions take seconds for each frequency.
        let (counts, repeats) =
            if way == Way::WalshExact { (&COUNTS[..1], 1) } else { (&COUNTS[..], REPEATS) };
        for n in counts.iter().copied() {
            bench.progress.check()?;
            let seconds = phasor_seconds(way, n, &words, repeats)?;
            bench.report(format!("nah phasors of bits, {name}, n={n}"), seconds, 1.0, "iterations/s");
        }
    }
    Ok(())
}

/// Seconds from a block of words to phasors, with a whole window heard before.
fn phasor_seconds(way: Way, n: usize, words: &[u32], repeats: usize) -> Result<f64, BenchError> {
    let mut analyzer = analyzer::<f64>(way, true, n);
    for block in words.chunks_exact(HOP * GRID.len()) {
        analyzer.push(Block::Words(block));
    }
    let mut phasors = vec![Complex::new(0.0, 0.0); n * GRID.len()];
    let mut blocks = words.chunks_exact(HOP * GRID.len()).cycle();
    median_seconds(repeats, || {
        if let Some(block) = blocks.next() {
            analyzer.push(Block::Words(block));
        }
        analyzer.spectra(&mut phasors);
        Ok(())
    })
}
