//! Tables that kernels read, as plain numbers.

use crate::batch::Incidence;
use crate::material::{Material, Medium};
use crate::problem::Aspect;
use crate::scene::Scene;

/// Seventeen numbers: direction, axes, fields and the position of the first ray.
pub(super) fn wave(incidence: &Incidence<'_>) -> [f64; 17] {
    let sheaf = &incidence.aperture.sheaf;
    let [_, theta, phi] = incidence.aspects[0].incident.frame();
    let corner = incidence.aperture.position([0.0; 2]);
    let mut numbers = [0.0; 17];
    for (entry, vector) in numbers.chunks_mut(3).zip([sheaf.k, sheaf.u, sheaf.v, theta, phi]) {
        entry.copy_from_slice(&vector.to_array());
    }
    numbers[15..].copy_from_slice(&corner);
    numbers
}

/// Ten numbers per receiver; incident waves with fewer receivers repeat their last one.
pub(super) fn receivers(incidences: &[Incidence<'_>], receivers: usize) -> Vec<f64> {
    let of = |incidence: &Incidence<'_>| {
        let aspect = |r: usize| incidence.aspects[r.min(incidence.aspects.len() - 1)];
        let numbers = |aspect: Aspect| {
            let shadow = f64::from(u8::from(!aspect.is_monostatic()));
            aspect.observer.frame().into_iter().flat_map(|p| p.to_array()).chain([shadow])
        };
        (0..receivers).map(aspect).flat_map(numbers).collect::<Vec<f64>>()
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

/// Kind, number of layers, and the layers of each material at each frequency.
pub(super) fn materials(scene: &Scene, frequencies: &[f64], layers: Option<usize>) -> Vec<f64> {
    let Some(most) = layers else { return vec![0.0] };
    let size = 2 + 5 * most.max(1);
    let at = |material: &Material, frequency: f64| {
        let mut numbers = Vec::with_capacity(size);
        let layer = |medium: &Medium, thickness: f64| {
            let constants = medium.at(frequency);
            [constants.eps_r.re, constants.eps_r.im, constants.mu_r.re, constants.mu_r.im, thickness]
        };
        match material {
            Material::Conductor => numbers.extend([0.0, 0.0]),
            Material::HalfSpace(medium) => {
                numbers.extend([1.0, 1.0]);
                numbers.extend(layer(medium, 0.0));
            }
            Material::Coated(layers) => {
                numbers.extend([2.0, layers.len() as f64]);
                numbers.extend(layers.iter().flat_map(|l| layer(&l.medium, l.thickness)));
            }
        }
        numbers.resize(size, 0.0);
        numbers
    };
    scene.materials.iter().flat_map(|m| frequencies.iter().flat_map(move |&f| at(m, f))).collect()
}
