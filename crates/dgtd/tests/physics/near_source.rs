//! The near field of a Hertzian dipole as a source, against the closed form: the file is the closed form on a box, too.

use crate::channel::solve;
use crate::dipole::free_field;
use crate::near_field::free_magnetic;
use glam::{DMat3, DVec3};
use num_complex::Complex64;
use phasefront_core::Precision;
use phasefront_core::constants::{C0, ETA0};
use phasefront_dgtd::{
    Boundary, NearSource, Problem, Pulse, RecordedField, Slice, Solution, Stop, Study, SurfacePoint,
};
use phasefront_mesh::{BoxMesh, BoxRegion};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI, TAU};
use std::sync::Arc;

const MOMENT: f64 = 1e-3;

/// E and H of a vertical dipole at the origin.
fn of_dipole(frequency: f64, at: DVec3) -> [Complex64; 6] {
    let current = Complex64::from(MOMENT);
    let e = free_field(frequency, current, DVec3::Z, at);
    let h = free_magnetic(frequency, current, DVec3::Z, at);
    [e[0], e[1], e[2], h[0], h[1], h[2]]
}

/// On a cube around it with `count` points along each side, whose middle is not the dipole's place.
fn recorded(frequencies: &[f64], half: f64, count: usize) -> RecordedField {
    let (middle, step) = (DVec3::new(0.01, -0.02, 0.015), 2.0 * half / count as f64);
    let mut points = Vec::new();
    for (axis, sign) in (0..3).flat_map(|axis| [(axis, -1.0), (axis, 1.0)]) {
        for (i, j) in (0..count).flat_map(|i| (0..count).map(move |j| (i, j))) {
            let mut at = DVec3::splat(sign * half);
            at[(axis + 1) % 3] = (i as f64 + 0.5) * step - half;
            at[(axis + 2) % 3] = (j as f64 + 0.5) * step - half;
            let mut normal = [0.0; 3];
            normal[axis] = sign;
            points.push(SurfacePoint { position: (at + middle).to_array(), normal, area: step * step });
        }
    }
    let at = |&f: &f64| points.iter().map(|point| of_dipole(f, point.position.into())).collect();
    RecordedField { frequencies: frequencies.to_vec(), fields: frequencies.iter().map(at).collect(), points }
}

/// η k² |I l|²/(12π) (Balanis, Antenna Theory, 4.2).
fn power_of_dipole(frequency: f64) -> f64 {
    ETA0 * (TAU * frequency / C0 * MOMENT).powi(2) / (12.0 * PI)
}

/// ‖found − expected‖/‖expected‖, E and η₀H.
fn error(found: &[[Complex64; 6]], expected: &[[Complex64; 6]]) -> f64 {
    let size = |fields: &[Complex64; 6]| -> f64 {
        (0..6).map(|c| fields[c].norm_sqr() * if c < 3 { 1.0 } else { ETA0 * ETA0 }).sum()
    };
    let misses = found.iter().zip(expected).map(|(a, b)| size(&std::array::from_fn(|c| a[c] - b[c])));
    (misses.sum::<f64>() / expected.iter().map(size).sum::<f64>()).sqrt()
}

/// Outside of the box the currents have the field of the dipole and its power, inside none; and the error of both falls with the number of
/// points.
#[test]
fn equivalent_currents_radiate_outward_only() {
    let frequencies = [250e6, 350e6];
    let errors = [6, 12].map(|count| {
        let field = recorded(&frequencies, 0.08, count);
        let outside = [DVec3::new(0.2, 0.03, -0.05), DVec3::new(-0.1, 0.25, 0.6), DVec3::new(0.0, 0.0, 5.0)];
        let currents = field.currents(&[0, 1]);
        let mut worst: f64 = 0.0;
        for at in outside {
            for (f, found) in frequencies.iter().zip(currents.fields_at(at)) {
                let found = std::array::from_fn(|c| if c < 3 { found[c] } else { found[c] / ETA0 });
                worst = worst.max(error(&[found], &[of_dipole(*f, at)]));
            }
        }
        for (f, frequency) in frequencies.iter().enumerate() {
            let power = field.power(f) / power_of_dipole(*frequency);
            assert!((power - 1.0).abs() < 0.02, "{power} of the power");
        }
        [worst, field.check(&[0, 1]).unwrap()]
    });
    println!("{errors:?}");
    for k in [0, 1] {
        assert!(errors[1][k] < 0.02 && errors[1][k] < 0.4 * errors[0][k], "{errors:?}");
    }
}

