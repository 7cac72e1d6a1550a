//! Rays per second by kind, on the CPU also by tree, over one of the paper's aircraft; with
//! `--compare`, Embree on the same rays in the same run.

use super::setup::{FREQUENCY, TUBE, centered, reflected};
use crate::error::BenchError;
use crate::harness::{Bench, median_seconds, pool};
use crate::python::{self, PYTHON};
use glam::{DVec3, Vec3};
use phasefront_core::constants::C0;
use phasefront_mesh::bvh::{Bvh, NOTHING, Sheaf, TILE};
use phasefront_mesh::targets::aircraft_b;
use phasefront_mesh::{KdTree, Steps, TriangleMesh};
use phasefront_sbr::{Aspect, Bounces, Direction, Problem, Surface, Tubes, prepare};
use rayon::ThreadPool;
use rayon::prelude::*;
use serde::Deserialize;

const REPEATS: usize = 3;
/// Fraction of tiles (one in `SPARSE`) for single and bounced rays, which take longer.
const SPARSE: usize = 8;
/// Direction of incidence: 30° off the nose and slightly from above, so that wings, fuselage and
/// fins are illuminated.
const LOOK: [f64; 2] = [75.0, 30.0];
const SCRIPT: &str = include_str!("embree.py");

/// A ray reflected by a triangle, and its leaf of the kd-tree.
struct Bounced {
    ray: [[f32; 3]; 2],
    left: u32,
    leaf: Option<u32>,
}

/// A grid of parallel rays over a target, in tiles, and the trees they traverse.
pub(super) struct Shot {
    triangles: Vec<[[f32; 3]; 3]>,
    bvh: Bvh,
    kd: KdTree,
    sheaf: Sheaf,
    corner: [f64; 2],
    step: f64,
    tiles: [usize; 2],
    /// Distance of the origins of single rays from the center.
    back: f64,
    /// Nearest hit after a bounce.
    nearest: f32,
}

/// Indices of the triangles hit.
type Found = Vec<u32>;

pub(super) fn run(bench: &mut Bench<'_>) -> Result<(), BenchError> {
    let shot = Shot::new(&aircraft_b());
    let bounced = shot.bounced();
    let most = rayon::current_num_threads();
    let counts = if most > 1 { vec![1, most] } else { vec![1] };
    let mut wanted = bench.compare;
    for threads in counts {
        bench.progress.check()?;
        let embree = if wanted { shot.embree(bench, &bounced, threads) } else { None };
        wanted &= embree.is_some();
        shot.measure(bench, &bounced, &pool(threads)?, embree.as_ref())?;
    }
    on_gpu(bench)
}

/// The paper's rays on a GPU: primary rays that hit, and bounced rays.
fn on_gpu(bench: &mut Bench<'_>) -> Result<(), BenchError> {
    let problem = Problem {
        mesh: aircraft_b(),
        frequencies: vec![FREQUENCY],
        tube_width: TUBE,
        tubes: Tubes::RayGrid,
        bounces: Bounces::AtMost(2),
        aspects: vec![Aspect::monostatic(Direction::degrees(LOOK[0], LOOK[1]))],
        surface: Surface::Facets,
        ..Problem::default()
    };
    let study = prepare(problem)?;
    let solver = study.solver(bench.backend)?;
    let Some(times) = solver.ray_times(REPEATS)? else { return Ok(()) };
    let device = bench.backend.name();
    for (name, seconds) in [("primary, those that hit", times.first), ("bounced", times.bounced)] {
        bench.report_beside(format!("sbr {name}"), device, seconds, (times.hits as f64, "rays/s"), None);
    }
    Ok(())
}

