//! Traversal of a kd-tree in kernels against that of the mesh crate.

use phasefront_device::{Arg, Backend, Gpu, Grid, KernelSource, for_each_gpu, testing};
use phasefront_mesh::targets::{aircraft_a, plate, square_trihedral};
use phasefront_mesh::{KdTree, Steps, TriangleMesh};

const KERNEL: KernelSource = KernelSource {
    name: "sbr/kdtree.cu",
    text: concat!(
        "#line 1 \"sbr/kdtree.h\"\n",
        include_str!("../../kernels/kdtree.h"),
        "#line 1 \"sbr/kdtree.cu\"\n",
        include_str!("kdtree.cu")
    ),
};
const BOUNCES: usize = 4;

type Vector = [f32; 3];

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

/// Distance to a triangle in double precision: inside if d·(a × b), d·(b × c) and d·(c × a) have one sign.
fn distance(triangle: &[Vector; 3], origin: Vector, direction: Vector) -> f32 {
    let double = |v: Vector| v.map(f64::from);
    let [a, b, c] = triangle.map(double).map(|p| [0, 1, 2].map(|i| p[i] - f64::from(origin[i])));
    let d = double(direction);
    let volume = |a: [f64; 3], b: [f64; 3], c: [f64; 3]| {
        a[0] * (b[1] * c[2] - b[2] * c[1])
            + a[1] * (b[2] * c[0] - b[0] * c[2])
            + a[2] * (b[0] * c[1] - b[1] * c[0])
    };
    let sides = [volume(d, a, b), volume(d, b, c), volume(d, c, a)];
    if !(sides.iter().all(|&s| s >= 0.0) || sides.iter().all(|&s| s <= 0.0)) {
        return f32::INFINITY;
    }
    (volume(a, b, c) / sides.iter().sum::<f64>()) as f32
}

struct Scene {
    triangles: Vec<[Vector; 3]>,
    tree: KdTree,
    /// Minimum distance of a hit after a reflection.
    nearest: f32,
    radius: f32,
}

impl Scene {
    fn new(mesh: &TriangleMesh) -> Self {
        let [low, high] = mesh.bounds();
        let centered = |p: [f64; 3]| [0, 1, 2].map(|i| (p[i] - 0.5 * (low[i] + high[i])) as f32);
        let triangles: Vec<_> = (0..mesh.triangles.len()).map(|t| mesh.corners(t).map(centered)).collect();
        let radius = 0.5 * mesh.diagonal() as f32;
        Self { tree: KdTree::new(&triangles), triangles, nearest: 8.0 * f32::EPSILON * radius, radius }
    }

    /// A grid of parallel rays over the whole target.
    fn rays(&self, side: usize, direction: Vector) -> Vec<[Vector; 2]> {
        let length = dot(direction, direction).sqrt();
        let d = direction.map(|x| x / length);
        let u = if d[2].abs() < 0.9 { cross(d, [0.0, 0.0, 1.0]) } else { [1.0, 0.0, 0.0] };
        let v = cross(d, u);
        let at = |i: usize| self.radius * ((2 * i) as f32 / (side - 1).max(1) as f32 - 1.0);
        let start =
            |n: usize| along(along(along([0.0; 3], at(n % side), u), at(n / side), v), -2.0 * self.radius, d);
        (0..side * side).map(|n| [start(n), d]).collect()
    }

    /// Triangles and distances of a ray's hits.
    fn on_cpu(&self, [mut origin, mut direction]: [Vector; 2]) -> Vec<(i32, f32)> {
        let (mut leaf, mut left, mut hits) = (None, None, Vec::new());
        for bounce in 0..BOUNCES {
            let nearest = if bounce == 0 { 0.0 } else { self.nearest };
            let test = |id: u32| {
                let t = distance(&self.triangles[id as usize], origin, direction);
                if Some(id) == left || t < nearest { f32::INFINITY } else { t }
            };
            let found = self.tree.closest(origin, direction, &mut leaf, &mut Steps::default(), test);
            let Some((id, t)) = found else { break };
            hits.push((id as i32, t));
            let [a, b, c] = self.triangles[id as usize];
            let normal = cross(sub(b, a), sub(c, a));
            let turn = -2.0 * dot(direction, normal) / dot(normal, normal);
            origin = along(origin, t, direction);
            direction = along(direction, turn, normal);
            left = Some(id);
        }
        hits
    }

