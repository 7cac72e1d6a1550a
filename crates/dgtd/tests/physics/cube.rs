//! A conducting cube, in the TF/SF and the scattered-field formulation.

use crate::channel::solve;
use crate::waveforms::chirp;
use phasefront_core::Precision;
use phasefront_core::constants::C0;
use phasefront_dgtd::{Boundary, Injection, Material, PlaneWave, Problem, Pulse, Stop};
use phasefront_mesh::{BoxMesh, BoxRegion, BoxSheet, TetMesh};
use std::f64::consts::PI;

const SIDE: f64 = 0.5;
const FREQUENCY: f64 = C0 / (2.0 * SIDE);

/// A box with a cubic cavity, its sides the surface `body`.
fn mesh() -> TetMesh {
    let region = |name: &str, s: f64| BoxRegion { name: name.into(), from: [-s; 3], to: [s; 3] };
    let h = SIDE / 2.0;
    let hull = |i: usize| {
        let (mut from, mut to) = ([-2.0 * h; 3], [2.0 * h; 3]);
        if i < 3 {
            to[i] = from[i];
        } else {
            from[i - 3] = to[i - 3];
        }
        BoxSheet { name: "hull".into(), from, to }
    };
    let mut mesh = BoxMesh {
        from: [-3.0 * h; 3],
        to: [3.0 * h; 3],
        cell: [h; 3],
        name: "air".into(),
        regions: vec![region("body", h)],
        sheets: (0..6).map(hull).collect(),
    }
    .mesh()
    .unwrap();
    let body = mesh.volume_group("body").unwrap();
    let mut outside = mesh.volume_of.iter().map(|group| *group != body);
    mesh.tets.retain(|_| outside.next().unwrap());
    mesh.volume_of.retain(|group| *group != body);
    mesh
}

/// Bistatic cross sections in the E- and H-plane where the cube is half a wavelength long, dBsm.
fn cross_sections(injection: Injection, far_surface: Option<&str>) -> Vec<f64> {
    with_pulse(injection, far_surface, (Pulse::modulated(FREQUENCY, 4e8), 40.0))
}

/// The same with another pulse, and another decay of the energy, dB.
fn with_pulse(injection: Injection, far_surface: Option<&str>, (pulse, decay): (Pulse, f64)) -> Vec<f64> {
    let sides = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"];
    let mut boundaries: Vec<_> = sides.map(|name| (name.into(), Boundary::Absorbing)).into();
    boundaries.push(("body".into(), Boundary::Pec));
    let mut problem = Problem {
        mesh: mesh(),
        materials: vec![("body".into(), Material::VACUUM)],
        boundaries,
        pulse,
        highest_frequency: FREQUENCY,
        stop: Stop { energy_db: Some(decay), time: 60e-9 },
        order: 3,
        precision: Precision::Single,
        ..Problem::default()
    };
    problem.sources.plane_wave =
        Some(PlaneWave { propagation: [0.0, 0.0, 1.0], polarization: [1.0, 0.0, 0.0], injection });
    problem.monitors.frequencies = vec![FREQUENCY];
    problem.monitors.far_field = true;
    problem.monitors.far_surface = far_surface.map(String::from);
    let (study, solution) = solve(problem);
    let directions: Vec<[f64; 2]> =
        (0..=6).flat_map(|i| [0.0, 0.5 * PI].map(|phi| [PI * f64::from(i) / 6.0, phi])).collect();
    study.cross_sections(&solution, 0, &directions).iter().map(|s| 10.0 * (s[0] + s[1]).log10()).collect()
}

/// TF/SF and scattered-field formulation, with the far field from the Huygens surface or from
/// the currents on the cube: the answers agree to 0.2 dB.
#[test]
fn a_cube_scatters_alike_both_ways() {
    let through = cross_sections(Injection::TfSf("hull".into()), None);
    let direct = cross_sections(Injection::ScatteredField, None);
    let around = cross_sections(Injection::ScatteredField, Some("hull"));
    for other in [direct, around] {
        let apart = through.iter().zip(&other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart < 0.2, "{apart} dB apart: {through:?} {other:?}");
    }
}

/// Both pulses hold 0.3 GHz; what is left at the end of a run is 1e-3 of the fields.
#[test]
fn cross_sections_do_not_depend_on_the_waveform() {
    let with = |pulse: Pulse| with_pulse(Injection::TfSf("hull".into()), None, (pulse, 60.0));
    let (expected, found) = (with(Pulse::modulated(FREQUENCY, 4e8)), with(chirp()));
    let apart = found.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(apart < 0.02, "{apart} dB apart: {found:?} {expected:?}");
}
