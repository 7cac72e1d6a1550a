//! Directions, rays and solution times of the radar workloads.

use crate::error::BenchError;
use glam::Vec3;
use phasefront_core::Progress;
use phasefront_device::Backend;
use phasefront_mesh::TriangleMesh;
use phasefront_sbr::{Aspect, Counts, Direction, Problem, prepare};
use std::time::Instant;

/// The paper's frequency, Hz, and its tubes, in wavelengths.
pub(super) const FREQUENCY: f64 = 10e9;
pub(super) const TUBE: f64 = 0.1;

/// Time of a solution without setup, and the ray statistics.
pub(super) fn solve_seconds(
    problem: Problem,
    backend: &Backend,
    progress: &Progress,
) -> Result<(f64, Counts), BenchError> {
    progress.check()?;
    // Progress bars of the solver would overwrite the rows.
    let silent = Progress::silent();
    if backend.gpu().is_some() {
        // Excludes the compilation of the kernels on first use.
        let one = Problem { aspects: problem.aspects[..1].to_vec(), ..problem.clone() };
        prepare(one).and_then(|study| study.solve(backend, &silent))?;
    }
    let study = prepare(problem)?;
    let start = Instant::now();
    let solution = study.solve(backend, &silent)?;
    Ok((start.elapsed().as_secs_f64(), solution.counts))
}

/// Direction `i` of `count` evenly around the z axis.
pub(super) fn around_z(i: usize, count: usize) -> Aspect {
    Aspect::monostatic(Direction::degrees(90.0, 360.0 * i as f64 / count as f64))
}

/// The triangles of a mesh, relative to the center of its bounding box.
pub(super) fn centered(mesh: &TriangleMesh) -> Vec<[[f32; 3]; 3]> {
    let [low, high] = mesh.bounds();
    let centered = |p: [f64; 3]| [0, 1, 2].map(|i| (p[i] - 0.5 * (low[i] + high[i])) as f32);
    (0..mesh.triangles.len()).map(|t| mesh.corners(t).map(centered)).collect()
}

/// A ray reflected at distance `t` by a triangle.
pub(super) fn reflected(ray: [[f32; 3]; 2], t: f32, triangle: &[[f32; 3]; 3]) -> [[f32; 3]; 2] {
    let [origin, direction] = ray.map(Vec3::from);
    let [a, b, c] = triangle.map(Vec3::from);
    let normal = (b - a).cross(c - a).normalize_or_zero();
    let onwards = (direction - 2.0 * direction.dot(normal) * normal).normalize_or_zero();
    [origin + t * direction, onwards].map(Into::into)
}
