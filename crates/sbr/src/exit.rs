//! What a ray tube sends to the receivers.
//!
//! The field that leaves the last facet is taken for an aperture on it, with n the facet's normal on the side of the ray:
//!
//! ```text
//! E_θ = (jk/4π) ∫ e^{jk s·r'} [(−φ̂ × E) + Z₀(θ̂ × H)]·n dS
//! E_φ = (jk/4π) ∫ e^{jk s·r'} [( θ̂ × E) + Z₀(φ̂ × H)]·n dS,    Z₀H = k̂ × E
//! ```
//!
//! (H. Ling, R.-C. Chou, S.-W. Lee, IEEE Trans. Antennas Propag. 37, 194, 1989). In directions other than the transmitter's,
//! the incident field on the first facet adds the same integral: it is the shadow, and makes one bounce off a
//! conductor the current 2n × H of physical optics.

use crate::cpu::{Hit, Scene};
use crate::field::Field;
use crate::front::Front;
use crate::material::Material;
use crate::problem::{Formulation, Look};
use glam::DVec3;
use num_complex::Complex64;
use phasefront_core::constants::wavenumber;
use std::f64::consts::PI;

/// Complex amplitudes E_s r e^{jkr}/E_i in metres: vv, vh, hv, hh, the receiver's first.
pub(crate) type Amplitudes = [Complex64; 4];

/// A tube that stays together to its end.
pub(crate) struct Tube<'a> {
    /// The bounces of the ray that stands for it.
    pub hits: &'a [Hit],
    /// On the last facet.
    pub exit: &'a Front,
    /// On the first facet.
    pub shadow: &'a Front,
}

/// One incident wave and its receivers.
pub(crate) struct Exit<'a> {
    scene: &'a Scene,
    /// θ̂ and φ̂ of the transmitter.
    incident: [DVec3; 2],
    receivers: Vec<Receiver>,
    waves: Vec<(f64, f64)>,
    weights: [f64; 2],
}

struct Receiver {
    s: DVec3,
    theta: DVec3,
    phi: DVec3,
    shadow: bool,
}

impl<'a> Exit<'a> {
    /// For `looks` with the same incidence.
    pub fn new(scene: &'a Scene, looks: &[Look], frequencies: &[f64], formulation: Formulation) -> Self {
        let [_, v, h] = looks[0].incident.frame();
        let receiver = |look: &Look| {
            let [s, theta, phi] = look.observer.frame();
            Receiver { s, theta, phi, shadow: !look.is_monostatic() }
        };
        Self {
            scene,
            incident: [v, h],
            receivers: looks.iter().map(receiver).collect(),
            waves: frequencies.iter().map(|&f| (f, wavenumber(f))).collect(),
            weights: match formulation {
                Formulation::Eh => [1.0, 1.0],
                Formulation::E => [2.0, 0.0],
                Formulation::H => [0.0, 2.0],
            },
        }
    }

    /// Number of sums that a tube adds to.
    pub fn sums(&self) -> usize {
        self.receivers.len() * self.waves.len()
    }

    /// Adds a tube to the sums, those of a receiver together.
    pub fn add(&self, tube: &Tube<'_>, sums: &mut [Amplitudes]) {
        let (Some(first), Some(last)) = (tube.hits.first(), tube.hits.last()) else { return };
        // Rays along a facet have no footprint.
        if !(tube.exit.cross_section > 0.0 && tube.shadow.cross_section > 0.0) {
            return;
        }
        let arriving = self.incident.map(Field::real);
        let conducting = tube.hits.iter().all(|hit| *self.material(hit) == Material::Conductor);
        let mut leaving = arriving.map(|field| self.reflected(field, tube.hits, 0.0));
        // A tube keeps its power: |E| falls with the square root of its cross section.
        let spreading = (tube.shadow.cross_section / tube.exit.cross_section).sqrt();
        let weights = self.weights.map(|weight| weight * spreading);
        for (w, &(frequency, k)) in self.waves.iter().enumerate() {
            if !conducting {
                leaving = arriving.map(|field| self.reflected(field, tube.hits, frequency));
            }
            for (r, receiver) in self.receivers.iter().enumerate() {
                let sum = &mut sums[r * self.waves.len() + w];
                radiate(tube.exit, last.k_out, receiver, k, weights, leaving, sum);
                if receiver.shadow {
                    radiate(tube.shadow, first.k_in, receiver, k, [1.0, 1.0], arriving, sum);
                }
            }
        }
    }

    fn material(&self, hit: &Hit) -> &Material {
        &self.scene.materials[self.scene.facets[hit.facet as usize].material as usize]
    }

    fn reflected(&self, field: Field, hits: &[Hit], frequency: f64) -> Field {
        hits.iter().fold(field, |field, hit| match self.material(hit) {
            Material::Conductor => field.mirrored(hit.normal),
            material => {
                let gamma = material.reflection(frequency, -hit.k_in.dot(hit.normal));
                field.reflected(hit.k_in, hit.k_out, hit.normal, gamma)
            }
        })
    }
}

/// Adds what a front that leaves along `direction` sends to a receiver.
fn radiate(
    front: &Front,
    direction: DVec3,
    to: &Receiver,
    k: f64,
    weights: [f64; 2],
    fields: [Field; 2],
    sum: &mut Amplitudes,
) {
    let amount = front.integral(to.s, k) * Complex64::new(0.0, k / (4.0 * PI));
    // (a × E)·n = E·(n × a) and (a × (k̂ × E))·n = E·((n × a) × k̂).
    let (n_theta, n_phi) = (front.normal.cross(to.theta), front.normal.cross(to.phi));
    let receive = [
        -weights[0] * n_phi + weights[1] * n_theta.cross(direction),
        weights[0] * n_theta + weights[1] * n_phi.cross(direction),
    ];
    for (i, amplitude) in sum.iter_mut().enumerate() {
        *amplitude += amount * fields[i % 2].along(receive[i / 2]);
    }
}
