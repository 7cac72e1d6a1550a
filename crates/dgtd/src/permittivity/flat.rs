//! A constant loss tangent by a few Debye poles.

use super::fit::{PermittivityFit, points};
use super::nnls::nnls;
use crate::material::{Material, Pole};
use std::f64::consts::{PI, TAU};

/// Most poles. Three are good to 1 % over a decade, five over two.
const MAX_POLES: usize = 8;
/// Error of the loss tangent that is sought.
const TARGET: f64 = 0.01;
/// Points of the band at which the fit is made.
const POINTS: usize = 61;
/// Weight of ε′ at the center of the band against the losses.
const CENTER: f64 = 100.0;
/// Distances of poles that are tried, from half to three and a half times an even division of the band, which counts as one of this ratio at least.
const SPREADS: usize = 25;
const LEAST_RATIO: f64 = 4.0;
/// Centers of the poles that are tried, relative to that of the band: large loss tangents are flat above the relaxation frequency.
const SHIFTS: [f64; 9] = [0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5];

pub fn fit(eps: f64, loss_tangent: f64, band: [f64; 2]) -> PermittivityFit {
    if loss_tangent == 0.0 {
        return PermittivityFit {
            material: Material::dielectric(eps),
            eps_error: 0.0,
            loss_error: 0.0,
            band,
        };
    }
    let mut best: Option<PermittivityFit> = None;
    for poles in 1..=MAX_POLES {
        let spreads = if poles == 1 { 1 } else { SPREADS };
        for (i, shift) in (0..spreads).flat_map(|i| SHIFTS.map(|shift| (i, shift))) {
            let spread = 0.5 + 3.0 * i as f64 / (SPREADS - 1) as f64;
            let found = with_rates(eps, loss_tangent, band, &rates(band, poles, (spread, shift)));
            if best.as_ref().is_none_or(|best| found.loss_error < best.loss_error) {
                best = Some(found);
            }
        }
        if best.as_ref().is_some_and(|best| best.loss_error < TARGET) {
            break;
        }
    }
    best.unwrap_or_else(|| with_rates(eps, loss_tangent, band, &[]))
}

/// Relaxation frequencies around the center of the band, Hz.
fn rates([low, high]: [f64; 2], poles: usize, (spread, shift): (f64, f64)) -> Vec<f64> {
    let ratio = (high / low).max(LEAST_RATIO).powf(spread / poles as f64);
    let middle = 0.5 * (poles as f64 - 1.0);
    (0..poles).map(|i| shift * (low * high).sqrt() * ratio.powf(i as f64 - middle)).collect()
}

/// ε″ − ε′ tan δ = 0 in the band and ε′ = ε at its center are linear in ε_∞ and Δε of poles with given rates.
fn with_rates(eps: f64, loss_tangent: f64, band: [f64; 2], rates: &[f64]) -> PermittivityFit {
    let at = points(band, POINTS);
    let center = (band[0] * band[1]).sqrt();
    let [re, im] = [|x: f64| 1.0 / (1.0 + x * x), |x: f64| x / (1.0 + x * x)];
    let pole = |rate: &f64| -> Vec<f64> {
        let losses = at.iter().map(|f| (im(f / rate) - loss_tangent * re(f / rate)) / loss_tangent);
        losses.chain([CENTER * re(center / rate)]).collect()
    };
    let constant = vec![-1.0; POINTS].into_iter().chain([CENTER]).collect();
    let columns: Vec<Vec<f64>> = std::iter::once(constant).chain(rates.iter().map(pole)).collect();
    let right: Vec<f64> = vec![0.0; POINTS].into_iter().chain([CENTER * eps]).collect();
    let found = nnls(&columns, &right);
    let poles = rates.iter().zip(&found[1..]).filter(|(_, delta)| **delta > 0.0);
    let poles = poles.map(|(rate, &delta)| Pole::Debye { delta, tau: 1.0 / (TAU * rate) }).collect();
    let mut material = Material { eps: found[0], poles, ..Material::VACUUM };
    // The weight is finite: the rest of the error of ε′ at the center is taken out exactly, which leaves the loss tangent as it is.
    let scale = eps / material.permittivity(center).re;
    material.eps *= scale;
    for pole in &mut material.poles {
        if let Pole::Debye { delta, .. } = pole {
            *delta *= scale;
        }
    }
    let off = |f: &f64| {
        let eps = material.permittivity(*f);
        (-eps.im / eps.re / loss_tangent - 1.0).abs()
    };
    let loss_error = at.iter().map(off).fold(0.0, f64::max);
    // ε′ of a causal material with this loss tangent: ε (f/f_c)^{−(2/π) atan(tan δ)}.
    let exponent = -2.0 / PI * loss_tangent.atan();
    let fall = |f: &f64| (material.permittivity(*f).re / (eps * (f / center).powf(exponent)) - 1.0).abs();
    let eps_error = at.iter().map(fall).fold(0.0, f64::max);
    PermittivityFit { material, eps_error, loss_error, band }
}
