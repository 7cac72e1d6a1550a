//! The tables of Tao, Lin and Bao (IEEE Trans. Antennas Propag. 58, 2010) reproduced on this
//! machine, with targets of their sizes and numbers of triangles. `docs/sbr-paper.md` compares
//! both.

use super::rays::distance;
use super::setup::{FREQUENCY, TUBE, around_z, centered, reflected, solve_seconds};
use crate::error::BenchError;
use crate::harness::{Bench, noise};
use glam::Vec3;
use phasefront_core::constants::C0;
use phasefront_device::Backend;
use phasefront_mesh::targets::{aircraft_a, aircraft_b, missile, ship};
use phasefront_mesh::{KdTree, MeshError, Steps, TriangleMesh};
use phasefront_sbr::{Aspect, Bounces, Counts, Direction, Problem, Surface, Tracer, Tubes};
use rayon::prelude::*;
use std::time::Instant;

/// Directions of the paper's sweeps, and bounces.
const DIRECTIONS: usize = 361;
const BOUNCES: usize = 5;
/// Approximate time limit of a sweep in seconds; longer ones are extrapolated from as many
/// directions as fit.
const BUDGET: f64 = 4.0;
/// Rays of table II: directions, and rays over the target's box in each.
const SAMPLED_DIRECTIONS: usize = 12;
const SAMPLED_RAYS: usize = 40_000;
/// Rays that are tested against every triangle.
const BRUTE_RAYS: usize = 400;

/// One of the paper's targets.
struct Target {
    name: &'static str,
    mesh: TriangleMesh,
    /// Rotates about y, not z.
    about_y: bool,
    /// Seconds of table III: every triangle tested (given for two) and kd-tree on a Core 2 Duo, kd-tree on a GeForce 8800 GTX.
    seconds: [Option<f64>; 3],
}

fn targets() -> Result<[Target; 4], MeshError> {
    let target = |name, mesh, seconds| Target { name, mesh, about_y: false, seconds };
    Ok([
        target("missile", missile(), [Some(583.9), Some(39.0), Some(1.6)]),
        Target { about_y: true, ..target("ship", ship()?, [Some(1798.7), Some(45.9), Some(1.5)]) },
        target("aircraft A", aircraft_a(), [None, Some(7359.7), Some(231.2)]),
        target("aircraft B", aircraft_b(), [None, Some(15309.3), Some(368.2)]),
    ])
}

pub(super) fn run(bench: &mut Bench<'_>) -> Result<(), BenchError> {
    let targets = targets()?;
    for target in &targets {
        bench.progress.check()?;
        let triangles = centered(&target.mesh);
        let start = Instant::now();
        let tree = KdTree::new(&triangles);
        memory(bench, target.name, &tree, start.elapsed().as_secs_f64());
        let rays = steps(bench, target, &triangles, &tree);
        times(bench, target, &triangles, &rays)?;
    }
    Ok(())
}

/// Table I; the time is that of building the tree.
fn memory(bench: &mut Bench<'_>, name: &str, tree: &KdTree, seconds: f64) {
    let size = tree.size();
    for (what, count, unit) in [
        ("leaves", size.leaves, "leaves"),
        ("triangles", size.triangle_bytes, "byte"),
        ("basic tree", size.basic_bytes, "byte"),
        ("ropes", size.rope_bytes, "byte"),
    ] {
        figure(bench, format!("paper I {name}, {what}"), seconds, count as f64, unit);
    }
}

/// A row whose value is not a rate.
fn figure(bench: &mut Bench<'_>, workload: String, seconds: f64, value: f64, unit: &'static str) {
    bench.report_beside(workload, "cpu", seconds, (value * seconds, unit), None);
}

/// Traversal statistics of a target: primary rays that hit, and reflected rays.
#[derive(Default)]
struct Rays {
    /// Rays shot over the target's box.
    shot: u64,
    /// Those that hit, and their reflections.
    count: [u64; 2],
    ropes: [Steps; 2],
    standard: [Steps; 2],
}

