//! The figures of the thesis reproduced on this machine: its algorithm stage by stage against N, on
//! one CPU core and on the GPU, compared with ours. `docs/paper-baseline.md` relates figures to
//! rows.

use super::setup::{circle, stage_seconds};
use crate::error::BenchError;
use crate::harness::{Bench, lu_flops};
use phasefront_core::Precision;
use phasefront_device::{DeviceKind, Gpu};
use phasefront_mom::baseline::gpu::{Launch, Plan, resident_blocks};
use phasefront_mom::baseline::{self, Times};
use std::sync::Arc;

/// Unknowns; the thesis's figures run to 2500 on the CPU and to 5000 on the GPU.
const ORDERS: &[usize] = &[250, 500, 1000, 1500, 2000, 2500];
const CUDA_ORDERS: &[usize] = &[250, 500, 1000, 1500, 2000, 2500, 5000];
/// OpenCL runs one block of the LU, and serves for tests.
const OPENCL_ORDERS: &[usize] = &[250];
/// The thesis computed in float2.
const PRECISION: Precision = Precision::Single;
/// Time limit of the CPU part in seconds; larger orders are left out.
const CPU_SECONDS: f64 = 120.0;
/// Orders that one GPU thread can solve in seconds.
const ONE_THREAD_ORDERS: &[usize] = &[100, 250];
/// The sweep over blocks and threads; the GPU of the thesis supported at most 30 blocks.
const SWEEP_ORDER: usize = 1000;
const SWEEP_BLOCKS: &[u32] = &[8, 30, 120, 480];
const SWEEP_THREADS: &[u32] = &[64, 256, 512];
const REPEATS: usize = 3;
/// The thesis's MATLAB program: unknowns and seconds, on a Pentium M of 1.6 GHz.
const MATLAB: (usize, f64) = (2500, 700.0);

/// Names, times and work of the stages, the whole last.
fn stages(n: usize, times: &Times) -> [(&'static str, f64, (f64, &'static str)); 5] {
    let (unknowns, entries) = (n as f64, (n as f64).powi(2));
    [
        ("fill", times.fill, (entries, "entries/s")),
        ("LU", times.lu, (lu_flops(n), "flop/s")),
        // Two triangular inverses of n³/6 complex multiply-adds each: as many as the LU has.
        ("inverse", times.inverse, (lu_flops(n), "flop/s")),
        ("multiply", times.multiply, (8.0 * entries, "flop/s")),
        ("total", times.total(), (unknowns, "unknowns/s")),
    ]
}

pub(super) fn run(bench: &mut Bench<'_>) -> Result<(), BenchError> {
    let gpu = bench.backend.gpu().cloned();
    let orders = match bench.backend.kind() {
        DeviceKind::Cuda => CUDA_ORDERS,
        DeviceKind::OpenCl => OPENCL_ORDERS,
        DeviceKind::Cpu => ORDERS,
    };
    let plan = gpu.as_ref().map(|gpu| best_plan(bench, gpu)).transpose()?;
    let mut clock = CpuClock::default();
    for &n in orders {
        bench.progress.check()?;
        let cpu = clock.affords(n).then(|| baseline::cpu::solve(n, PRECISION).0);
        match &cpu {
            Some(times) => {
                clock.book(n, times.total());
                report(bench, "cpu", n, times, None);
            }
            None => bench.progress.note(&format!(
                "the paper's way with {n} unknowns on one core is left out: all orders together get {CPU_SECONDS} s"
            )),
        }
        let mut paper = cpu.map(|times| (times.total(), "paper cpu"));
        if let (Some(gpu), Some(plan)) = (&gpu, &plan) {
            let times = on_gpu(bench, gpu, n, plan, cpu.as_ref())?;
            paper = Some((times.total(), "paper gpu"));
        }
        ours(bench, n, paper)?;
    }
    Ok(())
}

/// Elapsed time of the CPU part, to predict whether the next order fits: the work grows as N³.
#[derive(Default)]
struct CpuClock {
    spent: f64,
    seconds_per_cube: f64,
}

impl CpuClock {
    fn affords(&self, n: usize) -> bool {
        self.spent + self.seconds_per_cube * (n as f64).powi(3) <= CPU_SECONDS
    }

    fn book(&mut self, n: usize, seconds: f64) {
        self.spent += seconds;
        self.seconds_per_cube = seconds / (n as f64).powi(3);
    }
}

/// One row per stage, compared with the CPU if available.
fn report(bench: &mut Bench<'_>, device: &'static str, n: usize, times: &Times, cpu: Option<&Times>) {
    let cpu = cpu.map(|times| stages(n, times));
    for (i, (stage, seconds, work)) in stages(n, times).into_iter().enumerate() {
        let other = cpu.map(|cpu| (cpu[i].1, "paper cpu"));
        bench.report_beside(format!("paper {stage} N={n}"), device, seconds, work, other);
    }
}

