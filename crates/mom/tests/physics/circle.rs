//! One conducting circle of a wavelength's radius: currents, echo widths, total widths.

use super::*;

/// Echo widths at 0, 90 and 180 degrees and current at 180, 90 and 0 degrees, to the digits printed.
const TM_ECHO: [f64; 3] = [34.584560348, 2.5084979260, 3.1827472848];
const TM_CURRENT: [f64; 3] = [2.0255702768, 0.5494068339, 0.0181443452];
const TE_ECHO: [f64; 3] = [19.392053861, 2.1066735993, 2.9008533663];
const TE_CURRENT: [f64; 3] = [1.9676405895, 1.3283906621, 0.4208918061];

const EQUATIONS: [Equation; 4] = [Equation::Auto, Equation::Efie, Equation::Mfie, Equation::Cfie];

#[test]
fn the_series_gives_the_published_values() {
    // Guards the reference itself; half a unit of the last digit printed.
    for (polarization, echo, current) in [(Tm, TM_ECHO, TM_CURRENT), (Te, TE_ECHO, TE_CURRENT)] {
        let exact = Cylinders::conductor(K, polarization, 1.0);
        for (i, phi) in [0.0, FRAC_PI_2, PI].into_iter().enumerate() {
            let digit = if echo[i] > 10.0 { 1e-9 } else { 1e-10 };
            assert!((exact.echo_width(phi) - echo[i]).abs() < 0.51 * digit, "{}", exact.echo_width(phi));
            let j = exact.current(0, PI - phi).norm();
            assert!((j - current[i]).abs() < 0.51e-10, "{polarization:?}: {j}");
        }
    }
}

#[test]
fn tm_current_within_5e_9_and_echo_width_within_1e_9_whatever_the_equation() {
    for equation in EQUATIONS {
        let circle = with_cells(Problem { equation, ..conducting_circle(1.0, Tm) }, 8, 32);
        let error = current_error(circle.clone());
        assert!(error < 5e-9, "{equation:?}: {error:e}");
        agree(&echo(circle), &TM_ECHO, 1e-9);
    }
}

#[test]
fn te_current_and_echo_width_within_1e_8_whatever_the_equation() {
    // Order 10: the hypersingular kernel of the EFIE takes two orders.
    for equation in EQUATIONS {
        let circle = with_cells(Problem { equation, ..conducting_circle(1.0, Te) }, 10, 32);
        let error = current_error(circle.clone());
        assert!(error < 1e-8, "{equation:?}: {error:e}");
        agree(&echo(circle), &TE_ECHO, 1e-8);
    }
}

#[test]
fn the_whole_pattern_is_right_wherever_the_circle_and_whence_the_wave() {
    // ka = 1.5, 7 and 20 (another part of the Bessel functions each), away from the origin, an oblique wave.
    for (polarization, ka) in [(Tm, 1.5), (Te, 1.5), (Tm, 7.0), (Te, 7.0), (Tm, 20.0), (Te, 20.0)] {
        let radius = ka / K;
        let moved = Shape::Circle { center: [3.0, -2.0], radius };
        let observation = degrees(90);
        let cells = 16 + 3 * ka as usize;
        let scattered = echo(Problem {
            polarization,
            propagation: vec![0.7],
            observation: observation.clone(),
            ..with_cells(problem(vec![Body::conductor(moved)]), 10, cells)
        });
        let exact = Cylinders::conductor(K, polarization, radius);
        let exact: Vec<f64> = observation.iter().map(|phi| exact.echo_width(phi - 0.7)).collect();
        agree_on_scale(&scattered, &exact, 1e-9);
    }
}

#[test]
fn total_width_from_the_optical_theorem_and_from_integrating_sigma() {
    // (1/2π) ∮ σ dφ = (4/k) Σ |a_n|²; 360 angles integrate a pattern of some 60 harmonics exactly.
    for (polarization, total) in [(Tm, 4.5799608210), (Te, 3.4320996723)] {
        let circle = with_cells(conducting_circle(1.0, polarization), 12, 40);
        let solution = solve(Problem { observation: degrees(360), ..circle });
        let integral = solution.echo_width[0].iter().sum::<f64>() / 360.0;
        let optical = solution.extinction_width[0];
        assert!((integral / optical - 1.0).abs() < 1e-10, "{integral} {optical}");
        assert!((optical - total).abs() < 1e-10 * total, "{optical} {total}");
    }
}
