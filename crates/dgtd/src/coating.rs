//! A perfect conductor under a thin layer, whose surface impedance stands for the layer.
//!
//! At normal incidence a layer of thickness d on a conductor is a line with a short at its end:
//!
//! ```text
//! Z = √(μ/ε) tanh x,    x = s √(με) d;    η x / (1 + x²/(3 + x²/(5 + x²/(7 + ...))))
//! ```
//!
//! (C. L. Holloway, E. F. Kuester, *IEEE Trans. Electromagn. Compat.* 42, 300, 2000, for the condition; H. S. Wall, *Analytic Theory of Continued
//! Fractions*, 1948, for the fraction). Its convergents are ladders of inductors μd/(4k − 3) across and capacitors εd/(4k − 1) along the line,
//! passive at all frequencies. Lengths are in meters, impedances relative to vacuum.

use crate::error::DgtdError;
use crate::material::{Material, Pole};
use crate::offsets::MAX_SHEET_STATES;
use crate::permittivity::points;
use crate::problem::Coating;
use crate::sheet_model::{DrivenBy, SheetModel};
use num_complex::Complex64;
use phasefront_core::FieldError;
use phasefront_core::constants::{C0, ETA0};
use std::f64::consts::TAU;

/// Error of the impedance that is sought with fewer states.
const TARGET: f64 = 1e-3;
/// Points of the band at which the error is found.
const POINTS: usize = 161;
/// Largest electrical thickness at the highest frequency: at π/2 the layer resonates, and Z has a pole.
const THICKEST: f64 = 1.3;

impl Coating {
    /// Z(ω) at normal incidence, in Ω.
    pub fn impedance(&self, frequency: f64) -> Complex64 {
        let eps = self.eps * Complex64::new(1.0, -self.loss_tangent);
        let x = Complex64::i() * self.angle(frequency) * (eps / self.eps).sqrt();
        ETA0 * (self.mu / eps).sqrt() * x.tanh()
    }

    /// Electrical thickness without losses, rad.
    fn angle(&self, frequency: f64) -> f64 {
        TAU * frequency / C0 * (self.eps * self.mu).sqrt() * self.thickness
    }

    /// Refuses constants that no passive layer has, and layers that resonate below the highest frequency.
    pub(crate) fn check(&self, path: &str, highest: f64) -> Result<(), DgtdError> {
        let positive = [("thickness", self.thickness), ("eps_r", self.eps), ("mu_r", self.mu)];
        for (key, value) in positive {
            if !(value.is_finite() && value > 0.0) {
                let message = format!("{key} of a coating must be positive, but is {value}");
                return Err(
                    FieldError::new(format!("{path}.{key}"), message, "give the layer as it is").into()
                );
            }
        }
        if !(self.loss_tangent.is_finite() && self.loss_tangent >= 0.0) {
            let message = "the loss tangent of a coating must not be negative";
            let advice = "losses are positive here, ε = ε′ − jε″";
            return Err(FieldError::new(format!("{path}.loss_tangent"), message, advice).into());
        }
        let angle = self.angle(highest);
        if angle <= THICKEST {
            return Ok(());
        }
        let message = format!(
            "the coating is {:.3} wavelengths thick at {:.4} GHz, and at a quarter it resonates: it can be {:.3} at most",
            angle / TAU,
            1e-9 * highest,
            THICKEST / TAU
        );
        let advice = "give the layer a volume of its own in the mesh, or lower the highest frequency";
        Err(FieldError::new(format!("{path}.thickness"), message, advice).into())
    }

    /// The shortest ladder that is good enough in a band, Hz.
    pub fn model(&self, band: [f64; 2]) -> SheetModel {
        let material = Material::with_loss_tangent(self.eps, self.loss_tangent, band).material;
        // One coil has no dielectric in which anything could be lost.
        let fewest = if self.loss_tangent > 0.0 { 2 } else { 1 };
        let states = |coils: usize| coils + (coils - 1) * (1 + material.poles.len());
        let mut coils = fewest;
        while self.error(band, coils, &material) > TARGET && states(coils + 1) <= MAX_SHEET_STATES {
            coils += 1;
        }
        let error = self.error(band, coils, &material);
        self.ladder(coils, &material, error)
    }

    /// Largest error in the band, relative to |Z|.
    fn error(&self, band: [f64; 2], coils: usize, material: &Material) -> f64 {
        let off = |f: f64| {
            let exact = self.impedance(f);
            (self.of_ladder(f, coils, material) - exact).norm() / exact.norm()
        };
        points(band, POINTS).into_iter().map(off).fold(0.0, f64::max)
    }

    /// Impedance of a ladder with so many coils, Ω.
    fn of_ladder(&self, frequency: f64, coils: usize, material: &Material) -> Complex64 {
        let s = Complex64::i() * TAU * frequency / C0;
        let coil = |k: usize| s * self.mu * self.thickness / (4 * k - 3) as f64;
        let capacitor =
            |k: usize| (s * material.permittivity(frequency) * self.thickness / (4 * k - 1) as f64).inv();
        let behind = |z: Complex64, k: usize| (coil(k).inv() + (capacitor(k) + z).inv()).inv();
        ETA0 * (1..coils).rev().fold(coil(coils), behind)
    }

