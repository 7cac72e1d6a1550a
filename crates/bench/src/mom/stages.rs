//! The moment method stage by stage, on a circle with twenty cells per wavelength and 360 incident waves.

use super::setup::{CELLS_PER_WAVELENGTH, circle, median_stages, stage_seconds};
use crate::device::orders;
use crate::error::BenchError;
use crate::harness::{Bench, lu_flops};
use phasefront_core::simd::instruction_sets;
use phasefront_device::Backend;
use phasefront_mom::{CellCount, Lcn, Method, Polarization, Problem, Study, prepare};
use rayon::ThreadPoolBuilder;
use std::f64::consts::TAU;

const DIRECTIONS: usize = 360;

pub(super) fn run(bench: &mut Bench<'_>) -> Result<(), BenchError> {
    for &n in orders(bench.backend) {
        let seconds = stage_seconds(bench, &many_waves(n)?)?;
        let cells = n as f64;
        bench.report(format!("mom fill N={n}"), seconds["fill"], cells * cells, "entries/s");
        bench.report(format!("mom factor N={n}"), seconds["factor"], lu_flops(n), "flop/s");
        // Two triangular solves: n² complex multiply-adds of 8 operations per direction.
        let flops = 8.0 * cells * cells * DIRECTIONS as f64;
        bench.report(format!("mom solve N={n}, {DIRECTIONS} directions"), seconds["solve"], flops, "flop/s");
        let total = seconds["near entries"] + seconds["fill"] + seconds["factor"] + seconds["solve"];
        bench.report(format!("mom fill + factor + solve N={n}"), total, cells, "unknowns/s");
    }
    orders_of_cells(bench)?;
    if matches!(bench.backend, Backend::Cpu) {
        instruction_sets_of_one_core(bench)?;
    }
    Ok(())
}

/// The fill of high-order cells: entries near the diagonal, then the whole matrix, for the combined equation.
fn orders_of_cells(bench: &mut Bench<'_>) -> Result<(), BenchError> {
    let n = orders(bench.backend)[1];
    for polarization in [Polarization::Tm, Polarization::Te] {
        let pulses = many_waves(n)?.problem;
        let lcn = Lcn::default();
        let problem = Problem {
            polarization,
            propagation: vec![0.0],
            method: Method::Lcn(lcn),
            cells: CellCount::Total(n / lcn.order),
            ..pulses
        };
        let study = prepare(problem)?;
        let (n, seconds) = (study.unknowns(), stage_seconds(bench, &study)?);
        let name =
            format!("mom order {}, {polarization:?}-CFIE", lcn.order).replace("Tm", "TM").replace("Te", "TE");
        bench.report(format!("{name}: near entries N={n}"), seconds["near entries"], n as f64, "unknowns/s");
        bench.report(format!("{name}: fill N={n}"), seconds["fill"], (n * n) as f64, "entries/s");
    }
    Ok(())
}

/// The fill on one thread with each available instruction set.
fn instruction_sets_of_one_core(bench: &mut Bench<'_>) -> Result<(), BenchError> {
    let pool = match ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(pool) => pool,
        Err(error) => {
            bench.progress.note(&format!("the fill on one thread is left out: {error}"));
            return Ok(());
        }
    };
    for &n in orders(bench.backend) {
        let study = many_waves(n)?;
        for (name, arch) in instruction_sets() {
            let seconds = median_stages(bench, |progress| pool.install(|| study.fill_on(arch, progress)))?;
            let workload = format!("mom fill N={n}, 1 thread, {name}");
            bench.report(workload, seconds["fill"], (n * n) as f64, "entries/s");
        }
    }
    Ok(())
}

/// The bench's own circle.
fn many_waves(n: usize) -> Result<Study, BenchError> {
    let directions = (0..DIRECTIONS).map(|i| TAU * i as f64 / DIRECTIONS as f64).collect();
    circle(n, n as f64 / CELLS_PER_WAVELENGTH / TAU, directions)
}
