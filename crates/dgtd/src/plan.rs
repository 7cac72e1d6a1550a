//! The discrete problem, as every device takes it: elements in slots, what their faces do, what drives and what is watched.
//!
//! Lengths are in meters and times in meters of light (τ = ct); magnetic fields are multiplied by η₀, so that E and H have the same
//! size, and permittivities, permeabilities, impedances and admittances are relative to vacuum's.

use crate::domain::{Domain, Skin};
use crate::geometry::Shape;
use crate::ports::PortPlan;
use crate::problem::{Flux, PmlKind, Problem};
use crate::reference::Element;
use crate::reference::points::Points;
use glam::DVec3;
use phasefront_core::constants::ETA0;
use std::ops::Range;

/// Elements that go together: as many as the lanes of a GPU, two or four vectors of a CPU.
pub const LANES: usize = 32;

/// What has to be done for an element besides curls and fluxes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Nothing.
    Plain,
    /// Sources on faces or inside.
    Driven,
    /// A layer that absorbs along one axis.
    FlatLayer,
    /// A layer that absorbs along two, at an edge of the box, with a frequency shift.
    EdgeLayer,
    /// A layer that absorbs along three, at a corner of the box; without a frequency shift also along two.
    CornerLayer,
    /// A material with poles.
    Poles,
    /// Curved, perhaps with sources and poles.
    Curved,
}

impl Kind {
    /// In the order of their slots.
    pub const ALL: [Self; 7] = [
        Self::Plain,
        Self::Driven,
        Self::FlatLayer,
        Self::EdgeLayer,
        Self::CornerLayer,
        Self::Poles,
        Self::Curved,
    ];
}

/// Blocks of [`LANES`] slots with elements of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The kind.
    pub kind: Kind,
    /// The blocks.
    pub blocks: Range<usize>,
}

/// A face as its element sees it.
#[derive(Debug, Clone, Copy)]
pub struct Face {
    /// n, outwards.
    pub normal: DVec3,
    /// t₁, the same on both sides; t₂ = n × t₁.
    pub tangent: DVec3,
    /// Area over volume in units of the reference element: one over the altitude. In curved elements the area alone, and zero on
    /// curved faces: what they give is found at points.
    pub scale: f64,
    /// Whether it is curved, and joined to its neighbor at points instead of nodes.
    pub curved: bool,
    /// A of E* = A w⁻ + B w⁺ + s.
    pub own: f64,
    /// B.
    pub other: f64,
    /// Four times the neighbor's slot plus its face; the own one where there is none.
    pub neighbor: u32,
    /// How the neighbor's face is turned.
    pub turn: u8,
}

/// Elements in slots, with all that does not change while the fields run.
pub struct Plan {
    /// The reference element.
    pub element: Element,
    /// Its quadrature points.
    pub points: Points,
    /// How neighbors are joined.
    pub flux: Flux,
    /// Slots by kind.
    pub sections: Vec<Section>,
    /// The tetrahedron in each slot. The last block of a section is filled up with slots that have none.
    pub tets: Vec<Option<u32>>,
    /// The slot of each tetrahedron.
    pub slot_of: Vec<u32>,
    /// Shapes, by slot; of empty slots the unit tetrahedron.
    pub shapes: Vec<Shape>,
    /// ε, μ and ση₀, by slot.
    pub media: Vec<[f64; 3]>,
    /// Faces, by slot.
    pub faces: Vec<[Face; 4]>,
}

impl Plan {
    /// `driven` are the tetrahedra with sources.
    pub fn new(problem: &Problem, domain: &Domain, ports: &[PortPlan], driven: &[bool]) -> Self {
        let (sections, tets) = slots(domain, driven);
        let mut slot_of = vec![0; domain.mesh.tets.len()];
        for (slot, tet) in tets.iter().enumerate() {
            if let Some(tet) = tet {
                slot_of[*tet as usize] = slot as u32;
            }
        }
        let shapes: Vec<Shape> =
            tets.iter().map(|tet| tet.map_or(UNIT, |tet| Shape::of(&domain.mesh, tet as usize))).collect();
        let media =
            tets.iter().map(|tet| tet.map_or([1.0, 1.0, 0.0], |tet| medium(domain, tet as usize))).collect();
        let context = FaceContext { domain, ports, slot_of: &slot_of };
        let faces = tets
            .iter()
            .enumerate()
            .map(|(slot, tet)| std::array::from_fn(|face| context.face(slot, *tet, face)))
            .collect();
        let element = Element::new(problem.order);
        Self {
            points: Points::new(&element),
            element,
            flux: problem.flux,
            sections,
            tets,
            slot_of,
            shapes,
            media,
            faces,
        }
    }

    /// How many blocks.
    pub fn blocks(&self) -> usize {
        self.tets.len() / LANES
    }

    /// Scalars of a trace that neighbors exchange for each node of a face.
    pub fn traces(&self) -> usize {
        match self.flux {
            Flux::Upwind => 2,
            Flux::Central => 4,
        }
    }

    /// Scalars that neighbors exchange for each point of a curved face: a vector, or two with the central flux.
    pub fn point_traces(&self) -> usize {
        3 * self.traces() / 2
    }

    /// The slots of the blocks of one kind.
    pub fn slots_of(&self, kind: Kind) -> Range<usize> {
        let section = self.sections.iter().find(|section| section.kind == kind);
        section.map_or(0..0, |section| LANES * section.blocks.start..LANES * section.blocks.end)
    }

