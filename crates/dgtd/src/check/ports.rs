//! Whether ports and lumped elements extend from one conductor to another, and whether conductors along them short their terminals.

use crate::domain::{Domain, mesh_error_at};
use crate::error::DgtdError;
use crate::geometry::{Edge, edges_of};
use crate::ports::PortPlan;
use crate::problem::{PortShape, Problem};
use glam::DVec3;
use phasefront_core::{FieldError, SelfCheck};
use std::collections::{BTreeMap, BTreeSet};

/// Length of conductors along a port, from one terminal to the other, that is none: coordinates from files are rounded.
const MAX_SHORT: f64 = 0.01;

/// A port or a lumped element: what it is, its surface, its key in the case, and its shape.
type Named<'a> = (&'static str, &'a str, String, &'a PortPlan);

/// All of them, but for wave ports, whose borders were checked with their guides.
fn named<'a>(problem: &'a Problem, ports: &'a [PortPlan], lumped: &'a [PortPlan]) -> Vec<Named<'a>> {
    let all = problem.sources.ports.iter().zip(ports).enumerate();
    let ports = all.map(|(i, (port, plan))| ("port", &*port.surface, problem.sources.port_path(i), plan));
    let all = problem.lumped.iter().zip(lumped).enumerate();
    let lumped = all.map(|(i, (element, plan))| {
        ("lumped element", &*element.surface, format!("geometry.lumped[{i}]"), plan)
    });
    ports.chain(lumped).filter(|(_, _, _, plan)| plan.wave.is_none()).collect()
}

/// Refuses those whose terminals are not on conductors: no current could leave them, and their voltage would be undefined.
pub fn check(
    problem: &Problem,
    domain: &Domain,
    ports: &[PortPlan],
    lumped: &[PortPlan],
) -> Result<(), DgtdError> {
    for (kind, name, path, plan) in named(problem, ports, lumped) {
        let mut bare = ends(domain, plan);
        remove_conductors(problem, domain, plan, &mut bare)?;
        let Some(edge) = bare.first() else { continue };
        let [a, b] = edge.map(|node| DVec3::from(domain.mesh.nodes[node as usize]));
        let [x, y, z] = (0.5 * (a + b)).to_array();
        let (key, advice) = match plan.shape {
            PortShape::Lumped { .. } => (
                "direction",
                format!(
                    "a lumped {} needs conductors at both ends: extend it from one \"pec\" surface or sheet to another, and give in \
                     `direction` the direction between them",
                    kind.trim_start_matches("lumped ")
                ),
            ),
            PortShape::Coaxial { .. } | PortShape::Wave { .. } | PortShape::Wire { .. } => {
                ("coaxial", "make the inner and the outer conductor \"pec\"".to_owned())
            }
        };
        return Err(FieldError::new(
            format!("{path}.{key}"),
            format!("the {kind} {name:?} ends at ({x:.4}, {y:.4}, {z:.4}) m, where there is no conductor"),
            advice,
        )
        .into());
    }
    Ok(())
}

/// Length of conductors on a port along its field, relative to the distance of its terminals: such conductors short the terminals,
/// since the field along a conductor is zero. Two shorted sides have 2.
pub fn shorts(
    problem: &Problem,
    domain: &Domain,
    ports: &[PortPlan],
    lumped: &[PortPlan],
) -> Option<SelfCheck> {
    let all = named(problem, ports, lumped);
    let metal = conductor_edges(domain, &all);
    let short = |(_, _, _, plan): &Named<'_>| -> f64 {
        let on: BTreeSet<Edge> = faces(domain, plan).into_iter().flat_map(edges_of).collect();
        on.intersection(&metal).map(|edge| plan.rise(edge.map(|node| domain.mesh.nodes[node as usize]))).sum()
    };
    let found: Vec<f64> = all.iter().map(short).collect();
    let worst = found.iter().copied().reduce(f64::max)?;
    let shorted = all.iter().zip(&found).filter(|(_, short)| **short > MAX_SHORT);
    let named: Vec<String> =
        shorted.map(|((kind, name, path, _), _)| format!("the {kind} {name:?} ({path})")).collect();
    let sentence = if named.is_empty() {
        "No conductor on a port connects its terminals.".to_owned()
    } else {
        format!(
            "conductors along the field short the terminals of {}: it neither excites nor absorbs the wave of the line or guide, and \
             S-parameters are wrong; only the two ends of a port may touch conductors: make it narrower, or make its sides \"pmc\"; a \
             hollow waveguide cannot be fed by a lumped port across all of it",
            named.join(" and ")
        )
    };
    Some(SelfCheck::at_most("conductors along ports", worst, MAX_SHORT, sentence).in_unit("port lengths"))
}

