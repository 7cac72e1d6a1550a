//! A dielectric slab, normal incidence.

use crate::channel::{Channel, solve, spectrum, walls, wave_along_z};
use num_complex::Complex64;
use phasefront_core::constants::C0;
use phasefront_dgtd::{Boundary, Material, Problem, Pulse, Stop};
use std::f64::consts::TAU;

const EPS: f64 = 4.0;
const THICKNESS: f64 = 0.1;

/// |r|² of a slab, r = r₁(1 − e^{−2jδ})/(1 − r₁²e^{−2jδ}), δ = nkd (Born and Wolf, Principles of Optics, 7.6).
fn reflected(frequency: f64) -> f64 {
    let n = EPS.sqrt();
    let r1 = (1.0 - n) / (1.0 + n);
    let round = Complex64::cis(-2.0 * n * TAU * frequency / C0 * THICKNESS);
    (r1 * (1.0 - round) / (1.0 - r1 * r1 * round)).norm_sqr()
}

#[test]
fn a_slab_reflects_as_airy_says() {
    let channel = Channel {
        ends: [-0.3, 0.3],
        size: [0.05, 0.08],
        cell: 0.05,
        regions: &[("slab", 0.0, THICKNESS)],
        planes: &[("hull", -0.1), ("hull", 0.2)],
    };
    let mut problem = Problem {
        mesh: channel.mesh(),
        materials: vec![("slab".into(), Material::dielectric(EPS))],
        boundaries: walls([Some(Boundary::Absorbing); 2]),
        pulse: Pulse::gaussian(1.2e9),
        stop: Stop { energy_db: Some(80.0), time: 20e-9 },
        order: 4,
        ..Problem::default()
    };
    problem.sources.plane_wave = Some(wave_along_z());
    problem.monitors.probes = vec![[0.02, 0.03, -0.2], [0.02, 0.03, 0.16]];
    let (study, solution) = solve(problem);
    assert!(solution.settled);
    for (frequency, expected) in [(0.5e9, 0.2964), (0.75e9, 0.0), (1.0e9, 0.2974)] {
        assert!((reflected(frequency) - expected).abs() < 1e-3);
        let [back, through] = [0, 1].map(|probe| spectrum(&study, &solution, probe, frequency).norm_sqr());
        assert!((back - reflected(frequency)).abs() < 0.003, "{frequency} Hz: {back}");
        assert!((back + through - 1.0).abs() < 0.003, "{frequency} Hz: {back} + {through}");
        if expected == 0.0 {
            assert!(back < 1e-3, "{back}");
        }
    }
}
