//! The mesh with its physics: materials of the tetrahedra, boundary conditions of their faces.

use crate::boundary_condition::BoundaryCondition;
use crate::error::DgtdError;
use crate::material::{Material, is_pml};
use crate::pml::Pml;
use crate::problem::{Boundary, Problem};
use crate::sheet_model::SheetModel;
use phasefront_core::FieldError;
use phasefront_mesh::{FaceTable, MeshError, TetMesh};
use rayon::prelude::*;

/// The mesh with its physics.
#[derive(Debug)]
pub struct Domain {
    /// The mesh, ordered so that neighbors in space are close in memory.
    pub mesh: TetMesh,
    /// Neighbors and surface groups of the faces.
    pub faces: FaceTable,
    /// Materials of the volume groups.
    pub materials: Vec<Material>,
    /// Whether each volume group is part of a guide behind a wave port.
    guides: Vec<bool>,
    /// The PML profile of each volume group, if it is a PML.
    pmls: Vec<Option<Pml>>,
    /// Condition of each face of each tetrahedron.
    pub conditions: Vec<[BoundaryCondition; 4]>,
    /// Models of the sheets with states; [`crate::prepare`] adds them.
    pub sheet_models: Vec<SheetModel>,
}

/// A mesh error as an error of a field of the problem.
pub fn mesh_error_at(path: impl Into<String>) -> impl FnOnce(MeshError) -> DgtdError {
    let path = path.into();
    move |error| FieldError::new(path, error.to_string(), error.advice()).into()
}

impl Domain {
    /// Orders the mesh, and assigns materials and boundary conditions to its groups.
    pub fn new(problem: &Problem) -> Result<Self, DgtdError> {
        // Neighbors in space become neighbors in memory: traces are read from nearby addresses.
        let mesh = problem.mesh.reordered();
        // A mesh with guides was checked without them: they lie behind ports, wherever that is.
        let table = if problem.guides.is_empty() { mesh.faces() } else { mesh.adjacency() };
        let mut faces = table.map_err(mesh_error_at("geometry.mesh"))?;
        // Periodic sides become neighbors of each other; from here on their faces are interior.
        for (i, (a, b)) in problem.periodic.iter().enumerate() {
            let group = |name: &str, side: usize| {
                mesh.surface(name).map_err(mesh_error_at(format!("geometry.periodic[{i}][{side}]")))
            };
            let (a, b) = (group(a, 0)?, group(b, 1)?);
            faces.join_periodic(&mesh, a, b).map_err(mesh_error_at(format!("geometry.periodic[{i}]")))?;
        }
        let materials = materials(problem, &mesh)?;
        let in_guide = |name: &String| problem.guides.iter().any(|guide| guide.holds(name));
        let guides = mesh.volume_names.iter().map(in_guide).collect();
        let pmls = Pml::of_groups(&mesh, problem)?;
        let conditions = conditions(problem, &mesh, &faces)?;
        Ok(Self { mesh, faces, materials, guides, pmls, conditions, sheet_models: Vec::new() })
    }

    /// The material of a tetrahedron.
    pub fn material(&self, tet: usize) -> &Material {
        &self.materials[usize::from(self.mesh.volume_of[tet])]
    }

    /// The name of a tetrahedron's volume group.
    pub fn volume_name(&self, tet: usize) -> &str {
        &self.mesh.volume_names[usize::from(self.mesh.volume_of[tet])]
    }

    /// Centroid of a tetrahedron, m.
    pub fn middle(&self, tet: usize) -> [f64; 3] {
        let corners = self.mesh.corners(tet);
        std::array::from_fn(|axis| corners.iter().map(|p| 0.25 * p[axis]).sum())
    }

    /// Whether a tetrahedron is in a PML.
    pub fn in_pml(&self, tet: usize) -> bool {
        self.pml(tet).is_some()
    }

    /// Whether a tetrahedron is in a guide behind a wave port.
    pub fn in_guide(&self, tet: usize) -> bool {
        self.guides[usize::from(self.mesh.volume_of[tet])]
    }

