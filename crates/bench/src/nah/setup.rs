//! The array, the window and the pipeline that the holography workloads share.

use crate::harness::{Bench, noise};
use num_complex::Complex64;
use phasefront_nah::{
    Analysis, Analyzer, Carrier, Extrapolation, Filter, Format, Grid, Medium, Mend, Pipeline, Plan, Scalar,
    Way, gain,
};

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
pub(super) const REPEATS: usize = 3;

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

pub(super) fn report_latencies(bench: &mut Bench<'_>, n: usize, mut times: Vec<f64>) {
    times.sort_by(f64::total_cmp);
    for (name, share) in [("p50", 0.5), ("p99", 0.99), ("max", 1.0)] {
        let seconds = times[((times.len() - 1) as f64 * share) as usize];
        bench.report(format!("nah latency {name}, plpbp, n={n}"), seconds, 1.0, "iterations/s");
    }
}
