//! What running a dgtd case would take.

use crate::job::Needs;
use phasefront_core::constants::C0;
use phasefront_device::Backend;
use phasefront_dgtd::{Problem, Study};

/// Stages of a time step, Carpenter and Kennedy's.
pub(super) const STAGES: f64 = 5.0;
/// Copies of all fields that a run holds: themselves, the increment of the Runge-Kutta scheme, traces on faces, and room for layers
/// and poles.
const COPIES: u64 = 4;
/// Bytes held on the host for each tetrahedron: the mesh twice, its faces, and the shapes of its elements.
const TET_BYTES: u64 = 1500;

/// What follows from the settings.
pub(super) fn facts(study: &Study) -> Vec<(&'static str, f64)> {
    let (problem, step) = (&study.problem, &study.step);
    let (dof, steps) = (study.dof() as f64, (problem.stop.time / step.dt).ceil());
    vec![
        ("elements", problem.mesh.tets.len() as f64),
        ("dof", dof),
        ("highest_frequency_hz", problem.highest_frequency),
        ("points_per_wavelength", points_per_wavelength(problem)),
        ("dt_s", step.dt),
        ("limiting_element", step.tet as f64),
        ("limiting_altitude_m", step.altitude),
        ("longest_time_s", problem.stop.time),
        ("steps_at_most", steps),
        ("seconds_at_1_gdof_per_s", 1e-9 * dof * STAGES * steps),
    ]
}

/// Nodes along the longest edge of an element to a wavelength in it, where that is least.
fn points_per_wavelength(problem: &Problem) -> f64 {
    let mesh = &problem.mesh;
    let speeds: Vec<f64> = mesh
        .volume_names
        .iter()
        .map(|name| problem.materials.iter().find(|(given, _)| given == name).map_or(1.0, |(_, m)| m.speed()))
        .collect();
    let least = (0..mesh.tets.len())
        .map(|tet| speeds[usize::from(mesh.volume_of[tet])] / longest_edge(mesh.corners(tet)));
    problem.order as f64 * C0 / problem.highest_frequency * least.fold(f64::INFINITY, f64::min)
}

fn longest_edge(corners: [[f64; 3]; 4]) -> f64 {
    let apart = |a: [f64; 3], b: [f64; 3]| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>();
    let pairs = (0..4).flat_map(|i| (i + 1..4).map(move |j| (i, j)));
    pairs.map(|(i, j)| apart(corners[i], corners[j])).fold(0.0, f64::max).sqrt()
}

/// What a run holds at once, from above.
pub(super) fn memory(study: &Study, backend: &Backend) -> Needs {
    let problem = &study.problem;
    let fields = (study.dof() * problem.precision.bytes()) as u64 * COPIES;
    // Complex doubles at each frequency, at worst of all nodes of the volumes asked for.
    let watched = if problem.monitors.volumes.is_empty() { 0 } else { study.dof() as u64 };
    let spectra = (problem.monitors.frequencies.len() as u64).saturating_mul(16 * watched);
    let tets = problem.mesh.tets.len() as u64 * TET_BYTES;
    let all = fields.saturating_add(spectra);
    match backend {
        Backend::Cpu => Needs { device: 0, host: all.saturating_add(tets) },
        Backend::Gpu(_) => Needs { device: all, host: all.saturating_add(tets) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use phasefront_dgtd::Material;
    use phasefront_mesh::BoxMesh;

    #[test]
    fn points_are_counted_along_the_longest_edge() {
        // The diagonal of a cubic cell of 0.5 m is 0.866 m; at 299.8 MHz and with ε = 4 a wave is half a metre long.
        let mesh = BoxMesh { cell: [0.5; 3], name: "body".into(), ..BoxMesh::default() }.mesh().unwrap();
        let materials = vec![("body".to_owned(), Material::dielectric(4.0))];
        let problem = Problem { mesh, materials, highest_frequency: C0, order: 3, ..Problem::default() };
        assert!((points_per_wavelength(&problem) - 3.0 * 0.5 / 0.75_f64.sqrt()).abs() < 1e-12);
    }
}
