//! What a listener wants to know of a field: levels, intensity, power, and how far one field is from another.

use num_complex::Complex64;

/// Pressure that levels refer to, Pa.
pub const REFERENCE_PRESSURE: f64 = 20e-6;
/// Power that levels refer to, W.
pub const REFERENCE_POWER: f64 = 1e-12;

/// Level of a phasor, dB re 20 µPa: that of its effective value.
pub fn level(pressure: f64) -> f64 {
    20.0 * (pressure / (2_f64.sqrt() * REFERENCE_PRESSURE)).log10()
}

/// Level of a power, dB re 1 pW; of power that goes backwards, that of its size.
pub fn power_level(power: f64) -> f64 {
    10.0 * (power.abs() / REFERENCE_POWER).log10()
}

/// Intensity along z, W/m²: Re(p u*)/2.
pub fn intensity(pressure: &[Complex64], velocity: &[Complex64]) -> Vec<f64> {
    pressure.iter().zip(velocity).map(|(p, u)| 0.5 * (p * u.conj()).re).collect()
}

/// What the A curve adds to a level, dB (IEC 61672-1:2013, annex E).
pub fn a_weighting(frequency: f64) -> f64 {
    let response = |f: f64| {
        let square = f * f;
        let [f1, f2, f3, f4] = [20.598997_f64, 107.65265, 737.86223, 12194.217].map(|f| f * f);
        f4 * square * square / ((square + f1) * ((square + f2) * (square + f3)).sqrt() * (square + f4))
    };
    20.0 * (response(frequency) / response(1000.0)).log10()
}

/// The number of the third-octave band that a frequency is in: its middle is 1000 Hz · 10^{n/10} (IEC 61260-1:2014, base ten).
pub fn third_octave(frequency: f64) -> i32 {
    (10.0 * (frequency / 1000.0).log10()).round() as i32
}

/// The middle of a third-octave band, Hz.
pub fn third_octave_middle(band: i32) -> f64 {
    1000.0 * 10_f64.powf(0.1 * f64::from(band))
}

/// The level of several together, dB.
pub fn sum_levels(levels: &[f64]) -> f64 {
    10.0 * levels.iter().map(|level| 10_f64.powf(0.1 * level)).sum::<f64>().log10()
}

/// How far a hologram is from another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// Root of the mean of the squares of differences relative to the other at each place, both with their largest value as one.
    pub rmsre: f64,
    /// Mean of the sizes of these differences.
    pub nsad: f64,
    /// Difference of the phasors over the phasors, both as norms.
    pub l2: f64,
}

/// How far `found` is from `nominal`.
pub fn difference(found: &[Complex64], nominal: &[Complex64]) -> Difference {
    let largest = |field: &[Complex64]| field.iter().map(|p| p.norm()).fold(0.0, f64::max);
    let (of_found, of_nominal) = (largest(found), largest(nominal));
    let pairs = || found.iter().zip(nominal).map(|(q, p)| (q.norm() / of_found, p.norm() / of_nominal));
    let mean = |sum: f64| sum / found.len().max(1) as f64;
    let relative = |(q, p): (f64, f64)| ((q - p) / p).powi(2);
    let norm = |sum: f64| sum.sqrt();
    let apart = found.iter().zip(nominal).map(|(q, p)| (q - p).norm_sqr()).sum();
    Difference {
        rmsre: mean(pairs().map(relative).sum()).sqrt(),
        nsad: mean(pairs().map(|(q, p)| (q - p).abs()).sum()),
        l2: norm(apart) / norm(nominal.iter().map(Complex64::norm_sqr).sum()),
    }
}

/// How well a hologram agrees with what was measured on its plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agreement {
    /// How far one is from the other.
    pub apart: Difference,
    /// |Σ q p*| over both norms: one where they are alike but for a factor.
    pub correlation: f64,
    /// What all of the hologram is too loud by, dB.
    pub gain_db: f64,
}

/// How well `found` agrees with `measured`.
pub fn agreement(found: &[Complex64], measured: &[Complex64]) -> Agreement {
    let power = |field: &[Complex64]| field.iter().map(Complex64::norm_sqr).sum::<f64>();
    let product: Complex64 = found.iter().zip(measured).map(|(q, p)| q * p.conj()).sum();
    Agreement {
        apart: difference(found, measured),
        correlation: product.norm() / (power(found) * power(measured)).sqrt(),
        gain_db: 10.0 * (power(found) / power(measured)).log10(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twice as loud, and a quarter turned: alike but for a factor. At right angles: not at all.
    #[test]
    fn agreement_does_not_mind_a_factor() {
        let measured = [Complex64::new(1.0, 2.0), Complex64::new(-3.0, 0.5)];
        let found = measured.map(|p| 2.0 * Complex64::I * p);
        let alike = agreement(&found, &measured);
        assert!((alike.correlation - 1.0).abs() < 1e-15 && (alike.gain_db - 6.020_6).abs() < 1e-4);
        assert!((alike.apart.l2 - 5_f64.sqrt()).abs() < 1e-15 && alike.apart.nsad < 1e-15);
        let other = [-measured[1].conj(), measured[0].conj()];
        assert!(agreement(&other, &measured).correlation < 1e-15);
    }

    /// Table 3 of IEC 61672-1:2013 has the curve to a tenth of a decibel.
    #[test]
    fn the_a_curve_is_the_standard_s() {
        for (frequency, expected) in
            [(31.62, -39.4), (100.0, -19.1), (501.2, -3.2), (1000.0, 0.0), (3162.0, 1.2), (10000.0, -2.5)]
        {
            let found = a_weighting(frequency);
            assert!((found - expected).abs() < 0.05, "{frequency} Hz: {found}");
        }
    }

    #[test]
    fn levels_are_those_of_effective_values() {
        // 1 Pa effective is 93.98 dB.
        assert!((level(2_f64.sqrt()) - 93.979_400).abs() < 1e-6);
        assert!((power_level(1e-3) - 90.0).abs() < 1e-12);
        assert!((sum_levels(&[60.0, 60.0]) - 63.010_3).abs() < 1e-4);
    }

    #[test]
    fn bands_are_those_of_the_standard() {
        assert_eq!([990.0, 1000.0, 1120.0, 1130.0, 63.0].map(third_octave), [0, 0, 0, 1, -12]);
        assert!((third_octave_middle(-12) - 63.096).abs() < 1e-3);
    }

    /// Worked by hand: |q|/max = 1, 0.5; |p|/max = 1, 0.25.
    #[test]
    fn differences_are_those_of_normalized_holograms() {
        let [found, nominal] = [[2.0, 1.0], [4.0, -1.0]].map(|v| v.map(|x| Complex64::new(x, 0.0)));
        let found = difference(&found, &nominal);
        assert!((found.nsad - 0.125).abs() < 1e-15);
        // (0, (0.5 − 0.25)/0.25 = 1): √(1/2).
        assert!((found.rmsre - 0.5_f64.sqrt()).abs() < 1e-15);
        // √(4 + 4)/√17.
        assert!((found.l2 - (8.0_f64 / 17.0).sqrt()).abs() < 1e-15);
    }
}