/// Air and a PML of two cells of 0.15 m around a box of 0.45 m, whose surface is `hull`: around the origin, or two cells above a wall at
/// z = `floor`.
fn problem(recorded: RecordedField, floor: Option<f64>, slices: Vec<Slice>) -> Problem {
    let low = |s: f64| floor.unwrap_or(-s);
    let region = |name: &str, s: f64| BoxRegion { name: name.into(), from: [-s, -s, low(s)], to: [s; 3] };
    let hull = BoxRegion { name: "hull".into(), from: [-0.225; 3], to: [0.225; 3] };
    let mesh = BoxMesh {
        from: [-0.675, -0.675, low(0.675)],
        to: [0.675; 3],
        cell: [0.15; 3],
        name: "pml".into(),
        regions: vec![region("air", 0.375), hull],
        ..BoxMesh::default()
    };
    let mut problem = Problem {
        mesh: mesh.mesh().unwrap(),
        materials: vec![("hull".into(), phasefront_dgtd::Material::VACUUM)],
        boundaries: floor.map(|_| ("zmin".into(), Boundary::Pec)).into_iter().collect(),
        pulse: Pulse::modulated(300e6, 600e6),
        highest_frequency: 350e6,
        stop: Stop { energy_db: Some(40.0), time: 60e-9 },
        order: 2,
        precision: Precision::Single,
        ..Problem::default()
    };
    problem.monitors.frequencies = recorded.frequencies.iter().rev().copied().collect();
    problem.monitors.slices = slices;
    problem.sources.near_field = Some(NearSource { recorded: Arc::new(recorded), surface: "hull".into() });
    problem
}

fn slice(name: &str, origin: [f64; 3], sides: [[f64; 3]; 2]) -> Slice {
    Slice { name: name.into(), origin, sides, points: [9, 9] }
}

/// The fields on a slice, and where.
fn fields(study: &Study, solution: &Solution, f: usize, slice: usize) -> (Vec<DVec3>, Vec<[Complex64; 6]>) {
    let Slice { origin, sides, points: [nu, nv], .. } = &study.problem.monitors.slices[slice];
    let found = study.slice(solution, f, slice).into_iter().map(Option::unwrap).collect();
    let part = |i: usize, n: usize| i as f64 / (n - 1) as f64;
    let at = |(i, j): (usize, usize)| {
        DVec3::from(*origin) + DVec3::from(sides[0]) * part(i, *nu) + DVec3::from(sides[1]) * part(j, *nv)
    };
    ((0..*nv).flat_map(|j| (0..*nu).map(move |i| (i, j))).map(at).collect(), found)
}

