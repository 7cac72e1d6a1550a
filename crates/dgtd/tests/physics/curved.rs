//! Curved elements: cavity modes that are known in closed form.

use crate::deformed::{cube, deformed};
use phasefront_core::constants::C0;
use phasefront_core::{Precision, Progress};
use phasefront_device::Backend;
use phasefront_dgtd::{
    Boundary, Dipole, Flux, Initial, Injection, Material, Monitors, PlaneWave, Pole, Problem, Pulse,
    Solution, Sources, Stop, prepare,
};
use phasefront_mesh::{BoxMesh, BoxRegion, GmshMesh, TetMesh, Units, gmsh_tets};
use std::f64::consts::PI;

const SIDES: [&str; 6] = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"];

fn solve(problem: Problem) -> Solution {
    prepare(problem).unwrap().solve(&Backend::Cpu, &Progress::silent()).unwrap()
}

fn walls() -> Vec<(String, Boundary)> {
    SIDES.map(|name| (name.into(), Boundary::Pec)).into()
}

/// The unit cube with its inside deformed smoothly, and the grid on its walls deformed within them.
fn bent_cube(cells: usize) -> TetMesh {
    let shift = |x: f64, y: f64, z: f64| 0.08 * (PI * x).sin() * (PI * y + 0.5).cos() * (PI * z + 1.0).cos();
    deformed(cube(cells), |[x, y, z]| [x + shift(x, y, z), y - shift(y, z, x), z + shift(z, x, y)])
}

fn cavity(mesh: TetMesh, order: usize, flux: Flux, time: f64) -> Solution {
    solve(Problem {
        mesh,
        boundaries: walls(),
        sources: Sources {
            initial: Some(Initial::Mode { k: [PI; 3], a: [1.0, -2.0, 1.0] }),
            ..Sources::default()
        },
        // Below the mode's 260 MHz: coarse meshes are part of the test.
        highest_frequency: 100e6,
        stop: Stop { energy_db: None, time: time / C0 },
        order,
        flux,
        ..Problem::default()
    })
}

/// The maps of the elements are exact, so that deformed elements lose no order: N + 1.
#[test]
fn a_mode_of_a_bent_cube_converges() {
    for order in 1..=3 {
        let error = |cells: usize| cavity(bent_cube(cells), order, Flux::Upwind, 1.0).error.unwrap();
        let cells = if order < 3 { [4, 8] } else { [2, 4] };
        let (coarse, fine) = (error(cells[0]), error(cells[1]));
        let slope = (coarse / fine).log2();
        assert!(slope > order as f64 + 0.8, "order {order}: {coarse:e} and {fine:e}, {slope}");
    }
}

/// The stable step holds for curved elements too: the energy of a mode remains, except for the dissipation of the upwind flux.
#[test]
fn energy_stays_in_a_bent_cube() {
    for order in 1..=3 {
        let energies =
            |flux| cavity(bent_cube(2), order, flux, 20.0).energy.iter().map(|e| e.1).collect::<Vec<f64>>();
        let (upwind, central) = (energies(Flux::Upwind), energies(Flux::Central));
        assert!(upwind.last() < upwind.first(), "order {order}: {upwind:?}");
        let spread = central.iter().map(|e| (e / central[0] - 1.0).abs()).fold(0.0, f64::max);
        assert!(spread < 0.05, "order {order}: {spread}");
    }
}

/// A mode of a cavity filled with plasma, ε E' = curl H − J and J' = ε₀ω_p² E: E is proportional to cos Ωt, Ω² = (k²c²/μ + ω_p²)/ε.
#[test]
fn a_plasma_in_bent_elements() {
    for precision in [Precision::Double, Precision::Single] {
        let worst = plasma_error(precision);
        assert!(worst < 2e-3, "{precision:?}: {worst}");
    }
}

fn plasma_error(precision: Precision) -> f64 {
    let (eps, mu, plasma) = (2.25, 1.5, 6e8);
    let point = [0.31, 0.42, 0.27];
    let material =
        Material { eps, mu, poles: vec![Pole::Drude { plasma, damping: 0.0 }], ..Material::VACUUM };
    let initial = Initial::Mode { k: [PI; 3], a: [1.0, -2.0, 1.0] };
    let solution = solve(Problem {
        mesh: bent_cube(3),
        materials: vec![("air".into(), material)],
        boundaries: walls(),
        sources: Sources { initial: Some(initial), ..Sources::default() },
        monitors: Monitors { probes: vec![point], ..Monitors::default() },
        highest_frequency: 260e6,
        stop: Stop { energy_db: None, time: 10e-9 },
        order: 4,
        precision,
        ..Problem::default()
    });
    let omega = ((3.0 * (PI * C0).powi(2) / mu + plasma * plasma) / eps).sqrt();
    let start = initial.at(point, 0.0);
    solution
        .samples
        .chunks_exact(6)
        .enumerate()
        .map(|(i, fields)| {
            let now = (omega * (i + 1) as f64 * solution.dt).cos();
            (0..3).map(|axis| (fields[axis] - start[axis] * now).abs()).fold(0.0, f64::max)
        })
        .fold(0.0, f64::max)
}

