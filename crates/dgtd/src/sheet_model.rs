//! Thin sheets and walls with an impedance that depends on frequency, as a few ordinary differential equations at every point.
//!
//! A sheet carries the current J = n × (H⁺ − H⁻) and has the tangential field E* on it. With the outgoing characteristics w of the elements on
//! both sides, and their admittances Y, Maxwell's equations demand (upwind flux, as in `plan.rs`)
//!
//! ```text
//! J = f − Y E*,    f = Y⁻ w⁻ + Y⁺ w⁺,    Y = Y⁻ + Y⁺;
//! ```
//!
//! the sheet adds its own relation of J and E* (surface impedance boundary conditions, SIBC, by auxiliary differential equations: J. G. Maloney,
//! G. S. Smith, *IEEE Trans. Antennas Propag.* 40, 38, 1992; lumped elements: M. Piket-May, A. Taflove, J. Baron, *IEEE Trans. Microw. Theory
//! Tech.* 42, 1514, 1994). Admittances and impedances are relative to vacuum, times are in meters of light.

/// What drives the states of a sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DrivenBy {
    /// J = direct E* + output·x, x' = matrix x + input E*.
    Field,
    /// E* = direct J + output·x, x' = matrix x + input J.
    Current,
}

/// The relation of field and current on a sheet, by states x at every point.
#[derive(Debug, Clone, PartialEq)]
pub struct SheetModel {
    pub driven_by: DrivenBy,
    pub direct: f64,
    /// Row after row, 1/m.
    pub matrix: Vec<f64>,
    pub input: Vec<f64>,
    pub output: Vec<f64>,
    /// Largest error of its impedance in the band of the problem, relative to it.
    pub error: f64,
}

/// The same with J eliminated, on a face between two elements: E* = A w⁻ + B w⁺ + output·x, x' = matrix x + minus w⁻ + plus w⁺.
#[derive(Debug, Clone, PartialEq)]
pub struct FaceEquations {
    /// A and B.
    pub weights: (f64, f64),
    pub output: Vec<f64>,
    pub matrix: Vec<f64>,
    pub minus: Vec<f64>,
    pub plus: Vec<f64>,
}

impl SheetModel {
    /// Number of states.
    pub fn states(&self) -> usize {
        self.input.len()
    }

    /// Its equations between elements with these admittances; that behind a wall is zero.
    pub fn equations(&self, [minus, plus]: [f64; 2]) -> FaceEquations {
        let (sum, n) = (minus + plus, self.states());
        // E* = gain f + feedback (output·x).
        let (gain, feedback) = match self.driven_by {
            DrivenBy::Field => {
                let gain = 1.0 / (sum + self.direct);
                (gain, -gain)
            }
            DrivenBy::Current => {
                let part = 1.0 / (1.0 + self.direct * sum);
                (self.direct * part, part)
            }
        };
        let output: Vec<f64> = self.output.iter().map(|out| feedback * out).collect();
        // What drives the states: E*, or J = f − Y E*.
        let (of_f, of_field) = match self.driven_by {
            DrivenBy::Field => (gain, 1.0),
            DrivenBy::Current => (1.0 - sum * gain, -sum),
        };
        let matrix =
            (0..n * n).map(|i| self.matrix[i] + self.input[i / n] * of_field * output[i % n]).collect();
        let drive =
            |admittance: f64| self.input.iter().map(|input| input * of_f * admittance).collect::<Vec<f64>>();
        FaceEquations {
            weights: (gain * minus, gain * plus),
            output,
            matrix,
            minus: drive(minus),
            plus: drive(plus),
        }
    }
}

impl FaceEquations {
    /// A bound on the rates of the states, 1/m.
    pub fn rate(&self) -> f64 {
        let n = self.output.len();
        let row = |i: usize| self.matrix[i * n..(i + 1) * n].iter().map(|value| value.abs()).sum::<f64>();
        (0..n).map(row).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In the steady state of a wave that hits a sheet, E* = f/(Y + Y_sheet) whatever the form: here 1/(R + sL) at s = 0, and a resistance in
    /// parallel to a capacitance.
    #[test]
    fn a_sheet_at_rest_is_its_resistance() {
        let coil = SheetModel {
            driven_by: DrivenBy::Field,
            direct: 0.0,
            matrix: vec![-0.5 / 3.0],
            input: vec![1.0 / 3.0],
            output: vec![1.0],
            error: 0.0,
        };
        let capacitor =
            SheetModel { driven_by: DrivenBy::Current, matrix: vec![-1.0 / (0.5 * 3.0)], ..coil.clone() };
        for model in [coil, capacitor] {
            let face = model.equations([1.0, 2.0]);
            let (w_minus, w_plus) = (2.0, 0.3);
            // x' = 0.
            let x = -(face.minus[0] * w_minus + face.plus[0] * w_plus) / face.matrix[0];
            let field = face.weights.0 * w_minus + face.weights.1 * w_plus + face.output[0] * x;
            assert!((field - 2.6 / (3.0 + 1.0 / 0.5)).abs() < 1e-14, "{model:?}: {field}");
            assert!(face.matrix[0] < 0.0 && (face.rate() + face.matrix[0]).abs() < 1e-15);
        }
    }
}
