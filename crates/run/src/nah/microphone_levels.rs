//! Sound levels at the microphones, as tables and plots.

use crate::job::Products;
use phasefront_case::model::nah::{
    FrequencyWeighting as CaseFrequencyWeighting, Levels, TimeWeighting as CaseTimeWeighting,
};
use phasefront_nah::post::{
    FrequencyWeighting, LevelSettings, MicrophoneLevel, MicrophoneLevels, TimeWeighting, rms_level,
    third_octave_center,
};
use phasefront_report::Table;
use phasefront_report::plot::{Axis, LinePlot, Plot, Series, level_range};

/// Range of levels below the maximum that is drawn, dB.
const DEPTH: f64 = 80.0;

/// What is asked for.
pub(super) fn settings(levels: &Levels) -> LevelSettings {
    LevelSettings {
        frequency_weighting: match levels.frequency_weighting {
            CaseFrequencyWeighting::A => FrequencyWeighting::A,
            CaseFrequencyWeighting::C => FrequencyWeighting::C,
            CaseFrequencyWeighting::Z => FrequencyWeighting::Z,
        },
        time_weighting: match levels.time_weighting {
            CaseTimeWeighting::Fast => TimeWeighting::Fast,
            CaseTimeWeighting::Slow => TimeWeighting::Slow,
            CaseTimeWeighting::Impulse => TimeWeighting::Impulse,
        },
        interval: levels.interval.si(),
    }
}

/// Adds tables, plots and metrics of the levels.
pub(super) fn add(products: &mut Products, levels: &MicrophoneLevels, settings: &LevelSettings) {
    for (name, weighting) in [("laeq_db", 0), ("lceq_db", 1), ("lzeq_db", 2)] {
        products.metrics.insert(name.to_owned(), mean(levels, |m| m.equivalent[weighting]));
    }
    products.tables.extend(tables(levels));
    products.plots.extend(plots(levels, settings));
}

