//! A million steps. They take minutes, and run in the weekly tier: `PHASEFRONT_TIER=weekly cargo test --release -p phasefront-dgtd --test
//! physics soak`.

use crate::channel::solve;
use phasefront_dgtd::{Boundary, Flux, Initial, Problem, Sources, Stop, prepare};
use phasefront_mesh::BoxMesh;
use std::f64::consts::PI;

const STEPS: u64 = 1_000_000;

/// A mode of a conducting box of six elements, for so many steps.
fn cavity(flux: Flux, courant: f64) -> Problem {
    let sides = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"];
    let mut problem = Problem {
        mesh: BoxMesh { cell: [1.0; 3], name: "air".into(), ..BoxMesh::default() }.mesh().unwrap(),
        boundaries: sides.map(|name| (name.into(), Boundary::Pec)).into(),
        sources: Sources {
            initial: Some(Initial::Mode { k: [PI; 3], a: [1.0, -2.0, 1.0] }),
            ..Sources::default()
        },
        // Below the mode's 260 MHz, so that the coarse mesh is not refused.
        highest_frequency: 50e6,
        stop: Stop { energy_db: None, time: 1.0 },
        order: 3,
        flux,
        courant,
        ..Problem::default()
    };
    // Steps divide the time evenly; of a second they are some 1e10.
    problem.stop.time = STEPS as f64 * prepare(problem.clone()).unwrap().step.dt;
    problem
}

/// The energy of a closed box never grows, with the longest step that is stable and with both fluxes: the upwind flux dissipates, and the
/// central one conserves, except for the time integration, which loses 0.004 (ω dt)⁶ of a mode's energy in a step.
#[test]
fn energy_stays_bounded_over_a_million_steps() {
    if std::env::var("PHASEFRONT_TIER").as_deref() != Ok("weekly") {
        return;
    }
    for (flux, courant) in [(Flux::Upwind, 0.9), (Flux::Central, 0.3)] {
        let (_, solution) = solve(cavity(flux, courant));
        let energies: Vec<f64> = solution.energy.iter().map(|&(_, energy)| energy).collect();
        let (first, last) = (energies[0], energies[energies.len() - 1]);
        println!(
            "{flux:?}: {} steps, {:.6e} of the energy at the start is left",
            solution.steps,
            last / first
        );
        assert!(solution.steps.abs_diff(STEPS) <= 1, "{}", solution.steps);
        // Rounding of a sum over all nodes.
        let grows = energies.windows(2).any(|pair| pair[1] > (1.0 + 1e-9) * pair[0].max(1e-25 * first));
        assert!(!grows, "{flux:?}: the energy grows");
        // What the mesh resolves stays with the central flux.
        assert!(flux == Flux::Upwind || last > 0.5 * first, "{flux:?}: {} is left", last / first);
    }
}
