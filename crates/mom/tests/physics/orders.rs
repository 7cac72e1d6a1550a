//! Orders of convergence, and what they rest on: curved cells, near corrections, near quadrature.

use super::*;
use crate::reference::{Cylinder, Matter};
use phasefront_mom::{Dielectric, Material, NearQuadrature};

fn unit_circle(polarization: Polarization, equation: Equation, lcn: Lcn, cells: usize) -> Problem {
    Problem {
        equation,
        method: Method::Lcn(lcn),
        cells: CellCount::Total(cells),
        ..conducting_circle(1.0, polarization)
    }
}

/// Order of the current's error from one mesh to one twice as fine.
fn order(polarization: Polarization, equation: Equation, lcn: Lcn, cells: usize) -> (f64, [f64; 2]) {
    let errors = [cells, 2 * cells].map(|n| current_error(unit_circle(polarization, equation, lcn, n)));
    ((errors[0] / errors[1]).log2(), errors)
}

#[test]
fn lcn_has_the_order_of_its_cells() {
    // Meshes fine enough for the leading term, coarse enough to stay above rounding.
    for (q, cells) in [(3, 48), (4, 32), (6, 24), (8, 16)] {
        for (polarization, equation) in [(Tm, Equation::Efie), (Tm, Equation::Mfie), (Te, Equation::Mfie)] {
            let lcn = Lcn { order: q, ..Lcn::default() };
            let (slope, errors) = order(polarization, equation, lcn, cells);
            assert!(slope >= q as f64 - 0.3, "{polarization:?} {equation:?} q = {q}: {slope}, {errors:?}");
        }
    }
}

#[test]
fn flat_cells_lose_the_order() {
    let flat = Lcn { order: 6, flat: true, ..Lcn::default() };
    let (slope, errors) = order(Tm, Equation::Efie, flat, 48);
    assert!((0.5..2.5).contains(&slope), "{slope}, {errors:?}");
    let curved = current_error(unit_circle(Tm, Equation::Efie, Lcn { flat: false, ..flat }, 48));
    assert!(curved < 1e-6 * errors[0], "{curved:e} {errors:?}");
}

#[test]
fn correcting_only_the_own_cell_stalls() {
    for cells in [32, 64, 128] {
        let own = Lcn { near_distance: Some(1e-9), ..Lcn::default() };
        let stalled = current_error(unit_circle(Tm, Equation::Efie, own, cells));
        let whole = current_error(unit_circle(Tm, Equation::Efie, Lcn::default(), cells));
        assert!(stalled > 1e-3 && whole < 5e-9, "{cells} cells: {stalled:e} {whole:e}");
    }
}

#[test]
fn all_near_quadratures_give_the_same_echo_width() {
    // Three methods for near interactions, two of them by adaptive quadrature.
    let ellipse = Shape::Ellipse { center: [0.0, 0.0], semi_axes: [0.7, 0.35], rotation: 0.3 };
    let glass = Material::Dielectric(Dielectric { loss_tangent: 0.1, ..Dielectric::lossless(2.5) });
    for (polarization, equation, material) in [
        (Tm, Equation::Efie, Material::Conductor),
        (Te, Equation::Mfie, Material::Conductor),
        (Te, Equation::Efie, Material::Conductor),
        (Tm, Equation::Cfie, Material::Conductor),
        (Te, Equation::Cfie, Material::Conductor),
        (Tm, Equation::Auto, glass),
        (Te, Equation::Auto, glass),
    ] {
        let body = Body { shape: ellipse.clone(), material, cells: None };
        let echo_of = |near_quadrature| {
            echo(Problem {
                polarization,
                equation,
                method: Method::Lcn(Lcn { order: 6, near_quadrature, ..Lcn::default() }),
                cells: CellCount::Total(24),
                ..problem(vec![body.clone()])
            })
        };
        let split = echo_of(NearQuadrature::Product);
        for near_quadrature in [NearQuadrature::Adaptive, NearQuadrature::LocalCorrection] {
            let other = echo_of(near_quadrature);
            agree(&split, &other, 1e-9);
        }
    }
}

#[test]
fn dielectrics_have_the_order_too() {
    let medium = Dielectric::lossless(4.0);
    let matter = Matter::Medium { eps: Complex64::from(4.0), mu: Complex64::ONE };
    for polarization in [Tm, Te] {
        let cylinder = Cylinder { center: [0.0; 2], radius: 0.5, matter };
        let exact = Cylinders::new(K, polarization, 0.0, &[cylinder]).echo_width(PI);
        let body = Body { shape: circle(0.5), material: Material::Dielectric(medium), cells: None };
        let error = |cells| {
            let sigma =
                echo(with_cells(Problem { polarization, ..problem(vec![body.clone()]) }, 4, cells))[2];
            (sigma / exact - 1.0).abs()
        };
        let errors = [error(24), error(48)];
        assert!((errors[0] / errors[1]).log2() > 3.7, "{errors:?}");
    }
}

#[test]
fn every_order_works_and_near_enough_is_corrected_by_default() {
    // Each order gains on the one before, down to rounding; correcting further out than by default gains nothing.
    let mut before = 1.0;
    for order in 1..=16 {
        let lcn = Lcn { order, ..Lcn::default() };
        let usual = current_error(unit_circle(Tm, Equation::Efie, lcn, 24));
        let wide =
            current_error(unit_circle(Tm, Equation::Efie, Lcn { near_distance: Some(4.0), ..lcn }, 24));
        assert!(usual < 1.5 * wide + 1e-11, "order {order}: {usual:e} and {wide:e}");
        assert!(usual < 0.5 * before + 1e-11, "order {order}: {usual:e} after {before:e}");
        before = usual;
    }
}
