//! The triangles as rays see them.

use crate::material::Material;
use glam::DVec3;
use phasefront_mesh::bvh::Bvh;
use phasefront_mesh::{SMOOTH_ANGLE, TriangleMesh, smooth_patches};

/// Units in the last place of the largest coordinate within which a ray may not hit after a bounce: its start is rounded by one in
/// each coordinate, and so are the corners.
const SELF_HIT_ULPS: f32 = 4.0;

/// Rays are traced in single precision about the middle of the target's box; what they hit is worked out in double.
pub(crate) struct Scene {
    pub tree: Bvh,
    pub facets: Vec<Facet>,
    /// By the facets' `material`.
    pub materials: Vec<Material>,
    /// Whether all materials conduct.
    pub conducts: bool,
    /// The middle of the box in the user's coordinates; all else is relative to it.
    pub middle: DVec3,
    /// A sphere about the middle with this radius holds everything.
    pub radius: f64,
    /// Triangles without area, which are left out.
    pub degenerate: usize,
    /// Distance within which a ray may not hit after a bounce.
    pub nearest: f32,
}

/// What is known of a triangle in double precision.
pub(crate) struct Facet {
    pub corners: [DVec3; 3],
    pub normal: DVec3,
    pub patch: u32,
    pub material: u32,
    /// Its number in the mesh.
    pub triangle: u32,
}

impl Scene {
    /// `materials` by group.
    pub fn new(mesh: &TriangleMesh, materials: &[Material]) -> Self {
        let [low, high] = mesh.bounds().map(DVec3::from);
        let middle = 0.5 * (low + high);
        let patches = smooth_patches(mesh, SMOOTH_ANGLE);
        let facet = |t: usize| {
            let corners = mesh.corners(t).map(|corner| DVec3::from(corner) - middle);
            let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).try_normalize()?;
            let (patch, material) = (patches[t], mesh.groups[t]);
            Some(Facet { corners, normal, patch, material, triangle: t as u32 })
        };
        let facets: Vec<Facet> = (0..mesh.triangles.len()).filter_map(facet).collect();
        let radius = facets.iter().flat_map(|f| f.corners).map(DVec3::length).fold(0.0, f64::max);
        let nearest = SELF_HIT_ULPS * f32::EPSILON * radius as f32;
        let single: Vec<[[f32; 3]; 3]> =
            facets.iter().map(|facet| facet.corners.map(|p| p.as_vec3().to_array())).collect();
        Self {
            tree: Bvh::new(&single, nearest),
            degenerate: mesh.triangles.len() - facets.len(),
            facets,
            materials: materials.to_vec(),
            conducts: materials.iter().all(|material| *material == Material::Conductor),
            middle,
            radius,
            nearest,
        }
    }

    /// The facet that a ray meets first, but for the one that it has just left.
    pub fn closest(&self, start: DVec3, direction: DVec3, left: u32) -> Option<u32> {
        let [origin, along] = [start, direction].map(|p| p.as_vec3().to_array());
        let hit = self
            .tree
            .closest(origin, along, |number| number != left && self.confirms(number, start, direction));
        hit.map(|(number, _)| number)
    }

    /// Whether a ray from `start`, which is on no facet, meets nothing.
    pub fn is_free(&self, start: DVec3, direction: DVec3) -> bool {
        let [origin, along] = [start, direction].map(|p| p.as_vec3().to_array());
        !self.tree.is_met(origin, along, |number| self.confirms(number, start, direction))
    }

    /// Whether a ray that left a facet truly meets another one: to single precision those at its edges are in its way when it
    /// leaves at a low angle.
    fn confirms(&self, number: u32, start: DVec3, direction: DVec3) -> bool {
        let facet = &self.facets[number as usize];
        let [a, b, c] = facet.corners.map(|corner| corner - start);
        let sides = [b.cross(a), c.cross(b), a.cross(c)].map(|edge| edge.dot(direction));
        let inside = sides.iter().all(|&s| s >= 0.0) || sides.iter().all(|&s| s <= 0.0);
        let t = facet.normal.dot(a) / facet.normal.dot(direction);
        inside && t >= f64::from(self.nearest)
    }
}
