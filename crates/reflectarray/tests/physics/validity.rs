//! Self-checks against closed forms: grating lobes and side lobes of uniform lattices.

use crate::{FREQUENCY, small};
use phasefront_core::SelfCheck;
use phasefront_device::Backend;
use phasefront_reflectarray::{
    Feed, FeedPattern, Lattice, Method, Placement, Problem, Solution, UvGrid, prepare,
};

/// A wavelength, m.
const WAVELENGTH: f64 = 0.02;

/// A uniformly illuminated lattice with a spacing in wavelengths, focused on a direction.
fn lattice(elements: [usize; 2], spacing: f64, p: f64, focus: [f64; 2]) -> Problem {
    let mut problem = small(elements, p);
    problem.frequencies = vec![FREQUENCY];
    problem.feed = Feed {
        offset: 1e4,
        height: 1e4,
        pattern: FeedPattern::Cosine { power_exponent: 0.0 },
        polarization: 0.0,
    };
    problem.lattice = Lattice { elements, spacing: [spacing * WAVELENGTH; 2] };
    problem.coverage.clear();
    problem.focus = Some(focus);
    problem.uv_grid = UvGrid { center: [0.0, 0.0], points: [3, 3], spacing: 0.01 };
    problem.synthesis.method = Method::Analysis;
    problem
}

fn solved(problem: &Problem) -> Solution {
    prepare(problem.clone()).unwrap().analyze(problem.initial_design(), &Backend::Cpu).unwrap()
}

fn named<'a>(checks: &'a [SelfCheck], name: &str) -> &'a SelfCheck {
    checks.iter().find(|check| check.name.contains(name)).unwrap()
}

/// The array factor of a lattice has the period λ/d in u and v (C. A. Balanis, Antenna Theory, section 6.8): with the beam at u₀ the nearest
/// lobe is at u₀ − λ/d.
#[test]
fn grating_lobes_are_found_where_they_are() {
    for (spacing, u) in [(0.5, 0.0), (0.5, 0.9), (0.7, 0.3), (0.9, 0.2), (1.2, 0.0), (2.3, 0.1)] {
        let study = prepare(lattice([20, 20], spacing, 1.0, [u, 0.0])).unwrap();
        let check = named(&study.self_checks, "grating lobe");
        let lobe = (1..9).map(|i| (u - f64::from(i) / spacing).abs()).fold(1.0 / spacing, f64::min);
        assert!((check.value - lobe.min((1.0 / spacing).hypot(u))).abs() < 1e-12, "{spacing} {u}: {check:?}");
        assert_eq!(check.holds(), check.value >= 1.0);
        if !check.holds() {
            // λ/(1 + sin θ)
            let allowed = format!("{:.2} mm", 1e3 * WAVELENGTH / (1.0 + u));
            assert!(check.sentence.contains(&allowed), "{}", check.sentence);
        }
    }
    // One element along an axis has no lobes along it.
    let study = prepare(lattice([20, 1], 0.5, 1.0, [0.0, 0.0])).unwrap();
    assert_eq!(named(&study.self_checks, "grating lobe").value, 2.0);
}

#[test]
fn free_positions_count_with_their_widest_spacing() {
    let mut problem = small([10, 10], 1.0);
    problem.placement = Placement::Aperiodic { min_spacing: 0.01, max_spacing: 0.025 };
    let check = prepare(problem).unwrap().self_checks;
    // The coverage spans u from −0.02 to 0.22 and v from −0.17 to 0.07: 0.8 − 0.22 is the least |u|.
    assert!((named(&check, "grating lobe").value - (0.8 - 0.22)).abs() < 1e-12);
}

/// At broadside a grating lobe at sin θ = λ/d has the level of the element pattern, cos^p θ.
#[test]
fn the_highest_lobe_is_the_grating_lobe_at_its_level() {
    for p in [1.0, 2.0] {
        let solution = solved(&lattice([25, 25], 1.2, p, [0.0, 0.0]));
        let exact = 5.0 * p * (1.0 - (1.0_f64 / 1.2).powi(2)).log10();
        let checks = solution.self_checks();
        let check = named(&checks, "highest lobe");
        assert!((check.value - exact).abs() < 0.05, "{} {exact}", check.value);
        let [u, v] = solution.side_lobe.unwrap().direction;
        assert!((u.hypot(v) - 1.0 / 1.2).abs() < 0.01 && u.abs().min(v.abs()) < 1e-9);
        assert!(!check.holds() && check.sentence.contains("geometry.spacing"));
    }
}

/// Half a wavelength has none: the highest lobe beyond two beamwidths is the second of sin(Nx)/(N sin x), 17.8 dB down (sinc: at
/// 2.46 beamwidths).
#[test]
fn without_grating_lobes_the_highest_is_a_side_lobe() {
    let checks = solved(&lattice([40, 40], 0.5, 1.0, [0.0, 0.0])).self_checks();
    let check = named(&checks, "highest lobe");
    assert!((check.value + 17.83).abs() < 0.15 && check.holds(), "{check:?}");
}
