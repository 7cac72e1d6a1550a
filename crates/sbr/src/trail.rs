//! A ray in double precision, with the wave front close to it.

use crate::scene::{Facet, Scene};
use glam::DVec3;
use phasefront_mesh::bvh::Sheaf;

/// Where a ray is, and how that changes with its place in the aperture as long as it and its neighbors meet the same planes: then
/// the change is the same everywhere, and known once one ray is.
#[derive(Clone, Copy)]
pub(crate) struct Trail {
    pub point: DVec3,
    pub direction: DVec3,
    /// Length of the path, from the wave front through the origin.
    pub length: f64,
    /// The electric field of the wave that came in along θ̂, if all that it met conducts: E_r = 2(n·E)n − E.
    pub v: DVec3,
    /// Change of `point` per meter along u and v of the aperture, and of `length`.
    pub across: [DVec3; 2],
    pub longer: [f64; 2],
}

impl Trail {
    /// Of a ray that passes `place` of the aperture, on the front through the origin.
    pub fn new(sheaf: &Sheaf, v: DVec3, place: [f64; 2]) -> Self {
        Self {
            point: place[0] * sheaf.u + place[1] * sheaf.v,
            direction: sheaf.k,
            length: 0.0,
            v,
            across: [sheaf.u, sheaf.v],
            longer: [0.0; 2],
        }
    }

    /// On to the plane of a facet, and off it.
    pub fn bounce(&mut self, facet: &Facet) {
        let n = facet.normal;
        let cosine = self.direction.dot(n);
        let along = 1.0 / cosine;
        let distance = (facet.corners[0] - self.point).dot(n) * along;
        self.point += distance * self.direction;
        self.length += distance;
        for axis in 0..2 {
            let shift = -self.across[axis].dot(n) * along;
            self.across[axis] += shift * self.direction;
            self.longer[axis] += shift;
        }
        self.v = 2.0 * n.dot(self.v) * n - self.v;
        self.direction = (self.direction - 2.0 * cosine * n).normalize();
    }

    /// Along facets one after the other.
    pub fn follow(mut self, scene: &Scene, way: &[u32]) -> Self {
        for &facet in way {
            self.bounce(&scene.facets[facet as usize]);
        }
        self
    }
}
