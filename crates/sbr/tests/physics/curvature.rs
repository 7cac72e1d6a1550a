//! Coarse meshes of curved bodies against physical optics of the bodies themselves, integrated over their surface.

use num_complex::Complex64;
use phasefront_core::constants::{C0, wavenumber};
use phasefront_core::{Progress, SelfCheck};
use phasefront_device::Backend;
use phasefront_mesh::{TriangleMesh, targets};
use phasefront_sbr::{Aspect, Bounces, Direction, Problem, Study, Surface, dbsm, prepare};
use std::f64::consts::{PI, TAU};

/// A wavelength of one meter.
const FREQUENCY: f64 = C0;

fn study(mesh: &TriangleMesh, surface: Surface, angles: &[[f64; 2]]) -> Study {
    let aspects = angles.iter().map(|&[t, p]| Aspect::monostatic(Direction::degrees(t, p))).collect();
    let (frequencies, bounces) = (vec![FREQUENCY], Bounces::AtMost(1));
    prepare(Problem { mesh: mesh.clone(), surface, frequencies, aspects, bounces, ..Problem::default() })
        .unwrap()
}

fn levels(study: &Study) -> Vec<f64> {
    let solution = study.solve(&Backend::Cpu, &Progress::silent()).unwrap();
    solution.frequencies[0].scattering.iter().map(|s| dbsm(s.vv)).collect()
}

/// Height above the start and radius of a profile at a parameter from 0 to 1.
type Profile = Box<dyn Fn(f64) -> [f64; 2]>;

/// A convex body, turned about `axis`.
struct Revolved {
    axis: [f64; 3],
    profiles: Vec<Profile>,
}

impl Revolved {
    /// Physical optics, σ = 4π|k/(2π) ∫ n·r̂ e^{2jk r̂·r} dS|² over the lit side, by the midpoint rule; n dS = ρ(−ρ', z') ds dφ.
    fn level(&self, [theta, phi]: [f64; 2]) -> f64 {
        const STEPS: [usize; 2] = [1200, 1200];
        let k = wavenumber(FREQUENCY);
        let (theta, phi) = (theta.to_radians(), phi.to_radians());
        let toward = [theta.sin() * phi.cos(), theta.sin() * phi.sin(), theta.cos()];
        let along: f64 = (0..3).map(|i| toward[i] * self.axis[i]).sum();
        // The body looks the same from all sides: the radar is at φ = 0 about the axis.
        let across = (1.0 - along * along).max(0.0).sqrt();
        let mut sum = Complex64::ZERO;
        for (profile, i) in self.profiles.iter().flat_map(|p| (0..STEPS[0]).map(move |i| (p, i))) {
            let step = 1.0 / STEPS[0] as f64;
            let s = (i as f64 + 0.5) * step;
            let [z, rho] = profile(s);
            let [a, b] = [profile(s - 0.5 * step), profile(s + 0.5 * step)];
            let [dz, drho] = [b[0] - a[0], b[1] - a[1]];
            for j in 0..STEPS[1] {
                // Half of the circle stands for both.
                let cos = (PI * (j as f64 + 0.5) / STEPS[1] as f64).cos();
                let facing = dz * cos * across - drho * along;
                if facing > 0.0 {
                    let phase = 2.0 * k * (along * z + across * rho * cos);
                    sum += Complex64::from_polar(2.0 * rho * facing * PI / STEPS[1] as f64, phase);
                }
            }
        }
        dbsm(k / TAU * sum)
    }
}

fn sphere(radius: f64) -> Revolved {
    let profile = move |s: f64| [-radius * (PI * s).cos(), radius * (PI * s).sin()];
    Revolved { axis: [0.0, 0.0, 1.0], profiles: vec![Box::new(profile)] }
}

