//! The absorbing boundary at oblique incidence.

use crate::channel::solve;
use num_complex::Complex64;
use phasefront_core::constants::C0;
use phasefront_dgtd::{Boundary, Dipole, Problem, Pulse, Stop};
use phasefront_mesh::BoxMesh;
use std::f64::consts::{FRAC_1_SQRT_2, TAU};

/// The TE₁₀ mode of a waveguide of width a is two plane waves at 45° to its axis where sin 45° = λ/2a (Pozar, Microwave
/// Engineering, 3.3). The Silver-Müller condition at the end of the waveguide reflects (1 − cos 45°)/(1 + cos 45°) = 0.1716 of them
/// (E normal to the plane of incidence; Jin, The Finite Element Method in Electromagnetics, 9.1).
#[test]
fn the_absorbing_boundary_reflects_a_sixth_at_45_degrees() {
    let (a, length, height) = (1.0, 7.0 / 3.0, 1.0 / 3.0);
    let frequency = FRAC_1_SQRT_2 * C0 / a;
    let guide =
        BoxMesh { to: [a, height, length], cell: [1.0 / 3.0; 3], name: "air".into(), ..BoxMesh::default() };
    let wall = |name: &str| (name.into(), Boundary::Pec);
    let mut boundaries = vec![wall("xmin"), wall("xmax"), wall("ymin"), wall("ymax")];
    boundaries.extend(["zmin", "zmax"].map(|end| (end.into(), Boundary::Absorbing)));
    let mut problem = Problem {
        mesh: guide.mesh().unwrap(),
        boundaries,
        // The cutoff C0/2a is at the edge of the band, so that little remains.
        pulse: Pulse::modulated(frequency, 0.4 * C0 / a),
        highest_frequency: frequency,
        stop: Stop { energy_db: Some(40.0), time: 200e-9 },
        order: 3,
        ..Problem::default()
    };
    problem.sources.dipoles = vec![Dipole { position: [0.47 * a, 0.15, 0.2], moment: [0.0, 1.0, 0.0] }];
    // Far from the dipole: TE₂₀, which is zero here, decays by e^4.4 over one meter, and others by e^8.
    let positions = [1.3, 1.55, 1.8, 2.05];
    problem.monitors.probes = positions.map(|z| [0.5 * a, 0.1, z]).into();
    let (study, solution) = solve(problem);
    assert!(solution.settled);
    let beta = TAU * frequency / C0 * FRAC_1_SQRT_2;
    let fields = [0, 1, 2, 3].map(|probe| {
        let values = study.probe(&solution, probe).into_iter().map(|fields| fields[1]);
        study.transform(&solution, values, frequency)
    });
    let [forth, back] = two_waves(positions.map(|z| beta * (z - length)), fields);
    let got = (back / forth).norm();
    let expected = (1.0 - FRAC_1_SQRT_2) / (1.0 + FRAC_1_SQRT_2);
    assert!((got - expected).abs() < 0.01 * expected, "{got} instead of {expected}");
}

/// Least-squares a and b of a e^{−jφ} + b e^{jφ}.
fn two_waves(phases: [f64; 4], fields: [Complex64; 4]) -> [Complex64; 2] {
    let sum = |factor: f64| -> Complex64 { phases.iter().map(|p| Complex64::cis(factor * p)).sum() };
    let part = |factor: f64| -> Complex64 {
        phases.iter().zip(fields).map(|(p, f)| f * Complex64::cis(factor * p)).sum()
    };
    // Normal equations: 4 a + (Σ e^{2jφ}) b = Σ f e^{jφ}, (Σ e^{−2jφ}) a + 4 b = Σ f e^{−jφ}.
    let (s, f, g) = (sum(2.0), part(1.0), part(-1.0));
    let determinant = 16.0 - s.norm_sqr();
    [(4.0 * f - s * g) / determinant, (4.0 * g - s.conj() * f) / determinant]
}
