//! Edges against closed forms and published values.

#[path = "reference/sheet.rs"]
mod sheet;

use glam::DVec3;
use num_complex::Complex64;
use phasefront_core::Progress;
use phasefront_core::constants::{C0, wavenumber};
use phasefront_device::Backend;
use phasefront_mesh::{TriangleMesh, targets};
use phasefront_sbr::{Direction, Edges, Look, Problem, Scattering, dbsm, prepare};

const INCH: f64 = 0.0254;

fn solve(problem: Problem) -> Vec<Scattering> {
    let solution = prepare(problem).unwrap().solve(&Backend::Cpu, &Progress::silent()).unwrap();
    solution.frequencies[0].scattering.clone()
}

fn problem(mesh: &TriangleMesh, edges: Edges, frequency: f64, looks: &[Look]) -> Problem {
    Problem {
        mesh: mesh.clone(),
        edges,
        frequencies: vec![frequency],
        looks: looks.to_vec(),
        bounces: 1,
        ..Problem::default()
    }
}

fn monostatic(theta: f64, phi: f64) -> Look {
    Look::monostatic(Direction::degrees(theta, phi))
}

fn parts(s: &Scattering) -> [Complex64; 4] {
    [s.vv, s.vh, s.hv, s.hh]
}

/// What edges alone add. Segments are as long as a wavelength over `finer`.
fn fringes(
    mesh: &TriangleMesh,
    edges: Edges,
    frequency: f64,
    looks: &[Look],
    finer: f64,
) -> Vec<[Complex64; 4]> {
    let asked = |edges| {
        let problem = problem(mesh, edges, frequency, looks);
        Problem { frequencies: vec![frequency, finer * frequency], tube: (0.1 * finer).min(1.0), ..problem }
    };
    let (with, without) = (solve(asked(edges)), solve(asked(Edges::None)));
    let less = |(a, b): (&Scattering, &Scattering)| {
        let (a, b) = (parts(a), parts(b));
        [0, 1, 2, 3].map(|i| a[i] - b[i])
    };
    with.iter().zip(&without).map(less).collect()
}

/// Largest difference of amplitudes over the largest amplitude.
fn apart(a: &[Complex64; 4], b: &[Complex64; 4]) -> f64 {
    let largest = b.iter().map(|x| x.norm()).fold(0.0, f64::max);
    a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max) / largest
}

fn frame(direction: Direction) -> [DVec3; 3] {
    let (sin_t, cos_t) = direction.theta.sin_cos();
    let (sin_p, cos_p) = direction.phi.sin_cos();
    [
        DVec3::new(sin_t * cos_p, sin_t * sin_p, cos_t),
        DVec3::new(cos_t * cos_p, cos_t * sin_p, -sin_t),
        DVec3::new(-sin_p, cos_p, 0.0),
    ]
}

/// The echoes of a thin plate, 10.5 by 6 inches, by the method of moments: broadside 8.07 (V) and 7.96 dBsm (H) at 5.12 GHz,
/// 13.79 and 13.83 at 10.2 GHz; at 45° −20.5 and −22.4, where physical optics alone has −27.3.
#[test]
fn a_plate_has_the_echo_of_the_method_of_moments() {
    let mesh = targets::plate([10.5 * INCH, 6.0 * INCH], [1, 1]).unwrap().mapped(|[x, y, z]| [z, x, y]);
    let cases = [(5.12e9, 0.0, 8.07, 7.96), (10.2e9, 0.0, 13.79, 13.83), (10.2e9, 45.0, -20.5, -22.4)];
    for edges in [Edges::None, Edges::Ptd, Edges::Truncated] {
        for (frequency, phi, v, h) in cases {
            let echo = solve(problem(&mesh, edges, frequency, &[monostatic(90.0, phi)]))[0];
            println!("{edges:?} {frequency:e} {phi}: {:.2} {:.2}, not {v} {h}", dbsm(echo.vv), dbsm(echo.hh));
        }
    }
}

/// The field of the currents themselves, summed over the plate.
#[test]
fn a_plate_has_the_fringe_field_of_its_currents() {
    let (frequency, size) = (C0, [2.1, 1.7]);
    let mesh = targets::plate(size, [1, 1]).unwrap();
    let directions = [
        [30.0, 0.0, 30.0, 0.0],
        [50.0, 30.0, 50.0, 30.0],
        [50.0, 30.0, 20.0, 200.0],
        [130.0, 80.0, 40.0, -50.0],
        [70.0, 300.0, 100.0, 10.0],
    ];
    for [theta_i, phi_i, theta_s, phi_s] in directions {
        let look = Look {
            incident: Direction::degrees(theta_i, phi_i),
            observer: Direction::degrees(theta_s, phi_s),
        };
        let [towards, v, h] = frame(look.incident);
        let [s, theta, phi] = frame(look.observer);
        let mut exact = [Complex64::ZERO; 4];
        for (i, e) in [v, h].into_iter().enumerate() {
            let wave =
                sheet::Wave { k: wavenumber(frequency), direction: -towards, e, h: (-towards).cross(e) };
            let field = sheet::fringe_field(&wave, size, s);
            for (r, unit) in [theta, phi].into_iter().enumerate() {
                exact[2 * r + i] = field[0] * unit.x + field[1] * unit.y + field[2] * unit.z;
            }
        }
        for finer in [1.0, 4.0, 16.0] {
            let ours = fringes(&mesh, Edges::Truncated, frequency, &[look], finer)[0];
            let ptd = fringes(&mesh, Edges::Ptd, frequency, &[look], finer)[0];
            println!(
                "{theta_i} {phi_i} {theta_s} {phi_s} /{finer}: {:.5} (PTD {:.5})",
                apart(&ours, &exact),
                apart(&ptd, &exact)
            );
            if finer == 1.0 {
                for i in 0..4 {
                    println!("   {:.5} {:.5} {:.5}", ours[i], exact[i], ptd[i]);
                }
            }
        }
    }
}
