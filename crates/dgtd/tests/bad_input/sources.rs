//! Sources and initial fields that are inconsistent.

use phasefront_core::{FieldError, Precision};
use phasefront_dgtd::{Boundary, DgtdError, Initial, Monitors, Problem, Pulse, Sources, Waveform, prepare};
use phasefront_mesh::BoxMesh;
use std::f64::consts::PI;
use std::sync::Arc;

const SIDES: [&str; 6] = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"];

/// A metal box of 1 by 1 by 0.5 m.
fn metal_box() -> Problem {
    let mesh = BoxMesh { to: [1.0, 1.0, 0.5], cell: [0.5; 3], name: "air".into(), ..BoxMesh::default() };
    Problem {
        mesh: mesh.mesh().unwrap(),
        boundaries: SIDES.map(|name| (name.into(), Boundary::Pec)).into(),
        highest_frequency: 1e8,
        ..Problem::default()
    }
}

fn refused(problem: Problem) -> Option<[String; 2]> {
    match prepare(problem).and_then(|study| study.check_initial()) {
        Err(DgtdError::Invalid(FieldError { path, message, .. })) => Some([path, message]),
        Err(other) => panic!("{other}"),
        Ok(()) => None,
    }
}

/// e^{−(f/f₀)² ln 10} falls to 1e-4 at 2 f₀ and to 1e-10 at √10 f₀.
#[test]
fn frequencies_that_the_pulse_does_not_hold() {
    let at = |frequency: f64, precision: Precision| {
        refused(Problem {
            pulse: Pulse::gaussian(1e7),
            monitors: Monitors { frequencies: vec![1e7, frequency], ..Monitors::default() },
            precision,
            ..metal_box()
        })
    };
    for (held, empty, precision, words) in [
        (1.99e7, 2.1e7, Precision::Single, "0.021 GHz: 4e-5 of its maximum, and below 1e-4"),
        (3.16e7, 4e7, Precision::Double, "0.04 GHz: 1e-16 of its maximum, and below 1e-10"),
    ] {
        assert_eq!(at(held, precision), None);
        let expected = format!("the pulse has no spectral content at {words} there is only rounding noise");
        assert_eq!(at(empty, precision), Some(["source.frequency".into(), expected]));
    }
    // Initial fields have no pulse.
    let mode = Initial::Mode { k: [PI, PI, 2.0 * PI], a: [1.0, -1.0, 0.0] };
    let monitors = Monitors { frequencies: vec![1e8], ..Monitors::default() };
    let sources = Sources { initial: Some(mode), ..Sources::default() };
    assert_eq!(refused(Problem { pulse: Pulse::gaussian(1e6), monitors, sources, ..metal_box() }), None);
}

/// Two equal pulses 1 ns apart have no spectrum at 0.5 GHz, and most of their energy where the box is not resolved is told.
#[test]
fn frequencies_that_a_waveform_lacks() {
    let pulse = |width: f64| {
        let lobe = |t: f64| (-(t / width).powi(2)).exp();
        let samples: Vec<(f64, f64)> =
            (0..=300).map(|i| 1e-11 * f64::from(i)).map(|t| (t, lobe(t - 1e-9) + lobe(t - 2e-9))).collect();
        Pulse::Table(Arc::new(Waveform::new(&samples).unwrap()))
    };
    let with = |frequency: f64, width: f64| Problem {
        pulse: pulse(width),
        monitors: Monitors { frequencies: vec![0.9e8, frequency], ..Monitors::default() },
        ..metal_box()
    };
    let [path, message] = refused(with(0.5e9, 0.2e-9)).unwrap();
    assert_eq!(path, "source.frequency");
    assert!(message.starts_with("the pulse has no spectral content at 0.5 GHz: "), "{message}");
    // The diagonal of a cell is 0.87 m: at order 3 there are 4 points per wavelength at 0.26 GHz.
    let warnings = prepare(with(1e8, 0.2e-9)).unwrap().warnings;
    assert!(
        warnings.iter().any(|text| text.contains("% of the energy of the waveform is above 0.25")),
        "{warnings:?}"
    );
}

fn starting(initial: Initial, problem: Problem) -> Option<[String; 2]> {
    refused(Problem { sources: Sources { initial: Some(initial), ..Sources::default() }, ..problem })
}

