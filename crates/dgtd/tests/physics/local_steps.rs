//! Local time stepping: the same fields as with one step for all elements, to the third order in the step, and stable.

use phasefront_core::Progress;
use phasefront_device::Backend;
use phasefront_dgtd::{Boundary, Dipole, Material, Pole, Problem, Pulse, Stop, TimeStepping, prepare};
use phasefront_mesh::{BoxMesh, BoxRegion};

const SIDES: [&str; 6] = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"];

/// A dipole beside a dispersive body with a thin film on it, and a PML around them: elements as high as the film is thick, which is a
/// tenth of a cell, and elements of a whole cell.
fn film(order: usize) -> Problem {
    let region = |name: &str, from: [f64; 3], to: [f64; 3]| BoxRegion { name: name.into(), from, to };
    let mesh = BoxMesh {
        from: [-0.3; 3],
        to: [0.3; 3],
        cell: [0.1; 3],
        name: "pml".into(),
        regions: vec![
            region("air", [-0.2; 3], [0.2; 3]),
            region("body", [-0.1; 3], [0.1; 3]),
            region("film", [-0.1, -0.1, 0.1], [0.1, 0.1, 0.11]),
        ],
        ..BoxMesh::default()
    };
    let poles = vec![Pole::Debye { delta: 1.0, tau: 1e-10 }];
    let body = Material { eps: 2.0, sigma: 0.01, poles, ..Material::VACUUM };
    let mut problem = Problem {
        mesh: mesh.mesh().unwrap(),
        materials: vec![("body".into(), body), ("film".into(), Material { eps: 4.0, ..Material::VACUUM })],
        pulse: Pulse::modulated(600e6, 800e6),
        stop: Stop { energy_db: None, time: 6e-9 },
        highest_frequency: 1e8,
        order,
        ..Problem::default()
    };
    problem.sources.dipoles = vec![Dipole { position: [0.02, 0.03, 0.15], moment: [1e-3, 0.0, 1e-3] }];
    problem.monitors.probes =
        vec![[0.01, 0.02, 0.03], [0.15, 0.02, -0.03], [0.03, -0.02, 0.104], [-0.14, 0.12, 0.17]];
    problem
}

/// What the probes see at the end of the run.
fn end(problem: Problem) -> Vec<f64> {
    let solution = prepare(problem).unwrap().solve(&Backend::Cpu, &Progress::silent()).unwrap();
    solution.samples[solution.samples.len() - 24..].to_vec()
}

/// The largest difference relative to the largest value.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    let largest = a.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / largest
}

/// The reference is the Runge-Kutta scheme of fourth order with the step of the smallest element.
#[test]
fn local_steps_converge_to_the_fields_of_one_step_for_all() {
    // A slow pulse: steps are limited by the elements, not by the highest frequency.
    let pulse = Pulse::modulated(200e6, 250e6);
    let with =
        |time_stepping, courant| end(Problem { time_stepping, courant, pulse: pulse.clone(), ..film(1) });
    let exact = with(TimeStepping::Global, 0.3);
    let [long, short] = [0.9, 0.45].map(|courant| apart(&exact, &with(TimeStepping::Local, courant)));
    let order = (long / short).log2();
    assert!(long < 1e-4 && (order - 3.0).abs() < 0.3, "{long:e}, {short:e}: order {order:.2}");
}

/// A dipole in a metal box with the film, which nothing damps but the upwind flux, and with a PML: energy does not grow.
#[test]
fn energy_does_not_grow() {
    for closed in [true, false] {
        let mut problem = film(2);
        problem.monitors.probes.clear();
        problem.stop.time = 40e-9;
        problem.courant = 1.0;
        problem.time_stepping = TimeStepping::Local;
        if closed {
            problem
                .mesh
                .volume_names
                .iter_mut()
                .filter(|name| *name == "pml")
                .for_each(|name| *name = "vacuum".into());
            problem.materials[0].1 = Material::VACUUM;
            problem.boundaries = SIDES.map(|name| (name.into(), Boundary::Pec)).into();
        }
        let study = prepare(problem).unwrap();
        let solution = study.solve(&Backend::Cpu, &Progress::silent()).unwrap();
        let after: Vec<f64> = solution.energy.iter().filter(|e| e.0 > 10e-9).map(|e| e.1).collect();
        assert!(after.len() > 100, "{}", after.len());
        let falls = after.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-12));
        let left = after[after.len() - 1] / after[0];
        assert!(if closed { falls && left > 0.1 } else { left < 1e-6 }, "closed: {closed}, {left:e}");
    }
}

/// Copper inside of the mesh, whose losses need steps some 1e7 times shorter than the air's: the levels end, and the losses are told.
#[test]
fn levels_have_an_end() {
    let mut problem = film(1);
    problem.materials[0].1 = Material { sigma: 5.8e7, ..Material::VACUUM };
    problem.time_stepping = TimeStepping::Local;
    let study = prepare(problem).unwrap();
    assert_eq!(study.local_steps().map(|(_, levels)| levels), Some(13));
    assert!(
        study.warnings.iter().any(|words| words.starts_with("the losses of \"body\"")),
        "{:?}",
        study.warnings
    );
}
