//! The constants of layers and poles, by slot.

use crate::domain::Domain;
use crate::material::Pole;
use crate::plan::{Kind, Plan};
use crate::problem::PmlKind;
use phasefront_core::constants::C0;

/// Constants of a pole: u' = c₀E + c₁u + c₂v, v' = c₃E + c₄u + c₅v, and ∂E/∂τ loses c₆E + c₇u + c₈v.
pub const POLE: usize = 9;

/// The constants of a pole in a medium with permittivity `eps`, times in meters of light.
fn pole(pole: &Pole, eps: f64) -> [f64; POLE] {
    let mut c = [0.0; POLE];
    match *pole {
        // u = P/ε₀: τ P' = Δε ε₀ E − P, and the current P' goes from ε ∂E/∂t.
        Pole::Debye { delta, tau } => {
            let rate = 1.0 / (C0 * tau);
            (c[0], c[1]) = (delta * rate, -rate);
            (c[6], c[7]) = (c[0] / eps, c[1] / eps);
        }
        // v = J/(ε₀c): J' = ε₀ω_p² E − γ J.
        Pole::Drude { plasma, damping } => {
            (c[3], c[5]) = ((plasma / C0).powi(2), -damping / C0);
            c[8] = 1.0 / eps;
        }
        // u = P/ε₀, v = P'/(ε₀c): P'' + γ P' + ω₀² P = ε₀ Δε ω₀² E.
        Pole::Lorentz { delta, resonance, damping } => {
            let square = (resonance / C0).powi(2);
            c[2] = 1.0;
            (c[3], c[4], c[5]) = (delta * square, -square, -damping / C0);
            c[8] = 1.0 / eps;
        }
    }
    c
}

/// Variables that a node of elements of a kind has besides E and H.
pub fn variables(plan: &Plan, domain: &Domain, kind: Kind) -> usize {
    match kind {
        Kind::Plain | Kind::Driven => 0,
        Kind::EdgeLayer => 12,
        Kind::CornerLayer if domain.layers.is_some_and(|layers| layers.kind == PmlKind::Shifted) => 18,
        Kind::FlatLayer | Kind::CornerLayer => 6,
        Kind::Poles | Kind::Curved => 6 * most_poles(plan, domain, kind),
    }
}

/// The constants of a slot with so many variables: of layers along one or two axes s and a at the nodes for each, and where the axes
/// are; of others s and a along all axes at the nodes; of poles those of each.
pub fn constants(plan: &Plan, domain: &Domain, slot: usize, kind: Kind, variables: usize) -> Vec<f64> {
    match kind {
        Kind::Plain | Kind::Driven => Vec::new(),
        Kind::FlatLayer => along_axes(plan, domain, slot, 1),
        Kind::EdgeLayer => along_axes(plan, domain, slot, 2),
        Kind::CornerLayer => profile(plan, domain, slot).concat(),
        Kind::Poles | Kind::Curved => poles(plan, domain, slot, variables / 6).concat(),
    }
}

/// s and a at the nodes of a slot along the axes that it absorbs along, [axis][2][node]; then for each of these one for the component
/// along it and zero for the others: [axis][3].
fn along_axes(plan: &Plan, domain: &Domain, slot: usize, count: usize) -> Vec<f64> {
    let corners = plan.tets[slot].map(|tet| domain.mesh.corners(tet as usize));
    let mut axes = domain.layers.zip(corners).map_or(vec![], |(layers, corners)| layers.axes(&corners));
    // Empty slots have none.
    axes.resize(count, 0);
    let profile = profile(plan, domain, slot);
    let at_nodes = axes.iter().flat_map(|&axis| [&profile[axis], &profile[3 + axis]]).flatten().copied();
    let along = axes.iter().flat_map(|&axis| (0..3).map(move |other| f64::from(u8::from(other == axis))));
    at_nodes.chain(along).collect()
}

/// The most poles of a material in slots of this kind.
fn most_poles(plan: &Plan, domain: &Domain, kind: Kind) -> usize {
    let poles = |slot: usize| plan.tets[slot].map_or(0, |tet| domain.material(tet as usize).poles.len());
    plan.slots_of(kind).map(poles).max().unwrap_or(0)
}

/// The constants of the poles of a slot, zero for those it does not have.
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

/// Elements that reach over a larger part of a layer take the means of s and a: at order 1 those of layers one and two elements
/// thick, at order 2 those of one, since these let fields grow without (`cpu/spectrum.rs`). From order 3 on none does: the means would
/// reflect much more than a thin layer does without them, and fields that grow all the same are noticed by their energy.
fn coarse(order: usize) -> f64 {
    match order {
        1 => 0.4,
        2 => 0.6,
        _ => f64::INFINITY,
    }
}

/// s and a along the axes at the nodes of a slot: [6][node]. In coarse layers their means over the element.
///
/// Products with numbers that vary from node to node may gain energy: Σ f_i M_ij s_j f_j is below zero for some f, although no s
/// is. In coarse layers this is more than fluxes damp, and fields grow. With one number for the element it is s fᵀMf, and never
/// negative; but it reflects more.
fn profile(plan: &Plan, domain: &Domain, slot: usize) -> [Vec<f64>; 6] {
    let nodes = plan.element.len();
    let mut all: [Vec<f64>; 6] = std::array::from_fn(|_| vec![0.0; nodes]);
    let (Some(layers), Some(tet)) = (domain.layers, plan.tets[slot]) else { return all };
    let at = |place: [f64; 3]| {
        let ([sx, sy, sz], [ax, ay, az]) = (layers.damping(place), layers.shift(place));
        [sx, sy, sz, ax, ay, az]
    };
    if layers.reach(&domain.mesh.corners(tet as usize)) > coarse(plan.element.order) {
        let volume: f64 = plan.points.weights.iter().sum();
        for (point, weight) in plan.points.places.iter().zip(&plan.points.weights) {
            let values = at(plan.shapes[slot].at(*point).into());
            for (row, value) in all.iter_mut().zip(values) {
                for mean in row {
                    *mean += weight / volume * value;
                }
            }
        }
    } else {
        for node in 0..nodes {
            for (row, value) in all.iter_mut().zip(at(plan.place(slot, node).into())) {
                row[node] = value;
            }
        }
    }
    all
}
