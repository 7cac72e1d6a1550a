//! Near fields of a Hertzian dipole on closed surfaces, against the closed form.

use crate::channel::solve;
use crate::dipole::free_field;
use glam::DVec3;
use num_complex::Complex64;
use phasefront_core::Precision;
use phasefront_core::constants::{C0, ETA0};
use phasefront_dgtd::{
    Boundary, Dipole, NearBox, NearField, Problem, Pulse, Solution, Stop, Study, SurfacePoint, power_through,
};
use phasefront_mesh::{BoxMesh, BoxRegion};
use std::f64::consts::{PI, TAU};

const FREQUENCY: f64 = 300e6;
const MOMENT: f64 = 1e-3;
const AT: DVec3 = DVec3::new(0.01, 0.02, 0.06);

/// H of a current I l at the origin: jk Il/4πr (1 + 1/jkr) e^{−jkr} l̂ × r̂ (Balanis, Antenna Theory, 4-8).
pub fn free_magnetic(frequency: f64, current: Complex64, along: DVec3, point: DVec3) -> [Complex64; 3] {
    let k = TAU * frequency / C0;
    let r = point.length();
    let jkr = Complex64::new(0.0, k * r);
    let scale = current * jkr / (4.0 * PI * r * r) * (1.0 + jkr.inv()) * (-jkr).exp();
    along.cross(point / r).to_array().map(|x| scale * x)
}

/// A vertical dipole in air within PMLs; where there is a wall at z = 0, in the half above it.
fn dipole(near: NearField, wall: Option<Boundary>) -> (Study, Solution) {
    let lowest = |z: f64| if wall.is_some() { 0.0 } else { -z };
    let region = |name: &str, s: f64| BoxRegion { name: name.into(), from: [-s, -s, lowest(s)], to: [s; 3] };
    let mesh = BoxMesh {
        from: [-0.675, -0.675, lowest(0.675)],
        to: [0.675; 3],
        cell: [0.15; 3],
        name: "pml".into(),
        regions: vec![region("air", 0.375), region("vacuum", 0.225)],
        ..BoxMesh::default()
    };
    let mut problem = Problem {
        mesh: mesh.mesh().unwrap(),
        symmetry: if wall == Some(Boundary::Pec) { vec!["zmin".into()] } else { Vec::new() },
        boundaries: wall.map(|wall| ("zmin".into(), wall)).into_iter().collect(),
        pulse: Pulse::modulated(FREQUENCY, 400e6),
        highest_frequency: FREQUENCY,
        stop: Stop { energy_db: None, time: 29e-9 },
        order: 3,
        precision: Precision::Single,
        ..Problem::default()
    };
    problem.sources.dipoles = vec![Dipole { position: AT.into(), moment: [0.0, 0.0, MOMENT] }];
    problem.monitors.frequencies = vec![FREQUENCY];
    problem.monitors.near_field = Some(near);
    solve(problem)
}

/// ‖found − exact‖/‖exact‖ of E and of H over a surface, with the fields of the dipole and of its image, whose moment has this sign.
fn errors(points: &[SurfacePoint], fields: &[[Complex64; 6]], image: Option<f64>) -> [f64; 2] {
    let (mut miss, mut size) = ([0.0; 2], [0.0; 2]);
    let sources = [(AT, 1.0)].into_iter().chain(image.map(|sign| (AT * DVec3::new(1.0, 1.0, -1.0), sign)));
    let sources: Vec<(DVec3, f64)> = sources.collect();
    for (point, found) in points.iter().zip(fields) {
        let mut exact = [Complex64::default(); 6];
        for (at, sign) in &sources {
            let (current, r) = (Complex64::from(MOMENT * sign), DVec3::from(point.position) - *at);
            let e = free_field(FREQUENCY, current, DVec3::Z, r);
            let h = free_magnetic(FREQUENCY, current, DVec3::Z, r);
            exact.iter_mut().zip(e.into_iter().chain(h)).for_each(|(sum, field)| *sum += field);
        }
        for c in 0..6 {
            miss[c / 3] += point.area * (found[c] - exact[c]).norm_sqr();
            size[c / 3] += point.area * exact[c].norm_sqr();
        }
    }
    [0, 1].map(|i| (miss[i] / size[i]).sqrt())
}

/// Areas and normals of a closed surface around a box with sides of `size`: ∮ dS, ∮ n dS = 0 and ∮ r·n dS = 3 V (Gauss).
fn closes(points: &[SurfacePoint], size: DVec3) {
    let flux: DVec3 = points.iter().map(|p| p.area * DVec3::from(p.normal)).sum();
    let volume: f64 =
        points.iter().map(|p| p.area * DVec3::from(p.normal).dot(p.position.into()) / 3.0).sum();
    let area: f64 = points.iter().map(|p| p.area).sum();
    let exact = 2.0 * (size.x * size.y + size.y * size.z + size.z * size.x);
    assert!(flux.length() < 1e-12 && (area - exact).abs() < 1e-9, "{flux} {area} of {exact}");
    assert!((volume - size.x * size.y * size.z).abs() < 1e-9, "{volume}");
}

/// The power of a dipole, η k² |I l|²/12π (Balanis, 4-16).
fn radiated() -> f64 {
    ETA0 * (TAU * FREQUENCY / C0 * MOMENT).powi(2) / (12.0 * PI)
}

#[test]
fn a_surface_of_the_mesh_has_the_field_of_a_dipole() {
    let (study, solution) = dipole(NearField::Surface("vacuum".into()), None);
    let (points, fields) = (study.near_points(), study.near_field(&solution, 0));
    closes(&points, DVec3::splat(0.45));
    // A cell away from that of the dipole, the static part of E, 1/r³, has an error of 9 % at this order.
    let [_, h] = errors(&points, &fields, None);
    assert!(h < 0.02, "{h}");
    let power = power_through(&points, &fields) / radiated();
    assert!((power - 1.0).abs() < 0.01, "{power} of the power");
}

/// The box goes through elements, where no face is.
#[test]
fn a_box_has_it_too() {
    let sides = NearBox { from: [-0.29, -0.3, -0.28], to: [0.3, 0.28, 0.31], points: [12, 12, 12] };
    let (study, solution) = dipole(NearField::Box(sides), None);
    let (points, fields) = (study.near_points(), study.near_field(&solution, 0));
    closes(&points, DVec3::new(0.59, 0.58, 0.59));
    let [e, h] = errors(&points, &fields, None);
    assert!(e < 0.02 && h < 0.02, "{e} {h}");
    let power = power_through(&points, &fields) / radiated();
    assert!((power - 1.0).abs() < 0.01, "{power} of the power");
}

/// With the half above a symmetry plane the box is whole, with the fields of the dipole and its image: along z alike over PEC.
#[test]
fn symmetry_planes_complete_the_surface() {
    let sides = NearBox { from: [-0.3, -0.3, 0.0], to: [0.3; 3], points: [12, 12, 6] };
    let (study, solution) = dipole(NearField::Box(sides), Some(Boundary::Pec));
    let (points, fields) = (study.near_points(), study.near_field(&solution, 0));
    closes(&points, DVec3::splat(0.6));
    let [e, h] = errors(&points, &fields, Some(1.0));
    assert!(e < 0.03 && h < 0.03, "{e} {h}");
}
