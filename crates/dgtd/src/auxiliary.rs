//! The constants of layers and poles, by slot.

use crate::domain::Domain;
use crate::material::Pole;
use crate::plan::{Kind, Plan};
use phasefront_core::constants::C0;

/// Constants of a pole: u' = c₀E + c₁u + c₂v, v' = c₃E + c₄u + c₅v, and ∂E/∂τ loses c₆E + c₇u + c₈v.
pub const POLE: usize = 9;

/// The constants of a pole in a medium with permittivity `eps`, times in metres of light.
pub fn pole(pole: &Pole, eps: f64) -> [f64; POLE] {
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

/// The most poles of a material in slots of this kind.
pub fn most_poles(plan: &Plan, domain: &Domain, kind: Kind) -> usize {
    let poles = |slot: usize| plan.tets[slot].map_or(0, |tet| domain.material(tet as usize).poles.len());
    plan.slots_of(kind).map(poles).max().unwrap_or(0)
}

/// The constants of the poles of a slot, zero for those it does not have.
pub fn poles(plan: &Plan, domain: &Domain, slot: usize, count: usize) -> Vec<[f64; POLE]> {
    let mut all = vec![[0.0; POLE]; count];
    if let Some(tet) = plan.tets[slot] {
        let material = domain.material(tet as usize);
        for (constants, of) in all.iter_mut().zip(&material.poles) {
            *constants = pole(of, material.eps);
        }
    }
    all
}

/// s and a along the axes at the nodes of a slot: [6][node].
pub fn profile(plan: &Plan, domain: &Domain, slot: usize) -> [Vec<f64>; 6] {
    let mut all: [Vec<f64>; 6] = Default::default();
    for node in 0..plan.element.len() {
        let place = plan.place(slot, node).into();
        let layers = domain.layers.filter(|_| plan.tets[slot].is_some());
        let (s, a) =
            layers.map_or(([0.0; 3], [0.0; 3]), |layers| (layers.damping(place), layers.shift(place)));
        for axis in 0..3 {
            all[axis].push(s[axis]);
            all[3 + axis].push(a[axis]);
        }
    }
    all
}
