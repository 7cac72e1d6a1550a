//! Frequency weightings of sound levels (IEC 61672-1:2013, annex E).

use num_complex::Complex64;
use phasefront_core::decibels::amplitude_db;
use std::f64::consts::TAU;

/// Pole frequencies f₁ to f₄ of the weightings, Hz (equations E.3, E.4 and table E.1 of the standard, to eight digits).
const POLES: [f64; 4] = [20.598997, 107.65265, 737.86223, 12194.217];
/// The weightings are 0 dB at this frequency, Hz.
const REFERENCE: f64 = 1000.0;

/// A frequency weighting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrequencyWeighting {
    /// A, after the loudness of soft sounds.
    A,
    /// C, flat but for both ends of the audible range.
    C,
    /// None.
    Z,
}

impl FrequencyWeighting {
    /// The complex response at a frequency, relative to that at 1 kHz: with s = j2πf, A is
    /// s⁴/((s + ω₁)² (s + ω₂) (s + ω₃) (s + ω₄)²) and C is s²/((s + ω₁)² (s + ω₄)²).
    pub fn response(self, frequency: f64) -> Complex64 {
        self.analog(frequency) / self.analog(REFERENCE).norm()
    }

    /// The weighting at a frequency, dB.
    ///
    /// ```
    /// # use phasefront_nah::post::FrequencyWeighting;
    /// // Table 3 of IEC 61672-1:2013.
    /// assert!((FrequencyWeighting::C.db(100.0) + 0.3).abs() < 0.05);
    /// ```
    pub fn db(self, frequency: f64) -> f64 {
        // The quotient of magnitudes is exactly one at 1 kHz.
        amplitude_db(self.analog(frequency).norm() / self.analog(REFERENCE).norm())
    }

    fn analog(self, frequency: f64) -> Complex64 {
        let s = Complex64::new(0.0, TAU * frequency);
        let [high_1, high_2, high_3] = [0, 1, 2].map(|i| s / (s + TAU * POLES[i]));
        let low = TAU * POLES[3] / (s + TAU * POLES[3]);
        match self {
            Self::A => high_1 * high_1 * high_2 * high_3 * low * low,
            Self::C => high_1 * high_1 * low * low,
            Self::Z => Complex64::ONE,
        }
    }
}

/// A-weighting at a frequency, dB (IEC 61672-1:2013, annex E).
///
/// ```
/// # use phasefront_nah::post::a_weighting;
/// assert_eq!(a_weighting(1000.0), 0.0);
/// // Table 3 of the standard.
/// assert!((a_weighting(100.0) + 19.1).abs() < 0.05 && (a_weighting(10_000.0) + 2.5).abs() < 0.05);
/// ```
pub fn a_weighting(frequency: f64) -> f64 {
    FrequencyWeighting::A.db(frequency)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Table 3 of IEC 61672-1:2013: A and C at the nominal third octaves from 10 Hz to 20 kHz, dB.
    const TABLE: [[f64; 2]; 34] = [
        [-70.4, -14.3],
        [-63.4, -11.2],
        [-56.7, -8.5],
        [-50.5, -6.2],
        [-44.7, -4.4],
        [-39.4, -3.0],
        [-34.6, -2.0],
        [-30.2, -1.3],
        [-26.2, -0.8],
        [-22.5, -0.5],
        [-19.1, -0.3],
        [-16.1, -0.2],
        [-13.4, -0.1],
        [-10.9, 0.0],
        [-8.6, 0.0],
        [-6.6, 0.0],
        [-4.8, 0.0],
        [-3.2, 0.0],
        [-1.9, 0.0],
        [-0.8, 0.0],
        [0.0, 0.0],
        [0.6, 0.0],
        [1.0, -0.1],
        [1.2, -0.2],
        [1.3, -0.3],
        [1.2, -0.5],
        [1.0, -0.8],
        [0.5, -1.3],
        [-0.1, -2.0],
        [-1.1, -3.0],
        [-2.5, -4.4],
        [-4.3, -6.2],
        [-6.6, -8.5],
        [-9.3, -11.2],
    ];

    /// The table has a tenth of a decibel, at the exact frequencies of base ten.
    #[test]
    fn weightings_follow_the_table_of_the_standard() {
        for (number, expected) in (-20..).zip(TABLE) {
            let frequency = 1000.0 * 10_f64.powf(0.1 * f64::from(number));
            let found = [FrequencyWeighting::A, FrequencyWeighting::C].map(|w| w.db(frequency));
            for (found, expected) in found.into_iter().zip(expected) {
                assert!((found - expected).abs() < 0.051, "{frequency:.1} Hz: {found:.3}, {expected}");
            }
        }
    }

    /// Filters need the phase too: poles only, and at 1 kHz that of the product of e^{j atan(f_i/f)} and e^{−j 2 atan(f/f₄)}.
    #[test]
    fn phases_are_those_of_the_poles() {
        let f: f64 = 1000.0;
        let lead = 2.0 * (20.598997 / f).atan() + (107.65265 / f).atan() + (737.86223 / f).atan();
        let phase = lead - 2.0 * (f / 12194.217).atan();
        assert!((FrequencyWeighting::A.response(f).arg() - phase).abs() < 1e-12);
        assert_eq!(FrequencyWeighting::Z.response(31.5), Complex64::ONE);
    }
}
