//! What is refused before anything runs.

use crate::domain::Domain;
use crate::error::DgtdError;
use crate::material::{Material, Pole};
use crate::problem::{Flux, Initial, PortShape, Problem};
use glam::DVec3;
use phasefront_core::constants::C0;
use phasefront_core::{FieldError, Precision};

fn refuse<T>(path: &str, message: impl Into<String>, advice: impl Into<String>) -> Result<T, DgtdError> {
    Err(FieldError::new(path, message, advice).into())
}

/// Orders that there are.
pub const ORDERS: std::ops::RangeInclusive<usize> = 1..=6;

/// Settings that do not need the mesh.
pub fn settings(problem: &Problem) -> Result<(), DgtdError> {
    if !ORDERS.contains(&problem.order) {
        return refuse(
            "solve.order",
            format!("order {} is not from 1 to 6", problem.order),
            "3 serves most cases",
        );
    }
    if !(problem.courant > 0.0 && problem.courant <= 1.0) {
        return refuse(
            "solve.courant",
            "the time step must be above zero and at most the stable one",
            "write a number up to 1, such as 0.9",
        );
    }
    if !(problem.stop.time.is_finite() && problem.stop.time > 0.0) {
        return refuse("solve.time", "the longest time must be above zero", "write e.g. \"100 ns\"");
    }
    if !(problem.highest_frequency.is_finite() && problem.highest_frequency > 0.0) {
        return refuse("source.frequency", "frequencies must be above zero", "write e.g. \"1 GHz\"");
    }
    if problem.monitors.frequencies.iter().any(|f| !(f.is_finite() && *f > 0.0)) {
        return refuse("source.frequency", "frequencies must be above zero", "write e.g. \"1 GHz\"");
    }
    content(problem)?;
    snapshots(problem)?;
    sources(problem)?;
    initial(problem)
}

/// The least part of its largest spectral density that a pulse may have at a frequency that is asked for: what comes back is
/// divided by it, and below this it is all rounding. A pulse begins with 1e-13 of its peak, and single precision has seven digits.
fn least_content(precision: Precision) -> f64 {
    match precision {
        Precision::Single => 1e-4,
        Precision::Double => 1e-10,
    }
}

/// Refuses frequencies that the pulse does not hold.
fn content(problem: &Problem) -> Result<(), DgtdError> {
    if problem.sources.initial.is_some() {
        return Ok(());
    }
    let least = least_content(problem.precision);
    let empty = |f: &&f64| problem.pulse.content(**f) < least;
    let Some(f) = problem.monitors.frequencies.iter().find(empty) else { return Ok(()) };
    refuse(
        "source.frequency",
        format!(
            "the pulse has nothing at {} GHz: {:.0e} of its largest spectral density, and below {least:e} there is only rounding",
            1e-9 * f,
            problem.pulse.content(*f)
        ),
        "ask for frequencies that the pulse holds, or leave out `pulse`: it follows from `frequency` then",
    )
}

/// How far, in parts of their lengths, vectors may be from square to each other: files have few digits.
const ACROSS: f64 = 1e-3;

/// Refuses initial fields that are none, or not across their wave vector.
fn initial(problem: &Problem) -> Result<(), DgtdError> {
    let (path, name, k, field) = match problem.sources.initial {
        None => return Ok(()),
        Some(Initial::Mode { k, a }) => ("source.initial.mode", "a", k, a),
        Some(Initial::Wave { k, e }) => ("source.initial.wave", "e", k, e),
    };
    let (wave, vector) = (DVec3::from(k), DVec3::from(field));
    let size = wave.length() * vector.length();
    if !(size.is_finite() && size > 0.0) {
        return refuse(path, format!("k and {name} need a length"), "write for example [0.0, 0.0, 1.0]");
    }
    if wave.dot(vector).abs() > ACROSS * size {
        return refuse(
            &format!("{path}.{name}"),
            format!(
                "{name} must be across k, and {name}·k is {:.3} of their lengths",
                wave.dot(vector) / size
            ),
            "a wave has no field along its way: turn it, so that the sum of the products of their components is zero",
        );
    }
    // E_x goes with sin(k_y y) sin(k_z z), and so on round.
    let gone = |axis: usize| field[axis] == 0.0 || k[(axis + 1) % 3] == 0.0 || k[(axis + 2) % 3] == 0.0;
    if path.ends_with("mode") && (0..3).all(gone) {
        return refuse(
            &format!("{path}.a"),
            "the mode has no field: E_x goes with sin(k_y y) sin(k_z z), and so on round, and k is zero along an axis",
            "where k is zero along one axis, the field goes along that axis",
        );
    }
    Ok(())
}

