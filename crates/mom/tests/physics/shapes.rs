//! Other shapes: what must not change, and what must converge.

use super::*;
use crate::reference::Strip;
use phasefront_mesh::{Outline, Segment, naca4, svg_outlines};

fn ellipse(semi_axes: [f64; 2], rotation: f64) -> Shape {
    Shape::Ellipse { center: [0.1, -0.2], semi_axes, rotation }
}

#[test]
fn an_ellipse_of_equal_axes_is_the_circle() {
    for polarization in [Tm, Te] {
        let body = Body::conductor(Shape::Ellipse { center: [0.0; 2], semi_axes: [0.8, 0.8], rotation: 1.0 });
        let exact = Cylinders::conductor(K, polarization, 0.8);
        let got = echo(with_cells(Problem { polarization, ..problem(vec![body]) }, 10, 32));
        agree(&got, &[0.0, FRAC_PI_2, PI].map(|phi| exact.echo_width(phi)), 1e-9);
    }
}

#[test]
fn turning_body_and_wave_together_changes_nothing() {
    for polarization in [Tm, Te] {
        let pattern = |turn: f64| {
            let body = Body::conductor(ellipse([0.8, 0.3], turn));
            echo(Problem {
                polarization,
                propagation: vec![0.3 + turn],
                observation: degrees(30).into_iter().map(|phi| phi + turn).collect(),
                ..with_cells(problem(vec![body]), 8, 32)
            })
        };
        agree_on_scale(&pattern(0.9), &pattern(0.0), 1e-12);
    }
}

#[test]
fn an_ellipse_converges_keeps_reciprocity_and_the_optical_theorem() {
    for polarization in [Tm, Te] {
        let body = Problem { polarization, ..problem(vec![Body::conductor(ellipse([0.9, 0.3], 0.4))]) };
        let coarse = echo(with_cells(body.clone(), 10, 32));
        let fine = echo(with_cells(body.clone(), 14, 48));
        agree(&coarse, &fine, 1e-8);
        let fine = with_cells(body, 14, 48);
        let both = reciprocal(fine.clone());
        assert!((both[0] / both[1] - 1.0).abs() < 1e-10, "{both:?}");
        let solution = solve(Problem { observation: degrees(180), ..fine });
        let integral = solution.echo_width[0].iter().sum::<f64>() / 180.0;
        assert!((integral / solution.extinction_width[0] - 1.0).abs() < 1e-10, "{polarization:?}");
    }
}

#[test]
fn a_thin_ellipse_tends_to_the_strip() {
    // The difference falls with the thickness.
    for polarization in [Tm, Te] {
        let exact = Strip::new(K, polarization, 0.0, 1.0, 80).echo_width(PI);
        let difference = |b: f64| {
            let body =
                Body::conductor(Shape::Ellipse { center: [0.0; 2], semi_axes: [b, 0.5], rotation: 0.0 });
            let thin = with_cells(Problem { polarization, ..problem(vec![body]) }, 8, 40);
            (echo(thin)[2] / exact - 1.0).abs()
        };
        let differences = [0.04, 0.02, 0.01].map(difference);
        for pair in differences.windows(2) {
            assert!((0.4..0.6).contains(&(pair[1] / pair[0])), "{polarization:?}: {differences:?}");
        }
        assert!(differences[2] < 0.05, "{polarization:?}: {differences:?}");
    }
}

#[test]
fn a_circle_of_arcs_is_the_circle() {
    let arc = |i: i32| Segment::Arc {
        center: [0.0; 2],
        semi_axes: [1.0, 1.0],
        rotation: 0.0,
        start: f64::from(i) * FRAC_PI_2,
        sweep: FRAC_PI_2,
    };
    let arcs = Outline::new((0..4).map(arc).collect(), true).unwrap();
    let drawing = r#"<svg xmlns="http://www.w3.org/2000/svg">
        <path id="round" d="M 1 0 A 1 1 0 0 1 -1 0 A 1 1 0 0 1 1 0 Z"/></svg>"#;
    let drawn = svg_outlines(drawing, Some("round")).unwrap().remove(0);
    for outline in [arcs, drawn] {
        for polarization in [Tm, Te] {
            let body = Body::conductor(Shape::Outline(outline.clone()));
            let got = echo(with_cells(Problem { polarization, ..problem(vec![body]) }, 12, 40));
            let exact = Cylinders::conductor(K, polarization, 1.0);
            agree(&got, &[0.0, FRAC_PI_2, PI].map(|phi| exact.echo_width(phi)), 1e-10);
        }
    }
}

#[test]
fn an_airfoil_converges() {
    // NACA 0012 of two wavelengths' chord, nose and side on.
    for polarization in [Tm, Te] {
        let wing = || Body::conductor(Shape::Outline(naca4("0012", 2.0).unwrap()));
        let sigma = |order, cells| {
            let body = Problem { polarization, ..problem(vec![wing()]) };
            let solution = solve(Problem {
                propagation: vec![0.0, FRAC_PI_2],
                monostatic: true,
                ..with_cells(body, order, cells)
            });
            [solution.monostatic, solution.extinction_width].concat()
        };
        let (coarse, fine) = (sigma(6, 24), sigma(10, 48));
        agree(&coarse, &fine, 1e-5);
    }
}
