//! Sharp edges of narrow conductors, where fields are singular.

use super::surface::{Kind, Surface};
use crate::domain::{Domain, mesh_error_at};
use crate::error::DgtdError;
use crate::geometry::{Edge, edges_of};
use crate::problem::Problem;
use glam::DVec3;
use phasefront_core::SelfCheck;
use std::collections::BTreeSet;
use std::f64::consts::PI;

/// Angle that the field fills around a sharp edge, rad: at 225° the field grows as r^−0.2, at a knife edge of 360° as r^−1/2 (J. Van
/// Bladel, Singular Electromagnetic Fields and Sources, 1991, chapter 4). Smaller angles are curved surfaces.
const SHARP: f64 = 1.25 * PI;
/// Nodes across a narrow conductor below which its resonances are off by more than 1.6 %.
const MIN_NODES: f64 = 16.0;
/// Relative error of a resonance times the nodes across the conductor. From the strip dipole of the gallery, which resonates 13.8, 6.8
/// and 3.9 % low at orders 1 to 3, with 2, 4 and 6 nodes across its width; kept apart from these: half the element size at order 2,
/// with 8 nodes, is 3.5 % low.
const ERROR: f64 = 0.26;
/// Edges for which the nearest other one is looked for: enough for a mean.
const SAMPLES: usize = 2000;

/// Distance of an edge from itself by rounding, relative to the altitude of its facet.
const ITSELF: f64 = 1e-6;

/// A sharp edge of a conductor.
struct SharpEdge {
    ends: [DVec3; 2],
    /// The directions into the facets that meet at it, and their altitudes over it.
    facets: Vec<(DVec3, f64)>,
    /// The conductor that it belongs to.
    conductor: usize,
}

/// Nodes across the narrowest conductor, or the narrowest slot, between its sharp edges; none where there are no such edges, or no ports.
pub fn self_check(
    problem: &Problem,
    domain: &Domain,
    surface: &Surface,
) -> Result<Option<SelfCheck>, DgtdError> {
    // Impedances and resonances are what suffers, and what ports are there for.
    if problem.sources.ports.is_empty() {
        return Ok(None);
    }
    let sharp = sharp_edges(problem, domain, surface)?;
    let conductors = sharp.iter().map(|edge| edge.conductor + 1).max().unwrap_or(0);
    // Mean of size over width along the edges of each conductor, weighted by their length.
    let mut sums = vec![(0.0, 0.0, (0.0, DVec3::ZERO)); conductors];
    for edge in sharp.iter().step_by(sharp.len().div_ceil(SAMPLES).max(1)) {
        let length = edge.ends[0].distance(edge.ends[1]);
        // The wider facet counts: around the rim of a thin plate the field is that of a knife edge of the plate.
        let ratio = edge
            .facets
            .iter()
            .map(|facet| size_over_width(edge, *facet, &sharp))
            .fold(f64::INFINITY, f64::min);
        let (sum, total, worst) = &mut sums[edge.conductor];
        *sum += length * ratio;
        *total += length;
        // A conductor may be wide elsewhere: where it is narrowest is told.
        if ratio > worst.0 {
            *worst = (ratio, 0.5 * (edge.ends[0] + edge.ends[1]));
        }
    }
    let worst = sums
        .into_iter()
        .filter(|(sum, total, _)| *total > 0.0 && *sum > 0.0)
        .map(|(sum, total, (_, position))| (sum / total, position))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    Ok(worst.map(|(ratio, position)| judge(problem.order as f64 / ratio, position)))
}

fn judge(nodes: f64, position: DVec3) -> SelfCheck {
    // Without negative zeros.
    let [x, y, z] = position.to_array().map(|x| (1e4 * x).round() / 1e4 + 0.0);
    let sentence = if nodes < MIN_NODES {
        format!(
            "the mesh has {nodes:.1} nodes across the narrow conductor at ({x:.4}, {y:.4}, {z:.4}) m, whose sharp edges it does not resolve: \
             the field is singular there, and resonances and impedances are off, up to {:.0} % low in frequency, at any order; \
             refine the mesh toward these edges, or let `accuracy` in [solve] do it",
            100.0 * ERROR / nodes
        )
    } else {
        "The mesh resolves the fields between the sharp edges of conductors.".to_owned()
    };
    SelfCheck::at_least("nodes across narrow conductors", nodes, MIN_NODES, sentence)
}

