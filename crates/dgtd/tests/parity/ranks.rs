//! Several ranks give the answers of one: to the last bit on CPUs.

use crate::resume::Kept;
use crate::{apart, curved, everything, local, lossy_line, waves};
use phasefront_comm::threads;
use phasefront_core::{Precision, Progress};
use phasefront_device::{Backend, for_each_gpu};
use phasefront_dgtd::{
    Boundary, Checkpoint, CheckpointPart, DgtdError, Flux, Initial, PmlKind, Port, PortShape, Problem, Pulse,
    Saved, Solution, Stop, Study, TimeStepping, prepare,
};
use phasefront_mesh::{BoxMesh, BoxSheet};
use std::f64::consts::TAU;
use std::sync::Mutex;

/// A checkpoint with the parts of all ranks.
type Whole = (Checkpoint, Vec<CheckpointPart>);

/// Runs a study on so many ranks, which are threads; the solution, and the first checkpoint.
fn run(study: &Study, ranks: usize, from: Option<&Whole>, backend: &Backend) -> (Solution, Option<Whole>) {
    let parts = Mutex::new(vec![CheckpointPart::default(); ranks]);
    let solved = threads::run(ranks, |comm| {
        // Few threads: ranks would share this machine's cores.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        pool.install(|| {
            let mut kept = Kept::default();
            let saved = from.map(|(checkpoint, parts)| Saved { checkpoint, parts });
            let solution = study.solve_on(comm, saved.as_ref(), backend, &Progress::silent(), &mut kept)?;
            let elements: f64 = solution.ranks.iter().map(|rank| rank.elements).sum();
            assert!(ranks == 1 || comm.rank() > 0 || elements == study.problem.mesh.tets.len() as f64);
            let first = kept.checkpoints.into_iter().next().map(|(checkpoint, part)| {
                parts.lock().unwrap()[comm.rank()] = part;
                checkpoint
            });
            Ok::<_, DgtdError>((Solution { ranks: Vec::new(), ..solution }, first))
        })
    });
    let (solution, first) = solved.unwrap();
    (solution, first.map(|checkpoint| (checkpoint, parts.into_inner().unwrap())))
}

/// A wave that crosses periodic sides, in curved elements.
fn periodic(precision: Precision) -> Problem {
    let k = [TAU, 0.0, TAU];
    let mut problem = Problem {
        mesh: BoxMesh { cell: [0.25; 3], name: "air".into(), ..BoxMesh::default() }.mesh().unwrap(),
        periodic: ["x", "y", "z"].map(|axis| (format!("{axis}min"), format!("{axis}max"))).into(),
        stop: Stop { energy_db: None, time: 1e-9 },
        highest_frequency: 1e8,
        order: 2,
        precision,
        ..Problem::default()
    };
    problem.mesh = crate::deformed(problem.mesh, |[x, y, z]| {
        let bump =
            0.03 * [x, y, z].iter().map(|t| (0.25 - (t - 0.5).powi(2)).max(0.0)).product::<f64>() * 64.0;
        [x + bump, y - bump, z]
    });
    problem.sources.initial = Some(Initial::Wave { k, e: [0.0, 1.0, 0.0] });
    problem.monitors.probes = vec![[0.3, 0.4, 0.6]];
    problem
}

/// A parallel-plate line with a port at each end, and one inside that feeds both ways.
fn line(precision: Precision) -> Problem {
    let middle = BoxSheet { name: "middle".into(), from: [0.0, 0.0, 0.4], to: [0.1, 0.2, 0.4] };
    let mesh = BoxMesh {
        to: [0.1, 0.2, 0.8],
        cell: [0.05; 3],
        name: "air".into(),
        sheets: vec![middle],
        ..BoxMesh::default()
    };
    let port = |surface: &str| Port {
        surface: surface.into(),
        shape: PortShape::Lumped { along: [1.0, 0.0, 0.0] },
        resistance: Some(188.0),
    };
    let wall = |name: &str, boundary| (name.to_owned(), boundary);
    let mut problem = Problem {
        mesh: mesh.mesh().unwrap(),
        boundaries: vec![
            wall("xmin", Boundary::Pec),
            wall("xmax", Boundary::Pec),
            wall("ymin", Boundary::Pmc),
            wall("ymax", Boundary::Pmc),
        ],
        pulse: Pulse::gaussian(200e6),
        stop: Stop { energy_db: Some(20.0), time: 40e-9 },
        highest_frequency: 2e8,
        order: 2,
        precision,
        ..Problem::default()
    };
    problem.sources.ports = vec![port("middle"), port("zmin"), port("zmax")];
    problem.monitors.frequencies = vec![100e6];
    problem
}

/// The same line between two wave ports.
fn guide(precision: Precision) -> Problem {
    let mut problem = line(precision);
    for port in &mut problem.sources.ports {
        let wave = PortShape::Wave { mode: 0, polarity: None, shift: 0.0 };
        *port = Port { shape: wave, resistance: None, ..port.clone() };
    }
    problem.sources.ports.remove(0);
    problem.pulse = Pulse::modulated(1.5e9, 2e9);
    problem
}

