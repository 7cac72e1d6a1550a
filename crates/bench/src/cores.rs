//! Scaling over the cores of one machine: each solver's CPU code on all threads of the pool against one thread, beside the
//! scaling of the peak rates. Memory bandwidth bounds `dgtd`, the matrix product bounds `mom`, arithmetic in registers the others: a row says which
//! share of that gain it has.

use crate::error::BenchError;
use crate::harness::{Bench, Timed, lu_flops, pool};
use crate::{arithmetic, device, dgtd, nah, reflectarray, sbr};
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
    if let Some(text) = arithmetic::topology() {
        bench.progress.note(&text);
    }
    let rates = pool(1)?.install(|| measure(&Backend::Cpu))?;
    // On a GPU the rates of the bench are those of the GPU.
    let all = measure(&Backend::Cpu)?;
    let arithmetic = [pool(1)?.install(arithmetic::operations_per_s), arithmetic::operations_per_s()];
    for (name, one, all, unit) in [
        ("copy", rates.copy_bytes_per_s, all.copy_bytes_per_s, "byte/s"),
        ("GEMM", rates.gemm_flop_per_s, all.gemm_flop_per_s, "flop/s"),
        ("arithmetic in registers", arithmetic[0], arithmetic[1], "operations/s"),
    ] {
        let name = format!("cores: {name}, {threads} threads, per 1e9");
        bench.report_beside(name, "cpu", 1e9 / all, (1e9, unit), Some((1e9 / one, ONE)));
    }
    // In the pool of the bench: a share of the matrix product on as many threads.
    let seconds = device::lu_seconds(&Backend::Cpu, LU_ORDER)?;
    let peak = Some((all.gemm_flop_per_s, "GEMM"));
    bench.report_share(format!("cores: mom LU N={LU_ORDER}"), seconds, (lu_flops(LU_ORDER), "flop/s"), peak);
    let workloads: [(&str, Workload); 5] = [
        ("dgtd stage N=3 single", dgtd::on_cores),
        ("nah hop 32, plpbp, single, n=10", nah::on_cores),
        ("reflectarray synthesis, 71 x 71", reflectarray::on_cores),
        ("reflectarray synthesis, 141 x 141", reflectarray::large_on_cores),
        ("sbr aircraft B, 15 directions a thread", sbr::on_cores),
    ];
    for (name, work) in workloads {
        bench.progress.check()?;
        let Timed { seconds, work: amount, unit } = work()?;
        let alone = pool(1)?.install(work)?;
        // Of the same work, where one thread has less of it.
        let alone = alone.seconds * amount / alone.work;
        // Once more for every solver: the speed of a virtual machine changes within minutes.
        let gain = arithmetic::operations_per_s() / pool(1)?.install(arithmetic::operations_per_s);
        bench.report_gain(format!("cores: {name}"), seconds, (amount, unit), (alone, ONE), gain);
    }
    Ok(())
}
