//! A million steps. They take minutes, and run in the weekly tier: `PHASEFRONT_TIER=weekly cargo test --release -p phasefront-dgtd --test
//! physics soak`.

use crate::channel::solve;
use phasefront_dgtd::{
    Boundary, Dipole, Flux, Initial, Material, Problem, Pulse, Sources, Stop, TimeStepping, prepare,
};
use phasefront_mesh::{BoxMesh, BoxRegion};
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

/// A dipole beside a thin film, with local steps, a million of the shortest: in a conducting box, or in the corner of three conductors with a
/// PML of three elements on the other sides, which has faces, edges and a corner.
fn local(pml: bool) -> Problem {
    let region = |name: &str, from: [f64; 3], to: [f64; 3]| BoxRegion { name: name.into(), from, to };
    let to = if pml { 2.5 } else { 1.0 };
    let air = region("air", [0.0; 3], [1.0; 3]);
    let film = region("film", [0.0, 0.0, 0.5], [0.5, 0.5, 0.52]);
    let (name, regions) = if pml { ("pml", vec![air, film]) } else { ("air", vec![film]) };
    let mesh = BoxMesh { to: [to; 3], cell: [0.5; 3], name: name.into(), regions, ..BoxMesh::default() };
    let sides = ["xmin", "ymin", "zmin", "xmax", "ymax", "zmax"];
    let conducting = if pml { &sides[..3] } else { &sides };
    let mut problem = Problem {
        mesh: mesh.mesh().unwrap(),
        materials: vec![("film".into(), Material { eps: 4.0, ..Material::VACUUM })],
        boundaries: conducting.iter().map(|name| ((*name).to_owned(), Boundary::Pec)).collect(),
        // No static fields stay behind.
        pulse: Pulse::modulated(150e6, 100e6),
        highest_frequency: 50e6,
        stop: Stop { energy_db: None, time: 1e-6 },
        order: 2,
        courant: 1.0,
        time_stepping: TimeStepping::Local,
        ..Problem::default()
    };
    problem.sources.dipoles = vec![Dipole { position: [0.3, 0.4, 0.2], moment: [1e-3, 2e-3, 3e-3] }];
    let study = prepare(problem.clone()).unwrap();
    let (_, levels) = study.local_steps().unwrap();
    problem.stop.time = STEPS as f64 * study.step.dt / f64::from(1 << (levels - 1));
    problem
}

#[test]
fn energy_stays_bounded_over_a_million_local_steps() {
    if std::env::var("PHASEFRONT_TIER").as_deref() != Ok("weekly") {
        return;
    }
    for pml in [false, true] {
        let (study, solution) = solve(local(pml));
        let peak = solution.energy.iter().map(|e| e.1).fold(0.0, f64::max);
        let late: Vec<f64> = solution.energy.iter().filter(|e| e.0 > 200e-9).map(|e| e.1).collect();
        let left = late[late.len() - 1] / peak;
        println!(
            "PML {pml}: {} steps, {:?}: {left:.3e} of the peak is left",
            solution.steps,
            study.local_steps()
        );
        // Rounding of a sum over all nodes.
        let grows = late.windows(2).any(|pair| pair[1] > (1.0 + 1e-9) * pair[0].max(1e-25 * peak));
        assert!(!grows, "PML {pml}: the energy grows");
    }
}
