//! The tables of the paper.
use phasefront_core::Progress;
use phasefront_device::Backend;
use phasefront_reflectarray::*;
use std::time::Instant;

fn region(name: &str, longitude: f64) -> Region {
    let satellite = coverage::Satellite::new(longitude.to_radians(), coverage::Pointing::Nadir).unwrap();
    let polygons = coverage::built_in(name).unwrap().project(&satellite).unwrap();
    Region { name: name.into(), polygons, lower: None, upper: None }
}
fn window(coverage: &[Region], step: f64) -> Window {
    let all = || coverage.iter().flat_map(|r| r.polygons.iter().flat_map(|p| p.rings.iter().flatten()));
    let lim =
        |i: usize| all().fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], p| [a.min(p[i]), b.max(p[i])]);
    let (u, v) = (lim(0), lim(1));
    Window {
        center: [0.5 * (u[0] + u[1]), 0.5 * (v[0] + v[1])],
        samples: [((u[1] - u[0]) / step).ceil() as usize + 2, ((v[1] - v[0]) / step).ceil() as usize + 2],
        step,
    }
}
fn main() {
    let arg: Vec<String> = std::env::args().collect();
    let lambda = 299792458.0 / 14.25e9;
    let number = |i: usize, d: f64| arg.get(i).map_or(d, |s| s.parse().unwrap());
    let europe = arg[1] == "europe";
    let n = number(2, 71.0) as usize;
    let aperiodic = number(3, 0.0) > 0.0;
    let over = number(4, 8.0);
    let lower = arg.get(5).and_then(|s| s.parse().ok());
    let mut coverage = if europe {
        vec![region("europe", 5.0)]
    } else {
        vec![region("conus", -91.0), region("canada", -91.0)]
    };
    coverage.iter_mut().for_each(|r| r.lower = lower);
    let feed = if europe {
        Feed { offset: 0.423, height: 0.833, exponent: 12.0, polarization: 0.0 }
    } else {
        Feed { offset: 0.276, height: 1.0, exponent: 12.0, polarization: 0.0 }
    };
    let size = if europe { 35.5 } else { 22.0 };
    let mut synthesis = Synthesis::default();
    if std::env::var("FD").is_ok() {
        synthesis.gradient = Gradient::FiniteDifference;
    }
    if std::env::var("IP").is_ok() {
        synthesis.method = Method::IteratedProjections;
    }
    let env = |name: &str, v: &mut usize| {
        if let Ok(s) = std::env::var(name) {
            *v = s.parse().unwrap()
        }
    };
    env("STARTS", &mut synthesis.starts);
    env("MODAL", &mut synthesis.modal_iterations);
    env("ELEM", &mut synthesis.element_iterations);
    env("POLISH", &mut synthesis.polish_iterations);
    env("PORDER", &mut synthesis.position_order);
    env("ZERN", &mut synthesis.zernike_order);
    if let Ok(s) = std::env::var("SEED") {
        synthesis.seed = s.parse().unwrap();
    }
    let problem = Problem {
        frequencies: vec![14.25e9],
        feed,
        element: Element { exponent: 1.0, reflection: None },
        lattice: Lattice { elements: [n, n], spacing: [0.5 * lambda; 2] },
        placement: if aperiodic {
            Placement::Aperiodic { min_spacing: 0.5 * lambda, max_spacing: 0.7 * lambda }
        } else {
            Placement::Periodic
        },
        focus: None,
        window: window(&coverage, 1.0 / (over * size)),
        coverage,
        outside: None,
        synthesis,
        extras: Extras::default(),
        design: None,
    };
    let study = prepare(problem.clone()).unwrap();
    let t = Instant::now();
    let state = study.solve(&Backend::Cpu, &Progress::silent(), None, &mut |_| Ok(())).unwrap();
    let design = state.design.clone();
    let seconds = t.elapsed().as_secs_f64();
    let mut last = String::new();
    for (i, row) in state.history.iter().enumerate() {
        let next = state.history.get(i + 1).map_or(String::new(), |r| r.stage.clone());
        if next != row.stage || i % 200 == 0 {
            println!(
                "{:10} it {:5} ev {:6} phi {:.3e} mean {:.3} min {:.3}",
                row.stage, row.iteration, row.evaluations, row.objective, row.d_mean, row.d_min
            );
        }
        last = row.stage.clone();
    }
    let _ = last;
    for refine in [1.0, 2.0] {
        let mut fine = problem.clone();
        fine.window = window(&fine.coverage, 1.0 / (over * size * refine));
        let mut objective = Objective::new(&fine, &Backend::Cpu).unwrap();
        objective.update_power(&design).unwrap();
        objective.evaluate(&design, Wanted::None).unwrap();
        let f = objective.figures();
        println!(
            "refine {refine}: D_min {:.3} D_mean {:.3} samples {}",
            f.all.d_min,
            f.all.d_mean,
            objective.pattern().mask.covered.len()
        );
    }
    let [a, b] = design.spacing();
    println!("{} s, {} evaluations, spacing {:.4} {:.4}", seconds, state.evaluations, a / lambda, b / lambda);
}
