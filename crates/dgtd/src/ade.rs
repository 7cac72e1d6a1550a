//! Coefficients of the auxiliary differential equations (ADE) of PMLs and dispersive materials, by slot.

use crate::domain::Domain;
use crate::interleave::interleaved;
use crate::kind::{Kind, Poles};
use crate::material::Pole;
use crate::offsets::{
    PML_CORNER_UNKNOWNS, PML_EDGE_UNKNOWNS, PML_FACE_UNKNOWNS, POLE, POLE_EE, POLE_EU, POLE_EV, POLE_UE,
    POLE_UNKNOWNS, POLE_UU, POLE_UV, POLE_VE, POLE_VU, POLE_VV,
};
use crate::plan::{LANES, Plan, Section};
use crate::problem::PmlKind;
use phasefront_core::Real;
use phasefront_core::constants::C0;

/// Coefficients of a pole in a medium with permittivity `eps`, time in meters of light (Taflove and Hagness, chapter 9).
fn pole(pole: &Pole, eps: f64) -> [f64; POLE] {
    let mut c = [0.0; POLE];
    match *pole {
        // u = P/ε₀: τ P' = Δε ε₀ E − P, and ε ∂E/∂t loses the polarization current P'.
        Pole::Debye { delta, tau } => {
            let rate = 1.0 / (C0 * tau);
            (c[POLE_UE], c[POLE_UU]) = (delta * rate, -rate);
            (c[POLE_EE], c[POLE_EU]) = (c[POLE_UE] / eps, c[POLE_UU] / eps);
        }
        // v = J/(ε₀c): J' = ε₀ω_p² E − γ J.
        Pole::Drude { plasma, damping } => {
            (c[POLE_VE], c[POLE_VV]) = ((plasma / C0).powi(2), -damping / C0);
            c[POLE_EV] = 1.0 / eps;
        }
        // u = P/ε₀, v = P'/(ε₀c): P'' + γ P' + ω₀² P = ε₀ Δε ω₀² E.
        Pole::Lorentz { delta, resonance, damping } => {
            let square = (resonance / C0).powi(2);
            c[POLE_UV] = 1.0;
            (c[POLE_VE], c[POLE_VU], c[POLE_VV]) = (delta * square, -square, -damping / C0);
            c[POLE_EV] = 1.0 / eps;
        }
    }
    c
}

/// Auxiliary unknowns at a node of an element of a kind.
pub fn unknowns(poles: Poles, domain: &Domain, kind: Kind) -> usize {
    match kind {
        Kind::Plain | Kind::Sources => 0,
        Kind::PmlEdge => PML_EDGE_UNKNOWNS,
        // CFS needs one unknown per component and axis, the uniaxial PML one per component.
        Kind::PmlCorner if domain.pmls().any(|pml| pml.kind == PmlKind::Cfs) => PML_CORNER_UNKNOWNS,
        Kind::PmlFace | Kind::PmlCorner => PML_FACE_UNKNOWNS,
        Kind::Poles => POLE_UNKNOWNS * poles.straight,
        Kind::Curved => POLE_UNKNOWNS * poles.curved,
    }
}

/// Number of coefficients of an element with so many nodes and unknowns.
pub fn coefficient_count(kind: Kind, nodes: usize, unknowns: usize) -> usize {
    match kind {
        Kind::Plain | Kind::Sources => 0,
        Kind::PmlFace => 2 * nodes + 3,
        Kind::PmlEdge => 2 * (2 * nodes + 3),
        Kind::PmlCorner => 6 * nodes,
        Kind::Poles | Kind::Curved => unknowns / POLE_UNKNOWNS * POLE,
    }
}

/// Coefficients of a slot with so many unknowns. PML faces and edges: σ and α at the nodes for each absorbing axis, then flags that mark
/// the axes. PML corners: σ and α along all axes at the nodes. Dispersive materials: those of each pole.
fn coefficients(plan: &Plan, domain: &Domain, slot: usize, kind: Kind, unknowns: usize) -> Vec<f64> {
    match kind {
        Kind::Plain | Kind::Sources => Vec::new(),
        Kind::PmlFace => along_axes(plan, domain, slot, 1),
        Kind::PmlEdge => along_axes(plan, domain, slot, 2),
        Kind::PmlCorner => profile(plan, domain, slot).concat(),
        Kind::Poles | Kind::Curved => poles(plan, domain, slot, unknowns / POLE_UNKNOWNS).concat(),
    }
}

