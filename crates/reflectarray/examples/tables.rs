//! The tables of the paper.
use phasefront_core::Progress;
use phasefront_device::Backend;
use phasefront_reflectarray::*;
use std::time::Instant;

const EU: &[(f64, f64)] = &[
    (-10., 37.),
    (-10., 44.),
    (-11., 52.),
    (-9., 56.),
    (-4., 60.),
    (4., 62.),
    (12., 67.5),
    (20., 70.),
    (28., 71.),
    (31., 69.5),
    (30., 62.),
    (29., 57.),
    (30., 50.),
    (30., 45.),
    (28., 41.),
    (28., 36.),
    (23., 34.5),
    (15., 36.),
    (8., 38.),
    (0., 37.5),
    (-5.5, 35.5),
];
const CONUS: &[(f64, f64)] = &[
    (-125., 48.5),
    (-124.5, 40.),
    (-120.5, 34.),
    (-117., 32.3),
    (-111., 31.),
    (-106., 31.5),
    (-101., 29.),
    (-97.3, 25.8),
    (-94., 29.3),
    (-89.5, 28.8),
    (-84., 29.7),
    (-81.5, 24.8),
    (-79.8, 26.5),
    (-81., 31.),
    (-75.3, 35.2),
    (-69.8, 41.3),
    (-66.8, 44.8),
    (-68., 47.4),
    (-75., 45.),
    (-83., 42.),
    (-83., 46.),
    (-90., 48.),
    (-95., 49.2),
];
const CAN: &[(f64, f64)] = &[
    (-125., 48.5),
    (-133., 54.),
    (-136., 59.8),
    (-120., 60.),
    (-95., 60.),
    (-94., 58.5),
    (-88., 56.5),
    (-82., 55.),
    (-79., 52.),
    (-78., 58.),
    (-77., 60.),
    (-65., 59.5),
    (-60., 55.5),
    (-55.5, 51.5),
    (-52.6, 47.),
    (-60., 45.8),
    (-65.5, 43.4),
    (-67., 45.),
    (-68., 47.4),
    (-75., 45.),
    (-83., 42.),
    (-83., 46.),
    (-90., 48.),
    (-95., 49.2),
];
fn uv(lon: f64, lat: f64, sat: f64) -> [f64; 2] {
    let (a, f, r) = (6378137.0, 1.0 / 298.257223563, 42164170.0);
    let e2: f64 = f * (2.0 - f);
    let (la, lo) = (lat.to_radians(), (lon - sat).to_radians());
    let n = a / (1.0 - e2 * la.sin().powi(2)).sqrt();
    let d = [n * la.cos() * lo.cos() - r, n * la.cos() * lo.sin(), n * (1.0 - e2) * la.sin()];
    let l = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt();
    [d[1] / l, d[2] / l]
}
fn region(name: &str, p: &[(f64, f64)], sat: f64) -> Region {
    let ring = (0..p.len())
        .flat_map(|i| {
            let (a, b) = (p[i], p[(i + 1) % p.len()]);
            (0..10).map(move |k| {
                let t = k as f64 / 10.0;
                uv(a.0 + (b.0 - a.0) * t, a.1 + (b.1 - a.1) * t, sat)
            })
        })
        .collect();
    Region { name: name.into(), polygons: vec![UvPolygon { rings: vec![ring] }], lower: None, upper: None }
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
        vec![region("europe", EU, 5.0)]
    } else {
        vec![region("conus", CONUS, -91.0), region("canada", CAN, -91.0)]
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
    let (design, state, _) = study.synth(&Backend::Cpu, &Progress::silent(), None, &mut |_| Ok(())).unwrap();
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