/// The paper's algorithm on the GPU, with shared memory; its LU also without.
fn on_gpu(
    bench: &mut Bench<'_>,
    gpu: &Arc<dyn Gpu>,
    n: usize,
    plan: &Plan,
    cpu: Option<&Times>,
) -> Result<Times, BenchError> {
    let device = bench.backend.name();
    let times = median(gpu, n, plan)?;
    report(bench, device, n, &times, cpu);
    let without = median(gpu, n, &Plan { shared: false, ..*plan })?;
    let other = cpu.map(|cpu| (cpu.lu, "paper cpu"));
    let work = (lu_flops(n), "flop/s");
    bench.report_beside(format!("paper LU N={n}, no shared memory"), device, without.lu, work, other);
    Ok(times)
}

/// The run with the median total time, after a warm-up.
fn median(gpu: &Arc<dyn Gpu>, n: usize, plan: &Plan) -> Result<Times, BenchError> {
    let mut runs = Vec::with_capacity(REPEATS);
    for run in 0..=REPEATS {
        let (times, _) = baseline::gpu::solve(gpu, n, PRECISION, plan)?;
        if run > 0 {
            runs.push(times);
        }
    }
    runs.sort_by(|a, b| a.total().total_cmp(&b.total()));
    Ok(runs[REPEATS / 2])
}

/// Our algorithm at the same order, in double precision, and its speed-up over the paper's.
fn ours(bench: &mut Bench<'_>, n: usize, paper: Option<(f64, &'static str)>) -> Result<(), BenchError> {
    let seconds = stage_seconds(bench, &circle(n, 1.0, vec![0.0])?)?;
    let total = seconds["fill"] + seconds["factor"] + seconds["solve"];
    let (device, work) = (bench.backend.name(), (n as f64, "unknowns/s"));
    bench.report_beside(format!("ours total N={n}"), device, total, work, paper);
    let (unknowns, matlab) = MATLAB;
    if n == unknowns {
        let workload = format!("ours total N={n}, MATLAB {matlab} s");
        bench.report_beside(workload, device, total, work, Some((matlab, "MATLAB")));
    }
    Ok(())
}

/// The fastest launch configuration of each stage in the sweep, whose rows it reports; one thread
/// first.
fn best_plan(bench: &mut Bench<'_>, gpu: &Arc<dyn Gpu>) -> Result<Plan, BenchError> {
    if bench.backend.kind() == DeviceKind::OpenCl {
        return Ok(Plan::uniform(1, 64, true));
    }
    let device = bench.backend.name();
    for &n in ONE_THREAD_ORDERS {
        bench.progress.check()?;
        let (times, _) = baseline::gpu::solve(gpu, n, PRECISION, &Plan::uniform(1, 1, false))?;
        for (stage, seconds, work) in stages(n, &times) {
            bench.report_beside(format!("paper {stage} N={n}, 1 thread"), device, seconds, work, None);
        }
    }
    let n = SWEEP_ORDER;
    let mut best = Plan::uniform(1, 1, true);
    let mut least = [f64::INFINITY; 3];
    for &threads in SWEEP_THREADS {
        let most = resident_blocks(gpu, PRECISION, threads, true)?
            .min(resident_blocks(gpu, PRECISION, threads, false)?);
        for &blocks in SWEEP_BLOCKS {
            bench.progress.check()?;
            let launch = Launch { blocks, threads };
            let lu = Launch { blocks: blocks.min(most), threads };
            let times = median(gpu, n, &Plan { lu, ..Plan::uniform(blocks, threads, true) })?;
            let shares = [&mut best.fill, &mut best.lu, &mut best.inverse];
            for (i, ((stage, seconds, work), share)) in stages(n, &times).into_iter().zip(shares).enumerate()
            {
                let used = if i == 1 { lu } else { launch };
                if seconds < least[i] {
                    (least[i], *share) = (seconds, used);
                }
                let workload = format!("paper {stage} N={n}, {} x {threads}", used.blocks);
                bench.report_beside(workload, device, seconds, work, None);
            }
        }
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_that_take_too_long_are_left_out() {
        let mut clock = CpuClock::default();
        assert!(clock.affords(250));
        clock.book(1000, 10.0);
        assert!(clock.affords(2000), "10 s and 80 s");
        assert!(!clock.affords(2500), "10 s and 156 s");
    }

    #[test]
    fn the_whole_is_the_sum_of_its_stages() {
        let times = Times { fill: 1.0, lu: 2.0, inverse: 3.0, multiply: 0.5 };
        let stages = stages(10, &times);
        assert_eq!(stages.map(|(name, ..)| name), ["fill", "LU", "inverse", "multiply", "total"]);
        assert_eq!(stages[4].1, 6.5);
    }
}
