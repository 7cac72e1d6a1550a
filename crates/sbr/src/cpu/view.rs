//! Facets as parallel rays see them.

use super::polygon::{Linear, Polygon};
use crate::scene::Facet;
use glam::{DVec2, DVec3};
use phasefront_mesh::bvh::{Bundle, Sheaf};

/// Facets that are seen at a lower angle than this have no area.
pub(crate) const EDGE_ON: f64 = 1e-9;

/// Parallel rays, unfolded: the aperture's origin and its axes (across it, and along the rays), mirrored as often as the rays were.
/// A place then has along the first two the coordinates of its ray in the aperture, and along the third the length of the path.
#[derive(Clone, Copy)]
pub(super) struct View {
    pub origin: DVec3,
    pub axes: [DVec3; 3],
    /// Distance within which two places are one.
    touching: f64,
}

/// A facet in a view.
#[derive(Clone, Copy)]
pub(super) struct Flat {
    pub shape: Polygon,
    /// Above zero within each side.
    pub sides: [Linear; 3],
    pub depth: Linear,
}

impl View {
    /// Of the incident wave.
    pub fn new(sheaf: &Sheaf, touching: f64) -> Self {
        Self { origin: DVec3::ZERO, axes: [sheaf.u, sheaf.v, sheaf.k], touching }
    }

    pub fn mirrored(&self, facet: &Facet) -> Self {
        let (point, normal) = (facet.corners[0], facet.normal);
        let mirror = |v: DVec3| v - 2.0 * normal.dot(v) * normal;
        Self { origin: point + mirror(self.origin - point), axes: self.axes.map(mirror), ..*self }
    }

    /// `None` if it is seen edge on, or from inside a closed body.
    pub fn flat(&self, facet: &Facet) -> Option<Flat> {
        let [u, v, k] = self.axes;
        let across = facet.normal.dot(k);
        if across.abs() < EDGE_ON || facet.outside * across > 0.0 {
            return None;
        }
        let flat = |p: DVec3| DVec2::new(u.dot(p - self.origin), v.dot(p - self.origin));
        let shape = Polygon::triangle(facet.corners.map(flat));
        let [a, b, c] = [0, 1, 2].map(|i| shape.corners()[i]);
        Some(Flat {
            shape,
            sides: [(a, b), (b, c), (c, a)].map(|(from, to)| Linear::left_of(from, to, self.touching)),
            // From n·(o + x u + y v + depth k − corner) = 0.
            depth: Linear {
                slope: DVec2::new(facet.normal.dot(u), facet.normal.dot(v)) / -across,
                offset: facet.normal.dot(facet.corners[0] - self.origin) / across,
                tolerance: self.touching,
            },
        })
    }

    /// The ray through a place of the aperture, where its path is so long.
    pub fn point(&self, place: DVec2, depth: f64) -> DVec3 {
        let [u, v, k] = self.axes;
        self.origin + place.x * u + place.y * v + depth * k
    }

    /// The rays of a beam, between two depths.
    pub fn bundle(&self, beam: &Polygon, depths: [f64; 2]) -> Bundle {
        let [x, y, z] = self.axes.map(|axis| axis.dot(self.origin));
        let [low, high] = beam.bounds();
        Bundle {
            axes: self.axes,
            low: [low.x + x, low.y + y, depths[0] + z],
            high: [high.x + x, high.y + y, depths[1] + z],
        }
    }
}

impl Flat {
    /// Whether a polygon is nowhere on the facet: then a side of one or the other lies between them.
    pub fn is_beside(&self, polygon: &Polygon) -> bool {
        self.sides.iter().any(|side| polygon.range(side)[1] <= side.tolerance)
            || polygon.sides(self.depth.tolerance).any(|side| {
                // A side that is a point has no direction, and one that is almost a point a wrong one.
                side.slope != DVec2::ZERO
                    && self.shape.range(&side)[1] <= side.tolerance
                    && polygon.range(&side)[0] >= -side.tolerance
            })
    }
}
