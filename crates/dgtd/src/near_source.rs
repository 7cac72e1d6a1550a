//! The near field of a file as a source: what is refused, and on which side of the TF/SF surface it is the total field.
//!
//! If the recorded surface lies inside of the TF/SF surface, the field radiates from there: outside is the total field, inside only what is
//! scattered back. If it lies outside, the field is incident on what the TF/SF surface encloses.

use crate::domain::Domain;
use crate::error::DgtdError;
use crate::huygens::Huygens;
use crate::images;
use crate::locate::Locator;
use crate::material::Material;
use crate::problem::{NearField, NearSource, Problem};
use crate::synthesis::Synthesis;
use glam::DVec3;
use phasefront_core::FieldError;
use rayon::prelude::*;

/// The key of the TF/SF surface.
pub const SURFACE: &str = "source.near_field.surface";
const POSITION: &str = "source.near_field.position";
/// Least distance of the TF/SF surface from a recorded point, relative to the distance between such points: the error of a sum over a grid
/// falls as e^{−2πd/h} with the distance d, and is 0.2 % there.
const MIN_DISTANCE: f64 = 1.0;
/// Most contributions of a recorded point to a field at a node at a frequency: a core makes some 20 million in a second.
const MAX_EVALUATIONS: f64 = 5e10;
/// Spectral density at zero frequency, relative to the largest, of a pulse that leaves charges behind.
const STATIC: f64 = 1e-3;

/// A near field that passed its checks.
pub struct Placed {
    /// Its frequencies, by their indices in the file, in rising order.
    pub frequencies: Vec<usize>,
    /// The copies of the pulse.
    pub synthesis: Synthesis,
    /// The largest field that its equivalent currents leave inside of them, relative to that on them.
    pub interior: f64,
    /// Whether the total field is inside of the TF/SF surface.
    pub total_inside: bool,
}

impl Placed {
    pub fn new(
        problem: &Problem,
        domain: &Domain,
        source: &NearSource,
        surface: &Huygens,
    ) -> Result<Self, DgtdError> {
        let frequencies = indices(problem, source)?;
        let in_hertz: Vec<f64> = frequencies.iter().map(|&f| source.recorded.frequencies[f]).collect();
        let synthesis = Synthesis::new(&in_hertz)?;
        check_time(problem, &synthesis)?;
        let interior = source.recorded.check(&frequencies)?;
        images::is_closed(domain, &surface.outer, &[], SURFACE)?;
        if surface.medium != Material::VACUUM {
            return refuse(
                SURFACE,
                "the surface does not lie in vacuum, where the near field was recorded".into(),
                "place it in air",
            );
        }
        let total_inside = !is_inside(domain, source, surface)?;
        check_distance(domain, source, surface, frequencies.len())?;
        check_scattered(domain, surface, total_inside)?;
        check_outputs(problem, domain, surface, total_inside)?;
        Ok(Self { frequencies, synthesis, interior, total_inside })
    }
}

/// The frequencies of the monitors in the file, in rising order.
fn indices(problem: &Problem, source: &NearSource) -> Result<Vec<usize>, DgtdError> {
    let known = &source.recorded.frequencies;
    let mut found = Vec::new();
    for frequency in &problem.monitors.frequencies {
        let Some(index) = source.recorded.index_of(*frequency) else {
            let gigahertz: Vec<String> = known.iter().take(8).map(|f| format!("{}", 1e-9 * f)).collect();
            let more = if known.len() > 8 { " and others" } else { "" };
            return refuse(
                "source.frequency",
                format!("the near field of the file is not known at {} GHz", 1e-9 * frequency),
                &format!(
                    "name some of its frequencies, {}{more} GHz: between them it radiates nothing that is meant",
                    gigahertz.join(", ")
                ),
            );
        };
        found.push(index);
    }
    found.sort_by(|a, b| known[*a].total_cmp(&known[*b]));
    found.dedup();
    Ok(found)
}

fn check_time(problem: &Problem, synthesis: &Synthesis) -> Result<(), DgtdError> {
    if problem.pulse.content(0.0) > STATIC {
        return refuse(
            "source.pulse",
            "the pulse has a dc component, with which the equivalent currents of a near field leave charges behind".into(),
            "remove `pulse`: the default has none, or give a \"modulated\" one",
        );
    }
    let last = synthesis.delays.last().copied().unwrap_or_default();
    let end = problem.pulse.end() + last;
    if end >= problem.stop.time {
        return refuse(
            "solve.max_time",
            format!(
                "the run ends at {:.4} ns, before the signal of the near field does, at {:.4} ns",
                1e9 * problem.stop.time,
                1e9 * end
            ),
            "raise `max_time`, or name frequencies that are farther apart",
        );
    }
    Ok(())
}

/// Whether the recorded points are inside of the TF/SF surface: all of them, or none.
fn is_inside(domain: &Domain, source: &NearSource, surface: &Huygens) -> Result<bool, DgtdError> {
    let locator = Locator::new(&domain.mesh, |tet| !domain.in_guide(tet));
    let within =
        |position: [f64; 3]| locator.find(position.into()).is_some_and(|(tet, _)| surface.inside[tet]);
    let points = &source.recorded.points;
    let sides: Vec<bool> = points.par_iter().map(|point| within(point.position)).collect();
    let inside = sides.iter().all(|inside| *inside);
    let Some(other) = sides.iter().position(|side| *side).filter(|_| !inside) else { return Ok(inside) };
    let outer = sides.iter().position(|side| !side).unwrap_or(other);
    refuse(
        POSITION,
        format!(
            "the recorded near field crosses the TF/SF surface {:?}: {} is inside of it, and {} outside",
            source.surface,
            text(points[other].position.into()),
            text(points[outer].position.into())
        ),
        "move it, so that all of it is inside, to radiate outward, or all of it outside, as an incident field",
    )
}