fn cylinder(radius: f64, length: f64) -> Revolved {
    let side = move |s: f64| [length * (s - 0.5), radius];
    let [bottom, top] = [-0.5, 0.5].map(|end: f64| -> Profile {
        Box::new(move |s| [end * length, radius * if end < 0.0 { s } else { 1.0 - s }])
    });
    Revolved { axis: [0.0, 0.0, 1.0], profiles: vec![bottom, Box::new(side), top] }
}

/// An arc from tip to tip.
fn ogive(length: f64, radius: f64) -> Revolved {
    let arc = (0.25 * length * length + radius * radius) / (2.0 * radius);
    let half = (0.5 * length / arc).asin();
    let profile = move |s: f64| {
        let angle = half * (2.0 * s - 1.0);
        [arc * angle.sin(), arc * angle.cos() - arc + radius]
    };
    Revolved { axis: [1.0, 0.0, 0.0], profiles: vec![Box::new(profile)] }
}

/// A cone and the sphere that it touches, joined at x = 0.
fn cone_sphere(half_angle: f64, radius: f64) -> Revolved {
    let (sin, cos) = half_angle.sin_cos();
    let length = radius * cos * cos / sin;
    let cone = move |s: f64| [length * (s - 1.0), radius * cos * s];
    let cap = move |s: f64| {
        let angle = (0.5 * PI + half_angle) * (1.0 - s);
        [radius * (sin + angle.cos()), radius * angle.sin()]
    };
    Revolved { axis: [1.0, 0.0, 0.0], profiles: vec![Box::new(cone), Box::new(cap)] }
}

/// The integral itself, against the closed form of a sphere, σ = 4π|k a² ∫₀¹ u e^{jcu} du|² with c = 2ka.
#[test]
fn the_reference_is_that_of_a_sphere() {
    for radius in [4.0, 16.5] {
        let c = 2.0 * wavenumber(FREQUENCY) * radius;
        let integral = (Complex64::cis(c) * Complex64::new(1.0, -c) - 1.0) / (c * c);
        let exact = dbsm(wavenumber(FREQUENCY) * radius * radius * integral);
        let found = sphere(radius).level([37.0, 12.0]);
        assert!((found - exact).abs() < 0.01, "{found} {exact}");
    }
}

/// 320 facets on a sphere of 33 wavelengths: as facets they flash one by one.
#[test]
fn a_sphere_of_320_facets() {
    let mesh = targets::sphere(16.5, 4).unwrap();
    // Evenly over half of the sphere.
    let angles: Vec<[f64; 2]> = (0..20)
        .map(|i| [(1.0 - (f64::from(i) + 0.5) / 20.0).acos().to_degrees(), (137.5 * f64::from(i)) % 360.0])
        .collect();
    let exact = sphere(16.5).level(angles[0]);
    let worst = |surface: Surface| {
        let found = levels(&study(&mesh, surface, &angles));
        found.iter().map(|level| (level - exact).abs()).fold(0.0, f64::max)
    };
    let (facets, interpolated) = (worst(Surface::Facets), worst(Surface::Interpolated));
    println!("320 facets: {facets:.1} dB, interpolated {interpolated:.2} dB");
    assert!(interpolated < 0.3 && facets > 10.0, "{interpolated} {facets}");
    let interpolation = study(&mesh, Surface::Interpolated, &angles).interpolation.unwrap();
    assert_eq!((interpolation.divided, interpolation.area_share), (320, 1.0));
}

/// Vertices moved along the sphere by a part of an edge, so that facets differ.
fn shaken(radius: f64, cells: usize) -> TriangleMesh {
    let size = 0.2 / cells as f64;
    targets::sphere(1.0, cells).unwrap().mapped(|[x, y, z]| {
        let moved = [x + size * (31.0 * y).sin(), y + size * (37.0 * z).sin(), z + size * (41.0 * x).sin()];
        let length = moved.iter().map(|x| x * x).sum::<f64>().sqrt();
        moved.map(|x| radius * x / length)
    })
}

