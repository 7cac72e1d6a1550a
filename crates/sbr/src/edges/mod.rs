//! What edges add to the rays: fringe fields.
//!
//! Rays leave out that the current of physical optics is not the true one near an edge. The difference, the fringe current, is
//! known for a wedge between two half planes; a piece of edge of length L that it flows away from sends
//!
//! ```text
//! E = (jk/4π) L e^{jk(s−k_i)·r} sinc(k(s−k_i)·t L/2) [Z₀ I s×(s×t) + M s×t]
//! Z₀I = (2j/k) {−E_t A/sin²β' − Z₀H_t [(μ cot β' − cot β cos f) C + cot β' Z]/sin β'}
//! M   = (2j/k) Z₀H_t sin f C/(sin β sin β')
//! ```
//!
//! with the sum over both faces, each in its own frame: x into the face, y its normal, t = x × y, cos β' = k_i·t, cos β = s·t,
//! f the angle from x to s about t (A. Michaeli, IEEE Trans. Antennas Propag. 34, 912, 1986; `moments.rs` has A, C, Z and μ).
//!
//! `wedge.rs` finds the edges and cuts them into segments, each of which must see the transmitter and the receiver; `reach.rs`
//! finds where a face ends, and with it the tail of the current to be left out.

mod moments;
mod reach;
mod transition;
mod wedge;

use crate::exit::Amplitudes;
use crate::problem::{Edges, Look, Problem};
use crate::scene::Scene;
use glam::DVec3;
use moments::{FaceAngles, Moments};
use num_complex::Complex64;
use phasefront_core::constants::wavenumber;
use rayon::prelude::*;
use reach::{Faces, Reach};
use std::f64::consts::{PI, TAU};
use wedge::Segment;

/// Length of a segment in wavelengths of the highest frequency: shadows on edges are as sharp as this.
const SEGMENT: f64 = 1.0;
/// The same where faces end: over a segment their reach is taken for linear, but it has bends where it goes to another side.
/// On a plate of two wavelengths the field is off by a few percent of itself with this, and by a fifth with four times as much.
const TRUNCATED_SEGMENT: f64 = 0.25;
/// How far from its edge, in radii of the target, a ray of sight begins: a hundred times what single precision shifts it by.
const CLEARANCE: f64 = 1e-5;
/// sin β' or sin β below which an edge is along the line of sight. What it sends there is bounded, but depends on the side from
/// which the line is approached: it is left out.
const END_ON: f64 = 1e-6;
/// Sines of angles to a sheet below which a wave runs along it.
const EDGE_ON: f64 = 1e-9;
/// Parts that the sum is made in, whatever the number of threads, so that its rounding is always the same.
const PARTS: usize = 64;

/// The edges of a target.
pub(crate) struct Fringes {
    segments: Vec<Segment>,
    /// Where faces end, if they do.
    faces: Option<Faces>,
}

/// A wave on a segment.
struct Lit<'a> {
    segment: &'a Segment,
    towards: DVec3,
    /// f' of the first face.
    angle: f64,
    sin: f64,
    cos: f64,
    /// Both faces' ends, seen along σ.
    reaches: [Option<Reach>; 2],
}

/// What a wave on a segment sends to a receiver.
struct View<'a> {
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

impl Fringes {
    /// Finds the edges, none unless they are asked for.
    pub fn new(problem: &Problem, scene: &Scene, wavelength: f64) -> Self {
        let mesh = &problem.mesh;
        let segments = match problem.edges {
            Edges::None => Vec::new(),
            Edges::Ptd => wedge::segments(mesh, scene, SEGMENT * wavelength),
            Edges::Truncated => wedge::segments(mesh, scene, TRUNCATED_SEGMENT * wavelength),
        };
        Self { segments, faces: (problem.edges == Edges::Truncated).then(|| Faces::new(mesh, scene)) }
    }

    /// Adds all edges to the sums of `looks`, which have the same incidence; the frequencies of each are together.
    pub fn add(&self, scene: &Scene, looks: &[Look], frequencies: &[f64], sums: &mut [Amplitudes]) {
        let waves: Vec<f64> = frequencies.iter().map(|&f| wavenumber(f)).collect();
        let parts: Vec<Vec<Amplitudes>> = self
            .segments
            .par_chunks(self.segments.len().div_ceil(PARTS).max(1))
            .map(|segments| {
                let mut part = vec![[Complex64::ZERO; 4]; sums.len()];
                for lit in segments.iter().filter_map(|segment| self.lit(scene, segment, &looks[0])) {
                    for (look, sums) in looks.iter().zip(part.chunks_mut(waves.len())) {
                        if let Some(view) = View::new(scene, &lit, look) {
                            view.add(&waves, sums);
                        }
                    }
                }
                part
            })
            .collect();
        for part in &parts {
            for (sum, more) in sums.iter_mut().zip(part) {
                *sum = std::array::from_fn(|i| sum[i] + more[i]);
            }
        }
    }

    fn lit<'a>(&self, scene: &Scene, segment: &'a Segment, look: &Look) -> Option<Lit<'a>> {
        let [towards, ..] = look.incident.frame();
        let angle = segment.angle(towards)?;
        let cos = -towards.dot(segment.faces[0].t);
        let sin = towards.cross(segment.faces[0].t).length();
        if sin < END_ON || !segment.sees(scene, towards, angle, CLEARANCE * scene.radius) {
            return None;
        }
        let along = segment.faces[0].t;
        let reaches = segment.faces.map(|face| {
            let sigma = face.x * sin + along * cos;
            self.faces.as_ref()?.reach(face.half, segment.middle, sigma, along)
        });
        Some(Lit { segment, towards, angle, sin, cos, reaches })
    }
}

impl<'a> View<'a> {
    fn new(scene: &Scene, lit: &'a Lit<'a>, look: &Look) -> Option<Self> {
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
    fn add(&self, waves: &[f64], sums: &mut [Amplitudes]) {
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
