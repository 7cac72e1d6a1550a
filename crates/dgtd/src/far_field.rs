//! Near-to-far-field transformation: the far field from the fields on a closed surface.

use crate::curved::FacePoint;
use crate::images::with_images;
use crate::monitors::MonitoredFace;
use crate::radiation::{Current, RadiationIntegral};
use crate::solve::Solution;
use crate::study::Study;
use glam::DVec3;
use num_complex::Complex64;
use phasefront_core::constants::{C0, ETA0};
use rayon::prelude::*;
use std::f64::consts::{PI, TAU};

/// r E e^{jkr} in the far field in direction (θ, φ), in V per Hz of a spectrum, or in V for an incident wave of 1 V/m.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FarField {
    /// Along θ̂.
    pub theta: Complex64,
    /// Along φ̂.
    pub phi: Complex64,
}

impl FarField {
    /// |E_θ|² + |E_φ|².
    pub fn intensity(&self) -> f64 {
        self.theta.norm_sqr() + self.phi.norm_sqr()
    }
}

/// Far fields, and the power through the surface.
#[derive(Debug, Clone, PartialEq)]
pub struct Radiation {
    /// In the requested directions.
    pub fields: Vec<FarField>,
    /// Radiated power, W: ½ Re ∮ E × H*·n dS.
    pub power: f64,
    /// Impedance of the medium, Ω.
    pub impedance: f64,
}

impl Radiation {
    /// Directivity, 4π times the radiation intensity over the power, for each direction.
    pub fn directivity(&self) -> Vec<f64> {
        let of = |field: &FarField| 4.0 * PI * field.intensity() / (2.0 * self.impedance * self.power);
        self.fields.iter().map(of).collect()
    }
}

/// Smallest ratio of extinction to the forward amplitude for [`TotalSections::share`] to be meaningful: a tenth, so that an error of
/// 1 % of the forward amplitude is one of 10 % of the share.
const MIN_LOSS: f64 = 0.1;

/// Extinction and scattering of a plane wave, m².
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TotalSections {
    /// Extinction cross section: power removed from the wave.
    pub extinction: f64,
    /// Scattering cross section: power scattered.
    pub scattering: f64,
    /// Extinction if all of the forward amplitude were in phase with the loss: 4π/k |ê·F|.
    pub forward: f64,
}

impl TotalSections {
    /// Scattered share (albedo). None if extinction is a small remainder of the forward amplitude,
    /// as for small lossless bodies: there it is no larger than the error of that amplitude's
    /// phase.
    pub fn share(&self) -> Option<f64> {
        (self.extinction.abs() > MIN_LOSS * self.forward).then(|| self.scattering / self.extinction)
    }
}

impl Study {
    /// The far field at frequency index `frequency` in directions (θ, φ), radians: per V/m of a plane wave, else as the spectrum is.
    pub fn far_field(&self, solution: &Solution, frequency: usize, directions: &[[f64; 2]]) -> Radiation {
        let f = self.problem.monitors.frequencies[frequency];
        let medium = self.far_medium();
        let k = TAU * f / (C0 * medium.speed());
        let (currents, powers): (Vec<Current>, Vec<f64>) =
            self.currents_on(&self.monitors.far, solution, frequency).into_iter().unzip();
        let mirrors = &self.monitors.mirrors;
        let currents = with_images(currents, mirrors);
        // Each symmetry plane has as much power behind it as in front of it.
        let halves = mirrors.iter().filter(|mirror| mirror.symmetry).count() as i32;
        // ½ Re ∮ E × H*·n dS; H is stored as η₀H.
        let power = 2.0_f64.powi(halves) * powers.iter().sum::<f64>() / (2.0 * ETA0);
        let impedance = medium.impedance();
        let frames: Vec<[DVec3; 3]> = directions.iter().map(|direction| frame(*direction)).collect();
        let unit_vectors: Vec<DVec3> = frames.iter().map(|[r, ..]| *r).collect();
        // N and L of all directions at once: the currents are read once per batch of directions.
        let sums = RadiationIntegral::new(&currents).evaluate(k, &unit_vectors);
        let field = |(sums, [r, theta, phi]): ([Complex64; 6], &[DVec3; 3])| {
            if mirrors.iter().any(|mirror| mirror.hides(*r)) {
                return FarField::default();
            }
            let (n, l) = sums.split_at(3);
            // E_θ = −jk/4πr (L_φ + ηN_θ), E_φ = jk/4πr (L_θ − ηN_φ) (Balanis, Antenna Theory, 12-10).
            let scale = Complex64::new(0.0, k / (4.0 * PI));
            FarField {
                theta: -scale * (along(l, *phi) + impedance * along(n, *theta)),
                phi: scale * (along(l, *theta) - impedance * along(n, *phi)),
            }
        };
        let fields = sums.into_iter().zip(&frames).map(field).collect();
        Radiation { fields, power, impedance: impedance * ETA0 }
    }

    /// Bistatic cross sections at frequency index `frequency` in directions (θ, φ), m²: θ̂ and φ̂ components.
    pub fn cross_sections(
        &self,
        solution: &Solution,
        frequency: usize,
        directions: &[[f64; 2]],
    ) -> Vec<[f64; 2]> {
        let radiation = self.far_field(solution, frequency, directions);
        radiation.fields.iter().map(|e| [e.theta, e.phi].map(|e| 4.0 * PI * e.norm_sqr())).collect()
    }

