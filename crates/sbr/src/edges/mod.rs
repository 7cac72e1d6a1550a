//! What edges add to the rays: fringe fields.
//!
//! Rays leave out that the current of physical optics is not the true one near an edge. The difference, the fringe current, is
//! known for a wedge between two half planes. Edges are found and cut into segments (`wedge.rs`), each of which must see the
//! transmitter and the receiver; the current's integrals over both faces (`moments.rs`, with `transition.rs`), less those beyond
//! the end of a face (`reach.rs`), give the field of a segment (`view.rs`).

mod moments;
mod reach;
mod transition;
mod view;
mod wedge;

use crate::exit::Amplitudes;
use crate::problem::{Edges, Look, Problem};
use crate::scene::Scene;
use glam::DVec3;
use num_complex::Complex64;
use phasefront_core::constants::wavenumber;
use rayon::prelude::*;
use reach::{Faces, Reach};
use view::View;
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
