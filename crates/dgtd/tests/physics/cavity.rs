//! Modes of a conducting box, and plane waves in a periodic box: all known in closed form.

use crate::channel::solve;
use phasefront_core::constants::C0;
use phasefront_dgtd::{Boundary, Flux, Initial, Problem, Sources, Stop};
use phasefront_mesh::{BoxMesh, TetMesh};
use std::f64::consts::PI;

fn cube(cells: usize) -> TetMesh {
    let cell = [1.0 / cells as f64; 3];
    BoxMesh { from: [0.0; 3], to: [1.0; 3], cell, name: "air".into(), ..BoxMesh::default() }.mesh().unwrap()
}

const SIDES: [&str; 6] = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"];

/// The mode k = π(1, 1, 1)/m after a time of `length` meters of light.
fn cavity(cells: usize, order: usize, flux: Flux, length: f64) -> Problem {
    Problem {
        mesh: cube(cells),
        boundaries: SIDES.map(|name| (name.into(), Boundary::Pec)).into(),
        sources: Sources {
            initial: Some(Initial::Mode { k: [PI; 3], a: [1.0, -2.0, 1.0] }),
            ..Sources::default()
        },
        // Below the mode's 260 MHz: coarse meshes are part of the test.
        highest_frequency: 100e6,
        stop: Stop { energy_db: None, time: length / C0 },
        order,
        flux,
        ..Problem::default()
    }
}

/// Relative errors at the nodes of an independent implementation, at T = 1 with c = 1.
#[test]
fn a_mode_of_a_cube_converges() {
    let expected = [(1, 0.534, 0.146), (2, 0.108, 0.0153), (3, 2.38e-2, 1.60e-3), (4, 4.98e-3, 1.75e-4)];
    for (order, coarse, fine) in expected {
        for (cells, error) in [(2, coarse), (4, fine)] {
            let got = solve(cavity(cells, order, Flux::Upwind, 1.0)).1.error.unwrap();
            assert!(
                (got / error - 1.0).abs() < 0.05,
                "order {order}, {cells} cells: {got} instead of {error}"
            );
        }
    }
}

/// The cube with its interior nodes moved by up to 0.15 of a cell along each axis, so that no two elements are alike.
fn shaken(cells: usize) -> TetMesh {
    let mut mesh = cube(cells);
    // Reproducible pseudorandom numbers: Vigna's SplitMix64.
    let mut state = 0_u64;
    let mut random = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    };
    let inside = |node: &&mut [f64; 3]| node.iter().all(|x| *x > 1e-9 && *x < 1.0 - 1e-9);
    for node in mesh.nodes.iter_mut().filter(inside) {
        for x in node {
            *x += 0.15 * (2.0 * random() - 1.0) / cells as f64;
        }
    }
    mesh
}

/// Unstructured meshes converge too: at least with N + 1/2, as in theory (Hesthaven and Warburton, J. Comput.
/// Phys. 181, 186, 2002: N + 1/2 proven, N + 1 mostly observed).
#[test]
fn a_mode_converges_on_a_mesh_without_symmetry() {
    for order in 1..=4 {
        let error = |cells: usize| {
            let problem = Problem { mesh: shaken(cells), ..cavity(cells, order, Flux::Upwind, 1.0) };
            solve(problem).1.error.unwrap()
        };
        let slope = (error(3) / error(6)).log2();
        assert!(slope > order as f64 + 0.5, "order {order}: {slope}");
    }
}

/// A plane wave in a periodic box returns to its start: the order of convergence is N + 1, at least N + 0.8.
#[test]
fn a_plane_wave_converges_with_the_order() {
    // Meshes fine enough for the asymptotic order; along x, waves on two and four cells have errors of the fifth and
    // sixth order that cancel by accident.
    let (straight, oblique) = ([1.0, 0.0, 0.0], [1.0, -1.0, 0.0]);
    let cases = [
        (1, [4, 8], straight),
        (2, [8, 16], straight),
        (3, [4, 8], straight),
        (4, [2, 4], straight),
        (5, [2, 4], oblique),
        (6, [2, 4], oblique),
    ];
    for (order, cells, way) in cases {
        let error = |cells: usize| {
            let problem = Problem {
                mesh: cube(cells),
                periodic: vec![
                    ("xmin".into(), "xmax".into()),
                    ("ymin".into(), "ymax".into()),
                    ("zmin".into(), "zmax".into()),
                ],
                sources: Sources {
                    initial: Some(Initial::Wave { k: way.map(|x| 2.0 * PI * x), e: [0.0, 0.0, 1.0] }),
                    ..Sources::default()
                },
                highest_frequency: 300e6,
                stop: Stop { energy_db: None, time: 0.5 / C0 },
                order,
                // Steps so short that the fourth-order error of the time integration is negligible.
                courant: if order > 3 { 0.3 } else { 0.9 },
                ..Problem::default()
            };
            solve(problem).1.error.unwrap()
        };
        let slope = (error(cells[0]) / error(cells[1])).log2();
        assert!(slope > order as f64 + 0.8, "order {order}: {slope}");
    }
}

/// f = c|k|/2π: 211.985 MHz for k = π(1, 1, 0)/m and 259.628 MHz for π(1, 1, 1)/m (Pozar, Microwave Engineering, 6.3), from the
/// zero crossings of the field at a probe.
#[test]
fn a_cube_resonates_where_it_should() {
    let modes = [([PI, PI, 0.0], [0.0, 0.0, 1.0], 211.985e6), ([PI; 3], [1.0, -2.0, 1.0], 259.628e6)];
    for (k, a, expected) in modes {
        let mut problem = Problem {
            mesh: cube(3),
            boundaries: SIDES.map(|name| (name.into(), Boundary::Pec)).into(),
            sources: Sources { initial: Some(Initial::Mode { k, a }), ..Sources::default() },
            stop: Stop { energy_db: None, time: 30e-9 },
            order: 4,
            ..Problem::default()
        };
        problem.monitors.probes = vec![[0.4, 0.3, 0.35]];
        let (study, solution) = solve(problem);
        let fields: Vec<f64> = study.probe(&solution, 0).iter().map(|fields| fields[2]).collect();
        let crossings: Vec<f64> = (1..fields.len())
            .filter(|&i| fields[i - 1] * fields[i] < 0.0)
            .map(|i| solution.time(i) - solution.dt * fields[i] / (fields[i] - fields[i - 1]))
            .collect();
        let got = 0.5 * (crossings.len() - 1) as f64 / (crossings[crossings.len() - 1] - crossings[0]);
        assert!((got / expected - 1.0).abs() < 5e-4, "{got} Hz instead of {expected}");
    }
}

/// The upwind flux never gains energy. The central flux conserves it, except for the time integration: its factor is
/// |1 + z + ...| = 1 − O(z⁶) on the imaginary axis, so that half the step loses 1/32 as much in the same time.
#[test]
fn energy_never_grows() {
    let energies = |order, flux, courant| {
        let problem = Problem { courant, ..cavity(2, order, flux, 5.0) };
        solve(problem).1.energy.iter().map(|e| e.1).collect::<Vec<f64>>()
    };
    for order in 1..=4 {
        let upwind = energies(order, Flux::Upwind, 0.2);
        assert!(upwind.len() > 5 && upwind.windows(2).all(|e| e[1] <= e[0]));
        let lost = |courant| {
            let central = energies(order, Flux::Central, courant);
            1.0 - central[central.len() - 1] / central[0]
        };
        let ratio = lost(0.2) / lost(0.1);
        assert!(ratio > 28.0, "order {order}: {ratio}");
    }
}
