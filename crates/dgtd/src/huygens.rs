//! Huygens surfaces: closed surfaces in the mesh, for TF/SF injection and the near-to-far-field transformation.

use crate::domain::{Domain, mesh_error_at};
use crate::error::DgtdError;
use crate::material::{Material, is_pml};
use phasefront_core::FieldError;

/// A closed surface in a homogeneous medium.
#[derive(Debug, Clone)]
pub struct Huygens {
    /// Whether each tetrahedron is inside.
    pub inside: Vec<bool>,
    /// Its faces as seen from outside: tetrahedron and face.
    pub outer: Vec<(usize, usize)>,
    /// The medium around it.
    pub medium: Material,
}

impl Huygens {
    /// The surface group `name`; errors are reported at `path`.
    pub fn new(domain: &Domain, name: &str, path: &str) -> Result<Self, DgtdError> {
        let group = domain.mesh.surface(name).map_err(mesh_error_at(path))?;
        let on_surface: Vec<(usize, usize)> = domain.faces.faces_in(group).collect();
        let mut marked = vec![[false; 4]; domain.mesh.tets.len()];
        for &(tet, face) in &on_surface {
            marked[tet][face] = true;
        }
        let refuse =
            |message: String, advice: &str| -> DgtdError { FieldError::new(path, message, advice).into() };
        let open = || {
            refuse(
                format!("the surface {name:?} is not closed: its inside is connected to its outside"),
                "give a surface that encloses the bodies, inside of the PML or absorbing boundary",
            )
        };
        // Flood fill from the absorbing boundary: what it does not reach is inside.
        let reached = outside(domain, &marked);
        let inside: Vec<bool> = reached.iter().map(|r| !r).collect();
        let mut outer = Vec::new();
        for &(tet, face) in &on_surface {
            // A wall closes the surface: images lie behind it.
            let wall = domain.conditions[tet][face].mirrors().is_some();
            let Some(neighbor) = domain.faces.neighbors[tet][face] else {
                if wall {
                    continue;
                }
                return Err(open());
            };
            // Both sides are reached, or neither is: the surface has a hole or a loose part.
            if inside[tet] == inside[neighbor.tet as usize] {
                return Err(open());
            }
            if !domain.conditions[tet][face].is_interior() {
                return Err(refuse(
                    format!("the surface {name:?} touches a conductor, a sheet or a port"),
                    "leave at least two elements between bodies and the surface",
                ));
            }
            // Far fields take the fields of the outer elements: at a TF/SF surface, the scattered
            // ones.
            if !inside[tet] {
                outer.push((tet, face));
            }
        }
        let Some(&(first, _)) = outer.first() else { return Err(open()) };
        // The incident wave and the Green's function of the far field are those of this one medium.
        let medium = domain.material(first).clone();
        for &(tet, _) in &on_surface {
            let volume = &domain.mesh.volume_names[usize::from(domain.mesh.volume_of[tet])];
            if *domain.material(tet) != medium || is_pml(volume) {
                return Err(refuse(
                    format!("the surface {name:?} touches {volume:?}"),
                    "it must lie in one homogeneous medium, away from bodies and PMLs: move it",
                ));
            }
        }
        if medium.sigma != 0.0 || !medium.poles.is_empty() {
            return Err(refuse(
                format!("the surface {name:?} lies in a lossy medium"),
                "place it in a lossless medium, for example air",
            ));
        }
        if !medium.is_isotropic() {
            return Err(refuse(
                format!("the surface {name:?} lies in an anisotropic medium"),
                "its waves have one speed and one impedance: place it in an isotropic medium, for example air",
            ));
        }
        Ok(Self { inside, outer, medium })
    }
}

/// The tetrahedra that can be reached from absorbing regions, or from the boundary where nothing absorbs, without crossing the surface.
fn outside(domain: &Domain, marked: &[[bool; 4]]) -> Vec<bool> {
    let absorbing = |tet: usize| {
        let ends = domain.conditions[tet].iter().any(|condition| condition.is_absorbing());
        // The guide behind a port absorbs, too, but it is on the port's side of the surface.
        !domain.in_guide(tet) && (domain.in_pml(tet) || ends)
    };
    let mut stack: Vec<usize> = (0..domain.mesh.tets.len()).filter(|&tet| absorbing(tet)).collect();
    if stack.is_empty() {
        stack = domain.faces.boundary().map(|(tet, _)| tet).collect();
    }
    let mut reached = vec![false; domain.mesh.tets.len()];
    for &tet in &stack {
        reached[tet] = true;
    }
    while let Some(tet) = stack.pop() {
        for (neighbor, marked) in domain.faces.neighbors[tet].iter().zip(marked[tet]) {
            if let Some(neighbor) = neighbor.filter(|_| !marked) {
                let next = neighbor.tet as usize;
                if !std::mem::replace(&mut reached[next], true) {
                    stack.push(next);
                }
            }
        }
    }
    reached
}
