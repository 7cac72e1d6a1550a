//! Warnings about the unit of length, the run time and the spectrum of a waveform.

use super::resolution::{FEW_POINTS, points_per_wavelength};
use crate::clusters::Clusters;
use crate::domain::Domain;
use crate::problem::{Boundary, Problem};
use crate::pulse::Pulse;
use crate::time::TimeStep;

/// Points per wavelength above which lengths are most likely in another unit than given: a thousand times more than are of any use.
const MANY_POINTS: f64 = 1e4;
/// Ratio of time steps that is worth a warning.
const SLOW: f64 = 20.0;
/// Share of the energy of a waveform that the mesh may not resolve: 3 % of its amplitude.
const UNRESOLVED: f64 = 1e-3;
/// 1/n² of a coating from which on the angle of waves on it is worth a warning.
const OBLIQUE: f64 = 0.3;

/// All warnings of a problem.
pub fn warnings(problem: &Problem, domain: &Domain, (step, clusters): (&TimeStep, &Clusters)) -> Vec<String> {
    let all = [
        other_unit(problem, domain),
        slow(domain, step, clusters),
        unresolved(problem, domain),
        in_time(problem),
    ];
    all.into_iter().flatten().chain(oblique_in_coatings(problem)).collect()
}

/// Coatings in which waves from the side go far from along the normal: with sin θ' = sin θ/n, Z of a thin layer is jωμd cos² θ' for E in the
/// plane of incidence, and jωμd for E normal to it.
fn oblique_in_coatings(problem: &Problem) -> impl Iterator<Item = String> {
    problem.boundaries.iter().filter_map(|(name, boundary)| {
        let Boundary::Coating(coating) = boundary else { return None };
        let off = 1.0 / (coating.eps * coating.mu);
        (off > OBLIQUE).then(|| {
            format!(
                "the impedance of the coating {name:?} is that of waves along its normal: for grazing waves with E in the plane of incidence it is \
                 {:.0} % too large, and at 45 degrees about half of that; give the layer a volume where this counts",
                100.0 * off / (1.0 - off).max(0.01)
            )
        })
    })
}

/// Fields in time of a source that is known at some frequencies only.
fn in_time(problem: &Problem) -> Option<String> {
    let monitors = &problem.monitors;
    let observed = !monitors.probes.is_empty() || !monitors.snapshots.is_empty();
    (observed && problem.sources.near_field.is_some()).then(|| {
        "the near field of a file is known at its frequencies only: probes and snapshots show the signal that it is made of, whose spectrum \
         is that of the near field at `frequency` and means nothing at other frequencies"
            .into()
    })
}

/// Energy of a waveform at frequencies that the mesh does not resolve. Other pulses end with the frequencies of the case.
fn unresolved(problem: &Problem, domain: &Domain) -> Option<String> {
    let Pulse::Table(waveform) = &problem.pulse else { return None };
    let highest = problem.highest_frequency * points_per_wavelength(problem, domain) / FEW_POINTS;
    let share = waveform.energy_above(highest);
    (share > UNRESOLVED).then(|| {
        format!(
            "{:.2} % of the energy of the waveform is above {:.4} GHz, where the mesh has fewer than {FEW_POINTS} points per wavelength: \
             voltages and fields in time are distorted by as much, S-parameters and far fields at lower frequencies are not; refine the mesh, \
             raise `order`, or smooth the waveform",
            100.0 * share,
            1e-9 * highest
        )
    })
}

fn other_unit(problem: &Problem, domain: &Domain) -> Option<String> {
    let points = points_per_wavelength(problem, domain);
    (points > MANY_POINTS).then(|| {
        format!(
            "the mesh has {points:.0e} points per wavelength where it is coarsest: check the unit of length: `units` in \
             [geometry] is that of the mesh file, for example \"mm\""
        )
    })
}

