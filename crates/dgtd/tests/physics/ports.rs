//! Ports on a parallel-plate line, Z₀ = η₀ (distance over width).

use crate::channel::{Channel, solve, walls};
use num_complex::Complex64;
use phasefront_core::constants::{C0, ETA0};
use phasefront_dgtd::{Boundary, LumpedElement, Port, PortShape, PortSpectrum, Problem, Pulse, Stop};
use std::f64::consts::TAU;

/// Distance of the plates over their width is 5/8.
pub const Z0: f64 = ETA0 * 0.05 / 0.08;
pub const LENGTH: f64 = 0.3;
const FREQUENCIES: [f64; 3] = [0.3e9, 0.6e9, 0.9e9];

pub fn port(surface: &str, resistance: f64) -> Port {
    Port {
        surface: surface.into(),
        resistance: Some(resistance),
        shape: PortShape::Lumped { along: [1.0, 0.0, 0.0] },
    }
}

/// A line of 0.3 m with these ports; its ends are ports or boundary conditions.
fn line(ends: [Option<Boundary>; 2], ports: Vec<Port>) -> Vec<PortSpectrum> {
    loaded_line(ends, ports, Vec::new())
}

/// The same with lumped elements.
pub fn loaded_line(
    ends: [Option<Boundary>; 2],
    ports: Vec<Port>,
    lumped: Vec<LumpedElement>,
) -> Vec<PortSpectrum> {
    let channel = Channel {
        ends: [0.0, LENGTH],
        size: [0.05, 0.08],
        cell: 0.05,
        regions: &[],
        planes: &[("middle", 0.5 * LENGTH)],
    };
    let mut problem = Problem {
        mesh: channel.mesh(),
        boundaries: walls(ends),
        lumped,
        pulse: Pulse::modulated(0.6e9, 1.0e9),
        stop: Stop { energy_db: Some(80.0), time: 200e-9 },
        order: 3,
        ..Problem::default()
    };
    problem.sources.ports = ports;
    problem.monitors.frequencies = FREQUENCIES.into();
    let (study, solution) = solve(problem);
    assert!(solution.settled);
    study.ports(&solution)
}

#[test]
fn a_matched_line_reflects_nothing() {
    for at in line([None; 2], vec![port("zmin", Z0), port("zmax", Z0)]) {
        assert!(at.s[0].norm() < 0.01, "{at:?}");
        assert!((at.s[1].norm() - 1.0).abs() < 0.005, "{at:?}");
    }
}

#[test]
fn a_short_reflects_all() {
    for at in line([None, Some(Boundary::Pec)], vec![port("zmin", Z0)]) {
        assert!((at.s[0].norm() - 1.0).abs() < 0.005, "{at:?}");
    }
}

/// (Z₀/2 − Z₀)/(Z₀/2 + Z₀) = −1/3 at the load, with the phase e^{−2jkl} of the round trip.
#[test]
fn half_the_impedance_reflects_a_third() {
    for at in line([None, Some(Boundary::ResistiveSheet(0.5 * ETA0))], vec![port("zmin", Z0)]) {
        let there_and_back = Complex64::cis(-2.0 * TAU * at.frequency * LENGTH / C0);
        let load = at.s[0] / there_and_back;
        assert!((load + 1.0 / 3.0).norm() < 0.01 / 3.0, "{load}");
    }
}

/// A port between the plates halfway along sees both halves of the line in parallel, Z₀/2: with R = Z₀,
/// S₁₁ = −1/3 and S₂₁ = S₃₁ = 2/3.
#[test]
fn a_port_inside_feeds_both_ways() {
    let ports = vec![port("middle", Z0), port("zmin", Z0), port("zmax", Z0)];
    for at in line([None; 2], ports) {
        assert!((at.s[0] + 1.0 / 3.0).norm() < 0.01 / 3.0, "{at:?}");
        assert!((at.impedance - 0.5 * Z0).norm() < 0.01 * Z0, "{at:?}");
        for s in &at.s[1..] {
            assert!((s.norm() - 2.0 / 3.0).abs() < 0.01, "{at:?}");
        }
    }
}
