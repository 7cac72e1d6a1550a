//! Elements that must not be curved.

use crate::deformed::{cube, deformed};
use phasefront_dgtd::{Boundary, DgtdError, Port, PortShape, Problem, Sources, Stop, prepare};
use phasefront_mesh::{BoxMesh, BoxRegion, TetMesh};

fn problem(mesh: TetMesh, walls: &[&str]) -> Problem {
    Problem {
        mesh,
        boundaries: walls.iter().map(|name| ((*name).into(), Boundary::Absorbing)).collect(),
        highest_frequency: 1e7,
        stop: Stop { energy_db: None, time: 1e-9 },
        ..Problem::default()
    }
}

fn refused(problem: Problem) -> [String; 3] {
    match prepare(problem) {
        Err(DgtdError::Invalid(error)) => [error.path.clone(), error.message.clone(), error.advice.clone()],
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("nothing is wrong"),
    }
}

#[test]
fn a_curved_pml() {
    let region = BoxRegion { name: "pml".into(), from: [1.0, 0.0, 0.0], to: [2.0, 1.0, 1.0] };
    let mesh =
        BoxMesh { to: [2.0, 1.0, 1.0], name: "air".into(), regions: vec![region], ..BoxMesh::default() };
    let bend = |[x, y, z]: [f64; 3]| [x, y, if x == 1.5 { z + 0.05 } else { z }];
    let walls = ["xmin", "ymin", "ymax", "zmin", "zmax"];
    assert_eq!(
        refused(problem(deformed(mesh.mesh().unwrap(), bend), &walls)),
        [
            "geometry.mesh",
            "the PML \"pml\" has a curved element, at (1.5000, 0.2500, 0.7500) m",
            "PML elements must be straight: keep curved surfaces at least one element away from the PML"
        ]
    );
}

#[test]
fn a_curved_port() {
    let bend = |[x, y, z]: [f64; 3]| [if x == 0.0 && y == 0.5 { 0.05 } else { x }, y, z];
    let port = Port {
        surface: "xmin".into(),
        resistance: Some(50.0),
        shape: PortShape::Lumped { along: [0.0, 1.0, 0.0] },
    };
    let problem = Problem {
        sources: Sources { ports: vec![port], ..Sources::default() },
        ..problem(deformed(cube(1), bend), &["xmax", "ymin", "ymax", "zmin", "zmax"])
    };
    assert_eq!(
        refused(problem),
        [
            "source.ports[0].surface",
            "the port \"xmin\" is not flat: (0.0500, 0.5000, 0.5000) m is off its plane",
            "a port must be a flat rectangle between two conductors, or a flat annulus"
        ]
    );
}

#[test]
fn periodic_sides_that_bend_differently() {
    let bend = |[x, y, z]: [f64; 3]| [x, y, if x == 1.0 && y == 0.5 { z + 0.05 } else { z }];
    let problem = Problem {
        periodic: vec![("xmin".into(), "xmax".into())],
        ..problem(deformed(cube(1), bend), &["ymin", "ymax", "zmin", "zmax"])
    };
    assert_eq!(
        refused(problem),
        [
            "geometry.mesh",
            "a face at (0.2500, 0.5000, 0.7500) m and its neighbor have different curvature",
            "give both sides the same mid-edge nodes; periodic sides must be translates of each other"
        ]
    );
}
