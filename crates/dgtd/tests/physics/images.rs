//! Far fields in front of flat walls, against a Hertzian dipole and its image.

use crate::channel::solve;
use phasefront_core::Precision;
use phasefront_core::constants::{C0, ETA0};
use phasefront_dgtd::{Boundary, Dipole, Injection, PlaneWave, Problem, Pulse, Stop, prepare};
use phasefront_mesh::{BoxMesh, BoxRegion};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI, TAU};

const FREQUENCY: f64 = 300e6;
/// Height of the dipole above the wall, m.
const HEIGHT: f64 = 0.225;
const MOMENT: f64 = 1e-3;

/// A vertical dipole above a wall at z = 0, with a surface around it that ends at the wall or is closed above it, and PMLs around.
fn above(wall: Boundary, lowest: f64) -> Problem {
    let region = |name: &str, s: f64, z: [f64; 2]| BoxRegion {
        name: name.into(),
        from: [-s, -s, z[0]],
        to: [s, s, z[1]],
    };
    let mesh = BoxMesh {
        from: [-0.675, -0.675, 0.0],
        to: [0.675, 0.675, 0.9],
        cell: [0.15; 3],
        name: "pml".into(),
        regions: vec![region("air", 0.375, [0.0, 0.6]), region("vacuum", 0.225, [lowest, 0.45])],
        ..BoxMesh::default()
    };
    let mut problem = Problem {
        mesh: mesh.mesh().unwrap(),
        boundaries: vec![("zmin".into(), wall)],
        pulse: Pulse::modulated(FREQUENCY, 400e6),
        highest_frequency: FREQUENCY,
        stop: Stop { energy_db: None, time: 29e-9 },
        order: 3,
        precision: Precision::Single,
        ..Problem::default()
    };
    problem.sources.dipoles = vec![Dipole { position: [0.01, 0.02, HEIGHT], moment: [0.0, 0.0, MOMENT] }];
    problem.monitors.frequencies = vec![FREQUENCY];
    problem.monitors.far_field = true;
    problem.monitors.far_surface = Some("vacuum".into());
    problem
}

/// A vertical current I l at height h over PEC radiates (Balanis, Antenna Theory, 4-99 and 4-102)
/// U = η/2 (k |I l|/4π)² sin²θ |2 cos(kh cos θ)|² above it, and P = πη |I l/λ|² [1/3 − cos(2kh)/(2kh)² + sin(2kh)/(2kh)³]. Over PMC the
/// image has the opposite sign: the factor is 2 sin, and P has 1/3 + cos(2kh)/(2kh)² − sin(2kh)/(2kh)³.
fn expected(theta: f64, electric: bool) -> (f64, f64) {
    let (kh, current) = (
        TAU * FREQUENCY / C0 * HEIGHT,
        MOMENT * Pulse::modulated(FREQUENCY, 400e6).spectrum(FREQUENCY).norm(),
    );
    let array = if electric { (kh * theta.cos()).cos() } else { (kh * theta.cos()).sin() };
    let intensity = ETA0 / 2.0
        * (TAU * FREQUENCY / C0 * current / (4.0 * PI)).powi(2)
        * (2.0 * array * theta.sin()).powi(2);
    let coupling = (2.0 * kh).cos() / (2.0 * kh).powi(2) - (2.0 * kh).sin() / (2.0 * kh).powi(3);
    let sign = if electric { -1.0 } else { 1.0 };
    let power = PI * ETA0 * (current * FREQUENCY / C0).powi(2) * (1.0 / 3.0 + sign * coupling);
    (intensity, power)
}

#[test]
fn a_dipole_over_a_wall_has_its_image() {
    let directions = [[0.3, 0.0], [FRAC_PI_4, 1.0], [1.2, 2.5], [FRAC_PI_2 - 0.01, 4.0]];
    for (wall, lowest, symmetries) in [
        (Boundary::Pec, 0.0, &[false, true][..]),
        (Boundary::Pec, 0.075, &[false]),
        (Boundary::Pmc, 0.0, &[true]),
    ] {
        let electric = wall == Boundary::Pec;
        // One run: only what its far field is taken for differs.
        let (_, solution) = solve(above(wall, lowest));
        for &symmetry in symmetries {
            let mut problem = above(wall, lowest);
            if symmetry && electric {
                problem.symmetry = vec!["zmin".into()];
            }
            let study = prepare(problem).unwrap();
            let below: Vec<[f64; 2]> = directions.iter().map(|[theta, phi]| [PI - theta, *phi]).collect();
            let radiation = study.far_field(&solution, 0, &[&directions[..], &below].concat());
            let halves = if symmetry { 2.0 } else { 1.0 };
            let name = format!("electric {electric}, from {lowest} m, symmetry {symmetry}");
            for (i, [theta, _]) in directions.into_iter().enumerate() {
                let (intensity, power) = expected(theta, electric);
                let found = radiation.fields[i].intensity() / (2.0 * ETA0);
                assert!((found / intensity - 1.0).abs() < 0.03, "{name}: {theta}: {}", found / intensity);
                let ratio = radiation.power / (halves * power);
                assert!((ratio - 1.0).abs() < 0.02, "{name}: {ratio} of the power");
                // Behind a ground plane there is nothing; behind a symmetry plane the mirrored field.
                let behind = radiation.fields[4 + i].intensity() / (2.0 * ETA0);
                let wanted = if symmetry { intensity } else { 0.0 };
                assert!((behind - wanted).abs() < 0.03 * intensity, "{name}: {theta}: {behind} behind");
            }
        }
    }
}

fn complaint(change: impl Fn(&mut Problem)) -> String {
    let mut problem = above(Boundary::Pec, 0.0);
    change(&mut problem);
    prepare(problem).err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn what_has_no_image_is_refused() {
    let wave = |problem: &mut Problem, polarization| {
        problem.sources.dipoles.clear();
        let injection = Injection::TfSf("vacuum".into());
        problem.sources.plane_wave =
            Some(PlaneWave { propagation: [1.0, 0.0, 0.0], polarization, injection });
    };
    assert_eq!(complaint(|problem| wave(problem, [0.0, 0.0, 1.0])), "");
    let text = complaint(|problem| wave(problem, [0.0, 1.0, 0.0]));
    assert!(
        text.starts_with("source.plane_wave: the wave has an electric field along the wall at ("),
        "{text}"
    );
    let text = complaint(|problem| {
        problem.boundaries = vec![("zmin".into(), Boundary::Absorbing)];
    });
    assert!(text.contains("the surface \"vacuum\" is not closed"), "{text}");
}
