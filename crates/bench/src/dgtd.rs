//! Time-domain Maxwell: unknowns per second of a Runge-Kutta stage, by order; and figures 6 and 7
//! of Zhao, Chen and Yu (2016) reproduced: operations per second of each of their three kernels,
//! and the speed-up over one CPU core. `docs/dgtd-paper.md` compares both.

use crate::error::BenchError;
use crate::harness::{Bench, Timed};
use phasefront_core::Precision;
use phasefront_core::constants::C0;
use phasefront_device::{Backend, DeviceKind, Gpu};
use phasefront_dgtd::{
    Boundary, Initial, Material, PartTiming, Problem, Pulse, STAGES, Sources, SplitKernel, Stop, Study,
    TimeStepping, Variant, prepare,
};
use phasefront_mesh::{BoxMesh, BoxRegion};
use std::f64::consts::PI;
use std::sync::Arc;
use std::time::Instant;

/// Cells along the edge of the metal cube, each of six elements, for orders 1 to 6: ten to fifty
/// million unknowns on a GPU, five million on a CPU, and few with OpenCL.
const GPU_CELLS: [usize; 6] = [64, 44, 34, 28, 24, 20];
const CPU_CELLS: [usize; 6] = [40, 24, 18, 14, 12, 10];
const OPENCL_CELLS: [usize; 6] = [6, 5, 4, 3, 3, 2];
/// Orders of the paper's figures.
const PAPER_ORDERS: std::ops::RangeInclusive<usize> = 2..=5;
/// Minimum duration of a measurement in seconds, and maximum number of steps.
const SECONDS: f64 = 0.5;
const MAX_STEPS: usize = 200;
/// Gaps of the models with local steps, m.
const GAPS: [f64; 3] = [2e-3, 0.5e-3, 0.1e-3];
/// Steps that are timed of a part.
const PART_STEPS: usize = 40;

pub(crate) fn run(bench: &mut Bench<'_>) -> Result<(), BenchError> {
    for precision in [Precision::Single, Precision::Double] {
        for order in 1..=6 {
            bench.progress.check()?;
            let study = cube(order, cells(bench.backend)[order - 1], precision)?;
            let seconds = stage_seconds(&study, bench.backend)?;
            let roof = bench.rates.copy_bytes_per_s / bytes_per_unknown(&study);
            let name = format!("dgtd stage N={order} {precision}");
            bench.report_share(name, seconds, (study.dof() as f64, "DOF/s"), Some((roof, "copy")));
        }
    }
    set_up(bench)?;
    parts(bench)?;
    for gap in GAPS {
        bench.progress.check()?;
        local_steps(bench, gap)?;
    }
    if let Backend::Gpu(gpu) = bench.backend {
        let gpu = gpu.clone();
        for order in PAPER_ORDERS {
            bench.progress.check()?;
            paper(bench, &gpu, order)?;
        }
    }
    Ok(())
}

/// Simulated time per second with local steps, in a model of 100 mm across with a gap, against one step for all elements; order 2.
fn local_steps(bench: &mut Bench<'_>, gap: f64) -> Result<(), BenchError> {
    let cells = match bench.backend {
        Backend::Cpu => 12,
        Backend::Gpu(gpu) if gpu.info().kind == DeviceKind::OpenCl => 3,
        Backend::Gpu(_) => 40,
    };
    let mut rates = [0.0; 2];
    let mut words = String::new();
    for (rate, time_stepping) in rates.iter_mut().zip([TimeStepping::Global, TimeStepping::Local]) {
        let study = prepare(with_gap(gap, cells, time_stepping)?)?;
        if let Some((gain, levels)) = study.local_steps() {
            words = format!("{levels} levels, {gain:.1} predicted");
        }
        let (mut steps, mut seconds) = (1, 0.0);
        while seconds < SECONDS && steps < MAX_STEPS {
            steps *= 4;
            seconds = study.time_steps(bench.backend, steps, None)?;
        }
        *rate = 1e9 * study.step.dt * steps as f64 / seconds;
    }
    let [global, local] = rates;
    let name = format!("dgtd local steps N=2: gap {} mm, {words}", 1e3 * gap);
    bench.report_share(name, 1.0 / local, (1.0, "ns/s"), Some((global, "one step for all")));
    Ok(())
}