    /// ∫ f² over the element in a slot, f given at the nodes.
    pub fn square(&self, slot: usize, f: &[f64]) -> f64 {
        if self.shapes[slot].curved {
            return self.curved_square(slot, f);
        }
        let row = |i: usize| self.element.mass.row(i).iter().zip(f).map(|(m, f)| m * f).sum::<f64>();
        let product: f64 = (0..f.len()).map(|i| f[i] * row(i)).sum();
        self.shapes[slot].jacobian([0.25; 3]).determinant() * product
    }

    /// Where a node of an element is.
    pub fn place(&self, slot: usize, node: usize) -> DVec3 {
        self.shapes[slot].at(self.element.nodes[node])
    }
}

const UNIT: Shape = {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    Shape { corners, middles: [DVec3::ZERO; 6], curved: false }
};

fn medium(domain: &Domain, tet: usize) -> [f64; 3] {
    let material = domain.material(tet);
    [material.eps, material.mu, material.sigma * ETA0]
}

fn kind(domain: &Domain, tet: usize, driven: bool) -> Kind {
    if Shape::of(&domain.mesh, tet).curved {
        Kind::Curved
    } else if let Some(layers) = domain.layers.filter(|_| domain.absorbs(tet)) {
        match (layers.axes(&domain.mesh.corners(tet)).len(), layers.kind) {
            (1, _) => Kind::FlatLayer,
            (2, PmlKind::Shifted) => Kind::EdgeLayer,
            _ => Kind::CornerLayer,
        }
    } else if !domain.material(tet).poles.is_empty() {
        Kind::Poles
    } else if driven {
        Kind::Driven
    } else {
        Kind::Plain
    }
}

/// Sections and the tetrahedron of each slot, in the order of the mesh within a section.
fn slots(domain: &Domain, driven: &[bool]) -> (Vec<Section>, Vec<Option<u32>>) {
    let kinds: Vec<Kind> = (0..domain.mesh.tets.len()).map(|tet| kind(domain, tet, driven[tet])).collect();
    let (mut sections, mut tets) = (Vec::new(), Vec::new());
    for kind in Kind::ALL {
        let first = tets.len() / LANES;
        tets.extend((0..kinds.len()).filter(|&tet| kinds[tet] == kind).map(|tet| Some(tet as u32)));
        tets.resize(tets.len().next_multiple_of(LANES), None);
        if tets.len() / LANES > first {
            sections.push(Section { kind, blocks: first..tets.len() / LANES });
        }
    }
    (sections, tets)
}

struct FaceContext<'a> {
    domain: &'a Domain,
    ports: &'a [PortPlan],
    slot_of: &'a [u32],
}

impl FaceContext<'_> {
    fn face(&self, slot: usize, tet: Option<u32>, face: usize) -> Face {
        let itself = (4 * slot + face) as u32;
        let Some(tet) = tet.map(|tet| tet as usize) else {
            let empty = Face {
                normal: DVec3::X,
                tangent: DVec3::Y,
                scale: 0.0,
                curved: false,
                own: 0.0,
                other: 0.0,
                neighbor: itself,
                turn: 0,
            };
            return empty;
        };
        let mesh = &self.domain.mesh;
        let shape = Shape::of(mesh, tet);
        let area = shape.face_normal(face, [1.0 / 3.0; 2]);
        let neighbor = self.domain.faces.neighbors[tet][face];
        let normal = area.normalize();
        // Both sides take the tangent of the same one of them, so that they agree to the last bit.
        let leader = match neighbor {
            Some(n) if (n.tet as usize) < tet => {
                Shape::of(mesh, n.tet as usize).face_normal(usize::from(n.face), [1.0 / 3.0; 2]).normalize()
            }
            _ => normal,
        };
        let tangent = tangent(leader);
        let tangent = (tangent - normal * normal.dot(tangent)).normalize();
        let (own, other) = self.weights(tet, face);
        let curved = shape.face_is_curved(face);
        let scale = match (curved, shape.curved) {
            (true, _) => 0.0,
            (false, true) => area.length(),
            (false, false) => area.length() / shape.jacobian([0.25; 3]).determinant(),
        };
        Face {
            normal,
            tangent,
            scale,
            curved,
            own,
            other,
            neighbor: neighbor.map_or(itself, |n| 4 * self.slot_of[n.tet as usize] + u32::from(n.face)),
            turn: neighbor.map_or(0, |n| n.turn),
        }
    }

    /// A and B of E* = A w⁻ + B w⁺ + s.
    fn weights(&self, tet: usize, face: usize) -> (f64, f64) {
        let admittance = |tet: usize| self.domain.material(tet).impedance().recip();
        let own = admittance(tet);
        let other = self.domain.faces.neighbors[tet][face].map_or(0.0, |n| admittance(n.tet as usize));
        let sheet = match self.domain.skins[tet][face] {
            Skin::Pec => return (0.0, 0.0),
            Skin::Pmc => return (1.0, 0.0),
            Skin::Absorbing => return (0.5, 0.0),
            Skin::Open => 0.0,
            Skin::Sheet(admittance) => admittance,
            Skin::Port(i) => self.ports[usize::from(i)].admittance,
        };
        let all = own + other + sheet;
        (own / all, other / all)
    }
}

/// A unit vector across n, the same for −n.
pub fn tangent(n: DVec3) -> DVec3 {
    let size = n.abs();
    let axis = if size.x <= size.y && size.x <= size.z {
        DVec3::X
    } else if size.y <= size.z {
        DVec3::Y
    } else {
        DVec3::Z
    };
    (axis - n * n.dot(axis)).normalize()
}
