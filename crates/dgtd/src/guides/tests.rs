use super::*;
use crate::dissipation::Dissipation;
use crate::material::Pole;
use crate::problem::{Port, PortShape, Sources};
use crate::study::{Study, prepare};
use glam::DVec3;
use phasefront_mesh::{BoxMesh, BoxSheet};

/// A guide of 2 by 1 along z, filled with one volume, and one mode at its end. TE₁₀ has its cut-off at 0.0749 GHz, TE₂₀ at twice that.
fn guide(volume: &str, mode: usize, polarity: Option<[f64; 3]>) -> Problem {
    let vane = BoxSheet { name: "vane".into(), from: [1.0, 0.0, 0.0], to: [1.0, 1.0, 1.0] };
    let mesh = BoxMesh {
        to: [2.0, 1.0, 1.0],
        cell: [0.5; 3],
        name: volume.into(),
        sheets: vec![vane],
        ..BoxMesh::default()
    };
    let frequency = if mode == 0 { 0.1e9 } else { 0.2e9 };
    let mut problem = Problem {
        mesh: mesh.mesh().unwrap(),
        materials: vec![(volume.into(), Material::VACUUM)],
        boundaries: ["xmin", "xmax", "ymin", "ymax", "zmax"].map(|name| (name.into(), Boundary::Pec)).into(),
        pulse: crate::pulse::Pulse::modulated(frequency, 0.5 * frequency),
        highest_frequency: frequency,
        ..Problem::default()
    };
    let shape = PortShape::Wave { mode, polarity, shift: 0.0 };
    let ports = vec![Port { surface: "zmin".into(), resistance: None, shape }];
    problem.sources = Sources { ports, ..Sources::default() };
    problem.monitors.frequencies = vec![frequency];
    problem
}

fn refused(problem: Problem) -> FieldError {
    match prepare(problem) {
        Err(DgtdError::Invalid(error)) => error,
        other => panic!("{:?}", other.err()),
    }
}

fn in_guide(study: &Study) -> usize {
    (0..study.domain.mesh.tets.len()).filter(|&tet| study.domain.in_guide(tet)).count()
}

#[test]
fn a_volume_of_the_model_may_have_any_name() {
    let problem = guide("port 1 dielectric", 0, None);
    let before = problem.mesh.tets.len();
    let study = prepare(problem).unwrap();
    assert_eq!(in_guide(&study), study.domain.mesh.tets.len() - before);
}

/// Currents, snapshots and the numerical dissipation are those of the model.
#[test]
fn guides_are_no_part_of_results() {
    let mut problem = guide("air", 0, None);
    let before = problem.mesh.tets.len();
    problem.monitors.currents = true;
    problem.monitors.snapshots = vec![1e-9];
    let study = prepare(problem).unwrap();
    let domain = &study.domain;
    // Two triangles on each square of the walls: 4 squares at each side in x, 8 in y, and 8 at the end.
    assert_eq!(study.monitors.conductors.len(), 2 * (4 + 4 + 8 + 8 + 8));
    assert!(study.monitors.conductors.iter().all(|face| !domain.in_guide(face.tet as usize)));
    assert_eq!(study.monitors.snapshots.len(), before);
    // Fields that jump everywhere.
    let fields: Vec<f64> = (0..study.dof()).map(|i| (i as f64 * 0.618).fract()).collect();
    let power = Dissipation::new(&study).power(&fields);
    for (tet, power) in power.iter().enumerate() {
        assert_eq!(*power > 0.0, !domain.in_guide(tet), "{tet}: {power}");
    }
}

#[test]
fn media_in_which_nothing_propagates() {
    let mut problem = guide("plasma", 0, None);
    // ω_p of 1 GHz: ε = 1 − 100 at a tenth of it.
    let plasma = Pole::Drude { plasma: std::f64::consts::TAU * 1e9, damping: 0.0 };
    problem.materials = vec![("plasma".into(), Material { poles: vec![plasma], ..Material::VACUUM })];
    let error = refused(problem);
    assert_eq!(error.path, "source.ports[0].surface");
    let expected = "the wave port \"zmin\" cuts \"plasma\", whose permittivity is -99.000 at 0.1000 GHz, the middle of the band: no mode \
                    propagates in it";
    assert_eq!(error.message, expected);
}

#[test]
fn a_sheet_that_meets_a_port() {
    let mut problem = guide("air", 0, None);
    problem.boundaries.push(("vane".into(), Boundary::ResistiveSheet(100.0)));
    let error = refused(problem);
    assert_eq!(error.path, "source.ports[0].surface");
    let begin = "the sheet or coating \"vane\" meets the wave port \"zmin\" at (1.0000, ";
    assert!(error.message.starts_with(begin), "{}", error.message);
}

#[test]
fn an_absorbing_side_is_told() {
    let warned = |boundary: Boundary| {
        let mut problem = guide("air", 0, None);
        problem.boundaries[1].1 = boundary;
        prepare(problem).unwrap().warnings.iter().any(|text| {
            text.starts_with("the wave port \"zmin\" borders on an \"absorbing\" side, which its modes")
        })
    };
    assert!(warned(Boundary::Absorbing));
    assert!(!warned(Boundary::Pmc) && !warned(Boundary::Pec));
}

/// The y component of E of the mode on the half of the port with the larger x, relative to that of |E|.
fn upward(mode: usize, polarity: [f64; 3]) -> f64 {
    let study = prepare(guide("air", mode, Some(polarity))).unwrap();
    let wave = study.ports[0].wave.as_ref().unwrap();
    let mut sums = [0.0; 2];
    for &(tet, face) in &wave.cross.faces {
        let middle = study.domain.mesh.face_corners(tet, face).map(DVec3::from).iter().sum::<DVec3>() / 3.0;
        let [e, _] = wave.fields(((tet, face), middle));
        if middle.x > 1.0 {
            sums = [sums[0] + e.y, sums[1] + e.length()];
        }
    }
    sums[0] / sums[1]
}

/// TE₁₀ has E along y, and so has TE₂₀, with opposite signs in the two halves. TE₀₁ has the same cut-off, and is not mixed with it.
#[test]
fn polarity_tells_the_sign() {
    for mode in [0, 1] {
        assert!(upward(mode, [0.0, 1.0, 0.0]) > 0.999, "mode {mode}");
        assert!(upward(mode, [0.0, -1.0, 0.0]) < -0.999, "mode {mode}");
    }
}

#[test]
fn a_polarity_that_tells_nothing() {
    let error = refused(guide("air", 0, Some([1.0, 0.0, 0.0])));
    assert_eq!(error.path, "source.ports[0].wave.polarity");
    let expected = "no mode that is asked for has a field along the polarity (1.000, 0.000, 0.000)";
    assert_eq!(error.message, expected);
    let error = refused(guide("air", 0, Some([0.0, 0.0, 1.0])));
    let expected = "the polarity (0.000, 0.000, 1.000) does not lie in the plane of the wave port, which is normal to (0, 0, -1)";
    assert_eq!([&*error.path, &*error.message], ["source.ports[0].wave.polarity", expected]);
}
