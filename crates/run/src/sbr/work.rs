//! How much work a case is, before any ray is shot.

use phasefront_mesh::TriangleMesh;
use phasefront_sbr::{Aspect, Direction, Problem, Tubes};

/// Directions that are looked at for the estimate: more would tell the same.
const MOST_DIRECTIONS: usize = 64;

/// What the time goes with. Beams begin at facets, at each once for every incident wave; the paper's rays at a grid as fine as a
/// tube is wide.
pub(super) fn estimate(problem: &Problem, tube: f64) -> (&'static str, f64) {
    let waves = waves(&problem.aspects);
    match problem.tubes {
        Tubes::Beams => ("facets_times_waves", (waves.len() * problem.mesh.triangles.len()) as f64),
        Tubes::RayGrid => ("aperture_rays_about", rays(&problem.mesh, &waves, tube).ceil()),
    }
}

/// The waves that come in: neighbors among the aspects share theirs.
pub(super) fn waves(aspects: &[Aspect]) -> Vec<Direction> {
    aspects.chunk_by(|a, b| a.incident == b.incident).map(|group| group[0].incident).collect()
}

/// Rays from the apertures of all incident waves that will meet the target, about: the area that it shows, over the area of a
/// tube, for each.
fn rays(mesh: &TriangleMesh, waves: &[Direction], tube: f64) -> f64 {
    let stride = waves.len().div_ceil(MOST_DIRECTIONS).max(1);
    let some: Vec<f64> = waves.iter().step_by(stride).map(|wave| shown(mesh, *wave)).collect();
    waves.len() as f64 * some.iter().sum::<f64>() / some.len().max(1) as f64 / (tube * tube)
}

/// The area that a mesh shows in a direction, from above: of its triangles that face there or away, whichever is more, and not more
/// than the box around it shows.
fn shown(mesh: &TriangleMesh, direction: Direction) -> f64 {
    let (sin_t, cos_t) = direction.theta.sin_cos();
    let (sin_p, cos_p) = direction.phi.sin_cos();
    let towards = [sin_t * cos_p, sin_t * sin_p, cos_t];
    let (mut front, mut back) = (0.0, 0.0);
    for t in 0..mesh.triangles.len() {
        let area = mesh.area_vector(t);
        let facing: f64 = (0..3).map(|k| area[k] * towards[k]).sum();
        if facing > 0.0 { front += facing } else { back -= facing }
    }
    let [low, high] = mesh.bounds();
    let side = |k: usize| high[k] - low[k];
    let of_box: f64 = (0..3).map(|k| towards[k].abs() * side((k + 1) % 3) * side((k + 2) % 3)).sum();
    f64::max(front, back).min(of_box)
}

#[cfg(test)]
mod tests {
    use super::*;
    use phasefront_mesh::targets::{plate, sphere};
    use std::f64::consts::PI;

    #[test]
    fn a_plate_shows_its_projection_and_a_sphere_its_disc() {
        let plate = plate([0.3, 0.2], [3, 2]).unwrap();
        for theta in [0.0, 60.0, 120.0] {
            let expected = 0.06 * f64::cos(theta * PI / 180.0).abs();
            assert!((shown(&plate, Direction::degrees(theta, 20.0)) - expected).abs() < 1e-12);
        }
        let sphere = sphere(1.0, 30).unwrap();
        assert!((shown(&sphere, Direction::degrees(50.0, 20.0)) / PI - 1.0).abs() < 0.01);
    }

    #[test]
    fn every_incident_wave_counts_once() {
        let aspect = |theta: f64, out: f64| Aspect {
            incident: Direction::degrees(theta, 0.0),
            observer: Direction::degrees(out, 0.0),
        };
        let problem = |tubes: Tubes, aspects: Vec<Aspect>| Problem {
            mesh: plate([1.0, 1.0], [3, 1]).unwrap(),
            aspects,
            tubes,
            ..Problem::default()
        };
        let two = vec![aspect(0.0, 0.0), aspect(0.0, 10.0), aspect(60.0, 0.0)];
        // Six triangles, and two waves.
        assert_eq!(estimate(&problem(Tubes::Beams, two.clone()), 0.1), ("facets_times_waves", 12.0));
        // A square meter, and half of one, in tubes of 0.1 m.
        let (name, rays) = estimate(&problem(Tubes::RayGrid, two), 0.1);
        assert_eq!(name, "aperture_rays_about");
        assert!((rays - 150.0).abs() <= 1.0);
        let many = (0..1000).map(|i| aspect(f64::from(i) * 0.09, 0.0)).collect();
        // The mean of the cosine over a quarter turn is 2/π.
        assert!((estimate(&problem(Tubes::RayGrid, many), 1.0).1 / 1000.0 - 2.0 / PI).abs() < 0.02);
    }
}
