//! A Hertzian dipole in free space.

use crate::channel::solve;
use glam::DVec3;
use num_complex::Complex64;
use phasefront_core::Precision;
use phasefront_core::constants::{C0, ETA0};
use phasefront_dgtd::{Dipole, PmlKind, Problem, Pulse, Stop};
use phasefront_mesh::{BoxMesh, BoxRegion};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI, TAU};

/// D = 1.5 sin²θ and P = η k² |I l|²/(12π) (Balanis, Antenna Theory, 4.2). Uniaxial layers are tested below.
#[test]
fn a_short_dipole_radiates_as_hertz_says() {
    let frequency = 300e6;
    let region = |name: &str, s: f64| BoxRegion { name: name.into(), from: [-s; 3], to: [s; 3] };
    let mesh = BoxMesh {
        from: [-0.675; 3],
        to: [0.675; 3],
        cell: [0.15; 3],
        name: "pml".into(),
        regions: vec![region("air", 0.375), region("vacuum", 0.225)],
        ..BoxMesh::default()
    };
    let mut problem = Problem {
        mesh: mesh.mesh().unwrap(),
        pulse: Pulse::modulated(frequency, 400e6),
        highest_frequency: frequency,
        stop: Stop { energy_db: None, time: 29e-9 },
        order: 3,
        precision: Precision::Single,
        ..Problem::default()
    };
    let moment = 1e-3;
    problem.sources.dipoles = vec![Dipole { position: [0.01, 0.02, 0.0], moment: [0.0, 0.0, moment] }];
    problem.monitors.frequencies = vec![frequency];
    problem.monitors.far_field = true;
    problem.monitors.far_surface = Some("vacuum".into());
    let current = moment * problem.pulse.spectrum(frequency).norm();
    let (study, solution) = solve(problem);
    let directions = [[FRAC_PI_2, 0.0], [FRAC_PI_2, 1.0], [FRAC_PI_4, 0.5], [3.0 * FRAC_PI_4, 2.5]];
    let radiation = study.far_field(&solution, 0, &directions);
    let power = ETA0 * (TAU * frequency / C0 * current).powi(2) / (12.0 * PI);
    let got = radiation.power / power;
    assert!((got - 1.0).abs() < 0.01, "{got} of the power");
    for ([theta, _], got) in directions.into_iter().zip(radiation.directivity()) {
        let expected = 10.0 * (1.5 * theta.sin().powi(2)).log10();
        let got = 10.0 * got.log10();
        assert!((got - expected).abs() < 0.05, "{got} dBi instead of {expected}");
    }
}

/// The spectrum of E of a current I l at the origin in free space: with p = Il/jω,
/// 4πε₀ E = e^{−jkr} {k² (n × p) × n/r + [3n(n·p) − p] (1/r³ + jk/r²)} (Jackson, Classical Electrodynamics, 9.18, for e^{+jωt}).
pub fn free_field(frequency: f64, current: Complex64, along: DVec3, point: DVec3) -> [Complex64; 3] {
    let k = TAU * frequency / C0;
    let (r, n) = (point.length(), point.normalize());
    let far = along - n * n.dot(along);
    let near = 3.0 * n * n.dot(along) - along;
    // 1/(jω 4πε₀) = η₀/(4πjk).
    let scale = current * Complex64::new(0.0, -ETA0 / (4.0 * PI * k)) * Complex64::cis(-k * r);
    let near_scale = Complex64::new(1.0 / r.powi(3), k / r.powi(2));
    std::array::from_fn(|axis| scale * (k * k / r * far[axis] + near_scale * near[axis]))
}

/// A dipole beside a PML that its waves meet at 45° to 65°: the reflection perturbs the free-space field by less than a
/// hundredth (−40 dB), all along the PML.
#[test]
fn layers_absorb_at_an_angle() {
    let frequencies = [250e6, 300e6, 350e6];
    let cell = 0.15;
    let air = [3.0 * cell, 2.0 * cell, 2.0 * cell];
    let outer = air.map(|x| x + 3.0 * cell);
    let mesh = BoxMesh {
        from: outer.map(|x| -x),
        to: outer,
        cell: [cell; 3],
        name: "pml".into(),
        regions: vec![BoxRegion { name: "air".into(), from: air.map(|x| -x), to: air }],
        ..BoxMesh::default()
    };
    for pml in [PmlKind::Cfs, PmlKind::Uniaxial] {
        let mut problem = Problem {
            mesh: mesh.mesh().unwrap(),
            pulse: Pulse::modulated(300e6, 400e6),
            highest_frequency: frequencies[2],
            stop: Stop { energy_db: None, time: 29e-9 },
            order: 3,
            precision: Precision::Single,
            pml,
            ..Problem::default()
        };
        let (position, moment) = (DVec3::new(-0.32, 0.02, 0.07), DVec3::new(0.6, 0.0, 0.8));
        problem.sources.dipoles = vec![Dipole { position: position.into(), moment: (1e-3 * moment).into() }];
        let points = [[0.38, 0.05, 0.08], [0.35, -0.12, 0.12], [0.4, 0.1, -0.2], [0.3, 0.2, 0.03]];
        problem.monitors.probes = points.into();
        let (study, solution) = solve(problem);
        for frequency in frequencies {
            let current = 1e-3 * study.problem.pulse.spectrum(frequency);
            for (probe, point) in points.into_iter().enumerate() {
                let expected = free_field(frequency, current, moment, DVec3::from(point) - position);
                let fields = study.probe(&solution, probe);
                let miss: f64 = (0..3)
                    .map(|axis| {
                        let values = fields.iter().map(|fields| fields[axis]);
                        (study.transform(&solution, values, frequency) - expected[axis]).norm_sqr()
                    })
                    .sum();
                let size: f64 = expected.iter().map(Complex64::norm_sqr).sum();
                let miss = 10.0 * (miss / size).log10();
                assert!(miss < -40.0, "{pml:?}, {frequency} Hz, {point:?}: {miss} dB");
            }
        }
    }
}
