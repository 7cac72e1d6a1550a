//! The contoured beams of A. Capozzoli, C. Curcio, A. Liseno and G. Toso, "Fast, phase-only synthesis of aperiodic reflectarrays using
//! NUFFTs and CUDA" (2016), on the built-in coverages:
//!
//! ```text
//! cargo run --release -p phasefront-reflectarray --example contoured_beams [europe | america [DBI] | projections | differences]
//! ```
//!
//! prints D_min and D_mean on the grid of the synthesis and on one twice as fine, which tells whether the coverage's edge is sampled well.

use phasefront_core::Progress;
use phasefront_device::Backend;
use phasefront_reflectarray::coverage::{Pointing, Satellite, built_in};
use phasefront_reflectarray::{
    Derivatives, Element, Feed, FeedPattern, Gradient, Lattice, Method, Objective, Outputs, Placement,
    Problem, Region, Synthesis, UvGrid, UvPolygon, prepare,
};
use std::error::Error;
use std::time::Instant;

const FREQUENCY: f64 = 14.25e9;
const WAVELENGTH: f64 = 299_792_458.0 / FREQUENCY;

fn region(name: &str, longitude: f64) -> Result<Region, Box<dyn Error>> {
    let satellite = Satellite::new(longitude.to_radians(), Pointing::Nadir)?;
    let polygons = built_in(name)?.project(&satellite)?;
    Ok(Region { name: name.into(), polygons, lower: None, upper: None })
}

/// The grid around a coverage.
fn uv_grid(coverage: &[Region], step: f64) -> UvGrid {
    let boxes = || coverage.iter().flat_map(|region| &region.polygons).filter_map(UvPolygon::bounding_box);
    let span = [0, 1].map(|axis| {
        boxes()
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], of| [a.min(of[axis][0]), b.max(of[axis][1])])
    });
    UvGrid {
        center: span.map(|[a, b]| 0.5 * (a + b)),
        points: span.map(|[a, b]| ((b - a) / step).ceil() as usize + 2),
        spacing: step,
    }
}

fn europe() -> Result<Problem, Box<dyn Error>> {
    let coverage = vec![region("europe", 5.0)?];
    // A beam is 1/35.5 wide; an eighth of it samples the edge.
    Ok(problem(coverage, [71, 71], [0.423, 0.833], 1.0 / (8.0 * 35.5)))
}

fn america(side: usize, placement: Placement, lower: Option<f64>) -> Result<Problem, Box<dyn Error>> {
    let mut coverage = vec![region("conus", -91.0)?, region("canada", -91.0)?];
    for region in &mut coverage {
        region.lower = lower;
    }
    // The widest array of 44 elements has 30.8 wavelengths.
    Ok(Problem { placement, ..problem(coverage, [side, side], [0.276, 1.0], 1.0 / (10.0 * 30.8)) })
}

fn problem(coverage: Vec<Region>, elements: [usize; 2], [offset, height]: [f64; 2], step: f64) -> Problem {
    Problem {
        design: None,
        frequencies: vec![FREQUENCY],
        feed: Feed {
            offset,
            height,
            pattern: FeedPattern::Cosine { power_exponent: 24.0 },
            polarization: 0.0,
        },
        element: Element { power_exponent: 1.0, reflection: None },
        lattice: Lattice { elements, spacing: [0.5 * WAVELENGTH; 2] },
        placement: Placement::Periodic,
        focus: None,
        uv_grid: uv_grid(&coverage, step),
        coverage,
        outside: None,
        synthesis: Synthesis::default(),
        outputs: Outputs::default(),
    }
}

fn report(name: &str, problem: Problem) -> Result<(), Box<dyn Error>> {
    let mut fine = problem.clone();
    fine.uv_grid = uv_grid(&problem.coverage, 0.5 * problem.uv_grid.spacing);
    let begun = Instant::now();
    let solution = prepare(problem)?.solve(&Backend::Cpu, &Progress::silent(), None, &mut |_| Ok(()))?;
    let seconds = begun.elapsed().as_secs_f64();
    let mut objective = Objective::new(&fine, &Backend::Cpu)?;
    objective.evaluate(&solution.design, Derivatives::None)?;
    let finer = objective.figures().all;
    let Some(all) = solution.patterns[0].coverage.iter().find(|figures| figures.region == "all") else {
        return Err("no figures".into());
    };
    println!(
        "{name:<22} D_min {:.2} ({:.2} finer)  D_mean {:.2} ({:.2})  spacing {:.3} to {:.3}  {} evaluations, {seconds:.1} s",
        all.d_min,
        finer.d_min,
        all.d_mean,
        finer.d_mean,
        solution.spacing[0],
        solution.spacing[1],
        solution.evaluations
    );
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let wanted = std::env::args().nth(1).unwrap_or_else(|| "europe".into());
    match wanted.as_str() {
        "europe" => report("71x71 periodic", europe()?),
        "projections" => {
            let mut problem = europe()?;
            problem.synthesis.method = Method::AlternatingProjections;
            problem.synthesis.element_iterations = 1600;
            report("71x71 projections", problem)
        }
        "differences" => {
            // Every phase by differences takes 5041 evaluations a gradient, so these are few, and still take their time.
            let mut problem = europe()?;
            problem.synthesis = Synthesis {
                gradient: Gradient::FiniteDifference,
                element_iterations: 20,
                polish_iterations: 0,
                ..Synthesis::default()
            };
            report("71x71 differences", problem)
        }
        "america" => {
            let free = Placement::Aperiodic { min_spacing: 0.5 * WAVELENGTH, max_spacing: 0.7 * WAVELENGTH };
            // The same D_min for all with a bound, the highest each can give without.
            let lower = std::env::args().nth(2).map(|dbi| dbi.parse()).transpose()?;
            report("44x44 periodic", america(44, Placement::Periodic, lower)?)?;
            for side in [44, 42, 40] {
                report(&format!("{side}x{side} aperiodic"), america(side, free, lower)?)?;
            }
            Ok(())
        }
        other => Err(format!("no such study: {other}").into()),
    }
}
