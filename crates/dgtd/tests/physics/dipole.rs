//! A short current in free space.

use crate::channel::solve;
use phasefront_core::Precision;
use phasefront_core::constants::{C0, ETA0};
use phasefront_dgtd::{Dipole, PmlKind, Problem, Pulse, Stop};
use phasefront_mesh::{BoxMesh, BoxRegion};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI, TAU};

/// D = 1.5 sin²θ and P = η k² |I l|²/(12π) (Balanis, Antenna Theory, 4.2).
#[test]
fn a_short_dipole_radiates_as_hertz_says() {
    for pml in [PmlKind::Shifted, PmlKind::Uniaxial] {
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
            pml,
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
        assert!((got - 1.0).abs() < 0.01, "{pml:?}: {got} of the power");
        for ([theta, _], got) in directions.into_iter().zip(radiation.directivity()) {
            let expected = 10.0 * (1.5 * theta.sin().powi(2)).log10();
            let got = 10.0 * got.log10();
            assert!((got - expected).abs() < 0.05, "{pml:?}: {got} dBi instead of {expected}");
        }
    }
}
