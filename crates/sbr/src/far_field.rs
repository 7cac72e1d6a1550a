//! The far field radiated by ray tubes.
//!
//! The geometrical-optics field on the last facet is an aperture distribution, with n the facet normal on the side of the ray:
//!
//! ```text
//! E_θ = (jk/4π) ∫ e^{jk s·r'} [(−φ̂ × E) + Z₀(θ̂ × H)]·n dS
//! E_φ = (jk/4π) ∫ e^{jk s·r'} [( θ̂ × E) + Z₀(φ̂ × H)]·n dS,    Z₀H = k̂ × E
//! ```
//!
//! (H. Ling, R.-C. Chou, S.-W. Lee, IEEE Trans. Antennas Propag. 37, 194, 1989). In bistatic directions the incident field on the
//! first facet contributes the same integral: the shadow radiation. With one bounce off a conductor, both together are the
//! physical-optics current 2n × H.

use crate::exit_aperture::ExitAperture;
use crate::field::Field;
use crate::material::Material;
use crate::problem::{Aspect, Formulation};
use crate::radiation_integral::Wavenumbers;
use crate::scattering::Amplitudes;
use crate::scene::Scene;
use glam::DVec3;
use num_complex::Complex64;
use phasefront_core::constants::wavenumber;
use std::f64::consts::PI;

/// A traced ray tube.
pub(crate) struct RayTube<'a> {
    /// The facets that it hit, in order.
    pub path: &'a [u32],
    /// On the last facet.
    pub exit: ExitAperture<'a>,
    /// On the first facet, for the shadow radiation.
    pub shadow: ExitAperture<'a>,
}

/// The receivers of one incident wave.
pub(crate) struct FarField<'a> {
    scene: &'a Scene,
    /// Direction of incidence; θ̂ and φ̂ of the transmitter.
    pub k: DVec3,
    pub incident: [DVec3; 2],
    receivers: Vec<Receiver>,
    frequencies: Vec<f64>,
    waves: Wavenumbers,
    weights: [f64; 2],
}

struct Receiver {
    s: DVec3,
    theta: DVec3,
    phi: DVec3,
    shadow: bool,
}

impl<'a> FarField<'a> {
    /// For aspects with the same incident direction.
    pub fn new(scene: &'a Scene, aspects: &[Aspect], frequencies: &[f64], formulation: Formulation) -> Self {
        let [r, v, h] = aspects[0].incident.frame();
        let receiver = |aspect: &Aspect| {
            let [s, theta, phi] = aspect.observer.frame();
            Receiver { s, theta, phi, shadow: !aspect.is_monostatic() }
        };
        Self {
            scene,
            k: -r,
            incident: [v, h],
            receivers: aspects.iter().map(receiver).collect(),
            frequencies: frequencies.to_vec(),
            waves: Wavenumbers::new(frequencies.iter().map(|&f| wavenumber(f)).collect()),
            weights: formulation.weights(),
        }
    }

    /// Number of sums that a tube contributes to.
    pub fn sums(&self) -> usize {
        self.receivers.len() * self.frequencies.len()
    }

    /// Adds a tube to the sums, ordered by receiver, then by frequency.
    pub fn add(&self, tube: &RayTube<'_>, sums: &mut [Amplitudes]) {
        let RayTube { path, exit, shadow } = tube;
        // At grazing incidence the footprint degenerates and the tube is dropped.
        if !exit.area.is_finite() {
            return;
        }
        // Reflection at conductors does not depend on frequency: the ray differential carries the field already.
        let conducts = self.scene.conducts || path.iter().all(|&f| *self.material(f) == Material::Conductor);
        let fields: Vec<[Field; 2]> = if conducts {
            Vec::new()
        } else {
            self.frequencies.iter().map(|&f| self.fields(path, f)).collect()
        };
        // Of conductors: both polarizations at the exit, independent of frequency.
        let mirrored = exit.mirrored(path.len()).map(Field::real);
        // Receivers outside, frequencies inside: the phasors of a receiver advance by constant
        // factors over a sweep.
        for (receiver, sums) in self.receivers.iter().zip(sums.chunks_mut(self.frequencies.len())) {
            // The projection does not depend on frequency
            // either: one complex product per sum remains.
            let receive = receiver.weights(exit.area, exit.direction(), self.weights);
            exit.integrals(receiver.s, &self.waves, |w, integral| {
                let fields = if conducts { mirrored } else { fields[w] };
                add(&mut sums[w], self.amplitude(w, integral), project(receive, fields));
            });
            if receiver.shadow {
                // The incident field radiates with both currents,
                // whatever the formulation of the exit aperture.
                let receive = receiver.weights(shadow.area, self.k, [1.0, 1.0]);
                let projected = project(receive, self.incident.map(Field::real));
                shadow.integrals(receiver.s, &self.waves, |w, integral| {
                    add(&mut sums[w], self.amplitude(w, integral), projected);
                });
            }
        }
    }

    /// Power after the reflections of a path relative to that before, of unpolarized waves, at the frequency where it is largest.
    pub fn power(&self, path: &[u32]) -> f64 {
        if self.scene.conducts {
            return 1.0;
        }
        let at = |&frequency: &f64| {
            self.fields(path, frequency).map(Field::norm_squared).iter().sum::<f64>() / 2.0
        };
        self.frequencies.iter().map(at).fold(0.0, f64::max)
    }

    /// (jk/4π) times the radiation integral.
    fn amplitude(&self, w: usize, integral: Complex64) -> Complex64 {
        integral * Complex64::new(0.0, self.waves.k[w] / (4.0 * PI))
    }

    fn material(&self, facet: u32) -> &Material {
        &self.scene.materials[self.scene.facets[facet as usize].material as usize]
    }

    /// Both incident polarizations after all reflections of a path.
    fn fields(&self, path: &[u32], frequency: f64) -> [Field; 2] {
        self.incident.map(|field| self.reflected(Field::real(field), path, frequency))
    }

    fn reflected(&self, field: Field, path: &[u32], frequency: f64) -> Field {
        let mut k_in = self.k;
        path.iter().fold(field, |field, &facet| {
            let normal = self.scene.facets[facet as usize].normal;
            // The normal against the incident wave: facets reflect on both sides.
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

impl Receiver {
    /// Vectors whose dot product with an outgoing field along `direction` gives S_θ and S_φ:
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

fn add(sum: &mut Amplitudes, amplitude: Complex64, projected: Amplitudes) {
    for (sum, projected) in sum.iter_mut().zip(projected) {
        *sum += amplitude * projected;
    }
}
