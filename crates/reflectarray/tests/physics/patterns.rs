//! Directivities and patterns with closed forms.

use crate::reference::{C0, array_factor, excitations};
use crate::{FREQUENCY, perturbed, small};
use num_complex::Complex64;
use phasefront_device::Backend;
use phasefront_reflectarray::{Derivatives, Design, Feed, FeedPattern, Lattice, Objective, Problem, UvGrid};

/// D at the points of the grid, u fastest.
fn directivity(problem: &Problem, design: &Design) -> Vec<f64> {
    let mut objective = Objective::new(problem, &Backend::Cpu).unwrap();
    objective.evaluate(design, Derivatives::None).unwrap();
    let pattern = objective.pattern();
    pattern.intensity.iter().map(|e| e * pattern.scale[0]).collect()
}

/// A feed so far away that the illumination is uniform.
fn uniform(elements: [usize; 2], p: f64, uv_grid: UvGrid) -> Problem {
    let mut problem = small(elements, p);
    problem.feed = Feed {
        offset: 0.0,
        height: 1e4,
        pattern: FeedPattern::Cosine { power_exponent: 0.0 },
        polarization: 0.0,
    };
    problem.lattice = Lattice { elements, spacing: [0.01, 0.01] };
    problem.coverage.clear();
    problem.focus = Some([0.0, 0.0]);
    problem.uv_grid = uv_grid;
    problem
}

#[test]
fn one_element_has_twice_its_exponent_plus_one() {
    for p in [0.0, 1.0, 2.5] {
        let uv_grid = UvGrid { center: [0.0, 0.0], points: [1, 1], spacing: 0.1 };
        let problem = uniform([1, 1], p, uv_grid);
        let d = directivity(&problem, &problem.initial_design())[0];
        // ∫ cos^p dΩ = 2π/(p + 1): D = 2 for p = 0 and 4 for p = 1.
        assert!((d - 2.0 * (p + 1.0)).abs() < 1e-6, "p={p}: {d}");
    }
}

#[test]
fn the_uniform_array_of_71_by_71() {
    let step = 2.0 / 71.0 / 50.0;
    let uv_grid = UvGrid { center: [0.0, 0.0], points: [201, 1], spacing: step };
    let problem = uniform([71, 71], 1.0, uv_grid);
    let db: Vec<f64> =
        directivity(&problem, &problem.initial_design()).iter().map(|d| 10.0 * d.log10()).collect();
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
    problem.uv_grid = UvGrid { center: [u0, v0], points: [5, 4], spacing: 0.02 };
    problem.coverage.clear();
    let mut design = perturbed(&problem, 0.002);
    design.phase = problem.focus_phases(&design, [u0, v0]);
    let mut objective = Objective::new(&problem, &Backend::Cpu).unwrap();
    objective.evaluate(&design, Derivatives::None).unwrap();
    let Feed { offset, height, pattern: FeedPattern::Cosine { power_exponent }, .. } = problem.feed else {
        panic!("a cosine")
    };
    let expected: f64 = (0..design.len())
        .map(|n| {
            let (x, y) = (design.x[n], design.y[n] + offset);
            let r = (x * x + y * y + height * height).sqrt();
            ((y * offset + height * height) / (r * offset.hypot(height))).powf(0.5 * power_exponent) / r
        })
        .sum();
    // The center of an even number of samples is sample n/2.
    let e = objective.field(0).unwrap()[2 + 5 * 2] / (1.0 - u0 * u0 - v0 * v0).powf(0.25);
    assert!((e / expected - 1.0).norm() < 1e-12, "{e} {expected}");
}

/// Elements off the lattice and many samples: the field and the gradients come from the nonuniform FFT.
#[test]
fn large_scattered_arrays_have_the_field_and_gradients_of_the_direct_sum() {
    let mut problem = small([40, 41], 1.0);
    problem.uv_grid = UvGrid { center: [0.21, -0.13], points: [48, 45], spacing: 0.011 };
    problem.coverage = vec![crate::square("square", [0.2, -0.1], 0.1)];
    let design = perturbed(&problem, 0.002);
    let mut objective = Objective::new(&problem, &Backend::Cpu).unwrap();
    // A cost with known weights: Σ w|E|².
    let weight = |i: usize| crate::noise(i);
    let mut cost = |pattern: &phasefront_reflectarray::PatternView<'_>| {
        let weights: Vec<f64> = (0..pattern.intensity.len()).map(weight).collect();
        (pattern.intensity.iter().zip(&weights).map(|(e, w)| e * w).sum(), weights)
    };
    let got = objective.evaluate_with(&design, &mut cost, Derivatives::PhaseAndPosition).unwrap();
    let a = excitations(&problem, &design, FREQUENCY);
    let beta = 2.0 * std::f64::consts::PI * FREQUENCY / C0;
    let (us, vs) = (problem.uv_grid.u(), problem.uv_grid.v());
    let g = |u: f64, v: f64| (1.0 - u * u - v * v).powf(0.25);
    let field = objective.field(0).unwrap();
    let largest = field.iter().map(|e| e.norm()).fold(0.0, f64::max);
    for i in [0, 47, 48, 1000, 2159] {
        let (u, v) = (us[i % us.len()], vs[i / us.len()]);
        let e = array_factor(&design, &a, beta, u, v) * g(u, v);
        assert!((field[i] - e).norm() < 1e-8 * largest, "{i}");
    }
    // ∂/∂ψ_n and ∂/∂x_n of Σ w|E|² by ∂E/∂ψ_n = j e_n, ∂E/∂x_n = e_n (∂ ln f_n/∂x + jβu), e_n the contribution of the element to E.
    let largest = |d: &[f64]| d.iter().fold(0.0, |m: f64, d| m.max(d.abs()));
    let Feed { offset, height, pattern: FeedPattern::Cosine { power_exponent }, .. } = problem.feed else {
        panic!("a cosine")
    };
    for n in [0, 700, 1639] {
        let (x, y) = (design.x[n], design.y[n] + offset);
        let r = (x * x + y * y + height * height).sqrt();
        let (mut phase, mut along_x) = (0.0, 0.0);
        for i in 0..us.len() * vs.len() {
            let (u, v) = (us[i % us.len()], vs[i / us.len()]);
            let share = a[n] * Complex64::cis(beta * (u * design.x[n] + v * design.y[n])) * g(u, v);
            let back = field[i].conj() * (2.0 * weight(i));
            phase += (back * share * Complex64::I).re;
            let log = Complex64::new(-(0.5 * power_exponent + 1.0) * x / (r * r), beta * (u - x / r));
            along_x += (back * share * log).re;
        }
        assert!((got.phase[n] - phase).abs() < 1e-7 * largest(&got.phase), "{n}: {} {phase}", got.phase[n]);
        assert!((got.x[n] - along_x).abs() < 1e-7 * largest(&got.x), "{n}: {} {along_x}", got.x[n]);
    }
}
