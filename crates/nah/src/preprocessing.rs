//! Preprocessing of phasors: calibration, and interpolation of dead microphones.

use crate::scalar::Scalar;
use num_complex::{Complex, Complex64};

/// Neighbors that a dead microphone is interpolated from.
const NEIGHBORS: usize = 4;

/// Calibrates phasors, and replaces dead microphones by an average of their neighbors, weighted by the inverse square of their distances.
pub struct Preprocessing<T> {
    calibration: Option<Vec<Complex<T>>>,
    /// A dead microphone, and the neighbors that replace it, with their weights.
    replacements: Vec<(usize, Vec<(usize, T)>)>,
}

impl<T: Scalar> Preprocessing<T> {
    /// For microphones at these positions, some of them dead; phasors are multiplied by the calibration.
    pub fn new(positions: &[[f64; 2]], calibration: Option<&[Complex64]>, dead: &[usize]) -> Self {
        // Dead microphones are replaced by working ones only.
        let alive: Vec<usize> = (0..positions.len()).filter(|m| !dead.contains(m)).collect();
        let replacement = |m: &usize| {
            let [x, y] = positions[*m];
            let distance = |n: usize| (positions[n][0] - x).hypot(positions[n][1] - y);
            let mut near: Vec<(usize, f64)> = alive.iter().map(|n| (*n, distance(*n))).collect();
            near.sort_by(|a, b| a.1.total_cmp(&b.1));
            near.truncate(NEIGHBORS);
            // Coincident microphones: the weight is finite, and that neighbor dominates.
            let weight = |(_, distance): &(usize, f64)| 1.0 / (distance * distance).max(f64::MIN_POSITIVE);
            let total: f64 = near.iter().map(weight).sum();
            (*m, near.iter().map(|near| (near.0, T::rounded(weight(near) / total))).collect())
        };
        let calibration = calibration.map(|all| all.iter().map(|c| T::complex_from_f64(*c)).collect());
        Self { calibration, replacements: dead.iter().map(replacement).collect() }
    }

    /// Preprocesses the phasors of one frequency.
    pub fn apply(&self, phasors: &mut [Complex<T>]) {
        // Calibrated first: replacements average calibrated phasors.
        if let Some(calibration) = &self.calibration {
            phasors.iter_mut().zip(calibration).for_each(|(p, factor)| *p = *p * *factor);
        }
        for (dead, neighbors) in &self.replacements {
            let zero = Complex::new(T::zero(), T::zero());
            phasors[*dead] = neighbors.iter().fold(zero, |sum, (m, weight)| sum + phasors[*m] * *weight);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A field that is linear over the array is interpolated exactly.
    #[test]
    fn dead_microphones_are_interpolated() {
        let positions: Vec<[f64; 2]> = (0..25).map(|i| [f64::from(i % 5), f64::from(i / 5)]).collect();
        let field = |[x, y]: [f64; 2]| Complex64::new(1.0 + 0.3 * x, 0.2 * y - 0.1 * x);
        let mut phasors: Vec<Complex64> = positions.iter().map(|p| 0.5 * field(*p)).collect();
        phasors[12] = Complex64::ZERO;
        Preprocessing::<f64>::new(&positions, Some(&[Complex64::new(2.0, 0.0); 25]), &[12])
            .apply(&mut phasors);
        for (p, position) in phasors.iter().zip(positions) {
            assert!((p - field(position)).norm() < 1e-14);
        }
    }
}
