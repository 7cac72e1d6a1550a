//! What anisotropic materials must not touch.

use phasefront_core::FieldError;
use phasefront_dgtd::{
    Boundary, DgtdError, Injection, Material, NearBox, NearField, PlaneWave, Port, PortShape, Problem,
    prepare,
};
use phasefront_mesh::{BoxMesh, BoxRegion};

const SIDES: [&str; 6] = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"];

/// A cube of 1 m with a laminate inside of conducting walls; `inner` is a cube of a quarter of it in its middle.
fn filled(eps: [f64; 3]) -> Problem {
    let inner = BoxRegion { name: "inner".into(), from: [0.25; 3], to: [0.75; 3] };
    let mesh = BoxMesh {
        to: [1.0; 3],
        cell: [0.25; 3],
        name: "laminate".into(),
        regions: vec![inner],
        ..BoxMesh::default()
    };
    let material = Material::VACUUM.with_principal(eps, [1.0; 3]);
    Problem {
        mesh: mesh.mesh().unwrap(),
        materials: ["laminate", "inner"].map(|name| (name.into(), material.clone())).into(),
        boundaries: SIDES.map(|name| (name.into(), Boundary::Pec)).into(),
        highest_frequency: 1e8,
        ..Problem::default()
    }
}

fn refused(problem: Problem) -> [String; 3] {
    match prepare(problem) {
        Err(DgtdError::Invalid(FieldError { path, message, advice })) => [path, message, advice],
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("accepted"),
    }
}

const UNIAXIAL: [f64; 3] = [3.2, 3.2, 2.9];

#[test]
fn an_absorbing_boundary() {
    let mut problem = filled(UNIAXIAL);
    prepare(problem.clone()).unwrap();
    problem.boundaries[5].1 = Boundary::Absorbing;
    let [path, message, advice] = refused(problem);
    assert_eq!(path, "geometry.boundaries");
    assert!(
        message.starts_with("the anisotropic material \"laminate\" touches an absorbing boundary, at ("),
        "{message}"
    );
    assert!(advice.ends_with("put a PML with the same material in front of it"), "{advice}");
}

#[test]
fn a_coaxial_port() {
    let mut problem = filled(UNIAXIAL);
    problem.boundaries.pop();
    let shape = PortShape::Coaxial { center: [0.5, 0.5, 1.0], inner: 0.1, outer: 0.5 };
    problem.sources.ports = vec![Port { surface: "zmax".into(), resistance: Some(50.0), shape }];
    let [_, message, _] = refused(problem);
    assert_eq!(message, "the coaxial port touches the anisotropic material \"laminate\"");
}

/// A PML takes materials with one axis, if its own is the same.
#[test]
fn a_pml_of_three_values() {
    let column = |eps: [f64; 3], of_pml: [f64; 3]| {
        let pml = BoxRegion { name: "pml".into(), from: [0.0, 0.0, 1.0], to: [1.0, 1.0, 2.0] };
        let mesh = BoxMesh {
            to: [1.0, 1.0, 2.0],
            cell: [0.25; 3],
            name: "laminate".into(),
            regions: vec![pml],
            ..BoxMesh::default()
        };
        let of = |eps: [f64; 3]| Material::VACUUM.with_principal(eps, [1.0; 3]);
        let mut problem = Problem {
            mesh: mesh.mesh().unwrap(),
            materials: vec![("laminate".into(), of(eps)), ("pml".into(), of(of_pml))],
            ..filled(eps)
        };
        problem.boundaries.pop();
        problem
    };
    prepare(column(UNIAXIAL, UNIAXIAL)).unwrap();
    let [path, message, _] = refused(column([2.0, 3.0, 4.0], [2.0, 3.0, 4.0]));
    assert_eq!(path, "geometry.materials.pml");
    assert_eq!(message, "the PML \"pml\" has a material with three different principal values");
    let [path, message, _] = refused(column(UNIAXIAL, [3.2; 3]));
    assert_eq!(path, "geometry.materials");
    assert!(
        message.starts_with("the PML \"pml\" has eps_r = 3.2 and mu_r = 1, but \"laminate\""),
        "{message}"
    );
    assert!(message.ends_with(") m, has eps_r = [3.2, 3.2, 2.9] and mu_r = 1"), "{message}");
}

#[test]
fn surfaces_of_one_medium() {
    let mut problem = filled(UNIAXIAL);
    let injection = Injection::TfSf("inner".into());
    problem.sources.plane_wave =
        Some(PlaneWave { propagation: [0.0, 0.0, 1.0], polarization: [1.0, 0.0, 0.0], injection });
    let [path, message, _] = refused(problem);
    assert_eq!(path, "source.plane_wave.surface");
    assert_eq!(message, "the surface \"inner\" lies in an anisotropic medium");
    // In air, with waves that leave: a closed box of walls has images without end.
    let mut problem = filled(UNIAXIAL);
    problem.materials[0].1 = Material::VACUUM;
    problem.boundaries.iter_mut().for_each(|(_, boundary)| *boundary = Boundary::Absorbing);
    problem.monitors.frequencies = vec![1e8];
    problem.monitors.near_field =
        Some(NearField::Box(NearBox { from: [0.3; 3], to: [0.7; 3], points: [2; 3] }));
    let [_, message, _] = refused(problem);
    assert_eq!(message, "the box lies in the anisotropic medium \"inner\"");
}
