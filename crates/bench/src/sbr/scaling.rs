//! Scaling of the time. Beams: hardly with frequency, linearly with the numbers of directions and
//! of visible facets. The paper's rays: with the square of the frequency, and slowly with the
//! number of triangles.

use super::rays::Shot;
use super::setup::{FREQUENCY, TUBE, around_z, solve_seconds};
use crate::error::BenchError;
use crate::harness::{Bench, median_seconds};
use phasefront_mesh::targets::{aircraft_b, missile, sphere};
use phasefront_mesh::{MeshError, TriangleMesh};
use phasefront_sbr::{Aspect, Problem, Surface, Tubes};

/// Minimum duration in seconds; shorter runs are repeated, since they measure the start-up.
const SHORTEST: f64 = 0.2;
/// Cells along each edge of an icosahedron: from 2,000 triangles to a million.
const SPHERE_CELLS: [usize; 5] = [10, 22, 47, 100, 223];

pub(super) fn run(bench: &mut Bench<'_>) -> Result<(), BenchError> {
    let spheres: Result<Vec<TriangleMesh>, MeshError> =
        SPHERE_CELLS.iter().map(|&cells| sphere(1.0, cells)).collect();
    let spheres = spheres?;
    rays(bench, &spheres)?;
    for (way, tubes) in [("", Tubes::Beams), (", paper's tubes", Tubes::RayGrid)] {
        let problem = |mesh: TriangleMesh, frequency: f64, aspects: Vec<Aspect>| {
            let frequencies = vec![frequency];
            Problem {
                mesh,
                frequencies,
                aspects,
                tube_width: TUBE,
                tubes,
                surface: Surface::Facets,
                ..Problem::default()
            }
        };
        let problems = [2.5e9, 5e9, 10e9, 20e9].map(|frequency| {
            let name = format!("{} GHz{way}", frequency / 1e9);
            (name, frequency, problem(aircraft_b(), frequency, vec![around_z(1, 12)]))
        });
        series(bench, &format!("frequency{way}"), "aircraft B", problems)?;
        let problems = [5, 20, 80, 320].map(|count| {
            let aspects = (0..count).map(|i| around_z(i, count)).collect();
            (format!("{count} directions{way}"), count as f64, problem(missile(), FREQUENCY, aspects))
        });
        series(bench, &format!("directions{way}"), "missile", problems)?;
        let problems = spheres.iter().map(|mesh| {
            let count = mesh.triangles.len();
            let name = format!("{count} triangles{way}");
            (name, count as f64, problem(mesh.clone(), FREQUENCY, vec![around_z(1, 12)]))
        });
        series(bench, &format!("triangles{way}"), "sphere", problems)?;
    }
    Ok(())
}

/// Primary rays alone, by packets on the CPU.
fn rays(bench: &mut Bench<'_>, spheres: &[TriangleMesh]) -> Result<(), BenchError> {
    let mut points = Vec::new();
    for mesh in spheres {
        bench.progress.check()?;
        let (shot, count) = (Shot::new(mesh), mesh.triangles.len());
        let seconds = median_seconds(3, || {
            std::hint::black_box(shot.primary_by_packets());
            Ok(())
        })?;
        let workload = format!("sbr rays to a sphere, {count} triangles");
        bench.report_beside(workload, "cpu", seconds, (shot.ray_count(), "rays/s"), None);
        points.push([(count as f64).ln(), seconds.ln()]);
    }
    exponent(bench, "cpu", "rays over triangles", &points);
    Ok(())
}

/// A row for each problem, with its name and the growing parameter; and the exponent.
fn series(
    bench: &mut Bench<'_>,
    what: &str,
    target: &str,
    problems: impl IntoIterator<Item = (String, f64, Problem)>,
) -> Result<(), BenchError> {
    let mut points = Vec::new();
    for (name, growth, problem) in problems {
        let (mut seconds, mut counts) = solve_seconds(problem.clone(), bench.backend, bench.progress)?;
        if seconds < SHORTEST {
            // The first run was the warm-up.
            (seconds, counts) = solve_seconds(problem, bench.backend, bench.progress)?;
        }
        let workload = format!("sbr {target}, {name}");
        let device = bench.backend.name();
        bench.report_beside(workload, device, seconds, (counts.rays as f64, "rays/s"), None);
        points.push([growth.ln(), seconds.ln()]);
    }
    exponent(bench, bench.backend.name(), &format!("time over {what}"), &points);
    Ok(())
}

/// The exponent p of time ~ growthᵖ, by least squares on the logarithms.
fn exponent(bench: &mut Bench<'_>, device: &'static str, what: &str, points: &[[f64; 2]]) {
    let seconds: f64 = points.iter().map(|point| point[1].exp()).sum();
    let work = (slope(points) * seconds, "exponent");
    bench.report_beside(format!("sbr {what}"), device, seconds, work, None);
}

/// Slope of the least-squares line.
fn slope(points: &[[f64; 2]]) -> f64 {
    let mean = |axis: usize| points.iter().map(|point| point[axis]).sum::<f64>() / points.len() as f64;
    let (x, y) = (mean(0), mean(1));
    let over: f64 = points.iter().map(|point| (point[0] - x) * (point[1] - y)).sum();
    over / points.iter().map(|point| (point[0] - x).powi(2)).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_of_a_square() {
        let points = [1.0_f64, 2.0, 4.0].map(|f| [f.ln(), (3.0 * f * f).ln()]);
        assert!((slope(&points) - 2.0).abs() < 1e-12);
    }
}
