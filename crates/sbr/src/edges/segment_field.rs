//! The far field of a segment of an edge: equivalent edge currents.
//!
//! A segment of length L with the equivalent edge currents I (electric) and M (magnetic) radiates
//!
//! ```text
//! E = (jk/4π) L e^{jk(s−k_i)·r} sinc(k(s−k_i)·t L/2) [Z₀ I s×(s×t) + M s×t]
//! Z₀I = (2j/k) {−E_t A/sin²β' − Z₀H_t [(μ cot β' − cot β cos f) C + cot β' Z]/sin β'}
//! M   = (2j/k) Z₀H_t sin f C/(sin β sin β')
//! ```
//!
//! summed over both faces, each in its own frame: x into the face, y its normal, t = x × y, cos β' = k_i·t, cos β = s·t, f the
//! angle from x to s about t (A. Michaeli, IEEE Trans. Antennas Propag. 34, 912, 1986; A, C, Z and μ as in `fringe_integrals.rs`).

use super::fringe_integrals::{FaceAngles, FringeIntegrals};
use super::illumination::{ALONG_EDGE, CLEARANCE, Illumination};
use super::wedge::Segment;
use crate::problem::Aspect;
use crate::scattering::Amplitudes;
use crate::scene::Scene;
use glam::DVec3;
use num_complex::Complex64;
use std::f64::consts::{PI, TAU};

/// Sine of the angle between a wave and a sheet below which the incidence is edge-on.
const EDGE_ON: f64 = 1e-9;

/// The field that an illuminated segment radiates toward a receiver.
pub(super) struct SegmentField<'a> {
    illumination: &'a Illumination<'a>,
    /// s − k_i.
    q: DVec3,
    /// With infinite faces, times −2π/L.
    infinite: [f64; 4],
    truncations: [Option<Truncation>; 2],
}

/// The part of the fringe current beyond the end of a face, which is subtracted.
struct Truncation {
    angles: FaceAngles,
    weights: FringeIntegrals<[f64; 4]>,
    /// p/k = 2l sin²β'.
    p: f64,
    /// Derivative of the phase of the truncated part along the edge, over k: the delay of the path over the far end.
    slope: f64,
}

impl<'a> SegmentField<'a> {
    /// `None` if the segment is not visible from the receiver.
    pub fn new(scene: &Scene, illumination: &'a Illumination<'a>, aspect: &Aspect) -> Option<Self> {
        let segment = illumination.segment;
        let [s, ..] = aspect.observer.frame();
        let sin = s.cross(segment.faces[0].t).length();
        let angle = segment.angle(s)?;
        // Monostatic: the receiver sees what the transmitter
        // sees, and `Illumination` has tested that.
        let is_visible =
            aspect.is_monostatic() || segment.is_visible(scene, s, angle, CLEARANCE * scene.radius);
        if sin < ALONG_EDGE || !is_visible {
            return None;
        }
        let q = s + illumination.toward;
        let mut field = Self { illumination, q, infinite: [0.0; 4], truncations: [const { None }; 2] };
        for (i, face) in segment.faces.iter().enumerate() {
            let sigma = face.x * illumination.sin + segment.faces[0].t * illumination.cos;
            // f' is measured from each face: the second has the complement within Nπ.
            let incident = if i == 0 { illumination.angle } else { segment.n * PI - illumination.angle };
            let angles =
                FaceAngles::new(segment.n, incident, (s - sigma).length() / (2.0 * illumination.sin));
            // Infinite faces do not depend on frequency: their
            // sum is formed once, the tails per wavenumber.
            let weights = illumination.weights(i, aspect, angles.mu());
            let infinite = angles.infinite_face();
            for (p, sum) in field.infinite.iter_mut().enumerate() {
                *sum += weights.along[p] * infinite.along
                    + weights.across[p] * infinite.across
                    + weights.end[p] * infinite.end;
            }
            field.truncations[i] = illumination.extents[i].map(|extent| Truncation {
                angles,
                weights,
                p: 2.0 * illumination.sin * illumination.sin * extent.length,
                // |s − σ|²/2 = 1 − s·σ: the path over the
                // face is longer by this part of the extent.
                slope: -0.5 * (s - sigma).length_squared() * extent.slope,
            });
        }
        Some(field)
    }

