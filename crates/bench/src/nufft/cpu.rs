//! Nonuniform FFTs in two dimensions at fixed sizes and tolerances, without the time for plan and
//! points; with `--compare`, FINUFFT on the same points in the same run. On a GPU, `gpu.rs` has the
//! rows instead.

use super::data::{Data, SAMPLES, TOLERANCES, Timed, distance};
use crate::error::BenchError;
use crate::harness::{Bench, pool};
use crate::python::{self, PYTHON};
use num_complex::Complex64;
use serde::Deserialize;

/// Points, and modes along either axis.
const SIZES: &[(usize, usize)] = &[(10_000, 256), (1_000_000, 256), (1_000_000, 1000)];
const SCRIPT: &str = include_str!("finufft.py");

pub(super) fn run(bench: &mut Bench<'_>) -> Result<(), BenchError> {
    let most = rayon::current_num_threads();
    let counts = if most > 1 { vec![1, most] } else { vec![1] };
    let mut beside = Beside { wanted: bench.compare, told: false, rows: Vec::new() };
    for &(count, side) in SIZES {
        let data = Data::new(count, side, 0.0);
        for tolerance in TOLERANCES {
            for &threads in &counts {
                bench.progress.check()?;
                let pool = pool(threads)?;
                let ours = pool.install(|| data.measure(tolerance))?;
                let theirs = beside.measure(bench, &data, tolerance, threads);
                report(bench, &data, tolerance, threads, ours, theirs);
                for (ours, theirs) in ours.into_iter().zip(theirs.into_iter().flatten()) {
                    beside.rows.push([count as f64, ours.0, theirs.0]);
                }
            }
        }
    }
    beside.report_mean(bench);
    Ok(())
}

/// One row per type, and one for the other program.
fn report(
    bench: &mut Bench<'_>,
    data: &Data,
    tolerance: f64,
    threads: usize,
    ours: [Timed; 2],
    theirs: Option<[Timed; 2]>,
) {
    let work = (data.count() as f64, "points/s");
    for (i, (seconds, error)) in ours.into_iter().enumerate() {
        let plural = if threads == 1 { "" } else { "s" };
        let name = format!("{} {} {tolerance:.0e} {threads} thread{plural}", i + 1, data.size());
        let other = theirs.map(|theirs| theirs[i]);
        if let Some((seconds, error)) = other {
            bench.report_checked(format!("finufft {name}"), "cpu", (seconds, Some(error)), work, None);
        }
        let other = other.map(|(seconds, _)| (seconds, "finufft"));
        bench.report_checked(format!("nufft {name}"), "cpu", (seconds, Some(error)), work, other);
    }
}

/// Comparison with FINUFFT.
struct Beside {
    /// Requested, and not known to be missing.
    wanted: bool,
    told: bool,
    /// Points, and seconds of ours and of FINUFFT.
    rows: Vec<[f64; 3]>,
}

/// The output of the script.
#[derive(Debug, Deserialize)]
struct Peer {
    version: String,
    seconds: [f64; 2],
    outputs: [Vec<Complex64>; 2],
}

impl Beside {
    /// Without FINUFFT, a note explains how to install it.
    fn measure(
        &mut self,
        bench: &Bench<'_>,
        data: &Data,
        tolerance: f64,
        threads: usize,
    ) -> Option<[Timed; 2]> {
        if !self.wanted {
            return None;
        }
        match finufft(data, tolerance, threads) {
            Ok(peer) => {
                if !std::mem::replace(&mut self.told, true) {
                    bench.progress.note(&format!("compared with {}", peer.version));
                }
                let error = |i: usize| distance(&peer.outputs[i], &data.exact[i]);
                Some([(peer.seconds[0], error(0)), (peer.seconds[1], error(1))])
            }
            Err(reason) => {
                self.wanted = false;
                bench.progress.note(&format!(
                    "no comparison with FINUFFT: {reason}; `pip install finufft` into the {PYTHON} of the PATH"
                ));
                None
            }
        }
    }

    /// Geometric means over all rows that have both.
    fn report_mean(&self, bench: &mut Bench<'_>) {
        if self.rows.is_empty() {
            return;
        }
        let mean = |i: usize| {
            let logarithms: f64 = self.rows.iter().map(|row| row[i].ln()).sum();
            (logarithms / self.rows.len() as f64).exp()
        };
        let workload = format!("nufft geometric mean of {} rows", self.rows.len());
        bench.report_beside(workload, "cpu", mean(1), (mean(0), "points/s"), Some((mean(2), "finufft")));
    }
}

fn finufft(data: &Data, tolerance: f64, threads: usize) -> Result<Peer, String> {
    let arguments = [data.count(), data.side].map(|n| n.to_string()).into_iter();
    let arguments: Vec<String> =
        arguments.chain([tolerance.to_string(), threads.to_string(), SAMPLES.to_string()]).collect();
    let [x, y] = data.points.each_ref().map(|x| bytemuck::cast_slice(x));
    let input = [x, y, bytemuck::cast_slice(&data.strengths), bytemuck::cast_slice(&data.modes)];
    python::run(PYTHON, SCRIPT, &arguments, threads, &input)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both programs against the same sums: what is compared is the same work.
    #[test]
    fn ours_and_finufft_do_the_same_work() {
        let data = Data::new(500, 40, 0.0);
        let ours = data.measure(1e-9).unwrap();
        assert!(ours.iter().all(|(seconds, error)| *seconds > 0.0 && *error < 5e-9), "{ours:?}");
        match finufft(&data, 1e-9, 1) {
            Ok(peer) => {
                let errors = [0, 1].map(|i| distance(&peer.outputs[i], &data.exact[i]));
                assert!(errors.iter().all(|error| *error < 5e-9), "{errors:?}");
            }
            Err(reason) => assert!(reason.contains(PYTHON) || reason.contains("No module named"), "{reason}"),
        }
    }
}
