//! Fits against closed forms that are not sums of their poles.

use super::fit::points;
use super::*;
use crate::material::Pole;
use std::f64::consts::{PI, TAU};

fn passive(material: &Material) {
    let mut f = 1e5;
    while f < 1e14 {
        assert!(material.permittivity(f).im <= 0.0, "{material:?} amplifies at {f} Hz");
        f *= 1.3;
    }
    material.check("material").unwrap();
}

/// The causal material with a constant loss tangent is ε (jω/ω_c)^{−2δ/π}: ε′ falls as f^{−2δ/π}.
#[test]
fn a_loss_tangent_is_flat_and_the_permittivity_falls_as_it_must() {
    for (band, poles) in [([4.5e9, 5.5e9], 1), ([2e9, 8e9], 2), ([1e9, 10e9], 3), ([0.1e9, 10e9], 5)] {
        for tangent in [1e-4, 0.02, 0.3] {
            let fit = Material::with_loss_tangent(4.4, tangent, band);
            passive(&fit.material);
            assert!(fit.loss_error < 0.01, "{band:?} {tangent}: {fit:?}");
            assert!(fit.material.poles.len() <= poles, "{band:?} {tangent}: {fit:?}");
            let center = fit.material.permittivity(fit.center());
            assert!((center.re / 4.4 - 1.0).abs() < 1e-12);
            for f in points(band, 17) {
                let eps = fit.material.permittivity(f);
                assert!((-eps.im / eps.re / tangent - 1.0).abs() <= 1.01 * fit.loss_error + 1e-12);
                let exact = 4.4 * (f / fit.center()).powf(-2.0 * tangent.atan() / PI);
                // A single pole falls π/2 times as fast at its center.
                assert!((eps.re / exact - 1.0).abs() < 0.1 * tangent, "{f}: {} {exact}", eps.re);
            }
        }
    }
    assert_eq!(Material::with_loss_tangent(3.0, 0.0, [1e9, 2e9]).material, Material::dielectric(3.0));
}

fn table(of: impl Fn(f64) -> Complex64, band: [f64; 2], rows: usize) -> Vec<(f64, Complex64)> {
    points(band, rows).into_iter().map(|f| (f, of(f))).collect()
}

/// Cole and Cole's relaxation (1941), Δε/(1 + (jωτ)^{1−α}), which no finite number of poles is.
#[test]
fn a_table_of_a_broad_relaxation_is_fitted() {
    let of = |f: f64| 4.0 + 40.0 / (1.0 + Complex64::new(0.0, f / 3e9).powf(0.8));
    let fit = Material::from_permittivity(&table(of, [0.5e9, 20e9], 15), [1e9, 10e9]).unwrap();
    passive(&fit.material);
    assert!(fit.error() < 0.02 && fit.material.poles.len() <= 4, "{fit:?}");
    for f in points([1e9, 10e9], 23) {
        let eps = fit.material.permittivity(f);
        assert!((eps - of(f)).norm() < 0.02 * of(f).norm(), "{f}: {eps} {}", of(f));
    }
}

/// Water (Debye) needs one pole, a resonance one, a metal's Drude term one; a conductor its σ.
#[test]
fn single_terms_are_found_again() {
    let water =
        Material { poles: vec![Pole::Debye { delta: 73.2, tau: 8.1e-12 }], ..Material::dielectric(5.2) };
    let resonance = Pole::Lorentz { delta: 1.5, resonance: TAU * 3e9, damping: TAU * 0.4e9 };
    let resin = Material { poles: vec![resonance], ..Material::dielectric(2.5) };
    let plasma = Material {
        poles: vec![Pole::Drude { plasma: TAU * 8e9, damping: TAU * 0.5e9 }],
        ..Material::dielectric(2.0)
    };
    let soil = Material { sigma: 0.05, ..Material::dielectric(9.0) };
    for exact in [water, resin, plasma, soil] {
        let rows = table(|f| exact.permittivity(f), [1e9, 10e9], 31);
        let fit = Material::from_permittivity(&rows, [1e9, 10e9]).unwrap();
        passive(&fit.material);
        assert!(fit.error() < 0.01, "{exact:?}: {fit:?}");
        assert!(fit.material.poles.len() <= exact.poles.len() + 1, "{exact:?}: {fit:?}");
    }
}

/// ε′ that rises with frequency without a resonance and without losses contradicts causality: no passive fit is near.
#[test]
fn what_no_passive_material_has_is_not_fitted() {
    let of = |f: f64| Complex64::new(if f < 3e9 { 2.0 } else { 6.0 }, -1e-3);
    let fit = Material::from_permittivity(&table(of, [1e9, 10e9], 21), [1e9, 10e9]).unwrap();
    passive(&fit.material);
    assert!(fit.error() > 0.3, "{fit:?}");
}