/// A limit on the time step that can be avoided.
fn slow(domain: &Domain, step: &TimeStep, clusters: &Clusters) -> Option<String> {
    let [x, y, z] = step.position;
    let name = &domain.mesh.volume_names[usize::from(step.volume)];
    // Losses first: they explain a short step better than the size of the element does.
    if step.dt * SLOW < step.undamped {
        return Some(format!(
            "the losses of {name:?} shorten the time step by a factor of {:.0}, which slows the run down as much: remove the inside of good conductors \
             from the mesh and make their surface \"pec\", or lower the conductivity",
            step.undamped / step.dt
        ));
    }
    // With local steps a small element slows down itself and its neighbors only.
    (step.dt * SLOW < step.median && !clusters.is_local()).then(|| {
        format!(
            "an element of {name:?} at ({x:.4}, {y:.4}, {z:.4}) m, {:.1e} m high, limits the time step to 1/{:.0} of \
             the median, which slows the run down as much: remesh there, without features much thinner than elements; Mesh.Optimize in \
             Gmsh removes sliver elements",
            step.altitude,
            step.median / step.dt
        )
    })
}

#[cfg(test)]
mod tests {
    use crate::material::Material;
    use crate::problem::{Boundary, Problem, TimeStepping};
    use phasefront_core::FieldError;
    use phasefront_mesh::{BoxMesh, BoxRegion};

    const SIDES: [&str; 6] = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"];

    fn warned(problem: Problem) -> Vec<String> {
        crate::prepare(problem).unwrap().warnings
    }

    /// A metal box with the given mesh.
    fn metal_box(mesh: &BoxMesh) -> Problem {
        Problem {
            mesh: mesh.mesh().unwrap(),
            boundaries: SIDES.map(|name| (name.into(), Boundary::Pec)).into(),
            highest_frequency: 1e8,
            time_stepping: TimeStepping::Global,
            ..Problem::default()
        }
    }

    fn cube(cell: f64) -> BoxMesh {
        BoxMesh { cell: [cell; 3], name: "air".into(), ..BoxMesh::default() }
    }

    /// In copper, ση₀ is 2e10 1/m, and the curls of elements some centimeters high have some 1e3 1/m.
    #[test]
    fn a_good_conductor_makes_the_run_long() {
        let with = |sigma: f64| {
            let regions = vec![BoxRegion { name: "block".into(), from: [0.0; 3], to: [0.5; 3] }];
            let block = Material { sigma, ..Material::VACUUM };
            warned(Problem {
                materials: vec![("block".into(), block)],
                ..metal_box(&BoxMesh { regions, ..cube(0.25) })
            })
        };
        assert_eq!(with(1.0), [""; 0]);
        let [words] = &with(5.8e7)[..] else { panic!("one warning") };
        assert!(
            words.starts_with("the losses of \"block\" shorten the time step by a factor of "),
            "{words}"
        );
        assert!(words.contains("make their surface \"pec\""), "{words}");
    }

    /// A film of cells a thousandth as thick as the others.
    #[test]
    fn a_sliver_makes_the_run_long() {
        let sheet =
            |z: f64| BoxRegion { name: "film".into(), from: [0.0, 0.0, 0.5], to: [1.0, 1.0, 0.5 + z] };
        let with = |z: f64| {
            let mesh = BoxMesh { regions: vec![sheet(z)], ..cube(0.25) };
            warned(Problem { materials: vec![("film".into(), Material::VACUUM)], ..metal_box(&mesh) })
        };
        assert_eq!(with(0.05), [""; 0]);
        let [words] = &with(2.5e-4)[..] else { panic!("one warning") };
        assert!(words.starts_with("an element of \"film\" at (0."), "{words}");
        assert!(words.contains(" m, 2.5e-4 m high, limits the time step to "), "{words}");
    }

    #[test]
    fn lengths_in_another_unit_are_told() {
        let at =
            |highest_frequency: f64| crate::prepare(Problem { highest_frequency, ..metal_box(&cube(0.25)) });
        let [words] = &at(1e3).unwrap().warnings[..] else { panic!("one warning") };
        assert!(
            words.starts_with("the mesh has 2e6 points per wavelength where it is coarsest: check the unit"),
            "{words}"
        );
        let advice = |frequency: f64| match at(frequency) {
            Err(crate::DgtdError::Invalid(FieldError { advice, .. })) => advice,
            _ => panic!("refused"),
        };
        // The diagonal of a cell is 0.43 m, and order 3.
        assert!(advice(3e9).starts_with("refine the mesh there"), "{}", advice(3e9));
        assert!(advice(3e11).starts_with("check the unit of length: `units`"), "{}", advice(3e11));
    }
}
