//! Materials of a case in the terms of the solver.

use phasefront_case::model::dgtd::Material as CaseMaterial;
use phasefront_dgtd::{Material, Pole};
use std::f64::consts::TAU;

pub(super) fn material(material: &CaseMaterial) -> Material {
    let debye =
        material.debye.iter().map(|t| Pole::Debye { delta: t.delta_eps, tau: t.relaxation_time.si() });
    let drude = material
        .drude
        .iter()
        .map(|t| Pole::Drude { plasma: TAU * t.plasma_frequency.si(), damping: TAU * t.damping.si() });
    let lorentz = material.lorentz.iter().map(|t| Pole::Lorentz {
        delta: t.delta_eps,
        resonance: TAU * t.resonance_frequency.si(),
        damping: TAU * t.damping.si(),
    });
    Material {
        eps: material.eps_r,
        mu: material.mu_r,
        sigma: material.conductivity.si(),
        poles: debye.chain(drude).chain(lorentz).collect(),
    }
}