/// Altitude of a facet at an edge over the distance to the nearest other sharp edge in its plane, across the conductor or across a slot
/// beside it; zero if there is none.
fn size_over_width(edge: &SharpEdge, (inward, altitude): (DVec3, f64), all: &[SharpEdge]) -> f64 {
    let middle = 0.5 * (edge.ends[0] + edge.ends[1]);
    let distance = |other: &SharpEdge| {
        let [a, b] = other.ends;
        let along = b - a;
        let t = ((middle - a).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        let offset = a + t * along - middle;
        // Within 60 degrees of the perpendicular of the edge: neighbors along the edge are not meant, nor the edge itself, which is away
        // from its own middle by rounding.
        let beside = offset.dot(inward).abs() > 0.5 * offset.length() && offset.length() > ITSELF * altitude;
        beside.then(|| offset.length())
    };
    all.iter().filter_map(distance).reduce(f64::min).map_or(0.0, |width| altitude / width)
}

fn sharp_edges(problem: &Problem, domain: &Domain, surface: &Surface) -> Result<Vec<SharpEdge>, DgtdError> {
    let continued = continued_edges(problem, domain)?;
    let conductor_of = conductors(surface);
    let found = surface.edges.keys().filter_map(|edge| {
        let facets = metal(surface, *edge);
        if !is_sharp(domain, surface, *edge, &facets, &continued) {
            return None;
        }
        Some(SharpEdge {
            ends: edge.map(|node| DVec3::from(domain.mesh.nodes[node as usize])),
            facets: facets.iter().map(|facet| surface.inward(domain, *facet, *edge)).collect(),
            conductor: conductor_of[facets[0] as usize],
        })
    });
    Ok(found.collect())
}

/// The conducting facets at an edge.
fn metal(surface: &Surface, edge: Edge) -> Vec<u32> {
    let facets = surface.edges.get(&edge).into_iter().flatten().copied();
    facets.filter(|i| matches!(surface.facets[*i as usize].kind, Kind::Wall | Kind::Sheet)).collect()
}

/// Whether the field around an edge of a conductor fills a large angle.
fn is_sharp(
    domain: &Domain,
    surface: &Surface,
    edge: Edge,
    facets: &[u32],
    continued: &BTreeSet<Edge>,
) -> bool {
    let kind = |i: u32| surface.facets[i as usize].kind;
    match *facets {
        [only] => kind(only) == Kind::Sheet && !continued.contains(&edge),
        [a, b] => {
            let [up, down] = [a, b].map(|i| surface.inward(domain, i, edge).0);
            let bend = up.angle_between(-down);
            // Normals of walls point from the field into the conductor: it is convex where the next facet is on that side.
            let convex = match (kind(a), kind(b)) {
                (Kind::Wall, Kind::Wall) => down.dot(surface.facets[a as usize].normal) > 0.0,
                (Kind::Sheet, Kind::Sheet) => true,
                _ => false,
            };
            convex && PI + bend > SHARP
        }
        _ => false,
    }
}

/// Edges at which a conductor that ends there goes on: in a port or a sheet, behind a periodic or a magnetic wall, or outside of the mesh.
fn continued_edges(problem: &Problem, domain: &Domain) -> Result<BTreeSet<Edge>, DgtdError> {
    let mut found = BTreeSet::new();
    for (tet, conditions) in domain.conditions.iter().enumerate() {
        for (face, condition) in conditions.iter().enumerate() {
            if !condition.is_interior() && !condition.is_conductor() {
                found.extend(edges_of(domain.mesh.face(tet, face)));
            }
        }
    }
    for name in problem.periodic.iter().flat_map(|(a, b)| [a, b]) {
        let group = domain.mesh.surface(name).map_err(mesh_error_at("geometry.periodic"))?;
        let faces = domain.faces.faces_in(group);
        found.extend(faces.flat_map(|(tet, face)| edges_of(domain.mesh.face(tet, face))));
    }
    // Conductors that enter a PML.
    for tet in (0..domain.mesh.tets.len()).filter(|&tet| domain.in_pml(tet)) {
        found.extend((0..4).flat_map(|face| edges_of(domain.mesh.face(tet, face))));
    }
    Ok(found)
}

/// The conductor of each facet: facets that share an edge are of one.
fn conductors(surface: &Surface) -> Vec<usize> {
    let mut of = vec![usize::MAX; surface.facets.len()];
    let mut count = 0;
    for start in 0..of.len() {
        if of[start] != usize::MAX {
            continue;
        }
        of[start] = count;
        let mut stack = vec![start];
        while let Some(facet) = stack.pop() {
            let around = edges_of(surface.facets[facet].nodes);
            for next in around.into_iter().flat_map(|edge| metal(surface, edge)) {
                if of[next as usize] == usize::MAX {
                    of[next as usize] = count;
                    stack.push(next as usize);
                }
            }
        }
        count += 1;
    }
    of
}