#[test]
fn fields_along_their_way() {
    let k = [PI, PI, 2.0 * PI];
    let mode = |a: [f64; 3]| starting(Initial::Mode { k, a }, metal_box());
    assert_eq!(mode([1.0, -1.0, 0.0]), None);
    let expected = "a must be perpendicular to k, but a·k is 1.000 of the product of their lengths";
    assert_eq!(mode(k), Some(["source.initial.mode.amplitude".into(), expected.into()]));
    let wave = |e: [f64; 3]| starting(Initial::Wave { k: [2.0, 0.0, 0.0], e }, metal_box());
    let expected = "e must be perpendicular to k, but e·k is -0.707 of the product of their lengths";
    assert_eq!(wave([-1.0, 0.0, 1.0]), Some(["source.initial.plane_wave.amplitude".into(), expected.into()]));
    // Across, but E_x and E_y go with sin(0 z), and the third is not asked for.
    let [path, message] =
        starting(Initial::Mode { k: [PI, PI, 0.0], a: [1.0, -1.0, 0.0] }, metal_box()).unwrap();
    assert_eq!(path, "source.initial.mode.amplitude");
    assert!(message.starts_with("the mode has no field: E_x contains sin(k_y y) sin(k_z z)"), "{message}");
    assert_eq!(starting(Initial::Mode { k: [PI, PI, 0.0], a: [0.0, 0.0, 1.0] }, metal_box()), None);
}

#[test]
fn modes_that_do_not_fit_the_walls() {
    let mode = |k: [f64; 3], problem: Problem| starting(Initial::Mode { k, a: [k[1], -k[0], 0.0] }, problem);
    assert_eq!(mode([PI, 2.0 * PI, 2.0 * PI], metal_box()), None);
    // As people write it, 3.14.
    assert_eq!(mode([0.9995 * PI, 0.9995 * PI, 0.9995 * 2.0 * PI], metal_box()), None);
    let [path, message] = mode([PI, 1.5 * PI, 2.0 * PI], metal_box()).unwrap();
    assert_eq!(path, "source.initial.mode.wave_vector");
    assert!(message.starts_with("the mode does not satisfy the boundary conditions: at ("), "{message}");
    assert!(
        message.contains(" m tangential E on a PEC wall is ") && message.ends_with(" of the amplitude"),
        "{message}"
    );
    // Half of the box, behind a magnetic wall at x = 1 m: k_x is half as large, and only so.
    let half = || {
        let mut problem = metal_box();
        problem.boundaries[1].1 = Boundary::Pmc;
        problem
    };
    assert_eq!(mode([0.5 * PI, PI, 2.0 * PI], half()), None);
    let [_, message] = mode([PI, PI, 2.0 * PI], half()).unwrap();
    assert!(message.contains(" m tangential H on a PMC wall is "), "{message}");
}

#[test]
fn waves_that_do_not_fit_the_period() {
    let periodic = || Problem {
        boundaries: SIDES[..4].iter().map(|name| ((*name).into(), Boundary::Pec)).collect(),
        periodic: vec![("zmin".into(), "zmax".into())],
        ..metal_box()
    };
    // Conductors along the field on two sides, too.
    let [_, message] =
        starting(Initial::Wave { k: [0.0, 0.0, 4.0 * PI], e: [1.0, 0.0, 0.0] }, periodic()).unwrap();
    assert!(message.contains(" m tangential E on a PEC wall is 1.00 of the amplitude"), "{message}");
    let column = || {
        let mut problem = periodic();
        problem.boundaries[2].1 = Boundary::Pmc;
        problem.boundaries[3].1 = Boundary::Pmc;
        problem
    };
    let wave = |k: f64| starting(Initial::Wave { k: [0.0, 0.0, k], e: [1.0, 0.0, 0.0] }, column());
    assert_eq!(wave(4.0 * PI), None);
    let [path, message] = wave(2.0 * PI).unwrap();
    assert_eq!(path, "source.initial.plane_wave.wave_vector");
    // Half a wave on: with the other sign.
    let words = " m the fields at \"zmin\" and its periodic image differ by 2.00 of the amplitude";
    assert!(
        message.starts_with("the wave does not satisfy the boundary conditions: at (")
            && message.ends_with(words),
        "{message}"
    );
}
