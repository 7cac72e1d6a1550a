//! What is known before a run about how far its result can be trusted.

use super::surface::Surface;
use super::{edges, facets, ports, resolution};
use crate::domain::Domain;
use crate::error::DgtdError;
use crate::ports::PortPlan;
use crate::problem::Problem;
use phasefront_core::SelfCheck;
use phasefront_core::constants::C0;

/// Relative spectral density of the pulse below which spectra are dominated by the truncation at the end of the run: with an
/// energy decay of 50 dB, 3e-3 of the fields.
const FAINT: f64 = 1e-3;
/// Elements across a PML, as its thickness over the extent of its largest element: one element has 1.
const MIN_PML_ELEMENTS: f64 = 1.05;
/// Error of the surface impedance of conductors, relative to it.
const MAX_SURFACE_ERROR: f64 = 0.01;

/// Radius of the cloud of a thin wire in wavelengths: its far field is 0.4 % of that of a line too small then, by its moments of fourth order.
const MAX_CLOUD: f64 = 0.2;
/// Field inside of a recorded near field, relative to that on it: what it radiates is off by as much at least.
const MAX_INTERIOR: f64 = 0.05;

/// What the equivalent currents of a near field leave inside of their surface.
pub fn interior_field(interior: f64) -> SelfCheck {
    let sentence = if interior <= MAX_INTERIOR {
        "The equivalent currents of the near field leave little field inside of them.".to_owned()
    } else {
        format!(
            "the equivalent currents of the near field leave {:.0} % of their field inside of them, where they should leave none: what they              radiate is off by as much at least; record it with more points, or by a finer mesh",
            100.0 * interior
        )
    };
    SelfCheck::at_most("field inside of the near field", interior, MAX_INTERIOR, sentence)
}

/// How far the currents of thin wires are spread, in wavelengths.
pub fn clouds(problem: &Problem, cloud: f64) -> Option<SelfCheck> {
    let spread = cloud * problem.highest_frequency / C0;
    let sentence = if spread <= MAX_CLOUD {
        "Elements around thin wires are small enough.".to_owned()
    } else {
        format!(
            "the current of thin wires is spread over {:.4} mm around them, {spread:.2} wavelengths at the highest frequency, and radiates less \
             than that of a wire: use elements around wires that are smaller by {:.1}",
            1e3 * cloud,
            spread / MAX_CLOUD
        )
    };
    (cloud > 0.0)
        .then(|| SelfCheck::at_most("spread of thin wires", spread, MAX_CLOUD, sentence).in_unit("wavelengths"))
}

/// All self-checks of a problem.
pub fn self_checks(
    problem: &Problem,
    domain: &Domain,
    port_plans: &[PortPlan],
    lumped: &[PortPlan],
) -> Result<Vec<SelfCheck>, DgtdError> {
    let surface = Surface::new(domain);
    let found = [
        Some(resolution::self_check(problem, domain)),
        spectrum(problem),
        pml(problem, domain),
        ports::shorts(problem, domain, port_plans, lumped),
        surface_impedance(domain),
        facets::self_check(problem, domain, &surface),
        edges::self_check(problem, domain, &surface)?,
    ];
    Ok(found.into_iter().flatten().collect())
}

/// How well poles fit the impedance of conductors and coatings.
fn surface_impedance(domain: &Domain) -> Option<SelfCheck> {
    let fitted = domain.sheet_models.iter().map(|model| model.error).filter(|error| *error > 0.0);
    let error = fitted.reduce(f64::max)?;
    let sentence = if error <= MAX_SURFACE_ERROR {
        "Poles fit the surface impedance of conductors and coatings.".to_owned()
    } else {
        format!(
            "the surface impedance of a conductor is fitted to {error:.3} of itself only: its losses are off by as much; narrow the range of \
             frequencies"
        )
    };
    Some(SelfCheck::at_most("error of the surface impedance", error, MAX_SURFACE_ERROR, sentence))
}

/// Frequencies at the edge of the pulse's spectrum.
fn spectrum(problem: &Problem) -> Option<SelfCheck> {
    // Initial fields have no pulse.
    if problem.sources.initial.is_some() {
        return None;
    }
    let content = |f: &f64| problem.pulse.content(*f);
    let faintest = problem.monitors.frequencies.iter().min_by(|a, b| content(a).total_cmp(&content(b)))?;
    let least = content(faintest);
    let sentence = if least < FAINT {
        format!(
            "the pulse has {least:.0e} of its maximum spectral density at {} GHz: spectra there may be dominated by the truncation at the end of \
             the run; widen the `pulse`, or raise `energy_decay_db`",
            1e-9 * faintest
        )
    } else {
        "The pulse contains all frequencies of the spectra.".to_owned()
    };
    Some(SelfCheck::at_least("pulse content at the frequencies", least, FAINT, sentence))
}

/// PMLs that are one element thick.
fn pml(problem: &Problem, domain: &Domain) -> Option<SelfCheck> {
    let extents = (0..domain.mesh.tets.len())
        .filter_map(|tet| Some((tet, domain.pml(tet)?.extent(&domain.mesh.corners(tet)))));
    let (tet, extent) = extents.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let elements = 1.0 / extent;
    let sentence = if elements < MIN_PML_ELEMENTS {
        let [x, y, z] = domain.middle(tet);
        let name = domain.volume_name(tet);
        let what = if problem.order < 3 {
            "it reflects"
        } else {
            "it reflects, and from order 3 on it can be unstable"
        };
        format!(
            "the PML {name:?} is one element thick at ({x:.4}, {y:.4}, {z:.4}) m: {what}; make it four elements thick"
        )
    } else {
        "The PML is thicker than its elements everywhere.".to_owned()
    };
    Some(SelfCheck::at_least("elements across the PML", elements, MIN_PML_ELEMENTS, sentence))
}

#[cfg(test)]
mod tests {
    use crate::problem::{Boundary, Monitors, Problem};
    use crate::pulse::Pulse;
    use phasefront_mesh::{BoxMesh, BoxRegion};

    /// Sentences of the self-checks that do not hold.
    fn warned(problem: Problem) -> Vec<String> {
        let checks = crate::prepare(problem).unwrap().self_checks;
        checks.into_iter().filter(|check| !check.holds()).map(|check| check.sentence).collect()
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

    #[test]
    fn frequencies_that_the_pulse_hardly_holds_are_told() {
        let sides = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"];
        let metal_box = Problem {
            mesh: BoxMesh { cell: [0.25; 3], name: "air".into(), ..BoxMesh::default() }.mesh().unwrap(),
            boundaries: sides.map(|name| (name.into(), Boundary::Pec)).into(),
            highest_frequency: 1e8,
            ..Problem::default()
        };
        // −20 dB at 0.1 GHz are −80 dB at twice that.
        let at = |frequencies: &[f64]| {
            warned(Problem {
                pulse: Pulse::gaussian(0.1e9),
                monitors: Monitors { frequencies: frequencies.into(), ..Monitors::default() },
                ..metal_box.clone()
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
