//! Ports on a coaxial line of curved elements, Z₀ = η₀ ln(b/a)/2π (Pozar, Microwave Engineering, section 2.2).

use crate::annulus::annulus;
use crate::channel::solve;
use num_complex::Complex64;
use phasefront_core::constants::{C0, ETA0};
use phasefront_dgtd::{Boundary, Port, PortShape, PortSpectrum, Problem, Pulse, Stop};
use std::f64::consts::TAU;

const RADII: [f64; 2] = [2e-3, 3e-3];
const LENGTH: f64 = 6e-3;

fn impedance() -> f64 {
    ETA0 * (RADII[1] / RADII[0]).ln() / TAU
}

/// Ports with the characteristic impedance of the line on these surfaces, the first of them excited.
fn line(surfaces: &[&str]) -> Vec<PortSpectrum> {
    let port = |surface: &&str| Port {
        surface: (*surface).into(),
        resistance: Some(impedance()),
        shape: PortShape::Coaxial { center: [0.0; 3], inner: RADII[0], outer: RADII[1] },
    };
    let mut problem = Problem {
        mesh: annulus(RADII, LENGTH, [1, 6, 2]),
        boundaries: ["inner", "outer"].map(|name| (name.into(), Boundary::Pec)).into(),
        pulse: Pulse::modulated(9e9, 14e9),
        highest_frequency: 14e9,
        stop: Stop { energy_db: Some(60.0), time: 2e-9 },
        order: 3,
        ..Problem::default()
    };
    problem.sources.ports = surfaces.iter().map(port).collect();
    problem.monitors.frequencies = vec![4e9, 9e9, 14e9];
    let (study, solution) = solve(problem);
    assert!(solution.settled);
    study.ports(&solution)
}

/// S₁₁ below −60 dB, and S₂₁ = e^{−jkl}.
#[test]
fn a_matched_line_delays() {
    for at in line(&["zmin", "zmax"]) {
        let delay = Complex64::cis(-TAU * at.frequency * LENGTH / C0);
        assert!(at.s[0].norm() < 1e-3, "{at:?}");
        assert!((at.s[1] - delay).norm() < 1e-3, "{at:?} for {delay}");
    }
}

/// Both halves of the line in parallel are Z₀/2: S₁₁ = −1/3, and 2/3 are transmitted each way.
#[test]
fn a_port_inside_feeds_both_ways() {
    for at in line(&["middle", "zmin", "zmax"]) {
        let delay = Complex64::cis(-0.5 * TAU * at.frequency * LENGTH / C0);
        assert!((at.s[0] + 1.0 / 3.0).norm() < 1e-3, "{at:?}");
        for s in &at.s[1..] {
            assert!((s - 2.0 / 3.0 * delay).norm() < 1e-3, "{at:?} for {delay}");
        }
    }
}
