//! Warnings about accuracy and run time.

use super::resolution::points_per_wavelength;
use crate::domain::Domain;
use crate::problem::Problem;
use crate::time::TimeStep;

/// Points per wavelength below which a wave is wrong by more than 2 to 7 % after one wavelength (`tests/physics/resolution.rs`).
const FEW_POINTS: f64 = 4.0;
/// Points per wavelength above which lengths are most likely in another unit than given: a thousand times more than are of any use.
const MANY_POINTS: f64 = 1e4;
/// Relative spectral density of the pulse below which spectra are dominated by the truncation at the end of the run: with an
/// energy decay of 50 dB, 3e-3 of the fields.
const FAINT: f64 = 1e-3;
/// Ratio of time steps that is worth a warning.
const SLOW: f64 = 20.0;

/// All warnings of a problem.
pub fn warnings(problem: &Problem, domain: &Domain, step: &TimeStep) -> Vec<String> {
    [points(problem, domain), faint(problem), thin(problem, domain), slow(domain, step)]
        .into_iter()
        .flatten()
        .collect()
}

fn points(problem: &Problem, domain: &Domain) -> Option<String> {
    let points = points_per_wavelength(problem, domain);
    if points < FEW_POINTS {
        return Some(format!(
            "the mesh has {points:.1} points per wavelength where it is coarsest: below {FEW_POINTS} results are inaccurate; \
             refine the mesh or raise the order"
        ));
    }
    (points > MANY_POINTS).then(|| {
        format!(
            "the mesh has {points:.0e} points per wavelength where it is coarsest: check the unit of length: `units` in \
             [geometry] is that of the mesh file, for example \"mm\""
        )
    })
}

/// Frequencies at the edge of the pulse's spectrum.
fn faint(problem: &Problem) -> Option<String> {
    // Initial fields have no pulse.
    let content = |f: &f64| if problem.sources.initial.is_some() { 1.0 } else { problem.pulse.content(*f) };
    let faintest = problem.monitors.frequencies.iter().min_by(|a, b| content(a).total_cmp(&content(b)))?;
    (content(faintest) < FAINT).then(|| {
        format!(
            "the pulse has {:.0e} of its maximum spectral density at {} GHz: spectra there may be dominated by the truncation at the end of \
             the run; widen the `pulse`, or raise `energy_decay_db`",
            content(faintest),
            1e-9 * faintest
        )
    })
}

/// PMLs that are one element thick.
fn thin(problem: &Problem, domain: &Domain) -> Option<String> {
    let spans = |tet: &usize| {
        domain.in_pml(*tet) && domain.pml.is_some_and(|pml| pml.spans(&domain.mesh.corners(*tet)))
    };
    let tet = (0..domain.mesh.tets.len()).find(spans)?;
    let [x, y, z] = domain.middle(tet);
    let (name, order) = (domain.volume_name(tet), problem.order);
    let what = if order < 3 { "it reflects" } else { "it reflects, and from order 3 on it can be unstable" };
    Some(format!(
        "the PML {name:?} is one element thick at ({x:.4}, {y:.4}, {z:.4}) m: {what}; make it four elements thick"
    ))
}

/// A limit on the time step that can be avoided.
fn slow(domain: &Domain, step: &TimeStep) -> Option<String> {
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
    (step.dt * SLOW < step.median).then(|| {
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
    use crate::problem::{Boundary, Monitors, Problem};
    use crate::pulse::Pulse;
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
            ..Problem::default()
        }
    }

    fn cube(cell: f64) -> BoxMesh {
        BoxMesh { cell: [cell; 3], name: "air".into(), ..BoxMesh::default() }
    }

    #[test]
    fn thin_layers_are_told() {
        let warned = |cell: f64, order: usize| {
            let regions = vec![BoxRegion { name: "air".into(), from: [-0.2; 3], to: [0.2; 3] }];
            let mesh = BoxMesh {
                from: [-0.4; 3],
                to: [0.4; 3],
                cell: [cell; 3],
                name: "pml".into(),
                regions,
                ..BoxMesh::default()
            };
            warned(Problem {
                mesh: mesh.mesh().unwrap(),
                highest_frequency: 1e8,
                order,
                ..Problem::default()
            })
        };
        let [at_2, at_3] = [2, 3].map(|order| warned(0.2, order).remove(0));
        let start = "the PML \"pml\" is one element thick at (";
        assert!(
            at_2.starts_with(start) && at_2.ends_with(") m: it reflects; make it four elements thick"),
            "{at_2}"
        );
        let end = "from order 3 on it can be unstable; make it four elements thick";
        assert!(at_3.starts_with(start) && at_3.ends_with(end), "{at_3}");
        assert_eq!(warned(0.1, 3), [""; 0]);
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

    #[test]
    fn frequencies_that_the_pulse_hardly_holds_are_told() {
        // −20 dB at 0.1 GHz are −80 dB at twice that.
        let at = |frequencies: &[f64]| {
            warned(Problem {
                pulse: Pulse::gaussian(0.1e9),
                monitors: Monitors { frequencies: frequencies.into(), ..Monitors::default() },
                ..metal_box(&cube(0.25))
            })
        };
        assert_eq!(at(&[0.05e9, 0.1e9]), [""; 0]);
        let [words] = &at(&[0.05e9, 0.2e9])[..] else { panic!("one warning") };
        assert!(
            words.starts_with("the pulse has 1e-4 of its maximum spectral density at 0.2 GHz: "),
            "{words}"
        );
    }
}