    /// Adds the field at each wavenumber to its sum.
    pub fn add(&self, waves: &[f64], sums: &mut [Amplitudes]) {
        let Segment { center, length, .. } = *self.illumination.segment;
        let along = self.q.dot(self.illumination.segment.faces[0].t);
        for (&k, sum) in waves.iter().zip(sums) {
            // (jk/4π)(2j/k) = −1/2π.
            // Midpoint phase; the sinc below is the average of the linear phase along the segment.
            let amplitude = Complex64::from_polar(-length / TAU, k * self.q.dot(center));
            let infinite = amplitude * sinc(0.5 * k * along * length);
            for (p, sum) in sum.iter_mut().enumerate() {
                *sum += infinite * self.infinite[p];
            }
            for Truncation { angles, weights, p, slope } in self.truncations.iter().flatten() {
                let tail = angles.tail(k * p);
                let amplitude = amplitude * sinc(0.5 * k * (along + slope) * length);
                for (p, sum) in sum.iter_mut().enumerate() {
                    *sum -= amplitude
                        * (tail.along * weights.along[p]
                            + tail.across * weights.across[p]
                            + tail.end * weights.end[p]);
                }
            }
        }
    }
}

impl Illumination<'_> {
    /// Weights of A, C and Z of a face in vv, vh, hv and hh, in units of 2j/k.
    ///
    /// θ̂·(s×(s×t)) = −θ̂·t and θ̂·(s×t) = −φ̂·t; φ̂·(s×(s×t)) = −φ̂·t and φ̂·(s×t) = θ̂·t; and the transmitter's θ̂ has
    /// Z₀H = k_i × θ̂ = −φ̂, its φ̂ has θ̂.
    fn weights(&self, face: usize, aspect: &Aspect, mu: f64) -> FringeIntegrals<[f64; 4]> {
        let face = &self.segment.faces[face];
        let [_, v, h] = aspect.incident.frame();
        let [s, theta, phi] = aspect.observer.frame();
        let (electric, magnetic) = ([v, h].map(|e| e.dot(face.t)), [-h, v].map(|h| h.dot(face.t)));
        // A wave edge-on to a sheet illuminates neither side: the mean of both limits, which are opposite, is zero.
        let edge_on = self.segment.is_rim && self.toward.dot(face.y).abs() < EDGE_ON;
        let magnetic = if edge_on { [0.0; 2] } else { magnetic };
        let (sin, cot) = (self.sin, -self.toward.dot(face.t) / self.sin);
        // cot β cos f and sin f/sin β, with s·x = sin β cos f and s·y = sin β sin f.
        let sin_squared = s.cross(face.t).length_squared();
        let (cot_cos, sin_over) = (s.dot(face.t) * s.dot(face.x) / sin_squared, s.dot(face.y) / sin_squared);
        let along = [theta, phi].map(|u| -u.dot(face.t));
        let across = [-phi, theta].map(|u| u.dot(face.t));
        let each = |weight: &dyn Fn(usize, usize) -> f64| std::array::from_fn(|p| weight(p / 2, p % 2));
        FringeIntegrals {
            along: each(&|r, i| -along[r] * electric[i] / (sin * sin)),
            across: each(&|r, i| {
                (across[r] * sin_over - along[r] * (mu * cot - cot_cos)) * magnetic[i] / sin
            }),
            end: each(&|r, i| -along[r] * cot * magnetic[i] / sin),
        }
    }
}

fn sinc(x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { x.sin() / x }
}