impl Shot {
    pub fn new(mesh: &TriangleMesh) -> Self {
        let triangles = centered(mesh);
        let [theta, phi] = LOOK.map(f64::to_radians);
        let k = -DVec3::new(theta.sin() * phi.cos(), theta.sin() * phi.sin(), theta.cos());
        let u = DVec3::new(-phi.sin(), phi.cos(), 0.0);
        let sheaf = Sheaf { k, u, v: k.cross(u) };
        let points = || triangles.iter().flatten().map(|&p| Vec3::from(p).as_dvec3());
        let extent = |axis: DVec3| points().map(|p| p.dot(axis).abs()).fold(0.0, f64::max);
        let step = TUBE * C0 / FREQUENCY;
        let half = [sheaf.u, sheaf.v].map(extent);
        let back = 1.01 * points().map(DVec3::length).fold(0.0, f64::max);
        let nearest = 8.0 * f32::EPSILON * back as f32;
        Self {
            bvh: Bvh::new(&triangles, nearest),
            kd: KdTree::new(&triangles),
            triangles,
            sheaf,
            corner: half.map(|half| -half),
            step,
            tiles: half.map(|half| (2.0 * half / step) as usize / TILE + 1),
            back,
            nearest,
        }
    }

    fn tile_count(&self) -> usize {
        self.tiles[0] * self.tiles[1]
    }

    pub fn ray_count(&self) -> f64 {
        (self.tile_count() * TILE * TILE) as f64
    }

    /// Coordinates of a tile's first ray along u and v.
    fn tile_corner(&self, n: usize) -> [f64; 2] {
        let width = self.step * TILE as f64;
        let indices = [n % self.tiles[0], n / self.tiles[0]];
        [0, 1].map(|axis| self.corner[axis] + width * indices[axis] as f64)
    }

    /// The rays of a tile one by one, row by row.
    fn rays(&self, tile: usize) -> impl Iterator<Item = [[f32; 3]; 2]> {
        let [x, y] = self.tile_corner(tile);
        (0..TILE * TILE).map(move |n| {
            let [x, y] = [x + self.step * (n % TILE) as f64, y + self.step * (n / TILE) as f64];
            let start = x * self.sheaf.u + y * self.sheaf.v - self.back * self.sheaf.k;
            [start, self.sheaf.k].map(|p| p.as_vec3().to_array())
        })
    }

    pub fn primary_by_packets(&self) -> Found {
        let mut found = vec![NOTHING; self.tile_count() * TILE * TILE];
        found.par_chunks_mut(TILE * TILE).enumerate().for_each(|(n, found)| {
            let tile = self.bvh.tile(&self.sheaf, self.tile_corner(n), self.step);
            found.copy_from_slice(tile.triangles.as_flattened());
        });
        found
    }

    fn primary_one_by_one(&self, closest: impl Fn([[f32; 3]; 2]) -> u32 + Sync) -> Found {
        let tiles = (0..self.tile_count()).into_par_iter().step_by(SPARSE);
        tiles.flat_map_iter(|n| self.rays(n).map(&closest)).collect()
    }

    /// Rays after their first bounce, in the order of the tiles.
    fn bounced(&self) -> Vec<Bounced> {
        let of_tile = |n: usize| {
            self.rays(n).filter_map(|ray| {
                let (mut leaf, mut steps) = (None, Steps::default());
                let test = |id: u32| distance(&self.triangles[id as usize], ray, 0.0);
                let (left, t) = self.kd.closest(ray[0], ray[1], &mut leaf, &mut steps, test)?;
                Some(Bounced { ray: reflected(ray, t, &self.triangles[left as usize]), left, leaf })
            })
        };
        (0..self.tile_count()).step_by(SPARSE).flat_map(of_tile).collect()
    }

    /// Distance to a triangle along a ray reflected by another one, or infinity.
    fn distance(&self, id: u32, ray: [[f32; 3]; 2], left: u32) -> f32 {
        let nearest = if left == NOTHING { 0.0 } else { self.nearest };
        if id == left { f32::INFINITY } else { distance(&self.triangles[id as usize], ray, nearest) }
    }

    fn by_bvh(&self, ray: [[f32; 3]; 2], left: u32) -> u32 {
        let found = self.bvh.closest(ray[0], ray[1], |id| {
            let t = self.distance(id, ray, left);
            t.is_finite().then_some(f64::from(t))
        });
        found.map_or(NOTHING, |hit| hit.0)
    }

