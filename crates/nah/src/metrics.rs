//! Levels and intensity of fields, and differences between them.

use num_complex::Complex64;
use phasefront_core::decibels::{amplitude_db, power_db};

/// Reference of sound pressure levels, Pa.
pub const REFERENCE_PRESSURE: f64 = 20e-6;

/// Sound pressure level of an amplitude, dB re 20 µPa, by its RMS value.
pub fn level(pressure: f64) -> f64 {
    // Amplitude to RMS.
    amplitude_db(pressure / (2_f64.sqrt() * REFERENCE_PRESSURE))
}

/// Normal component of the active intensity, Re(p u*)/2, W/m².
pub fn intensity(pressure: &[Complex64], velocity: &[Complex64]) -> Vec<f64> {
    pressure.iter().zip(velocity).map(|(p, u)| 0.5 * (p * u.conj()).re).collect()
}

/// The difference between two holograms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// Root-mean-square relative error of the magnitudes, both normalized to their maximum.
    pub rmsre: f64,
    /// Normalized sum of absolute differences: mean of the absolute differences of these magnitudes.
    pub nsad: f64,
    /// Relative L2 norm of the difference of the phasors.
    pub l2: f64,
}

/// The difference of `found` from `reference`.
pub fn difference(found: &[Complex64], reference: &[Complex64]) -> Difference {
    let largest = |field: &[Complex64]| field.iter().map(|p| p.norm()).fold(0.0, f64::max);
    let (of_found, of_reference) = (largest(found), largest(reference));
    // Normalized: shapes are compared, whatever the level.
    let pairs = || found.iter().zip(reference).map(|(q, p)| (q.norm() / of_found, p.norm() / of_reference));
    let mean = |sum: f64| sum / found.len().max(1) as f64;
    let relative = |(q, p): (f64, f64)| ((q - p) / p).powi(2);
    let norm = |sum: f64| sum.sqrt();
    let squares = found.iter().zip(reference).map(|(q, p)| (q - p).norm_sqr()).sum();
    Difference {
        rmsre: mean(pairs().map(relative).sum()).sqrt(),
        nsad: mean(pairs().map(|(q, p)| (q - p).abs()).sum()),
        l2: norm(squares) / norm(reference.iter().map(Complex64::norm_sqr).sum()),
    }
}

/// How well a hologram agrees with a measurement on its plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agreement {
    /// The difference.
    pub difference: Difference,
    /// Correlation coefficient |Σ q p*|/(‖q‖ ‖p‖): one where they differ by a factor only.
    pub correlation: f64,
    /// Level of the hologram above the measurement, dB.
    pub gain_db: f64,
}

/// How well `found` agrees with `measured`.
pub fn agreement(found: &[Complex64], measured: &[Complex64]) -> Agreement {
    let power = |field: &[Complex64]| field.iter().map(Complex64::norm_sqr).sum::<f64>();
    let product: Complex64 = found.iter().zip(measured).map(|(q, p)| q * p.conj()).sum();
    Agreement {
        difference: difference(found, measured),
        correlation: product.norm() / (power(found) * power(measured)).sqrt(),
        gain_db: power_db(power(found) / power(measured)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twice the amplitude and a quarter period of phase: fully correlated. Orthogonal fields: not at all.
    #[test]
    fn correlation_is_independent_of_a_factor() {
        let measured = [Complex64::new(1.0, 2.0), Complex64::new(-3.0, 0.5)];
        let found = measured.map(|p| 2.0 * Complex64::I * p);
        let same = agreement(&found, &measured);
        assert!((same.correlation - 1.0).abs() < 1e-15 && (same.gain_db - 6.020_6).abs() < 1e-4);
        assert!((same.difference.l2 - 5_f64.sqrt()).abs() < 1e-15 && same.difference.nsad < 1e-15);
        let other = [-measured[1].conj(), measured[0].conj()];
        assert!(agreement(&other, &measured).correlation < 1e-15);
    }

    #[test]
    fn levels_are_those_of_rms_values() {
        // 1 Pa RMS is 93.98 dB.
        assert!((level(2_f64.sqrt()) - 93.979_400).abs() < 1e-6);
    }

    /// Worked by hand: |q|/max = 1, 0.5; |p|/max = 1, 0.25.
    #[test]
    fn differences_are_those_of_normalized_holograms() {
        let [found, reference] = [[2.0, 1.0], [4.0, -1.0]].map(|v| v.map(|x| Complex64::new(x, 0.0)));
        let found = difference(&found, &reference);
        assert!((found.nsad - 0.125).abs() < 1e-15);
        // (0, (0.5 − 0.25)/0.25 = 1): √(1/2).
        assert!((found.rmsre - 0.5_f64.sqrt()).abs() < 1e-15);
        // √(4 + 4)/√17.
        assert!((found.l2 - (8.0_f64 / 17.0).sqrt()).abs() < 1e-15);
    }
}
