//! The discrete problem as every device takes it: elements in slots, with their shapes, materials and fluxes.
//!
//! Lengths are in meters and times in meters of light (τ = ct). H is multiplied by η₀, so that E and H have the same magnitude;
//! permittivities, permeabilities, impedances and admittances are relative to vacuum.

use crate::clusters::Clusters;
use crate::domain::Domain;
use crate::geometry::{Shape, tangent};
use crate::interleave::interleaved;
use crate::kind::{Kind, Kinds, Poles};
use crate::material::Material;
use crate::offsets::{
    ADMITTANCE, EDGES, FACE, FACE_SCALE, IMPEDANCE, INVERSE_EPS, INVERSE_J, INVERSE_MU, LOSS, SHAPE,
    TANGENT_1, TANGENT_2, WEIGHT_MINUS, WEIGHT_PLUS, WEIGHT_PLUS_H,
};
use crate::part::{FaceId, Part};
use crate::ports::PortPlan;
use crate::problem::Flux;
use crate::reference::Element;
use crate::reference::points::{Points, Reference};
use glam::DVec3;
use phasefront_core::Real;
use phasefront_core::constants::ETA0;
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// Elements of a block: as many as the lanes of a GPU warp, two or four vectors of a CPU.
pub const LANES: usize = 32;

/// The slot of a tetrahedron that is elsewhere.
pub const NO_SLOT: u32 = u32::MAX;

/// Blocks of [`LANES`] slots with elements of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The kind.
    pub kind: Kind,
    /// Level of their local steps.
    pub level: u8,
    /// Whether neighbors take shorter local steps.
    pub beside_finer: bool,
    /// Whether other ranks read the traces of these elements.
    pub border: bool,
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

/// Elements in slots, with all that is constant in time: all of a mesh, the part of one rank, or those that are looked at.
pub struct Plan {
    /// The reference element.
    pub element: Arc<Element>,
    /// Its quadrature points.
    pub points: Arc<Points>,
    /// Numerical flux.
    pub flux: Flux,
    /// Largest numbers of poles in the whole mesh.
    pub poles: Poles,
    /// Slots by kind: straight elements at the border, other straight ones, curved ones at the border, other curved ones.
    pub sections: Vec<Section>,
    /// The tetrahedron in each slot. The last block of a section is padded with empty slots.
    pub tets: Vec<Option<u32>>,
    /// The slot of each tetrahedron of the mesh, or [`NO_SLOT`].
    pub slot_of: Vec<u32>,
    /// Shapes, by slot; empty slots have the unit tetrahedron.
    pub shapes: Vec<Shape>,
    /// Media, by slot.
    pub media: Vec<Medium>,
    /// Faces, by slot.
    pub faces: Vec<[Face; 4]>,
    /// Faces of other ranks whose traces are received. They are numbered behind the faces of the slots, as neighbors are.
    pub ghosts: usize,
}

impl Plan {
    /// The elements of a part.
    pub fn new(
        reference: &Reference,
        flux: Flux,
        domain: &Domain,
        ports: &[PortPlan],
        (kinds, clusters): (&Kinds, &Clusters),
        part: &Part,
    ) -> Self {
        let (sections, tets) = slots(domain, kinds, clusters, part);
        let mut slot_of = vec![NO_SLOT; domain.mesh.tets.len()];
        // Inverse of `tets`.
        for (slot, tet) in tets.iter().enumerate() {
            if let Some(tet) = tet {
                slot_of[*tet as usize] = slot as u32;
            }
        }
        let shape = |tet: &Option<u32>| tet.map_or(UNIT, |tet| Shape::of(&domain.mesh, tet as usize));
        let medium = |tet: &Option<u32>| {
            tet.map_or_else(|| Medium::of(&Material::VACUUM), |tet| Medium::of(domain.material(tet as usize)))
        };
        let behind = part.borders.iter().flat_map(|border| &border.ghosts);
        let ghosts: HashMap<FaceId, u32> =
            behind.enumerate().map(|(i, face)| (*face, (4 * tets.len() + i) as u32)).collect();
        let context = FaceContext { domain, ports, slot_of: &slot_of, ghosts: &ghosts };
        let faces = tets.par_iter().enumerate().map(|(slot, tet)| context.faces(slot, *tet)).collect();
        let Reference { element, points } = reference.clone();
        Self {
            element,
            points,
            flux,
            poles: kinds.poles,
            sections,
            shapes: tets.par_iter().map(shape).collect(),
            media: tets.par_iter().map(medium).collect(),
            faces,
            ghosts: ghosts.len(),
            tets,
            slot_of,
        }
    }

