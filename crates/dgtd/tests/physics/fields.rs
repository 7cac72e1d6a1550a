//! Fields and currents as written to files, where they are known at every point.

use crate::channel::{Channel, solve, walls, wave_along_z};
use num_complex::Complex64;
use phasefront_core::constants::{C0, ETA0};
use phasefront_dgtd::{Boundary, Initial, Injection, Problem, Pulse, Slice, Sources, Stop};
use phasefront_mesh::BoxMesh;
use std::f64::consts::{PI, TAU};

/// The mode k = π(1, 1, 1)/m, a = (1, −2, 1) of a metal cube (Pozar, Microwave Engineering, 6.3): E = a cos sin sin ..., cyclic in x, y, z,
/// times cos ωt, and η₀H = −(k × a)/|k| sin cos cos ... times sin ωt, with ω = c|k|.
fn mode([x, y, z]: [f64; 3], time: f64) -> [f64; 6] {
    let [(sx, cx), (sy, cy), (sz, cz)] = [x, y, z].map(|x| (PI * x).sin_cos());
    let (later, now) = (3_f64.sqrt() * PI * C0 * time).sin_cos();
    let h = later * 3_f64.sqrt() / ETA0;
    [
        now * cx * sy * sz,
        -2.0 * now * sx * cy * sz,
        now * sx * sy * cz,
        -h * sx * cy * cz,
        0.0,
        h * cx * cy * sz,
    ]
}

#[test]
fn snapshots_are_what_the_mode_is_at_their_times() {
    let end = 1.0 / C0;
    let mut problem = Problem {
        mesh: BoxMesh {
            from: [0.0; 3],
            to: [1.0; 3],
            cell: [0.25; 3],
            name: "air".into(),
            ..BoxMesh::default()
        }
        .mesh()
        .unwrap(),
        boundaries: ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"]
            .map(|name| (name.into(), Boundary::Pec))
            .into(),
        sources: Sources {
            initial: Some(Initial::Mode { k: [PI; 3], a: [1.0, -2.0, 1.0] }),
            ..Sources::default()
        },
        highest_frequency: 260e6,
        stop: Stop { energy_db: None, time: end },
        order: 3,
        ..Problem::default()
    };
    // Unordered, and one twice.
    problem.monitors.snapshots = vec![end, 0.0, 0.3 * end, 0.3 * end];
    let (study, solution) = solve(problem);
    let pieces = study.snapshot_subdivision();
    assert_eq!((pieces.points.len(), pieces.cells.len()), (384 * 20, 384 * 27));
    let found: Vec<(f64, Vec<[f32; 6]>)> = study.snapshots(&solution).collect();
    assert_eq!(found.len(), 3);
    // The error is 1.6e-3 of the whole field at the end, and some times as much at single nodes.
    for ((time, fields), (asked, tolerance)) in
        found.iter().zip([(0.0, 1e-6), (0.3 * end, 0.02), (end, 0.02)])
    {
        assert!((time - asked).abs() <= 0.5 * solution.dt, "{time} for {asked}");
        for (point, fields) in pieces.points.iter().zip(fields) {
            for (c, exact) in mode(*point, *time).into_iter().enumerate() {
                let miss = (f64::from(fields[c]) - exact) * if c < 3 { 1.0 } else { ETA0 };
                assert!(
                    miss.abs() < tolerance,
                    "{time} s, {point:?}, component {c}: {} for {exact}",
                    fields[c]
                );
            }
        }
    }
}

const LENGTH: f64 = 0.3;
const SIZE: [f64; 2] = [0.05, 0.075];
const FREQUENCIES: [f64; 2] = [0.8e9, 1.1e9];

/// E_x and η₀H_y of a wave e^{−jkz} with its reflection from a conductor at z = [`LENGTH`], and of the reflection alone.
fn standing(frequency: f64, z: f64) -> ([Complex64; 2], [Complex64; 2]) {
    let k = TAU * frequency / C0;
    let (there, back) = (Complex64::cis(-k * z), Complex64::cis(-k * (2.0 * LENGTH - z)));
    ([there - back, there + back], [-back, back])
}

