//! The incident wave on a segment of an edge.

use super::face_extent::{FaceExtent, SmoothFaces};
use super::wedge::Segment;
use crate::problem::Aspect;
use crate::scene::Scene;
use glam::DVec3;

/// Distance from the edge at which visibility rays start, relative to the radius of the target: a hundred times the rounding error of
/// single precision.
pub(super) const CLEARANCE: f64 = 1e-5;
/// sin β' or sin β below which a wave propagates along the edge. The fringe field is bounded there but depends on the side from which
/// the limit is approached, and is omitted.
pub(super) const ALONG_EDGE: f64 = 1e-6;

/// The incident wave on a segment.
pub(super) struct Illumination<'a> {
    pub segment: &'a Segment,
    /// Toward the transmitter, −k_i.
    pub toward: DVec3,
    /// f', the angle from the first face to the transmitter.
    pub angle: f64,
    /// sin β' and cos β' = k_i·t.
    pub sin: f64,
    pub cos: f64,
    /// Extent of both faces along the grazing ray σ, if fringe currents are truncated.
    pub extents: [Option<FaceExtent>; 2],
}

impl<'a> Illumination<'a> {
    /// `None` if the transmitter does not illuminate the segment.
    pub fn new(
        scene: &Scene,
        segment: &'a Segment,
        faces: Option<&SmoothFaces>,
        aspect: &Aspect,
    ) -> Option<Self> {
        let [toward, ..] = aspect.incident.frame();
        let angle = segment.angle(toward)?;
        // t of the first face defines β' of the segment.
        let cos = -toward.dot(segment.faces[0].t);
        let sin = toward.cross(segment.faces[0].t).length();
        // Angles first, the visibility ray last: it costs a traversal of the BVH.
        if sin < ALONG_EDGE || !segment.is_visible(scene, toward, angle, CLEARANCE * scene.radius) {
            return None;
        }
        let along = segment.faces[0].t;
        let extents = segment.faces.map(|face| {
            // Grazing ray: the diffraction cone of the incident wave on the face. The fringe
            // current propagates along it.
            let sigma = face.x * sin + along * cos;
            faces?.extent(face.half_edge, segment.center, sigma, along)
        });
        Some(Self { segment, toward, angle, sin, cos, extents })
    }
}
