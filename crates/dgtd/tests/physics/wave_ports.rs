//! Wave ports: guides and lines in box meshes against closed forms.

use crate::channel::solve;
use num_complex::Complex64;
use phasefront_core::constants::{C0, ETA0};
use phasefront_dgtd::{Boundary, Material, Port, PortShape, PortSpectrum, Problem, Pulse, Stop, s_matrix};
use phasefront_mesh::{BoxMesh, BoxRegion, BoxSheet};
use std::f64::consts::{PI, TAU};

fn port(surface: &str, mode: usize, shift: f64) -> Port {
    Port { surface: surface.into(), resistance: None, shape: PortShape::Wave { mode, polarity: None, shift } }
}

fn wall(name: &str, boundary: Boundary) -> (String, Boundary) {
    (name.to_owned(), boundary)
}

/// A guide along z with a dielectric inside of it.
fn guide(to: [f64; 3], cell: [f64; 3], (from_z, to_z, eps): (f64, f64, f64)) -> Problem {
    let regions = if to_z > from_z {
        vec![BoxRegion { name: "slab".into(), from: [0.0, 0.0, from_z], to: [to[0], to[1], to_z] }]
    } else {
        Vec::new()
    };
    let materials =
        if regions.is_empty() { Vec::new() } else { vec![("slab".into(), Material::dielectric(eps))] };
    let mesh = BoxMesh { to, cell, name: "air".into(), regions, ..BoxMesh::default() };
    Problem {
        mesh: mesh.mesh().unwrap(),
        materials,
        boundaries: ["xmin", "xmax", "ymin", "ymax"].map(|name| wall(name, Boundary::Pec)).into(),
        stop: Stop { energy_db: Some(60.0), time: 20e-9 },
        order: 3,
        ..Problem::default()
    }
}

/// The run of each port.
fn columns(problem: &Problem) -> Vec<Vec<PortSpectrum>> {
    let run = |excited: usize| {
        let mut problem = problem.clone();
        problem.sources.excited = excited;
        let (study, solution) = solve(problem);
        assert!(solution.settled);
        study.ports(&solution)
    };
    (0..problem.sources.ports.len()).map(run).collect()
}

/// 10 mm of ε_r = 2.25 across a WR-90 guide: a line of another impedance, with ABCD = [cos θ, jZ sin θ; j sin θ/Z, cos θ] and Z = ωμ/β (Pozar,
/// section 4.4). The figures are its |S11| in dB.
#[test]
fn a_slab_in_wr90() {
    let (a, b) = (22.86e-3, 10.16e-3);
    let mut problem = guide([a, b, 20e-3], [a / 4.0, b / 2.0, 5e-3], (5e-3, 15e-3, 2.25));
    problem.sources.ports = vec![port("zmin", 0, 0.0), port("zmax", 0, 0.0)];
    problem.monitors.frequencies = vec![8e9, 10e9, 12e9];
    problem.highest_frequency = 12e9;
    problem.pulse = Pulse::modulated(10e9, 4e9);
    let (study, solution) = solve(problem);
    let exact = |f: f64| {
        let beta = |eps: f64| (eps * (TAU * f / C0).powi(2) - (PI / a).powi(2)).sqrt();
        let (z, theta) = (beta(1.0) / beta(2.25), beta(2.25) * 10e-3);
        // S11 = (B − C)/(2A + B + C), normalized to the guide.
        let (b, c) = (Complex64::new(0.0, z * theta.sin()), Complex64::new(0.0, theta.sin() / z));
        20.0 * ((b - c) / (2.0 * theta.cos() + b + c)).norm().log10()
    };
    for (at, figure) in study.ports(&solution).iter().zip([-4.4604, -14.5972, -14.4031]) {
        assert!((exact(at.frequency) - figure).abs() < 1e-4);
        let found = 20.0 * at.s[0].norm().log10();
        assert!((found - figure).abs() < 0.01, "{} Hz: {found} instead of {figure} dB", at.frequency);
        let power = at.s[0].norm_sqr() + at.s[1].norm_sqr();
        assert!((power - 1.0).abs() < 5e-4, "{power}");
        assert!(at.incident[1].norm() < 1e-3 * at.s[1].norm(), "the end reflects {}", at.incident[1]);
    }
}

