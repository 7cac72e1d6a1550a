//! The triangles as rays see them.

use crate::material::Material;
use glam::{DVec3, Vec3A};
use obvhs::BvhBuildParams;
use obvhs::aabb::Aabb;
use obvhs::bvh2::Bvh2;
use obvhs::bvh2::builder::build_bvh2;
use obvhs::ray::{Ray, RayHit};
use phasefront_mesh::{SMOOTH_ANGLE, TriangleMesh, smooth_patches};
use std::time::Duration;

/// Units in the last place of the largest coordinate within which a ray may not hit after a bounce: its start is rounded by one in
/// each coordinate, and so are the corners.
const SELF_HIT_ULPS: f32 = 4.0;
/// Leaves of one triangle: with up to eight, rays over an aircraft of 20,000 triangles took twice as long.
const TREE: BvhBuildParams = BvhBuildParams { max_prims_per_leaf: 1, ..BvhBuildParams::slow_build() };
/// Numbers no facet: rays that come from the aperture have left none.
const NO_FACET: usize = usize::MAX;

/// Rays are traced in single precision about the middle of the target's box; what they hit is worked out in double.
pub(crate) struct Scene {
    bvh: Bvh2,
    /// Corners in single precision, in the order of the tree.
    corners: Vec<[Vec3A; 3]>,
    /// In the order of the tree.
    pub facets: Vec<Facet>,
    /// By the facets' `material`.
    pub materials: Vec<Material>,
    /// The middle of the box in the user's coordinates; all else is relative to it.
    pub middle: DVec3,
    /// A sphere about the middle with this radius holds everything.
    pub radius: f64,
    /// Triangles without area, which are left out.
    pub degenerate: usize,
    /// Distance within which a ray may not hit after a bounce.
    nearest: f32,
}

/// What is known of a triangle in double precision.
pub(crate) struct Facet {
    pub corners: [DVec3; 3],
    pub normal: DVec3,
    patch: u32,
    pub material: u32,
}

/// One bounce.
#[derive(Clone, Copy)]
pub(crate) struct Hit {
    pub facet: u32,
    pub point: DVec3,
    /// Normal of the facet on the side of the ray.
    pub normal: DVec3,
    pub k_in: DVec3,
    pub k_out: DVec3,
}

