//! Strips: singular currents at both edges.

use super::*;
use crate::reference::Strip;

/// Unknowns of the reference: its error falls like e^{-cN} and is below 1e-12 from half of this.
const TERMS: usize = 80;

/// Broadside back, TM; widths and σ.
const PUBLISHED: [(f64, f64); 4] =
    [(0.5, 1.679730473), (1.0, 6.486276870), (2.0, 25.322805314), (4.0, 100.710587836)];

#[test]
fn the_edge_weighted_solution_has_the_published_values_and_has_converged() {
    for (width, sigma) in PUBLISHED {
        let exact = Strip::new(K, Tm, 0.0, width, TERMS).echo_width(PI);
        assert!((exact - sigma).abs() < 1e-8, "{width}: {exact} {sigma}");
        for polarization in [Tm, Te] {
            let [coarse, fine] =
                [TERMS / 2, TERMS].map(|n| Strip::new(K, polarization, 0.3, width, n).echo_width(2.0));
            assert!((coarse / fine - 1.0).abs() < 1e-11, "{polarization:?} {width}: {coarse} {fine}");
        }
    }
}

#[test]
fn tm_broadside_back_within_1e_6_of_the_published_values() {
    for (width, sigma) in PUBLISHED {
        let body = with_cells(problem(vec![Body::conductor(strip(width))]), 8, 8 + 4 * width as usize);
        agree(&echo(Problem { observation: vec![PI], ..body }), &[sigma], 1e-6);
    }
}

#[test]
fn te_and_tm_patterns_at_oblique_incidence() {
    // 1e-6 with the usual grading toward the edges, 1e-8 with 24 levels.
    let observation = degrees(40);
    for (polarization, width, a) in
        [(Tm, 0.7, 0.0), (Tm, 1.6, 1.1), (Te, 0.5, 0.0), (Te, 0.7, 0.6), (Te, 1.6, 1.1)]
    {
        let exact = Strip::new(K, polarization, a, width, TERMS);
        let exact: Vec<f64> = observation.iter().map(|&phi| exact.echo_width(phi)).collect();
        for (levels, tolerance) in [(16, 1e-6), (24, 1e-8)] {
            let body = with_cells(problem(vec![Body::conductor(strip(width))]), 10, 12);
            let oblique =
                Problem { polarization, propagation: vec![a], observation: observation.clone(), ..body };
            agree_on_scale(&echo(with_levels(oblique, levels)), &exact, tolerance);
        }
    }
}

#[test]
fn the_current_follows_the_edge_weighted_one() {
    for polarization in [Tm, Te] {
        let body = with_levels(with_cells(problem(vec![Body::conductor(strip(1.0))]), 10, 12), 24);
        let (study, solution) =
            solve_all(Problem { polarization, propagation: vec![0.4], currents: true, ..body });
        let exact = Strip::new(K, polarization, 0.4, 1.0, TERMS);
        for (i, j) in solution.frequencies[0].currents[0].iter().enumerate() {
            let y = study.mesh.y[i];
            if y.abs() < 0.499 {
                // The current n × H runs along +y, against the jump of H_z.
                let sign = if polarization == Tm { 1.0 } else { -1.0 };
                let error = (sign * scaled_current(polarization, *j) - exact.density(y)).norm();
                assert!(error < 1e-6, "{polarization:?} at {y}: {error:e}");
            }
        }
    }
}