    /// Slots with traces: those of the elements, then of the ghosts, four faces each; whole blocks.
    pub fn trace_slots(&self) -> usize {
        self.tets.len() + self.ghosts.div_ceil(4).next_multiple_of(LANES)
    }

    /// The same for traces at quadrature points, counted from the first curved element.
    pub fn curved_trace_slots(&self) -> usize {
        if self.curved_slots().is_empty() { 0 } else { self.trace_slots() - self.curved_slots().start }
    }

    /// Number of blocks.
    pub fn blocks(&self) -> usize {
        self.tets.len() / LANES
    }

    /// Scalars of a trace for each node of a face.
    pub fn traces(&self) -> usize {
        traces(self.flux)
    }

    /// Scalars of a trace for each quadrature point of a curved face.
    pub fn point_traces(&self) -> usize {
        point_traces(self.flux)
    }

    /// The slots of curved elements.
    pub fn curved_slots(&self) -> Range<usize> {
        let first = self.sections.iter().find(|section| section.kind == Kind::Curved);
        first.map_or(0..0, |section| LANES * section.blocks.start..self.tets.len())
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
        let medium = &self.media[slot];
        let mut entries = [0.0; SHAPE];
        // Edges and 1/J serve straight elements; curved ones have maps of their own.
        entries[EDGES..EDGES + 9].copy_from_slice(&jacobian.to_cols_array());
        entries[INVERSE_J] = 1.0 / jacobian.determinant();
        entries[INVERSE_EPS..INVERSE_EPS + 3].copy_from_slice(&medium.eps.map(f64::recip));
        entries[INVERSE_MU..INVERSE_MU + 3].copy_from_slice(&medium.mu.map(f64::recip));
        entries[LOSS] = medium.sigma;
        entries[IMPEDANCE] = medium.impedance;
        entries[ADMITTANCE] = 1.0 / medium.impedance;
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

    /// [`Self::shape_entries`] of all slots, in the layout of a device with so many lanes.
    pub fn shape_table<T: Real + Default>(&self, lanes: usize) -> Vec<T> {
        interleaved(0..self.tets.len(), SHAPE, lanes, |slot, row| {
            row.copy_from_slice(&self.shape_entries(slot));
        })
    }

    /// [`Self::face_entries`] of the four faces of all slots, in the same layout.
    pub fn face_table<T: Real + Default>(&self, lanes: usize) -> Vec<T> {
        interleaved(0..self.tets.len(), 4 * FACE, lanes, |slot, row| {
            for (face, entries) in row.chunks_exact_mut(FACE).enumerate() {
                entries.copy_from_slice(&self.face_entries(slot, face));
            }
        })
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

/// The medium of an element.
///
/// Fluxes take one impedance Z for all directions. With the same E* and n × H* for both elements they are consistent and conserve what they
/// exchange, whatever Z is: E* − E and n × H* − n × H vanish where the fields are continuous. Only what they dissipate depends on it,
/// |n × ΔE|²/(Z⁻ + Z⁺) + |n × ΔH|²/(Y⁻ + Y⁺), which is never negative for Z > 0: the energy ½ ∫ Σ_c (ε_c E_c² + μ_c H_c²) cannot grow.
#[derive(Debug, Clone, Copy)]
pub struct Medium {
    /// ε along x, y and z.
    pub eps: [f64; 3],
    /// μ along x, y and z.
    pub mu: [f64; 3],
    /// ση₀.
    pub sigma: f64,
    /// Z of the flux.
    pub impedance: f64,
}

impl Medium {
    fn of(material: &Material) -> Self {
        Self {
            eps: material.eps_axes(),
            mu: material.mu_axes(),
            sigma: material.sigma * ETA0,
            impedance: material.impedance(),
        }
    }
}

/// Sections and the tetrahedron of each slot, in the order of the mesh within a section.
fn slots(
    domain: &Domain,
    kinds: &Kinds,
    clusters: &Clusters,
    part: &Part,
) -> (Vec<Section>, Vec<Option<u32>>) {
    let at_border: HashSet<u32> =
        part.borders.iter().flat_map(|border| &border.own).map(|face| face.0).collect();
    let key = |tet: u32| {
        let kind = kinds.of[tet as usize];
        let inside = at_border.is_empty() || !at_border.contains(&tet);
        let coarsest = !clusters.is_beside_finer(domain, tet as usize);
        (kind == Kind::Curved, inside, clusters.level(tet as usize), coarsest, kind)
    };
    let mut keyed: Vec<_> = part.tets.par_iter().map(|&tet| (key(tet), tet)).collect();
    keyed.par_sort_unstable();
    let (mut sections, mut tets) = (Vec::new(), Vec::with_capacity(keyed.len()));
    for same in keyed.chunk_by(|a, b| a.0 == b.0) {
        let first = tets.len() / LANES;
        tets.extend(same.iter().map(|(_, tet)| Some(*tet)));
        // Blocks of one kind: all lanes of a SIMD vector or of a warp take the same branches.
        tets.resize(tets.len().next_multiple_of(LANES), None);
        let (_, inside, level, coarsest, kind) = same[0].0;
        let blocks = first..tets.len() / LANES;
        sections.push(Section { kind, level, beside_finer: !coarsest, border: !inside, blocks });
    }
    (sections, tets)
}

struct FaceContext<'a> {
    domain: &'a Domain,
    ports: &'a [PortPlan],
    slot_of: &'a [u32],
    ghosts: &'a HashMap<FaceId, u32>,
}

impl FaceContext<'_> {
    fn faces(&self, slot: usize, tet: Option<u32>) -> [Face; 4] {
        let Some(tet) = tet.map(|tet| tet as usize) else {
            // Faces without effect: zero scale, and themselves as neighbors, so that all addresses
            // exist.
            return std::array::from_fn(|face| Face {
                normal: DVec3::X,
                tangent: DVec3::Y,
                scale: 0.0,
                curved: false,
                minus: 0.0,
                plus: 0.0,
                neighbor: (4 * slot + face) as u32,
                orientation: 0,
            });
        };
        let shape = Shape::of(&self.domain.mesh, tet);
        std::array::from_fn(|face| self.face((4 * slot + face) as u32, tet, face, &shape))
    }

    fn face(&self, itself: u32, tet: usize, face: usize, shape: &Shape) -> Face {
        let mesh = &self.domain.mesh;
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
        let (minus, plus) = flux_weights(self.domain, self.ports, tet, face);
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
            neighbor: neighbor.map_or(itself, |n| self.number(n.tet, n.face).unwrap_or(itself)),
            orientation: neighbor.map_or(0, |n| n.orientation),
        }
    }

