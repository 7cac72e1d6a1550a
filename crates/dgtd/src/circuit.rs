//! Lumped resistors, inductors and capacitors, as sheets between conductors.

use crate::problem::{Circuit, Connection};
use crate::sheet_model::{DrivenBy, SheetModel};
use phasefront_core::constants::{C0, ETA0};

impl Circuit {
    /// The sheet of an element of length l over width w `aspect`: its values per square are R w/l, L w/l and C l/w.
    ///
    /// In series R + sL + 1/(sC), driven by the field where there is an inductance; in parallel 1/R + 1/(sL) + sC, driven by the current where
    /// there is a capacitance. The second state is scaled so that both equations have the same rate 1/√(LC).
    pub fn model(&self, aspect: f64) -> SheetModel {
        // Relative to vacuum: inductances and capacitances in meters.
        let r = self.resistance.map(|ohm| ohm / aspect / ETA0);
        let l = self.inductance.map(|henry| henry / aspect * C0 / ETA0);
        let c = self.capacitance.map(|farad| farad * aspect * C0 * ETA0);
        let model = |driven_by, direct, matrix: &[f64], input: &[f64], output: &[f64]| SheetModel {
            driven_by,
            direct,
            matrix: matrix.into(),
            input: input.into(),
            output: output.into(),
            error: 0.0,
        };
        let (field, current) = (DrivenBy::Field, DrivenBy::Current);
        let swing = |l: f64, c: f64| 1.0 / (l * c).sqrt();
        match (self.connection, l, c) {
            // L J' = E* − R J − V, C V' = J; states J and V √(C/L).
            (Connection::Series, Some(l), Some(c)) => {
                let (r, swing) = (r.unwrap_or(0.0), swing(l, c));
                model(field, 0.0, &[-r / l, -swing, swing, 0.0], &[1.0 / l, 0.0], &[1.0, 0.0])
            }
            (Connection::Series, Some(l), None) => {
                model(field, 0.0, &[-r.unwrap_or(0.0) / l], &[1.0 / l], &[1.0])
            }
            (Connection::Series, None, Some(c)) => {
                model(current, r.unwrap_or(0.0), &[0.0], &[1.0 / c], &[1.0])
            }
            // C E*' = J − E*/R − I, L I' = E*; states E* and I √(L/C).
            (Connection::Parallel, Some(l), Some(c)) => {
                let (g, swing) = (r.map_or(0.0, f64::recip), swing(l, c));
                model(current, 0.0, &[-g / c, -swing, swing, 0.0], &[1.0 / c, 0.0], &[1.0, 0.0])
            }
            (Connection::Parallel, Some(l), None) => {
                model(field, r.map_or(0.0, f64::recip), &[0.0], &[1.0 / l], &[1.0])
            }
            (Connection::Parallel, None, Some(c)) => {
                model(current, 0.0, &[-r.map_or(0.0, f64::recip) / c], &[1.0 / c], &[1.0])
            }
            (_, None, None) => model(current, r.unwrap_or(0.0), &[], &[], &[]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_complex::Complex64;
    use std::f64::consts::TAU;

    /// Impedance of a sheet, from its equations in the steady state: (jω/c − matrix) x = input, by Cramer's rule.
    fn impedance(model: &SheetModel, frequency: f64) -> Complex64 {
        let s = Complex64::new(0.0, TAU * frequency / C0);
        let m = &model.matrix;
        let transfer = match model.states() {
            0 => Complex64::ZERO,
            1 => model.output[0] * model.input[0] / (s - m[0]),
            _ => {
                let determinant = (s - m[0]) * (s - m[3]) - m[1] * m[2];
                let x = (s - m[3]) * model.input[0] / determinant;
                model.output[0] * x
            }
        };
        let value = model.direct + transfer;
        ETA0 * match model.driven_by {
            DrivenBy::Current => value,
            DrivenBy::Field => value.inv(),
        }
    }

    #[test]
    fn every_circuit_has_its_impedance() {
        let (r, l, c, f) = (47.0, 12e-9, 2.2e-12, 1.3e9);
        let j = Complex64::new(0.0, TAU * f);
        // Twice as long as wide: two squares in series have twice the impedance of one.
        let aspect = 2.0;
        for mask in 1..8 {
            let given = |bit: usize, value: f64| (mask >> bit & 1 == 1).then_some(value);
            let all = [given(0, r), given(1, l), given(2, c)];
            for connection in [Connection::Series, Connection::Parallel] {
                let [resistance, inductance, capacitance] = all;
                let circuit = Circuit { resistance, inductance, capacitance, connection };
                let parts = [
                    resistance.map(Complex64::from),
                    inductance.map(|l| j * l),
                    capacitance.map(|c| (j * c).inv()),
                ];
                let exact: Complex64 = match connection {
                    Connection::Series => parts.iter().flatten().sum(),
                    Connection::Parallel => {
                        parts.iter().flatten().map(Complex64::inv).sum::<Complex64>().inv()
                    }
                };
                let found = aspect * impedance(&circuit.model(aspect), f);
                assert!((found / exact - 1.0).norm() < 1e-12, "{circuit:?}: {found} for {exact}");
            }
        }
    }
}
