//! Self-checks of averages, and of holograms of single windows that should be averages.

use crate::noise::mean_power;
use crate::solution::{Averages, Hologram, Solution};
use crate::study::Study;
use phasefront_core::SelfCheck;
use phasefront_core::decibels::power_db;

/// Below it, one window is not the field: of two sources that are independent, the weaker has a fifth of the power.
const LEAST_COHERENCE: f64 = 0.8;
/// The level of noise over so many independent windows has a standard deviation of 1 dB, 4.34 dB/√20.
const FEWEST_AVERAGES: f64 = 20.0;
/// Windows for each reference: with as many, what is by chance coherent with them is a fifth of what they do not explain.
const AVERAGES_PER_REFERENCE: f64 = 5.0;
/// With less than half of the power, noise and what hides in it are more than what the map shows.
const LEAST_IN_FIELDS: f64 = 0.5;
/// Levels of the sound that references do not explain are lost: 0.5 dB.
const LEAST_EXPLAINED: f64 = 0.9;
/// What a single microphone has more than half of the others of what is in no field, dB: noise of microphones of one kind differs by less.
const MAX_OWN: f64 = 10.0;
/// Of it, what is below this part of the power of the fields at a microphone is no source that is missing in the map.
const LEAST_OWN: f64 = 0.01;

impl Solution {
    /// Whether the windows of a recording have one field, so that a hologram of one of them stands for all.
    pub(crate) fn coherence_check(&self) -> Option<SelfCheck> {
        let known =
            self.holograms.iter().filter_map(|hologram| Some((hologram.coherence?, hologram.frequency)));
        let (least, frequency) = known.min_by(|a, b| a.0.total_cmp(&b.0))?;
        let sentence = if least >= LEAST_COHERENCE {
            "The windows of the recording have one sound field.".to_owned()
        } else {
            format!(
                "at {frequency:.1} Hz the sound field changes from window to window, as that of several independent sources or of noise does, and the map is that \
                 of one moment: write `averaging = \"cross-spectra\"` in [solve] for that of all"
            )
        };
        Some(SelfCheck::at_least("coherence of the windows", least, LEAST_COHERENCE, sentence))
    }

    /// How far to trust averages.
    pub(crate) fn average_checks(&self, study: &Study) -> Vec<SelfCheck> {
        let all =
            || self.holograms.iter().filter_map(|hologram| Some((hologram, hologram.averages.as_ref()?)));
        let least = |of: fn(&Averages) -> f64| {
            all().map(|(hologram, averages)| (of(averages), hologram)).min_by(|a, b| a.0.total_cmp(&b.0))
        };
        let mut checks = Vec::new();
        let beamformed = self.beamformed.iter().map(|found| found.averages);
        let windows = all().map(|(_, averages)| averages.averages).chain(beamformed);
        if let Some(averages) = windows.min_by(f64::total_cmp) {
            let references = study.problem.references.as_ref().map_or(0, |samples| samples.microphones);
            checks.push(count_check(averages, references));
        }
        if let Some((fields, hologram)) = least(|averages| averages.significant as f64) {
            checks.push(field_check(fields, hologram, study));
        }
        if let Some((explained, hologram)) = least(|averages| averages.explained) {
            let has_references = study.problem.references.is_some();
            let check = if has_references { reference_check } else { explained_check };
            checks.push(check(explained, hologram.frequency));
        }
        // What no reference hears is told above, whoever hears it.
        if study.problem.references.is_none() {
            let own =
                all().filter_map(|(hologram, averages)| Some((own_power(averages)?, hologram.frequency)));
            checks.extend(own.max_by(|a, b| a.0.1.total_cmp(&b.0.1)).map(own_check));
        }
        checks
    }
}

/// The microphone with the most power in no field, and how much that is above what half of the microphones have, dB.
fn own_power(averages: &Averages) -> Option<(usize, f64)> {
    let mut all: Vec<(usize, f64)> = averages.rest.iter().copied().enumerate().collect();
    all.retain(|(_, rest)| rest.is_finite());
    all.sort_by(|a, b| a.1.total_cmp(&b.1));
    let (microphone, most) = *all.last()?;
    let of_fields = averages.parts.iter().map(|part| mean_power(&part.measured)).sum::<f64>();
    let usual = all[all.len() / 2].1.max(LEAST_OWN * of_fields);
    (usual > 0.0).then(|| (microphone, power_db(most / usual)))
}

fn own_check(((microphone, level), frequency): ((usize, f64), f64)) -> SelfCheck {
    let sentence = if level <= MAX_OWN {
        "No microphone hears much that no other hears.".to_owned()
    } else {
        format!(
            "at {frequency:.1} Hz microphone {microphone} has {level:.0} dB more sound that no other microphone hears than half of them have, and it is not in the map: a \
             source next to it, or a fault of it; measure there with a smaller spacing"
        )
    };
    SelfCheck::at_most("sound that one microphone alone hears", level, MAX_OWN, sentence).in_unit("dB")
}

fn count_check(averages: f64, references: usize) -> SelfCheck {
    let deviation = 10.0 / std::f64::consts::LN_10 / averages.sqrt();
    let limit = FEWEST_AVERAGES.max(AVERAGES_PER_REFERENCE * references as f64);
    let sentence = if averages >= limit {
        format!("Levels of random noise have a standard deviation of {deviation:.1} dB.")
    } else {
        format!(
            "the recording has only {averages:.0} independent windows: levels of random noise have a standard deviation of {deviation:.1} dB, and independent \
             sounds seem coherent; record for longer, or give a shorter `fft_length` in [solve]"
        )
    };
    SelfCheck::at_least("independent averages", averages, limit, sentence)
}

fn field_check(fields: f64, hologram: &Hologram, study: &Study) -> SelfCheck {
    let frequency = hologram.frequency;
    let sentence = match (fields >= 1.0, study.problem.references.is_some()) {
        (true, _) => "At every frequency there is sound above the noise.".to_owned(),
        (false, true) => format!(
            "at {frequency:.1} Hz nothing at the microphones is coherent with a reference, and the map is of chance: see `references` in [source]"
        ),
        (false, false) => format!(
            "at {frequency:.1} Hz nothing rises above the noise of the microphones, and the map is of noise: record louder or for longer"
        ),
    };
    SelfCheck::at_least("partial fields", fields, 1.0, sentence)
}

fn explained_check(explained: f64, frequency: f64) -> SelfCheck {
    let sentence = if explained >= LEAST_IN_FIELDS {
        format!(
            "The partial fields have at least {:.0} % of the power at the microphones.",
            100.0 * explained
        )
    } else {
        format!(
            "at {frequency:.1} Hz only {:.0} % of the power at the microphones is in partial fields that rise above noise, and the rest is not in the map: it is noise, or \
             that of many weak sources; record for longer",
            100.0 * explained
        )
    };
    SelfCheck::at_least("power in the partial fields", explained, LEAST_IN_FIELDS, sentence)
}

fn reference_check(explained: f64, frequency: f64) -> SelfCheck {
    let sentence = if explained >= LEAST_EXPLAINED {
        format!("The references explain at least {:.0} % of the sound at the microphones.", 100.0 * explained)
    } else {
        format!(
            "at {frequency:.1} Hz the references explain {:.0} % of the power at the microphones, and the rest is not in the map: noise, or a source that none of \
             them hears; put one near each source",
            100.0 * explained
        )
    };
    SelfCheck::at_least("power that references explain", explained, LEAST_EXPLAINED, sentence)
}
