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