    /// The PML that a tetrahedron is in.
    pub fn pml(&self, tet: usize) -> Option<&Pml> {
        self.pmls[usize::from(self.mesh.volume_of[tet])].as_ref()
    }

    /// All PMLs.
    pub fn pmls(&self) -> impl Iterator<Item = &Pml> {
        self.pmls.iter().flatten()
    }
}

fn materials(problem: &Problem, mesh: &TetMesh) -> Result<Vec<Material>, DgtdError> {
    for (name, material) in &problem.materials {
        let path = format!("geometry.materials.{name}");
        mesh.volume_group(name).map_err(mesh_error_at(path.clone()))?;
        material.check(&path)?;
    }
    mesh.volume_names
        .iter()
        .map(|name| {
            let given = problem.materials.iter().find(|(other, _)| other == name);
            match given {
                Some((_, material)) => Ok(material.clone()),
                None => Material::by_name(name).ok_or_else(|| {
                    FieldError::new(
                        "geometry.materials",
                        format!("the volume {name:?} has no material"),
                        format!("add it to the materials: {name} = {{ eps_r = 1.0 }}, for example"),
                    )
                    .into()
                }),
            }
        })
        .collect()
}

fn conditions(
    problem: &Problem,
    mesh: &TetMesh,
    faces: &FaceTable,
) -> Result<Vec<[BoundaryCondition; 4]>, DgtdError> {
    let in_pml = |tet: usize| is_pml(&mesh.volume_names[usize::from(mesh.volume_of[tet])]);
    let mut conditions: Vec<_> = mesh.tets.par_iter().map(|_| [BoundaryCondition::Interior; 4]).collect();
    for (tet, face) in faces.boundary() {
        // Default behind a PML: the absorbing condition dissipates what passes through it.
        // Boundaries that the user names come later and take precedence.
        if in_pml(tet) {
            conditions[tet][face] = BoundaryCondition::Absorbing;
        }
    }
    let mut model = 0;
    for (name, boundary) in &problem.boundaries {
        let path = format!("geometry.boundaries.{name}");
        let group = mesh.surface(name).map_err(mesh_error_at(path.clone()))?;
        for (tet, face) in faces.faces_in(group) {
            let inside = faces.neighbors[tet][face].is_some();
            // Elements of PMLs have no sources, which the states of a sheet are.
            let lossy = matches!(boundary, Boundary::Conductor(_)) && in_pml(tet);
            let boundary = if lossy { Boundary::Pec } else { *boundary };
            conditions[tet][face] = BoundaryCondition::new(boundary, inside, model).ok_or_else(|| {
                FieldError::new(
                    &*path,
                    format!("the surface {name:?} lies inside the mesh, but a magnetic or absorbing wall must be on its outer boundary"),
                    "use \"pec\" or a sheet resistance there, or name a surface of the outer boundary",
                )
            })?;
        }
        model += u16::from(matches!(boundary, Boundary::Conductor(_)));
    }
    for (i, lumped) in problem.lumped.iter().enumerate() {
        let path = format!("geometry.lumped[{i}].surface");
        let group = mesh.surface(&lumped.surface).map_err(mesh_error_at(&*path))?;
        let lossy = lumped.circuit.resistance.is_some_and(|ohm| ohm > 0.0);
        for (tet, face) in faces.faces_in(group) {
            if in_pml(tet) {
                let message = format!("the lumped element {:?} lies in a PML", lumped.surface);
                return Err(FieldError::new(path, message, "move the PML away from it").into());
            }
            conditions[tet][face] = BoundaryCondition::Sheet { model, wall: false, lossy };
        }
        model += 1;
    }
    // Ports last: their sheet replaces any other condition of the surface. Wave ports are open to their guides.
    for (i, port) in problem.sources.ports.iter().enumerate().filter(|(_, port)| !port.shape.is_wave()) {
        let path = format!("{}.surface", problem.sources.port_path(i));
        let group = mesh.surface(&port.surface).map_err(mesh_error_at(path))?;
        for (tet, face) in faces.faces_in(group) {
            conditions[tet][face] = BoundaryCondition::Port(i as u16);
        }
    }
    Ok(conditions)
}