/// Bodies of 15 to 40 wavelengths with some hundred facets. The limits in `triangle/bends.rs` and `curves.rs` of the mesh crate were
/// chosen on the first of each kind; the others were not looked at until then.
#[test]
fn coarse_meshes_of_round_bodies() {
    let cone = |angle: f64, radius: f64, cells: [usize; 3]| {
        let angle = angle.to_radians();
        (targets::cone_sphere(angle, radius, cells).unwrap(), cone_sphere(angle, radius))
    };
    let of_sphere = |radius: f64, cells: usize| (shaken(radius, cells), sphere(radius));
    let of_cylinder = |radius: f64, length: f64, cells: [usize; 2]| {
        (targets::cylinder(radius, length, cells, true).unwrap(), cylinder(radius, length))
    };
    let of_ogive = |length: f64, radius: f64, cells: [usize; 2]| {
        (targets::ogive(length, radius, cells).unwrap(), ogive(length, radius))
    };
    let bodies = [
        ("shaken sphere", of_sphere(10.0, 5)),
        ("cylinder", of_cylinder(5.0, 15.0, [3, 24])),
        ("ogive", of_ogive(30.0, 4.0, [12, 24])),
        ("cone-sphere", cone(15.0, 5.0, [3, 8, 24])),
        ("shaken sphere", of_sphere(16.0, 6)),
        ("cylinder", of_cylinder(8.0, 10.0, [1, 26])),
        ("ogive", of_ogive(40.0, 6.0, [16, 30])),
        ("cone-sphere", cone(22.0, 7.0, [6, 10, 30])),
    ];
    for (i, (name, (mesh, body))) in bodies.into_iter().enumerate() {
        // Across the axis, where the surface is seen square, not only a tip or an edge.
        let step = i as f64;
        let angles: Vec<[f64; 2]> = match name {
            "ogive" => {
                (0..6).map(|j| [61.0 + 11.0 * f64::from(j), 90.0 + 3.0 * (f64::from(j) - step)]).collect()
            }
            "cone-sphere" => {
                (0..6).map(|j| [61.0 + 11.0 * f64::from(j), 20.0 * f64::from(j) - step]).collect()
            }
            "cylinder" => (0..6).map(|j| [90.0, 17.3 * f64::from(j) + step]).collect(),
            _ => (0..6).map(|j| [21.0 * f64::from(j) + step, 47.0 * f64::from(j)]).collect(),
        };
        let exact: Vec<f64> = angles.iter().map(|&at| body.level(at)).collect();
        let off = |surface: Surface| {
            let study = study(&mesh, surface, &angles);
            let found = levels(&study);
            let off = found.iter().zip(&exact).map(|(a, b)| (a - b).abs());
            (off.fold(0.0, f64::max), study)
        };
        let ((facets, _), (interpolated, study)) = (off(Surface::Facets), off(Surface::Interpolated));
        println!("{name}: facets {facets:.1} dB, interpolated {interpolated:.2} dB; {exact:.1?}");
        assert!(interpolated < 0.3, "{name} {i}: {interpolated}");
        assert!(facets > 5.0 * interpolated, "{name} {i}: {facets}");
        assert!(study.self_checks.iter().all(SelfCheck::holds), "{:?}", study.self_checks);
    }
}

/// A mesh that leaves the surface open says so: a bend that is as sharp as its neighbors on one side only.
#[test]
fn uneven_curvature_warns() {
    let check = |mesh: TriangleMesh| {
        let study = study(&mesh, Surface::Interpolated, &[[90.0, 0.0]]);
        study.self_checks.iter().find(|check| check.name == "interpolated surface").unwrap().holds()
    };
    // An ellipse with facets that suit a circle: curvature varies by a factor of 64 along 16 of them.
    let squeezed = targets::cylinder(20.0, 30.0, [2, 16], true).unwrap().mapped(|[x, y, z]| [x, 0.25 * y, z]);
    assert!(!check(squeezed));
    assert!(check(targets::cylinder(20.0, 30.0, [2, 36], true).unwrap()));
}
