//! Common parts of all workloads: device and peak rates, rows of the report, medians, and
//! reproducible noise.

use crate::error::BenchError;
use num_complex::Complex64;
use phasefront_core::Progress;
use phasefront_device::Backend;
use phasefront_device::doctor::Rates;
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::Serialize;
use std::time::Instant;

/// One line of `phasefront bench`.
#[derive(Debug, Clone, Serialize)]
pub struct BenchRow {
    /// What was timed: `mom fill N=5000`.
    pub workload: String,
    /// Device.
    pub device: &'static str,
    /// Median time.
    pub seconds: f64,
    /// Rate in the workload's own unit.
    pub rate: f64,
    /// Unit of the rate: `entries/s`, `flop/s`, `byte/s`.
    pub unit: &'static str,
    /// Fraction of the applicable peak rate, measured in the same process; of a row on several cores, of the gain of that rate.
    pub ceiling_fraction: Option<f64>,
    /// Which peak rate: `GEMM`, `copy` or `arithmetic`.
    pub ceiling: Option<&'static str>,
    /// Comparison with another implementation of the same work.
    pub speedup: Option<Speedup>,
    /// Relative error of the result, where it was measured against exact sums.
    pub error: Option<f64>,
}

/// Speed-up of a row relative to another implementation.
#[derive(Debug, Clone, Serialize)]
pub struct Speedup {
    /// Time of the other implementation over that of this row.
    pub factor: f64,
    /// The other: `paper cpu`, `scipy`.
    pub over: &'static str,
}

/// Context of a workload.
pub(crate) struct Bench<'a> {
    pub backend: &'a Backend,
    pub rates: Rates,
    pub compare: bool,
    pub scaling: bool,
    pub progress: &'a Progress,
    pub row: &'a mut dyn FnMut(BenchRow),
}

impl Bench<'_> {
    /// Reports `work` units done in `seconds`.
    pub fn report(&mut self, workload: String, seconds: f64, work: f64, unit: &'static str) {
        let ceiling = match unit {
            "flop/s" => Some((self.rates.gemm_flop_per_s, "GEMM")),
            "byte/s" => Some((self.rates.copy_bytes_per_s, "copy")),
            _ => None,
        };
        self.report_share(workload, seconds, (work, unit), ceiling);
    }

    /// Reports `work` done in `seconds`, relative to a peak rate, if one applies.
    pub fn report_share(
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

    /// Reports `work` done in `seconds` on `device`, and the time of an `other` implementation.
    pub fn report_beside(
        &mut self,
        workload: String,
        device: &'static str,
        seconds: f64,
        work: (f64, &'static str),
        other: Option<(f64, &'static str)>,
    ) {
        self.report_checked(workload, device, (seconds, None), work, other);
    }

    /// Reports `work` done in `seconds` by all threads, the time `alone` of one of them, and the share in the `gain` of arithmetic in registers.
    pub fn report_gain(
        &mut self,
        workload: String,
        seconds: f64,
        (work, unit): (f64, &'static str),
        (alone, over): (f64, &'static str),
        gain: f64,
    ) {
        let factor = alone / seconds;
        (self.row)(BenchRow {
            workload,
            device: "cpu",
            seconds,
            rate: work / seconds,
            unit,
            ceiling_fraction: Some(factor / gain),
            ceiling: Some("arithmetic"),
            speedup: Some(Speedup { factor, over }),
            error: None,
        });
    }

    /// The same, with the relative error of the result.
    pub fn report_checked(
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

/// One measurement: `work` units done in `seconds`.
pub(crate) struct Timed {
    pub seconds: f64,
    pub work: f64,
    pub unit: &'static str,
}

/// Median time of `repeats` calls after a warm-up call.
pub(crate) fn median_seconds(
    repeats: usize,
    mut work: impl FnMut() -> Result<(), BenchError>,
) -> Result<f64, BenchError> {
    work()?;
    let mut times = Vec::with_capacity(repeats);
    for _ in 0..repeats {
        let start = Instant::now();
        work()?;
        times.push(start.elapsed().as_secs_f64());
    }
    // The median is robust against interruptions by other processes.
    times.sort_by(f64::total_cmp);
    Ok(times[repeats / 2])
}

/// Pseudorandom numbers in [−0.5, 0.5): xorshift (Marsaglia 2003), reproducible.
pub(crate) fn noise(seed: u64) -> impl Iterator<Item = f64> {
    let mut state = seed;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        // The upper 53 bits fill the mantissa; the lowest bits of xorshift are the weakest.
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    })
}

/// Complex pseudorandom numbers.
pub(crate) fn complex_noise(count: usize, seed: u64) -> Vec<Complex64> {
    let mut next = noise(seed);
    // The iterator is infinite: `?` never ends the loop.
    (0..count).map_while(|_| Some(Complex64::new(next.next()?, next.next()?))).collect()
}

/// Floating-point operations of an LU factorization of a complex n x n matrix: n³/3 complex multiply-adds of
/// 4 real multiplications and 4 additions each.
pub(crate) fn lu_flops(n: usize) -> f64 {
    8.0 / 3.0 * (n as f64).powi(3)
}

/// A pool of `threads` threads.
pub(crate) fn pool(threads: usize) -> Result<ThreadPool, BenchError> {
    let built = ThreadPoolBuilder::new().num_threads(threads).build();
    built.map_err(|source| BenchError::Threads { count: threads, source })
}
