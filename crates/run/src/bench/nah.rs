//! Holograms of 1024 microphones, 1024 samples to a spectrum, on a widened grid of 96 x 96: whole iterations from a block of 32 samples to
//! holograms at n frequencies, how long single ones take, and phasors by every way there is. `nah_gpu.rs` has the same on a GPU, and `nah_paper.rs`
//! re-makes the tables and figures of the thesis.

use super::{Bench, median_seconds, nah_gpu, nah_paper, noise};
use crate::RunError;
use crate::nah::solver_error;
use num_complex::{Complex, Complex64};
use phasefront_device::Backend;
use phasefront_nah::{
    Analysis, Analyzer, Block, Carrier, Extrapolation, Filter, Format, Functions, Grid, Medium, Mend,
    NahError, Pipeline, Plan, Scalar, Terms, Way, Which, gain,
};
use std::time::Instant;

pub(super) const GRID: Grid = Grid { columns: 32, rows: 32, pitch: [0.02; 2] };
pub(super) const SAMPLES: usize = 1024;
pub(super) const HOP: usize = 32;
const DISTANCE: f64 = 0.05;
/// Samples a second, and the first bin that is looked at, with others after it.
const RATE: f64 = 46_875.0;
const FIRST_BIN: usize = 18;
/// How many frequencies.
pub(super) const COUNTS: [usize; 11] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20];
/// Iterations whose times are told apart, and those that a mean is taken of: a few turns of the ring.
pub(super) const LATENCIES: usize = 10_000;
const ITERATIONS: usize = 1024;
pub(super) const REPEATS: usize = 3;

pub(super) fn run(bench: &mut Bench<'_>) -> Result<(), RunError> {
    if let Backend::Gpu(gpu) = bench.backend {
        let gpu = gpu.clone();
        return nah_gpu::run(bench, &gpu);
    }
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
    ways(bench)?;
    nah_paper::run(bench)
}

/// n bins.
pub(super) fn bins(n: usize) -> Vec<usize> {
    (0..n).map(|i| FIRST_BIN + 2 * i).collect()
}

/// What waves of a bin are multiplied by.
pub(super) fn gain_of_bin(bin: usize) -> impl Fn(f64) -> Complex64 {
    let k = Medium::AIR.wave_number(RATE * bin as f64 / SAMPLES as f64);
    let filter = Filter::CosModified { cutoff: 70.0, slope: 0.1 };
    move |kr| gain(k, kr, DISTANCE, filter)
}

pub(super) fn plan<T: Scalar>(bin: usize, beyond: Extrapolation) -> Plan<T> {
    Plan::new(GRID, beyond, &[&gain_of_bin(bin)])
}

/// Of samples, or of words of bits.
pub(super) fn analyzer<T: Scalar>(way: Way, of_bits: bool, n: usize) -> Analyzer<T> {
    let format = Format { microphones: GRID.len(), bits: of_bits.then_some(1.0) };
    Analyzer::new(format, &Analysis { way, samples: SAMPLES, hop: HOP }, bins(n))
}

pub(super) fn refused(error: NahError) -> RunError {
    solver_error(error).without_file()
}

pub(super) fn pipeline<T: Scalar>(way: Way, of_bits: bool, n: usize, beyond: Extrapolation) -> Pipeline<T> {
    let carriers: Vec<_> = bins(n).iter().map(|bin| Carrier::Waves(Box::new(plan(*bin, beyond)))).collect();
    let places: Vec<[f64; 2]> = (0..GRID.len()).map(|i| GRID.place(i)).collect();
    Pipeline::new(analyzer(way, of_bits, n).into(), Mend::new(&places, None, &[]), carriers.into())
}

/// Noise of so many moments.
pub(super) fn samples(moments: usize) -> Vec<f32> {
    noise(1).take(moments * GRID.len()).map(|x| x as f32).collect()
}

/// Words of bits without pattern, of a window and what a filter needs before it.
pub(super) fn words() -> Vec<u32> {
    noise(1).take((SAMPLES + 2 * HOP) * GRID.len()).map(|x| ((x + 0.5) * 4_294_967_296.0) as u32).collect()
}

/// Times from blocks of samples to holograms.
fn iterations<T: Scalar>(
    bench: &Bench<'_>,
    n: usize,
    beyond: Extrapolation,
    count: usize,
) -> Result<Vec<f64>, RunError> {
    bench.progress.check()?;
    let mut pipeline = pipeline::<T>(Way::Hop, false, n, beyond);
    let samples = samples(SAMPLES);
    let mut times = Vec::with_capacity(count);
    for block in samples.chunks_exact(HOP * GRID.len()).cycle().take(count + SAMPLES / HOP) {
        let start = Instant::now();
        if pipeline.push(Block::Samples(block)).map_err(refused)? {
            times.push(start.elapsed().as_secs_f64());
        }
    }
    Ok(times)
}

fn mean(times: &[f64]) -> f64 {
    times.iter().sum::<f64>() / times.len() as f64
}

/// The usual time, one that one in a hundred exceeds, and the longest.
fn latencies(bench: &mut Bench<'_>, n: usize) -> Result<(), RunError> {
    let times = iterations::<f32>(bench, n, Extrapolation::Plpbp, LATENCIES)?;
    report_latencies(bench, n, times);
    Ok(())
}

pub(super) fn report_latencies(bench: &mut Bench<'_>, n: usize, mut times: Vec<f64>) {
    times.sort_by(f64::total_cmp);
    for (name, share) in [("p50", 0.5), ("p99", 0.99), ("max", 1.0)] {
        let seconds = times[((times.len() - 1) as f64 * share) as usize];
        bench.report(format!("nah latency {name}, plpbp, n={n}"), seconds, 1.0, "iterations/s");
    }
}

/// Phasors of a window, by every way, after a block of words of bits.
fn ways(bench: &mut Bench<'_>) -> Result<(), RunError> {
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
fn phasor_seconds(way: Way, n: usize, words: &[u32], repeats: usize) -> Result<f64, RunError> {
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
