//! Modes of a conducting box, and plane waves that go round and round: all known exactly.

use phasefront_core::Progress;
use phasefront_core::constants::C0;
use phasefront_device::Backend;
use phasefront_dgtd::{Boundary, Flux, Initial, Problem, Solution, Sources, Stop, prepare};
use phasefront_mesh::{BoxMesh, TetMesh};
use std::f64::consts::PI;

fn cube(cells: usize) -> TetMesh {
    let cell = [1.0 / cells as f64; 3];
    BoxMesh { from: [0.0; 3], to: [1.0; 3], cell, name: "air".into(), ..BoxMesh::default() }.mesh().unwrap()
}

const SIDES: [&str; 6] = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"];

fn cavity(cells: usize, order: usize, flux: Flux) -> Solution {
    let problem = Problem {
        mesh: cube(cells),
        boundaries: SIDES.map(|name| (name.into(), Boundary::Pec)).into(),
        sources: Sources {
            initial: Some(Initial::Mode { k: [PI; 3], a: [1.0, -2.0, 1.0] }),
            ..Sources::default()
        },
        highest_frequency: 260e6,
        stop: Stop { energy_db: None, time: 1.0 / C0 },
        order,
        flux,
        ..Problem::default()
    };
    prepare(problem).unwrap().solve(&Backend::Cpu, &Progress::silent()).unwrap()
}

/// Relative errors at the nodes as an independent implementation has them, at T = 1 with c = 1.
#[test]
fn a_mode_of_a_cube_converges() {
    let expected = [(1, 0.534, 0.146), (2, 0.108, 0.0153), (3, 2.38e-2, 1.60e-3), (4, 4.98e-3, 1.75e-4)];
    for (order, coarse, fine) in expected {
        for (cells, error) in [(2, coarse), (4, fine)] {
            let got = cavity(cells, order, Flux::Upwind).error.unwrap();
            assert!(
                (got / error - 1.0).abs() < 0.05,
                "order {order}, {cells} cells: {got} instead of {error}"
            );
        }
    }
}

/// A plane wave in a periodic box comes back to where it was: the order of convergence is N + 1, at least N + 0.8.
#[test]
fn a_plane_wave_converges_with_the_order() {
    for order in 1..=6 {
        let error = |cells: usize| {
            let problem = Problem {
                mesh: cube(cells),
                periodic: vec![
                    ("xmin".into(), "xmax".into()),
                    ("ymin".into(), "ymax".into()),
                    ("zmin".into(), "zmax".into()),
                ],
                sources: Sources {
                    initial: Some(Initial::Wave { k: [2.0 * PI, 0.0, 0.0], e: [0.0, 1.0, 0.0] }),
                    ..Sources::default()
                },
                highest_frequency: 300e6,
                stop: Stop { energy_db: None, time: 0.5 / C0 },
                order,
                // Steps so short that the error of the scheme in time, of fourth order, does not show.
                courant: if order > 3 { 0.3 } else { 0.9 },
                ..Problem::default()
            };
            prepare(problem).unwrap().solve(&Backend::Cpu, &Progress::silent()).unwrap().error.unwrap()
        };
        let cells = if order < 3 { [4, 8] } else { [2, 4] };
        let slope = (error(cells[0]) / error(cells[1])).log2();
        assert!(slope > order as f64 + 0.8, "order {order}: {slope}");
    }
}

/// The central flux keeps the energy, the upwind flux loses some.
#[test]
fn energy_never_grows() {
    for order in 1..=4 {
        let energies = |flux| cavity(2, order, flux).energy.iter().map(|e| e.1).collect::<Vec<f64>>();
        assert!(energies(Flux::Upwind).windows(2).all(|e| e[1] <= e[0]));
    }
}
