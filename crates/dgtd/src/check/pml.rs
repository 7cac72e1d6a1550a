//! PMLs that would reflect.

use crate::domain::Domain;
use crate::error::DgtdError;
use crate::material::{Material, is_pml};
use crate::pml::Pml;
use phasefront_core::FieldError;
use rayon::prelude::*;

/// Relative tolerance of the material parameters of a PML and its neighbor.
const SAME: f64 = 1e-6;

/// Refuses PMLs of lossy materials, with an outside that is not a box, or with another material than their neighbor's.
pub fn check(domain: &Domain) -> Result<(), DgtdError> {
    losses(domain)?;
    outside(domain)?;
    // Every face of the PML: it may adjoin several media.
    let wrong = (0..domain.mesh.tets.len())
        .into_par_iter()
        .filter(|&tet| domain.in_pml(tet))
        .find_map_first(|tet| (0..4).find_map(|face| continues(domain, tet, face).err()));
    wrong.map_or(Ok(()), Err)
}

fn losses(domain: &Domain) -> Result<(), DgtdError> {
    for (name, material) in domain.mesh.volume_names.iter().zip(&domain.materials) {
        if is_pml(name) && (material.sigma != 0.0 || !material.poles.is_empty()) {
            return Err(FieldError::new(
                format!("geometry.materials.{name}"),
                format!("the PML {name:?} has a lossy or dispersive material"),
                "end the lossy part before the PML, or give the PML eps_r and mu_r only",
            )
            .into());
        }
    }
    Ok(())
}

/// σ is graded by the distance from the planes of a box: behind a sphere it would end halfway. Conductors may extend into PMLs.
fn outside(domain: &Domain) -> Result<(), DgtdError> {
    let bulges = |&(tet, face): &(usize, usize)| {
        let ends = |pml: &Pml| pml.is_end_plane(&domain.mesh.face_corners(tet, face));
        domain.conditions[tet][face].is_absorbing() && domain.pml(tet).is_some_and(|pml| !ends(pml))
    };
    let Some((tet, _)) = domain.faces.boundary().find(bulges) else { return Ok(()) };
    let [x, y, z] = domain.middle(tet);
    Err(FieldError::new(
        "geometry.mesh",
        format!(
            "the outside of the PML {:?} is not a box, at ({x:.4}, {y:.4}, {z:.4}) m",
            domain.volume_name(tet)
        ),
        "a PML must end in planes normal to x, y and z; for other shapes use an absorbing boundary",
    )
    .into())
}

/// A discontinuity of the material at the PML interface reflects, whatever the PML does.
fn continues(domain: &Domain, tet: usize, face: usize) -> Result<(), DgtdError> {
    let Some(neighbor) = domain.faces.neighbors[tet][face].map(|n| n.tet as usize) else { return Ok(()) };
    let (own, inside) = (domain.material(tet), domain.material(neighbor));
    let near = |a: f64, b: f64| (a - b).abs() <= SAME * b;
    // The permittivity of a dispersive material at the frequencies of the pulse is not known here.
    let same = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).all(|(a, b)| near(*a, b));
    // With poles the ratios along the axes are known, and must be the same.
    let fits = same(own.mu_axes(), inside.mu_axes())
        && if inside.poles.is_empty() {
            same(own.eps_axes(), inside.eps_axes())
        } else {
            same(own.anisotropy.eps, inside.anisotropy.eps)
        };
    if fits || domain.in_pml(neighbor) || domain.conditions[tet][face].is_conductor() {
        return Ok(());
    }
    let [x, y, z] = domain.middle(tet);
    let (name, other) = (domain.volume_name(tet), domain.volume_name(neighbor));
    let words = |material: &Material| {
        // Products of factors are rounded to what was given.
        let rounded = |axes: [f64; 3]| axes.map(|value| (1e9 * value).round() / 1e9);
        let text =
            |axes: [f64; 3]| if axes == [axes[0]; 3] { axes[0].to_string() } else { format!("{axes:?}") };
        let value = |axes: [f64; 3]| text(rounded(axes));
        format!("eps_r = {} and mu_r = {}", value(material.eps_axes()), value(material.mu_axes()))
    };
    Err(FieldError::new(
        "geometry.materials",
        format!(
            "the PML {name:?} has {}, but {other:?}, which it adjoins at ({x:.4}, {y:.4}, {z:.4}) m, has {}",
            words(own),
            words(inside)
        ),
        format!(
            "a PML must have the material of the volume that it adjoins: make this part of it a separate volume, such as pml_{other}, and add it to \
             the materials"
        ),
    )
    .into())
}
