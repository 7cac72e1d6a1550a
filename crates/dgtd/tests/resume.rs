//! A run that was stopped and goes on ends with the same bits.

use phasefront_core::constants::C0;
use phasefront_core::{Precision, Progress};
use phasefront_device::{Backend, for_each_device};
use phasefront_dgtd::{Checkpoint, DgtdError, Dipole, KEEP_STEPS, PmlKind, Problem, Pulse, Stop, prepare};
use phasefront_mesh::{BoxMesh, BoxRegion};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A dipole in a box with layers around it, watched by a probe and by spectra.
fn problem(precision: Precision, pml: PmlKind) -> Problem {
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
    // So long that there is a checkpoint before the end.
    let dt = prepare(problem.clone()).unwrap().step.dt;
    problem.stop.time = 1.2 * KEEP_STEPS as f64 * dt;
    assert!(C0 * dt > 0.0);
    problem
}

for_each_device! {
    fn a_run_that_goes_on_ends_with_the_same_bits(backend: &Backend) {
        for (precision, pml) in [(Precision::Single, PmlKind::Shifted), (Precision::Double, PmlKind::Uniaxial)] {
            let study = prepare(problem(precision, pml)).unwrap();
            let mut kept: Vec<Checkpoint> = Vec::new();
            let whole = study
                .solve_from(None, backend, &Progress::silent(), &mut |checkpoint| {
                    kept.push(checkpoint.clone());
                    Ok(())
                })
                .unwrap();
            assert_eq!(kept.len(), 1);
            // As after a crash: another study of the same problem.
            let again = prepare(problem(precision, pml)).unwrap();
            let resumed = again.solve_from(Some(&kept[0]), backend, &Progress::silent(), &mut |_| Ok(())).unwrap();
            assert_eq!(whole, resumed);
        }
    }
}

#[test]
fn stopping_keeps_a_checkpoint() {
    struct Silent;
    impl phasefront_core::Sink for Silent {
        fn event(&self, _: phasefront_core::Event<'_>) {}
    }
    let study = prepare(problem(Precision::Single, PmlKind::Shifted)).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    stop.store(true, Ordering::Relaxed);
    let mut kept = None;
    let stopped =
        study.solve_from(None, &Backend::Cpu, &Progress::new(Arc::new(Silent), stop), &mut |checkpoint| {
            kept = Some(checkpoint.clone());
            Ok(())
        });
    assert!(matches!(stopped, Err(DgtdError::Interrupted(_))));
    let resumed =
        study.solve_from(kept.as_ref(), &Backend::Cpu, &Progress::silent(), &mut |_| Ok(())).unwrap();
    assert_eq!(resumed, study.solve(&Backend::Cpu, &Progress::silent()).unwrap());
}

#[test]
fn a_state_of_another_problem_is_refused() {
    let study = prepare(problem(Precision::Single, PmlKind::Shifted)).unwrap();
    let checkpoint = Checkpoint { steps: 5, energy: Vec::new(), records: Vec::new(), fields: vec![0; 7] };
    let refused = study.solve_from(Some(&checkpoint), &Backend::Cpu, &Progress::silent(), &mut |_| Ok(()));
    assert!(
        refused
            .unwrap_err()
            .to_string()
            .starts_with("the state to go on from does not fit: it has 7 bytes instead of ")
    );
}