    /// Four times the slot plus the face, or the number of a ghost; none for elements that are not here.
    fn number(&self, tet: u32, face: u8) -> Option<u32> {
        match self.slot_of[tet as usize] {
            NO_SLOT => self.ghosts.get(&(tet, face)).copied(),
            slot => Some(4 * slot + u32::from(face)),
        }
    }
}

/// A and B of E* = A w⁻ + B w⁺ + s at a face.
pub fn flux_weights(domain: &Domain, ports: &[PortPlan], tet: usize, face: usize) -> (f64, f64) {
    let sides = admittances(domain, tet, face);
    domain.conditions[tet][face].flux_weights(sides, |port| ports[port].admittance, &domain.sheet_models)
}

/// Admittances of the element and of what is behind a face; zero behind a conductor and outside of the mesh.
pub fn admittances(domain: &Domain, tet: usize, face: usize) -> [f64; 2] {
    let admittance = |tet: usize| domain.material(tet).impedance().recip();
    let behind = domain.faces.neighbors[tet][face].filter(|_| !domain.conditions[tet][face].is_conductor());
    [admittance(tet), behind.map_or(0.0, |n| admittance(n.tet as usize))]
}

/// Scalars of a trace for each node of a face: w along t₁ and t₂, with the central flux E_t and n × H.
pub fn traces(flux: Flux) -> usize {
    match flux {
        Flux::Upwind => 2,
        Flux::Central => 4,
    }
}

/// Scalars of a trace for each quadrature point of a curved face: a vector, or two with the central flux.
pub fn point_traces(flux: Flux) -> usize {
    3 * traces(flux) / 2
}