/// All tables, with what they hold.
fn tables(levels: &MicrophoneLevels) -> [(Table, &'static str); 4] {
    [
        (bands(levels), "equivalent levels in third-octave bands, means over the microphones and extremes"),
        (of_microphones(levels), "equivalent and maximum level of each microphone"),
        (bands_of_microphones(levels), "equivalent levels in third-octave bands of each microphone"),
        (history(levels), "levels over time, means over the microphones and the loudest one"),
    ]
}

/// Level of the mean square over the microphones.
fn mean(levels: &MicrophoneLevels, of: impl Fn(&MicrophoneLevel) -> f64) -> f64 {
    rms_level(levels.microphones.iter().map(of).sum::<f64>() / levels.microphones.len().max(1) as f64)
}

/// Level of a band by microphone, as one of all.
fn band_levels(levels: &MicrophoneLevels, of: impl Fn(usize) -> f64) -> Vec<f64> {
    (0..levels.bands.len()).map(of).collect()
}

fn centers(levels: &MicrophoneLevels) -> Vec<f64> {
    levels.bands.iter().map(|band| third_octave_center(*band)).collect()
}

fn bands(levels: &MicrophoneLevels) -> Table {
    let of = |i: usize| levels.microphones.iter().map(move |m| m.bands[i]);
    Table::new("band_levels")
        .number("center_hz", centers(levels))
        .number("leq_db", band_levels(levels, |i| mean(levels, |m| m.bands[i])))
        .number("weighted_leq_db", band_levels(levels, |i| mean(levels, |m| m.weighted_bands[i])))
        .number("lowest_db", band_levels(levels, |i| rms_level(of(i).fold(f64::INFINITY, f64::min))))
        .number("highest_db", band_levels(levels, |i| rms_level(of(i).fold(0.0, f64::max))))
}

fn of_microphones(levels: &MicrophoneLevels) -> Table {
    let all = &levels.microphones;
    let number = |of: &dyn Fn(&MicrophoneLevel) -> f64| all.iter().map(|m| rms_level(of(m))).collect();
    Table::new("microphone_levels")
        .integer("microphone", all.iter().map(|m| m.microphone as i64).collect())
        .number("laeq_db", number(&|m| m.equivalent[0]))
        .number("lceq_db", number(&|m| m.equivalent[1]))
        .number("lzeq_db", number(&|m| m.equivalent[2]))
        .number("maximum_db", number(&|m| m.maximum))
}

fn bands_of_microphones(levels: &MicrophoneLevels) -> Table {
    let rows = || levels.microphones.iter().flat_map(|m| (0..levels.bands.len()).map(move |i| (m, i)));
    Table::new("microphone_bands")
        .integer("microphone", rows().map(|(m, _)| m.microphone as i64).collect())
        .number("center_hz", rows().map(|(_, i)| third_octave_center(levels.bands[i])).collect())
        .number("leq_db", rows().map(|(m, i)| rms_level(m.bands[i])).collect())
        .number("weighted_leq_db", rows().map(|(m, i)| rms_level(m.weighted_bands[i])).collect())
}

fn history(levels: &MicrophoneLevels) -> Table {
    let rows = &levels.history;
    Table::new("level_history")
        .number("time_s", rows.iter().map(|row| row.time).collect())
        .sparse("leq_db", rows.iter().map(|row| Some(rms_level(row.equivalent))))
        .number("level_db", rows.iter().map(|row| rms_level(row.level)).collect())
        .number("maximum_db", rows.iter().map(|row| rms_level(row.maximum)).collect())
        .integer("loudest_microphone", rows.iter().map(|row| row.loudest as i64).collect())
}

/// Letters of the weightings.
fn weightings(settings: &LevelSettings) -> (&'static str, &'static str) {
    let frequency = match settings.frequency_weighting {
        FrequencyWeighting::A => "A",
        FrequencyWeighting::C => "C",
        FrequencyWeighting::Z => "Z",
    };
    let time = match settings.time_weighting {
        TimeWeighting::Fast => "F",
        TimeWeighting::Slow => "S",
        TimeWeighting::Impulse => "I",
    };
    (frequency, time)
}

/// Bands, and levels over time.
fn plots(levels: &MicrophoneLevels, settings: &LevelSettings) -> Vec<Plot> {
    let (frequency, time) = weightings(settings);
    let label =
        |weighting: &str| format!("level (dB{} re 20 uPa)", if weighting == "Z" { "" } else { weighting });
    let axis = |label: String, series: &[Series]| {
        let values = series.iter().flat_map(|series| series.y.iter().copied());
        Axis { range: Some(level_range(values, DEPTH)), ..Axis::new(label) }
    };
    let mut plots = Vec::new();
    if levels.bands.len() > 1 {
        let flat = band_levels(levels, |i| mean(levels, |m| m.bands[i]));
        let mut series = vec![Series::solid("Z", centers(levels), flat)];
        if frequency != "Z" {
            let weighted = band_levels(levels, |i| mean(levels, |m| m.weighted_bands[i]));
            series.push(Series::dashed(frequency, centers(levels), weighted));
        }
        plots.push(Plot::Line(LinePlot {
            name: "band_levels".into(),
            title: "Equivalent levels in third-octave bands".into(),
            caption: "Equivalent continuous levels of the recording in third-octave bands, means over the microphones.".into(),
            x: Axis::new("center frequency (Hz)").logarithmic(),
            y: axis(label("Z"), &series),
            series,
        }));
    }
    if levels.history.len() > 1 {
        let at = || levels.history.iter().map(|row| row.time).collect::<Vec<f64>>();
        let of =
            |value: &dyn Fn(usize) -> f64| (0..levels.history.len()).map(|i| rms_level(value(i))).collect();
        let series = vec![
            Series::solid("mean of the microphones", at(), of(&|i| levels.history[i].level)),
            Series::dashed("loudest microphone", at(), of(&|i| levels.history[i].maximum)),
        ];
        plots.push(Plot::Line(LinePlot {
            name: "level_history".into(),
            title: format!("Level L_{frequency}{time} at the array"),
            caption: "Time-weighted level at the microphones over time.".into(),
            x: Axis::new("time (s)"),
            y: axis(label(frequency), &series),
            series,
        }));
    }
    plots
}