/// Frequency of a single sinusoid, sampled every dt: x(t + T) + x(t − T) = 2 cos(ωT) x(t), by least squares.
pub fn frequency(signal: &[f64], dt: f64, lag: usize) -> f64 {
    let (mut up, mut down) = (0.0, 0.0);
    for i in lag..signal.len() - lag {
        up += (signal[i + lag] + signal[i - lag]) * signal[i];
        down += 2.0 * signal[i] * signal[i];
    }
    (up / down).acos() / (2.0 * PI * lag as f64 * dt)
}

/// The lowest resonance of a conducting ball of radius 1 m, TM₁₀₁ at ka = 2.743707 (Harrington, Time-harmonic electromagnetic fields,
/// table 6-2), in 78 quadratic elements, and in the same elements made straight.
#[test]
fn the_resonance_of_a_ball() {
    let curved = gmsh_tets(&GmshMesh::parse(include_bytes!("../data/ball.msh")).unwrap(), Units::Meters);
    let curved = curved.unwrap().mesh;
    let straight = TetMesh { middles: Vec::new(), triangle_middles: Vec::new(), ..curved.clone() };
    let exact = 2.743707 * C0 / (2.0 * PI);
    let miss = |mesh: TetMesh| {
        // A band without the next resonance that a dipole in the center excites, ka = 6.117.
        let pulse = Pulse::modulated(exact, 100e6);
        let moment = [0.0, 0.0, 1.0];
        let problem = Problem {
            mesh,
            boundaries: vec![("wall".into(), Boundary::Pec)],
            sources: Sources { dipoles: vec![Dipole { position: [0.0; 3], moment }], ..Sources::default() },
            pulse: pulse.clone(),
            monitors: Monitors { probes: vec![[0.3, 0.2, 0.1]], ..Monitors::default() },
            highest_frequency: 160e6,
            stop: Stop { energy_db: None, time: pulse.end() + 40e-9 },
            order: 3,
            ..Problem::default()
        };
        let solution = solve(problem);
        let after = (pulse.end() / solution.dt).ceil() as usize;
        let signal: Vec<f64> = solution.samples.chunks_exact(6).skip(after).map(|fields| fields[2]).collect();
        let lag = (0.25 / (exact * solution.dt)).round() as usize;
        frequency(&signal, solution.dt, lag) / exact - 1.0
    };
    let (with, without) = (miss(curved), miss(straight));
    assert!(with.abs() < 1e-3, "{with}");
    assert!(without.abs() > 20.0 * with.abs(), "{without}");
}

/// A plane wave is injected through a curved TF/SF surface: inside it is the pulse, outside the field vanishes.
#[test]
fn a_plane_wave_through_a_bent_surface() {
    for flux in [Flux::Upwind, Flux::Central] {
        let leaks = [2, 4].map(|order| leak(order, flux));
        assert!(leaks[1][0] < 0.01 && leaks[1][1] < 0.003, "{flux:?}: {leaks:?}");
        assert!((0..2).all(|i| leaks[1][i] < 0.2 * leaks[0][i]), "{flux:?}: {leaks:?}");
    }
}

/// Largest deviations from the pulse at a point inside, and from zero at one outside.
fn leak(order: usize, flux: Flux) -> [f64; 2] {
    let region = BoxRegion { name: "inner".into(), from: [-0.5; 3], to: [0.5; 3] };
    let mesh = BoxMesh {
        from: [-1.0; 3],
        to: [1.0; 3],
        cell: [0.5; 3],
        name: "air".into(),
        regions: vec![region],
        ..BoxMesh::default()
    };
    let shift = |y: f64, z: f64| 0.08 * (2.0 * y + z + 0.4).sin();
    let mesh =
        deformed(mesh.mesh().unwrap(), |[x, y, z]| [x + shift(y, z), y - shift(z, x), z + shift(x, y)]);
    let pulse = Pulse::gaussian(150e6);
    let (inside, outside) = ([0.1, 0.15, -0.05], [0.1, 0.8, 0.2]);
    let propagation = [0.6, 0.0, 0.8];
    let solution = solve(Problem {
        mesh,
        materials: vec![("inner".into(), Material::VACUUM)],
        boundaries: SIDES.map(|name| (name.into(), Boundary::Absorbing)).into(),
        sources: Sources {
            plane_wave: Some(PlaneWave {
                propagation,
                polarization: [0.0, 1.0, 0.0],
                injection: Injection::TfSf("inner".into()),
            }),
            ..Sources::default()
        },
        pulse: pulse.clone(),
        monitors: Monitors { probes: vec![inside, outside], ..Monitors::default() },
        highest_frequency: 150e6,
        stop: Stop { energy_db: None, time: pulse.end() },
        order,
        flux,
        ..Problem::default()
    });
    let delay = (0..3).map(|i| propagation[i] * inside[i]).sum::<f64>() / C0;
    let mut worst = [0.0_f64; 2];
    for (i, fields) in solution.samples.chunks_exact(12).enumerate() {
        let now = solution.start + (i + 1) as f64 * solution.dt;
        worst[0] = worst[0].max((fields[1] - pulse.at(now - delay)).abs());
        worst[1] = worst[1].max(fields[7].abs());
    }
    worst
}
