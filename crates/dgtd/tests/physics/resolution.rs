//! Waves on meshes that are too coarse for them: the error after one wavelength.

use crate::channel::solve;
use phasefront_core::constants::C0;
use phasefront_dgtd::{Initial, Problem, Sources, Stop};
use phasefront_mesh::BoxMesh;
use std::f64::consts::TAU;

/// ‖E − exact‖/‖exact‖ after one wavelength along the longest edges of a periodic cube, for a number of points per wavelength.
fn error(order: usize, cells: usize, waves: usize) -> (f64, f64) {
    let cell = [1.0 / cells as f64; 3];
    let mesh = BoxMesh { cell, name: "air".into(), ..BoxMesh::default() };
    let pairs = [("xmin", "xmax"), ("ymin", "ymax"), ("zmin", "zmax")];
    let k = TAU * waves as f64;
    let wavelength = 1.0 / (waves as f64 * 3_f64.sqrt());
    let (study, solution) = solve(Problem {
        mesh: mesh.mesh().unwrap(),
        periodic: pairs.map(|(a, b)| (a.into(), b.into())).into(),
        sources: Sources {
            initial: Some(Initial::Wave { k: [k; 3], e: [1.0, -1.0, 0.0] }),
            ..Sources::default()
        },
        // A frequency that the mesh resolves, so that it is not refused.
        highest_frequency: 1e6,
        stop: Stop { energy_db: None, time: wavelength / C0 },
        order,
        ..Problem::default()
    });
    (study.points_per_wavelength() * 1e6 * wavelength / C0, solution.error.unwrap())
}

/// With two points per wavelength the error is more than a third after one wavelength, at all orders; with four it is 2 to 7 %. These
/// are the limits of refusal and of the warning.
#[test]
fn two_points_are_too_few_and_four_will_do() {
    for (order, cells, waves) in [(1, 6, 1), (2, 3, 1), (3, 2, 1), (4, 3, 2), (5, 5, 4), (6, 2, 2)] {
        let (points, error) = error(order, cells, waves);
        assert!(points < 2.1 && error > 0.35, "order {order}: {error} with {points} points");
    }
    for (order, cells, waves) in [(1, 12, 1), (2, 6, 1), (3, 4, 1), (4, 3, 1), (5, 5, 2), (6, 2, 1)] {
        let (points, error) = error(order, cells, waves);
        assert!(points < 4.2 && error < 0.07, "order {order}: {error} with {points} points");
    }
}
