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

use crate::field::Field;
use crate::footprint::Waves;
use crate::front::{Face, Front};
use crate::material::Material;
use crate::problem::{Formulation, Look};
use crate::scene::Scene;
use glam::DVec3;
use num_complex::Complex64;
use phasefront_core::constants::wavenumber;
use std::f64::consts::PI;

/// Complex amplitudes E_s r e^{jkr}/E_i in metres: vv, vh, hv, hh, the receiver's first.
pub(crate) type Amplitudes = [Complex64; 4];

/// A tube that stays together to its end.
pub(crate) struct Tube<'a> {
    /// The facets that its rays met: one list for all, or one for each of some rays that stand for it.
    pub ways: &'a [&'a [u32]],
    /// On the last facet.
    pub exit: &'a Front<'a>,
    /// On the first facet.
    pub shadow: &'a Front<'a>,
}

/// One incident wave and its receivers.
pub(crate) struct Exit<'a> {
    scene: &'a Scene,
    /// Direction of the wave, θ̂ and φ̂ of the transmitter.
    pub k: DVec3,
    pub incident: [DVec3; 2],
    receivers: Vec<Receiver>,
    frequencies: Vec<f64>,
    waves: Waves,
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
        let [towards, v, h] = looks[0].incident.frame();
        let receiver = |look: &Look| {
            let [s, theta, phi] = look.observer.frame();
            Receiver { s, theta, phi, shadow: !look.is_monostatic() }
        };
        Self {
            scene,
            k: -towards,
            incident: [v, h],
            receivers: looks.iter().map(receiver).collect(),
            frequencies: frequencies.to_vec(),
            waves: Waves::new(frequencies.iter().map(|&f| wavenumber(f)).collect()),
            weights: formulation.weights(),
        }
    }

    /// Number of sums that a tube adds to.
    pub fn sums(&self) -> usize {
        self.receivers.len() * self.frequencies.len()
    }

    /// Whether some receiver sees the shadow.
    pub fn has_shadow(&self) -> bool {
        self.receivers.iter().any(|receiver| receiver.shadow)
    }

    /// Adds a tube to the sums, those of a receiver together.
    pub fn add(&self, tube: &Tube<'_>, sums: &mut [Amplitudes]) {
        // Rays along a facet have no footprint.
        if !tube.exit.faces().iter().all(|face| face.area.is_finite()) {
            return;
        }
        let weights = self.weights.map(|weight| weight * tube.exit.spreading);
        let conducting = self.scene.conducts || tube.ways.iter().all(|way| self.conducts(way));
        let spectrum = (!conducting).then(|| self.spectrum(tube.ways));
        let hits = tube.ways.first().map_or(0, |way| way.len());
        let mirrored = |face: &Face| face.mirrored(hits).map(Field::real);
        let waves = self.frequencies.len();
        for (receiver, sums) in self.receivers.iter().zip(sums.chunks_mut(waves)) {
            if let Some(fields) = &spectrum {
                tube.exit.integrals(receiver.s, &self.waves, |w, integral| {
                    let seen = receiver.sees(tube.exit.faces(), weights, |i, _| fields[w][i]);
                    add(&mut sums[w], self.amount(w, integral), seen);
                });
            } else {
                let seen = receiver.sees(tube.exit.faces(), weights, |_, face| mirrored(face));
                tube.exit.integrals(receiver.s, &self.waves, |w, integral| {
                    add(&mut sums[w], self.amount(w, integral), seen);
                });
            }
            if receiver.shadow {
                let faces = tube.shadow.faces().iter().map(|face| Face { direction: self.k, ..*face });
                let faces: Vec<Face> = faces.collect();
                let seen = receiver.sees(&faces, [1.0, 1.0], |_, _| self.incident.map(Field::real));
                tube.shadow.integrals(receiver.s, &self.waves, |w, integral| {
                    add(&mut sums[w], self.amount(w, integral), seen);
                });
            }
        }
    }

    /// jk/4π times the integral.
    fn amount(&self, w: usize, integral: Complex64) -> Complex64 {
        integral * Complex64::new(0.0, self.waves.k[w] / (4.0 * PI))
    }

    fn conducts(&self, way: &[u32]) -> bool {
        way.iter().all(|&facet| *self.material(facet) == Material::Conductor)
    }

    fn material(&self, facet: u32) -> &Material {
        &self.scene.materials[self.scene.facets[facet as usize].material as usize]
    }

    /// What is left of both incident fields at each frequency, after each way.
    fn spectrum(&self, ways: &[&[u32]]) -> Vec<Vec<[Field; 2]>> {
        let after = |way: &&[u32], frequency: f64| {
            self.incident.map(|field| self.reflected(Field::real(field), way, frequency))
        };
        self.frequencies.iter().map(|&f| ways.iter().map(|way| after(way, f)).collect()).collect()
    }

    fn reflected(&self, field: Field, way: &[u32], frequency: f64) -> Field {
        let mut k_in = self.k;
        way.iter().fold(field, |field, &facet| {
            let normal = self.scene.facets[facet as usize].normal;
            let n = if k_in.dot(normal) < 0.0 { normal } else { -normal };
            let k_out = k_in - 2.0 * k_in.dot(n) * n;
            let reflected = match self.material(facet) {
                Material::Conductor => field.mirrored(n),
                material => field.reflected(k_in, k_out, n, material.reflection(frequency, -k_in.dot(n))),
            };
            k_in = k_out;
            reflected
        })
    }
}

impl Face {
    /// The fields of both incident waves after so many mirrors: h = −k × v, and each turns it about (see [`Field::mirrored`]).
    fn mirrored(&self, hits: usize) -> [DVec3; 2] {
        let sign = if hits.is_multiple_of(2) { -1.0 } else { 1.0 };
        [self.v, self.direction.cross(self.v) * sign]
    }
}

impl Receiver {
    /// The mean over faces of what their fields send per area of the aperture.
    fn sees(
        &self,
        faces: &[Face],
        weights: [f64; 2],
        fields: impl Fn(usize, &Face) -> [Field; 2],
    ) -> Amplitudes {
        let mut sum = [Complex64::ZERO; 4];
        for (i, face) in faces.iter().enumerate() {
            let receive = self.weights(face.area, face.direction, weights);
            add(&mut sum, Complex64::ONE, project(receive, fields(i, face)));
        }
        sum.map(|amplitude| amplitude / faces.len() as f64)
    }

    /// What a field that leaves along `direction` is multiplied with for S_θ and S_φ:
    /// (a × E)·n = E·(n × a) and (a × (k̂ × E))·n = E·((n × a) × k̂).
    fn weights(&self, area: DVec3, direction: DVec3, weights: [f64; 2]) -> [DVec3; 2] {
        let (n_theta, n_phi) = (area.cross(self.theta), area.cross(self.phi));
        [
            -weights[0] * n_phi + weights[1] * n_theta.cross(direction),
            weights[0] * n_theta + weights[1] * n_phi.cross(direction),
        ]
    }
}

fn project(receive: [DVec3; 2], fields: [Field; 2]) -> Amplitudes {
    [0, 1, 2, 3].map(|i| fields[i % 2].along(receive[i / 2]))
}

fn add(sum: &mut Amplitudes, amount: Complex64, seen: Amplitudes) {
    for (sum, seen) in sum.iter_mut().zip(seen) {
        *sum += amount * seen;
    }
}