    /// States: currents i_k of the coils; then for each capacitor its voltage v_k, and those w_p of its poles. With u_k = E* − Σ_{j<k} v_j
    ///
    /// L_k i_k' = u_k,  C_k v_k' = Σ_{j>k} i_j − C_k Σ_p (Δε_p/ε) w_p',  w_p' = (v_k − w_p)/τ_p,  J = Σ i_k.
    fn ladder(&self, coils: usize, material: &Material, error: f64) -> SheetModel {
        let poles: Vec<[f64; 2]> = material
            .poles
            .iter()
            .filter_map(|pole| match *pole {
                Pole::Debye { delta, tau } => Some([delta / material.eps, 1.0 / (C0 * tau)]),
                Pole::Drude { .. } | Pole::Lorentz { .. } => None,
            })
            .collect();
        let per = 1 + poles.len();
        let n = coils + (coils - 1) * per;
        let mut model = SheetModel {
            driven_by: DrivenBy::Field,
            direct: 0.0,
            matrix: vec![0.0; n * n],
            input: vec![0.0; n],
            output: vec![0.0; n],
            error,
        };
        let voltage = |k: usize| coils + (k - 1) * per;
        for k in 1..=coils {
            let rate = (4 * k - 3) as f64 / (self.mu * self.thickness);
            model.input[k - 1] = rate;
            model.output[k - 1] = 1.0;
            for j in 1..k {
                model.matrix[(k - 1) * n + voltage(j)] = -rate;
            }
        }
        for k in 1..coils {
            let (rate, v) = ((4 * k - 1) as f64 / (material.eps * self.thickness), voltage(k));
            for j in k + 1..=coils {
                model.matrix[v * n + j - 1] = rate;
            }
            for (p, [ratio, rate]) in poles.iter().enumerate() {
                let w = v + 1 + p;
                model.matrix[v * n + v] -= ratio * rate;
                model.matrix[v * n + w] += ratio * rate;
                model.matrix[w * n + v] += rate;
                model.matrix[w * n + w] -= rate;
            }
        }
        model
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BAND: [f64; 2] = [1e9, 10e9];

    fn coating(thickness: f64, loss_tangent: f64) -> Coating {
        Coating { thickness, eps: 4.0, mu: 1.2, loss_tangent }
    }

    /// 1/(output·(s − matrix)⁻¹ input), in Ω: the sum over the states is that of a long run of x' = matrix x + input E.
    fn impedance(model: &SheetModel, frequency: f64) -> Complex64 {
        let (n, s) = (model.states(), Complex64::i() * TAU * frequency / C0);
        let entry = |i: usize, j: usize| s * f64::from(u8::from(i == j)) - model.matrix[i * n + j];
        let mut rows: Vec<Vec<Complex64>> = (0..n)
            .map(|i| (0..n).map(|j| entry(i, j)).chain([Complex64::from(model.input[i])]).collect())
            .collect();
        // Gauss and Jordan.
        for pivot in 0..n {
            let best = (pivot..n).max_by(|&a, &b| rows[a][pivot].norm().total_cmp(&rows[b][pivot].norm()));
            rows.swap(pivot, best.unwrap());
            let row = rows[pivot].clone();
            for other in rows.iter_mut().enumerate().filter(|(i, _)| *i != pivot).map(|(_, other)| other) {
                let factor = other[pivot] / row[pivot];
                other.iter_mut().zip(&row).for_each(|(a, b)| *a -= factor * b);
            }
        }
        let current: Complex64 = (0..n).map(|i| model.output[i] * rows[i][n] / rows[i][i]).sum();
        ETA0 / current
    }

    /// From two hundredths of the resonance to four fifths of it. With losses ε′ falls over the band, as causality demands, by 3 % here: against a
    /// constant one the error is that of ε′ at the ends of the band, and larger near the resonance.
    #[test]
    fn ladders_are_shorted_lines() {
        for angle in [0.03, 0.3, 0.8, 1.25] {
            for (loss_tangent, most) in [(0.0, TARGET), (0.02, 0.04)] {
                let thickness = angle * C0 / (TAU * BAND[1] * 4.8_f64.sqrt());
                let coating = coating(thickness, loss_tangent);
                let model = coating.model(BAND);
                assert!(model.states() <= MAX_SHEET_STATES && model.error < most, "{angle}: {}", model.error);
                for frequency in [1e9, 3e9, 10e9] {
                    let (found, exact) = (impedance(&model, frequency), coating.impedance(frequency));
                    let off = (found - exact).norm() / exact.norm();
                    assert!(off <= 1.01 * model.error + 1e-9, "{angle}, {frequency} Hz: {off}");
                }
                // At the center of the band.
                let (found, exact) = (impedance(&model, 3.162e9), coating.impedance(3.162e9));
                assert!((found - exact).norm() < 2e-3 * exact.norm(), "{angle}: {found} instead of {exact}");
                let lost = (found.re / exact.re - 1.0).abs();
                assert!(loss_tangent == 0.0 || lost < 0.05, "{angle}: {found} instead of {exact}");
            }
        }
    }

    #[test]
    fn resonant_layers_are_refused() {
        let quarter = C0 / (4.0 * BAND[1] * 4.8_f64.sqrt());
        coating(0.8 * quarter, 0.0).check("skin", BAND[1]).unwrap();
        let error = coating(0.9 * quarter, 0.0).check("skin", BAND[1]).unwrap_err().to_string();
        assert!(
            error.starts_with("skin.thickness: the coating is 0.225 wavelengths thick at 10.0000 GHz"),
            "{error}"
        );
    }
}
