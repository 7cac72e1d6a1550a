//! The fringe fields of all edges of a target.

use super::face_extent::SmoothFaces;
use super::illumination::Illumination;
use super::segment_field::SegmentField;
use super::wedge::{self, Segment};
use crate::problem::{Aspect, Edges, Problem};
use crate::scattering::Amplitudes;
use crate::scene::Scene;
use num_complex::Complex64;
use phasefront_core::constants::wavenumber;
use rayon::prelude::*;
use std::f64::consts::PI;

/// Length of a segment in wavelengths at the highest frequency: the resolution of shadow boundaries along an edge.
const SEGMENT: f64 = 1.0;
/// The same for faces of finite extent. The extent is linearized over a segment but has kinks where the far side changes. On a plate
/// of two wavelengths the fringe field has an error of a few percent with this length, and of a fifth with four times as much.
const TRUNCATED_SEGMENT: f64 = 0.25;
/// Partial sums, independent of the number of threads, so that rounding is reproducible.
const PARTS: usize = 64;

/// A straight edge that diffracts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DiffractingEdge {
    /// Where it begins, m.
    pub from: [f64; 3],
    /// Where it ends, m.
    pub to: [f64; 3],
    /// Its length, m.
    pub length: f64,
    /// Angle inside the conductor, radians; zero at the rim of a sheet.
    pub interior_angle: f64,
    /// Whether it is the rim of a sheet.
    pub is_rim: bool,
}

/// The diffracting edges of a target.
pub(crate) struct EdgeDiffraction {
    segments: Vec<Segment>,
    /// For the extent of faces, if fringe currents are truncated.
    faces: Option<SmoothFaces>,
}

impl EdgeDiffraction {
    /// Finds the edges; none if the problem has edge diffraction switched off.
    pub fn new(problem: &Problem, scene: &Scene, wavelength: f64) -> Self {
        let mesh = &problem.mesh;
        let angle = problem.edge_angle;
        let segments = match problem.edges {
            Edges::None => Vec::new(),
            Edges::Ptd => wedge::segments(mesh, scene, angle, SEGMENT * wavelength),
            Edges::Truncated => wedge::segments(mesh, scene, angle, TRUNCATED_SEGMENT * wavelength),
        };
        let faces = (problem.edges == Edges::Truncated).then(|| SmoothFaces::new(mesh, scene, angle));
        Self { segments, faces }
    }

    /// The edges that diffract, in the coordinates of the mesh.
    pub fn edges(&self, scene: &Scene) -> Vec<DiffractingEdge> {
        let pieces = self.segments.chunk_by(|a, b| a.faces[0].half_edge == b.faces[0].half_edge);
        let edge = |pieces: &[Segment]| {
            let (first, last) = (&pieces[0], &pieces[pieces.len() - 1]);
            let half = |segment: &Segment| 0.5 * segment.length * segment.faces[0].t;
            DiffractingEdge {
                from: (scene.center + first.center - half(first)).to_array(),
                to: (scene.center + last.center + half(last)).to_array(),
                // Parts of a rim may lie on another facet, and are not counted.
                length: pieces.iter().map(|segment| segment.length).sum(),
                interior_angle: (2.0 - first.n) * PI,
                is_rim: first.is_rim,
            }
        };
        pieces.map(edge).collect()
    }

    /// Adds the fringe fields to the sums of aspects with the same incident direction, ordered by aspect, then by frequency.
    pub fn add(&self, scene: &Scene, aspects: &[Aspect], frequencies: &[f64], sums: &mut [Amplitudes]) {
        let waves: Vec<f64> = frequencies.iter().map(|&f| wavenumber(f)).collect();
        // Illumination does not depend on the receiver:
        // one visibility ray per segment for all aspects.
        let illuminated = |segment| Illumination::new(scene, segment, self.faces.as_ref(), &aspects[0]);
        let parts: Vec<Vec<Amplitudes>> = self
            .segments
            // A fixed number of parts, summed in order below.
            .par_chunks(self.segments.len().div_ceil(PARTS).max(1))
            .map(|segments| {
                let mut part = vec![[Complex64::ZERO; 4]; sums.len()];
                for illumination in segments.iter().filter_map(illuminated) {
                    // [aspect][frequency], as in the sums of ray tubes.
                    for (aspect, sums) in aspects.iter().zip(part.chunks_mut(waves.len())) {
                        if let Some(field) = SegmentField::new(scene, &illumination, aspect) {
                            field.add(&waves, sums);
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
}