/// A box with a layer of elements as high as the gap.
fn with_gap(gap: f64, cells: usize, time_stepping: TimeStepping) -> Result<Problem, BenchError> {
    let layer = BoxRegion { name: "gap".into(), from: [0.0, 0.0, 0.05], to: [0.1, 0.1, 0.05 + gap] };
    let mesh = BoxMesh {
        to: [0.1; 3],
        cell: [0.1 / cells as f64; 3],
        name: "air".into(),
        regions: vec![layer],
        ..BoxMesh::default()
    };
    let sides = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"];
    Ok(Problem {
        mesh: mesh.mesh()?,
        materials: vec![("gap".into(), Material::VACUUM)],
        boundaries: sides.map(|side| (side.into(), Boundary::Absorbing)).into(),
        stop: Stop { energy_db: None, time: 10e-9 },
        highest_frequency: 3e9,
        pulse: Pulse::gaussian(3e9),
        order: 2,
        precision: Precision::Single,
        time_stepping,
        ..Problem::default()
    })
}

/// All that precedes the first step, from the mesh to the tables on the device, order 3.
fn set_up(bench: &mut Bench<'_>) -> Result<(), BenchError> {
    bench.progress.check()?;
    let cells = match bench.backend {
        Backend::Cpu => 26,
        Backend::Gpu(gpu) if gpu.info().kind == DeviceKind::OpenCl => 4,
        Backend::Gpu(_) => 55,
    };
    let started = Instant::now();
    let study = cube(3, cells, Precision::Single)?;
    // No steps: the engine is made, and its initial energy is waited for.
    study.time_steps(bench.backend, 0, None)?;
    let (seconds, elements) = (started.elapsed().as_secs_f64(), study.problem.mesh.tets.len() as f64);
    bench.report(format!("dgtd set-up N=3: {elements}"), seconds, elements, "elements/s");
    Ok(())
}

/// A stage of order 3 on the CPU, for the scaling over cores.
pub(crate) fn on_cores() -> Result<Timed, BenchError> {
    let study = cube(3, CPU_CELLS[2], Precision::Single)?;
    let seconds = stage_seconds(&study, &Backend::Cpu)?;
    Ok(Timed { seconds, work: study.dof() as f64, unit: "DOF/s" })
}

/// One of several parts of a mesh, order 3: elements at the border advanced before the others, and traces copied to the host and back,
/// against all at once. The exchange itself is left out.
fn parts(bench: &mut Bench<'_>) -> Result<(), BenchError> {
    // On a GPU a part has about a million elements, then a hundred thousand with one neighbor and with several.
    let cells = match bench.backend {
        Backend::Cpu => [(2, 18)].to_vec(),
        Backend::Gpu(gpu) if gpu.info().kind == DeviceKind::OpenCl => [(2, 4)].to_vec(),
        Backend::Gpu(_) => [(2, 69), (2, 32), (8, 51)].to_vec(),
    };
    for (ranks, cells) in cells {
        bench.progress.check()?;
        let study = cube(3, cells, Precision::Single)?;
        let timing = study.time_part(bench.backend, ranks, PART_STEPS)?;
        let stages = (PART_STEPS * STAGES) as f64;
        let dof = study.dof() as f64 * timing.elements as f64 / study.problem.mesh.tets.len() as f64;
        let PartTiming { elements, border, bytes, planning, .. } = timing;
        let all = study.problem.mesh.tets.len() as f64;
        bench.report(format!("dgtd partition and plan 1/{ranks}: {all}"), planning, all, "elements/s");
        let name = format!("dgtd part 1/{ranks} N=3: {elements}, border {border}, {bytes} B");
        let at_once = dof * stages / timing.at_once;
        bench.report_share(name, timing.seconds / stages, (dof, "DOF/s"), Some((at_once, "at once")));
    }
    Ok(())
}

fn cells(backend: &Backend) -> [usize; 6] {
    match backend {
        Backend::Cpu => CPU_CELLS,
        Backend::Gpu(gpu) if gpu.info().kind == DeviceKind::OpenCl => OPENCL_CELLS,
        Backend::Gpu(_) => GPU_CELLS,
    }
}

/// A mode of a metal cube: one kind of element, no sources and no monitors.
fn cube(order: usize, cells: usize, precision: Precision) -> Result<Study, BenchError> {
    let cell = [1.0 / cells as f64; 3];
    let brick = BoxMesh { from: [0.0; 3], to: [1.0; 3], cell, name: "air".into(), ..BoxMesh::default() };
    let sides = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"];
    let problem = Problem {
        mesh: brick.mesh()?,
        boundaries: sides.map(|side| (side.into(), Boundary::Pec)).into(),
        sources: Sources {
            initial: Some(Initial::Mode { k: [PI; 3], a: [1.0, -2.0, 1.0] }),
            ..Sources::default()
        },
        stop: Stop { energy_db: None, time: 1.0 / C0 },
        // A wavelength that even one cell of order 1 resolves.
        highest_frequency: C0 / 8.0,
        order,
        precision,
        ..Problem::default()
    };
    prepare(problem).map_err(BenchError::from)
}

