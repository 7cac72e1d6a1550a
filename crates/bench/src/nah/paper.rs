//! Tables 7.1 and 7.2 and figures 3.5, 7.2 to 7.5, 7.10 and 7.11 of a thesis reproduced on this
//! machine (real-time planar near-field acoustic holography on an AMD HD 7950): stages and whole
//! iterations compared with its times, dot products against fast transforms, and both against the
//! roofline, the lower of the limits of memory and arithmetic at their operations per byte.

use super::setup::{COUNTS, GRID, HOP, REPEATS, SAMPLES, estimator, pipeline, plan, samples, words};
use crate::error::BenchError;
use crate::harness::{Bench, median_seconds};
use num_complex::{Complex32, Complex64};
use phasefront_core::Precision;
use phasefront_device::{Backend, Direction, Fft, cpu};
use phasefront_nah::{
    Block, Extrapolation, SpectralMethod, SpectrumEstimator, WalshFunctions, WalshSelection, WalshTerms,
};
use std::f64::consts::TAU;
use std::sync::Arc;

const THEIRS: &str = "HD 7950";
/// Its table 7.1: decimation of a window on an FPGA; window and transform.
const THEIR_STAGES: [f64; 2] = [0.001e-3, 0.137e-3];
/// Its table 7.2: iterations at 1 to 5 frequencies.
const THEIR_NOMINAL: [f64; 5] = [0.643e-3, 0.666e-3, 0.691e-3, 0.721e-3, 0.742e-3];
const THEIR_DOTS: [f64; 5] = [0.577e-3, 0.619e-3, 0.658e-3, 0.687e-3, 0.733e-3];
const THEIR_AVERAGE: [f64; 5] = [0.535e-3, 0.577e-3, 0.615e-3, 0.645e-3, 0.689e-3];
/// A hologram by Walsh functions.
const THEIR_WALSH: f64 = 0.32e-3;
/// Numbers of frequencies in figure 7.2 beyond ten.
const MORE: [usize; 10] = [12, 14, 16, 18, 20, 22, 30, 40, 44, 50];
/// Numbers of holograms in figure 7.10 beyond ten.
const MANY: [usize; 4] = [20, 50, 100, 500];

pub(super) fn run(bench: &mut Bench<'_>) -> Result<(), BenchError> {
    let words = words();
    stages(bench, &words)?;
    dot_products(bench)?;
    iterations(bench, &words)?;
    shares(bench)?;
    transforms(bench)
}

/// Table 7.1: bits of a whole window to samples, and these to a spectrum.
fn stages(bench: &mut Bench<'_>, words: &[u32]) -> Result<(), BenchError> {
    let mut estimator = estimator::<f64>(SpectralMethod::Fft { fir: false }, true, 1);
    let mut phasors = vec![Complex64::ZERO; GRID.len()];
    let filter = median_seconds(REPEATS, || {
        for block in words.chunks_exact(HOP * GRID.len()).take(SAMPLES / HOP) {
            estimator.push(Block::Words(block))?;
        }
        Ok(())
    })?;
    // Two more blocks settle the decimation filter before the transform is timed.
    estimator.push(Block::Words(&words[..2 * HOP * GRID.len()]))?;
    let transform = median_seconds(REPEATS, || {
        estimator.spectra(&mut phasors)?;
        Ok(())
    })?;
    let names = ["table 7.1 CIC decimation, 1024 samples", "table 7.1 window and FFT"];
    for ((name, seconds), theirs) in names.into_iter().zip([filter, transform]).zip(THEIR_STAGES) {
        bench.report_beside(name.into(), "cpu", seconds, (1.0, "windows/s"), Some((theirs, THEIRS)));
    }
    Ok(())
}