/// An empty guide between reference planes that meet in its middle has S21 = 1 for each of its modes, and does not mix them.
#[test]
fn reference_planes_take_the_guide_away() {
    let (a, b, length) = (22.86e-3, 10.16e-3, 20e-3);
    let mut problem = guide([a, b, length], [a / 4.0, b / 2.0, 5e-3], (0.0, 0.0, 1.0));
    let ends = ["zmin", "zmax"];
    problem.sources.ports =
        ends.into_iter().flat_map(|end| (0..2).map(move |mode| port(end, mode, 0.5 * length))).collect();
    problem.monitors.frequencies = vec![15e9];
    problem.highest_frequency = 15e9;
    problem.pulse = Pulse::modulated(15.5e9, 3e9);
    for excited in [0, 1] {
        problem.sources.excited = excited;
        let (study, solution) = solve(problem.clone());
        let at = &study.ports(&solution)[0];
        for (i, s) in at.s.iter().enumerate() {
            let expected = if i == excited + 2 { 1.0 } else { 0.0 };
            assert!((s - expected).norm() < 4e-3, "from {excited} to {i}: {s}");
        }
    }
}

/// Between parallel plates, half of ε_r = 4 below half of vacuum: with E normal to the layers, the lowest mode has
/// (k₁/ε₁) tan k₁d + k₂ tan k₂d = 0, k_i² = ε_i k₀² − β² (Collin, section 6.1). The quasi-TEM mode has the line's impedance, and the
/// wave on the mesh the phase of the exact mode.
#[test]
fn a_layered_line() {
    let (d, length) = (1e-3, 10e-3);
    let mut problem = guide([2e-3, 2.0 * d, length], [1e-3, 1e-3, 2e-3], (0.0, 0.0, 1.0));
    let board = BoxRegion { name: "board".into(), from: [0.0; 3], to: [2e-3, d, length] };
    let to = [2e-3, 2.0 * d, length];
    let mesh = BoxMesh {
        to,
        cell: [1e-3, 1e-3, 2e-3],
        name: "air".into(),
        regions: vec![board],
        ..BoxMesh::default()
    };
    problem.mesh = mesh.mesh().unwrap();
    problem.materials = vec![("board".into(), Material::dielectric(4.0))];
    problem.boundaries[0].1 = Boundary::Pmc;
    problem.boundaries[1].1 = Boundary::Pmc;
    problem.sources.ports = vec![port("zmin", 0, 0.0), port("zmax", 0, 0.0)];
    problem.monitors.frequencies = vec![5e9];
    problem.highest_frequency = 8e9;
    problem.pulse = Pulse::modulated(5e9, 6e9);
    let k0 = TAU * 5e9 / C0;
    // k₂ is imaginary: −κ tanh κd in place of k₂ tan k₂d.
    let mismatch = |beta: f64| {
        let (k, kappa) = ((4.0 * k0 * k0 - beta * beta).sqrt(), (beta * beta - k0 * k0).sqrt());
        0.25 * k * (k * d).tan() - kappa * (kappa * d).tanh()
    };
    let (mut low, mut high) = (1.001 * k0, 1.999 * k0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if mismatch(middle) > 0.0 { low = middle } else { high = middle }
    }
    assert!((low / (k0 * 1.6_f64.sqrt()) - 1.0).abs() < 5e-3, "nearly ε_eff = 2ε/(1 + ε) = 1.6: {low}");
    let runs = columns(&problem);
    let first = &runs[0][0];
    assert!((first.reference[0] / (ETA0 / 1.6_f64.sqrt()) - 1.0).abs() < 1e-6);
    let matrix = s_matrix(&[first, &runs[1][0]], &problem.sources.ports, &[]).unwrap();
    assert!(matrix[0][0].norm() < 2e-3, "{matrix:?}");
    let exact = Complex64::cis(-low * length);
    assert!((matrix[1][0] - exact).norm() < 2e-3, "{} instead of {exact}", matrix[1][0]);
    assert!((matrix[0][1] - matrix[1][0]).norm() < 1e-6, "reciprocity");
    // With respect to twice the impedance: the S-parameters of a line between loads (Pozar, section 4.3).
    let mut ports = problem.sources.ports.clone();
    let load = 2.0 * first.reference[0];
    for port in &mut ports {
        port.resistance = Some(load);
    }
    let found = s_matrix(&[first, &runs[1][0]], &ports, &[]).unwrap()[0][0];
    let (sin, cos) = (low * length).sin_cos();
    let (b, c) = (Complex64::new(0.0, 0.5 * sin), Complex64::new(0.0, 2.0 * sin));
    let exact = (b - c) / (2.0 * cos + b + c);
    assert!((found - exact).norm() < 4e-3, "{found} instead of {exact}");
}