/// Within the TF/SF surface: outside of it the field of the dipole, its power and D = 1.5 sin²θ at both frequencies, inside nothing.
#[test]
fn a_near_field_radiates_as_its_source() {
    let slices = vec![
        slice("outside", [0.3, -0.3, -0.3], [[0.0, 0.6, 0.0], [0.0, 0.0, 0.6]]),
        slice("inside", [-0.2, -0.2, 0.05], [[0.4, 0.0, 0.0], [0.0, 0.4, 0.0]]),
    ];
    let mut problem = problem(recorded(&[250e6, 350e6], 0.08, 8), None, slices);
    problem.monitors.far_field = true;
    problem.monitors.far_surface = Some("hull".into());
    let (study, solution) = solve(problem);
    for f in [0, 1] {
        let frequency = study.problem.monitors.frequencies[f];
        let (at, found) = fields(&study, &solution, f, 0);
        let expected: Vec<_> = at.iter().map(|at| of_dipole(frequency, *at)).collect();
        let outside = error(&found, &expected);
        let (at, found) = fields(&study, &solution, f, 1);
        // What would be there if the field did not end at the surface: of the dipole at the side of it.
        let size = of_dipole(frequency, DVec3::X * 0.225);
        let plus: Vec<_> = found.iter().map(|a| std::array::from_fn(|c| a[c] + size[c])).collect();
        let leak = error(&plus, &vec![size; at.len()]);
        let directions = [[FRAC_PI_2, 0.0], [FRAC_PI_2, 1.0], [FRAC_PI_4, 0.5], [3.0 * FRAC_PI_4, 2.5]];
        let radiation = study.far_field(&solution, f, &directions);
        let power = radiation.power / power_of_dipole(frequency);
        println!("{frequency}: outside {outside}, leak {leak}, power {power}");
        assert!(outside < 0.03, "{frequency} Hz: {outside}");
        assert!(leak < 0.02, "{frequency} Hz: {leak} inside");
        assert!((power - 1.0).abs() < 0.02, "{frequency} Hz: {power} of the power");
        for ([theta, _], got) in directions.into_iter().zip(radiation.directivity()) {
            let expected = 1.5 * theta.sin().powi(2);
            assert!((got / expected - 1.0).abs() < 0.02, "{frequency} Hz: {got} instead of {expected}");
        }
    }
}

/// Above a PEC plane: the field of the dipole, turned to lie along x, and of its image.
#[test]
fn a_plane_below_a_near_field_is_its_mirror() {
    let floor = -0.375;
    let slices = vec![slice("outside", [0.3, -0.3, -0.3], [[0.0, 0.6, 0.0], [0.0, 0.0, 0.6]])];
    // z turns to x.
    let placed = recorded(&[300e6], 0.08, 8).placed(DMat3::from_rotation_y(FRAC_PI_2), DVec3::ZERO);
    let (study, solution) = solve(problem(placed, Some(floor), slices));
    let (at, found) = fields(&study, &solution, 0, 0);
    let horizontal = |sign: f64, r: DVec3| -> [Complex64; 6] {
        let current = Complex64::from(sign * MOMENT);
        let e = free_field(300e6, current, DVec3::X, r);
        let h = free_magnetic(300e6, current, DVec3::X, r);
        [e[0], e[1], e[2], h[0], h[1], h[2]]
    };
    let with_image = |at: &DVec3| {
        let (own, image) = (horizontal(1.0, *at), horizontal(-1.0, *at - DVec3::Z * 2.0 * floor));
        std::array::from_fn(|c| own[c] + image[c])
    };
    let expected: Vec<[Complex64; 6]> = at.iter().map(with_image).collect();
    let alone: Vec<[Complex64; 6]> = at.iter().map(|at| horizontal(1.0, *at)).collect();
    let (off, without) = (error(&found, &expected), error(&alone, &expected));
    println!("{off} {without}");
    assert!(off < 0.03 && without > 0.2, "{off} off; without the image {without}");
}

/// Beside the TF/SF surface: inside of it the field of the dipole, outside nothing.
#[test]
fn a_near_field_from_outside_is_incident() {
    let slices = vec![
        slice("inside", [-0.2, -0.2, 0.05], [[0.4, 0.0, 0.0], [0.0, 0.4, 0.0]]),
        slice("outside", [0.3, -0.3, -0.3], [[0.0, 0.6, 0.0], [0.0, 0.0, 0.6]]),
    ];
    let beside = DVec3::new(-0.9, 0.3, 0.2);
    let placed = recorded(&[300e6], 0.08, 8).placed(DMat3::IDENTITY, beside);
    let (study, solution) = solve(problem(placed, None, slices));
    let (at, found) = fields(&study, &solution, 0, 0);
    let expected: Vec<_> = at.iter().map(|at| of_dipole(300e6, *at - beside)).collect();
    let inside = error(&found, &expected);
    let (_, found) = fields(&study, &solution, 0, 1);
    let plus: Vec<_> =
        found.iter().zip(&expected).map(|(a, b)| std::array::from_fn(|c| a[c] + b[c])).collect();
    let leak = error(&plus, &expected);
    println!("{inside} {leak}");
    assert!(inside < 0.03 && leak < 0.03, "{inside} off inside, {leak} outside");
}