/// Figures 7.2 and 7.4, dot products against a fast transform, and 7.3 and 7.5, both under their roofs.
fn dot_products(bench: &mut Bench<'_>) -> Result<(), BenchError> {
    let window = samples(SAMPLES);
    let seconds = |method: SpectralMethod, n: usize| -> Result<f64, BenchError> {
        let mut estimator = estimator::<f64>(method, false, n);
        estimator.push(Block::Samples(&window))?;
        let mut phasors = vec![Complex64::ZERO; n * GRID.len()];
        median_seconds(REPEATS, || {
            estimator.spectra(&mut phasors)?;
            Ok(())
        })
    };
    let points = (SAMPLES * GRID.len()) as f64;
    let of_bin = (16 * GRID.len()) as f64;
    let fft = seconds(SpectralMethod::Fft { fir: false }, 1)?;
    // The window and its mean are 3 operations a sample.
    let flops = points * (3.0 + 5.0 * (SAMPLES as f64).log2());
    roofline(bench, "figure 7.5 FFT", fft, flops, 4.0 * points + of_bin, Precision::Double);
    let mut crossover = None;
    for n in COUNTS[..10].iter().chain(&MORE).copied() {
        bench.progress.check()?;
        let dot = seconds(SpectralMethod::Dft, n)?;
        let product = Some((matrix_product(n, &window)?, "matrix product"));
        bench.report_beside(format!("figure 7.2 dot n={n}"), "cpu", dot, (1.0, "windows/s"), product);
        let other = Some((fft, "FFT"));
        bench.report_beside(format!("figure 7.4 dot n={n}"), "cpu", dot, (1.0, "windows/s"), other);
        let (flops, bytes) = (points * (3.0 + 4.0 * n as f64), 4.0 * points + of_bin * n as f64);
        roofline(bench, &format!("figures 7.3, 7.5 dot n={n}"), dot, flops, bytes, Precision::Double);
        if dot > fft && crossover.is_none() {
            crossover = Some(n);
        }
    }
    let name =
        crossover.map_or("figure 7.4 dots win at all n".into(), |n| format!("figure 7.4 crossover n_x={n}"));
    bench.report(name, fft, 1.0, "windows/s");
    Ok(())
}

/// Time of n bins of all microphones as a general matrix product; the samples are complex there.
fn matrix_product(n: usize, window: &[f32]) -> Result<f64, BenchError> {
    let angle = |i: usize| -TAU * ((i / SAMPLES + 1) * (i % SAMPLES)) as f64 / SAMPLES as f64;
    let rows: Vec<Complex64> = (0..n * SAMPLES).map(|i| Complex64::cis(angle(i))).collect();
    let samples: Vec<Complex64> = window.iter().map(|sample| f64::from(*sample).into()).collect();
    let mut bins = vec![Complex64::ZERO; n * GRID.len()];
    median_seconds(REPEATS, || {
        cpu::gemm([n, GRID.len(), SAMPLES], &rows, &samples, &mut bins);
        Ok(())
    })
}

/// Table 7.2: bits to holograms, one iteration after the other; and methods that it did not have.
fn iterations(bench: &mut Bench<'_>, words: &[u32]) -> Result<(), BenchError> {
    let walsh = WalshTerms { which: WalshSelection::Strongest(40), functions: WalshFunctions::Precomputed };
    let theirs = |row: [f64; 5], n: usize| row.get(n - 1).copied();
    for n in COUNTS {
        for (name, method, theirs) in [
            ("fft", SpectralMethod::Fft { fir: false }, theirs(THEIR_NOMINAL, n)),
            ("dft", SpectralMethod::Dft, theirs(THEIR_DOTS, n)),
            ("block-average", SpectralMethod::BlockAverage, theirs(THEIR_AVERAGE, n)),
            ("walsh", SpectralMethod::Walsh(walsh), Some(THEIR_WALSH * n as f64)),
            ("cic-popcount", SpectralMethod::CicPopcount, None),
        ] {
            bench.progress.check()?;
            let mut pipeline = pipeline::<f32>(method, true, n, Extrapolation::Plpbp);
            let mut blocks = words.chunks_exact(HOP * GRID.len()).cycle();
            let mut push = || match blocks.next() {
                Some(block) => pipeline.push(Block::Words(block)).map_err(BenchError::from),
                None => Ok(true),
            };
            // Fill the window until the first hologram.
            while !push()? {}
            let seconds = median_seconds(REPEATS, || push().map(drop))?;
            let other = theirs.map(|theirs| (theirs, THEIRS));
            bench.report_beside(
                format!("table 7.2 {name} n={n}"),
                "cpu",
                seconds,
                (1.0, "iterations/s"),
                other,
            );
        }
    }
    Ok(())
}