/// A conductor across the channel, with all monitors that have spectra.
fn mirror(injection: Injection) -> Problem {
    let channel = Channel {
        ends: [-0.1, LENGTH],
        size: SIZE,
        cell: 0.05,
        regions: &[("vacuum", 0.1, 0.2)],
        planes: &[("hull", 0.0)],
    };
    let mut problem = Problem {
        mesh: channel.mesh(),
        boundaries: walls([Some(Boundary::Absorbing), Some(Boundary::Pec)]),
        pulse: Pulse::modulated(1e9, 1e9),
        highest_frequency: 1.5e9,
        stop: Stop { energy_db: Some(80.0), time: 30e-9 },
        order: 4,
        ..Problem::default()
    };
    let mut wave = wave_along_z();
    wave.injection = injection;
    problem.sources.plane_wave = Some(wave);
    problem.monitors.frequencies = FREQUENCIES.into();
    problem.monitors.currents = true;
    problem.monitors.volumes = vec!["vacuum".into()];
    problem.monitors.slices = vec![Slice {
        name: "cut".into(),
        origin: [0.02, 0.03, 0.01],
        sides: [[0.0, 0.0, 0.4], [0.02, 0.0, 0.0]],
        points: [41, 3],
    }];
    problem
}

fn near(what: &str, got: Complex64, exact: Complex64) {
    assert!((got - exact).norm() < 0.01, "{what}: {got} for {exact}");
}

/// Total fields are a standing wave; the scattered-field formulation has the reflected wave. The currents are the same: n × H
/// of the standing wave, which on the conductor is twice that of the incident wave.
#[test]
fn a_mirror_has_twice_the_current() {
    for injection in [Injection::TfSf("hull".into()), Injection::ScatteredField] {
        let total = injection != Injection::ScatteredField;
        let (study, solution) = solve(mirror(injection));
        assert!(solution.settled);
        for (f, frequency) in FREQUENCIES.into_iter().enumerate() {
            let expected = |z: f64| if total { standing(frequency, z).0 } else { standing(frequency, z).1 };
            let fields = |what: &str, z: f64, found: &[Complex64; 6]| {
                let [e, h] = expected(z);
                let zero = Complex64::default();
                for (c, exact) in [e, zero, zero, zero, h, zero].into_iter().enumerate() {
                    near(what, found[c] * if c < 3 { 1.0 } else { ETA0 }, exact);
                }
            };
            let pieces = study.volume_subdivision();
            assert_eq!((pieces.points.len(), pieces.cells.len()), (2 * 6 * 35, 2 * 6 * 64));
            for (point, found) in pieces.points.iter().zip(study.volume_fields(&solution, f)) {
                fields("volume", point[2], &found);
            }
            let slice = study.slice(&solution, f, 0);
            assert_eq!(slice.len(), 123);
            for (i, found) in slice.iter().enumerate() {
                let z = 0.01 + 0.01 * (i % 41) as f64;
                assert_eq!(found.is_some(), z < LENGTH + 1e-9, "z = {z}");
                if let Some(found) = found {
                    fields("slice", z, found);
                }
            }
            let (pieces, currents) = (study.conductor_subdivision(), study.currents(&solution, f));
            assert_eq!(pieces.points.len(), currents.len());
            let mut on_mirror = 0;
            for (cell, corner) in
                pieces.cells.iter().flat_map(|cell| cell.iter().map(move |corner| (cell, *corner)))
            {
                let [a, b, c] = cell.map(|i| glam::DVec3::from(pieces.points[i as usize]));
                let n = (b - a).cross(c - a).normalize();
                let point = pieces.points[corner as usize];
                let h = standing(frequency, point[2]).0[1];
                // n × ŷ: at x = 0 n is +x, at the other wall −x, and on the conductor −z.
                let way = n.cross(glam::DVec3::Y);
                if a.z + b.z + c.z > 0.0 {
                    for axis in 0..3 {
                        near("current", ETA0 * currents[corner as usize][axis], way[axis] * h);
                    }
                }
                if n.z < -0.5 {
                    on_mirror += 1;
                    assert!((ETA0 * currents[corner as usize][0].norm() - 2.0).abs() < 0.01);
                }
            }
            assert_eq!(on_mirror, 2 * 16 * 3, "two faces of sixteen triangles");
        }
    }
}