    fn by_kd(&self, ray: [[f32; 3]; 2], left: u32, mut leaf: Option<u32>) -> u32 {
        let test = |id: u32| self.distance(id, ray, left);
        let found = self.kd.closest(ray[0], ray[1], &mut leaf, &mut Steps::default(), test);
        found.map_or(NOTHING, |hit| hit.0)
    }

    fn measure(
        &self,
        bench: &mut Bench<'_>,
        bounced: &[Bounced],
        pool: &ThreadPool,
        embree: Option<&Peer>,
    ) -> Result<(), BenchError> {
        let (primary, then) = (self.ray_count(), bounced.len() as f64);
        let one_in = primary / (self.tile_count().div_ceil(SPARSE) * TILE * TILE) as f64;
        let list = |closest: &(dyn Fn(&Bounced) -> u32 + Sync)| bounced.par_iter().map(closest).collect();
        let theirs = embree.map(|peer| peer.report(bench, [primary, then], pool.current_num_threads()));
        // Hits of the first method of each kind, as a reference for the others.
        let mut all = [Found::new(), Found::new()];
        let mut row = |name: &str, kind: usize, part: f64, shoot: &(dyn Fn() -> Found + Sync)| {
            bench.progress.check()?;
            let mut found = Found::new();
            let seconds = median_seconds(REPEATS, || {
                found = pool.install(shoot);
                Ok(())
            })?;
            let work = [primary, then][kind] / part;
            // Reference: Embree, packets on the same tiles, or the first method of bounced rays.
            let expected = match embree {
                Some(peer) if part == 1.0 => peer.hits[kind] as f64,
                _ if all[kind].is_empty() => hits(&found),
                _ if kind == 0 => sparse_hits(&all[0]),
                _ => hits(&all[1]),
            };
            let error = (hits(&found) - expected).abs() / expected;
            let other = theirs.map(|theirs| (theirs[kind] / part, "embree"));
            let workload = format!("sbr {name}, {}", threads_text(pool.current_num_threads()));
            bench.report_checked(workload, "cpu", (seconds, Some(error)), (work, "rays/s"), other);
            if part == 1.0 {
                all[kind] = found;
            }
            Ok::<_, BenchError>(())
        };
        row("primary, packets", 0, 1.0, &|| self.primary_by_packets())?;
        row("primary, one by one", 0, one_in, &|| self.primary_one_by_one(|ray| self.by_bvh(ray, NOTHING)))?;
        row("primary, kd-tree", 0, one_in, &|| {
            self.primary_one_by_one(|ray| self.by_kd(ray, NOTHING, None))
        })?;
        row("bounced", 1, 1.0, &|| list(&|b| self.by_bvh(b.ray, b.left)))?;
        row("bounced, kd-tree", 1, 1.0, &|| list(&|b| self.by_kd(b.ray, b.left, b.leaf)))
    }

    /// Without Embree, a note explains how to install it.
    fn embree(&self, bench: &Bench<'_>, bounced: &[Bounced], threads: usize) -> Option<Peer> {
        match self.ask_embree(bounced, threads) {
            Ok(peer) => {
                bench.progress.note(&format!("compared with {}, threads: {threads}", peer.version));
                Some(peer)
            }
            Err(reason) => {
                bench.progress.note(&format!(
                    "no comparison with Embree: {reason}; `pip install embreex` into the {PYTHON} of the PATH, beside a C compiler"
                ));
                None
            }
        }
    }

    fn ask_embree(&self, bounced: &[Bounced], threads: usize) -> Result<Peer, String> {
        let Sheaf { k, u, v } = self.sheaf;
        let start = self.corner[0] * u + self.corner[1] * v - self.back * k;
        let grid = [start, self.step * u, self.step * v, k].into_iter().flat_map(|p| p.to_array());
        // Packets of 4 × 4 rays: four to a tile.
        let packets = self.tiles.map(|tiles| tiles * TILE / 4);
        let counts = [self.triangles.len(), bounced.len(), packets[0], packets[1], threads];
        let numbers = std::iter::once(f64::from(self.nearest)).chain(grid).map(|x| x.to_string());
        let arguments: Vec<String> = counts.iter().map(ToString::to_string).chain(numbers).collect();
        let rays: Vec<[[f32; 3]; 2]> = bounced.iter().map(|bounced| bounced.ray).collect();
        let left: Vec<u32> = bounced.iter().map(|bounced| bounced.left).collect();
        let input =
            [bytemuck::cast_slice(&self.triangles), bytemuck::cast_slice(&rays), bytemuck::cast_slice(&left)];
        python::run(PYTHON, SCRIPT, &arguments, threads, &input)
    }
}

