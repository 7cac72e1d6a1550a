//! The array, the window and the pipeline of the holography workloads.

use crate::harness::{Bench, noise};
use num_complex::Complex64;
use phasefront_nah::{
    Analysis, CpuReconstructor, CpuSpectrumEstimator, Extrapolation, Filter, Format, Grid, HologramPlan,
    Medium, Pipeline, Preprocessing, Propagator, ReconstructorSpec, Scalar, SpectralMethod, propagator,
};

pub(super) const GRID: Grid = Grid { columns: 32, rows: 32, pitch: [0.02; 2] };
pub(super) const SAMPLES: usize = 1024;
pub(super) const HOP: usize = 32;
const DISTANCE: f64 = 0.05;
/// Sample rate, Hz, and the first bin.
const RATE: f64 = 46_875.0;
const FIRST_BIN: usize = 18;
/// Numbers of frequencies.
pub(super) const COUNTS: [usize; 11] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20];
/// Iterations of the latency distribution.
pub(super) const LATENCIES: usize = 10_000;
pub(super) const REPEATS: usize = 3;

/// n bins.
pub(super) fn bins(n: usize) -> Vec<usize> {
    (0..n).map(|i| FIRST_BIN + 2 * i).collect()
}

/// The propagator of a bin.
pub(super) fn propagator_of_bin(bin: usize) -> impl Fn(f64) -> Complex64 {
    let k = Medium::AIR.wavenumber(RATE * bin as f64 / SAMPLES as f64);
    let filter = Filter::CosModified { cutoff: 70.0, slope: 0.1 };
    move |kr| propagator(k, kr, DISTANCE, filter)
}

pub(super) fn plan<T: Scalar>(bin: usize, extrapolation: Extrapolation) -> HologramPlan<T> {
    HologramPlan::new(GRID, extrapolation, &[&propagator_of_bin(bin)])
}

/// A spectrum estimator for samples, or for words of bitstreams.
pub(super) fn estimator<T: Scalar>(
    method: SpectralMethod,
    of_bits: bool,
    n: usize,
) -> CpuSpectrumEstimator<T> {
    let format = Format { microphones: GRID.len(), bits: of_bits.then_some(1.0) };
    CpuSpectrumEstimator::new(format, &Analysis { method, samples: SAMPLES, hop: HOP }, bins(n))
}

pub(super) fn pipeline<T: Scalar>(
    method: SpectralMethod,
    of_bits: bool,
    n: usize,
    extrapolation: Extrapolation,
) -> Pipeline<T> {
    let propagator = |bin: &usize| vec![Box::new(propagator_of_bin(*bin)) as Propagator];
    let spec = ReconstructorSpec::KSpace(GRID, extrapolation, bins(n).iter().map(propagator).collect());
    Pipeline::new(
        Box::new(estimator(method, of_bits, n)),
        Preprocessing::new(&GRID.positions(), None, &[]),
        Box::new(CpuReconstructor::new(spec)),
    )
}

/// Pseudorandom samples of `frames` frames.
pub(super) fn samples(frames: usize) -> Vec<f32> {
    noise(1).take(frames * GRID.len()).map(|x| x as f32).collect()
}

/// Pseudorandom words of a window, with two blocks for the filters to settle.
pub(super) fn words() -> Vec<u32> {
    noise(1).take((SAMPLES + 2 * HOP) * GRID.len()).map(|x| ((x + 0.5) * 4_294_967_296.0) as u32).collect()
}

pub(super) fn report_latencies(bench: &mut Bench<'_>, n: usize, mut times: Vec<f64>) {
    times.sort_by(f64::total_cmp);
    for (name, share) in [("p50", 0.5), ("p99", 0.99), ("max", 1.0)] {
        let seconds = times[((times.len() - 1) as f64 * share) as usize];
        bench.report(format!("nah latency {name}, plpbp, n={n}"), seconds, 1.0, "iterations/s");
    }
}
