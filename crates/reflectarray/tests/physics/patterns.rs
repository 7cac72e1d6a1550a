//! Directivities and patterns with closed forms.

use crate::{disturbed, small};
use phasefront_device::Backend;
use phasefront_reflectarray::{Design, Feed, Lattice, Objective, Problem, Wanted, Window};

/// D at the samples of the window, u fastest.
fn directivity(problem: &Problem, design: &Design) -> Vec<f64> {
    let mut objective = Objective::new(problem, &Backend::Cpu).unwrap();
    objective.evaluate(design, Wanted::None).unwrap();
    let pattern = objective.pattern();
    pattern.intensity.iter().map(|e| e * pattern.scale[0]).collect()
}

/// A feed so far away that it lights all elements alike.
fn uniform(elements: [usize; 2], p: f64, window: Window) -> Problem {
    let mut problem = small(elements, p);
    problem.feed = Feed { offset: 0.0, height: 1e4, exponent: 0.0, polarization: 0.0 };
    problem.lattice = Lattice { elements, spacing: [0.01, 0.01] };
    problem.coverage.clear();
    problem.focus = Some([0.0, 0.0]);
    problem.window = window;
    problem
}

#[test]
fn one_element_has_twice_its_exponent_plus_one() {
    for p in [0.0, 1.0, 2.5] {
        let window = Window { center: [0.0, 0.0], samples: [1, 1], step: 0.1 };
        let problem = uniform([1, 1], p, window);
        let d = directivity(&problem, &problem.start())[0];
        // ∫ cos^p dΩ = 2π/(p + 1): D = 2 for p = 0 and 4 for p = 1.
        assert!((d - 2.0 * (p + 1.0)).abs() < 1e-6, "p={p}: {d}");
    }
}

#[test]
fn the_uniform_array_of_71_by_71() {
    let step = 2.0 / 71.0 / 50.0;
    let window = Window { center: [0.0, 0.0], samples: [201, 1], step };
    let problem = uniform([71, 71], 1.0, window);
    let db: Vec<f64> = directivity(&problem, &problem.start()).iter().map(|d| 10.0 * d.log10()).collect();
    let cut = &db[100..];
    // D = πN for half a wavelength and p = 1, less the edge: 42.00 dBi.
    assert!((cut[0] - 42.0).abs() < 0.05, "{}", cut[0]);
    // sin(Nπu/2)/(N sin(πu/2)): first null at u = 2/71, first side lobe 13.26 dB down (the large-N limit of the sinc).
    assert!(cut[50] < cut[0] - 150.0, "{}", cut[50]);
    assert!(cut[..50].is_sorted_by(|a, b| a > b));
    let lobe = cut[50..].iter().copied().fold(f64::NEG_INFINITY, f64::max) - cut[0];
    assert!((lobe + 13.26).abs() < 0.02, "{lobe}");
}

#[test]
fn a_point_focus_adds_up_exactly() {
    let mut problem = small([9, 7], 1.0);
    let [u0, v0] = [0.11, -0.07];
    problem.window = Window { center: [u0, v0], samples: [5, 4], step: 0.02 };
    problem.coverage.clear();
    let mut design = disturbed(&problem, 0.002);
    design.phase = problem.focus_phases(&design, [u0, v0]);
    let mut objective = Objective::new(&problem, &Backend::Cpu).unwrap();
    objective.evaluate(&design, Wanted::None).unwrap();
    let Feed { offset, height, exponent, .. } = problem.feed;
    let expected: f64 = (0..design.len())
        .map(|n| {
            let (x, y) = (design.x[n], design.y[n] + offset);
            let r = (x * x + y * y + height * height).sqrt();
            ((y * offset + height * height) / (r * offset.hypot(height))).powf(exponent) / r
        })
        .sum();
    // The middle of an even count of samples is sample n/2.
    let e = objective.field(0)[2 + 5 * 2] / (1.0 - u0 * u0 - v0 * v0).powf(0.25);
    assert!((e / expected - 1.0).norm() < 1e-12, "{e} {expected}");
}
