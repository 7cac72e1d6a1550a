//! Energy that the numerical flux dissipates, by element.

use crate::channel::solve;
use phasefront_comm::threads;
use phasefront_core::Progress;
use phasefront_core::constants::C0;
use phasefront_device::Backend;
use phasefront_dgtd::{
    Boundary, Dipole, Material, Monitors, NoCheckpoints, Problem, Pulse, Sources, Stop, prepare,
};
use phasefront_mesh::{BoxMesh, BoxRegion};

const SIDES: [&str; 6] = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"];

/// A box with metal walls and one magnetic one, half full of a dielectric, in which a short dipole rings.
fn ringing(order: usize, time: f64) -> Problem {
    let region = BoxRegion { name: "resin".into(), from: [0.0; 3], to: [1.0, 1.0, 0.5] };
    let mesh = BoxMesh {
        to: [1.0; 3],
        cell: [0.5; 3],
        name: "air".into(),
        regions: vec![region],
        ..BoxMesh::default()
    };
    let wall = |name: &str| (name.to_owned(), if name == "zmax" { Boundary::Pmc } else { Boundary::Pec });
    Problem {
        mesh: mesh.mesh().unwrap(),
        materials: vec![("resin".into(), Material { eps: 3.0, mu: 1.5, ..Material::VACUUM })],
        boundaries: SIDES.map(wall).into(),
        sources: Sources {
            dipoles: vec![Dipole { position: [0.4, 0.3, 0.55], moment: [1.0, 0.5, 0.2] }],
            ..Sources::default()
        },
        pulse: Pulse::modulated(120e6, 120e6),
        highest_frequency: 80e6,
        monitors: Monitors { dissipation: true, ..Monitors::default() },
        stop: Stop { energy_db: None, time },
        order,
        ..Problem::default()
    }
}

/// The energy is conserved but for what the flux dissipates: between two moments after the pulse the sum over all elements is what the
/// fields have lost.
#[test]
fn what_elements_dissipate_is_what_the_fields_lose() {
    let [early, late] = [100.0, 600.0].map(|length| {
        let (_, solution) = solve(ringing(3, length / C0));
        (solution.dissipated.iter().sum::<f64>(), solution.energy.last().unwrap().1)
    });
    let (dissipated, lost) = (late.0 - early.0, early.1 - late.1);
    println!("{dissipated:.4e} J dissipated, {lost:.4e} J lost");
    assert!(lost > 0.02 * early.1, "there is something to compare: {early:?} {late:?}");
    assert!((dissipated / lost - 1.0).abs() < 0.03, "{dissipated} of {lost}");
}

/// Elements of several ranks dissipate what they do on one.
#[test]
fn ranks_find_the_same() {
    let study = prepare(ringing(2, 30.0 / C0)).unwrap();
    let [one, three] = [1, 3].map(|ranks| {
        threads::run(ranks, |comm| {
            study.solve_on(comm, None, &Backend::Cpu, &Progress::silent(), &mut NoCheckpoints)
        })
        .unwrap()
        .dissipated
    });
    assert_eq!(one.len(), study.mesh().tets.len());
    assert!(one.iter().all(|energy| *energy > 0.0));
    assert_eq!(one, three);
}
