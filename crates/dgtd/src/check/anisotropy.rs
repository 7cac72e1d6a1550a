//! What anisotropic materials must not touch: boundaries, ports and PMLs that know one impedance or one speed only.

use crate::domain::Domain;
use crate::error::DgtdError;
use crate::material::Material;
use crate::problem::{PortShape, Problem};
use phasefront_core::FieldError;

/// Refuses absorbing boundaries and coaxial ports at anisotropic materials, and PMLs in biaxial ones.
pub fn check(problem: &Problem, domain: &Domain) -> Result<(), DgtdError> {
    if domain.materials.iter().all(Material::is_isotropic) {
        return Ok(());
    }
    for tet in (0..domain.mesh.tets.len()).filter(|&tet| !domain.material(tet).is_isotropic()) {
        let [x, y, z] = domain.middle(tet);
        let name = domain.volume_name(tet);
        if domain.in_pml(tet) && !domain.material(tet).is_uniaxial() {
            return Err(FieldError::new(
                format!("geometry.materials.{name}"),
                format!("the PML {name:?} has a material with three different principal values"),
                "a PML absorbs in materials with one axis, such as eps_r = [3.2, 3.2, 2.9]: end the material before the PML",
            )
            .into());
        }
        for condition in domain.conditions[tet] {
            if condition.is_absorbing() && !domain.in_pml(tet) {
                return Err(FieldError::new(
                    "geometry.boundaries",
                    format!("the anisotropic material {name:?} touches an absorbing boundary, at ({x:.4}, {y:.4}, {z:.4}) m"),
                    "an absorbing boundary has the impedance of one wave and reflects the others: put a PML with the same material in front of it",
                )
                .into());
            }
            let coaxial = |i: &usize| matches!(problem.sources.ports[*i].shape, PortShape::Coaxial { .. });
            if let Some(i) = condition.port().filter(coaxial) {
                return Err(FieldError::new(
                    format!("{}.surface", problem.sources.port_path(i)),
                    format!("the coaxial port touches the anisotropic material {name:?}"),
                    "fill the line at its port with an isotropic material",
                )
                .into());
            }
        }
    }
    Ok(())
}
