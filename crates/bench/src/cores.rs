//! Scaling over the cores of one machine: each solver's CPU code on all threads of the pool against one thread, beside the
//! scaling of the two peak rates. Memory bandwidth bounds `dgtd`, the matrix product bounds `mom`.

use crate::error::BenchError;
use crate::harness::{Bench, Timed, lu_flops, pool};
use crate::{device, dgtd, nah, reflectarray, sbr};
use phasefront_device::Backend;
use phasefront_device::doctor::measure;

/// What the other time of a row is.
const ONE: &str = "1 thread";
/// Order of the LU factorization.
const LU_ORDER: usize = 4000;

/// A workload on the CPU, with the threads of the current pool.
type Workload = fn() -> Result<Timed, BenchError>;

pub(crate) fn run(bench: &mut Bench<'_>) -> Result<(), BenchError> {
    let threads = rayon::current_num_threads();
    if threads == 1 {
        bench.progress.note("one thread: there is nothing to compare it with");
        return Ok(());
    }
    let rates = pool(1)?.install(|| measure(&Backend::Cpu))?;
    // On a GPU the rates of the bench are those of the GPU.
    let all = measure(&Backend::Cpu)?;
    for (name, one, all, unit) in [
        ("copy", rates.copy_bytes_per_s, all.copy_bytes_per_s, "byte/s"),
        ("GEMM", rates.gemm_flop_per_s, all.gemm_flop_per_s, "flop/s"),
    ] {
        let name = format!("cores: {name}, {threads} threads, per 1e9");
        bench.report_beside(name, "cpu", 1e9 / all, (1e9, unit), Some((1e9 / one, ONE)));
    }
    // In the pool of the bench: a share of the matrix product on as many threads.
    let seconds = device::lu_seconds(&Backend::Cpu, LU_ORDER)?;
    let peak = Some((all.gemm_flop_per_s, "GEMM"));
    bench.report_share(format!("cores: mom LU N={LU_ORDER}"), seconds, (lu_flops(LU_ORDER), "flop/s"), peak);
    let workloads: [(&str, Workload); 4] = [
        ("dgtd stage N=3 single", dgtd::on_cores),
        ("nah hop 32, plpbp, single, n=10", nah::on_cores),
        ("reflectarray synthesis, 71 x 71", reflectarray::on_cores),
        ("sbr aircraft B, 60 directions", sbr::on_cores),
    ];
    for (name, work) in workloads {
        bench.progress.check()?;
        let Timed { seconds, work: amount, unit } = work()?;
        let alone = pool(1)?.install(work)?.seconds;
        bench.report_beside(format!("cores: {name}"), "cpu", seconds, (amount, unit), Some((alone, ONE)));
    }
    Ok(())
}
