//! Facets in the frame of a beam.

use super::polygon::{Affine, Polygon};
use crate::layout::EDGE_ON;
use crate::ray_differential::RayDifferential;
use crate::scene::Facet;
use glam::{DVec2, DVec3};
use phasefront_mesh::bvh::{Bundle, Sheaf};

/// The frame of a beam: the image of the incident aperture under all reflections so far (image theory). In this frame the unfolded
/// rays are straight and parallel: the first two coordinates of a point identify its ray, the third is the path length.
#[derive(Clone, Copy)]
pub(super) struct BeamFrame {
    pub origin: DVec3,
    /// u and v of the aperture, and the direction of the rays.
    pub axes: [DVec3; 3],
    /// Distance within which two points coincide.
    tolerance: f64,
}

/// A facet projected onto the aperture along the rays.
#[derive(Clone, Copy)]
pub(super) struct ProjectedFacet {
    pub shape: Polygon,
    /// Positive inside each side.
    pub sides: [Affine; 3],
    /// Path length on the plane of the facet.
    pub depth: Affine,
}

impl BeamFrame {
    /// The frame of the incident wave.
    pub fn new(sheaf: &Sheaf, tolerance: f64) -> Self {
        Self { origin: DVec3::ZERO, axes: [sheaf.u, sheaf.v, sheaf.k], tolerance }
    }

    /// The frame after reflection by a facet: its mirror image in the plane of the facet.
    pub fn mirrored(&self, facet: &Facet) -> Self {
        let (point, normal) = (facet.corners[0], facet.normal);
        let mirror = |v: DVec3| v - 2.0 * normal.dot(v) * normal;
        Self { origin: point + mirror(self.origin - point), axes: self.axes.map(mirror), ..*self }
    }

    /// Projects a facet; `None` if it is seen edge-on, or from inside a closed body.
    pub fn project(&self, facet: &Facet) -> Option<ProjectedFacet> {
        let [u, v, k] = self.axes;
        let cosine = facet.normal.dot(k);
        // Cosine and outer side have the same sign where the ray would come from inside the body.
        if cosine.abs() < EDGE_ON || facet.outside * cosine > 0.0 {
            return None;
        }
        // Coordinates along the image axes: u and v are perpendicular to k, so that every point of
        // a ray has the same projection.
        let project = |p: DVec3| DVec2::new(u.dot(p - self.origin), v.dot(p - self.origin));
        let shape = Polygon::triangle(facet.corners.map(project));
        let [a, b, c] = [0, 1, 2].map(|i| shape.corners()[i]);
        Some(ProjectedFacet {
            shape,
            sides: [(a, b), (b, c), (c, a)].map(|(from, to)| Affine::left_of(from, to, self.tolerance)),
            // From n·(o + x u + y v + depth k − corner) = 0.
            depth: Affine {
                slope: DVec2::new(facet.normal.dot(u), facet.normal.dot(v)) / -cosine,
                offset: facet.normal.dot(facet.corners[0] - self.origin) / cosine,
                tolerance: self.tolerance,
            },
        })
    }

    /// The point at a path length along the ray through a position of the aperture.
    pub fn point(&self, position: DVec2, depth: f64) -> DVec3 {
        let [u, v, k] = self.axes;
        self.origin + position.x * u + position.y * v + depth * k
    }

    /// The ray at a position of the aperture, on a plane where the path length is `depth`; `v` is its field.
    pub fn ray(&self, position: DVec2, depth: &Affine, v: DVec3) -> RayDifferential {
        let [u_axis, v_axis, direction] = self.axes;
        let length = depth.at(position);
        RayDifferential {
            point: self.point(position, length),
            direction,
            length,
            v,
            dpoint: [u_axis + depth.slope.x * direction, v_axis + depth.slope.y * direction],
            dlength: depth.slope.to_array(),
        }
    }

    /// A field of the incident wave after as many reflections at conductors as led to this frame: each is E_r = −(E − 2(n·E)n), the
    /// mirror image with the opposite sign.
    pub fn reflected(&self, sheaf: &Sheaf, e: DVec3, bounces: usize) -> DVec3 {
        let image = e.dot(sheaf.u) * self.axes[0] + e.dot(sheaf.v) * self.axes[1];
        if bounces.is_multiple_of(2) { image } else { -image }
    }

    /// Bounds of a beam between two depths, for the traversal of the BVH.
    pub fn bundle(&self, beam: &Polygon, depths: [f64; 2]) -> Bundle {
        // Bundles are in coordinates about the center of the scene, as the boxes of the BVH: depths
        // are shifted by the projection of the image origin.
        let [x, y, z] = self.axes.map(|axis| axis.dot(self.origin));
        let [low, high] = beam.bounds();
        Bundle {
            axes: self.axes,
            low: [low.x + x, low.y + y, depths[0] + z],
            high: [high.x + x, high.y + y, depths[1] + z],
        }
    }
}

impl ProjectedFacet {
    /// Whether a polygon does not overlap the facet: a side of one of them separates both (separating axis theorem).
    pub fn is_disjoint(&self, polygon: &Polygon) -> bool {
        self.sides.iter().any(|side| polygon.range(side)[1] <= side.tolerance)
            || polygon.sides(self.depth.tolerance).any(|side| {
                // A side of length zero has no direction, and rounding decides that of a very short one: the polygon itself must
                // be on the positive side.
                side.slope != DVec2::ZERO
                    && self.shape.range(&side)[1] <= side.tolerance
                    && polygon.range(&side)[0] >= -side.tolerance
            })
    }
}
