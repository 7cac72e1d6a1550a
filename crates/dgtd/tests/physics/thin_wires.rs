//! Thin wires in meshes that do not resolve them.

use crate::channel::solve;
use glam::DVec3;
use num_complex::Complex64;
use phasefront_core::Precision;
use phasefront_core::constants::C0;
use phasefront_dgtd::{Boundary, Circuit, Connection, Flux, Port, PortShape, Problem, Pulse, Solution, Sources, Stop, Study, ThinWire, WireLoad};
use phasefront_mesh::{BoxMesh, BoxRegion, TetMesh};
use std::f64::consts::TAU;

/// Air of this half width around the origin, in a PML of so many cells.
fn air(half: f64, cell: f64, layers: f64) -> TetMesh {
    BoxMesh {
        from: [-half - layers * cell; 3],
        to: [half + layers * cell; 3],
        cell: [cell; 3],
        name: "pml".into(),
        regions: vec![BoxRegion { name: "air".into(), from: [-half; 3], to: [half; 3] }],
        ..BoxMesh::default()
    }
    .mesh()
    .unwrap()
}

fn wire(points: &[DVec3], radius: f64) -> ThinWire {
    ThinWire {
        name: "wire".into(),
        points: points.iter().map(|p| p.to_array()).collect(),
        radius,
        resistance: 0.0,
        loads: Vec::new(),
    }
}

fn port(position: f64, resistance: f64) -> Port {
    Port { surface: "wire".into(), resistance: Some(resistance), shape: PortShape::Wire { position } }
}

/// Frequency between two others at which the impedance is real, and its resistance there.
fn resonance(study: &Study, solution: &Solution, [mut low, mut high]: [f64; 2]) -> [f64; 2] {
    let reference = study.problem.sources.ports[0].resistance.unwrap();
    let impedance = |f: f64| -> Complex64 {
        let s = study.reflection(solution, &[f])[0];
        reference * (1.0 + s) / (1.0 - s)
    };
    assert!(impedance(low).im < 0.0 && impedance(high).im > 0.0, "{} {}", impedance(low), impedance(high));
    while high - low > 1e-6 * high {
        let middle = 0.5 * (low + high);
        if impedance(middle).im < 0.0 { low = middle } else { high = middle }
    }
    [low, impedance(low).re]
}

#[test]
fn study() {
    let get = |name: &str, default: f64| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default);
    let (order, cell, radius) = (get("ORDER", 3.0) as usize, get("CELL", 0.25), get("RADIUS", 1e-3));
    let (half, layers, count, time) = (get("HALF", 1.0), get("LAYERS", 3.0), get("COUNT", 1.0) as u64, get("TIME", 60e-9));
    let mut found: Vec<[f64; 2]> = Vec::new();
    for k in 0..count {
        // A low-discrepancy sequence over directions and positions within a cell.
        let part = |g: f64| (0.5 + g * (k as f64 + get("SEED", 0.0))).fract();
        let (z, phi) = (2.0 * part(0.8566748838545029) - 1.0, 6.283185307 * part(0.733891856627126));
        let across = (1.0 - z * z).sqrt();
        let along = DVec3::new(across * phi.cos(), across * phi.sin(), z);
        let shift = cell * DVec3::new(part(0.6287067210378087) - 0.5, part(0.5385972572236101) - 0.5, part(0.46140274) - 0.5);
        let problem = Problem {
            mesh: air(half, cell, layers),
            thin_wires: vec![wire(&[shift - 0.5 * along, shift + 0.5 * along], radius)],
            sources: Sources { ports: vec![port(0.5, 72.0)], ..Sources::default() },
            pulse: Pulse::modulated(145e6, 60e6),
            highest_frequency: 175e6,
            stop: Stop { energy_db: None, time },
            order,
            flux: Flux::Upwind,
            precision: Precision::Single,
            ..Problem::default()
        };
        let clock = std::time::Instant::now();
        let (study, solution) = solve(problem);
        let at = resonance(&study, &solution, [110e6, 180e6]);
        println!("k {k} along {along:.2} steps {} dt {:.4e} f {:.4} MHz R {:.2} drop {:.1} s {:.1}", solution.steps, solution.dt, at[0] / 1e6, at[1], solution.energy_drop(), clock.elapsed().as_secs_f64());
        found.push(at);
    }
    for c in 0..2 {
        let mean = found.iter().map(|f| f[c]).sum::<f64>() / count as f64;
        let sd = (found.iter().map(|f| (f[c] - mean).powi(2)).sum::<f64>() / count as f64).sqrt();
        println!("mean {mean:.5e} sd {sd:.3e} relative {:.5}", sd / mean);
    }
}

#[test]
fn line() {
    let get = |name: &str, default: f64| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default);
    let (order, cell, radius) = (get("ORDER", 3.0) as usize, get("CELL", 0.125), get("RADIUS", 1e-3));
    let (side, length, load) = (get("SIDE", 0.5), get("LENGTH", 1.0), get("LOAD", 100.0));
    let offset = DVec3::new(get("DX", 0.0), get("DY", 0.0), 0.0);
    let mesh = BoxMesh { to: [side, side, length], cell: [cell; 3], name: "air".into(), ..BoxMesh::default() };
    let at = |z: f64| DVec3::new(0.5 * side, 0.5 * side, z) + offset;
    let series = Circuit { resistance: Some(load), inductance: None, capacitance: None, connection: Connection::Series };
    let loaded = ThinWire {
        loads: vec![WireLoad { position: length, circuit: series }],
        ..wire(&[at(0.0), at(length)], radius)
    };
    let impedance = 59.96 * (1.0787 * side / (2.0 * radius)).ln();
    let sides = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"];
    let problem = Problem {
        mesh: mesh.mesh().unwrap(),
        boundaries: sides.map(|name| (name.into(), Boundary::Pec)).into(),
        thin_wires: vec![loaded],
        sources: Sources { ports: vec![port(0.0, impedance)], ..Sources::default() },
        pulse: Pulse::gaussian(150e6),
        highest_frequency: 150e6,
        stop: Stop { energy_db: None, time: get("TIME", 80e-9) },
        order,
        flux: Flux::Upwind,
        precision: if get("DOUBLE", 0.0) > 0.0 { Precision::Double } else { Precision::Single },
        ..Problem::default()
    };
    let (study, solution) = solve(problem);
    println!("Z0 {impedance} steps {} dt {:.3e} drop {:.1}", solution.steps, solution.dt, solution.energy_drop());
    for f in [1e6, 10e6, 30e6, 75e6, 120e6, 150e6] {
        let s = study.reflection(&solution, &[f])[0];
        let found = impedance * (1.0 + s) / (1.0 - s);
        let t = Complex64::new(0.0, (TAU * f / C0 * length).tan());
        let exact = impedance * (load + impedance * t) / (impedance + load * t);
        // Fit: impedance and phase from the same circuit.
        println!("f {:.0} MHz found {found:.3} exact {exact:.3} error {:.5}", f / 1e6, (found / exact - 1.0).norm());
    }
    let energies: Vec<f64> = solution.energy.iter().map(|e| e.1).collect();
    let after = energies.len() / 2;
    println!("growth {:.3e}", energies.windows(2).skip(after).map(|p| p[1] / p[0] - 1.0).fold(f64::MIN, f64::max));
}