    /// Amplitudes of the far field at each frequency in directions (θ, φ), radians: of a plane wave's those of the scattered field per
    /// 1 V/m, else the square roots of the directivity.
    pub fn far_amplitudes(&self, solution: &Solution, directions: &[[f64; 2]]) -> Vec<Vec<f64>> {
        let at = |f: usize| -> Vec<f64> {
            if self.problem.sources.plane_wave.is_some() {
                let sections = self.cross_sections(solution, f, directions);
                return sections.iter().map(|section| (section[0] + section[1]).sqrt()).collect();
            }
            self.far_field(solution, f, directions).directivity().into_iter().map(f64::sqrt).collect()
        };
        (0..self.problem.monitors.frequencies.len()).map(at).collect()
    }

    /// Extinction and scattering cross sections at frequency index `frequency`, m²; they differ by absorption. None without a plane
    /// wave.
    ///
    /// Extinction by the optical theorem, −4π/k Im ê·F with the forward far field F for 1 V/m (Jackson, Classical Electrodynamics,
    /// section 10.11, with e^{+jωt}); scattering is the power through the surface over the power density of the wave, 1/2η.
    pub fn total_cross_sections(&self, solution: &Solution, frequency: usize) -> Option<TotalSections> {
        let wave = self.problem.sources.plane_wave.as_ref()?;
        let [x, y, z] = wave.propagation;
        // The forward direction; the clamp guards the arc cosine against rounding.
        let (theta, phi) = (z.clamp(-1.0, 1.0).acos(), y.atan2(x));
        let radiation = self.far_field(solution, frequency, &[[theta, phi]]);
        // Co-polarized part of the forward far field.
        let [_, along_theta, along_phi] = frame([theta, phi]).map(|axis| axis.dot(wave.polarization.into()));
        let forward = along_theta * radiation.fields[0].theta + along_phi * radiation.fields[0].phi;
        let k = TAU * self.problem.monitors.frequencies[frequency] / (C0 * self.far_medium().speed());
        Some(TotalSections {
            extinction: -4.0 * PI / k * forward.im,
            scattering: 2.0 * radiation.impedance * radiation.power,
            forward: 4.0 * PI / k * forward.norm(),
        })
    }

    /// Equivalent currents with their power flow, point by point.
    fn currents_on(
        &self,
        faces: &[MonitoredFace],
        solution: &Solution,
        frequency: usize,
    ) -> Vec<(Current, f64)> {
        let plan = self.observed();
        let scale = self.normalization(frequency);
        let spectrum = solution.spectrum(self, frequency);
        faces
            .par_iter()
            .flat_map_iter(|face| {
                let values = &spectrum[face.first as usize * 6..][..plan.element.face_len() * 6];
                let slot = plan.slot_of[face.tet as usize] as usize;
                plan.face_points(slot, usize::from(face.face)).into_iter().map(move |point| {
                    let mut fields = [Complex64::default(); 6];
                    // Fields at the quadrature point, interpolated from the nodes of the face.
                    for (w, node) in point.interpolation.iter().zip(values.chunks_exact(6)) {
                        for (field, value) in fields.iter_mut().zip(node) {
                            *field += *w * value;
                        }
                    }
                    current(&point, &fields.map(|field| scale * field))
                })
            })
            .collect()
    }
}

/// r̂, θ̂ and φ̂.
fn frame([theta, phi]: [f64; 2]) -> [DVec3; 3] {
    let ((sin_t, cos_t), (sin_p, cos_p)) = (theta.sin_cos(), phi.sin_cos());
    [
        DVec3::new(sin_t * cos_p, sin_t * sin_p, cos_t),
        DVec3::new(cos_t * cos_p, cos_t * sin_p, -sin_t),
        DVec3::new(-sin_p, cos_p, 0.0),
    ]
}

fn along(vector: &[Complex64], axis: DVec3) -> Complex64 {
    vector[0] * axis.x + vector[1] * axis.y + vector[2] * axis.z
}

fn cross(n: DVec3, v: &[Complex64]) -> [Complex64; 3] {
    [n.y * v[2] - n.z * v[1], n.z * v[0] - n.x * v[2], n.x * v[1] - n.y * v[0]]
}

/// The currents at a point, and Re (E × ηH*)·n dS. The element lies outside of the surface: its normal points inward.
fn current(point: &FacePoint<'_>, fields: &[Complex64; 6]) -> (Current, f64) {
    // n dS out of the surface.
    let area = -point.weight * point.normal;
    let electric = cross(area, &fields[3..]);
    let [mx, my, mz] = cross(area, &fields[..3]).map(|m| -m);
    // (E × H*)·n = −E·(n × H*).
    let power = -(0..3).map(|i| (fields[i] * electric[i].conj()).re).sum::<f64>();
    let [jx, jy, jz] = electric;
    ((point.position, [jx, jy, jz, mx, my, mz]), power)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small sphere of ε = 4 and radius a = 1/k · `size` has the polarizability α = 2πa³ and no
    /// losses: scattering and extinction are k⁴α²/6π; the forward field is k²α/4π (Bohren and
    /// Huffman, Absorption and Scattering of Light by Small Particles, 1983, 5.2).
    #[test]
    fn of_a_small_body_the_share_is_lost_in_the_phase() {
        let sphere = |size: f64| {
            let alpha = TAU * size.powi(3);
            let scattering = alpha.powi(2) / (6.0 * PI);
            TotalSections { extinction: scattering, scattering, forward: alpha.hypot(scattering) }
        };
        assert_eq!(sphere(0.2).share(), None);
        assert_eq!(sphere(1.0).share(), Some(1.0));
        // With losses extinction is significant, however small the sphere.
        let TotalSections { scattering, forward, .. } = sphere(0.2);
        let lossy = TotalSections { extinction: 0.5 * forward, scattering, forward };
        assert_eq!(lossy.share(), Some(scattering / (0.5 * forward)));
    }
}