fn snapshots(problem: &Problem) -> Result<(), DgtdError> {
    let end = problem.stop.time;
    let short = |time: f64| (1e15 * time).round() / 1e6;
    // Rounding of a range of times.
    let outside = |time: &&f64| !(**time >= 0.0 && **time <= (1.0 + 1e-9) * end);
    match problem.monitors.snapshots.iter().find(outside) {
        Some(time) => refuse(
            "output.snapshots",
            format!(
                "the run ends at {} ns at the latest, and a snapshot is asked for at {} ns",
                short(end),
                short(*time)
            ),
            "ask for times up to that, or give a longer `time` in [solve]",
        ),
        None => Ok(()),
    }
}

fn sources(problem: &Problem) -> Result<(), DgtdError> {
    let sources = &problem.sources;
    if let Some(wave) = &sources.plane_wave {
        let dot: f64 = wave.propagation.iter().zip(wave.polarization).map(|(a, b)| a * b).sum();
        if dot.abs() > 1e-9 {
            return refuse(
                "source.plane_wave.polarization",
                "the field of a plane wave lies across its way",
                "turn it",
            );
        }
    }
    for (i, port) in sources.ports.iter().enumerate() {
        if !(port.resistance.is_finite() && port.resistance > 0.0) {
            return refuse(
                &format!("source.ports[{i}].resistance"),
                "the resistance must be above zero",
                "write e.g. \"50 ohm\"",
            );
        }
        if let PortShape::Coaxial { inner, outer, .. } = port.shape
            && !(inner > 0.0 && outer > inner)
        {
            return refuse(
                &format!("source.ports[{i}].coaxial"),
                "the outer radius must be above the inner one, and that above zero",
                "give the radii of the two conductors",
            );
        }
    }
    if !sources.ports.is_empty() && sources.driven >= sources.ports.len() {
        return refuse(
            "source.driven",
            format!("there is no port {} to drive", sources.driven + 1),
            "ports count from 1, in the order of `ports`",
        );
    }
    if problem.flux == Flux::Central && (!sources.ports.is_empty() || has_sheets(problem)) {
        return refuse("solve.flux", "the central flux knows no sheets and no ports", "use \"upwind\"");
    }
    Ok(())
}

fn has_sheets(problem: &Problem) -> bool {
    problem.boundaries.iter().any(|(_, b)| matches!(b, crate::problem::Boundary::Resistive(_)))
}

/// The constants of a material.
pub fn material(path: &str, material: &Material) -> Result<(), DgtdError> {
    for (name, value) in [("eps", material.eps), ("mu", material.mu)] {
        if !(value.is_finite() && value > 0.0) {
            return refuse(
                &format!("{path}.{name}"),
                format!("{name} must be above zero, and is {value}"),
                "a material with a negative permittivity at some frequency is a Drude or Lorentz term beside a positive eps",
            );
        }
    }
    if !(material.sigma.is_finite() && material.sigma >= 0.0) {
        return refuse(
            &format!("{path}.sigma"),
            "a conductivity is not negative",
            "leave it out for a lossless material",
        );
    }
    for pole in &material.poles {
        let (name, values): (&str, &[f64]) = match pole {
            Pole::Debye { delta, tau } => ("debye", &[*delta, *tau]),
            Pole::Drude { plasma, damping } => ("drude", &[*plasma, *damping]),
            Pole::Lorentz { delta, resonance, damping } => ("lorentz", &[*delta, *resonance, *damping]),
        };
        let zero_damping = matches!(pole, Pole::Drude { .. } | Pole::Lorentz { .. });
        let (last, first) = values.split_last().map_or((0.0, &[][..]), |(l, f)| (*l, f));
        let fine = first.iter().all(|v| v.is_finite() && *v > 0.0)
            && last.is_finite()
            && (last > 0.0 || (zero_damping && last == 0.0));
        if !fine {
            return refuse(
                &format!("{path}.{name}"),
                format!("the {name} term has a constant that is not above zero"),
                "its constants are above zero; only damping may be zero",
            );
        }
    }
    Ok(())
}

