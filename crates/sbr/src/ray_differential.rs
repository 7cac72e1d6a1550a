//! Ray differentials: a ray in double precision, and its derivatives with respect to its position in the incident aperture.
//!
//! Between planes the derivatives transform linearly (H. Igehy, "Tracing ray differentials", SIGGRAPH 1999). Since parallel rays
//! reflected by a plane stay parallel, direction derivatives vanish, and one ray determines all rays of its tube.

use crate::scene::{Facet, Scene};
use glam::DVec3;
use phasefront_mesh::bvh::Sheaf;

/// A ray and its derivatives, valid for all rays that hit the same sequence of planes.
#[derive(Clone, Copy)]
pub(crate) struct RayDifferential {
    pub point: DVec3,
    pub direction: DVec3,
    /// Path length from the wavefront through the origin.
    pub length: f64,
    /// Electric field of the θ-polarized incident wave, if all reflections are at conductors: E_r = 2(n·E)n − E.
    pub v: DVec3,
    /// ∂point/∂u and ∂point/∂v of the aperture coordinates.
    pub dpoint: [DVec3; 2],
    /// ∂length/∂u and ∂length/∂v.
    pub dlength: [f64; 2],
}

impl RayDifferential {
    /// The ray through a position of the aperture, on the wavefront through the origin.
    pub fn new(sheaf: &Sheaf, v: DVec3, position: [f64; 2]) -> Self {
        Self {
            point: position[0] * sheaf.u + position[1] * sheaf.v,
            direction: sheaf.k,
            length: 0.0,
            v,
            dpoint: [sheaf.u, sheaf.v],
            dlength: [0.0; 2],
        }
    }

    /// Propagates to the plane of a facet and reflects there.
    ///
    /// With t = (c − p)·n/(d·n): p ← p + t d, L ← L + t, d ← d − 2(d·n)n; and ∂t = −∂p·n/(d·n).
    pub fn reflect(&mut self, facet: &Facet) {
        let n = facet.normal;
        let cosine = self.direction.dot(n);
        // Large at grazing incidence: the tube's footprint
        // grows without bound, and `FarField::add` drops it.
        let inverse = 1.0 / cosine;
        let distance = (facet.corners[0] - self.point).dot(n) * inverse;
        self.point += distance * self.direction;
        self.length += distance;
        for axis in 0..2 {
            let dt = -self.dpoint[axis].dot(n) * inverse;
            self.dpoint[axis] += dt * self.direction;
            self.dlength[axis] += dt;
        }
        // A conductor reverses the tangential part of E and preserves the normal part.
        self.v = 2.0 * n.dot(self.v) * n - self.v;
        // Normalized: |d| would drift by one rounding
        // error per bounce, and with it the path length.
        self.direction = (self.direction - 2.0 * cosine * n).normalize();
    }

    /// Reflects at a sequence of facets.
    pub fn follow(mut self, scene: &Scene, path: &[u32]) -> Self {
        for &facet in path {
            self.reflect(&scene.facets[facet as usize]);
        }
        self
    }
}
