//! A resumed run ends bit for bit like an uninterrupted one.

use phasefront_core::constants::C0;
use phasefront_core::{Precision, Progress};
use phasefront_device::{Backend, for_each_device};
use phasefront_dgtd::{
    Boundary, Checkpoint, CheckpointPart, CheckpointSink, DgtdError, Dipole, PmlKind, Problem, Pulse, Saved,
    SnapshotExtent, Solution, Stop, Study, TimeStepping, prepare,
};
use phasefront_mesh::{BoxMesh, BoxRegion};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Steps of a run.
const STEPS: f64 = 300.0;

/// Keeps every checkpoint there is, with the part of one rank.
#[derive(Default)]
pub struct Kept {
    pub checkpoints: Vec<(Checkpoint, CheckpointPart)>,
}

impl CheckpointSink for Kept {
    fn is_due(&mut self) -> bool {
        true
    }
    fn save(&mut self, checkpoint: Checkpoint, part: CheckpointPart) -> Result<(), DgtdError> {
        self.checkpoints.push((checkpoint, part));
        Ok(())
    }
}

fn problem(precision: Precision, pml: PmlKind) -> Problem {
    problem_with(precision, pml, TimeStepping::Global)
}

/// A dipole in a box with a PML around it, with a probe and spectra; where steps are local, with a thin layer of elements.
fn problem_with(precision: Precision, pml: PmlKind, time_stepping: TimeStepping) -> Problem {
    let regions = vec![BoxRegion { name: "air".into(), from: [-0.1; 3], to: [0.1; 3] }];
    let mesh = BoxMesh {
        from: [-0.2; 3],
        to: [0.2; 3],
        cell: [0.1; 3],
        name: "pml".into(),
        regions,
        ..BoxMesh::default()
    };
    let mut problem = Problem {
        mesh: mesh.mesh().unwrap(),
        time_stepping,
        pulse: Pulse::modulated(600e6, 800e6),
        stop: Stop { energy_db: None, time: 1.0 },
        highest_frequency: 1e8,
        order: 1,
        precision,
        pml,
        ..Problem::default()
    };
    problem.sources.dipoles = vec![Dipole { position: [0.02, 0.03, 0.05], moment: [1e-3, 0.0, 1e-3] }];
    problem.monitors.probes = vec![[0.01, 0.02, 0.03]];
    problem.monitors.frequencies = vec![600e6];
    problem.monitors.volumes = vec!["air".into()];
    problem.monitors.snapshot_extent = SnapshotExtent::Groups(vec!["air".into()]);
    if time_stepping == TimeStepping::Local {
        let middle = problem.mesh.nodes.iter_mut().filter(|node| node[0] == 0.0);
        middle.for_each(|node| node[0] = 0.09);
    }
    let dt = prepare(problem.clone()).unwrap().step.dt;
    problem.stop.time = STEPS * dt;
    assert!(C0 * dt > 0.0);
    // Before the checkpoint halfway and after it.
    problem.monitors.snapshots = [0.2, 0.8].map(|part| part * STEPS * dt).into();
    problem
}

/// The end of a run from a checkpoint of one rank.
fn resumed(
    study: &Study,
    (checkpoint, part): &(Checkpoint, CheckpointPart),
    backend: &Backend,
) -> Result<Solution, DgtdError> {
    let saved = Saved { checkpoint, parts: &vec![part.clone()] };
    study.solve_from(Some(&saved), backend, &Progress::silent(), &mut Kept::default())
}

