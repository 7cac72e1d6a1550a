//! An estimate of the work of a case, before it runs.

use crate::batch::by_incidence;
use crate::problem::{Direction, Problem, Tubes};
use crate::study::Study;
use phasefront_mesh::TriangleMesh;

/// Incident directions that are sampled for the estimate.
const MAX_DIRECTIONS: usize = 64;

/// The quantity that the run time is proportional to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Work {
    /// Facets times incident waves: beams start at facets, once for every wave.
    FacetsTimesWaves(f64),
    /// Rays of a grid that hit the target, which are a tube width apart.
    ApertureRays(f64),
}

impl Study {
    /// Number of incident waves: one for each transmitter; consecutive aspects with the same direction share one.
    pub fn incident_waves(&self) -> usize {
        incident_waves(&self.problem)
    }

    /// An estimate of the work.
    pub fn work(&self) -> Work {
        work(&self.problem, self.tube_width())
    }
}

fn incident_waves(problem: &Problem) -> usize {
    let transmitters = problem.antennas.as_ref().map_or(0, |antennas| antennas.transmitters.len());
    transmitters + by_incidence(&problem.aspects).count()
}

fn work(problem: &Problem, tube_width: f64) -> Work {
    let waves: Vec<Direction> = by_incidence(&problem.aspects).map(|group| group[0].incident).collect();
    match problem.tubes {
        Tubes::Beams => {
            Work::FacetsTimesWaves((incident_waves(problem) * problem.mesh.triangles.len()) as f64)
        }
        Tubes::RayGrid => Work::ApertureRays(rays(&problem.mesh, &waves, tube_width).ceil()),
    }
}

/// Approximate number of primary rays that hit the target: its projected area over the area of a tube, for every incident wave.
fn rays(mesh: &TriangleMesh, waves: &[Direction], tube_width: f64) -> f64 {
    let stride = waves.len().div_ceil(MAX_DIRECTIONS).max(1);
    let some: Vec<f64> = waves.iter().step_by(stride).map(|wave| projected_area(mesh, *wave)).collect();
    waves.len() as f64 * some.iter().sum::<f64>() / some.len().max(1) as f64 / (tube_width * tube_width)
}

/// Upper bound of the projected area of a mesh: of the triangles that face the direction or face away, whichever is more, and not more
/// than that of the bounding box.
fn projected_area(mesh: &TriangleMesh, direction: Direction) -> f64 {
    let (sin_t, cos_t) = direction.theta.sin_cos();
    let (sin_p, cos_p) = direction.phi.sin_cos();
    let toward = [sin_t * cos_p, sin_t * sin_p, cos_t];
    let (mut front, mut back) = (0.0, 0.0);
    for t in 0..mesh.triangles.len() {
        let area = mesh.area_vector(t);
        let facing: f64 = (0..3).map(|k| area[k] * toward[k]).sum();
        if facing > 0.0 { front += facing } else { back -= facing }
    }
    let [low, high] = mesh.bounds();
    let side = |k: usize| high[k] - low[k];
    let of_box: f64 = (0..3).map(|k| toward[k].abs() * side((k + 1) % 3) * side((k + 2) % 3)).sum();
    f64::max(front, back).min(of_box)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Aspect;
    use phasefront_mesh::targets::{plate, sphere};
    use std::f64::consts::PI;

    #[test]
    fn projected_areas_of_a_plate_and_a_sphere() {
        let plate = plate([0.3, 0.2], [3, 2]).unwrap();
        for theta in [0.0, 60.0, 120.0] {
            let expected = 0.06 * f64::cos(theta * PI / 180.0).abs();
            assert!((projected_area(&plate, Direction::degrees(theta, 20.0)) - expected).abs() < 1e-12);
        }
        let sphere = sphere(1.0, 30).unwrap();
        assert!((projected_area(&sphere, Direction::degrees(50.0, 20.0)) / PI - 1.0).abs() < 0.01);
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
        assert_eq!(work(&problem(Tubes::Beams, two.clone()), 0.1), Work::FacetsTimesWaves(12.0));
        // One square meter, and half of one, in tubes of 0.1 m.
        let rays = |aspects: Vec<Aspect>, width: f64| match work(&problem(Tubes::RayGrid, aspects), width) {
            Work::ApertureRays(rays) => rays,
            Work::FacetsTimesWaves(_) => panic!("a ray grid"),
        };
        assert!((rays(two, 0.1) - 150.0).abs() <= 1.0);
        let many = (0..1000).map(|i| aspect(f64::from(i) * 0.09, 0.0)).collect();
        // The mean of the cosine over a quarter turn is 2/π.
        assert!((rays(many, 1.0) / 1000.0 - 2.0 / PI).abs() < 0.02);
    }
}
