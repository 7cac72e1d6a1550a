//! Curved elements: modes of cavities that are known exactly.

use crate::bent::{bent, cube};
use phasefront_core::Progress;
use phasefront_core::constants::C0;
use phasefront_device::Backend;
use phasefront_dgtd::{
    Boundary, Dipole, Flux, Initial, Monitors, Problem, Pulse, Solution, Sources, Stop, prepare,
};
use phasefront_mesh::TetMesh;
use std::f64::consts::PI;

const SIDES: [&str; 6] = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"];

fn solve(problem: Problem) -> Solution {
    prepare(problem).unwrap().solve(&Backend::Cpu, &Progress::silent()).unwrap()
}

fn walls() -> Vec<(String, Boundary)> {
    SIDES.map(|name| (name.into(), Boundary::Pec)).into()
}

/// The unit cube with its inside bent smoothly, and the grid on its walls bent within them.
fn bent_cube(cells: usize) -> TetMesh {
    let shift = |x: f64, y: f64, z: f64| 0.08 * (PI * x).sin() * (PI * y + 0.5).cos() * (PI * z + 1.0).cos();
    bent(cube(cells), |[x, y, z]| [x + shift(x, y, z), y - shift(y, z, x), z + shift(z, x, y)])
}

fn cavity(mesh: TetMesh, order: usize, flux: Flux, time: f64) -> Solution {
    solve(Problem {
        mesh,
        boundaries: walls(),
        sources: Sources {
            initial: Some(Initial::Mode { k: [PI; 3], a: [1.0, -2.0, 1.0] }),
            ..Sources::default()
        },
        highest_frequency: 260e6,
        stop: Stop { energy_db: None, time: time / C0 },
        order,
        flux,
        ..Problem::default()
    })
}

/// The maps of the elements are exact, so that bent elements lose no order: N + 1.
#[test]
fn a_mode_of_a_bent_cube_converges() {
    for order in 1..=4 {
        let error = |cells: usize| cavity(bent_cube(cells), order, Flux::Upwind, 1.0).error.unwrap();
        let cells = if order < 3 { [4, 8] } else { [2, 4] };
        let (coarse, fine) = (error(cells[0]), error(cells[1]));
        let slope = (coarse / fine).log2();
        println!("order {order}: {coarse:e} {fine:e} {slope}");
        assert!(slope > order as f64 + 0.7, "order {order}: {coarse:e} and {fine:e}, {slope}");
    }
}