for_each_device! {
    fn a_run_that_goes_on_ends_with_the_same_bits(backend: &Backend) {
        let cases = [
            problem(Precision::Single, PmlKind::Cfs),
            problem(Precision::Double, PmlKind::Uniaxial),
            problem_with(Precision::Double, PmlKind::Cfs, TimeStepping::Local),
        ];
        for problem in cases {
            let study = prepare(problem.clone()).unwrap();
            let mut kept = Kept::default();
            let whole = study.solve_from(None, backend, &Progress::silent(), &mut kept).unwrap();
            assert_eq!(kept.checkpoints.len(), 12);
            assert_eq!(whole.snapshots.len(), 2 * kept.checkpoints[5].0.snapshots.len());
            for checkpoint in kept.checkpoints.iter().step_by(5) {
                // As after a crash: another study of the same problem.
                let again = prepare(problem.clone()).unwrap();
                assert_eq!(whole, resumed(&again, checkpoint, backend).unwrap());
            }
        }
    }
}

#[test]
fn stopping_keeps_a_checkpoint() {
    struct Silent;
    impl phasefront_core::Sink for Silent {
        fn event(&self, _: phasefront_core::Event<'_>) {}
    }
    let study = prepare(problem(Precision::Single, PmlKind::Cfs)).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    stop.store(true, Ordering::Relaxed);
    let mut kept = Kept::default();
    let stopped = study.solve_from(None, &Backend::Cpu, &Progress::new(Arc::new(Silent), stop), &mut kept);
    assert!(matches!(stopped, Err(DgtdError::Interrupted(_))));
    assert_eq!(kept.checkpoints.len(), 1);
    let resumed = resumed(&study, &kept.checkpoints[0], &Backend::Cpu).unwrap();
    assert_eq!(resumed, study.solve(&Backend::Cpu, &Progress::silent()).unwrap());
}

/// A checkpoint of the last energy check: nothing remains to be done.
#[test]
fn a_run_that_had_settled_stays_where_it_was() {
    let mut asked = problem(Precision::Single, PmlKind::Cfs);
    // Without a PML: all that leaves the box is gone at once.
    let open =
        BoxMesh { from: [-0.2; 3], to: [0.2; 3], cell: [0.1; 3], name: "air".into(), ..BoxMesh::default() };
    asked.mesh = open.mesh().unwrap();
    let sides = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"];
    asked.boundaries = sides.map(|name| (name.into(), Boundary::Absorbing)).into();
    asked.stop = Stop { energy_db: Some(20.0), time: 20.0 * asked.stop.time };
    let study = prepare(asked).unwrap();
    let mut kept = Kept::default();
    let whole = study.solve_from(None, &Backend::Cpu, &Progress::silent(), &mut kept).unwrap();
    assert!(whole.settled);
    let last = kept.checkpoints.pop().unwrap();
    assert_eq!(last.0.steps, whole.steps);
    assert_eq!(whole, resumed(&study, &last, &Backend::Cpu).unwrap());
}

#[test]
fn a_state_of_another_problem_is_refused() {
    let study = prepare(problem(Precision::Single, PmlKind::Cfs)).unwrap();
    let mut kept = Kept::default();
    study.solve_from(None, &Backend::Cpu, &Progress::silent(), &mut kept).unwrap();
    let (checkpoint, good) = &kept.checkpoints[0];
    let refused = |change: &dyn Fn(&mut CheckpointPart)| {
        let mut part = good.clone();
        change(&mut part);
        resumed(&study, &(checkpoint.clone(), part), &Backend::Cpu).unwrap_err().to_string()
    };
    let wrong = "the checkpoint does not match the problem: ";
    let short = refused(&|part| part.values.fields.truncate(7));
    assert!(short.starts_with(&format!("{wrong}part 0 has 7 bytes and ")), "{short}");
    let spectra = refused(&|part| part.values.spectra.clear());
    assert!(spectra.contains(" and 0 spectra instead of "), "{spectra}");
    let other_mesh = format!("{wrong}part 0 has elements or nodes of another mesh");
    assert_eq!(refused(&|part| *part.numbers.tets.last_mut().unwrap() = u32::MAX), other_mesh);
    assert_eq!(refused(&|part| part.numbers.nodes.swap(0, 1)), other_mesh);
    let elements = good.numbers.tets.len();
    assert_eq!(
        refused(&|part| *part = CheckpointPart::default()),
        format!("{wrong}it lacks {elements} elements")
    );
}
