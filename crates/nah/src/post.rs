//! Post-processing: sound power levels, A-weighting and third-octave bands.

use crate::solution::Solution;
use phasefront_core::decibels::{amplitude_db, power_db, power_ratio};
use std::collections::BTreeMap;

pub use crate::metrics::{
    Agreement, Difference, REFERENCE_PRESSURE, agreement, difference, intensity, level,
};

/// Reference of sound power levels, W.
pub const REFERENCE_POWER: f64 = 1e-12;

/// Sound power level, dB re 1 pW; of the magnitude, for power toward the source.
pub fn power_level(power: f64) -> f64 {
    power_db(power.abs() / REFERENCE_POWER)
}

/// A-weighting at a frequency, dB (IEC 61672-1:2013, annex E).
pub fn a_weighting(frequency: f64) -> f64 {
    let response = |f: f64| {
        let square = f * f;
        let [f1, f2, f3, f4] = [20.598997_f64, 107.65265, 737.86223, 12194.217].map(|f| f * f);
        // Poles of the analog weighting: two at f₁ and f₄,
        // one each at f₂ and f₃; normalized to 1 kHz below.
        f4 * square * square / ((square + f1) * ((square + f2) * (square + f3)).sqrt() * (square + f4))
    };
    amplitude_db(response(frequency) / response(1000.0))
}

/// The number n of the third-octave band of a frequency; its center is 1000 Hz · 10^{n/10} (IEC 61260-1:2014, base ten).
pub fn third_octave(frequency: f64) -> i32 {
    (10.0 * (frequency / 1000.0).log10()).round() as i32
}

/// The center frequency of a third-octave band, Hz.
pub fn third_octave_center(band: i32) -> f64 {
    1000.0 * 10_f64.powf(0.1 * f64::from(band))
}

/// The level of the energetic sum of levels, dB.
pub fn sum_levels(levels: &[f64]) -> f64 {
    power_db(levels.iter().map(|level| power_ratio(*level)).sum())
}

/// Sound power on the first plane in a third-octave band.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BandPower {
    /// Center frequency, Hz.
    pub center: f64,
    /// Frequencies in the band.
    pub frequencies: usize,
    /// Sound power level, dB re 1 pW.
    pub level: f64,
    /// A-weighted sound power level, dB re 1 pW.
    pub a_weighted: f64,
}

/// Sound power on the first plane, summed over third-octave bands.
pub fn third_octave_powers(solution: &Solution) -> Vec<BandPower> {
    let mut bands: BTreeMap<i32, Vec<[f64; 2]>> = BTreeMap::new();
    for hologram in &solution.holograms {
        let Some(plane) = hologram.planes.first() else { continue };
        let level = power_level(plane.power);
        let weighted = level + a_weighting(hologram.frequency);
        bands.entry(third_octave(hologram.frequency)).or_default().push([level, weighted]);
    }
    let band = |(band, levels): (&i32, &Vec<[f64; 2]>)| {
        // Powers add; frequencies are uncorrelated.
        let sum = |i: usize| sum_levels(&levels.iter().map(|levels| levels[i]).collect::<Vec<f64>>());
        BandPower {
            center: third_octave_center(*band),
            frequencies: levels.len(),
            level: sum(0),
            a_weighted: sum(1),
        }
    };
    bands.iter().map(band).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Table 3 of IEC 61672-1:2013 has the A-weighting to a tenth of a decibel.
    #[test]
    fn a_weighting_follows_the_standard() {
        for (frequency, expected) in
            [(31.62, -39.4), (100.0, -19.1), (501.2, -3.2), (1000.0, 0.0), (3162.0, 1.2), (10000.0, -2.5)]
        {
            let found = a_weighting(frequency);
            assert!((found - expected).abs() < 0.05, "{frequency} Hz: {found}");
        }
    }

    #[test]
    fn power_levels_and_their_sum() {
        assert!((power_level(1e-3) - 90.0).abs() < 1e-12);
        assert!((sum_levels(&[60.0, 60.0]) - 63.010_3).abs() < 1e-4);
    }

    #[test]
    fn third_octave_bands_follow_the_standard() {
        assert_eq!([990.0, 1000.0, 1120.0, 1130.0, 63.0].map(third_octave), [0, 0, 0, 1, -12]);
        assert!((third_octave_center(-12) - 63.096).abs() < 1e-3);
    }
}
