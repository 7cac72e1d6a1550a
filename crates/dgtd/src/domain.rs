//! The mesh with its physics: what each tetrahedron is made of, and what each face is.

use crate::error::DgtdError;
use crate::material::Material;
use crate::pml::{Layers, is_layer};
use crate::problem::{Boundary, Problem};
use phasefront_core::FieldError;
use phasefront_core::constants::ETA0;
use phasefront_mesh::{FaceTable, MeshError, TetMesh};

/// What a face is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Skin {
    /// Nothing: the way to the neighbor is open.
    Open,
    /// A perfect electric conductor.
    Pec,
    /// A perfect magnetic conductor.
    Pmc,
    /// Silver and Müller's condition.
    Absorbing,
    /// A sheet with this admittance per square, relative to vacuum's.
    Sheet(f64),
    /// A port, by its number.
    Port(u16),
}

/// The mesh with its physics.
#[derive(Debug)]
pub struct Domain {
    /// Neighbors in space are near in the list.
    pub mesh: TetMesh,
    /// What lies behind and on the faces.
    pub faces: FaceTable,
    /// Materials of the volume groups.
    pub materials: Vec<Material>,
    /// The layers that absorb, if there are any.
    pub layers: Option<Layers>,
    /// What each face of each tetrahedron is.
    pub skins: Vec<[Skin; 4]>,
}

/// A complaint of the mesh about a field of the problem.
pub fn blame(path: impl Into<String>) -> impl FnOnce(MeshError) -> DgtdError {
    let path = path.into();
    move |error| FieldError::new(path, error.to_string(), error.advice()).into()
}

impl Domain {
    /// Sorts the mesh, and gives groups their meaning.
    pub fn new(problem: &Problem) -> Result<Self, DgtdError> {
        let mesh = problem.mesh.reordered();
        let mut faces = mesh.faces().map_err(blame("geometry.mesh"))?;
        for (i, (a, b)) in problem.periodic.iter().enumerate() {
            let group = |name: &str, side: usize| {
                mesh.surface(name).map_err(blame(format!("geometry.periodic[{i}][{side}]")))
            };
            let (a, b) = (group(a, 0)?, group(b, 1)?);
            faces.join_periodic(&mesh, a, b).map_err(blame(format!("geometry.periodic[{i}]")))?;
        }
        let materials = materials(problem, &mesh)?;
        let layers = Layers::find(&mesh, problem.pml)?;
        let skins = skins(problem, &mesh, &faces)?;
        Ok(Self { mesh, faces, materials, layers, skins })
    }

    /// The material of a tetrahedron.
    pub fn material(&self, tet: usize) -> &Material {
        &self.materials[usize::from(self.mesh.volume_of[tet])]
    }

    /// The name of a tetrahedron's volume group.
    pub fn volume_name(&self, tet: usize) -> &str {
        &self.mesh.volume_names[usize::from(self.mesh.volume_of[tet])]
    }

    /// The middle of a tetrahedron's corners, m.
    pub fn middle(&self, tet: usize) -> [f64; 3] {
        let corners = self.mesh.corners(tet);
        std::array::from_fn(|axis| corners.iter().map(|p| 0.25 * p[axis]).sum())
    }

    /// Whether a tetrahedron is in a layer that absorbs.
    pub fn absorbs(&self, tet: usize) -> bool {
        is_layer(self.volume_name(tet))
    }
}

fn materials(problem: &Problem, mesh: &TetMesh) -> Result<Vec<Material>, DgtdError> {
    for (name, material) in &problem.materials {
        let path = format!("geometry.materials.{name}");
        mesh.volume_group(name).map_err(blame(path.clone()))?;
        material.check(&path)?;
    }
    mesh.volume_names
        .iter()
        .map(|name| {
            let given = problem.materials.iter().find(|(other, _)| other == name);
            match given {
                Some((_, material)) => Ok(material.clone()),
                None if is_layer(name) || name == "air" || name == "vacuum" => Ok(Material::VACUUM),
                None => Err(FieldError::new(
                    "geometry.materials",
                    format!("nothing says what the volume {name:?} is made of"),
                    format!("add it to the materials: {name} = {{ eps = 1.0 }}, for example"),
                )
                .into()),
            }
        })
        .collect()
}

fn skins(problem: &Problem, mesh: &TetMesh, faces: &FaceTable) -> Result<Vec<[Skin; 4]>, DgtdError> {
    let mut skins = vec![[Skin::Open; 4]; mesh.tets.len()];
    for (tet, face) in faces.boundary() {
        if is_layer(&mesh.volume_names[usize::from(mesh.volume_of[tet])]) {
            skins[tet][face] = Skin::Absorbing;
        }
    }
    for (name, boundary) in &problem.boundaries {
        let path = format!("geometry.boundaries.{name}");
        let group = mesh.surface(name).map_err(blame(path.clone()))?;
        for (tet, face) in faces.faces_in(group) {
            let inside = faces.neighbors[tet][face].is_some();
            skins[tet][face] = match *boundary {
                Boundary::Pec => Skin::Pec,
                Boundary::Resistive(ohm) => Skin::Sheet(ETA0 / ohm),
                Boundary::Pmc | Boundary::Absorbing if inside => {
                    let what =
                        if *boundary == Boundary::Pmc { "a magnetic wall" } else { "an absorbing boundary" };
                    return Err(FieldError::new(
                        path,
                        format!("the surface {name:?} lies inside the mesh, and {what} ends it"),
                        "use \"pec\" or a resistance there, or name an outer surface",
                    )
                    .into());
                }
                Boundary::Pmc => Skin::Pmc,
                Boundary::Absorbing => Skin::Absorbing,
            };
        }
    }
    for (i, port) in problem.sources.ports.iter().enumerate() {
        let path = format!("source.ports[{i}].surface");
        let group = mesh.surface(&port.surface).map_err(blame(path))?;
        for (tet, face) in faces.faces_in(group) {
            skins[tet][face] = Skin::Port(i as u16);
        }
    }
    Ok(skins)
}
