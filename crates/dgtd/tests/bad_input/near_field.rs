//! Surfaces on which no near field can be saved.

use phasefront_core::FieldError;
use phasefront_dgtd::{
    Boundary, DgtdError, Dipole, Injection, Material, NearBox, NearField, PlaneWave, Problem, Pulse, prepare,
};
use phasefront_mesh::{BoxMesh, BoxRegion};

/// A cube of 0.1 m from this height on.
fn body(z: f64) -> BoxRegion {
    BoxRegion { name: "body".into(), from: [-0.3, -0.3, z], to: [-0.2, -0.2, z + 0.1] }
}

/// A dipole beside a cube of vacuum and a dielectric one, with air and a PML around.
fn problem(near: NearField) -> Problem {
    let region = |name: &str, s: f64| BoxRegion { name: name.into(), from: [-s; 3], to: [s; 3] };
    let mesh = BoxMesh {
        from: [-0.5; 3],
        to: [0.5; 3],
        cell: [0.1; 3],
        name: "pml".into(),
        regions: vec![region("air", 0.4), region("vacuum", 0.2), body(-0.3)],
        ..BoxMesh::default()
    };
    let mut problem = Problem {
        mesh: mesh.mesh().unwrap(),
        materials: vec![("body".into(), Material { eps: 2.0, ..Material::VACUUM })],
        pulse: Pulse::modulated(3e8, 4e8),
        highest_frequency: 3e8,
        order: 2,
        ..Problem::default()
    };
    problem.sources.dipoles = vec![Dipole { position: [0.26, 0.03, 0.01], moment: [0.0, 0.0, 1.0] }];
    problem.monitors.frequencies = vec![3e8];
    problem.monitors.near_field = Some(near);
    problem
}

fn cube(half: f64) -> NearField {
    NearField::Box(NearBox { from: [-half; 3], to: [half; 3], points: [4; 3] })
}

fn refused(problem: Problem) -> Option<[String; 2]> {
    match prepare(problem) {
        Err(DgtdError::Invalid(FieldError { path, message, .. })) => Some([path, message]),
        Err(other) => panic!("{other}"),
        Ok(_) => None,
    }
}

fn complaint(near: NearField) -> Option<[String; 2]> {
    refused(problem(near))
}

#[test]
fn surfaces_that_hold_no_near_field() {
    let of_box = |message: &str| Some(["output.near_field.box".to_owned(), message.to_owned()]);
    assert_eq!(complaint(cube(0.35)), None);
    assert_eq!(complaint(NearField::Surface("vacuum".into())), None);
    assert_eq!(
        complaint(cube(0.6)),
        of_box("the point (-0.6000, -0.4500, -0.4500) m of the box is outside of the mesh")
    );
    assert_eq!(complaint(cube(0.45)), of_box("the box passes \"pml\" at (-0.4500, -0.3375, -0.3375) m"));
    let crossing = NearBox { from: [-0.25, -0.35, -0.35], to: [0.35; 3], points: [8; 3] };
    let [path, message] = complaint(NearField::Box(crossing)).unwrap();
    assert_eq!(path, "output.near_field.box");
    assert!(message.starts_with("the box passes \"body\" at (-0.2500, "), "{message}");
    let beside = NearBox { from: [-0.35; 3], to: [0.25, 0.35, 0.35], points: [4, 40, 40] };
    let [_, message] = complaint(NearField::Box(beside)).unwrap();
    assert!(message.starts_with("the box passes the element of a dipole at (0.2500, "), "{message}");
    let flat = NearBox { from: [-0.35; 3], to: [0.35, -0.35, 0.35], points: [4; 3] };
    assert_eq!(complaint(NearField::Box(flat)), of_box("the box has no volume, or no points"));
    let [path, message] = complaint(NearField::Surface("body".into())).unwrap();
    assert_eq!(path, "output.near_field.surface");
    assert_eq!(message, "the surface \"body\" touches \"body\"");
    let [path, message] = complaint(NearField::Surface("hull".into())).unwrap();
    assert_eq!(path, "output.near_field.surface");
    assert!(message.contains("\"hull\""), "{message}");
}

#[test]
fn the_field_of_a_box_is_total_or_scattered() {
    let with_wave = |near: NearField| {
        let mut problem = problem(near);
        problem.sources.dipoles.clear();
        let injection = Injection::TfSf("vacuum".into());
        problem.sources.plane_wave =
            Some(PlaneWave { propagation: [0.0, 0.0, 1.0], polarization: [1.0, 0.0, 0.0], injection });
        problem
    };
    assert_eq!(refused(with_wave(cube(0.32))), None);
    let across = NearBox { from: [-0.32; 3], to: [0.15, 0.32, 0.32], points: [4; 3] };
    let [path, message] = refused(with_wave(NearField::Box(across))).unwrap();
    assert_eq!(path, "output.near_field.box");
    assert!(message.starts_with("the box crosses the TF/SF surface \"vacuum\" near ("), "{message}");
}

/// With a wall through the middle of the cubes.
#[test]
fn ground_planes_have_no_near_field() {
    let halved = |near: NearField, symmetric: bool| {
        let mut problem = problem(near);
        let region = |name: &str, s: f64| BoxRegion { name: name.into(), from: [-s, -s, 0.0], to: [s; 3] };
        let mesh = BoxMesh {
            from: [-0.5, -0.5, 0.0],
            to: [0.5; 3],
            cell: [0.1; 3],
            name: "pml".into(),
            regions: vec![region("air", 0.4), region("vacuum", 0.2), body(0.1)],
            ..BoxMesh::default()
        };
        problem.mesh = mesh.mesh().unwrap();
        problem.boundaries = vec![("zmin".into(), Boundary::Pec)];
        problem.symmetry = if symmetric { vec!["zmin".into()] } else { Vec::new() };
        refused(problem)
    };
    let sides = NearBox { from: [-0.35, -0.35, 0.0], to: [0.35; 3], points: [4; 3] };
    let message = "the model has an infinite ground plane, and equivalent currents radiate behind it, too";
    for (near, key) in [(NearField::Box(sides), "box"), (NearField::Surface("vacuum".into()), "surface")] {
        assert_eq!(halved(near.clone(), true), None);
        let path = format!("output.near_field.{key}");
        assert_eq!(halved(near, false), Some([path, message.to_owned()]));
    }
    let [_, message] = halved(cube(0.35), true).unwrap();
    assert!(message.ends_with("of the box is outside of the mesh"), "{message}");
}
