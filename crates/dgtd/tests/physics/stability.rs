//! Late-time stability: fields must not grow in PMLs during long runs.

use crate::channel::solve;
use phasefront_core::{Precision, Progress};
use phasefront_device::Backend;
use phasefront_dgtd::{Boundary, DgtdError, Dipole, Initial, PmlKind, Problem, Pulse, Stop, prepare};
use phasefront_mesh::{BoxMesh, BoxRegion};

/// A pulse in the corner of three conductors, with a PML of `layers` elements on the three other sides: faces, edges and a corner are
/// all present.
fn corner(pml: PmlKind, precision: Precision, layers: usize, order: usize, time: f64) -> Problem {
    let air = BoxRegion { name: "air".into(), from: [0.0; 3], to: [0.1; 3] };
    let mesh = BoxMesh {
        from: [0.0; 3],
        to: [0.1 + 0.1 * layers as f64; 3],
        cell: [0.1; 3],
        name: "pml".into(),
        regions: vec![air],
        ..BoxMesh::default()
    };
    let mut problem = Problem {
        mesh: mesh.mesh().unwrap(),
        boundaries: ["xmin", "ymin", "zmin"].map(|name| (name.into(), Boundary::Pec)).into(),
        pulse: Pulse::modulated(600e6, 300e6),
        stop: Stop { energy_db: None, time },
        order,
        precision,
        pml,
        ..Problem::default()
    };
    problem.sources.dipoles = vec![Dipole { position: [0.06, 0.07, 0.04], moment: [1e-3, 2e-3, 3e-3] }];
    problem
}

/// Energies at order 2, of at least so many steps: they are shorter than 0.027 ns.
fn energies(pml: PmlKind, precision: Precision, layers: usize, steps: u64) -> Vec<f64> {
    let (_, solution) = solve(corner(pml, precision, layers, 2, steps as f64 * 0.027e-9));
    assert!(solution.steps > steps, "{}", solution.steps);
    solution.energy.iter().map(|e| e.1).collect()
}

#[test]
fn layers_stay_calm_for_long() {
    for (precision, floor) in [(Precision::Single, 1e-12), (Precision::Double, 1e-20)] {
        for pml in [PmlKind::Cfs, PmlKind::Uniaxial] {
            let energy = energies(pml, precision, 3, 5000);
            let largest = |part: &[f64]| part.iter().copied().fold(0.0, f64::max);
            let peak = largest(&energy);
            let parts: Vec<f64> =
                energy.chunks(energy.len().div_ceil(10)).map(|part| largest(part) / peak).collect();
            // The pulse is over after a third; then the fields decay, down to rounding.
            let calm = parts[4..].iter().all(|part| *part < parts[3].max(floor));
            assert!(parts[3] < 1e-10 && calm, "{pml:?}, {precision:?}: {parts:?}");
        }
    }
}

/// PMLs of one element, in which fields grew when σ varied from node to node.
#[test]
fn a_thin_layer_stays_calm_for_long() {
    for pml in [PmlKind::Cfs, PmlKind::Uniaxial] {
        let energy = energies(pml, Precision::Double, 1, 20_000);
        let peak = energy.iter().copied().fold(0.0, f64::max);
        let late = energy[energy.len() / 10..].iter().copied().fold(0.0, f64::max);
        assert!(late < 1e-20 * peak, "{pml:?}: {:e}", late / peak);
    }
}

/// At order 3 a PML of one element is unstable: such a run gives no results.
#[test]
fn a_layer_that_amplifies_is_noticed() {
    let study = prepare(corner(PmlKind::Uniaxial, Precision::Double, 1, 3, 600e-9)).unwrap();
    let failed = study.solve(&Backend::Cpu, &Progress::silent()).err();
    assert!(matches!(failed, Some(DgtdError::Unstable { .. })), "{failed:?}");
}

/// Elements in a flat conducting box have walls on two faces, which need the shortest steps of all: with the longest stable step,
/// energy only decreases.
#[test]
fn walls_stay_calm_for_long() {
    let sides = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"];
    let mesh = BoxMesh { to: [2.0, 1.0, 2.0], name: "air".into(), ..BoxMesh::default() };
    for (order, time) in [(2, 700e-9), (4, 350e-9)] {
        let mut problem = Problem {
            mesh: mesh.mesh().unwrap(),
            boundaries: sides.map(|name| (name.into(), Boundary::Pec)).into(),
            highest_frequency: 1e7,
            stop: Stop { energy_db: None, time },
            order,
            courant: 1.0,
            ..Problem::default()
        };
        // Not a mode of the box, so that all of them are excited.
        problem.sources.initial = Some(Initial::Wave { k: [9.0, 7.0, -5.0], e: [7.0, -9.0, 0.0] });
        let (_, solution) = solve(problem);
        assert!(solution.steps > 1500, "{}", solution.steps);
        assert!(solution.energy.windows(2).all(|pair| pair[1].1 <= pair[0].1), "order {order}");
    }
}
