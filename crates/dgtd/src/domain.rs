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

    /// All PEC faces of the model, without those of guides behind ports.
    pub fn conductors(&self) -> impl Iterator<Item = (usize, usize)> {
        let model = (0..self.mesh.tets.len()).filter(|&tet| !self.in_guide(tet));
        let all = model.flat_map(|tet| (0..4).map(move |face| (tet, face)));
        all.filter(|&(tet, face)| self.conditions[tet][face].is_conductor())
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

/// Conditions of the faces as they are assigned, surface by surface.
struct Assignment<'a> {
    problem: &'a Problem,
    mesh: &'a TetMesh,
    faces: &'a FaceTable,
    conditions: Vec<[BoundaryCondition; 4]>,
}

fn conditions(
    problem: &Problem,
    mesh: &TetMesh,
    faces: &FaceTable,
) -> Result<Vec<[BoundaryCondition; 4]>, DgtdError> {
    let conditions = mesh.tets.par_iter().map(|_| [BoundaryCondition::Interior; 4]).collect();
    let mut assignment = Assignment { problem, mesh, faces, conditions };
    let models = assignment.boundaries()?;
    for (tet, face) in faces.boundary() {
        // Default behind a PML: the absorbing condition dissipates what passes through it.
        if assignment.conditions[tet][face].is_interior() && assignment.in_pml(tet) {
            assignment.conditions[tet][face] = BoundaryCondition::Absorbing;
        }
    }
    assignment.lumped(models)?;
    assignment.ports()?;
    Ok(assignment.conditions)
}

