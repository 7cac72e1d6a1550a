//! Tables that kernels read, as plain numbers.

use super::kernels::material_stride;
use crate::batch::Incidence;
use crate::layout::{
    KIND_COATED, KIND_CONDUCTOR, KIND_HALF_SPACE, LAYER_EPS, LAYER_MU, LAYER_STRIDE, LAYER_THICKNESS,
    MATERIAL_COUNT, MATERIAL_KIND, MATERIAL_LAYERS, RECEIVER_PHI, RECEIVER_S, RECEIVER_SHADOW,
    RECEIVER_STRIDE, RECEIVER_THETA, WAVE_CORNER, WAVE_K, WAVE_PHI, WAVE_STRIDE, WAVE_THETA, WAVE_U, WAVE_V,
};
use crate::material::{Constants, Material, Medium};
use crate::problem::Aspect;
use crate::scene::Scene;
use glam::DVec3;

/// Copies vectors to their offsets in a table entry.
fn put(entry: &mut [f64], vectors: &[(usize, DVec3)]) {
    for (offset, vector) in vectors {
        entry[*offset..offset + 3].copy_from_slice(&vector.to_array());
    }
}

/// The table entry of an incident wave.
pub(super) fn wave(incidence: &Incidence<'_>) -> [f64; WAVE_STRIDE] {
    let sheaf = &incidence.aperture.sheaf;
    let [_, theta, phi] = incidence.aspects[0].incident.frame();
    let mut entry = [0.0; WAVE_STRIDE];
    let axes = [(WAVE_K, sheaf.k), (WAVE_U, sheaf.u), (WAVE_V, sheaf.v)];
    put(&mut entry, &axes);
    put(&mut entry, &[(WAVE_THETA, theta), (WAVE_PHI, phi)]);
    entry[WAVE_CORNER..].copy_from_slice(&incidence.aperture.position([0.0; 2]));
    entry
}

/// The receivers of all incident waves; waves with fewer receivers repeat their last one.
pub(super) fn receivers(incidences: &[Incidence<'_>], receivers: usize) -> Vec<f64> {
    let entry = |aspect: &Aspect| {
        let [s, theta, phi] = aspect.observer.frame();
        let mut entry = [0.0; RECEIVER_STRIDE];
        put(&mut entry, &[(RECEIVER_S, s), (RECEIVER_THETA, theta), (RECEIVER_PHI, phi)]);
        entry[RECEIVER_SHADOW] = f64::from(u8::from(!aspect.is_monostatic()));
        entry
    };
    // The kernels have one fixed number of receivers; repeated ones are computed but not read back.
    let of = |incidence: &Incidence<'_>| {
        let aspect = |r: usize| &incidence.aspects[r.min(incidence.aspects.len() - 1)];
        (0..receivers).map(aspect).flat_map(entry).collect::<Vec<f64>>()
    };
    incidences.iter().flat_map(of).collect()
}

/// Number of layers in a material's table.
pub(super) fn layers_of(material: &Material) -> usize {
    match material {
        Material::Conductor => 0,
        Material::HalfSpace(_) => 1,
        Material::Coated(layers) => layers.len(),
    }
}

/// The table entries of all materials at all frequencies, with room for `layers` layers each; one number if all conduct.
pub(super) fn materials(scene: &Scene, frequencies: &[f64], layers: Option<usize>) -> Vec<f64> {
    let Some(layers) = layers else { return vec![0.0] };
    let entry = |material: &Material, frequency: f64| {
        let mut entry = vec![0.0; material_stride(layers)];
        entry[MATERIAL_KIND] = match material {
            Material::Conductor => KIND_CONDUCTOR,
            Material::HalfSpace(_) => KIND_HALF_SPACE,
            Material::Coated(_) => KIND_COATED,
        };
        entry[MATERIAL_COUNT] = layers_of(material) as f64;
        // Entries beyond the layers of this material stay zero and are not read.
        let table = entry[MATERIAL_LAYERS..].chunks_mut(LAYER_STRIDE);
        for (layer, (medium, thickness)) in table.zip(media(material)) {
            let Constants { eps_r, mu_r } = medium.at(frequency);
            layer[LAYER_EPS..LAYER_EPS + 2].copy_from_slice(&[eps_r.re, eps_r.im]);
            layer[LAYER_MU..LAYER_MU + 2].copy_from_slice(&[mu_r.re, mu_r.im]);
            layer[LAYER_THICKNESS] = thickness;
        }
        entry
    };
    // [material][frequency][entry], as `reflected` of far_field.h indexes it.
    scene.materials.iter().flat_map(|m| frequencies.iter().flat_map(move |&f| entry(m, f))).collect()
}

/// Media of a material and their thicknesses; a half-space has none.
fn media(material: &Material) -> Vec<(&Medium, f64)> {
    match material {
        Material::Conductor => Vec::new(),
        Material::HalfSpace(medium) => vec![(medium, 0.0)],
        Material::Coated(layers) => layers.iter().map(|layer| (&layer.medium, layer.thickness)).collect(),
    }
}
