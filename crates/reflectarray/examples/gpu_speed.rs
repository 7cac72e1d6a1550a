//! How long Φ and its gradients take for 71 by 71 elements: phases up, Φ and gradients down, or Φ and |E|² without gradients.
//!
//! `cargo run --release -p phasefront-reflectarray --example gpu_speed [cpu|cuda|opencl]`

use phasefront_device::{Backend, DeviceChoice, open};
use phasefront_reflectarray::{
    Cost, Derivatives, Design, Element, Feed, FeedPattern, Goals, Lattice, Objective, Outputs, PatternView,
    Placement, Problem, Region, Synthesis, UvGrid, UvPolygon,
};
use std::error::Error;
use std::time::Instant;

/// Evaluations of which the median is taken.
const RUNS: usize = 50;

fn main() -> Result<(), Box<dyn Error>> {
    let choice: DeviceChoice = std::env::args().nth(1).as_deref().unwrap_or("cuda").parse()?;
    let opened = open(choice, false)?;
    println!("{}\nµs per evaluation, median of {RUNS} and least", opened.reason);
    for samples in [64, 128] {
        let problem = problem(samples);
        let lattice = problem.initial_design();
        let mut scattered = lattice.clone();
        for n in 0..scattered.len() {
            scattered.x[n] += 2e-3 * noise(n);
            scattered.y[n] += 2e-3 * noise(n + 10_000);
        }
        for (name, design) in [("lattice", &lattice), ("scattered", &scattered)] {
            row(&problem, design, &opened.backend, &format!("{samples}² samples, {name}"))?;
        }
    }
    Ok(())
}

fn row(problem: &Problem, design: &Design, backend: &Backend, name: &str) -> Result<(), Box<dyn Error>> {
    let mut objective = Objective::new(problem, backend)?;
    for (what, wanted, moving) in [
        ("Φ", Derivatives::None, false),
        ("Φ, phases", Derivatives::Phase, false),
        ("Φ, phases and positions", Derivatives::PhaseAndPosition, false),
        ("Φ, phases and positions, elements moving", Derivatives::PhaseAndPosition, true),
    ] {
        let mut phi = |design: &Design| objective.evaluate(design, wanted).map(|e| e.value);
        println!("{name:24} {what:42} {}", times(design, moving, &mut phi)?);
    }
    let goals = Goals::new(problem, objective.pattern().mask);
    let mut minimax = |pattern: &PatternView<'_>| Cost::Minimax { sharpness: 2.0 }.of(&goals, pattern);
    let mut soft =
        |design: &Design| objective.evaluate_with(design, &mut minimax, Derivatives::Phase).map(|e| e.value);
    println!("{name:24} {:42} {}", "soft minimum on the host, phases", times(design, false, &mut soft)?);
    Ok(())
}

/// Every run has other phases; elements that move do so by a hair, a lattice as a whole.
fn times<E>(
    design: &Design,
    moving: bool,
    cost: &mut dyn FnMut(&Design) -> Result<f64, E>,
) -> Result<String, E> {
    let mut design = design.clone();
    let mut each = Vec::new();
    for run in 0..RUNS + 5 {
        design.phase[run] += 0.1;
        if moving {
            design.x.iter_mut().for_each(|x| *x *= 1.0 + 1e-9);
        }
        let start = Instant::now();
        cost(&design)?;
        // The first ones compile, allocate and record.
        if run >= 5 {
            each.push(1e6 * start.elapsed().as_secs_f64());
        }
    }
    each.sort_by(f64::total_cmp);
    Ok(format!("{:9.1} {:9.1}", each[RUNS / 2], each[0]))
}

/// The array of the paper's first case with a square of about Europe's size.
fn problem(samples: usize) -> Problem {
    let (u, v, half) = (0.02, 0.11, 0.04);
    let ring = vec![[u - half, v - half], [u + half, v - half], [u + half, v + half], [u - half, v + half]];
    let polygons = vec![UvPolygon { rings: vec![ring] }];
    Problem {
        design: None,
        frequencies: vec![14.25e9],
        feed: Feed {
            offset: 0.423,
            height: 0.833,
            pattern: FeedPattern::Cosine { power_exponent: 24.0 },
            polarization: 0.0,
        },
        element: Element { power_exponent: 1.0, reflection: None },
        lattice: Lattice { elements: [71, 71], spacing: [0.0105, 0.0105] },
        placement: Placement::Periodic,
        focus: None,
        coverage: vec![Region { name: "square".into(), polygons, lower: Some(30.0), upper: None }],
        outside: None,
        uv_grid: UvGrid { center: [u, v], points: [samples; 2], spacing: 0.4 / samples as f64 },
        synthesis: Synthesis::default(),
        outputs: Outputs::default(),
    }
}

/// Numbers between −1 and 1 without pattern.
fn noise(n: usize) -> f64 {
    2.0 * ((n as f64 * 12.9898 + 4.1).sin() * 43758.5453).rem_euclid(1.0) - 1.0
}