/// The output of the script: seconds of the primary rays, and of the bounced ones in packets of 16
/// and singly; and hits of both.
#[derive(Debug, Deserialize)]
struct Peer {
    version: String,
    primary_s: f64,
    packets_s: f64,
    singles_s: f64,
    hits: [u64; 2],
}

impl Peer {
    /// Seconds of its primary and bounced rays, after a row for each.
    fn report(&self, bench: &mut Bench<'_>, rays: [f64; 2], threads: usize) -> [f64; 2] {
        let (packets, bounced) =
            if self.packets_s < self.singles_s { (16, self.packets_s) } else { (1, self.singles_s) };
        let ways = [
            ("primary, packets of 16".to_owned(), self.primary_s),
            (format!("bounced, packets of {packets}"), bounced),
        ];
        for ((name, seconds), rays) in ways.into_iter().zip(rays) {
            let workload = format!("embree {name}, {}", threads_text(threads));
            bench.report_beside(workload, "cpu", seconds, (rays, "rays/s"), None);
        }
        [self.primary_s, bounced]
    }
}

fn threads_text(threads: usize) -> String {
    if threads == 1 { "1 thread".into() } else { format!("{threads} threads") }
}

fn hits(found: &[u32]) -> f64 {
    found.iter().filter(|&&id| id != NOTHING).count() as f64
}

/// Hits in the tiles whose rays are traced singly.
fn sparse_hits(found: &[u32]) -> f64 {
    found.chunks(TILE * TILE).step_by(SPARSE).map(hits).sum()
}

/// Distance along a ray to a triangle, or infinity without a hit beyond `nearest`: Möller and
/// Trumbore (J. Graphics Tools 2, 21, 1997), in single precision as in the paper.
pub(super) fn distance(triangle: &[[f32; 3]; 3], [origin, direction]: [[f32; 3]; 2], nearest: f32) -> f32 {
    let [origin, direction] = [origin, direction].map(Vec3::from);
    let [a, b, c] = triangle.map(Vec3::from);
    let (e, f, s) = (b - a, c - a, origin - a);
    let (p, q) = (direction.cross(f), s.cross(e));
    let scale = 1.0 / e.dot(p);
    let (u, v, t) = (s.dot(p) * scale, direction.dot(q) * scale, f.dot(q) * scale);
    if u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t >= nearest { t } else { f32::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is compared is the same work: every way finds as many hits.
    #[test]
    fn ours_and_embree_do_the_same_work() {
        let shot = Shot { step: 0.1, ..Shot::new(&aircraft_b()) };
        let tiles = shot.corner.map(|corner| (-2.0 * corner / shot.step) as usize / TILE + 1);
        let shot = Shot { tiles, ..shot };
        let packets = shot.primary_by_packets();
        let others = [
            shot.primary_one_by_one(|ray| shot.by_bvh(ray, NOTHING)),
            shot.primary_one_by_one(|ray| shot.by_kd(ray, NOTHING, None)),
        ];
        let few = sparse_hits(&packets);
        assert!(others.iter().all(|other| (few - hits(other)).abs() < 0.01 * few), "{few}");
        let packets = hits(&packets);
        assert!(packets > 1000.0);
        let bounced = shot.bounced();
        match shot.ask_embree(&bounced, 1) {
            Ok(peer) => {
                assert!(peer.version.starts_with("Embree 4") && peer.primary_s > 0.0);
                assert!((packets - peer.hits[0] as f64).abs() < 0.002 * packets, "{packets} {peer:?}");
            }
            Err(reason) => assert!(reason.contains(PYTHON) || reason.contains("No module named"), "{reason}"),
        }
    }
}
