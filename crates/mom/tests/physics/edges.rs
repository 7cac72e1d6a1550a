//! Singular currents at edges: J ~ d^(ν−1) (TM) on a wedge with ν = π/(2π − α), α the angle of the metal
//! (Van Bladel, Singular Electromagnetic Fields and Sources, section 4.2).

use super::*;

/// Slope of ln|J| against ln d over the decade of distances 1e-6 to 1e-5 from the first edge, where the next term of the
/// expansion is below 1e-3 of the leading one.
fn exponent(shape: Shape, polarization: Polarization, a: f64) -> f64 {
    let edge = with_levels(with_cells(problem(vec![Body::conductor(shape)]), 8, 16), 24);
    let edge = Problem { polarization, propagation: vec![a], currents: true, ..edge };
    let (study, solution) = solve_all(edge);
    let points: Vec<(f64, f64)> = study
        .mesh
        .s
        .iter()
        .zip(&solution.frequencies[0].currents[0])
        .filter(|(d, _)| (1e-6..1e-5).contains(*d))
        .map(|(d, j)| (d.ln(), j.norm().ln()))
        .collect();
    assert!(points.len() >= 20, "{} nodes in the decade", points.len());
    let n = points.len() as f64;
    let (mx, my) = (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    let product = |p: &(f64, f64)| (p.0 - mx) * (p.1 - my);
    points.iter().map(product).sum::<f64>() / points.iter().map(|p| (p.0 - mx).powi(2)).sum::<f64>()
}

/// A regular polygon with a corner at angle 0.
fn regular(corners: i32) -> Shape {
    let corner = |phi: f64| [0.45 * phi.cos(), 0.45 * phi.sin()];
    Shape::Polygon { points: degrees(corners).into_iter().map(corner).collect() }
}

#[test]
fn tm_current_rises_at_edges_as_the_wedge_tells() {
    let wedge = |metal: f64| PI / (TAU - metal) - 1.0;
    for (shape, expected) in [
        (strip(1.0), -0.5),
        (regular(4), -1.0 / 3.0),
        (regular(3), wedge(PI / 3.0)),
        (regular(6), wedge(TAU / 3.0)),
    ] {
        let fitted = exponent(shape.clone(), Tm, 0.3);
        assert!((fitted - expected).abs() < 0.02, "{shape:?}: {fitted} for {expected}");
    }
}

#[test]
fn te_current_of_a_strip_falls_with_the_root_of_the_distance() {
    let fitted = exponent(strip(1.0), Te, 0.3);
    assert!((fitted - 0.5).abs() < 0.02, "{fitted}");
}

/// A square, which resonates at none of the frequencies here: its side is 0.64 wavelengths, and its modes with fields of
/// √(m² + n²) half waves have sides of 0.5, 0.71, 1, ...
fn square(polarization: Polarization, equation: Equation, levels: usize) -> Problem {
    let square = Problem { polarization, equation, ..problem(vec![Body::conductor(regular(4))]) };
    with_levels(with_cells(square, 10, 12), levels)
}

#[test]
fn polygons_and_strips_keep_reciprocity_and_the_optical_theorem() {
    // To 1e-10 by the equation that suits the polarization: the scattered power is of second order in its error.
    let bar = with_levels(with_cells(problem(vec![Body::conductor(strip(1.0))]), 10, 12), 16);
    for body in [square(Tm, Equation::Efie, 16), square(Te, Equation::Mfie, 16), bar] {
        let both = reciprocal(body.clone());
        assert!((both[0] / both[1] - 1.0).abs() < 1e-10, "{both:?}");
        let solution = solve(Problem { observation: degrees(90), propagation: vec![0.3], ..body });
        let integral = solution.echo_width[0].iter().sum::<f64>() / 90.0;
        agree(&[integral], &solution.extinction_width, 1e-10);
    }
}

/// Largest |σ(a → b)/σ(b+π → a+π) − 1| over all pairs of eight directions.
fn non_reciprocity(problem: Problem) -> f64 {
    let (count, first) = (8, 0.3);
    let directions: Vec<f64> = (0..count).map(|i| first + TAU * i as f64 / count as f64).collect();
    let sigma =
        solve(Problem { propagation: directions.clone(), observation: directions, ..problem }).echo_width;
    let turned = |i: usize| (i + count / 2) % count;
    let pairs = (0..count).flat_map(|a| (0..count).map(move |b| (a, b)));
    pairs.map(|(a, b)| (sigma[a][b] / sigma[turned(b)][turned(a)] - 1.0).abs()).fold(0.0, f64::max)
}

#[test]
fn polygons_are_reciprocal_by_default() {
    // The orders and finenesses a case file gets if it names none.
    for (polarization, order, fineness) in [(Tm, 10, 2.0), (Te, 14, 2.0)] {
        for (corners, side) in [(3, 0.8), (4, 0.64), (4, 1.9)] {
            let radius = side / (2.0 * (PI / f64::from(corners)).sin());
            let corner = |phi: f64| [radius * phi.cos(), radius * phi.sin()];
            let shape = Shape::Polygon { points: degrees(corners).into_iter().map(corner).collect() };
            let worst = non_reciprocity(Problem {
                polarization,
                method: Method::Lcn(Lcn { order, ..Lcn::default() }),
                cells: CellCount::PerWavelength(fineness),
                ..problem(vec![Body::conductor(shape)])
            });
            assert!(worst < 1e-10, "{corners} sides of {side}, {polarization:?}: {worst:e}");
        }
    }
}

#[test]
fn the_combined_equation_keeps_its_digits_where_a_square_resonates() {
    // Sides of 1/√2 wavelengths: the first mode with no field on the walls, sin(πx/a) sin(πy/a).
    let diagonal = |phi: f64| [0.5 * phi.cos(), 0.5 * phi.sin()];
    let shape = Shape::Polygon { points: degrees(4).into_iter().map(diagonal).collect() };
    for (polarization, singular) in [(Tm, Equation::Efie), (Te, Equation::Mfie)] {
        let square = Problem { polarization, ..problem(vec![Body::conductor(shape.clone())]) };
        let combined = solve(with_cells(square.clone(), 12, 8));
        assert!(combined.interior_field < 1e-8, "{polarization:?}: {:e}", combined.interior_field);
        let resonant = solve(with_cells(Problem { equation: singular, ..square }, 12, 8));
        assert!(resonant.interior_field > 0.1, "{polarization:?}: {:e}", resonant.interior_field);
    }
}

#[test]
fn all_equations_agree_on_a_square() {
    // TM, an equation of the second kind: the error of the last cell at a corner is a fraction of its charge, d^(2/3), and
    // falls by 2^(2/3) with each level; the EFIE has twice that exponent, and so has the CFIE, which is one near corners.
    let exact = echo(square(Tm, Equation::Efie, 24))[2];
    let error = |equation, levels| (echo(square(Tm, equation, levels))[2] / exact - 1.0).abs();
    let per_level = (error(Equation::Mfie, 8) / error(Equation::Mfie, 20)).log2() / 12.0;
    assert!((per_level - 2.0 / 3.0).abs() < 0.02, "{per_level}");
    let per_level = (error(Equation::Cfie, 8) / error(Equation::Cfie, 14)).log2() / 6.0;
    assert!((per_level - 4.0 / 3.0).abs() < 0.1, "{per_level}");
    // TE: the current is bounded, and 12 levels are enough; in the EFIE rounding grows with the inverse of the last cell.
    let exact = echo(square(Te, Equation::Mfie, 20));
    for equation in [Equation::Efie, Equation::Cfie] {
        agree(&echo(square(Te, equation, 12)), &exact, 1e-7);
    }
}
