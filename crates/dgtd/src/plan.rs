//! The discrete problem as every device takes it: elements in slots, with their shapes, materials and fluxes.
//!
//! Lengths are in meters and times in meters of light (τ = ct). H is multiplied by η₀, so that E and H have the same magnitude;
//! permittivities, permeabilities, impedances and admittances are relative to vacuum.

use crate::domain::{BoundaryCondition, Domain};
use crate::geometry::Shape;
use crate::offsets::{
    ADMITTANCE_OVER_EPS, EDGES, FACE, FACE_SCALE, IMPEDANCE, INVERSE_EPS, INVERSE_J, INVERSE_MU, LOSS, SHAPE,
    TANGENT_1, TANGENT_2, WEIGHT_MINUS, WEIGHT_PLUS, WEIGHT_PLUS_H,
};
use crate::ports::PortPlan;
use crate::problem::{Flux, PmlKind, Problem};
use crate::reference::Element;
use crate::reference::points::Points;
use glam::DVec3;
use phasefront_core::constants::ETA0;
use std::ops::Range;

/// Elements of a block: as many as the lanes of a GPU warp, two or four vectors of a CPU.
pub const LANES: usize = 32;

/// What an element needs besides curls and fluxes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Nothing.
    Plain,
    /// Sources on faces or inside.
    Sources,
    /// PML face: absorbs along one axis.
    PmlFace,
    /// PML edge: absorbs along two axes, with CFS.
    PmlEdge,
    /// PML corner: absorbs along three axes; with the uniaxial PML also along two.
    PmlCorner,
    /// Dispersive: a material with poles.
    Poles,
    /// Curved, perhaps with sources and poles.
    Curved,
}

