//! Rays in the kd-tree against a test of every triangle.

use phasefront_mesh::targets::{aircraft_b, cuboid, missile, plate, sphere};
use phasefront_mesh::{KdTree, Steps, TriangleMesh};

type Vector = [f32; 3];
type Triangle = [Vector; 3];

fn sub(a: Vector, b: Vector) -> Vector {
    [0, 1, 2].map(|i| a[i] - b[i])
}

fn dot(a: Vector, b: Vector) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn along(origin: Vector, t: f32, direction: Vector) -> Vector {
    [0, 1, 2].map(|i| origin[i] + t * direction[i])
}

/// Along a ray to a triangle, or infinity; edges belong to both triangles. In double precision: a test that is worse than the
/// tree's margins finds triangles where the ray is not.
fn distance(triangle: &Triangle, origin: Vector, direction: Vector) -> f32 {
    let minus = |a: [f64; 3], b: [f64; 3]| [0, 1, 2].map(|i| a[i] - b[i]);
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let direction = direction.map(f64::from);
    let [a, b, c] = triangle.map(|corner| minus(corner.map(f64::from), origin.map(f64::from)));
    let sides = [cross(b, a), cross(c, b), cross(a, c)].map(|edge| dot(edge, direction));
    let inside = sides.iter().all(|&s| s >= 0.0) || sides.iter().all(|&s| s <= 0.0);
    let normal = cross(minus(b, a), minus(c, a));
    let t = dot(normal, a) / dot(normal, direction);
    if inside && t >= 0.0 { t as f32 } else { f32::INFINITY }
}

/// Repeatable numbers in [−1, 1): xorshift (Marsaglia 2003).
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 40) as f32) / (1u32 << 23) as f32 - 1.0
    }

    fn vector(&mut self) -> Vector {
        [self.next(), self.next(), self.next()]
    }
}

fn triangles(mesh: &TriangleMesh) -> Vec<Triangle> {
    let [low, high] = mesh.bounds();
    let middle = [0, 1, 2].map(|i| 0.5 * (low[i] + high[i]));
    let corner = |p: [f64; 3]| [0, 1, 2].map(|i| (p[i] - middle[i]) as f32);
    (0..mesh.triangles.len()).map(|t| mesh.corners(t).map(corner)).collect()
}

fn radius(triangles: &[Triangle]) -> f32 {
    triangles.iter().flatten().map(|&p| dot(p, p).sqrt()).fold(0.0, f32::max)
}

/// What a ray did: its hits by walking with ropes, which must be those of the stack and of a test of all triangles.
struct Check<'a> {
    triangles: &'a [Triangle],
    tree: KdTree,
}

impl<'a> Check<'a> {
    fn new(triangles: &'a [Triangle]) -> Self {
        Self { triangles, tree: KdTree::new(triangles) }
    }

    /// The hit of a ray that has just left triangle `left`.
    #[track_caller]
    fn ray(
        &self,
        origin: Vector,
        direction: Vector,
        leaf: &mut Option<u32>,
        left: Option<u32>,
    ) -> Option<(u32, f32)> {
        let (mut roped, mut standard) = (Steps::default(), Steps::default());
        let test = |id: u32| {
            if Some(id) == left {
                f32::INFINITY
            } else {
                distance(&self.triangles[id as usize], origin, direction)
            }
        };
        let found = self.tree.closest(origin, direction, leaf, &mut roped, test);
        let with_stack = self.tree.closest_from_root(origin, direction, &mut standard, test);
        let expected = (0..self.triangles.len() as u32).map(test).fold(f32::INFINITY, f32::min);
        let t = |hit: Option<(u32, f32)>| hit.map_or(f32::INFINITY, |hit| hit.1);
        assert_eq!(t(found), expected, "ropes: {origin:?} along {direction:?}");
        assert_eq!(t(with_stack), expected, "stack: {origin:?} along {direction:?}");
        assert_eq!(leaf.is_some(), found.is_some());
        found
    }