/// Table II, and triangle tests of primary rays.
fn steps(bench: &mut Bench<'_>, target: &Target, triangles: &[[[f32; 3]; 3]], tree: &KdTree) -> Rays {
    let start = Instant::now();
    let mut rays = Rays::default();
    for i in 0..SAMPLED_DIRECTIONS {
        for ray in target.rays(i, triangles) {
            rays.follow(triangles, tree, ray);
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    for (way, kind) in [("primary", 0), ("reflected", 1)] {
        let per_ray = |count: u64| count as f64 / rays.count[kind].max(1) as f64;
        let name = format!("paper II {}, {way}", target.name);
        let (standard, ropes) = (rays.standard[kind], rays.ropes[kind]);
        figure(bench, format!("{name}, standard"), seconds, per_ray(standard.interior), "steps/ray");
        figure(bench, format!("{name}, ropes"), seconds, per_ray(ropes.interior), "steps/ray");
        figure(bench, format!("{name}, triangles"), seconds, per_ray(ropes.triangles), "tests/ray");
    }
    rays
}

impl Rays {
    /// Traces a ray and its reflections, with and without ropes.
    fn follow(&mut self, triangles: &[[[f32; 3]; 3]], tree: &KdTree, mut ray: [[f32; 3]; 2]) {
        self.shot += 1;
        let (mut leaf, mut left) = (None, None);
        for bounce in 0..BOUNCES {
            let kind = usize::from(bounce > 0);
            let (mut ropes, mut standard) = (Steps::default(), Steps::default());
            let test = |id: u32| {
                if Some(id) == left { f32::INFINITY } else { distance(&triangles[id as usize], ray, 0.0) }
            };
            let found = tree.closest(ray[0], ray[1], &mut leaf, &mut ropes, test);
            tree.closest_from_root(ray[0], ray[1], &mut standard, test);
            if found.is_some() || bounce > 0 {
                self.count[kind] += 1;
                add(&mut self.ropes[kind], ropes);
                add(&mut self.standard[kind], standard);
            }
            let Some((id, t)) = found else { return };
            ray = reflected(ray, t, &triangles[id as usize]);
            left = Some(id);
        }
    }
}

fn add(sum: &mut Steps, more: Steps) {
    sum.interior += more.interior;
    sum.triangles += more.triangles;
    sum.leaves += more.leaves;
}

impl Target {
    fn aspect(&self, i: usize, count: usize) -> Aspect {
        if self.about_y {
            let angle = 360.0 * i as f64 / count as f64;
            let (theta, phi) = if angle <= 180.0 { (angle, 0.0) } else { (360.0 - angle, 180.0) };
            return Aspect::monostatic(Direction::degrees(theta, phi));
        }
        around_z(i, count)
    }

    /// Rays over the target's bounding box from a direction, at pseudorandom positions.
    fn rays(&self, direction: usize, triangles: &[[[f32; 3]; 3]]) -> impl Iterator<Item = [[f32; 3]; 2]> {
        let Direction { theta, phi } = self.aspect(direction, SAMPLED_DIRECTIONS).incident;
        let [theta, phi] = [theta, phi].map(|x| x as f32);
        let k = -Vec3::new(theta.sin() * phi.cos(), theta.sin() * phi.sin(), theta.cos());
        let u = Vec3::new(-phi.sin(), phi.cos(), 0.0);
        let v = k.cross(u);
        let extent = |axis: Vec3| {
            triangles.iter().flatten().map(|&p| Vec3::from(p).dot(axis).abs()).fold(0.0, f32::max)
        };
        let (wide, high, back) = (extent(u), extent(v), 1.1 * extent(k));
        let positions = noise(1 + 2 * direction as u64).zip(noise(2 + 2 * direction as u64));
        positions.take(SAMPLED_RAYS / SAMPLED_DIRECTIONS).map(move |(x, y)| {
            let start = 2.0 * (x as f32 * wide * u + y as f32 * high * v) - back * k;
            [start, k].map(Into::into)
        })
    }

    /// Rays of the aperture over the target's box in all directions, at the paper's tube width.
    fn aperture_rays(&self, triangles: &[[[f32; 3]; 3]]) -> f64 {
        let step = TUBE * C0 / FREQUENCY;
        let area = |i: usize| {
            let Direction { theta, phi } = self.aspect(i, DIRECTIONS - 1).incident;
            let [theta, phi] = [theta, phi].map(|x| x as f32);
            let u = Vec3::new(-phi.sin(), phi.cos(), 0.0);
            let v = Vec3::new(theta.cos() * phi.cos(), theta.cos() * phi.sin(), -theta.sin());
            let sides = [u, v].map(|axis| {
                let positions = triangles.iter().flatten().map(|&p| Vec3::from(p).dot(axis));
                let (low, high) =
                    positions.fold((0.0_f32, 0.0_f32), |(low, high), x| (low.min(x), high.max(x)));
                f64::from(high - low)
            });
            sides[0] * sides[1]
        };
        (0..DIRECTIONS).into_par_iter().map(area).sum::<f64>() / (step * step)
    }

    /// Some of the paper's directions, evenly over all of them.
    fn problem(&self, directions: usize, tubes: Tubes, tracer: Tracer) -> Problem {
        // The last of 361 directions repeats the first.
        let chosen = (0..directions).map(|i| i * DIRECTIONS / directions);
        Problem {
            mesh: self.mesh.clone(),
            frequencies: vec![FREQUENCY],
            aspects: chosen.map(|i| self.aspect(i, DIRECTIONS - 1)).collect(),
            bounces: Bounces::AtMost(BOUNCES),
            tube_width: TUBE,
            tubes,
            tracer,
            surface: Surface::Facets,
            ..Problem::default()
        }
    }
}

/// Table III.
fn times(
    bench: &mut Bench<'_>,
    target: &Target,
    triangles: &[[[f32; 3]; 3]],
    rays: &Rays,
) -> Result<(), BenchError> {
    let name = target.name;
    let aperture = target.aperture_rays(triangles);
    // Corner rays and their reflections; tubes that hit trace as many again for their centers.
    let [hits, reflected] = rays.count.map(|count| count as f64 / rays.shot as f64);
    let segments = aperture * (1.0 + hits + 2.0 * reflected);
    let original = brute_seconds(target, triangles) * segments;
    let other = target.seconds[0].map(|seconds| (seconds, "Core 2 Duo"));
    let work = (segments, "rays/s");
    bench.report_beside(format!("paper III {name}, original"), "cpu", original, work, other);
    on_device(bench, target, &Backend::Cpu)?;
    if bench.backend.gpu().is_some() { on_device(bench, target, bench.backend) } else { Ok(()) }
}

/// The paper's algorithm, the same with our tree, and ours.
fn on_device(bench: &mut Bench<'_>, target: &Target, backend: &Backend) -> Result<(), BenchError> {
    // The paper's kd-tree ran on both devices: compare trees with the corresponding time, and beams
    // with its best.
    let kd_tree = if backend.gpu().is_some() { 2 } else { 1 };
    for (way, tubes, tracer, beside) in [
        ("kd-tree", Tubes::RayGrid, Tracer::KdTree, kd_tree),
        ("bvh", Tubes::RayGrid, Tracer::Bvh, kd_tree),
        ("ours", Tubes::Beams, Tracer::Bvh, 2),
    ] {
        let problem = |directions| target.problem(directions, tubes, tracer);
        let (seconds, directions, counts) = sweep_seconds(bench, backend, problem)?;
        let all = DIRECTIONS as f64 / directions as f64;
        let workload = format!("paper III {}, {way}, {directions} of {DIRECTIONS}", target.name);
        let over = ["", "Core 2 Duo", "8800 GTX"][beside];
        let other = target.seconds[beside].map(|seconds| (seconds, over));
        let work = (counts.rays as f64 * all, "rays/s");
        bench.report_beside(workload, backend.name(), seconds * all, work, other);
    }
    Ok(())
}

/// Time of as many directions as the budget allows, their number, and the ray statistics.
fn sweep_seconds(
    bench: &Bench<'_>,
    backend: &Backend,
    problem: impl Fn(usize) -> Problem,
) -> Result<(f64, usize, Counts), BenchError> {
    let few = 3;
    let (seconds, counts) = solve_seconds(problem(few), backend, bench.progress)?;
    let more = ((BUDGET / seconds * few as f64) as usize).min(DIRECTIONS);
    if more <= 2 * few {
        return Ok((seconds, few, counts));
    }
    let (seconds, counts) = solve_seconds(problem(more), backend, bench.progress)?;
    Ok((seconds, more, counts))
}

/// Time of a ray tested against every triangle, on all threads.
fn brute_seconds(target: &Target, triangles: &[[[f32; 3]; 3]]) -> f64 {
    let rays: Vec<_> = target.rays(0, triangles).take(BRUTE_RAYS).collect();
    let start = Instant::now();
    let nearest =
        |ray| triangles.iter().map(|triangle| distance(triangle, ray, 0.0)).fold(f32::INFINITY, f32::min);
    let found: Vec<f32> = rays.par_iter().map(|&ray| nearest(ray)).collect();
    std::hint::black_box(found);
    start.elapsed().as_secs_f64() / rays.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_have_the_numbers_of_triangles_of_the_paper() {
        let counts = targets().unwrap().map(|target| target.mesh.triangles.len());
        assert_eq!(counts, [700, 2400, 13_050, 20_120]);
    }

    #[test]
    fn sweeps_go_once_around() {
        let [missile, ship, ..] = targets().unwrap();
        let angles = |target: &Target, i| {
            let Direction { theta, phi } = target.aspect(i, 360).incident;
            [theta, phi].map(|x| x.to_degrees().round())
        };
        assert_eq!(angles(&missile, 90), [90.0, 90.0]);
        assert_eq!([angles(&ship, 90), angles(&ship, 270)], [[90.0, 0.0], [90.0, 180.0]]);
        let chosen = missile.problem(3, Tubes::RayGrid, Tracer::Bvh).aspects;
        assert_eq!(chosen.len(), 3);
        assert_eq!(chosen[0], missile.aspect(0, 360));
    }

    /// The paper's table II: ropes save steps, and most of them for reflected rays.
    #[test]
    fn ropes_save_steps() {
        let [missile, ..] = targets().unwrap();
        let triangles = centered(&missile.mesh);
        let tree = KdTree::new(&triangles);
        let mut rays = Rays::default();
        missile.rays(1, &triangles).for_each(|ray| rays.follow(&triangles, &tree, ray));
        assert!(rays.count.iter().all(|&count| count > 100), "{:?}", rays.count);
        assert!(rays.ropes[0].interior < rays.standard[0].interior);
        assert!(5 * rays.ropes[1].interior < rays.standard[1].interior);
    }
}