impl Assignment<'_> {
    fn in_pml(&self, tet: usize) -> bool {
        is_pml(&self.mesh.volume_names[usize::from(self.mesh.volume_of[tet])])
    }

    /// The boundaries by name; returns how many of them are sheets with states.
    fn boundaries(&mut self) -> Result<u16, DgtdError> {
        let mut model = 0;
        for (i, (name, boundary)) in self.problem.boundaries.iter().enumerate() {
            let path = format!("geometry.boundaries.{name}");
            let group = self.mesh.surface(name).map_err(mesh_error_at(path.clone()))?;
            for (tet, face) in self.faces.faces_in(group) {
                let inside = self.faces.neighbors[tet][face].is_some();
                if matches!(boundary, Boundary::Coating(_)) && self.in_pml(tet) {
                    let message = format!("the coating {name:?} lies in a PML");
                    return Err(FieldError::new(path, message, "end the coating before the PML").into());
                }
                // Elements of PMLs have no sources, which the states of a sheet are.
                let lossy = matches!(boundary, Boundary::Conductor(_)) && self.in_pml(tet);
                let boundary = if lossy { Boundary::Pec } else { *boundary };
                let condition = BoundaryCondition::new(boundary, inside, model).ok_or_else(|| {
                    FieldError::new(
                        &*path,
                        format!("the surface {name:?} lies inside the mesh, but a magnetic or absorbing wall must be on its outer boundary"),
                        "use \"pec\" or a sheet resistance there, or name a surface of the outer boundary",
                    )
                })?;
                let existing = self.conditions[tet][face];
                if let Some(condition) = existing.joined(condition) {
                    self.conditions[tet][face] = condition;
                } else if let Some(other) = self.contradiction(i, tet, face) {
                    let message = format!(
                        "the surfaces {other:?} and {name:?} have different boundary conditions and share faces, {}",
                        self.position(tet, face)
                    );
                    let advice =
                        "give both the same boundary condition, or let the surfaces have no face in common";
                    return Err(FieldError::new(path, message, advice).into());
                }
            }
            model += u16::from(matches!(boundary, Boundary::Conductor(_) | Boundary::Coating(_)));
        }
        Ok(model)
    }

    /// Of the boundaries before number `i`, one on this face with another condition.
    fn contradiction(&self, i: usize, tet: usize, face: usize) -> Option<&str> {
        let on_face = |name: &String| {
            let groups = self.faces.surfaces_of(tet, face);
            groups.into_iter().any(|group| self.mesh.surface_names[usize::from(group)] == *name)
        };
        let boundaries = &self.problem.boundaries;
        let mut before = boundaries[..i].iter();
        before.find(|(name, other)| *other != boundaries[i].1 && on_face(name)).map(|(name, _)| &**name)
    }

    /// Lumped elements; `model` is that of the first.
    fn lumped(&mut self, model: u16) -> Result<(), DgtdError> {
        for ((i, lumped), model) in self.problem.lumped.iter().enumerate().zip(model..) {
            let path = format!("geometry.lumped[{i}].surface");
            let group = self.mesh.surface(&lumped.surface).map_err(mesh_error_at(&*path))?;
            let lossy = lumped.circuit.resistance.is_some_and(|ohm| ohm > 0.0);
            for (tet, face) in self.faces.faces_in(group) {
                if self.in_pml(tet) {
                    let message = format!("the lumped element {:?} lies in a PML", lumped.surface);
                    return Err(FieldError::new(path, message, "move the PML away from it").into());
                }
                let condition = BoundaryCondition::Sheet { model, wall: false, lossy, coated: false };
                self.replace(tet, face, condition, &path, &format!("lumped element {:?}", lumped.surface))?;
            }
        }
        Ok(())
    }

    /// Ports; wave ports are open to their guides.
    fn ports(&mut self) -> Result<(), DgtdError> {
        let ports = self.problem.sources.ports.iter().enumerate();
        for (i, port) in ports.filter(|(_, port)| !port.shape.is_wave() && !port.shape.is_on_wire()) {
            let path = format!("{}.surface", self.problem.sources.port_path(i));
            let group = self.mesh.surface(&port.surface).map_err(mesh_error_at(&*path))?;
            for (tet, face) in self.faces.faces_in(group) {
                let condition = BoundaryCondition::Port(i as u16);
                self.replace(tet, face, condition, &path, &format!("port {:?}", port.surface))?;
            }
        }
        Ok(())
    }

    /// On the outer boundary a port or a lumped element replaces what bounds the mesh there. Inside, a conductor or a sheet on the same face would
    /// be left out without a word.
    fn replace(
        &mut self,
        tet: usize,
        face: usize,
        condition: BoundaryCondition,
        path: &str,
        what: &str,
    ) -> Result<(), DgtdError> {
        let inside = self.faces.neighbors[tet][face].is_some();
        let existing = &mut self.conditions[tet][face];
        if inside && !existing.is_interior() {
            let message = format!(
                "the {what} shares faces with a surface that has a boundary condition, or with another port, {}",
                self.position(tet, face)
            );
            let advice =
                "a port or lumped element has a surface of its own: cut it out of the conductor or sheet";
            return Err(FieldError::new(path, message, advice).into());
        }
        *existing = condition;
        Ok(())
    }

    /// Where a face is, for messages.
    fn position(&self, tet: usize, face: usize) -> String {
        let corners = self.mesh.face_corners(tet, face);
        let [x, y, z] = std::array::from_fn(|axis| corners.iter().map(|p| p[axis]).sum::<f64>() / 3.0);
        format!("one of them at ({x:.4}, {y:.4}, {z:.4}) m")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use phasefront_mesh::{BoxMesh, BoxSheet};

    #[test]
    fn a_strip_on_an_open_wall_is_a_conductor_whatever_the_names() {
        let sheet = BoxSheet { name: "strip".into(), from: [0.0, 1.0, 0.0], to: [0.5, 1.0, 1.0] };
        let mesh = BoxMesh {
            to: [1.0; 3],
            cell: [0.5; 3],
            name: "air".into(),
            sheets: vec![sheet],
            ..BoxMesh::default()
        };
        for wall in [Boundary::Pmc, Boundary::Absorbing] {
            let (strip, wall) = (("strip", Boundary::Pec), ("ymax", wall));
            for boundaries in [[strip, wall], [wall, strip]] {
                let boundaries = boundaries.map(|(name, boundary)| (name.to_owned(), boundary)).to_vec();
                let problem = Problem { mesh: mesh.mesh().unwrap(), boundaries, ..Problem::default() };
                let conditions = Domain::new(&problem).unwrap().conditions;
                // Four squares of the strip and as many of the wall beside it, of two triangles each.
                let count = |of: fn(BoundaryCondition) -> bool| {
                    conditions.iter().flatten().filter(|c| of(**c)).count()
                };
                assert_eq!(
                    [count(BoundaryCondition::is_conductor), count(|c| !c.is_interior())],
                    [4, 8],
                    "{problem:?}"
                );
            }
        }
    }
}
