//! PMLs that would reflect.

use phasefront_core::FieldError;
use phasefront_dgtd::{Boundary, DgtdError, Material, Problem, prepare};
use phasefront_mesh::{BoxMesh, BoxRegion, TetMesh};

const WALLS: [&str; 5] = ["xmin", "xmax", "ymin", "ymax", "zmin"];

/// A column of 1 m with a PML of 1 m at its upper end.
fn column(regions: &[(&str, f64, f64)]) -> TetMesh {
    let region = |&(name, from, to): &(&str, f64, f64)| BoxRegion {
        name: name.into(),
        from: [0.0, 0.0, from],
        to: [1.0, 1.0, to],
    };
    let mesh = BoxMesh {
        to: [1.0, 1.0, 2.0],
        cell: [0.25; 3],
        name: "air".into(),
        regions: regions.iter().map(region).collect(),
        ..BoxMesh::default()
    };
    mesh.mesh().unwrap()
}

fn refused(mesh: TetMesh, materials: &[(&str, Material)], walls: &[&str]) -> Option<[String; 3]> {
    let problem = Problem {
        mesh,
        materials: materials.iter().map(|(name, material)| ((*name).into(), material.clone())).collect(),
        boundaries: walls.iter().map(|name| ((*name).into(), Boundary::Pec)).collect(),
        highest_frequency: 1e8,
        ..Problem::default()
    };
    match prepare(problem) {
        Err(DgtdError::Invalid(FieldError { path, message, advice })) => Some([path, message, advice]),
        Err(other) => panic!("{other}"),
        Ok(_) => None,
    }
}

/// The upper end of the column becomes a bowl.
#[test]
fn a_pml_with_a_round_outside() {
    let mut mesh = column(&[("pml", 1.0, 2.0)]);
    assert_eq!(refused(mesh.clone(), &[], &WALLS), None);
    for [x, y, z] in mesh.nodes.iter_mut().filter(|node| node[2] == 2.0) {
        *z += 0.2 * (*x * (1.0 - *x) + *y * (1.0 - *y));
    }
    let [path, message, advice] = refused(mesh, &[], &WALLS).unwrap();
    assert_eq!(path, "geometry.mesh");
    assert!(message.starts_with("the outside of the PML \"pml\" is not a box, at ("), "{message}");
    assert_eq!(
        advice,
        "a PML must end in planes normal to x, y and z; for other shapes use an absorbing boundary"
    );
}

#[test]
fn a_pml_of_another_material() {
    let mesh = || column(&[("glass", 0.5, 1.0), ("pml", 1.0, 2.0)]);
    let glass = || ("glass", Material::dielectric(4.0));
    let [path, message, advice] = refused(mesh(), &[glass()], &WALLS).unwrap();
    assert_eq!(path, "geometry.materials");
    let start = "the PML \"pml\" has eps_r = 1 and mu_r = 1, but \"glass\", which it adjoins at (";
    assert!(message.starts_with(start) && message.ends_with(") m, has eps_r = 4 and mu_r = 1"), "{message}");
    assert!(advice.contains("a separate volume, such as pml_glass"), "{advice}");
    assert_eq!(refused(mesh(), &[glass(), ("pml", Material::dielectric(4.0))], &WALLS), None);
    let magnetic = Material { mu: 2.0, ..Material::dielectric(4.0) };
    let [_, message, _] = refused(mesh(), &[glass(), ("pml", magnetic)], &WALLS).unwrap();
    assert!(message.starts_with("the PML \"pml\" has eps_r = 4 and mu_r = 2, "), "{message}");
}

#[test]
fn a_lossy_pml() {
    let lossy = Material { sigma: 1.0, ..Material::VACUUM };
    let [path, message, _] = refused(column(&[("pml", 1.0, 2.0)]), &[("pml", lossy)], &WALLS).unwrap();
    assert_eq!(path, "geometry.materials.pml");
    assert_eq!(message, "the PML \"pml\" has a lossy or dispersive material");
}