/// Seconds of one stage, over enough steps for a reliable measurement.
fn stage_seconds(study: &Study, backend: &Backend) -> Result<f64, BenchError> {
    let mut steps = 2;
    loop {
        let seconds = study.time_steps(backend, steps, None)?;
        if seconds > SECONDS || steps >= MAX_STEPS {
            return Ok(seconds / (steps * STAGES) as f64);
        }
        // Geometric growth: the discarded measurements cost a third of the last one.
        steps = (steps * 4).min(MAX_STEPS);
    }
}

/// Lower bound of the memory traffic per unknown and stage: fields and increments are read and
/// written, traces are written and read, and the geometry of every element is read.
fn bytes_per_unknown(study: &Study) -> f64 {
    let order = study.problem.order as f64;
    let (nodes, face_nodes) =
        ((order + 1.0) * (order + 2.0) * (order + 3.0) / 6.0, (order + 1.0) * (order + 2.0) / 2.0);
    // Per element: four accesses to six components per node, the traces on four faces written and
    // read, and 16 numbers of geometry.
    let numbers = 4.0 * 6.0 * nodes + 2.0 * 2.0 * 4.0 * face_nodes + 16.0;
    numbers * study.problem.precision.bytes() as f64 / (6.0 * nodes)
}

/// Figures 6 and 7 at one order: their three kernels and ours, compared with one core.
fn paper(bench: &mut Bench<'_>, gpu: &Arc<dyn Gpu>, order: usize) -> Result<(), BenchError> {
    let study = cube(order, cells(bench.backend)[order - 1], Precision::Single)?;
    let (shape, seconds) = study.time_kernels(gpu, 20)?;
    let elements = study.problem.mesh.tets.len() as f64;
    let flops = operations(shape.nodes as f64, shape.face_nodes as f64).map(|flops| flops * elements);
    let device = bench.backend.name();
    for ((kernel, seconds), flops) in SplitKernel::ALL.iter().zip(seconds).zip(flops) {
        let name = format!("paper 6 {} N={order}", kernel.name());
        bench.report_beside(name, device, seconds, (flops, "flop/s"), None);
    }
    let Variant::Split { elements: group } = shape.variant else { return Ok(()) };
    let (split, flops) = (seconds.iter().sum::<f64>(), flops.iter().sum::<f64>());
    // Both on the same elements, as many as one core can process in the time.
    let small = cube(order, CPU_CELLS[order - 1], Precision::Single)?;
    // Scaled to the size of the GPU problem: the time per unknown hardly depends on the size.
    let one_core = one_core_seconds(&small)? * study.dof() as f64 / small.dof() as f64;
    let fused = stage_seconds(&study, bench.backend)?;
    let beside = Some((one_core, "one cpu core"));
    bench.report_beside(
        format!("paper 7 three kernels N={order}, {group} elements a group"),
        device,
        split,
        (flops, "flop/s"),
        beside,
    );
    bench.report_beside(format!("paper 7 one kernel N={order}"), device, fused, (flops, "flop/s"), beside);
    Ok(())
}

/// Seconds of a stage on one core.
fn one_core_seconds(study: &Study) -> Result<f64, BenchError> {
    match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(pool) => pool.install(|| stage_seconds(study, &Backend::Cpu)),
        // Without a thread pool of its own it runs on all cores, and the speed-up is
        // underestimated.
        Err(_) => stage_seconds(study, &Backend::Cpu),
    }
}

/// Floating-point operations of the curl, surface and update kernels per element, as written in
/// `kernels/split.cu`: two curls of 12 multiply-adds per node and column, and changes of basis; per
/// face node four products with tangents and two jumps, two lifted scalars, and the sum over four
/// faces; and 2 multiply-adds per unknown, losses, and the new traces.
fn operations(nodes: f64, face_nodes: f64) -> [f64; 3] {
    let on_faces = 4.0 * face_nodes;
    [
        24.0 * nodes * nodes + 66.0 * nodes,
        34.0 * on_faces + 4.0 * nodes * on_faces + 112.0 * nodes,
        30.0 * nodes + 24.0 * on_faces,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The spec of a roof: 96 bytes a node and 64 an element, and traces, in single precision.
    #[test]
    fn bytes_are_counted_once() {
        let study = cube(2, 1, Precision::Single).unwrap();
        let traces = 2.0 * 4.0 * 6.0 * 2.0 * 4.0;
        assert!((bytes_per_unknown(&study) * 60.0 - (96.0 * 10.0 + 64.0 + traces)).abs() < 1e-9);
    }
}
