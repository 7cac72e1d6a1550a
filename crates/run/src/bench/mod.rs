//! Fixed, named workloads: what `phasefront bench` times.
//!
//! Each row gives a rate in the workload's own unit, and its share of a ceiling (copy bandwidth or GEMM rate)
//! measured in the same process, so that figures from different machines can be compared.

mod device;
mod dgtd;
mod mom;
mod mom_paper;
mod nah;
mod nah_gpu;
mod nah_paper;
mod nufft;
mod nufft_gpu;
mod nufft_paper;
mod peer;
mod python;
mod reflectarray;
mod sbr;
mod sbr_paper;
mod sbr_rays;
mod sbr_scaling;

use crate::{Options, RunError};
use num_complex::Complex64;
use phasefront_core::Progress;
use phasefront_device::Backend;
use phasefront_device::doctor::{Rates, measure};
use serde::Serialize;
use std::time::Instant;

/// One line of `phasefront bench`.
#[derive(Debug, Clone, Serialize)]
pub struct BenchRow {
    /// What was timed: `mom fill N=5000`.
    pub workload: String,
    /// On what.
    pub device: &'static str,
    /// Median time.
    pub seconds: f64,
    /// Rate in the workload's own unit.
    pub rate: f64,
    /// That unit: `entries/s`, `flop/s`, `byte/s`.
    pub unit: &'static str,
    /// Share of the ceiling that applies, measured in the same process.
    pub ceiling_fraction: Option<f64>,
    /// Which ceiling: `GEMM` or `copy`.
    pub ceiling: Option<&'static str>,
    /// How it compares with the same work done another way.
    pub speedup: Option<Speedup>,
    /// Relative error of the result, where it was measured against exact sums.
    pub error: Option<f64>,
}

/// How many times as fast a row is as something else.
#[derive(Debug, Clone, Serialize)]
pub struct Speedup {
    /// The other's time over this row's.
    pub factor: f64,
    /// The other: `paper cpu`, `scipy`.
    pub over: &'static str,
}

/// Names `bench` takes: `device`, then the solvers.
pub const BENCHES: &[&str] = &["device", "dgtd", "mom", "nah", "nufft", "reflectarray", "sbr"];

/// What `phasefront bench` does beyond the fixed workloads.
#[derive(Debug, Clone, Copy, Default)]
pub struct Extras {
    /// Another program is timed on the same work, if it is installed.
    pub compare: bool,
    /// How the time grows with the size of the problem, instead, where there are such workloads.
    pub scaling: bool,
}

/// Runs the fixed workloads of one of [`BENCHES`]; each finished row goes to `row`.
pub fn bench(
    name: &str,
    options: &Options,
    extras: Extras,
    progress: &Progress,
    row: &mut dyn FnMut(BenchRow),
) -> Result<(), RunError> {
    let run = match name {
        "device" => device::run,
        "dgtd" => dgtd::run,
        "mom" => mom::run,
        "nah" => nah::run,
        "nufft" => nufft::run,
        "reflectarray" => reflectarray::run,
        "sbr" => sbr::run,
        _ => return Err(RunError::UnknownBench { name: name.into() }),
    };
    let opened = options.open_device()?;
    progress.note(&opened.reason);
    let rates = measure(&opened.backend)?;
    let Extras { compare, scaling } = extras;
    run(&mut Bench { backend: &opened.backend, rates, compare, scaling, progress, row })
}

/// What a workload has at hand.
struct Bench<'a> {
    backend: &'a Backend,
    rates: Rates,
    compare: bool,
    scaling: bool,
    progress: &'a Progress,
    row: &'a mut dyn FnMut(BenchRow),
}

impl Bench<'_> {
    /// Reports `work` units done in `seconds`.
    fn report(&mut self, workload: String, seconds: f64, work: f64, unit: &'static str) {
        let ceiling = match unit {
            "flop/s" => Some((self.rates.gemm_flop_per_s, "GEMM")),
            "byte/s" => Some((self.rates.copy_bytes_per_s, "copy")),
            _ => None,
        };
        self.report_share(workload, seconds, (work, unit), ceiling);
    }

    /// Reports `work` done in `seconds`, beside the rate of a ceiling, if one applies.
    fn report_share(
        &mut self,
        workload: String,
        seconds: f64,
        (work, unit): (f64, &'static str),
        ceiling: Option<(f64, &'static str)>,
    ) {
        let rate = work / seconds;
        (self.row)(BenchRow {
            workload,
            device: self.backend.name(),
            seconds,
            rate,
            unit,
            ceiling_fraction: ceiling.map(|(limit, _)| rate / limit),
            ceiling: ceiling.map(|(_, name)| name),
            speedup: None,
            error: None,
        });
    }

    /// Reports `work` done in `seconds` on `device`, and in so many seconds by some `other` way.
    fn report_beside(
        &mut self,
        workload: String,
        device: &'static str,
        seconds: f64,
        work: (f64, &'static str),
        other: Option<(f64, &'static str)>,
    ) {
        self.report_checked(workload, device, (seconds, None), work, other);
    }

    /// The same, with the relative error of what came out.
    fn report_checked(
        &mut self,
        workload: String,
        device: &'static str,
        (seconds, error): (f64, Option<f64>),
        (work, unit): (f64, &'static str),
        other: Option<(f64, &'static str)>,
    ) {
        (self.row)(BenchRow {
            workload,
            device,
            seconds,
            rate: work / seconds,
            unit,
            ceiling_fraction: None,
            ceiling: None,
            speedup: other.map(|(other, over)| Speedup { factor: other / seconds, over }),
            error,
        });
    }
}

/// Median time of `repeats` calls after one that warms up.
fn median_seconds(repeats: usize, mut work: impl FnMut() -> Result<(), RunError>) -> Result<f64, RunError> {
    work()?;
    let mut times = Vec::with_capacity(repeats);
    for _ in 0..repeats {
        let start = Instant::now();
        work()?;
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    Ok(times[repeats / 2])
}

/// Numbers without pattern in [−0.5, 0.5): xorshift (Marsaglia 2003), repeatable and good enough to time on.
fn noise(seed: u64) -> impl Iterator<Item = f64> {
    let mut state = seed;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    })
}

/// Complex numbers of such parts.
fn complex_noise(count: usize, seed: u64) -> Vec<Complex64> {
    let mut next = noise(seed);
    // The iterator has no end.
    (0..count).map_while(|_| Some(Complex64::new(next.next()?, next.next()?))).collect()
}

/// Floating-point operations of an LU factorization of a complex n x n matrix: n³/3 complex multiply-adds of
/// 4 real multiplications and 4 additions each.
fn lu_flops(n: usize) -> f64 {
    8.0 / 3.0 * (n as f64).powi(3)
}
