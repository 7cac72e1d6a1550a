//! The far field radiated by ray tubes.
//!
//! The geometrical-optics field on a facet is an aperture distribution, with n the facet normal on the side of the reflected ray:
//!
//! ```text
//! E_θ = (jk/4π) ∫ e^{jk s·r'} [(−φ̂ × E) + Z₀(θ̂ × H)]·n dS
//! E_φ = (jk/4π) ∫ e^{jk s·r'} [( θ̂ × E) + Z₀(φ̂ × H)]·n dS,    Z₀H = k̂ × E
//! ```
//!
//! (H. Ling, R.-C. Chou, S.-W. Lee, IEEE Trans. Antennas Propag. 37, 194, 1989). With b the wave that the receiver would send, this is
//! the reaction ∫ (E_b × H − E × H_b)·n dS (V. H. Rumsey, Phys. Rev. 94, 1483, 1954), and n·(E_b × H − E × H_b) has no divergence where both are plane waves:
//! on an endless surface it may be taken anywhere along the tube. A tube has an end, and both ends must be treated alike: the wave
//! after n bounces is taken by one half on the last facet, as it leaves, and by one half on the first, where it meets the wave of the
//! receiver followed back through all others. The wave that a facet blocks radiates from that facet with the opposite sign: its
//! shadow. With one bounce off a conductor, both together are the physical-optics current 2n × H.

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
    /// Where it radiates.
    pub radiators: &'a [Radiator<'a>],
}

/// A piece of surface that radiates.
pub(crate) struct Radiator<'a> {
    pub aperture: ExitAperture<'a>,
    /// Number of facets of the path that have reflected the wave.
    pub bounces: usize,
    /// Weight of the reflected wave.
    pub weight: f64,
    /// Whether the wave before the last of these reflections radiates too: the shadow of that facet.
    pub shadow: bool,
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
        for radiator in tube.radiators {
            // At grazing incidence the footprint degenerates and is dropped.
            if radiator.aperture.area.is_finite() {
                self.radiate(&tube.path[..radiator.bounces], radiator, sums);
            }
        }
    }

    fn radiate(&self, path: &[u32], radiator: &Radiator<'_>, sums: &mut [Amplitudes]) {
        let Radiator { aperture, bounces, weight, shadow } = radiator;
        // Reflection at conductors does not depend on frequency: the ray differential carries the field already.
        let conducts = self.scene.conducts || path.iter().all(|&f| *self.material(f) == Material::Conductor);
        let fields: Vec<[[Field; 2]; 2]> = if conducts {
            Vec::new()
        } else {
            self.frequencies.iter().map(|&f| [path, &path[..bounces - 1]].map(|path| self.fields(path, f))).collect()
        };
        // Of conductors: both polarizations after and before the last reflection, independent of frequency.
        let mirrored = [aperture.mirrored(*bounces), aperture.mirrored_before(*bounces)].map(|e| e.map(Field::real));
        let weights = self.weights.map(|of_field| weight * of_field);
        // Receivers outside, frequencies inside: the phasors of a receiver advance by constant
        // factors over a sweep.
        for (receiver, sums) in self.receivers.iter().zip(sums.chunks_mut(self.frequencies.len())) {
            // Toward the transmitter the incident wave radiates nothing: k + s = 0.
            let shadow = *shadow && (*bounces > 1 || receiver.shadow);
            if *weight == 0.0 && !shadow {
                continue;
            }
            // The projections do not depend on frequency
            // either: one complex product per sum remains.
            let after = receiver.weights(aperture.area, aperture.direction(), weights);
            // The wave that is blocked radiates with both currents, whatever the formulation.
            let both = if shadow { [1.0; 2] } else { [0.0; 2] };
            let before = receiver.weights(aperture.area, aperture.direction_before(), both);
            let projected = |fields: [[Field; 2]; 2]| {
                let [a, b] = [project(after, fields[0]), project(before, fields[1])];
                [0, 1, 2, 3].map(|i| a[i] + b[i])
            };
            let of_conductors = projected(mirrored);
            aperture.integrals(receiver.s, &self.waves, |w, integral| {
                let projected = if conducts { of_conductors } else { projected(fields[w]) };
                add(&mut sums[w], self.amplitude(w, integral), projected);
            });
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
