//! Several bodies: multiple scattering by the addition theorem.

use super::*;
use crate::reference::{Cylinder, Matter};
use phasefront_mom::{Dielectric, Material};

pub(super) fn body(cylinder: &Cylinder) -> Body {
    let material = match cylinder.matter {
        Matter::Conductor => Material::Conductor,
        Matter::Medium { eps, mu } => {
            Material::Dielectric(Dielectric { eps_r: eps, mu_r: mu, loss_tangent: 0.0, conductivity: 0.0 })
        }
    };
    let shape = Shape::Circle { center: cylinder.center, radius: cylinder.radius };
    Body { shape, material, cells: None }
}

pub(super) fn conductor(x: f64, y: f64, radius: f64) -> Cylinder {
    Cylinder { center: [x, y], radius, matter: Matter::Conductor }
}

pub(super) fn filled(x: f64, y: f64, radius: f64, eps: Complex64, mu: f64) -> Cylinder {
    Cylinder { center: [x, y], radius, matter: Matter::Medium { eps, mu: mu.into() } }
}

/// The whole pattern, the extinction width and the field on a grid against the series.
#[track_caller]
fn check(
    cylinders: &[Cylinder],
    polarization: Polarization,
    a: f64,
    (order, cells): (usize, usize),
    tolerance: f64,
) {
    let exact = Cylinders::new(K, polarization, a, cylinders);
    let observation = degrees(72);
    let solution = solve(Problem {
        polarization,
        propagation: vec![a],
        observation: observation.clone(),
        ..with_cells(problem(cylinders.iter().map(body).collect()), order, cells)
    });
    let pattern: Vec<f64> = observation.iter().map(|&phi| exact.echo_width(phi)).collect();
    agree_on_scale(&solution.echo_width[0], &pattern, tolerance);
    agree(&solution.extinction_width, &[exact.extinction_width()], tolerance);
}

#[test]
fn two_circles_have_the_published_echo_widths() {
    // Radius half a wavelength, TM; the last digit printed of the second pair is the sixth.
    let pairs = [
        (
            [conductor(0.0, 1.0, 0.5), conductor(0.0, -1.0, 0.5)],
            [35.148597157, 1.968527857, 9.793589495],
            0.51e-9,
        ),
        ([conductor(1.0, 0.0, 0.5), conductor(-1.0, 0.0, 0.5)], [18.479660, 1.968528, 1.579465], 0.51e-6),
    ];
    for (pair, published, digit) in pairs {
        let series = Cylinders::new(K, Tm, 0.0, &pair);
        let exact = [0.0, FRAC_PI_2, PI].map(|phi| series.echo_width(phi));
        for (e, p) in exact.iter().zip(published) {
            assert!((e - p).abs() < digit, "{e} {p}");
        }
        agree(&echo(with_cells(problem(pair.iter().map(body).collect()), 8, 48)), &exact, 1e-7);
    }
}

#[test]
fn conducting_cylinders_of_several_sizes() {
    let three = [conductor(0.0, 0.0, 0.6), conductor(1.1, 0.7, 0.25), conductor(-0.4, -1.3, 0.4)];
    for polarization in [Tm, Te] {
        check(&three, polarization, 0.4, (12, 60), 1e-9);
    }
}

#[test]
fn conductors_a_fiftieth_of_a_wavelength_apart() {
    // The gap is a tenth of a cell: cells of the other body are near ones.
    let close = [conductor(0.0, 0.0, 0.5), conductor(0.82, 0.0, 0.3)];
    for polarization in [Tm, Te] {
        check(&close, polarization, 1.2, (12, 64), 1e-8);
    }
}

#[test]
fn dielectric_cylinders_side_by_side() {
    let pair = [
        filled(0.0, 0.0, 0.5, Complex64::from(2.5), 1.0),
        filled(0.3, 1.1, 0.3, Complex64::new(4.0, -0.8), 1.5),
    ];
    for polarization in [Tm, Te] {
        check(&pair, polarization, 0.3, (10, 48), 1e-9);
    }
}

#[test]
fn a_conductor_beside_a_dielectric() {
    let mixed = [conductor(0.0, 0.0, 0.4), filled(0.9, 0.2, 0.4, Complex64::new(3.0, -0.3), 1.0)];
    for polarization in [Tm, Te] {
        check(&mixed, polarization, 2.2, (12, 48), 1e-9);
    }
}

#[test]
fn reciprocity_between_bodies_of_all_kinds() {
    // σ(a → b) = σ(b+π → a+π), for bodies without symmetry, to 1e-10.
    let glass = Dielectric { mu_r: Complex64::from(1.2), loss_tangent: 0.1, ..Dielectric::lossless(3.0) };
    let ellipse = |center, semi_axes, rotation| Shape::Ellipse { center, semi_axes, rotation };
    let bodies = vec![
        Body::conductor(ellipse([0.0, 0.0], [0.6, 0.3], 0.5)),
        Body::conductor(Shape::Circle { center: [0.9, 0.5], radius: 0.2 }),
        Body {
            shape: ellipse([-0.2, -0.9], [0.5, 0.25], -0.3),
            material: Material::Dielectric(glass),
            cells: None,
        },
    ];
    for polarization in [Tm, Te] {
        let both = reciprocal(with_cells(Problem { polarization, ..problem(bodies.clone()) }, 14, 60));
        assert!((both[0] / both[1] - 1.0).abs() < 1e-10, "{polarization:?}: {both:?}");
    }
}
