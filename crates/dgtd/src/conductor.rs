//! Walls of good conductors: skin effect and roughness, by a surface impedance with a few poles.

use crate::offsets::MAX_SHEET_STATES;
use crate::permittivity::{nnls, points};
use crate::problem::Conductor;
use crate::sheet_model::{DrivenBy, SheetModel};
use num_complex::Complex64;
use phasefront_core::constants::{C0, ETA0, MU0};
use std::f64::consts::{PI, TAU};

/// Most poles, and the error of the impedance that is sought with fewer.
const MAX_POLES: usize = MAX_SHEET_STATES;
const TARGET: f64 = 1e-3;
/// Points of the band at which the fit is made.
const POINTS: usize = 81;
/// How far below and above the band poles are tried, relative to its ends.
const BELOW: [f64; 5] = [1.0, 1.5, 2.0, 4.0, 8.0];
const ABOVE: [f64; 4] = [4.0, 8.0, 12.0, 20.0];

/// Weight of the reactance of a rough wall in its fit: the factor for roughness is known of losses only, and with the same factor the reactance
/// would not be causal.
const ROUGH_REACTANCE: f64 = 0.03;

impl Conductor {
    /// Z(ω) = (1 + j)/(σδ), δ = √(2/(ωμ₀σ)), in Ω; with roughness times 1 + (2/π) atan(1.4 (Δ/δ)²) (E. Hammerstad, Ø. Jensen, *IEEE MTT-S
    /// Int. Microwave Symp. Digest*, 407, 1980).
    pub fn impedance(&self, frequency: f64) -> Complex64 {
        let depth = (2.0 / (TAU * frequency * MU0 * self.conductivity)).sqrt();
        let rough = 1.0 + 2.0 / PI * (1.4 * (self.roughness / depth).powi(2)).atan();
        Complex64::new(1.0, 1.0) * rough / (self.conductivity * depth)
    }

    /// Z(s) = R₀ + Σ r_k s/(s + p_k) in a band, Hz. All terms are passive, so that the fit is at all frequencies.
    pub fn model(&self, band: [f64; 2]) -> SheetModel {
        let mut best: Option<(f64, Fit)> = None;
        'all: for poles in 2..=MAX_POLES {
            for (below, above) in BELOW.iter().flat_map(|below| ABOVE.map(|above| (below, above))) {
                let fit = self.fit(band, &points([band[0] / below, band[1] * above], poles));
                let error = self.error(band, &fit);
                if best.as_ref().is_none_or(|best| error < best.0) {
                    best = Some((error, fit));
                }
                if best.as_ref().is_some_and(|best| best.0 < TARGET) {
                    break 'all;
                }
            }
        }
        let (error, fit) = best.unwrap_or_else(|| (f64::INFINITY, Fit::default()));
        fit.model(error)
    }

    fn fit(&self, band: [f64; 2], rates: &[f64]) -> Fit {
        let at = points(band, POINTS);
        let reactance = if self.roughness > 0.0 { ROUGH_REACTANCE } else { 1.0 };
        let values: Vec<Complex64> = at.iter().map(|f| self.impedance(*f)).collect();
        let parts = |of: &dyn Fn(f64) -> Complex64| -> Vec<f64> {
            let relative = |(f, z): (&f64, &Complex64)| of(*f) / z.norm();
            at.iter().zip(&values).map(relative).flat_map(|z| [z.re, reactance * z.im]).collect()
        };
        let target = parts(&|f| self.impedance(f));
        let constant = parts(&|_| Complex64::ONE);
        let poles = rates.iter().map(|rate| parts(&|f| term(f, *rate)));
        let columns: Vec<Vec<f64>> = std::iter::once(constant).chain(poles).collect();
        let found = nnls(&columns, &target);
        let terms = rates.iter().zip(&found[1..]).filter(|(_, part)| **part > 0.0);
        Fit { constant: found[0], terms: terms.map(|(rate, part)| (*rate, *part)).collect() }
    }

    /// Largest error in the band, relative to |Z|; of a rough wall that of its resistance.
    fn error(&self, band: [f64; 2], fit: &Fit) -> f64 {
        let off = |f: f64| {
            let exact = self.impedance(f);
            let off = fit.impedance(f) - exact;
            if self.roughness > 0.0 { off.re.abs() / exact.re } else { off.norm() / exact.norm() }
        };
        points(band, 4 * POINTS).into_iter().map(off).fold(0.0, f64::max)
    }
}

/// s/(s + p) at a frequency, for a rate in Hz.
fn term(frequency: f64, rate: f64) -> Complex64 {
    Complex64::new(0.0, frequency) / Complex64::new(rate, frequency)
}

/// R₀ in Ω, and rates in Hz with their r_k in Ω.
#[derive(Default)]
struct Fit {
    constant: f64,
    terms: Vec<(f64, f64)>,
}

impl Fit {
    fn impedance(&self, frequency: f64) -> Complex64 {
        self.constant + self.terms.iter().map(|(rate, part)| part * term(frequency, *rate)).sum::<Complex64>()
    }

    /// E* = (R₀ + Σ r_k) J − Σ x_k, x_k' = −p_k x_k + r_k p_k J.
    fn model(&self, error: f64) -> SheetModel {
        let n = self.terms.len();
        let rate = |k: usize| TAU * self.terms[k].0 / C0;
        let all = self.constant + self.terms.iter().map(|(_, part)| part).sum::<f64>();
        let entry = |i: usize| if i / n == i % n { -rate(i / n) } else { 0.0 };
        SheetModel {
            driven_by: DrivenBy::Current,
            direct: all / ETA0,
            matrix: (0..n * n).map(entry).collect(),
            input: (0..n).map(|k| self.terms[k].1 / ETA0 * rate(k)).collect(),
            output: vec![-1.0; n],
            error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Copper has 0.0184 Ω and 0.92 µm at 5 GHz (Pozar, Microwave Engineering, example 6.4); a rough wall up to twice that.
    #[test]
    fn copper_is_as_in_textbooks() {
        let copper = Conductor { conductivity: 5.813e7, roughness: 0.0 };
        let z = copper.impedance(5e9);
        assert!((z.re - 0.0184).abs() < 5e-5 && z.re == z.im, "{z}");
        let rough = Conductor { roughness: 1e-4, ..copper };
        assert!((rough.impedance(5e9).re / z.re - 2.0).abs() < 1e-3);
    }

    /// Over bands of all ratios, smooth and rough.
    #[test]
    fn few_poles_fit_the_skin_effect() {
        for ratio in [1.5, 10.0, 100.0, 1e3, 1e4] {
            for roughness in [0.0, 0.5e-6, 2e-6] {
                let wall = Conductor { conductivity: 5.8e7, roughness };
                let model = wall.model([20e9 / ratio, 20e9]);
                // A rough wall over four decades is the worst.
                assert!(model.error < 0.012 && model.states() <= MAX_POLES, "{ratio}: {}", model.error);
                let smooth = roughness == 0.0 && ratio <= 100.0;
                assert!(!smooth || model.error < TARGET, "{ratio}: {}", model.error);
            }
        }
    }
}
