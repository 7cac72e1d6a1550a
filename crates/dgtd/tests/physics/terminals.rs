//! Terminals of wave ports: coupled lines against closed forms.

use crate::channel::solve;
use num_complex::Complex64;
use phasefront_core::constants::{C0, EPS0, ETA0};
use phasefront_dgtd::{
    Boundary, DgtdError, Material, Port, PortShape, Problem, Pulse, Sources, Stop, prepare, s_matrix,
};
use phasefront_mesh::{BoxMesh, BoxRegion, BoxSheet};
use std::f64::consts::TAU;

/// Width, heights of the two lines, length, m, and the permittivities in them.
const WIDTH: f64 = 3e-3;
const HEIGHTS: [f64; 2] = [1e-3, 2e-3];
const LENGTH: f64 = 8e-3;
const EPS: [f64; 2] = [4.0, 1.0];
const OHM: f64 = 75.0;

/// A plate above another above the ground, between magnetic walls: two parallel-plate lines without fringing fields, the lower one filled. Terminals
/// are the upper plates of both.
fn stacked(terminals: &[&str]) -> Problem {
    let [low, high] = HEIGHTS;
    let mesh = BoxMesh {
        to: [WIDTH, low + high, LENGTH],
        cell: [WIDTH, 1e-3, 2e-3],
        name: "air".into(),
        regions: vec![BoxRegion { name: "board".into(), from: [0.0; 3], to: [WIDTH, low, LENGTH] }],
        sheets: vec![BoxSheet { name: "plate".into(), from: [0.0, low, 0.0], to: [WIDTH, low, LENGTH] }],
        ..BoxMesh::default()
    };
    let walls = [
        ("xmin", Boundary::Pmc),
        ("xmax", Boundary::Pmc),
        ("ymin", Boundary::Pec),
        ("ymax", Boundary::Pec),
        ("plate", Boundary::Pec),
    ];
    let port = |surface: &str, mode: usize| Port {
        surface: surface.into(),
        resistance: Some(OHM),
        shape: PortShape::Wave { mode, polarity: None, shift: 0.0 },
    };
    let names: Vec<String> = terminals.iter().map(|name| (*name).to_owned()).collect();
    let modes = |surface| (0..names.len()).map(move |mode| port(surface, mode));
    Problem {
        mesh: mesh.mesh().unwrap(),
        materials: vec![("board".into(), Material::dielectric(EPS[0]))],
        boundaries: walls.map(|(name, boundary)| (name.to_owned(), boundary)).into(),
        sources: Sources {
            ports: modes("zmin").chain(modes("zmax")).collect(),
            terminals: ["zmin", "zmax"].map(|surface| (surface.to_owned(), names.clone())).into(),
            ..Sources::default()
        },
        pulse: Pulse::modulated(6e9, 6e9),
        highest_frequency: 8e9,
        stop: Stop { energy_db: Some(70.0), time: 20e-9 },
        order: 3,
        ..Problem::default()
    }
}

/// S of the two lines with terminals in series, Z = A Z' Aᵀ: v₁ = u₁ and v₂ = u₁ + u₂ of their voltages u, with Z' of a lossless line
/// −jZ₀ [cot βl, csc βl; csc βl, cot βl] (D. M. Pozar, *Microwave Engineering*, 4th ed., table 4.1). Order: both terminals of zmin, then of zmax.
fn exact(frequency: f64) -> [[Complex64; 4]; 4] {
    let lines = [0, 1].map(|k| {
        let angle = TAU * frequency * EPS[k].sqrt() * LENGTH / C0;
        let impedance = ETA0 * HEIGHTS[k] / (WIDTH * EPS[k].sqrt());
        [Complex64::new(0.0, -impedance / angle.tan()), Complex64::new(0.0, -impedance / angle.sin())]
    });
    let z = |i: usize, j: usize| {
        let far = usize::from(i / 2 != j / 2);
        // Terminal 2 has the voltages and the currents of both lines.
        (0..=(i % 2).min(j % 2)).map(|line| lines[line][far]).sum::<Complex64>()
    };
    let sum = |sign: f64| faer::Mat::from_fn(4, 4, |i, j| z(i, j) + if i == j { sign * OHM } else { 0.0 });
    // S = (Z + R)⁻¹ (Z − R), which commute.
    let s = faer::prelude::Solve::solve(&sum(1.0).partial_piv_lu(), sum(-1.0));
    std::array::from_fn(|i| std::array::from_fn(|j| s[(i, j)]))
}

#[test]
fn stacked_lines() {
    let frequencies = [4e9, 7e9];
    let mut problem = stacked(&["plate", "ymax"]);
    problem.monitors.frequencies = frequencies.to_vec();
    let mut runs = Vec::new();
    let mut study = None;
    for excited in 0..4 {
        problem.sources.excited = excited;
        let (prepared, solution) = solve(problem.clone());
        runs.push(prepared.ports(&solution));
        study = Some(prepared);
    }
    let study = study.unwrap();
    for (f, frequency) in frequencies.into_iter().enumerate() {
        let columns: Vec<_> = runs.iter().map(|run| &run[f]).collect();
        let found = s_matrix(&columns, &problem.sources.ports, &study.terminals).unwrap();
        let exact = exact(frequency);
        for (i, row) in found.iter().enumerate() {
            for (j, s) in row.iter().enumerate() {
                assert!(
                    (s - exact[i][j]).norm() < 2e-3,
                    "S{}{}: {s} instead of {}",
                    i + 1,
                    j + 1,
                    exact[i][j]
                );
            }
        }
        // C of plates: those of the lines between neighbors, ε w/h, and to the ground.
        let [series, shunt] = study.line_parameters(&study.terminals[0], frequency);
        let per_line = [0, 1].map(|k| EPS[k] * EPS0 * WIDTH / HEIGHTS[k]);
        let omega = TAU * frequency;
        for (i, j, expected) in [
            (0, 0, per_line[0] + per_line[1]),
            (0, 1, -per_line[1]),
            (1, 0, -per_line[1]),
            (1, 1, per_line[1]),
        ] {
            let found = shunt[i][j].im / omega;
            assert!((found / expected - 1.0).abs() < 1e-6, "C{i}{j}: {found} instead of {expected}");
        }
        // μ₀ h/w of each line.
        let inductance = series[1][1].im / omega;
        let expected = ETA0 / C0 * (HEIGHTS[0] + HEIGHTS[1]) / WIDTH;
        assert!((inductance / expected - 1.0).abs() < 1e-6, "{inductance} instead of {expected}");
    }
}

#[test]
fn terminals_that_are_none() {
    for (names, path, message) in [
        (&["plate", "zmax"][..], "[1]", "the terminal \"zmax\" has no edge on the wave port \"zmin\""),
        (
            &["plate", "plate"],
            "[1]",
            "the terminals \"plate\" and \"plate\" are one conductor on the wave port \"zmin\"",
        ),
        (&["plate"], "", "the wave port \"zmin\" has several conductors that are no terminals"),
        (&["plate", "nothing"], "[1]", "there is no surface group \"nothing\""),
    ] {
        let Err(DgtdError::Invalid(error)) = prepare(stacked(names)) else { panic!("{names:?}: refused") };
        assert_eq!(error.path, format!("source.ports[0].wave.terminals{path}"));
        assert!(error.message.starts_with(message), "{}", error.message);
    }
}
