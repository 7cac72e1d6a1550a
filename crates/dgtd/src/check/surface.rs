//! Faces of conductors and of material interfaces, joined at their edges.

use crate::domain::Domain;
use crate::geometry::{Edge, Shape, edges_of};
use glam::DVec3;
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap};

/// What a facet separates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A conductor with fields on one side.
    Wall,
    /// A conducting sheet with fields on both sides.
    Sheet,
    /// Two materials, by their volume groups.
    Interface([u16; 2]),
}

/// A triangle of a surface.
#[derive(Debug, Clone)]
pub struct Facet {
    /// Its corners.
    pub nodes: [u32; 3],
    /// Unit normal, out of the tetrahedron that it is a face of; of two, the first.
    pub normal: DVec3,
    /// Speed of light beside it relative to vacuum, on the slower side.
    pub speed: f64,
    /// What it separates.
    pub kind: Kind,
    /// Whether it is curved.
    pub curved: bool,
}

/// All facets outside of PMLs, and which of them meet at an edge.
pub struct Surface {
    /// Facets.
    pub facets: Vec<Facet>,
    /// Indices of the facets at each edge.
    pub edges: BTreeMap<Edge, Vec<u32>>,
}

impl Surface {
    /// Conductors and material interfaces of a domain.
    pub fn new(domain: &Domain) -> Self {
        let mut facets: Vec<Facet> = Vec::new();
        let mut known: HashMap<[u32; 3], usize> = HashMap::new();
        // Most faces are none of these: they are left out before the others are joined.
        let of_tet = |tet: usize| (0..4).filter_map(move |face| Some((tet, face, kind(domain, tet, face)?)));
        let found: Vec<(usize, usize, Kind)> = (0..domain.mesh.tets.len())
            .into_par_iter()
            .filter(|&tet| !domain.in_pml(tet))
            .flat_map_iter(of_tet)
            .collect();
        for (tet, face, kind) in found {
            let nodes = domain.mesh.face(tet, face);
            let mut key = nodes;
            key.sort_unstable();
            if let Some(&i) = known.get(&key) {
                // A conductor that is seen from both sides.
                if kind == Kind::Wall {
                    facets[i].kind = Kind::Sheet;
                }
                continue;
            }
            known.insert(key, facets.len());
            let shape = Shape::of(&domain.mesh, tet);
            let normal = shape.face_normal(face, [1.0 / 3.0; 2]).normalize();
            let behind = domain.faces.neighbors[tet][face].map_or(tet, |neighbor| neighbor.tet as usize);
            let speed = domain.material(tet).slowest().min(domain.material(behind).slowest());
            facets.push(Facet { nodes, normal, speed, kind, curved: shape.face_is_curved(face) });
        }
        let mut edges: BTreeMap<Edge, Vec<u32>> = BTreeMap::new();
        for (i, facet) in facets.iter().enumerate() {
            for edge in edges_of(facet.nodes) {
                edges.entry(edge).or_default().push(i as u32);
            }
        }
        Self { facets, edges }
    }

    /// The unit vector in the plane of a facet that is perpendicular to one of its edges and points into the facet, and the altitude of
    /// the facet over the edge.
    pub fn inward(&self, domain: &Domain, facet: u32, edge: Edge) -> (DVec3, f64) {
        let position = |node: u32| DVec3::from(domain.mesh.nodes[node as usize]);
        let [a, b] = edge.map(position);
        let nodes = self.facets[facet as usize].nodes;
        let tip = nodes.into_iter().find(|node| !edge.contains(node)).map_or(a, position);
        let along = (b - a).normalize();
        let up = (tip - a) - along * along.dot(tip - a);
        (up.normalize(), up.length())
    }
}

fn kind(domain: &Domain, tet: usize, face: usize) -> Option<Kind> {
    let condition = domain.conditions[tet][face];
    if condition.is_conductor() {
        return Some(Kind::Wall);
    }
    let behind = domain.faces.neighbors[tet][face].filter(|_| condition.is_interior())?.tet as usize;
    let [a, b] = [tet, behind].map(|tet| domain.mesh.volume_of[tet]);
    let differs = a != b && domain.material(tet) != domain.material(behind) && !domain.in_pml(behind);
    differs.then_some(Kind::Interface([a.min(b), a.max(b)]))
}
