//! Non-uniform FFTs in two dimensions at fixed sizes and tolerances, with the plan made and the points set before; with
//! `--compare`, FINUFFT on the same points in the same run. On a GPU, `nufft_gpu.rs` has the rows instead.

use super::python::{self, PYTHON};
use super::{Bench, complex_noise, median_seconds, noise, nufft_gpu, nufft_paper};
use crate::RunError;
use num_complex::Complex64;
use phasefront_device::Backend;
use phasefront_nufft::{Options, Plan, Sign, TransformType, direct};
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::Deserialize;
use std::f64::consts::TAU;

/// Points, and modes along either axis.
const SIZES: &[(usize, usize)] = &[(10_000, 256), (1_000_000, 256), (1_000_000, 1000)];
pub(super) const TOLERANCES: [f64; 2] = [1e-6, 1e-12];
const REPEATS: usize = 5;
/// Outputs, evenly chosen, whose exact sums the errors come from.
const SAMPLES: usize = 50;
const SCRIPT: &str = include_str!("nufft_peer.py");

/// Seconds and relative error.
type Timed = (f64, f64);

pub(super) fn run(bench: &mut Bench<'_>) -> Result<(), RunError> {
    if let Some(gpu) = bench.backend.gpu().cloned() {
        nufft_gpu::run(bench, &gpu)?;
    } else {
        on_cpu(bench)?;
    }
    nufft_paper::run(bench)
}

fn on_cpu(bench: &mut Bench<'_>) -> Result<(), RunError> {
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

pub(super) fn pool(threads: usize) -> Result<ThreadPool, RunError> {
    let built = ThreadPoolBuilder::new().num_threads(threads).build();
    built.map_err(|source| RunError::Threads { count: threads, source })
}

/// One row for either type, and one for the other program's.
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

/// What is transformed, and what should come out.
pub(super) struct Data {
    pub side: usize,
    pub points: [Vec<f64>; 2],
    pub strengths: Vec<Complex64>,
    pub modes: Vec<Complex64>,
    /// Exact sums at the sampled modes and at the sampled points.
    exact: [Vec<Complex64>; 2],
}

impl Data {
    /// Points all over the period; strengths and modes with parts up to 0.5 around `middle`.
    pub fn new(count: usize, side: usize, middle: f64) -> Self {
        let points = [1, 2].map(|seed| noise(seed).take(count).map(|x| TAU * x).collect());
        let [strengths, modes] = [(count, 3), (side * side, 4)].map(|(count, seed)| {
            complex_noise(count, seed).into_iter().map(|z| z + Complex64::new(middle, middle)).collect()
        });
        let mut data = Self { side, points, strengths, modes, exact: [vec![], vec![]] };
        let numbers = data.mode_numbers();
        let [sampled_modes, sampled_points] =
            [&numbers, &data.points].map(|axes| axes.each_ref().map(|x| sample(x)));
        let sums = |from: &[Vec<f64>; 2], values: &[Complex64], to: &[Vec<f64>; 2]| {
            direct::type3(
                &from.each_ref().map(Vec::as_slice),
                values,
                &to.each_ref().map(Vec::as_slice),
                Sign::Plus,
            )
        };
        data.exact = [
            sums(&data.points, &data.strengths, &sampled_modes),
            sums(&numbers, &data.modes, &sampled_points),
        ];
        data
    }

    pub fn count(&self) -> usize {
        self.strengths.len()
    }

    /// How rows name it: `M=1e6 256^2`, and `M=5041` for what is no power of ten.
    pub fn size(&self) -> String {
        let round = self.count().max(1).ilog10();
        let count =
            if 10_usize.pow(round) == self.count() { format!("1e{round}") } else { self.count().to_string() };
        format!("M={count} {}^2", self.side)
    }

    /// k along either axis of every mode, −N/2 first, the first axis fastest.
    fn mode_numbers(&self) -> [Vec<f64>; 2] {
        let (n, half) = (self.side, (self.side / 2) as f64);
        [1, n].map(|stride| (0..n * n).map(|i| (i / stride % n) as f64 - half).collect())
    }

    /// Relative error of the outputs of type 1 or 2, from those that are sampled.
    pub fn error(&self, kind: TransformType, outputs: &[Complex64]) -> f64 {
        distance(&sample(outputs), &self.exact[usize::from(kind == TransformType::Two)])
    }

    /// Types 1 and 2 by the present threads.
    fn measure(&self, tolerance: f64) -> Result<[Timed; 2], RunError> {
        let timed = |kind, input: &[Complex64], outputs: usize| {
            let (seconds, output) = transform(self, kind, tolerance, &Options::default(), input, outputs)?;
            Ok::<_, RunError>((seconds, self.error(kind, &output)))
        };
        Ok([
            timed(TransformType::One, &self.strengths, self.modes.len())?,
            timed(TransformType::Two, &self.modes, self.count())?,
        ])
    }
}

/// Seconds of a transform on the CPU, and what came out.
pub(super) fn transform(
    data: &Data,
    kind: TransformType,
    tolerance: f64,
    options: &Options,
    input: &[Complex64],
    outputs: usize,
) -> Result<(f64, Vec<Complex64>), RunError> {
    let mut plan = Plan::<f64>::new(kind, &[data.side, data.side], tolerance, options, &Backend::Cpu)?;
    plan.set_points(&data.points.each_ref().map(Vec::as_slice))?;
    let mut output = vec![Complex64::ZERO; outputs];
    let seconds = median_seconds(REPEATS, || Ok(plan.execute(input, &mut output)?))?;
    Ok((seconds, output))
}

/// Steps from one sample to the next: a prime, so that they do not all fall on one line of a grid, as even steps would.
const STRIDE: usize = 104_729;

/// Some of many; the script of the other program chooses the same.
fn sample<T: Copy>(values: &[T]) -> Vec<T> {
    (0..SAMPLES.min(values.len())).map(|i| values[i * STRIDE % values.len()]).collect()
}

/// ‖a − b‖/‖b‖.
pub(super) fn distance(a: &[Complex64], b: &[Complex64]) -> f64 {
    let error: f64 = a.iter().zip(b).map(|(a, b)| (a - b).norm_sqr()).sum();
    (error / b.iter().map(Complex64::norm_sqr).sum::<f64>()).sqrt()
}

/// FINUFFT beside ours.
struct Beside {
    /// Asked for, and there as far as is known.
    wanted: bool,
    told: bool,
    /// Points, and seconds of ours and of theirs.
    rows: Vec<[f64; 3]>,
}

/// What the script prints.
#[derive(Debug, Deserialize)]
struct Peer {
    version: String,
    seconds: [f64; 2],
    outputs: [Vec<Complex64>; 2],
}

impl Beside {
    /// Without FINUFFT, a note says how to get it.
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

    #[test]
    fn sizes_have_names_and_mode_numbers_run_along_the_first_axis_first() {
        let data = Data {
            side: 3,
            points: [vec![], vec![]],
            strengths: vec![],
            modes: vec![],
            exact: [vec![], vec![]],
        };
        assert_eq!(Data::new(500, 3, 0.0).size(), "M=500 3^2");
        assert_eq!(Data::new(1000, 4, 0.0).size(), "M=1e3 4^2");
        let [x, y] = data.mode_numbers();
        assert_eq!(x, [-1.0, 0.0, 1.0, -1.0, 0.0, 1.0, -1.0, 0.0, 1.0]);
        assert_eq!(y, [-1.0, -1.0, -1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    }

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
