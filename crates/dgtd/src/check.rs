//! What is refused before anything runs.

use crate::domain::Domain;
use crate::error::DgtdError;
use crate::material::{Material, Pole};
use crate::problem::{Flux, PortShape, Problem};
use phasefront_core::FieldError;
use phasefront_core::constants::C0;

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
    snapshots(problem)?;
    sources(problem)
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

/// Below so many nodes to a wavelength, a wave is wrong by more than 2 to 7 % of itself after one wavelength (`tests/physics/coarse.rs`).
const FEW_POINTS: f64 = 4.0;
/// Below so many nothing can be right: two samples to a period are the least that tell a wave at all, and after one wavelength a
/// third to two thirds of it are wrong.
const LEAST_POINTS: f64 = 2.0;

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
    let corners = domain.mesh.corners(tet);
    let [x, y, z]: [f64; 3] = std::array::from_fn(|axis| corners.iter().map(|p| 0.25 * p[axis]).sum());
    refuse(
        "geometry.mesh",
        format!(
            "the volume {:?} is too coarse for {:.4} GHz: the element at ({x:.4}, {y:.4}, {z:.4}) m has {points:.1} points to a \
             wavelength, and with fewer than {LEAST_POINTS} there is no wave",
            domain.mesh.volume_names[usize::from(domain.mesh.volume_of[tet])],
            1e-9 * problem.highest_frequency
        ),
        "mesh finer there or raise the order, to 6 points or more; or ask for lower frequencies",
    )
}

/// What the user should know before trusting the answer.
pub fn warnings(problem: &Problem, domain: &Domain) -> Vec<String> {
    let mut warnings = Vec::new();
    let points = points_per_wavelength(problem, domain);
    if points < FEW_POINTS {
        warnings.push(format!(
            "the mesh has {points:.1} points to a wavelength where it is coarsest: below {FEW_POINTS} results are rough; \
             mesh finer or raise the order"
        ));
    }
    let thin = |tet: usize| {
        domain.absorbs(tet) && domain.layers.is_some_and(|layers| layers.spans(&domain.mesh.corners(tet)))
    };
    if (0..domain.mesh.tets.len()).any(thin) {
        warnings.push(
            "the absorbing layers are one element thick somewhere: they reflect, and may amplify; make them four elements thick"
                .into(),
        );
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Boundary;
    use phasefront_mesh::{BoxMesh, BoxRegion};

    #[test]
    fn points_are_counted_along_the_longest_edge() {
        // The diagonal of a cubic cell of 0.5 m is 0.866 m; at 299.8 MHz and with ε = 4 a wave is half a metre long.
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

    #[test]
    fn thin_layers_are_told() {
        let warned = |cell: f64| {
            let regions = vec![BoxRegion { name: "air".into(), from: [-0.2; 3], to: [0.2; 3] }];
            let mesh = BoxMesh {
                from: [-0.4; 3],
                to: [0.4; 3],
                cell: [cell; 3],
                name: "pml".into(),
                regions,
                ..BoxMesh::default()
            };
            let problem =
                Problem { mesh: mesh.mesh().unwrap(), highest_frequency: 1e8, ..Problem::default() };
            crate::prepare(problem).unwrap().warnings.iter().any(|w| w.contains("one element thick"))
        };
        assert!(warned(0.2) && !warned(0.1));
    }
}
