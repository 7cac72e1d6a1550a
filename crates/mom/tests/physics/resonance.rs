//! At the resonances of a closed body's inside an equation fails and the combined one does not.

use super::*;

/// A solution on a circle.
struct Found {
    condition: f64,
    /// Largest errors.
    current: f64,
    echo: f64,
}

fn at(ka: f64, polarization: Polarization, equation: Equation, order: usize) -> Found {
    let circle = with_cells(Problem { equation, ..conducting_circle(ka / K, polarization) }, order, 32);
    let solution = solve(circle.clone());
    let exact = Cylinders::conductor(K, polarization, ka / K);
    let off = |(sigma, phi): (&f64, f64)| (sigma / exact.echo_width(phi) - 1.0).abs();
    let echo = solution.echo_width[0].iter().zip([0.0, FRAC_PI_2, PI]).map(off).fold(0.0, f64::max);
    Found { condition: solution.condition.unwrap(), current: current_error(circle), echo }
}

/// The combined equation is right, and of a condition below `limit`, where the other is singular.
#[track_caller]
fn compare(ka: f64, polarization: Polarization, singular: Equation, order: usize, limit: f64) {
    let Found { condition, current, echo } = at(ka, polarization, Equation::Cfie, order);
    assert!(current < 1e-8 && echo < 1e-8, "CFIE at ka = {ka}: current {current:e}, echo width {echo:e}");
    assert!(condition < limit, "CFIE at ka = {ka}: {condition:e}");
    let Found { condition, current, echo } = at(ka, polarization, singular, order);
    assert!(condition > 1e10, "{singular:?} at ka = {ka}: {condition:e}");
    // The currents of a cavity's modes do not radiate: the echo width of the EFIE stays right.
    let worst = if singular == Equation::Efie { current } else { echo };
    assert!(worst > 1e-6, "{singular:?} at ka = {ka} should have failed: {current:e} {echo:e}");
}

/// First two zeros of J₀, and the first of J₁' and J₀' (Abramowitz and Stegun, table 9.5).
const ZEROS: [f64; 2] = [2.4048255577, 5.5200781103];
const ZEROS_OF_DERIVATIVES: [f64; 2] = [1.8411837813, 3.8317059702];

const TM_LIMIT: f64 = 50.0;
/// The hypersingular part of the TE equation has a condition that grows with the nodes per wavelength: 500 here.
const TE_LIMIT: f64 = 1e3;

#[test]
fn tm_efie_and_te_mfie_fail_at_zeros_of_the_bessel_functions_and_cfie_does_not() {
    for ka in ZEROS {
        compare(ka, Tm, Equation::Efie, 8, TM_LIMIT);
        compare(ka, Te, Equation::Mfie, 12, TE_LIMIT);
    }
}

#[test]
fn tm_mfie_and_te_efie_fail_at_zeros_of_their_derivatives_and_cfie_does_not() {
    for ka in ZEROS_OF_DERIVATIVES {
        compare(ka, Tm, Equation::Mfie, 8, TM_LIMIT);
        compare(ka, Te, Equation::Efie, 12, TE_LIMIT);
    }
}

#[test]
fn a_matrix_of_high_condition_is_told() {
    let circle = with_cells(conducting_circle(ZEROS[0] / K, Tm), 8, 32);
    let told = |equation| {
        let (study, solution) = solve_all(Problem { equation, ..circle.clone() });
        warnings(&study, &solution)
    };
    assert!(told(Equation::Efie).iter().any(|w| w.contains("condition number")));
    assert!(told(Equation::Cfie).is_empty());
}