/// Figure 3.5: shares of the parts of an iteration, with block sums.
fn shares(bench: &mut Bench<'_>) -> Result<(), BenchError> {
    let window = samples(SAMPLES);
    let turn = SAMPLES / HOP;
    for n in COUNTS {
        let mut estimator = estimator::<f32>(SpectralMethod::SlidingDft, false, n);
        let mut phasors = vec![Complex32::ZERO; n * GRID.len()];
        let seconds = median_seconds(REPEATS, || {
            for block in window.chunks_exact(HOP * GRID.len()) {
                estimator.push(Block::Samples(block))?;
                estimator.spectra(&mut phasors)?;
            }
            Ok(())
        })? / turn as f64;
        // 6 multiply-adds per sample, and nine accesses to the sums of a bin.
        let of_bin = (6 * GRID.len() * n) as f64;
        let (flops, bytes) = (of_bin * (2 * HOP) as f64, 9.0 * 4.0 * of_bin + (4 * HOP * GRID.len()) as f64);
        roofline(bench, &format!("figure 3.5 phasors n={n}"), seconds, flops, bytes, Precision::Single);
    }
    let phasors: Vec<Complex32> = samples(2).chunks_exact(2).map(|x| Complex32::new(x[0], x[1])).collect();
    let mut field = phasors.clone();
    let mut seconds = |extrapolation| {
        let mut plan = plan::<f32>(18, extrapolation);
        median_seconds(REPEATS, || {
            (0..turn).for_each(|_| plan.run(&phasors, &mut field));
            Ok(())
        })
    };
    let (zero, plpbp) = (seconds(Extrapolation::Zero)?, seconds(Extrapolation::Plpbp)?);
    let (zero, plpbp) = (zero / turn as f64, plpbp / turn as f64);
    // The difference of both plans isolates the extrapolation.
    bench.report("figure 3.5 extrapolation, a hologram".into(), plpbp - zero, 1.0, "holograms/s");
    // Forward and inverse: along x the rows of the array, along y all 96 columns.
    let side = 3.0 * GRID.columns as f64;
    let flops = 2.0 * (GRID.rows as f64 + side) * 5.0 * side * side.log2() + 6.0 * side * side;
    let bytes = 8.0 * (side * side + 2.0 * GRID.len() as f64);
    roofline(bench, "figure 3.5 transforms, filter", zero, flops, bytes, Precision::Single);
    Ok(())
}

/// Figures 7.10 and 7.11: transforms of 96 x 96 in two dimensions, n at once.
pub(super) fn transforms(bench: &mut Bench<'_>) -> Result<(), BenchError> {
    let (rows, cols) = (3 * GRID.rows, 3 * GRID.columns);
    for n in COUNTS[..10].iter().chain(&MANY).copied() {
        bench.progress.check()?;
        let shape = Fft { planes: 1, rows, cols, batch: n, precision: Precision::Single };
        let mut data = vec![Complex32::new(0.5, -0.25); shape.len()];
        let seconds = match bench.backend {
            Backend::Cpu => median_seconds(REPEATS, || {
                cpu::fft(shape, Direction::Forward, &mut data);
                Ok(())
            })?,
            Backend::Gpu(gpu) => {
                let (gpu, buffer) = (Arc::clone(gpu), gpu.upload(&data)?);
                median_seconds(REPEATS, || {
                    gpu.fft(shape, Direction::Forward, &buffer)?;
                    Ok(gpu.synchronize()?)
                })?
            }
        };
        let values = shape.len() as f64;
        let flops = 5.0 * values * ((rows * cols) as f64).log2();
        // Read and written along rows and along columns.
        let name = format!("figures 7.10, 7.11 FFT 96x96 n={n}");
        roofline(bench, &name, seconds, flops, 4.0 * 8.0 * values, Precision::Single);
    }
    Ok(())
}

/// Operations per second relative to the roofline at this arithmetic intensity. The arithmetic
/// limit was measured in double precision; CPU vectors hold twice as many single-precision numbers.
pub(super) fn roofline(
    bench: &mut Bench<'_>,
    name: &str,
    seconds: f64,
    flops: f64,
    bytes: f64,
    precision: Precision,
) {
    let twice = matches!((bench.backend, precision), (Backend::Cpu, Precision::Single));
    let gemm = bench.rates.gemm_flop_per_s * if twice { 2.0 } else { 1.0 };
    let copy = bench.rates.copy_bytes_per_s * flops / bytes;
    // Roofline (Williams, Waterman and Patterson 2009): the lower of both limits.
    let ceiling = if copy < gemm { (copy, "copy") } else { (gemm, "GEMM") };
    let name = format!("{name}, {:.2} flop/byte", flops / bytes);
    bench.report_share(name, seconds, (flops, "flop/s"), Some(ceiling));
}
