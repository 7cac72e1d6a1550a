//! Anisotropic materials with principal axes along x, y and z.

use crate::channel::{Channel, solve, spectrum, walls, wave_along_z};
use crate::deformed::deformed;
use glam::{DMat3, DVec3};
use num_complex::Complex64;
use phasefront_core::constants::{C0, ETA0};
use phasefront_dgtd::{
    Boundary, Initial, Material, Port, PortShape, Problem, Pulse, Solution, Sources, Stop, Study,
};
use phasefront_mesh::{BoxMesh, TetMesh};
use std::f64::consts::{PI, TAU};

/// r = r₁(1 − e^{−2jδ})/(1 − r₁²e^{−2jδ}), δ = nkd (Born and Wolf, Principles of Optics, 7.6), of a wave with E along x and H along y that goes
/// along z: n² = ε_x μ_y, and r₁ = (Z − 1)/(Z + 1) with Z² = μ_y/ε_x.
fn reflected([eps, mu]: [f64; 2], thickness: f64, frequency: f64) -> Complex64 {
    let z = (mu / eps).sqrt();
    let r1 = (z - 1.0) / (z + 1.0);
    let round = Complex64::cis(-2.0 * (eps * mu).sqrt() * TAU * frequency / C0 * thickness);
    r1 * (1.0 - round) / (1.0 - r1 * r1 * round)
}

/// A slab of a biaxial material in both polarizations: turning the wave by 90 degrees is turning the slab by as much.
#[test]
fn a_slab_reflects_each_polarization_by_its_own_index() {
    const THICKNESS: f64 = 0.1;
    for (eps, mu) in [([4.0, 2.25, 5.0], [1.0; 3]), ([2.25, 4.0, 5.0], [2.0, 1.5, 1.0])] {
        let channel = Channel {
            ends: [-0.3, 0.3],
            size: [0.05, 0.08],
            cell: 0.05,
            regions: &[("slab", 0.0, THICKNESS)],
            planes: &[("hull", -0.1), ("hull", 0.2)],
        };
        let mut problem = Problem {
            mesh: channel.mesh(),
            materials: vec![("slab".into(), Material::VACUUM.with_principal(eps, mu))],
            boundaries: walls([Some(Boundary::Absorbing); 2]),
            pulse: Pulse::gaussian(1.0e9),
            stop: Stop { energy_db: Some(60.0), time: 20e-9 },
            order: 4,
            ..Problem::default()
        };
        problem.sources.plane_wave = Some(wave_along_z());
        problem.monitors.probes = vec![[0.02, 0.03, -0.2]];
        let (study, solution) = solve(problem);
        assert!(solution.settled);
        for frequency in [0.3e9, 0.5e9, 0.8e9] {
            let expected = reflected([eps[0], mu[1]], THICKNESS, frequency)
                * Complex64::cis(-TAU * frequency / C0 * 0.2);
            let got = spectrum(&study, &solution, 0, frequency);
            assert!((got - expected).norm() < 0.004, "{eps:?}, {frequency} Hz: {got} instead of {expected}");
        }
    }
}

const EPS: [f64; 3] = [2.0, 0.7, 3.0];
const MU: [f64; 3] = [1.0, 1.5, 0.8];
/// 1/m.
const K: DVec3 = DVec3::splat(PI);
const AMPLITUDE: DVec3 = DVec3::new(1.0, -2.0, 1.0);
const PROBES: [[f64; 3]; 3] = [[0.21, 0.37, 0.44], [0.55, 0.29, 0.71], [0.83, 0.62, 0.18]];

/// E at a point of a conducting box of 1 m, filled with the medium, at τ = ct. At τ = 0 it is E = (A_x cos k_x x sin k_y y sin k_z z, ...), H = 0.
///
/// Each curl of such a field is that of a plane wave, k ×: with the vector a(τ) of its three amplitudes ε a'' = k × μ⁻¹ (k × a) = −Cᵀμ⁻¹C a, C = k ×.
/// So a = cos(√S τ) A with S = ε⁻¹Cᵀμ⁻¹C, whose series converges at all times: two modes, and a static field that stays.
fn exact([x, y, z]: [f64; 3], tau: f64) -> DVec3 {
    let inverse = |values: [f64; 3]| DMat3::from_diagonal(DVec3::from(values).recip());
    let cross = DMat3::from_cols(K.cross(DVec3::X), K.cross(DVec3::Y), K.cross(DVec3::Z));
    let operator = inverse(EPS) * cross.transpose() * inverse(MU) * cross;
    let (mut term, mut sum) = (AMPLITUDE, AMPLITUDE);
    for n in 1..60 {
        term = -(operator * term) * (tau * tau / f64::from(2 * n * (2 * n - 1)));
        sum += term;
    }
    let [(sx, cx), (sy, cy), (sz, cz)] = [K.x * x, K.y * y, K.z * z].map(f64::sin_cos);
    sum * DVec3::new(cx * sy * sz, sx * cy * sz, sx * sy * cz)
}