    /// A ray with up to five reflections.
    #[track_caller]
    fn bounces(&self, mut origin: Vector, mut direction: Vector) -> usize {
        let (mut leaf, mut left) = (None, None);
        for bounce in 0..5 {
            let Some((id, t)) = self.ray(origin, direction, &mut leaf, left) else { return bounce };
            let [a, b, c] = self.triangles[id as usize];
            let normal = cross(sub(b, a), sub(c, a));
            let turn = -2.0 * dot(direction, normal) / dot(normal, normal);
            origin = along(origin, t, direction);
            direction = along(direction, turn, normal);
            left = Some(id);
        }
        5
    }

    /// From outside toward positions in the target's box, and from inside it; hits of both.
    #[track_caller]
    fn random_rays(&self, count: usize, seed: u64) -> usize {
        let (radius, mut noise) = (radius(self.triangles), Noise(seed));
        let corners = || self.triangles.iter().flatten();
        let half = [0, 1, 2].map(|i| corners().fold(0.0_f32, |most, p| most.max(p[i].abs())));
        let mut hits = 0;
        for _ in 0..count {
            let target = noise.vector();
            let target = [0, 1, 2].map(|i| half[i] * target[i]);
            let direction = noise.vector();
            let length = dot(direction, direction).sqrt();
            let direction = direction.map(|d| d / length);
            hits += self.bounces(along(target, -2.0 * radius, direction), direction);
            hits += self.bounces(target, direction);
        }
        hits
    }

    /// Along the axes, through positions where planes, edges and corners are, and next to them.
    #[track_caller]
    fn axis_parallel_rays(&self, positions: impl Iterator<Item = Vector> + Clone) -> usize {
        let radius = radius(self.triangles);
        let mut hits = 0;
        for position in positions {
            for axis in 0..3 {
                for (forward, zero) in [(1.0, 0.0), (1.0, -0.0), (-1.0, 0.0), (-1.0, -0.0_f32)] {
                    let mut direction = [zero; 3];
                    direction[axis] = forward;
                    let mut origin = position;
                    origin[axis] = -1.5 * radius * forward;
                    hits += self.bounces(origin, direction);
                    hits += self.bounces(position, direction);
                }
            }
        }
        hits
    }
}

/// Corners, middles of edges and centers of every n-th triangle, and the next numbers beside them.
fn positions(triangles: &[Triangle], step: usize) -> impl Iterator<Item = Vector> + Clone {
    triangles.iter().step_by(step).flat_map(|&[a, b, c]| {
        let middle = along(a.map(|x| 0.5 * x), 0.5, b);
        let center = [0, 1, 2].map(|i| (a[i] + b[i] + c[i]) / 3.0);
        [a, middle, center, a.map(f32::next_up), middle.map(f32::next_down)]
    })
}

#[test]
fn a_plate_without_thickness() {
    for cells in [[1, 1], [7, 5]] {
        let triangles = triangles(&plate([0.3, 0.2], cells).unwrap());
        let check = Check::new(&triangles);
        assert!(check.random_rays(2000, 1) > 500);
        assert!(check.axis_parallel_rays(positions(&triangles, 1)) > 0);
    }
}

#[test]
fn a_cuboid_along_the_axes() {
    let triangles = triangles(&cuboid([1.0, 2.0, 0.5], [5, 4, 3]).unwrap());
    let check = Check::new(&triangles);
    assert!(check.random_rays(2000, 2) > 2000);
    assert!(check.axis_parallel_rays(positions(&triangles, 3)) > 0);
}

#[test]
fn a_sphere() {
    let triangles = triangles(&sphere(1.0, 12).unwrap());
    let check = Check::new(&triangles);
    assert!(check.random_rays(1000, 3) > 2000);
    check.axis_parallel_rays(positions(&triangles, 40));
}

#[test]
fn a_missile_and_an_aircraft() {
    for (mesh, rays, step) in [(missile(), 1000, 10), (aircraft_b(), 150, 1000)] {
        let triangles = triangles(&mesh);
        let check = Check::new(&triangles);
        assert!(check.random_rays(rays, 4) > rays / 5);
        check.axis_parallel_rays(positions(&triangles, step));
    }
}

