//! Boundary conditions where they cannot be.

use phasefront_dgtd::{Boundary, DgtdError, Problem, prepare};
use phasefront_mesh::{BoxMesh, BoxSheet};

/// Behind a magnetic or absorbing wall there is no field: inside the mesh there are two sides with one each.
#[test]
fn walls_with_one_side_inside_the_mesh() {
    let sheet = BoxSheet { name: "middle".into(), from: [0.5, 0.0, 0.0], to: [0.5, 1.0, 1.0] };
    let mesh = BoxMesh {
        to: [1.0; 3],
        cell: [0.5; 3],
        name: "air".into(),
        sheets: vec![sheet],
        ..BoxMesh::default()
    };
    let sides = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"];
    let with = |middle: Boundary| {
        let walls = sides.map(|name| (name.to_owned(), Boundary::Pec)).into_iter();
        prepare(Problem {
            mesh: mesh.mesh().unwrap(),
            boundaries: walls.chain([("middle".to_owned(), middle)]).collect(),
            highest_frequency: 1e8,
            ..Problem::default()
        })
    };
    for wall in [Boundary::Pmc, Boundary::Absorbing] {
        let Err(DgtdError::Invalid(error)) = with(wall) else { panic!("refused") };
        assert_eq!(error.path, "geometry.boundaries.middle");
        assert_eq!(
            error.message,
            "the surface \"middle\" lies inside the mesh, but a magnetic or absorbing wall must be on its outer boundary"
        );
    }
    for sheet in [Boundary::Pec, Boundary::ResistiveSheet(100.0)] {
        assert!(with(sheet).is_ok());
    }
}

/// Half of the side `ymax` is a surface of its own, with a condition that is not that of the side.
#[test]
fn surfaces_that_share_faces() {
    let sheet = BoxSheet { name: "strip".into(), from: [0.0, 1.0, 0.0], to: [0.5, 1.0, 1.0] };
    let mesh = BoxMesh {
        to: [1.0; 3],
        cell: [0.5; 3],
        name: "air".into(),
        sheets: vec![sheet],
        ..BoxMesh::default()
    };
    let others = ["xmin", "xmax", "ymin", "zmin", "zmax"];
    let with = |boundaries: [(&str, Boundary); 2]| {
        let walls = others.map(|name| (name, Boundary::Absorbing)).into_iter();
        prepare(Problem {
            mesh: mesh.mesh().unwrap(),
            boundaries: walls.chain(boundaries).map(|(name, boundary)| (name.to_owned(), boundary)).collect(),
            highest_frequency: 1e8,
            ..Problem::default()
        })
    };
    let strip = ("strip", Boundary::ResistiveSheet(100.0));
    for other in [Boundary::Pec, Boundary::Pmc, Boundary::ResistiveSheet(50.0)] {
        let Err(DgtdError::Invalid(error)) = with([strip, ("ymax", other)]) else { panic!("refused") };
        assert_eq!(error.path, "geometry.boundaries.ymax");
        let expected = "the surfaces \"strip\" and \"ymax\" have different boundary conditions and share faces, one of them at (";
        assert!(error.message.starts_with(expected), "{}", error.message);
    }
    assert!(with([strip, ("ymax", Boundary::ResistiveSheet(100.0))]).is_ok());
}