/// Edges of ports that are on conductors.
fn conductor_edges(domain: &Domain, ports: &[Named<'_>]) -> BTreeSet<Edge> {
    let of_ports: BTreeSet<Edge> =
        ports.iter().flat_map(|(_, _, _, plan)| faces(domain, plan)).flat_map(edges_of).collect();
    let mut found = BTreeSet::new();
    for (tet, conditions) in domain.conditions.iter().enumerate() {
        for face in (0..4).filter(|&face| conditions[face].is_conductor()) {
            found.extend(
                edges_of(domain.mesh.face(tet, face)).into_iter().filter(|edge| of_ports.contains(edge)),
            );
        }
    }
    found
}

/// Nodes of the faces of a port, each face once: interior ones are listed from both sides.
fn faces(domain: &Domain, plan: &PortPlan) -> Vec<[u32; 3]> {
    let mut faces: Vec<[u32; 3]> =
        plan.faces.iter().map(|&(tet, face)| domain.mesh.face(tet, face)).collect();
    for face in &mut faces {
        face.sort_unstable();
    }
    faces.sort_unstable();
    faces.dedup();
    faces
}

/// Terminal edges of a port, where the current leaves it: all of an annulus, of a rectangle those perpendicular to its field.
fn ends(domain: &Domain, plan: &PortPlan) -> BTreeSet<Edge> {
    let mut counts = BTreeMap::new();
    for edge in faces(domain, plan).into_iter().flat_map(edges_of) {
        *counts.entry(edge).or_insert(0) += 1;
    }
    let is_end = |edge: &Edge| match plan.shape {
        PortShape::Coaxial { .. } | PortShape::Wave { .. } | PortShape::Wire { .. } => true,
        PortShape::Lumped { along } => {
            let [a, b] = edge.map(|node| DVec3::from(domain.mesh.nodes[node as usize]));
            // Edges of the rectangle are parallel or perpendicular to the field; 60 degrees tell
            // them apart.
            (b - a).dot(along.into()).abs() < 0.5 * a.distance(b)
        }
    };
    // Edges of one face only are the border of the port.
    counts.into_iter().filter(|(edge, count)| *count == 1 && is_end(edge)).map(|(edge, _)| edge).collect()
}

/// Removes the edges on conductors and sheets other than the port itself, and those on periodic sides, behind which the next port begins.
fn remove_conductors(
    problem: &Problem,
    domain: &Domain,
    plan: &PortPlan,
    bare: &mut BTreeSet<Edge>,
) -> Result<(), DgtdError> {
    let own: BTreeSet<(usize, usize)> = plan.faces.iter().copied().collect();
    let mut remove = |tet: usize, face: usize| {
        for edge in edges_of(domain.mesh.face(tet, face)) {
            bare.remove(&edge);
        }
    };
    for (tet, conditions) in domain.conditions.iter().enumerate() {
        for (face, condition) in conditions.iter().enumerate() {
            let sheet = condition.is_sheet() && condition.port().is_none() && !own.contains(&(tet, face));
            if condition.is_conductor() || sheet {
                remove(tet, face);
            }
        }
    }
    for name in problem.periodic.iter().flat_map(|(a, b)| [a, b]) {
        let group = domain.mesh.surface(name).map_err(mesh_error_at("geometry.periodic"))?;
        domain.faces.faces_in(group).for_each(|(tet, face)| remove(tet, face));
    }
    Ok(())
}
