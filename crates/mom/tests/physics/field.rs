//! The near field, right up to the bodies.

use super::*;
use phasefront_mom::NearGrid;

/// Columns and rows whose crossings lie all about a circle, many of them within a cell of it and some within 1e-6.
pub(crate) fn points_about_a_circle(radius: f64) -> (Vec<f64>, Vec<f64>) {
    let offsets = [1e-6, 1e-4, 1e-3, 5e-3, 0.02, 0.07];
    let angles = [0.0_f64, 0.31, 0.8, 1.9, 2.6, 4.0, 5.5];
    let mut x: Vec<f64> = (-7..=7).map(|i| 0.29 * f64::from(i) * radius).collect();
    for angle in angles {
        x.extend(offsets.iter().flat_map(|d| [radius * angle.cos() + d, radius * angle.cos() - d]));
    }
    let mut y: Vec<f64> = (-7..=7).map(|i| 0.28 * f64::from(i) * radius).collect();
    y.extend(angles.iter().map(|angle| radius * angle.sin()));
    (x, y)
}

#[test]
fn total_field_matches_the_series_outside_and_vanishes_inside() {
    for polarization in [Tm, Te] {
        let (x, y) = points_about_a_circle(1.0);
        let exact = Cylinders::conductor(K, polarization, 1.0);
        let circle = with_cells(conducting_circle(1.0, polarization), 8, 40);
        let grid = NearGrid { x: x.clone(), y: y.clone() };
        let total = solve(Problem { near_field: Some(grid), ..circle }).near_field.unwrap().total;
        let mut nearest = f64::INFINITY;
        for (i, &y) in y.iter().enumerate() {
            for (j, &x_j) in x.iter().enumerate() {
                let error = (total[i * x.len() + j] - exact.total_field([x_j, y])).norm();
                assert!(error < 1e-7, "{polarization:?} at ({x_j}, {y}): {error:e}");
                nearest = nearest.min((x_j.hypot(y) - 1.0).abs());
            }
        }
        assert!(nearest < 1e-6, "the points come within {nearest} of the surface");
    }
}

#[test]
fn points_on_nodes_have_a_field() {
    // TM: zero there. TE: the double layer is one of its two limits or between them, never more.
    for polarization in [Tm, Te] {
        let circle = with_cells(conducting_circle(1.0, polarization), 8, 40);
        let mesh = prepare(circle.clone()).unwrap().mesh;
        let exact = Cylinders::conductor(K, polarization, 1.0);
        for i in [0, 3, 7, 100, 222] {
            let grid = NearGrid { x: vec![mesh.x[i]], y: vec![mesh.y[i]] };
            let total =
                solve(Problem { near_field: Some(grid), ..circle.clone() }).near_field.unwrap().total[0];
            let outside = match polarization {
                Tm => Complex64::ZERO,
                Te => -exact.current(0, mesh.y[i].atan2(mesh.x[i])),
            };
            let share = if polarization == Te { (total / outside).re } else { 0.0 };
            assert!((-1e-7..=1.0 + 1e-7).contains(&share), "{polarization:?} node {i}: {total}");
            assert!((total - share * outside).norm() < 1e-7, "{polarization:?} node {i}: {total}");
        }
    }
}

#[test]
fn the_field_about_a_strip_matches_the_edge_weighted_solution() {
    for polarization in [Tm, Te] {
        let body = with_levels(with_cells(problem(vec![Body::conductor(strip(1.0))]), 10, 12), 24);
        let x = vec![-0.6, -0.2, -0.03, 0.03, 0.11, 0.4];
        let y: Vec<f64> = (-6..=6).map(|i| 0.13 * f64::from(i)).collect();
        let grid = NearGrid { x: x.clone(), y: y.clone() };
        let oblique = Problem { polarization, propagation: vec![0.5], near_field: Some(grid), ..body };
        let total = solve(oblique).near_field.unwrap().total;
        let exact = reference::Strip::new(K, polarization, 0.5, 1.0, 240);
        for (i, &y) in y.iter().enumerate() {
            for (j, &x_j) in x.iter().enumerate() {
                let error = (total[i * x.len() + j] - exact.total_field([x_j, y])).norm();
                assert!(error < 1e-7, "{polarization:?} at ({x_j}, {y}): {error:e}");
            }
        }
    }
}

#[test]
fn tm_field_vanishes_toward_a_strip() {
    let body = with_levels(with_cells(problem(vec![Body::conductor(strip(1.0))]), 10, 12), 24);
    let x = vec![-1e-5, -1e-7, 0.0, 1e-9, 1e-7, 1e-5];
    let y: Vec<f64> = (-11..=11).map(|i| 0.041 * f64::from(i)).collect();
    let grid = NearGrid { x: x.clone(), y: y.clone() };
    let total = solve(Problem { near_field: Some(grid), ..body }).near_field.unwrap().total;
    for (i, &y) in y.iter().enumerate() {
        for (j, &x_j) in x.iter().enumerate() {
            let field = total[i * x.len() + j].norm();
            // |∂E/∂n| = kη|J| on one side; it is below 4k in the middle nine tenths.
            assert!(field < 4.0 * K * x_j.abs() + 1e-7, "({x_j}, {y}): {field:e}");
        }
    }
}