impl Kind {
    /// In the order of their slots.
    pub const ALL: [Self; 7] = [
        Self::Plain,
        Self::Sources,
        Self::PmlFace,
        Self::PmlEdge,
        Self::PmlCorner,
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

/// A face as seen from its element.
#[derive(Debug, Clone, Copy)]
pub struct Face {
    /// n, outward.
    pub normal: DVec3,
    /// t₁, the same on both sides; t₂ = n × t₁.
    pub tangent: DVec3,
    /// Area over volume relative to the reference element: one over the altitude. In curved elements the area alone, and zero on
    /// curved faces, whose flux is evaluated at quadrature points.
    pub scale: f64,
    /// Whether it is curved, and coupled to its neighbor at quadrature points instead of nodes.
    pub curved: bool,
    /// Weight A of the element's own characteristic in E* = A w⁻ + B w⁺ + s.
    pub minus: f64,
    /// Weight B of the neighbor's.
    pub plus: f64,
    /// Four times the neighbor's slot plus its face; its own where there is no neighbor.
    pub neighbor: u32,
    /// Orientation of the neighbor's face: a rotation by 0, 1 or 2 corners.
    pub orientation: u8,
}

/// Elements in slots, with all that is constant in time.
pub struct Plan {
    /// The reference element.
    pub element: Element,
    /// Its quadrature points.
    pub points: Points,
    /// Numerical flux.
    pub flux: Flux,
    /// Slots by kind.
    pub sections: Vec<Section>,
    /// The tetrahedron in each slot. The last block of a section is padded with empty slots.
    pub tets: Vec<Option<u32>>,
    /// The slot of each tetrahedron.
    pub slot_of: Vec<u32>,
    /// Shapes, by slot; empty slots have the unit tetrahedron.
    pub shapes: Vec<Shape>,
    /// ε, μ and ση₀, by slot.
    pub media: Vec<[f64; 3]>,
    /// Faces, by slot.
    pub faces: Vec<[Face; 4]>,
}

impl Plan {
    /// `has_source` marks the tetrahedra with sources.
    pub fn new(problem: &Problem, domain: &Domain, ports: &[PortPlan], has_source: &[bool]) -> Self {
        let (sections, tets) = slots(domain, has_source);
        let mut slot_of = vec![0; domain.mesh.tets.len()];
        // Inverse of `tets`; every tetrahedron has a slot.
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

    /// Number of blocks.
    pub fn blocks(&self) -> usize {
        self.tets.len() / LANES
    }

    /// Scalars of a trace for each node of a face.
    pub fn traces(&self) -> usize {
        match self.flux {
            Flux::Upwind => 2,
            Flux::Central => 4,
        }
    }

    /// Scalars of a trace for each quadrature point of a curved face: a vector, or two with the central flux.
    pub fn point_traces(&self) -> usize {
        3 * self.traces() / 2
    }

    /// The slots of the blocks of one kind.
    pub fn slots_of(&self, kind: Kind) -> Range<usize> {
        let section = self.sections.iter().find(|section| section.kind == kind);
        section.map_or(0..0, |section| LANES * section.blocks.start..LANES * section.blocks.end)
    }

    /// ∫ f² over the element in a slot, f given at its nodes.
    pub fn square(&self, slot: usize, f: &[f64]) -> f64 {
        if self.shapes[slot].curved {
            return self.curved_square(slot, f);
        }
        let row = |i: usize| self.element.mass.row(i).iter().zip(f).map(|(m, f)| m * f).sum::<f64>();
        let product: f64 = (0..f.len()).map(|i| f[i] * row(i)).sum();
        self.shapes[slot].jacobian([0.25; 3]).determinant() * product
    }

    /// Shape and material of an element, in the layout of [`crate::offsets`].
    pub fn shape_entries(&self, slot: usize) -> [f64; SHAPE] {
        let jacobian = self.shapes[slot].jacobian([0.25; 3]);
        let [eps, mu, sigma] = self.media[slot];
        let mut entries = [0.0; SHAPE];
        // Edges and 1/J serve straight elements; curved ones have maps of their own.
        entries[EDGES..EDGES + 9].copy_from_slice(&jacobian.to_cols_array());
        entries[INVERSE_J] = 1.0 / jacobian.determinant();
        entries[INVERSE_EPS] = 1.0 / eps;
        entries[INVERSE_MU] = 1.0 / mu;
        entries[LOSS] = sigma / eps;
        entries[IMPEDANCE] = (mu / eps).sqrt();
        entries[ADMITTANCE_OVER_EPS] = (eps / mu).sqrt() / eps;
        entries
    }

    /// Tangents and flux weights of a face, in the layout of [`crate::offsets`].
    pub fn face_entries(&self, slot: usize, face: usize) -> [f64; FACE] {
        let Face { normal, tangent, scale, minus, plus, .. } = self.faces[slot][face];
        let mut entries = [0.0; FACE];
        entries[TANGENT_1..TANGENT_1 + 3].copy_from_slice(&tangent.to_array());
        entries[TANGENT_2..TANGENT_2 + 3].copy_from_slice(&normal.cross(tangent).to_array());
        entries[FACE_SCALE] = scale;
        entries[WEIGHT_MINUS] = minus;
        entries[WEIGHT_PLUS] = plus;
        // n × H* has the weights of E* exchanged, B_H = 1 − B; a wall has no neighbor.
        entries[WEIGHT_PLUS_H] = if plus == 0.0 { 0.0 } else { 1.0 - plus };
        entries
    }

    /// Position of a node of an element.
    pub fn position(&self, slot: usize, node: usize) -> DVec3 {
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

fn kind(domain: &Domain, tet: usize, has_source: bool) -> Kind {
    // Curved first: their kernel also has sources and poles. check/curved.rs refuses them in PMLs.
    if Shape::of(&domain.mesh, tet).curved {
        Kind::Curved
    } else if let Some(pml) = domain.pml.filter(|_| domain.in_pml(tet)) {
        match (pml.axes(&domain.mesh.corners(tet)).len(), pml.kind) {
            (1, _) => Kind::PmlFace,
            (2, PmlKind::Cfs) => Kind::PmlEdge,
            _ => Kind::PmlCorner,
        }
    } else if !domain.material(tet).poles.is_empty() {
        Kind::Poles
    } else if has_source {
        Kind::Sources
    } else {
        Kind::Plain
    }
}

/// Sections and the tetrahedron of each slot, in the order of the mesh within a section.
fn slots(domain: &Domain, has_source: &[bool]) -> (Vec<Section>, Vec<Option<u32>>) {
    let kinds: Vec<Kind> =
        (0..domain.mesh.tets.len()).map(|tet| kind(domain, tet, has_source[tet])).collect();
    let (mut sections, mut tets) = (Vec::new(), Vec::new());
    for kind in Kind::ALL {
        let first = tets.len() / LANES;
        tets.extend((0..kinds.len()).filter(|&tet| kinds[tet] == kind).map(|tet| Some(tet as u32)));
        // Blocks of one kind: all lanes of a SIMD vector or of a warp take the same branches.
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
            // A face without effect: zero scale, and itself as neighbor, so that all addresses
            // exist.
            let empty = Face {
                normal: DVec3::X,
                tangent: DVec3::Y,
                scale: 0.0,
                curved: false,
                minus: 0.0,
                plus: 0.0,
                neighbor: itself,
                orientation: 0,
            };
            return empty;
        };
        let mesh = &self.domain.mesh;
        let shape = Shape::of(mesh, tet);
        // N at the centroid, constant on straight faces; its length is twice the area.
        let area = shape.face_normal(face, [1.0 / 3.0; 2]);
        let neighbor = self.domain.faces.neighbors[tet][face];
        let normal = area.normalize();
        // Both sides derive the tangent from the normal of the same one of them, so that they agree to the last bit.
        let leader = match neighbor {
            Some(n) if (n.tet as usize) < tet => {
                Shape::of(mesh, n.tet as usize).face_normal(usize::from(n.face), [1.0 / 3.0; 2]).normalize()
            }
            _ => normal,
        };
        let tangent = tangent(leader);
        let tangent = (tangent - normal * normal.dot(tangent)).normalize();
        let (minus, plus) = self.weights(tet, face);
        let curved = shape.face_is_curved(face);
        // LIFT is that of the unit triangle and the unit tetrahedron: |N|/J makes it that of the
        // element. Curved elements divide by J later, at quadrature points.
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
            minus,
            plus,
            neighbor: neighbor.map_or(itself, |n| 4 * self.slot_of[n.tet as usize] + u32::from(n.face)),
            orientation: neighbor.map_or(0, |n| n.turn),
        }
    }

    /// A and B of E* = A w⁻ + B w⁺ + s. Upwind: A = Y⁻/(Y⁻ + Y⁺ + Y_sheet), B = Y⁺/(Y⁻ + Y⁺ + Y_sheet).
    fn weights(&self, tet: usize, face: usize) -> (f64, f64) {
        let admittance = |tet: usize| self.domain.material(tet).impedance().recip();
        let minus = admittance(tet);
        let plus = self.domain.faces.neighbors[tet][face].map_or(0.0, |n| admittance(n.tet as usize));
        // E* = 0 on PEC. On PMC n × H* = 0, so that E* = w⁻. At an absorbing boundary w⁺ = 0 with
        // equal admittances, so that E* = w⁻/2 (Silver-Müller).
        let sheet = match self.domain.conditions[tet][face] {
            BoundaryCondition::Pec => return (0.0, 0.0),
            BoundaryCondition::Pmc => return (1.0, 0.0),
            BoundaryCondition::Absorbing => return (0.5, 0.0),
            BoundaryCondition::Interior => 0.0,
            BoundaryCondition::Sheet(admittance) => admittance,
            BoundaryCondition::Port(i) => self.ports[usize::from(i)].admittance,
        };
        let all = minus + plus + sheet;
        (minus / all, plus / all)
    }
}

/// A unit vector perpendicular to n, the same for −n.
pub fn tangent(n: DVec3) -> DVec3 {
    let size = n.abs();
    // The axis least parallel to n leaves the longest projection.
    let axis = if size.x <= size.y && size.x <= size.z {
        DVec3::X
    } else if size.y <= size.z {
        DVec3::Y
    } else {
        DVec3::Z
    };
    (axis - n * n.dot(axis)).normalize()
}