/// Below so many nothing can be right: two samples to a period are the least that tell a wave at all, and after one wavelength a
/// third to two thirds of it are wrong.
const LEAST_POINTS: f64 = 2.0;
/// Below so many, lengths are most likely in another unit than the one that is given.
const OTHER_UNIT: f64 = 0.01;

/// The tetrahedron with the fewest nodes to a wavelength along its longest edge, and how many these are.
fn coarsest(problem: &Problem, domain: &Domain) -> (usize, f64) {
    let longest = |tet: usize| {
        let p = domain.mesh.corners(tet).map(glam::DVec3::from);
        let pairs = (0..4).flat_map(|i| (0..i).map(move |j| (i, j)));
        pairs.map(|(i, j)| p[i].distance(p[j])).fold(0.0, f64::max)
    };
    let wavelength = C0 / problem.highest_frequency;
    let points = |tet: usize| problem.order as f64 * wavelength * domain.material(tet).speed() / longest(tet);
    let all = (0..domain.mesh.tets.len()).map(|tet| (tet, points(tet)));
    all.fold((0, f64::INFINITY), |least, next| if next.1 < least.1 { next } else { least })
}

/// Nodes along the longest edge of an element to a wavelength in it, where that is least.
pub fn points_per_wavelength(problem: &Problem, domain: &Domain) -> f64 {
    coarsest(problem, domain).1
}

/// Refuses a mesh on which waves of the highest frequency are nothing like waves.
pub fn fine_enough(problem: &Problem, domain: &Domain) -> Result<(), DgtdError> {
    let (tet, points) = coarsest(problem, domain);
    if points >= LEAST_POINTS {
        return Ok(());
    }
    let [x, y, z] = domain.middle(tet);
    refuse(
        "geometry.mesh",
        format!(
            "the volume {:?} is too coarse for {:.4} GHz: the element at ({x:.4}, {y:.4}, {z:.4}) m has {points:.1} points to a \
             wavelength, and with fewer than {LEAST_POINTS} there is no wave",
            domain.volume_name(tet),
            1e-9 * problem.highest_frequency
        ),
        if points < OTHER_UNIT {
            "are lengths in the unit that is meant? `units` in [geometry] is that of the mesh file, for example \"mm\""
        } else {
            "mesh finer there or raise the order, to 6 points or more; or ask for lower frequencies"
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Boundary;
    use phasefront_mesh::BoxMesh;

    #[test]
    fn points_are_counted_along_the_longest_edge() {
        // The diagonal of a cubic cell of 0.5 m is 0.866 m; at 299.8 MHz and with ε = 4 a wave is half a meter long.
        let mesh = BoxMesh { cell: [0.5; 3], name: "body".into(), ..BoxMesh::default() }.mesh().unwrap();
        let sides = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"];
        let problem = |order: usize| Problem {
            mesh: mesh.clone(),
            materials: vec![("body".to_owned(), Material::dielectric(4.0))],
            boundaries: sides.map(|name| (name.into(), Boundary::Pec)).into(),
            highest_frequency: C0,
            order,
            ..Problem::default()
        };
        let study = crate::prepare(problem(4)).unwrap();
        assert!((study.points_per_wavelength() - 4.0 * 0.5 / 0.75_f64.sqrt()).abs() < 1e-12);
        assert!(
            study.warnings[0].starts_with("the mesh has 2.3 points to a wavelength"),
            "{:?}",
            study.warnings
        );
        let error = crate::prepare(problem(3)).err().unwrap();
        let expected = "geometry.mesh: the volume \"body\" is too coarse for 0.2998 GHz: the element at (";
        let end = ") m has 1.7 points to a wavelength, and with fewer than 2 there is no wave";
        assert!(error.to_string().starts_with(expected) && error.to_string().ends_with(end), "{error}");
    }
}
