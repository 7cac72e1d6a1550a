//! The physics against closed forms and direct sums.

mod analysis;
mod coverage;
mod feeds;
mod gradients;
mod patterns;
mod power;
#[path = "../reference/mod.rs"]
mod reference;
mod resume;
mod synthesis;
mod validity;

use phasefront_reflectarray::{
    Design, Element, Feed, FeedPattern, Lattice, Outputs, Placement, Problem, Region, Synthesis, UvGrid,
    UvPolygon,
};

/// A wavelength of 20 mm.
const FREQUENCY: f64 = 299_792_458.0 / 0.02;

/// A small offset array with a square coverage.
fn small(elements: [usize; 2], p: f64) -> Problem {
    Problem {
        frequencies: vec![FREQUENCY],
        feed: Feed {
            offset: 0.07,
            height: 0.12,
            pattern: FeedPattern::Cosine { power_exponent: 10.6 },
            polarization: 0.3,
        },
        element: Element { power_exponent: p, reflection: None },
        lattice: Lattice { elements, spacing: [0.011, 0.0105] },
        placement: Placement::Periodic,
        design: None,
        focus: Some([0.1, -0.05]),
        coverage: vec![square("square", [0.1, -0.05], 0.12)],
        outside: None,
        uv_grid: UvGrid { center: [0.083, -0.023], points: [21, 18], spacing: 0.03 },
        synthesis: Synthesis::default(),
        outputs: Outputs::default(),
    }
}

fn square(name: &str, [u, v]: [f64; 2], half: f64) -> Region {
    let ring =
        [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[a, b]| [u + half * a, v + half * b]);
    let polygons = vec![UvPolygon { rings: vec![ring.to_vec()] }];
    Region { name: name.into(), polygons, lower: Some(14.0), upper: Some(17.0) }
}

/// Reproducible pseudo-random numbers in [−1, 1).
fn noise(n: usize) -> f64 {
    2.0 * ((n as f64 * 12.9898 + 4.1).sin() * 43758.5453).rem_euclid(1.0) - 1.0
}

/// The initial design with perturbed phases, and positions perturbed by up to `shift`.
fn perturbed(problem: &Problem, shift: f64) -> Design {
    let mut design = problem.initial_design();
    for n in 0..design.len() {
        design.phase[n] += noise(n);
        design.x[n] += shift * noise(n + 1000);
        design.y[n] += shift * noise(n + 2000);
    }
    design
}
