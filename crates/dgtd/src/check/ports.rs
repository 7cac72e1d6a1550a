//! Whether ports extend from one conductor to another, and whether conductors along them short their terminals.

use crate::domain::{Domain, mesh_error_at};
use crate::error::DgtdError;
use crate::ports::PortPlan;
use crate::problem::{PortShape, Problem};
use glam::DVec3;
use phasefront_core::{FieldError, SelfCheck};
use std::collections::{BTreeMap, BTreeSet};

/// An edge: two nodes, in ascending order.
type Edge = [u32; 2];

/// Length of conductors along a port, from one terminal to the other, that is none: coordinates from files are rounded.
const MAX_SHORT: f64 = 0.01;

/// Refuses ports whose terminals are not on conductors: no current could leave them, and their voltage would be undefined.
pub fn check(problem: &Problem, domain: &Domain, ports: &[PortPlan]) -> Result<(), DgtdError> {
    for (i, (port, plan)) in problem.sources.ports.iter().zip(ports).enumerate() {
        // The border of a wave port was checked with its guide.
        if plan.wave.is_some() {
            continue;
        }
        let mut bare = ends(domain, plan);
        remove_conductors(problem, domain, &mut bare)?;
        let Some(edge) = bare.first() else { continue };
        let [a, b] = edge.map(|node| DVec3::from(domain.mesh.nodes[node as usize]));
        let [x, y, z] = (0.5 * (a + b)).to_array();
        let (key, advice) = match plan.shape {
            PortShape::Lumped { .. } => (
                "direction",
                "a lumped port needs conductors at both ends: extend it from one \"pec\" surface or sheet to another, and give in \
                 `direction` the direction between them",
            ),
            PortShape::Coaxial { .. } | PortShape::Wave { .. } => {
                ("coaxial", "make the inner and the outer conductor \"pec\"")
            }
        };
        return Err(FieldError::new(
            format!("{}.{key}", problem.sources.port_path(i)),
            format!(
                "the port {:?} ends at ({x:.4}, {y:.4}, {z:.4}) m, where there is no conductor",
                port.surface
            ),
            advice,
        )
        .into());
    }
    Ok(())
}

/// Length of conductors on a port along its field, relative to the distance of its terminals: such conductors short the terminals,
/// since the field along a conductor is zero. Two shorted sides have 2.
pub fn shorts(problem: &Problem, domain: &Domain, ports: &[PortPlan]) -> Option<SelfCheck> {
    let metal = conductor_edges(domain, ports);
    let short = |plan: &PortPlan| -> f64 {
        let on: BTreeSet<Edge> = faces(domain, plan).into_iter().flat_map(edges).collect();
        on.intersection(&metal).map(|edge| plan.rise(edge.map(|node| domain.mesh.nodes[node as usize]))).sum()
    };
    let found: Vec<f64> = ports.iter().map(short).collect();
    // Walls of a guide belong to it.
    ports.iter().find(|plan| plan.wave.is_none())?;
    let worst = found.iter().copied().reduce(f64::max)?;
    let named: Vec<String> = found
        .iter()
        .enumerate()
        .filter(|(_, short)| **short > MAX_SHORT)
        .map(|(i, _)| {
            format!("the port {:?} ({})", problem.sources.ports[i].surface, problem.sources.port_path(i))
        })
        .collect();
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
fn conductor_edges(domain: &Domain, ports: &[PortPlan]) -> BTreeSet<Edge> {
    let of_ports: BTreeSet<Edge> =
        ports.iter().flat_map(|plan| faces(domain, plan)).flat_map(edges).collect();
    let mut found = BTreeSet::new();
    for (tet, conditions) in domain.conditions.iter().enumerate() {
        for face in (0..4).filter(|&face| conditions[face].is_conductor()) {
            found.extend(
                edges(domain.mesh.face(tet, face)).into_iter().filter(|edge| of_ports.contains(edge)),
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

fn edges([a, b, c]: [u32; 3]) -> [Edge; 3] {
    [[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)])
}

/// Terminal edges of a port, where the current leaves it: all of an annulus, of a rectangle those perpendicular to its field.
fn ends(domain: &Domain, plan: &PortPlan) -> BTreeSet<Edge> {
    let mut counts = BTreeMap::new();
    for edge in faces(domain, plan).into_iter().flat_map(edges) {
        *counts.entry(edge).or_insert(0) += 1;
    }
    let is_end = |edge: &Edge| match plan.shape {
        PortShape::Coaxial { .. } | PortShape::Wave { .. } => true,
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

/// Removes the edges on conductors and sheets, and those on periodic sides, behind which the next port begins.
fn remove_conductors(problem: &Problem, domain: &Domain, bare: &mut BTreeSet<Edge>) -> Result<(), DgtdError> {
    let mut remove = |tet: usize, face: usize| {
        for edge in edges(domain.mesh.face(tet, face)) {
            bare.remove(&edge);
        }
    };
    for (tet, conditions) in domain.conditions.iter().enumerate() {
        for (face, condition) in conditions.iter().enumerate() {
            if condition.is_conductor() || condition.is_sheet() && condition.port().is_none() {
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