/// The fields in that box until τ = 0.8 m, about a period of its faster mode.
fn filled(mesh: TetMesh, order: usize) -> (Study, Solution) {
    let sides = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"];
    let initial = Some(Initial::Mode { k: K.into(), a: AMPLITUDE.into() });
    let mut problem = Problem {
        mesh,
        materials: vec![("box".into(), Material::VACUUM.with_principal(EPS, MU))],
        boundaries: sides.map(|name| (name.into(), Boundary::Pec)).into(),
        sources: Sources { initial, ..Sources::default() },
        highest_frequency: 50e6,
        stop: Stop { energy_db: None, time: 0.8 / C0 },
        order,
        ..Problem::default()
    };
    problem.monitors.probes = PROBES.into();
    solve(problem)
}

fn cube(cells: usize) -> TetMesh {
    let cell = [1.0 / cells as f64; 3];
    BoxMesh { to: [1.0; 3], cell, name: "box".into(), ..BoxMesh::default() }.mesh().unwrap()
}

/// The root mean square of the error of E at the probes, over all steps.
fn error((study, solution): &(Study, Solution)) -> f64 {
    let (mut sum, mut count) = (0.0, 0);
    for (probe, position) in PROBES.into_iter().enumerate() {
        for (i, fields) in study.probe(solution, probe).iter().enumerate() {
            let e = DVec3::new(fields[0], fields[1], fields[2]);
            sum += e.distance_squared(exact(position, C0 * solution.time(i)));
            count += 1;
        }
    }
    (sum / f64::from(count)).sqrt()
}

/// Both modes of a box filled with a biaxial medium, ε and μ, converge with the order, and their energy never grows.
#[test]
fn modes_of_a_filled_box_converge() {
    for (order, cells) in [(2, [3, 6]), (3, [4, 8])] {
        let runs = cells.map(|cells| filled(cube(cells), order));
        let [coarse, fine] = [error(&runs[0]), error(&runs[1])];
        let slope = (coarse / fine).log2();
        assert!(slope > order as f64 + 0.8, "order {order}: {slope} from {coarse} to {fine}");
        for (_, solution) in &runs {
            let energy: Vec<f64> = solution.energy.iter().map(|e| e.1).collect();
            assert!(energy.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-13)), "{energy:?}");
        }
    }
}

/// The same on curved elements: as exact as on straight ones of the same size, to a factor.
#[test]
fn curved_elements_carry_them_too() {
    let bulge = |x: f64| x * (1.0 - x);
    let curved = deformed(cube(3), |[x, y, z]| {
        let shift = 1.5 * bulge(x) * bulge(y) * bulge(z);
        [x + shift * y, y - shift * z, z + shift * x]
    });
    let [straight, curved] = [cube(3), curved].map(|mesh| error(&filled(mesh, 3)));
    assert!(curved < 4.0 * straight, "{curved} instead of {straight}");
}

/// A line filled with a uniaxial medium, from a port of its impedance into a PML of the same medium: nothing returns.
#[test]
fn a_port_feeds_a_pml_of_the_same_medium() {
    let channel = Channel {
        ends: [0.0, 0.4],
        size: [0.05, 0.08],
        cell: 0.05,
        regions: &[("pml", 0.2, 0.4)],
        planes: &[],
    };
    let medium = Material::VACUUM.with_principal([2.25, 4.0, 4.0], [1.0; 3]);
    let mut problem = Problem {
        mesh: channel.mesh(),
        materials: vec![("air".into(), medium.clone()), ("pml".into(), medium)],
        boundaries: walls([None; 2]),
        pulse: Pulse::modulated(0.6e9, 1.0e9),
        stop: Stop { energy_db: Some(60.0), time: 100e-9 },
        order: 3,
        ..Problem::default()
    };
    // η₀ √(μ_y/ε_x) times height over width.
    let resistance = Some(ETA0 / 1.5 * 0.05 / 0.08);
    let shape = PortShape::Lumped { along: [1.0, 0.0, 0.0] };
    problem.sources.ports = vec![Port { surface: "zmin".into(), resistance, shape }];
    problem.monitors.frequencies = vec![0.4e9, 0.6e9, 0.9e9];
    let (study, solution) = solve(problem);
    assert!(solution.settled);
    for at in study.ports(&solution) {
        assert!(at.s[0].norm() < 0.01, "{at:?}");
    }
}
