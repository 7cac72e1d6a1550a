//! The target as rays see it: facets in double precision, and acceleration structures over them.

use crate::material::Material;
use crate::problem::Tracer;
use glam::DVec3;
use phasefront_mesh::bvh::Bvh;
use phasefront_mesh::{KdTree, Steps, TriangleMesh, outer_sides};

/// Minimum distance of a hit after a reflection, in units in the last place of the largest coordinate: the origin of the ray and the
/// corners are each rounded by one unit per coordinate.
const SELF_HIT_ULPS: f32 = 4.0;

/// Geometric tolerance relative to the radius: coordinates are rounded by 1e-16, and by a few times that after reflections.
const TOLERANCE: f64 = 1e-12;

/// Margin by which rays start outside the bounding sphere.
const START_MARGIN: f64 = 1.01;

/// Index of no facet.
pub(crate) const NO_FACET: u32 = u32::MAX;

/// The target. Bounding boxes are tested in single precision about the center of the target, triangles in double.
pub(crate) struct Scene {
    /// Bounding volume hierarchy.
    pub tree: Bvh,
    /// The kd-tree with ropes, if the problem selects it.
    pub kd_tree: Option<KdTree>,
    pub facets: Vec<Facet>,
    /// By the facets' `material`.
    pub materials: Vec<Material>,
    /// Whether all materials are perfect conductors.
    pub conducts: bool,
    /// Center of the bounding box in mesh coordinates. Everything else is relative to it.
    pub center: DVec3,
    /// Radius of a sphere about the center that contains the target.
    pub radius: f64,
    /// Number of triangles without area, which are dropped.
    pub degenerate: usize,
    /// Minimum distance of a hit after a reflection.
    pub min_distance: f32,
    /// Distance within which two points coincide, in double precision.
    pub tolerance: f64,
}

/// A triangle in double precision.
pub(crate) struct Facet {
    pub corners: [DVec3; 3],
    pub normal: DVec3,
    pub material: u32,
    /// Index of its triangle in the mesh.
    pub triangle: u32,
    /// The side of the normal that is outside a closed body: 1, −1, or 0 for an open sheet with two outer sides.
    pub outside: f64,
}

impl Scene {
    /// `materials` by group.
    pub fn new(mesh: &TriangleMesh, materials: &[Material], tracer: Tracer) -> Self {
        let [low, high] = mesh.bounds().map(DVec3::from);
        let center = 0.5 * (low + high);
        let sides = outer_sides(mesh);
        let facet = |t: usize| {
            // About the center: single-precision boxes and phases
            // lose no digits to the position of the target.
            let corners = mesh.corners(t).map(|corner| DVec3::from(corner) - center);
            // Triangles without area have no normal and are dropped.
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
        let min_distance = SELF_HIT_ULPS * f32::EPSILON * radius as f32;
        let single: Vec<[[f32; 3]; 3]> =
            facets.iter().map(|facet| facet.corners.map(|p| p.as_vec3().to_array())).collect();
        Self {
            tree: Bvh::new(&single, min_distance),
            kd_tree: (tracer == Tracer::KdTree).then(|| KdTree::new(&single)),
            degenerate: mesh.triangles.len() - facets.len(),
            facets,
            materials: materials.to_vec(),
            conducts: materials.iter().all(|material| *material == Material::Conductor),
            center,
            radius,
            min_distance,
            tolerance: TOLERANCE * radius,
        }
    }

    /// The first facet that a ray hits, other than `last`, the one it was reflected by. With a kd-tree, `leaf` is passed from one
    /// bounce to the next, `None` at first: traversal resumes where the hit was found instead of at the root.
    pub fn closest(&self, origin: DVec3, direction: DVec3, last: u32, leaf: &mut Option<u32>) -> Option<u32> {
        let min_distance = f64::from(self.min_distance);
        let accepts = |facet: u32, t: f64| facet != last && t >= min_distance;
        // With a BVH every search starts at the root.
        let Some(tree) = &self.kd_tree else { return self.first_hit(origin, direction, accepts) };
        // Traversal in single precision, distances to facets in double.
        let [from, along] = [origin, direction].map(|p| p.as_vec3().to_array());
        let hit = tree.closest(from, along, leaf, &mut Steps::default(), |facet| {
            let t = self.facets[facet as usize].distance(origin, direction);
            t.filter(|&t| accepts(facet, t)).unwrap_or(f64::INFINITY)
        });
        hit.map(|(facet, _)| facet)
    }

    /// Distance of the origins of primary rays from the plane through the center.
    pub fn start_distance(&self) -> f64 {
        START_MARGIN * self.radius
    }

    /// Origin of the primary ray through a point, outside the bounding sphere.
    pub fn primary_origin(&self, point: DVec3, direction: DVec3) -> DVec3 {
        point - (direction.dot(point) + self.start_distance()) * direction
    }

    /// Whether a ray from `origin`, which is on no facet, hits nothing: a visibility test.
    pub fn is_unobstructed(&self, origin: DVec3, direction: DVec3) -> bool {
        let min_distance = f64::from(self.min_distance);
        self.first_hit(origin, direction, |_, t| t >= min_distance).is_none()
    }

    /// Distances are in double precision: in single precision, the neighbors of the facet that a ray was reflected by would obstruct
    /// it near grazing angles.
    fn first_hit(&self, origin: DVec3, direction: DVec3, accepts: impl Fn(u32, f64) -> bool) -> Option<u32> {
        let [from, along] = [origin, direction].map(|p| p.as_vec3().to_array());
        let distance = |facet: u32| {
            let t = self.facets[facet as usize].distance(origin, direction)?;
            accepts(facet, t).then_some(t)
        };
        self.tree.closest(from, along, distance).map(|(facet, _)| facet)
    }
}

impl Facet {
    /// Whether a point is within about `tolerance` of the facet.
    pub fn is_near(&self, point: DVec3, tolerance: f64) -> bool {
        let [a, b, c] = self.corners;
        let is_inside = |(from, to): (DVec3, DVec3)| {
            let out = (to - from).cross(self.normal).normalize_or_zero();
            out.dot(point - from) <= tolerance
        };
        self.normal.dot(point - a).abs() <= tolerance && [(a, b), (b, c), (c, a)].into_iter().all(is_inside)
    }

    /// Distance along a ray to the facet, negative behind the origin. The test is watertight: d·(a × b) changes its sign exactly
    /// with the order of a and b, so that both facets at an edge agree to the last bit on which side the ray passes.
    pub fn distance(&self, origin: DVec3, direction: DVec3) -> Option<f64> {
        // Corners relative to the origin: common edges
        // have the same operands in both of their facets.
        let [a, b, c] = self.corners.map(|corner| corner - origin);
        let sides = [b.cross(a), c.cross(b), a.cross(c)].map(|edge| edge.dot(direction));
        // Either orientation, zero included: a ray exactly
        // on an edge hits at least one of its facets.
        let inside = sides.iter().all(|&s| s >= 0.0) || sides.iter().all(|&s| s <= 0.0);
        let t = self.normal.dot(a) / self.normal.dot(direction);
        // A ray in the plane of the facet gives NaN or infinity, and no hit.
        (inside && t.is_finite()).then_some(t)
    }
}
