//! Where layers that absorb would reflect.

use crate::domain::{Domain, Skin};
use crate::error::DgtdError;
use crate::material::Material;
use crate::pml::is_layer;
use phasefront_core::FieldError;

/// How far, in parts of it, a constant of a layer may be off that of what it continues.
const SAME: f64 = 1e-6;

/// Refuses layers with losses of their own, with an outside that is no box, and with another material than what they continue.
pub fn check(domain: &Domain) -> Result<(), DgtdError> {
    losses(domain)?;
    outside(domain)?;
    for tet in (0..domain.mesh.tets.len()).filter(|&tet| domain.absorbs(tet)) {
        for face in 0..4 {
            continues(domain, tet, face)?;
        }
    }
    Ok(())
}

fn losses(domain: &Domain) -> Result<(), DgtdError> {
    for (name, material) in domain.mesh.volume_names.iter().zip(&domain.materials) {
        if is_layer(name) && (material.sigma != 0.0 || !material.poles.is_empty()) {
            return Err(FieldError::new(
                format!("geometry.materials.{name}"),
                format!("the layer {name:?} absorbs, and its material has losses of its own"),
                "end the lossy part before the layers, or give them eps and mu alone",
            )
            .into());
        }
    }
    Ok(())
}

/// The damping goes by the distance from the planes of a box: behind a sphere it would end half way. Conductors may reach into layers.
fn outside(domain: &Domain) -> Result<(), DgtdError> {
    let Some(layers) = domain.layers else { return Ok(()) };
    let bulges = |&(tet, face): &(usize, usize)| {
        domain.absorbs(tet)
            && domain.skins[tet][face] == Skin::Absorbing
            && !layers.may_end(&domain.mesh.face_corners(tet, face))
    };
    let Some((tet, _)) = domain.faces.boundary().find(bulges) else { return Ok(()) };
    let [x, y, z] = domain.middle(tet);
    Err(FieldError::new(
        "geometry.mesh",
        format!(
            "the outside of the layer {:?} is not that of a box, at ({x:.4}, {y:.4}, {z:.4}) m",
            domain.volume_name(tet)
        ),
        "end absorbing layers in planes along x, y and z; for other shapes use an absorbing boundary",
    )
    .into())
}

/// A wave that meets another material where the layer begins is reflected there, whatever the layer does.
fn continues(domain: &Domain, tet: usize, face: usize) -> Result<(), DgtdError> {
    let Some(neighbor) = domain.faces.neighbors[tet][face].map(|n| n.tet as usize) else { return Ok(()) };
    let (layer, inside) = (domain.material(tet), domain.material(neighbor));
    let near = |a: f64, b: f64| (a - b).abs() <= SAME * b;
    // What a material with terms is at the frequencies of the pulse is not known here.
    let fits = near(layer.eps, inside.eps) && near(layer.mu, inside.mu) || !inside.poles.is_empty();
    if fits || domain.absorbs(neighbor) || domain.skins[tet][face] == Skin::Pec {
        return Ok(());
    }
    let [x, y, z] = domain.middle(tet);
    let (name, other) = (domain.volume_name(tet), domain.volume_name(neighbor));
    let words = |material: &Material| format!("eps = {} and mu = {}", material.eps, material.mu);
    Err(FieldError::new(
        "geometry.materials",
        format!(
            "the layer {name:?} has {}, and {other:?}, which it continues at ({x:.4}, {y:.4}, {z:.4}) m, has {}",
            words(layer),
            words(inside)
        ),
        format!(
            "a layer has the material of what it continues: make this part of it a volume of its own, such as pml_{other}, and add it to \
             the materials"
        ),
    )
    .into())
}
