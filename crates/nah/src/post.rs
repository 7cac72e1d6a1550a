//! Post-processing: sound power levels, third-octave bands, and levels at the microphones.

use crate::solution::Solution;
use crate::spectral::bins;
use crate::study::Study;
use phasefront_core::decibels::{power_db, power_ratio};
use std::collections::{BTreeMap, BTreeSet};

pub use crate::metrics::{
    Agreement, Difference, REFERENCE_PRESSURE, agreement, difference, intensity, level,
};
pub use crate::microphone_levels::{
    LevelAt, LevelSettings, MicrophoneLevel, MicrophoneLevels, microphone_levels, rms_level,
};
pub use crate::third_octaves::{third_octave, third_octave_center, third_octave_edges, third_octave_filter};
pub use crate::time_weighting::{TimeAverage, TimeWeighting};
pub use crate::weighting::{FrequencyWeighting, a_weighting};

/// Reference of sound power levels, W.
pub const REFERENCE_POWER: f64 = 1e-12;

/// Sound power level, dB re 1 pW; NaN for power toward the source, which has none.
pub fn power_level(power: f64) -> f64 {
    if power < 0.0 { f64::NAN } else { power_db(power / REFERENCE_POWER) }
}

/// The fewest bins in the width of a band. The Hann window spreads a tone over three bins: with fewer, more than a tenth of a decibel of one in
/// the middle of the band would be in its neighbors.
const MIN_BINS: f64 = 3.0;

/// Sound power on the first plane in a third-octave band.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BandPower {
    /// Center frequency, Hz.
    pub center: f64,
    /// Frequencies in the band.
    pub frequencies: usize,
    /// Sound power, W; negative toward the source.
    pub power: f64,
    /// A-weighted sound power, W.
    pub a_weighted: f64,
}

/// Sound power on the first plane in third-octave bands, averaged over all holograms.
///
/// The powers of the DFT bins of a recording add up to those of its bands: divided by the equivalent noise bandwidth of the window, and bins on a
/// band edge shared between both bands by their width. Bands are omitted if one of their bins is not among the frequencies, or if they are
/// narrower than three bins. Given spectra have no bins: each is a tone, and its power is all in its band.
pub fn third_octave_powers(study: &Study, solution: &Solution) -> Vec<BandPower> {
    let powers = solution.summary.powers.mean();
    let analysis = study.problem.analysis;
    let Some(rate) = study.problem.sample_rate() else {
        return band_powers(
            study.frequencies.iter().zip(&powers).map(|(f, power)| (third_octave(*f), *f, *power)),
        );
    };
    let resolution = rate / analysis.samples as f64;
    // Two frequencies may have the same bin, which counts once.
    let bins = bins(&study.frequencies, rate, analysis.samples);
    let powers: BTreeMap<usize, f64> = bins.into_iter().zip(powers).collect();
    let bands: BTreeSet<i32> = powers.keys().map(|bin| third_octave(*bin as f64 * resolution)).collect();
    let shares = bands.into_iter().filter_map(|band| {
        let edges = third_octave_edges(band).map(|edge| edge / resolution);
        if edges[1] - edges[0] < MIN_BINS {
            return None;
        }
        // A bin is one wide, half on either side of its frequency.
        let overlap = |bin: usize| (bin as f64 + 0.5).min(edges[1]) - (bin as f64 - 0.5).max(edges[0]);
        let of_band = edges[0].round() as usize..=edges[1].round() as usize;
        let share = |bin| {
            Some((
                band,
                bin as f64 * resolution,
                overlap(bin) / analysis.method.noise_bandwidth() * powers.get(&bin)?,
            ))
        };
        of_band.filter(|bin| overlap(*bin) > 0.0).map(share).collect::<Option<Vec<_>>>()
    });
    band_powers(shares.flatten())
}

/// Sums of the powers of bands, frequencies and powers.
fn band_powers(shares: impl Iterator<Item = (i32, f64, f64)>) -> Vec<BandPower> {
    let mut bands: BTreeMap<i32, BandPower> = BTreeMap::new();
    for (band, frequency, power) in shares {
        let center = third_octave_center(band);
        let sum =
            bands.entry(band).or_insert(BandPower { center, frequencies: 0, power: 0.0, a_weighted: 0.0 });
        // Powers add with their signs; frequencies are uncorrelated.
        sum.frequencies += 1;
        sum.power += power;
        sum.a_weighted += power * power_ratio(a_weighting(frequency));
    }
    bands.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn power_toward_the_source_has_no_level() {
        assert!((power_level(1e-3) - 90.0).abs() < 1e-12);
        assert!(power_level(-1e-3).is_nan());
    }
}