    fn on_gpu(&self, gpu: &dyn Gpu, rays: &[[Vector; 2]]) -> Vec<Vec<(i32, f32)>> {
        let flat = self.tree.flat();
        let ints =
            [&flat.tags, &flat.ropes, &flat.spans, &flat.ids].map(|values| gpu.upload(values).unwrap());
        let [tags, ropes, spans, ids] = &ints;
        let corners = self.triangles.as_flattened().as_flattened();
        let floats = [
            &flat.splits,
            &flat.boxes,
            flat.bounds.as_flattened(),
            corners,
            rays.as_flattened().as_flattened(),
        ]
        .map(|values| gpu.upload(values).unwrap());
        let [splits, boxes, bounds, corners, starts] = &floats;
        let hits = gpu.upload(&vec![-1_i32; rays.len() * BOUNCES]).unwrap();
        let distances = gpu.alloc::<f32>(rays.len() * BOUNCES).unwrap();
        let args = [
            tags.into(),
            splits.into(),
            boxes.into(),
            ropes.into(),
            spans.into(),
            ids.into(),
            bounds.into(),
            corners.into(),
            starts.into(),
            (&hits).into(),
            (&distances).into(),
            Arg::I32(BOUNCES as i32),
            Arg::F32(self.nearest),
            Arg::I64(rays.len() as i64),
        ];
        let defines = super::plain().defines();
        let defines: Vec<(&str, &str)> = defines.iter().map(|(name, text)| (*name, text.as_str())).collect();
        let program = gpu.compile(&KERNEL, &defines).unwrap();
        gpu.launch(&*program, "kd_bounces", Grid::cover(rays.len(), 64), &args).unwrap();
        let (hits, distances) = (gpu.download(&hits).unwrap(), gpu.download(&distances).unwrap());
        let rows = hits.chunks(BOUNCES).zip(distances.chunks(BOUNCES));
        rows.map(|(hits, distances)| {
            hits.iter().copied().zip(distances.iter().copied()).take_while(|(id, _)| *id >= 0).collect()
        })
        .collect()
    }
}

/// Number of hits. The paths of all rays must agree, except for one in a thousand that hits an edge within rounding.
fn agree(gpu: &dyn Gpu, mesh: &TriangleMesh, side: usize, direction: Vector) -> usize {
    let scene = Scene::new(mesh);
    let rays = scene.rays(side, direction);
    let got = scene.on_gpu(gpu, &rays);
    let (mut apart, mut hits) = (0, 0);
    for (ray, got) in rays.iter().zip(&got) {
        let expected = scene.on_cpu(*ray);
        hits += expected.len();
        if got.iter().map(|hit| hit.0).ne(expected.iter().map(|hit| hit.0)) {
            apart += 1;
            continue;
        }
        for (got, expected) in got.iter().zip(&expected) {
            assert!((got.1 - expected.1).abs() < 1e-4 * scene.radius, "{ray:?}: {got:?} and {expected:?}");
        }
    }
    assert!(1000 * apart <= rays.len(), "{apart} of {} rays go another way", rays.len());
    hits
}

for_each_gpu! {
    fn kernels_traverse_as_the_cpu_does(backend: &Backend) {
        let Backend::Gpu(gpu) = backend else { return };
        // Three bounces, a body with 13,050 triangles, and a plate at normal incidence, along an axis.
        assert!(agree(&**gpu, &square_trihedral(1.0, 4).unwrap(), 70, [-0.5, -0.6, -0.55]) > 2000);
        assert!(agree(&**gpu, &aircraft_a(), 90, [-0.8, 0.5, 0.3]) > 500);
        assert!(agree(&**gpu, &plate([0.3, 0.2], [3, 5]).unwrap(), 61, [0.0, -0.0, -1.0]) > 500);
        // A single ray, and one that misses.
        assert_eq!(agree(&**gpu, &plate([0.3, 0.2], [1, 1]).unwrap(), 1, [0.0, 0.0, -1.0]), 0);
    }
}

#[test]
fn the_kernel_compiles_for_every_architecture() {
    let defines = super::plain().defines();
    let defines: Vec<(&str, &str)> = defines.iter().map(|(name, text)| (*name, text.as_str())).collect();
    testing::compile_for_all_architectures(&KERNEL, &defines);
}
