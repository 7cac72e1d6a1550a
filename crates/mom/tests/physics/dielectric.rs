//! One dielectric cylinder, lossless, lossy and magnetic.

use super::*;
use crate::reference::{Cylinder, Matter};
use phasefront_mom::{Dielectric, Material, NearGrid};

fn filled(radius: f64, medium: Dielectric) -> Body {
    Body { shape: circle(radius), material: Material::Dielectric(medium), cells: None }
}

/// ε_r (1 − j tan δ) − jσ/(ωε₀), with 1/(ωε₀) = η₀/k.
fn exact(radius: f64, medium: Dielectric, polarization: Polarization) -> Cylinders {
    let losses = medium.eps_r.re * medium.loss_tangent + medium.conductivity * ETA0 / K;
    let matter = Matter::Medium { eps: medium.eps_r - Complex64::new(0.0, losses), mu: medium.mu_r };
    Cylinders::new(K, polarization, 0.0, &[Cylinder { center: [0.0; 2], radius, matter }])
}

const fn medium(eps_r: f64, mu_r: f64, loss_tangent: f64, conductivity: f64) -> Dielectric {
    let [eps_r, mu_r] = [Complex64::new(eps_r, 0.0), Complex64::new(mu_r, 0.0)];
    Dielectric { eps_r, mu_r, loss_tangent, conductivity }
}

const MEDIA: [Dielectric; 6] = [
    medium(4.0, 1.0, 0.0, 0.0),
    medium(2.0, 3.0, 0.0, 0.0),
    // A refractive index below that of vacuum.
    medium(0.4, 1.0, 0.0, 0.0),
    medium(3.0, 1.5, 0.2, 0.0),
    // Conductive: σ/(ωε₀) = 6.
    medium(2.0, 1.0, 0.01, 0.1),
    // Dielectric and magnetic losses, as complex constants.
    Dielectric {
        eps_r: Complex64::new(3.0, -0.5),
        mu_r: Complex64::new(1.5, -0.4),
        loss_tangent: 0.0,
        conductivity: 0.0,
    },
];

#[test]
fn er_4_of_a_wavelengths_radius_has_the_published_echo_widths() {
    for (polarization, published) in
        [(Tm, [24.8164781954, 5.7142042226]), (Te, [19.2690493064, 2.8423241958])]
    {
        let series = exact(1.0, MEDIA[0], polarization);
        for (phi, sigma) in [0.0, PI].into_iter().zip(published) {
            assert!((series.echo_width(phi) - sigma).abs() < 0.51e-10, "{}", series.echo_width(phi));
        }
        let body = with_cells(problem(vec![filled(1.0, MEDIA[0])]), 8, 32);
        agree(&echo(Problem { polarization, observation: vec![0.0, PI], ..body }), &published, 1e-7);
    }
}

#[test]
fn patterns_and_extinction_of_all_media_match_the_series() {
    for medium in MEDIA {
        for polarization in [Tm, Te] {
            let series = exact(0.6, medium, polarization);
            let observation = degrees(180);
            let solution = solve(Problem {
                polarization,
                observation: observation.clone(),
                ..with_cells(problem(vec![filled(0.6, medium)]), 10, 24)
            });
            let pattern: Vec<f64> = observation.iter().map(|&phi| series.echo_width(phi)).collect();
            agree_on_scale(&solution.echo_width[0], &pattern, 1e-9);
            let extinction = solution.extinction_width[0];
            agree(&[extinction], &[series.extinction_width()], 1e-9);
            // What is not scattered is absorbed: nothing without losses, something with them.
            let scattered = solution.echo_width[0].iter().sum::<f64>() / 180.0;
            if medium.index(C0).im == 0.0 {
                assert!((scattered / extinction - 1.0).abs() < 1e-10, "{medium:?}: {scattered} {extinction}");
            } else {
                assert!(extinction - scattered > 0.1 * extinction, "{medium:?}: {scattered} {extinction}");
            }
        }
    }
}

#[test]
fn reciprocity_holds_for_a_lossy_ellipse() {
    let shape = Shape::Ellipse { center: [0.2, 0.1], semi_axes: [0.7, 0.3], rotation: 0.4 };
    for medium in [MEDIA[1], MEDIA[3]] {
        for polarization in [Tm, Te] {
            let body = Body { shape: shape.clone(), material: Material::Dielectric(medium), cells: None };
            let both = reciprocal(with_cells(Problem { polarization, ..problem(vec![body]) }, 12, 24));
            assert!((both[0] / both[1] - 1.0).abs() < 1e-10, "{both:?}");
        }
    }
}

#[test]
fn the_field_is_right_inside_and_outside_up_to_the_surface() {
    for (medium, polarization) in [(MEDIA[0], Tm), (MEDIA[0], Te), (MEDIA[3], Tm), (MEDIA[3], Te)] {
        let series = exact(0.5, medium, polarization);
        let (x, y) = field::points_about_a_circle(0.5);
        let grid = NearGrid { x: x.clone(), y: y.clone() };
        let body = with_cells(problem(vec![filled(0.5, medium)]), 8, 40);
        let near = solve(Problem { polarization, near_field: Some(grid), ..body }).near_field.unwrap();
        for (i, &y) in y.iter().enumerate() {
            for (j, &px) in x.iter().enumerate() {
                let at = i * x.len() + j;
                let error = (near.total[at] - series.total_field([px, y])).norm();
                assert!(error < 1e-7, "{polarization:?} at ({px}, {y}): {error:e}");
                let incident = Complex64::cis(-K * px);
                assert!((near.scattered[at] + incident - near.total[at]).norm() < 1e-14);
            }
        }
    }
}

#[test]
fn a_medium_like_vacuum_scatters_nothing() {
    let vacuum = Dielectric::lossless(1.0);
    for polarization in [Tm, Te] {
        let body = with_cells(problem(vec![filled(0.7, vacuum)]), 8, 24);
        let solution = solve(Problem { polarization, ..body });
        assert!(solution.echo_width[0].iter().all(|&sigma| sigma < 1e-20), "{:?}", solution.echo_width);
    }
}

#[test]
fn the_field_is_right_on_the_surface_itself_and_at_joints_of_cells() {
    for polarization in [Tm, Te] {
        let exact = exact(1.0, MEDIA[0], polarization);
        let body = with_cells(problem(vec![filled(1.0, MEDIA[0])]), 8, 40);
        // Cells begin at 0, 90 and 180 degrees.
        let reach = [-1.0, 1.0, 1.0 - 1e-9, 1.0 + 1e-9, -1.0 + 1e-9, -1.0 - 1e-9];
        for (x, y) in [(reach.to_vec(), vec![0.0]), (vec![0.0], reach.to_vec())] {
            let grid = NearGrid { x: x.clone(), y: y.clone() };
            let case = Problem { polarization, near_field: Some(grid), ..body.clone() };
            let total = solve(case).near_field.unwrap().total;
            let points = y.iter().flat_map(|&y| x.iter().map(move |&x| [x, y]));
            for (point, got) in points.zip(total) {
                let error = (got - exact.total_field(point)).norm();
                assert!(error < 1e-6, "{polarization:?} at {point:?}: {error:e}");
            }
        }
    }
}
