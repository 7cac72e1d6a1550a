//! Facets in the frame of a beam.

use super::polygon::{Affine, Polygon};
use crate::layout::EDGE_ON;
use crate::scene::{Facet, Scene};
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
    /// For a spherical wave, whose rays start at the origin of the frame.
    perspective: Option<Perspective>,
}

/// A spherical wave in place of a plane one. Coordinates (x, y) stand for the ray along d = x u + y v + w, and the point t d has the
/// depth −1/t. Planes and lines through the origin are lines of (x, y), and n·t d = c gives 1/t = n·d/c: depth is affine over a plane as
/// it is for parallel rays, and greater where the plane is farther. The origin is mirrored with the axes: image theory.
#[derive(Clone, Copy)]
struct Perspective {
    /// Difference within which two directions coincide.
    tolerance: f64,
    /// Radius of the scene about the center of its coordinates.
    radius: f64,
}

/// A facet projected onto the aperture along the rays.
#[derive(Clone, Copy)]
pub(super) struct ProjectedFacet {
    /// None if it reaches behind the origin of a spherical wave; its sides hold all the same.
    pub shape: Option<Polygon>,
    /// Positive inside each side.
    pub sides: [Affine; 3],
    /// Path length on the plane of the facet.
    pub depth: Affine,
    /// Distance within which two positions of the aperture coincide.
    tolerance: f64,
}

impl BeamFrame {
    /// The frame of the incident wave.
    pub fn new(sheaf: &Sheaf, tolerance: f64) -> Self {
        Self { origin: DVec3::ZERO, axes: [sheaf.u, sheaf.v, sheaf.k], tolerance, perspective: None }
    }

    /// The frame of a spherical wave from a point, in coordinates about the center of the scene.
    pub fn spherical(origin: DVec3, axes: [DVec3; 3], scene: &Scene) -> Self {
        let distance = origin.length().max(scene.radius);
        // Coordinates relative to the origin are rounded as the distance is.
        let tolerance = scene.tolerance + 4.0 * f64::EPSILON * distance;
        let perspective = Perspective { tolerance: tolerance / distance, radius: scene.radius };
        Self { origin, axes, tolerance, perspective: Some(perspective) }
    }

    /// The frame after reflection by a facet: its mirror image in the plane of the facet.
    pub fn mirrored(&self, facet: &Facet) -> Self {
        let (point, normal) = (facet.corners[0], facet.normal);
        let mirror = |v: DVec3| v - 2.0 * normal.dot(v) * normal;
        Self { origin: point + mirror(self.origin - point), axes: self.axes.map(mirror), ..*self }
    }