/// Coefficients of all slots of a section, in the layout of a device with so many lanes.
pub fn coefficient_table<T: Real + Default>(
    plan: &Plan,
    domain: &Domain,
    section: &Section,
    lanes: usize,
) -> Vec<T> {
    let slots = LANES * section.blocks.start..LANES * section.blocks.end;
    let count = unknowns(plan.poles, domain, section.kind);
    let per = coefficient_count(section.kind, plan.element.len(), count);
    interleaved(slots, per, lanes, |slot, row| {
        row.copy_from_slice(&coefficients(plan, domain, slot, section.kind, count));
    })
}

/// σ and α at the nodes of a slot along its absorbing axes, [axis][2][node]; then for each of these 1 for the component along it and 0
/// for the others: [axis][3].
fn along_axes(plan: &Plan, domain: &Domain, slot: usize, count: usize) -> Vec<f64> {
    let tet = plan.tets[slot].map(|tet| tet as usize);
    let pml = tet.and_then(|tet| Some((domain.pml(tet)?, domain.mesh.corners(tet))));
    let mut axes = pml.map_or(vec![], |(pml, corners)| pml.axes(&corners));
    // Empty slots have none.
    axes.resize(count, 0);
    let profile = profile(plan, domain, slot);
    let at_nodes = axes.iter().flat_map(|&axis| [&profile[axis], &profile[3 + axis]]).flatten().copied();
    let along = axes.iter().flat_map(|&axis| (0..3).map(move |other| f64::from(u8::from(other == axis))));
    at_nodes.chain(along).collect()
}

/// Coefficients of the poles of a slot, zero for those it lacks.
fn poles(plan: &Plan, domain: &Domain, slot: usize, count: usize) -> Vec<[f64; POLE]> {
    let mut all = vec![[0.0; POLE]; count];
    if let Some(tet) = plan.tets[slot] {
        let material = domain.material(tet as usize);
        for (constants, of) in all.iter_mut().zip(&material.poles) {
            *constants = pole(of, material.eps);
        }
    }
    all
}

/// Elements that extend over a larger fraction of the PML use the means of σ and α: at order 1 those of PMLs one and two elements
/// thick, at order 2 those of one, since these are unstable otherwise (`cpu/spectrum.rs`). From order 3 on none does: the means would
/// reflect much more than a thin PML does without them, and an instability is detected by the energy check.
fn coarse(order: usize) -> f64 {
    match order {
        1 => 0.4,
        2 => 0.6,
        _ => f64::INFINITY,
    }
}

/// σ and α along the axes at the nodes of a slot: [6][node]. In coarse PMLs their means over the element.
///
/// A product with a coefficient that varies from node to node may gain energy: Σ f_i M_ij σ_j f_j is negative for some f, although no σ
/// is. In coarse PMLs the flux dissipates less than that, and fields grow. A constant coefficient gives σ fᵀMf, which is never
/// negative, but reflects more.
///
/// That is not all: largest real parts of λ/|λ|_max of a CFS PML of one element of order 3 between conductors, as `layered` in
/// `cpu/spectrum.rs`, are 1.3e-3 by nodes, where Σ f_i M_ij σ_j f_j is as low as −0.15 σ_max fᵀMf, still 3.7e-4 by means, 6e-16 by M⁻¹M_σ,
/// where M_σ is the mass matrix weighted by σ, a dense matrix for each element, and 2e-15 by nodes whose σ and α are drawn toward their means
/// just until that sum is never negative.
fn profile(plan: &Plan, domain: &Domain, slot: usize) -> [Vec<f64>; 6] {
    let nodes = plan.element.len();
    let mut all: [Vec<f64>; 6] = std::array::from_fn(|_| vec![0.0; nodes]);
    let Some((pml, tet)) = plan.tets[slot].and_then(|tet| Some((domain.pml(tet as usize)?, tet))) else {
        return all;
    };
    let at = |position: [f64; 3]| {
        let ([sx, sy, sz], [ax, ay, az]) = (pml.sigma(position), pml.alpha(position));
        [sx, sy, sz, ax, ay, az]
    };
    if pml.extent(&domain.mesh.corners(tet as usize)) > coarse(plan.element.order) {
        // Means by quadrature on the unit tetrahedron: PML elements are straight, so that J is
        // constant.
        let volume: f64 = plan.points.weights.iter().sum();
        for (point, weight) in plan.points.coordinates.iter().zip(&plan.points.weights) {
            let values = at(plan.shapes[slot].at(*point).into());
            for (row, value) in all.iter_mut().zip(values) {
                for mean in row {
                    *mean += weight / volume * value;
                }
            }
        }
    } else {
        for node in 0..nodes {
            for (row, value) in all.iter_mut().zip(at(plan.position(slot, node).into())) {
                row[node] = value;
            }
        }
    }
    all
}