fn cases() -> Vec<(&'static str, Problem)> {
    use Precision::{Double, Single};
    let short = Stop { energy_db: None, time: 0.4e-9 };
    let mut snapshots = everything(1, Single, PmlKind::Cfs, Flux::Upwind);
    snapshots.monitors.snapshots = vec![0.1e-9, 0.3e-9];
    vec![
        ("CFS-PML, poles", everything(2, Double, PmlKind::Cfs, Flux::Upwind)),
        ("uniaxial PML, central flux", everything(1, Single, PmlKind::Uniaxial, Flux::Central)),
        ("curved", curved(everything(1, Double, PmlKind::Cfs, Flux::Upwind))),
        ("curved, central flux", curved(everything(1, Single, PmlKind::Cfs, Flux::Central))),
        ("TF/SF", Problem { stop: short, ..curved(waves(Double)) }),
        ("sheets", lossy_line(Double, TimeStepping::Global)),
        ("sheets, local steps", lossy_line(Single, TimeStepping::Local)),
        ("periodic", periodic(Double)),
        ("ports", line(Single)),
        ("wave ports", Problem { stop: Stop { time: 2e-9, ..short }, ..guide(Double) }),
        ("local steps", curved(local(everything(1, Double, PmlKind::Cfs, Flux::Upwind)))),
        ("local steps, TF/SF", Problem { stop: short, ..local(waves(Single)) }),
        ("snapshots", Problem { stop: short, ..snapshots }),
    ]
}

#[test]
fn ranks_on_cpus_give_the_same_bits() {
    for (name, problem) in cases() {
        let study = prepare(problem).unwrap();
        let alone = study.solve(&Backend::Cpu, &Progress::silent()).unwrap();
        assert!(alone.samples.iter().any(|value| *value != 0.0), "{name}");
        for ranks in [2, 3, 4, 7] {
            let (together, _) = run(&study, ranks, None, &Backend::Cpu);
            assert!(together == alone, "{name}: {ranks} ranks");
        }
    }
}

#[test]
fn a_checkpoint_goes_on_with_any_number_of_ranks() {
    let problem = everything(1, Precision::Single, PmlKind::Cfs, Flux::Upwind);
    let sheets = lossy_line(Precision::Double, TimeStepping::Local);
    for problem in [curved(local(problem.clone())), curved(problem), sheets] {
        let study = prepare(problem).unwrap();
        let alone = study.solve(&Backend::Cpu, &Progress::silent()).unwrap();
        let (_, saved) = run(&study, 3, None, &Backend::Cpu);
        let saved = saved.unwrap();
        assert!(saved.0.steps < alone.steps && saved.1.len() == 3);
        for ranks in [1, 2, 3, 7] {
            let (resumed, _) = run(&study, ranks, Some(&saved), &Backend::Cpu);
            assert!(resumed == alone, "{ranks} ranks");
        }
    }
}

/// One part cannot be used, which only some of the ranks read.
#[test]
fn a_wrong_part_is_refused_by_all_ranks() {
    let study = prepare(everything(1, Precision::Single, PmlKind::Cfs, Flux::Upwind)).unwrap();
    let (checkpoint, mut parts) = run(&study, 3, None, &Backend::Cpu).1.unwrap();
    parts[1].values.fields.pop();
    let refused = threads::run(3, |comm| {
        let saved = Saved { checkpoint: &checkpoint, parts: &parts };
        let solved =
            study.solve_on(comm, Some(&saved), &Backend::Cpu, &Progress::silent(), &mut Kept::default());
        Ok::<_, DgtdError>(solved.unwrap_err().to_string())
    });
    let text = refused.unwrap();
    assert!(text.contains("rank 1 on ") && text.contains("part 1 has "), "{text}");
}

#[test]
fn an_instability_ends_all_ranks() {
    // At order 3 a uniaxial PML of one element amplifies.
    let mut problem = everything(3, Precision::Single, PmlKind::Uniaxial, Flux::Upwind);
    problem.stop.time = 1e-6;
    let study = prepare(problem).unwrap();
    let failed = threads::run(3, |comm| {
        study.solve_on(comm, None, &Backend::Cpu, &Progress::silent(), &mut Kept::default())
    });
    assert!(matches!(failed, Err(DgtdError::Unstable { .. })), "{failed:?}");
}

for_each_gpu! {
    fn ranks_agree_with_one(backend: &Backend) {
        for (precision, tolerance) in [(Precision::Double, 1e-12), (Precision::Single, 1e-5)] {
            let problem = everything(1, precision, PmlKind::Cfs, Flux::Upwind);
            let sheets = lossy_line(precision, TimeStepping::Local);
            for problem in [curved(local(problem.clone())), curved(problem), sheets] {
                let study = prepare(problem).unwrap();
                let alone = study.solve(backend, &Progress::silent()).unwrap();
                for ranks in [2, 4] {
                    let (together, _) = run(&study, ranks, None, backend);
                    assert_eq!(together.steps, alone.steps);
                    let far = apart(&alone.samples, &together.samples);
                    assert!(far < tolerance, "{ranks} ranks: {far:e}");
                }
            }
        }
    }
}