/// What became of a ray.
#[derive(Clone, Copy)]
pub(crate) struct End {
    /// The smooth patches and their sides that it met, in order, hashed; zero for none.
    pub class: u64,
    /// The facet of its last hit.
    pub facet: usize,
    /// Its last hit, or where it started.
    pub point: DVec3,
    /// Its direction when it left.
    pub direction: DVec3,
    /// From its start to its first hit.
    pub first: f64,
    /// From its start to its last hit.
    pub length: f64,
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
            Some(Facet { corners, normal, patch: patches[t], material: mesh.groups[t] })
        };
        let facets: Vec<Facet> = (0..mesh.triangles.len()).filter_map(facet).collect();
        let radius = facets.iter().flat_map(|f| f.corners).map(DVec3::length).fold(0.0, f64::max);
        let nearest = SELF_HIT_ULPS * f32::EPSILON * radius as f32;
        let boxes: Vec<Aabb> = facets.iter().map(|facet| bounds(single(facet), nearest)).collect();
        let degenerate = mesh.triangles.len() - facets.len();
        let bvh = build_bvh2(&boxes, TREE, &mut Duration::default());
        let mut unsorted: Vec<Option<Facet>> = facets.into_iter().map(Some).collect();
        let facets: Vec<Facet> =
            bvh.primitive_indices.iter().filter_map(|&i| unsorted[i as usize].take()).collect();
        let corners = facets.iter().map(single).collect();
        Self { bvh, corners, facets, materials: materials.to_vec(), middle, radius, degenerate, nearest }
    }

    /// Follows a ray until it leaves or has had its bounces; `visit` is told each.
    pub fn trace(&self, start: DVec3, direction: DVec3, bounces: usize, mut visit: impl FnMut(Hit)) -> End {
        let mut end = End { class: 0, facet: NO_FACET, point: start, direction, first: 0.0, length: 0.0 };
        for _ in 0..bounces {
            let Some(number) = self.closest(end.point, end.direction, end.facet) else { break };
            let facet = &self.facets[number];
            let along = end.direction.dot(facet.normal);
            let distance = (facet.corners[0] - end.point).dot(facet.normal) / along;
            let hit = Hit {
                facet: number as u32,
                point: end.point + distance * end.direction,
                normal: if along < 0.0 { facet.normal } else { -facet.normal },
                k_in: end.direction,
                k_out: (end.direction - 2.0 * along * facet.normal).normalize(),
            };
            visit(hit);
            let side = 2 * u64::from(facet.patch) + u64::from(along < 0.0);
            end = End {
                class: extended(end.class, side),
                facet: number,
                point: hit.point,
                direction: hit.k_out,
                first: if end.class == 0 { distance } else { end.first },
                length: end.length + distance,
            };
        }
        end
    }

    /// Whether a ray from `start`, which is on no facet, meets nothing.
    pub fn is_free(&self, start: DVec3, direction: DVec3) -> bool {
        self.closest(start, direction, NO_FACET).is_none()
    }

    /// The facet that a ray meets first, but for the one that it has just left.
    fn closest(&self, start: DVec3, direction: DVec3, left: usize) -> Option<usize> {
        let ray = Ray::new_inf(start.as_vec3a(), direction.as_vec3a());
        let mut hit = RayHit::none();
        let found = self.bvh.ray_traverse(ray, &mut hit, |ray, number| {
            if number == left {
                return f32::INFINITY;
            }
            let t = distance(&self.corners[number], ray);
            if left != NO_FACET && t.is_finite() && !self.confirms(number, start, direction) {
                return f32::INFINITY;
            }
            t
        });
        found.then_some(hit.primitive_id as usize)
    }

    /// Whether a ray that left a facet truly meets another one: to single precision those at its edges are in its way when it
    /// leaves at a low angle.
    fn confirms(&self, number: usize, start: DVec3, direction: DVec3) -> bool {
        let facet = &self.facets[number];
        let [a, b, c] = facet.corners.map(|corner| corner - start);
        let sides = [b.cross(a), c.cross(b), a.cross(c)].map(|edge| edge.dot(direction));
        let inside = sides.iter().all(|&s| s >= 0.0) || sides.iter().all(|&s| s <= 0.0);
        let t = facet.normal.dot(a) / facet.normal.dot(direction);
        inside && t >= f64::from(self.nearest)
    }
}

fn single(facet: &Facet) -> [Vec3A; 3] {
    facet.corners.map(DVec3::as_vec3a)
}

/// The box of a triangle, wider by what rounding may shift a ray.
fn bounds([a, b, c]: [Vec3A; 3], margin: f32) -> Aabb {
    Aabb::new(a.min(b).min(c) - margin, a.max(b).max(c) + margin)
}

/// Another surface met (the mixing step of splitmix64); never zero.
fn extended(class: u64, surface: u64) -> u64 {
    let mut x = (class.rotate_left(17) ^ (surface + 1)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (x ^ (x >> 27)) | 1
}

/// Along a ray to a triangle, or infinity. The ray passes each edge on a side that both triangles at the edge agree on to the
/// last bit, as d·(a × b) changes its sign with the order of a and b: no ray slips between them.
fn distance(corners: &[Vec3A; 3], ray: &Ray) -> f32 {
    let [a, b, c] = corners.map(|corner| corner - ray.origin);
    let sides = [b.cross(a), c.cross(b), a.cross(c)].map(|edge| edge.dot(ray.direction));
    let inside = sides.iter().all(|&s| s >= 0.0) || sides.iter().all(|&s| s <= 0.0);
    if !inside {
        return f32::INFINITY;
    }
    let normal = (b - a).cross(c - a);
    let t = normal.dot(a) / normal.dot(ray.direction);
    // A ray in the plane gives no number, and no hit.
    if t >= ray.tmin && t <= ray.tmax { t } else { f32::INFINITY }
}