/// A thin symmetric inductive iris in WR-90, half as wide as the guide (N. Marcuvitz, *Waveguide Handbook*, section 5.2). S21 by mode matching:
/// the field of the aperture as √(1 − u²) U_2q(u), q < 8, with 20,000 TE_m0 modes; 2 and 8 functions differ by 1e-5. The field is singular at the
/// edge: the error falls with the size of the elements, and twice the finer S21 less the coarser one is right.
#[test]
fn a_thin_iris() {
    let exact =
        [(8.5e9, (0.443_905, 0.496_843)), (10e9, (0.625_465, 0.484_003)), (12e9, (0.770_727, 0.420_365))];
    let (half, length) = (11.43e-3, 12e-3);
    let through = |cells: f64| {
        let mut problem = guide([half, 3e-3, length], [1.0; 3], (0.0, 0.0, 1.0));
        let iris = BoxSheet {
            name: "iris".into(),
            from: [0.0, 0.0, 0.5 * length],
            to: [0.5 * half, 3e-3, 0.5 * length],
        };
        let cell = [half / cells, 3e-3, length / cells];
        let mesh = BoxMesh {
            to: [half, 3e-3, length],
            cell,
            name: "air".into(),
            sheets: vec![iris],
            ..BoxMesh::default()
        };
        problem.mesh = mesh.mesh().unwrap();
        // Half of the guide, to its middle.
        problem.boundaries[1].1 = Boundary::Pmc;
        problem.boundaries.push(wall("iris", Boundary::Pec));
        problem.sources.ports = vec![port("zmin", 0, 0.5 * length), port("zmax", 0, 0.5 * length)];
        problem.monitors.frequencies = exact.iter().map(|(frequency, _)| *frequency).collect();
        problem.highest_frequency = 12e9;
        problem.pulse = Pulse::modulated(10.25e9, 3.5e9);
        problem.order = 2;
        let (study, solution) = solve(problem);
        study.ports(&solution).iter().map(|at| at.s[1]).collect::<Vec<_>>()
    };
    let [coarse, fine] = [2.0, 4.0].map(through);
    for (i, (frequency, (re, im))) in exact.into_iter().enumerate() {
        let exact = Complex64::new(re, im);
        let [before, after] = [&coarse, &fine].map(|s| (s[i] - exact).norm());
        let rest = (2.0 * fine[i] - coarse[i] - exact).norm();
        println!("{frequency:e} Hz: off by {before:.4} and {after:.4}, by both {rest:.4}");
        assert!(after < 0.6 * before && rest < 0.01, "{frequency} Hz: {before} {after} {rest}");
    }
}
