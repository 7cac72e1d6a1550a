//! The triangles as rays see them.

use crate::material::Material;
use crate::problem::Tracer;
use glam::DVec3;
use phasefront_mesh::bvh::Bvh;
use phasefront_mesh::{KdTree, Steps, TriangleMesh, outer_sides};

/// Units in the last place of the largest coordinate within which a ray may not hit after a bounce: its start is rounded by one in
/// each coordinate, and so are the corners.
const SELF_HIT_ULPS: f32 = 4.0;

/// As a part of the radius: coordinates are rounded by 1e-16 of it, and differ by a few such after some mirrors.
const TOUCHING: f64 = 1e-12;

/// Numbers no facet.
pub(crate) const NO_FACET: u32 = u32::MAX;

/// Rays are traced in single precision about the middle of the target's box; what they hit is worked out in double.
pub(crate) struct Scene {
    pub tree: Bvh,
    /// The paper's tree, if rays are to find their way with that.
    pub kd_tree: Option<KdTree>,
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
    /// Distance within which two places are one, in double precision.
    pub touching: f64,
}

/// What is known of a triangle in double precision.
pub(crate) struct Facet {
    pub corners: [DVec3; 3],
    pub normal: DVec3,
    pub material: u32,
    /// Its number in the mesh.
    pub triangle: u32,
    /// The side of the normal that is outside a closed body: 1, −1, or 0 for a sheet, of which both are.
    pub outside: f64,
}

impl Scene {
    /// `materials` by group.
    pub fn new(mesh: &TriangleMesh, materials: &[Material], tracer: Tracer) -> Self {
        let [low, high] = mesh.bounds().map(DVec3::from);
        let middle = 0.5 * (low + high);
        let sides = outer_sides(mesh);
        let facet = |t: usize| {
            let corners = mesh.corners(t).map(|corner| DVec3::from(corner) - middle);
            let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).try_normalize()?;
            Some(Facet {
                corners,
                normal,
                material: mesh.groups[t],
                triangle: t as u32,
                outside: sides[t].into(),
            })
        };
        let facets: Vec<Facet> = (0..mesh.triangles.len()).filter_map(facet).collect();
        let radius = facets.iter().flat_map(|f| f.corners).map(DVec3::length).fold(0.0, f64::max);
        let nearest = SELF_HIT_ULPS * f32::EPSILON * radius as f32;
        let single: Vec<[[f32; 3]; 3]> =
            facets.iter().map(|facet| facet.corners.map(|p| p.as_vec3().to_array())).collect();
        Self {
            tree: Bvh::new(&single, nearest),
            kd_tree: (tracer == Tracer::KdTree).then(|| KdTree::new(&single)),
            degenerate: mesh.triangles.len() - facets.len(),
            facets,
            materials: materials.to_vec(),
            conducts: materials.iter().all(|material| *material == Material::Conductor),
            middle,
            radius,
            nearest,
            touching: TOUCHING * radius,
        }
    }

    /// The facet that a ray meets first, but for the one that it has just left. With the paper's tree, `leaf` goes from one bounce to
    /// the next, `None` at first: to follow a ray so is its single pass (Algorithm I).
    pub fn closest(&self, start: DVec3, direction: DVec3, left: u32, leaf: &mut Option<u32>) -> Option<u32> {
        let nearest = f64::from(self.nearest);
        let accepts = |number: u32, t: f64| number != left && t >= nearest;
        let Some(tree) = &self.kd_tree else { return self.meets(start, direction, accepts) };
        let [origin, along] = [start, direction].map(|p| p.as_vec3().to_array());
        let hit = tree.closest(origin, along, leaf, &mut Steps::default(), |number| {
            let t = self.facets[number as usize].distance(start, direction);
            t.filter(|&t| accepts(number, t)).unwrap_or(f64::INFINITY)
        });
        hit.map(|(number, _)| number)
    }

    /// Where a ray through a point starts, behind everything by a little more than rounding.
    pub fn before_everything(&self, point: DVec3, direction: DVec3) -> DVec3 {
        point - (direction.dot(point) + 1.01 * self.radius) * direction
    }

    /// Whether a ray from `start`, which is on no facet, meets nothing.
    pub fn is_free(&self, start: DVec3, direction: DVec3) -> bool {
        let nearest = f64::from(self.nearest);
        self.meets(start, direction, |_, t| t >= nearest).is_none()
    }

    /// In double precision: to single precision the facets at the edges of one that a ray has left are in its way when it leaves at
    /// a low angle.
    fn meets(&self, start: DVec3, direction: DVec3, accepts: impl Fn(u32, f64) -> bool) -> Option<u32> {
        let [origin, along] = [start, direction].map(|p| p.as_vec3().to_array());
        let distance = |number: u32| {
            let t = self.facets[number as usize].distance(start, direction)?;
            accepts(number, t).then_some(t)
        };
        self.tree.closest(origin, along, distance).map(|(number, _)| number)
    }
}

impl Facet {
    /// Along a ray, if the ray's line meets the facet. It passes each edge on a side that both facets at the edge agree on to the last
    /// bit, as d·(a × b) changes its sign with the order of a and b: no ray slips between them.
    pub fn distance(&self, start: DVec3, direction: DVec3) -> Option<f64> {
        let [a, b, c] = self.corners.map(|corner| corner - start);
        let sides = [b.cross(a), c.cross(b), a.cross(c)].map(|edge| edge.dot(direction));
        let inside = sides.iter().all(|&s| s >= 0.0) || sides.iter().all(|&s| s <= 0.0);
        let t = self.normal.dot(a) / self.normal.dot(direction);
        // A ray in the plane gives no number, and no hit.
        (inside && t.is_finite()).then_some(t)
    }
}