/// Triangles that cross each other, of many sizes, some without area.
#[test]
fn a_soup() {
    let mut noise = Noise(5);
    let mut soup: Vec<Triangle> = (0..300)
        .map(|i| {
            let position = noise.vector();
            let size = 0.005 * 1.02_f32.powi(i);
            [0, 1, 2].map(|_| along(position, size, noise.vector()))
        })
        .collect();
    soup.push([[0.5; 3]; 3]);
    soup.push([[0.0; 3], [0.25; 3], [0.5; 3]]);
    let check = Check::new(&soup);
    assert!(check.random_rays(2000, 6) > 2000);
    check.axis_parallel_rays(positions(&soup, 10));
}

/// Rays that start on faces of leaves and run in them, and directions with tiny components.
#[test]
fn rays_in_the_planes_of_the_tree() {
    let triangles = triangles(&sphere(1.0, 6).unwrap());
    let check = Check::new(&triangles);
    let flat = check.tree.flat();
    for corners in flat.boxes.chunks_exact(6) {
        let (low, high) = ([0, 1, 2].map(|i| corners[i]), [0, 1, 2].map(|i| corners[3 + i]));
        for (from, to) in [(low, high), (high, low), (low, [high[0], high[1], low[2]])] {
            let direction = sub(to, from);
            let length = dot(direction, direction).sqrt();
            check.ray(from, direction.map(|d| d / length), &mut None, None);
            check.ray(from, [1.0, 1e-38, -1e-45], &mut None, None);
            check.ray(from, [0.0, -1.0, 1e-30], &mut None, None);
        }
    }
}

#[test]
fn what_is_no_ray_and_no_triangle() {
    let triangle = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let broken = [[f32::NAN, 0.0, 0.0], [1.0, 0.0, 0.0], [f32::INFINITY, 1.0, 0.0]];
    for triangles in [vec![], vec![broken], vec![triangle, broken]] {
        let tree = KdTree::new(&triangles);
        for direction in [[0.0; 3], [f32::NAN; 3], [0.0, 0.0, -1.0], [f32::INFINITY, 0.0, 0.0]] {
            for origin in [[0.0; 3], [0.1, 0.1, 1.0], [f32::NAN; 3], [f32::INFINITY; 3]] {
                let mut steps = Steps::default();
                tree.closest(origin, direction, &mut None, &mut steps, |_| f32::INFINITY);
                tree.closest(origin, direction, &mut Some(0), &mut steps, |_| f32::NAN);
                tree.closest(origin, direction, &mut Some(99), &mut steps, |_| f32::NAN);
                tree.closest_from_root(origin, direction, &mut steps, |_| f32::INFINITY);
                assert!(steps.leaves <= 4, "{steps:?}");
            }
        }
    }
}

/// The paper's table II: ropes save interior steps, and more so for reflected rays.
#[test]
fn ropes_save_steps() {
    let triangles = triangles(&aircraft_b());
    let tree = KdTree::new(&triangles);
    let radius = radius(&triangles);
    let direction = [0.6, 0.64, -0.48];
    let mut noise = Noise(7);
    let [mut roped, mut standard] = [[Steps::default(); 2]; 2];
    for _ in 0..20_000 {
        let target = noise.vector().map(|x| 0.3 * radius * x);
        let origin = along(target, -1.5 * radius, direction);
        let mut leaf = None;
        let test = |id: u32| distance(&triangles[id as usize], origin, direction);
        tree.closest_from_root(origin, direction, &mut standard[0], test);
        let Some((id, t)) = tree.closest(origin, direction, &mut leaf, &mut roped[0], test) else { continue };
        let [a, b, c] = triangles[id as usize];
        let normal = cross(sub(b, a), sub(c, a));
        let point = along(origin, t, direction);
        let on = along(direction, -2.0 * dot(direction, normal) / dot(normal, normal), normal);
        let test = |other: u32| {
            if other == id { f32::INFINITY } else { distance(&triangles[other as usize], point, on) }
        };
        tree.closest_from_root(point, on, &mut standard[1], test);
        tree.closest(point, on, &mut leaf, &mut roped[1], test);
    }
    println!("{:?}\nropes {roped:?}\nstack {standard:?}", tree.size());
    assert!(roped[0].interior < standard[0].interior);
    assert!(2 * roped[1].interior < standard[1].interior);
}
