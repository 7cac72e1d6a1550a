//! Waveforms by samples: what is divided by their spectrum does not depend on them, and a step shows a line in time.

use crate::channel::{Channel, solve, walls};
use phasefront_core::constants::{C0, ETA0};
use phasefront_dgtd::{Boundary, Port, PortShape, Problem, Pulse, Stop, Waveform};
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

/// Samples of a function every 25 ps.
pub fn table([begin, end]: [f64; 2], of: impl Fn(f64) -> f64) -> Pulse {
    let count = ((end - begin) / 25e-12).round();
    let time = |i: u32| begin + (end - begin) * f64::from(i) / count;
    let samples: Vec<(f64, f64)> = (0..=count as u32).map(|i| (time(i), of(time(i)))).collect();
    Pulse::Table(Arc::new(Waveform::new(&samples).unwrap()))
}

/// A linear sweep from 0.1 to 1.1 GHz in 15 ns, which rises and falls as sin².
pub fn chirp() -> Pulse {
    let phase = |t: f64| TAU * (0.1e9 * t + 0.5 * 1e9 / 15e-9 * t * t);
    table([0.0, 15e-9], |t| (PI * t / 15e-9).sin().powi(2) * phase(t).sin())
}

/// −(t/τ) e^{−(t/τ)²}, the derivative of a Gaussian, around time zero.
fn derivative() -> Pulse {
    table([-3e-9, 3e-9], |t| -(t / 0.5e-9) * (-(t / 0.5e-9).powi(2)).exp())
}

/// Rises from 2 ns on within 0.6 ns, and falls after 10 ns.
fn step() -> Pulse {
    let rise = |t: f64| (0.5 * PI * (t / 0.6e-9).clamp(0.0, 1.0)).sin().powi(2);
    table([0.0, 12e-9], |t| rise(t - 2e-9) - rise(t - 10e-9))
}

/// A line of 0.3 m from a port of its impedance to a load of half of that.
fn line(pulse: Pulse) -> Problem {
    let channel = Channel { ends: [0.0, 0.3], size: [0.05, 0.08], cell: 0.05, regions: &[], planes: &[] };
    let mut problem = Problem {
        mesh: channel.mesh(),
        boundaries: walls([None, Some(Boundary::ResistiveSheet(0.5 * ETA0))]),
        pulse,
        stop: Stop { energy_db: Some(120.0), time: 60e-9 },
        order: 3,
        ..Problem::default()
    };
    problem.sources.ports = vec![Port {
        surface: "zmin".into(),
        resistance: Some(ETA0 * 0.05 / 0.08),
        shape: PortShape::Lumped { along: [1.0, 0.0, 0.0] },
    }];
    problem.monitors.frequencies = vec![0.3e9, 0.6e9, 0.9e9];
    problem
}

/// The scheme is linear and does not change with time, so that S-parameters with any waveform are the same.
#[test]
fn s_parameters_do_not_depend_on_the_waveform() {
    let reflection = |pulse: Pulse| {
        let (study, solution) = solve(line(pulse));
        assert!(solution.settled);
        study.ports(&solution).into_iter().map(|at| at.s[0])
    };
    let expected: Vec<_> = reflection(Pulse::modulated(0.6e9, 1e9)).collect();
    for pulse in [chirp(), derivative()] {
        for (found, expected) in reflection(pulse).zip(&expected) {
            assert!((found - expected).norm() < 1e-5, "{found} instead of {expected}");
        }
    }
}

/// A reflectometer: half of the voltage of the source enters the line, and (Z₀/2 − Z₀)/(Z₀/2 + Z₀) = −1/3 of it is back after 2 l/c = 2 ns.
#[test]
fn a_step_shows_the_load_in_time() {
    let (study, solution) = solve(line(step()));
    let voltage = study.voltage(&solution, 0);
    let delay = 0.6 / C0;
    for (from, to, expected) in [
        (2.6e-9, 2e-9 + delay, 0.5),
        (2.6e-9 + delay, 10e-9, 0.5 * (1.0 - 1.0 / 3.0)),
        (10.6e-9 + delay, 14e-9, 0.0),
    ] {
        let within = |i: &usize| (from..to).contains(&solution.time(*i));
        let series: Vec<f64> = (0..voltage.len()).filter(within).map(|i| voltage[i]).collect();
        assert!(!series.is_empty());
        let worst = series.iter().fold(0.0, |most: f64, v| most.max((v - expected).abs()));
        assert!(worst < 0.005, "{worst} V off {expected} V from {from} to {to} s");
    }
}