fn check_distance(
    domain: &Domain,
    source: &NearSource,
    surface: &Huygens,
    frequencies: usize,
) -> Result<(), DgtdError> {
    let corners = surface.outer.iter().flat_map(|&(tet, face)| domain.mesh.face(tet, face));
    let mut nodes: Vec<u32> = corners.collect();
    nodes.sort_unstable();
    nodes.dedup();
    let points = &source.recorded.points;
    // Some ten nodes of an element of order 3 belong to each corner of the surface.
    let evaluations = 10.0 * nodes.len() as f64 * points.len() as f64 * frequencies as f64;
    if evaluations > MAX_EVALUATIONS {
        return refuse(
            "source.near_field.file",
            format!(
                "{} recorded points radiate to a TF/SF surface with {} nodes at {frequencies} frequencies: that takes longer than the run",
                points.len(),
                nodes.len()
            ),
            "record fewer points, ten in a wavelength, name fewer frequencies, or a smaller surface",
        );
    }
    let near = nodes.par_iter().find_map_first(|&node| {
        let node = DVec3::from(domain.mesh.nodes[node as usize]);
        let is_near = |distance: f64, area: f64| distance < MIN_DISTANCE * area.sqrt();
        points
            .iter()
            .map(|point| (node.distance(point.position.into()), point.area))
            .find(|(distance, area)| is_near(*distance, *area))
            .map(|(distance, area)| (node, distance, area.sqrt()))
    });
    let Some((node, distance, spacing)) = near else { return Ok(()) };
    refuse(
        SURFACE,
        format!(
            "the surface is {distance:.2e} m from the recorded points at {}, which are {spacing:.2e} m apart: their sum is inaccurate there",
            text(node)
        ),
        "leave at least the distance of two points between them: a larger surface, or more points on a smaller one",
    )
}

/// On the side of the scattered field there must be nothing that the incident field would meet.
fn check_scattered(domain: &Domain, surface: &Huygens, total_inside: bool) -> Result<(), DgtdError> {
    let is_free = |tet: &usize| {
        let open = |condition: &crate::boundary_condition::BoundaryCondition| {
            condition.is_interior() || condition.is_absorbing()
        };
        domain.in_pml(*tet)
            || *domain.material(*tet) == Material::VACUUM && domain.conditions[*tet].iter().all(open)
    };
    let mut scattered = (0..domain.mesh.tets.len()).filter(|&tet| surface.inside[tet] != total_inside);
    let Some(tet) = scattered.find(|tet| !is_free(tet)) else { return Ok(()) };
    let corners = domain.mesh.face_corners(tet, 0).map(DVec3::from);
    let at = text(corners.iter().sum::<DVec3>() / 3.0);
    let (what, advice) = if total_inside {
        (
            "outside of the surface, where the field is the scattered one",
            "enclose all bodies in the surface, with nothing but air and PMLs around it",
        )
    } else {
        (
            "inside of the surface, where the field is what is scattered back",
            "remove it: the near field stands for all that was inside when it was recorded; other bodies belong outside",
        )
    };
    refuse(
        SURFACE,
        format!("there is a body or a wall near {at}, in {:?}, {what}", domain.volume_name(tet)),
        advice,
    )
}

/// Far and near fields of the radiated field must be observed where the field is the total one.
fn check_outputs(
    problem: &Problem,
    domain: &Domain,
    surface: &Huygens,
    total_inside: bool,
) -> Result<(), DgtdError> {
    if problem.monitors.far_field && total_inside {
        return refuse(
            "output.directivity",
            "the near field is incident from outside, and outside of its TF/SF surface is the scattered field alone".into(),
            "remove it; to radiate, the recorded near field must be inside of the TF/SF surface",
        );
    }
    let far = problem.monitors.far_surface.as_ref().map(|name| (name, "output.far_field_surface"));
    let near = match &problem.monitors.near_field {
        Some(NearField::Surface(name)) => Some((name, "output.near_field.surface")),
        _ => None,
    };
    for (name, path) in far.into_iter().chain(near).filter(|_| !total_inside) {
        let observed = Huygens::new(domain, name, path)?;
        let behind = |&(tet, face): &(usize, usize)| domain.faces.neighbors[tet][face];
        let holds = surface.outer.iter().filter_map(behind).all(|inner| observed.inside[inner.tet as usize]);
        if !holds || observed.outer.iter().any(|(tet, _)| surface.inside[*tet]) {
            return refuse(
                path,
                format!(
                    "the surface {name:?} does not enclose the TF/SF surface that the near field radiates from"
                ),
                "name that surface, or one around it and all bodies",
            );
        }
    }
    Ok(())
}

fn refuse<T>(path: &str, message: String, advice: &str) -> Result<T, DgtdError> {
    Err(FieldError::new(path, message, advice).into())
}

fn text(position: DVec3) -> String {
    format!("({:.4}, {:.4}, {:.4}) m", position.x, position.y, position.z)
}
