//! The field of a segment.
//!
//! A piece of edge of length L sends
//!
//! ```text
//! E = (jk/4π) L e^{jk(s−k_i)·r} sinc(k(s−k_i)·t L/2) [Z₀ I s×(s×t) + M s×t]
//! Z₀I = (2j/k) {−E_t A/sin²β' − Z₀H_t [(μ cot β' − cot β cos f) C + cot β' Z]/sin β'}
//! M   = (2j/k) Z₀H_t sin f C/(sin β sin β')
//! ```
//!
//! summed over both faces, each in its own frame: x into the face, y its normal, t = x × y, cos β' = k_i·t, cos β = s·t, f the
//! angle from x to s about t (A. Michaeli, IEEE Trans. Antennas Propag. 34, 912, 1986; `moments.rs` has A, C, Z and μ).

use super::moments::{FaceAngles, Moments};
use super::wedge::Segment;
use super::{CLEARANCE, END_ON, Lit};
use crate::exit::Amplitudes;
use crate::problem::Look;
use crate::scene::Scene;
use glam::DVec3;
use num_complex::Complex64;
use std::f64::consts::{PI, TAU};

/// Sines of angles to a sheet below which a wave runs along it.
const EDGE_ON: f64 = 1e-9;

/// What a wave on a segment sends to a receiver.
pub(super) struct View<'a> {
    lit: &'a Lit<'a>,
    /// s − k_i.
    q: DVec3,
    /// Of faces without end, times −2π/L.
    whole: [f64; 4],
    tails: [Option<Tail>; 2],
}

/// What is to be left out of a face.
struct Tail {
    angles: FaceAngles,
    weights: Moments<[f64; 4]>,
    /// p/k = 2l sin²β'.
    p: f64,
    /// The tail's phase turns along the edge by k times this, its delay by way of the far end.
    turn: f64,
}

impl<'a> View<'a> {
    /// Nothing if the receiver does not see the segment.
    pub fn new(scene: &Scene, lit: &'a Lit<'a>, look: &Look) -> Option<Self> {
        let segment = lit.segment;
        let [s, ..] = look.observer.frame();
        let sin = s.cross(segment.faces[0].t).length();
        let angle = segment.angle(s)?;
        let is_seen = look.is_monostatic() || segment.sees(scene, s, angle, CLEARANCE * scene.radius);
        if sin < END_ON || !is_seen {
            return None;
        }
        let mut view = Self { lit, q: s + lit.towards, whole: [0.0; 4], tails: [const { None }; 2] };
        for (i, face) in segment.faces.iter().enumerate() {
            let sigma = face.x * lit.sin + segment.faces[0].t * lit.cos;
            let incident = if i == 0 { lit.angle } else { segment.n * PI - lit.angle };
            let angles = FaceAngles::new(segment.n, incident, (s - sigma).length() / (2.0 * lit.sin));
            let weights = lit.weights(i, look, angles.mu());
            let whole = angles.whole();
            for (p, sum) in view.whole.iter_mut().enumerate() {
                *sum += weights.along[p] * whole.along
                    + weights.across[p] * whole.across
                    + weights.end[p] * whole.end;
            }
            view.tails[i] = lit.reaches[i].map(|reach| Tail {
                angles,
                weights,
                p: 2.0 * lit.sin * lit.sin * reach.length,
                turn: -0.5 * (s - sigma).length_squared() * reach.slope,
            });
        }
        Some(view)
    }

    /// Adds each frequency's field to its sum.
    pub fn add(&self, waves: &[f64], sums: &mut [Amplitudes]) {
        let Segment { middle, length, .. } = *self.lit.segment;
        let across = self.q.dot(self.lit.segment.faces[0].t);
        for (&k, sum) in waves.iter().zip(sums) {
            // (jk/4π)(2j/k) = −1/2π.
            let amount = Complex64::from_polar(-length / TAU, k * self.q.dot(middle));
            let whole = amount * sinc(0.5 * k * across * length);
            for (p, sum) in sum.iter_mut().enumerate() {
                *sum += whole * self.whole[p];
            }
            for Tail { angles, weights, p, turn } in self.tails.iter().flatten() {
                let tail = angles.tail(k * p);
                let amount = amount * sinc(0.5 * k * (across + turn) * length);
                for (p, sum) in sum.iter_mut().enumerate() {
                    *sum -= amount
                        * (tail.along * weights.along[p]
                            + tail.across * weights.across[p]
                            + tail.end * weights.end[p]);
                }
            }
        }
    }
}

impl Lit<'_> {
    /// What A, C and Z of a face add to vv, vh, hv and hh, in units of 2j/k.
    ///
    /// θ̂·(s×(s×t)) = −θ̂·t and θ̂·(s×t) = −φ̂·t; φ̂·(s×(s×t)) = −φ̂·t and φ̂·(s×t) = θ̂·t; and the transmitter's θ̂ has
    /// Z₀H = k_i × θ̂ = −φ̂, its φ̂ has θ̂.
    fn weights(&self, face: usize, look: &Look, mu: f64) -> Moments<[f64; 4]> {
        let face = &self.segment.faces[face];
        let [_, v, h] = look.incident.frame();
        let [s, theta, phi] = look.observer.frame();
        let (electric, magnetic) = ([v, h].map(|e| e.dot(face.t)), [-h, v].map(|h| h.dot(face.t)));
        // Along a sheet, a wave is on neither of its sides: the means of what both would give, which are each other's negatives.
        let edge_on = self.segment.is_rim && self.towards.dot(face.y).abs() < EDGE_ON;
        let magnetic = if edge_on { [0.0; 2] } else { magnetic };
        let (sin, cot) = (self.sin, -self.towards.dot(face.t) / self.sin);
        // cot β cos f and sin f/sin β, with s·x = sin β cos f and s·y = sin β sin f.
        let sin_squared = s.cross(face.t).length_squared();
        let (cot_cos, sin_over) = (s.dot(face.t) * s.dot(face.x) / sin_squared, s.dot(face.y) / sin_squared);
        let along = [theta, phi].map(|u| -u.dot(face.t));
        let across = [-phi, theta].map(|u| u.dot(face.t));
        let each = |weight: &dyn Fn(usize, usize) -> f64| std::array::from_fn(|p| weight(p / 2, p % 2));
        Moments {
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
