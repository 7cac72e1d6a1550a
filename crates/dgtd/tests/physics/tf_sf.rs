//! TF/SF: a plane wave through an empty box, outside of which the scattered field must vanish.

use crate::channel::solve;
use phasefront_core::Precision;
use phasefront_dgtd::{Boundary, Injection, PlaneWave, Problem, Pulse, Stop};
use phasefront_mesh::{BoxMesh, BoxRegion};

/// The largest field outside of the box for a wave of 1 V/m, dB.
fn leak(order: usize) -> f64 {
    let region = BoxRegion { name: "vacuum".into(), from: [-0.16; 3], to: [0.16; 3] };
    let mesh = BoxMesh {
        from: [-0.32; 3],
        to: [0.32; 3],
        cell: [0.08; 3],
        name: "air".into(),
        regions: vec![region],
        ..BoxMesh::default()
    };
    let sides = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"];
    let mut problem = Problem {
        mesh: mesh.mesh().unwrap(),
        boundaries: sides.map(|name| (name.into(), Boundary::Absorbing)).into(),
        pulse: Pulse::modulated(600e6, 800e6),
        stop: Stop { energy_db: None, time: 12e-9 },
        order,
        precision: Precision::Single,
        ..Problem::default()
    };
    problem.sources.plane_wave = Some(PlaneWave {
        propagation: [0.6, 0.0, 0.8],
        polarization: [0.0, 1.0, 0.0],
        injection: Injection::TfSf("vacuum".into()),
    });
    let outside = [
        [0.24, 0.02, 0.03],
        [-0.24, 0.02, 0.03],
        [0.02, 0.24, 0.03],
        [0.02, 0.03, 0.24],
        [0.02, 0.03, -0.24],
    ];
    problem.monitors.probes = outside.into();
    problem.monitors.probes.push([0.01, 0.02, 0.03]);
    let (study, solution) = solve(problem);
    let peak = |probe: usize| {
        let sizes = study.probe(&solution, probe).into_iter().map(|f| f[0].hypot(f[1]).hypot(f[2]));
        sizes.fold(0.0, f64::max)
    };
    let pulse = &study.problem.pulse;
    let highest = (0..2000).map(|i| pulse.at(pulse.end() * f64::from(i) / 2000.0).abs()).fold(0.0, f64::max);
    let inside = peak(outside.len()) / highest;
    assert!(order == 1 || (inside - 1.0).abs() < 0.05, "{inside} of the wave inside");
    20.0 * (0..outside.len()).map(peak).fold(0.0, f64::max).log10()
}

#[test]
fn an_empty_box_leaks_little() {
    let leaks = [1, 2, 3].map(leak);
    assert!(leaks[1] < -50.0, "{leaks:?}");
    assert!(leaks[1] < leaks[0] - 10.0 && leaks[2] < leaks[1] - 10.0, "{leaks:?}");
}