    /// Projects a facet; `None` if it is seen edge-on, or from inside a closed body.
    pub fn project(&self, facet: &Facet) -> Option<ProjectedFacet> {
        if let Some(Perspective { tolerance, .. }) = self.perspective {
            return self.project_from_point(facet, tolerance);
        }
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
            shape: Some(shape),
            tolerance: self.tolerance,
            sides: [(a, b), (b, c), (c, a)].map(|(from, to)| Affine::left_of(from, to, self.tolerance)),
            // From n·(o + x u + y v + depth k − corner) = 0.
            depth: Affine {
                slope: DVec2::new(facet.normal.dot(u), facet.normal.dot(v)) / -cosine,
                offset: facet.normal.dot(facet.corners[0] - self.origin) / cosine,
                tolerance: self.tolerance,
            },
        })
    }

    /// The same for rays from the origin. With corners a, b, c relative to it, those of the facet are the directions with (a × b)·d,
    /// (b × c)·d and (c × a)·d of the sign of (a × b)·c, which are lines of the aperture also where the facet reaches behind the origin.
    fn project_from_point(&self, facet: &Facet, tolerance: f64) -> Option<ProjectedFacet> {
        let [u, v, w] = self.axes;
        let corners = facet.corners.map(|corner| corner - self.origin);
        let [a, b, c] = corners;
        // The signed distance of the plane has the sign of n·d for all rays that hit it, and of (a × b)·c.
        let height = facet.normal.dot(a);
        let farthest = corners.map(DVec3::length).into_iter().fold(0.0, f64::max);
        if height.abs() < EDGE_ON * farthest || facet.outside * height > 0.0 {
            return None;
        }
        let affine = |normal: DVec3, tolerance: f64| Affine {
            slope: DVec2::new(normal.dot(u), normal.dot(v)),
            offset: normal.dot(w),
            tolerance,
        };
        let side = |(from, to): (DVec3, DVec3)| {
            let side = affine(height.signum() * from.cross(to - from), 0.0);
            Affine { tolerance: tolerance * (side.slope.x.abs() + side.slope.y.abs()), ..side }
        };
        let depths = corners.map(|corner| w.dot(corner));
        let nearest = depths.into_iter().fold(f64::INFINITY, f64::min);
        let is_in_front = nearest > EDGE_ON * farthest;
        let project = |p: DVec3| DVec2::new(u.dot(p), v.dot(p)) / w.dot(p);
        // δ(1/t) = δt/t².
        let nearest = if is_in_front { nearest } else { height.abs() };
        Some(ProjectedFacet {
            shape: is_in_front.then(|| Polygon::triangle(corners.map(project))),
            tolerance,
            sides: [(a, b), (b, c), (c, a)].map(side),
            depth: affine(-facet.normal / height, self.tolerance / (nearest * nearest)),
        })
    }

    /// The point at a path length along the ray through a position of the aperture.
    pub fn point(&self, position: DVec2, depth: f64) -> DVec3 {
        let [u, v, k] = self.axes;
        if self.perspective.is_some() {
            return self.origin - self.toward(position) / depth;
        }
        self.origin + position.x * u + position.y * v + depth * k
    }

    /// x u + y v + w.
    fn toward(&self, position: DVec2) -> DVec3 {
        let [u, v, w] = self.axes;
        position.x * u + position.y * v + w
    }

    /// Direction of the ray through a position of the aperture.
    pub fn direction(&self, position: DVec2) -> DVec3 {
        if self.perspective.is_some() { self.toward(position).normalize() } else { self.axes[2] }
    }

    /// Where the primary ray through a position of the aperture starts.
    pub fn start(&self, position: DVec2, scene: &Scene) -> DVec3 {
        if self.perspective.is_some() {
            return self.origin;
        }
        scene.primary_origin(self.point(position, 0.0), self.axes[2])
    }

    /// Bounds of a beam between two depths, for the traversal of the BVH.
    pub fn bundle(&self, beam: &Polygon, depths: [f64; 2]) -> Bundle {
        if let Some(perspective) = &self.perspective {
            return self.box_of_pyramid(perspective, beam, depths);
        }
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

    /// A box around the frustum of a beam of a spherical wave, along its middle: t d with t between two depths is the convex hull of its
    /// eight corners.
    fn box_of_pyramid(&self, perspective: &Perspective, beam: &Polygon, depths: [f64; 2]) -> Bundle {
        // |d| ≥ 1: nothing of the scene is at a greater t.
        let farthest = self.origin.length() + perspective.radius;
        let [near, far] = depths.map(|depth| if depth < 0.0 { farthest.min(-1.0 / depth) } else { farthest });
        let [low, high] = beam.bounds();
        let rays = [low, DVec2::new(high.x, low.y), high, DVec2::new(low.x, high.y)].map(|p| self.toward(p));
        let middle = self.direction(0.5 * (low + high));
        let (u, v) = middle.any_orthonormal_pair();
        let axes = [u, v, middle];
        let corners = || rays.iter().flat_map(|&ray| [self.origin + near * ray, self.origin + far * ray]);
        let bound = |of: fn(f64, f64) -> f64| {
            axes.map(|axis| corners().map(|corner| axis.dot(corner)).reduce(of).unwrap_or_default())
        };
        Bundle { axes, low: bound(f64::min), high: bound(f64::max) }
    }

    /// How deep in a bundle a beam meets a plane at most.
    pub fn deepest(&self, bundle: &Bundle, beam: &Polygon, depth: &Affine) -> f64 {
        if self.perspective.is_none() {
            // Depths of the beam are relative to its frame, those of the bundle to the center of the scene.
            return beam.range(depth)[1] + self.axes[2].dot(self.origin);
        }
        let along = |&corner: &DVec2| {
            let depth = depth.at(corner);
            if depth < 0.0 { bundle.axes[2].dot(self.point(corner, depth)) } else { f64::INFINITY }
        };
        beam.corners().iter().map(along).fold(f64::NEG_INFINITY, f64::max)
    }
}

impl ProjectedFacet {
    /// Whether a polygon does not overlap the facet: a side of one of them separates both (separating axis theorem).
    pub fn is_disjoint(&self, polygon: &Polygon) -> bool {
        self.sides.iter().any(|side| polygon.range(side)[1] <= side.tolerance)
            || self.shape.is_some_and(|shape| {
                polygon.sides(self.tolerance).any(|side| {
                    // A side of length zero has no direction, and rounding decides that of a very short one: the polygon itself
                    // must be on the positive side.
                    side.slope != DVec2::ZERO
                        && shape.range(&side)[1] <= side.tolerance
                        && polygon.range(&side)[0] >= -side.tolerance
                })
            })
    }
}
