//! Resonances of a dgtd run: their table, what the record cannot tell, and the spectrum that they stand out of.

use super::plots::DEPTH_DB;
use super::runs::Runs;
use phasefront_case::model::dgtd::Band;
use phasefront_core::FieldError;
use phasefront_core::decibels::amplitude_db;
use phasefront_dgtd::{Resonance, Series as TimeSeries, Solution, Study, band as frequencies};
use phasefront_report::Table;
use phasefront_report::plot::{Axis, LinePlot, Plot, Series, level_range};

/// Spectral density of a pulse relative to its maximum, below which it excites nothing that could be told from rounding.
const LEAST_CONTENT: f64 = 1e-3;
/// Record that is recommended for a Q, in decay times of the amplitude: 40 % of it are gone then.
const DECAY_TIMES: f64 = 0.5;
/// Components of a probe.
const COMPONENTS: [&str; 6] = ["ex", "ey", "ez", "hx", "hy", "hz"];

/// Refuses a band in which the pulse has nothing.
pub(super) fn check(study: &Study, band: Option<Band>) -> Result<(), FieldError> {
    let Some(band) = band.filter(|_| study.problem.sources.initial.is_none()) else { return Ok(()) };
    let pulse = &study.problem.pulse;
    let content = frequencies(&band.si()).into_iter().map(|f| pulse.content(f)).fold(0.0, f64::max);
    if content >= LEAST_CONTENT {
        return Ok(());
    }
    Err(FieldError::new(
        "output.resonances",
        format!(
            "the pulse has at most {content:.0e} of its largest spectral density in this band, and excites nothing there"
        ),
        "choose a `pulse` that covers the band, or leave it out: the default one does",
    ))
}

/// `probe1_ez`, `port2`.
fn name(series: TimeSeries) -> String {
    match series {
        TimeSeries::Probe(probe, component) => {
            format!("probe{}_{}", probe + 1, COMPONENTS.get(component).unwrap_or(&""))
        }
        TimeSeries::Port(port) => format!("port{}", port + 1),
    }
}

/// `resonances.csv`: a row for each resonance; no Q where the record does not determine it. With the corrections of an adaptation, the
/// error of the mesh and the frequency without it.
pub(super) fn table(found: &[(Resonance, TimeSeries)], corrections: Option<&[f64]>) -> Table {
    let number = |get: fn(&Resonance) -> f64| found.iter().map(|(r, _)| get(r)).collect();
    let known = |get: fn(&Resonance) -> Option<f64>| found.iter().map(move |(r, _)| get(r));
    let mut table = Table::new("resonances")
        .integer("number", (1..=found.len() as i64).collect())
        .number("frequency_hz", number(|r| r.frequency))
        .number("frequency_error_hz", number(|r| r.frequency_error));
    if let Some(corrections) = corrections {
        let known = corrections.iter().map(|correction| Some(*correction).filter(|c| c.is_finite()));
        let errors = known.clone().map(|correction| correction.map(f64::abs));
        let without = found.iter().zip(known).map(|((r, _), correction)| Some(r.frequency + correction?));
        table = table.sparse("mesh_error_hz", errors).sparse("corrected_frequency_hz", without);
    }
    table
        .sparse("q", known(Resonance::q))
        .sparse("q_error", known(Resonance::q_error))
        .sparse("decay_time_s", known(|r| r.q().map(|_| r.decay_rate.recip())))
        .number("amplitude", number(|r| r.amplitude))
        .text("strongest_at", found.iter().map(|(_, series)| name(*series)).collect())
}

/// What the record does not tell.
pub(super) fn warnings(study: &Study, runs: &Runs, found: &[(Resonance, TimeSeries)]) -> Vec<String> {
    let length = |s: &Solution| s.start + s.steps as f64 * s.dt - study.ring_down_start();
    let record = runs.solutions.iter().map(length).fold(0.0, f64::max);
    if found.is_empty() {
        return vec![format!(
            "no resonance stands out in the {:.3} ns after the pulse; probe the field where it is strong, widen the band, or let it ring longer: set \
             `max_time` and `energy_decay_db = false` in [solve]",
            1e9 * record.max(0.0)
        )];
    }
    let untold = |(r, _): &&(Resonance, TimeSeries)| r.q().is_none();
    let warning = |(r, _): &(Resonance, TimeSeries)| {
        let least = r.least_q();
        let time = study.ring_down_start() + DECAY_TIMES * least / (std::f64::consts::PI * r.frequency);
        format!(
            "the {:.3} ns after the pulse are too short for the Q of the resonance at {:.6} GHz, which is above {least:.0}; set `max_time` to {:.0} ns or \
             more, and `energy_decay_db = false`, in [solve]",
            1e9 * record,
            1e-9 * r.frequency,
            (1e9 * time.max(2.0 * (record + study.ring_down_start()))).ceil()
        )
    };
    found.iter().filter(untold).map(warning).collect()
}

/// The spectrum of what rings, where the strongest resonance is strongest, with all of them marked.
pub(super) fn plot(
    study: &Study,
    runs: &Runs,
    band: [f64; 2],
    found: &[(Resonance, TimeSeries)],
) -> Option<Plot> {
    let (_, shown) = found.iter().max_by(|a, b| a.0.amplitude.total_cmp(&b.0.amplitude))?;
    let skip =
        |solution: &Solution| ((study.ring_down_start() - solution.start) / solution.dt).max(0.0) as usize;
    let values = |solution: &Solution| -> Vec<f64> {
        let all: Vec<f64> = match *shown {
            TimeSeries::Probe(probe, c) => {
                study.probe(solution, probe).iter().map(|field| field[c]).collect()
            }
            TimeSeries::Port(port) => study.voltage(solution, port),
        };
        all.into_iter().skip(skip(solution)).collect()
    };
    let rings: Vec<(&Solution, Vec<f64>)> = runs.solutions.iter().map(|s| (s, values(s))).collect();
    let level = |frequency: f64| {
        // A Hann window keeps strong modes from hiding weak ones.
        let spectrum = |(solution, values): &(&Solution, Vec<f64>)| {
            let last = values.len().max(2) as f64 - 1.0;
            let windowed = values
                .iter()
                .enumerate()
                .map(|(i, value)| value * (std::f64::consts::PI * i as f64 / last).sin().powi(2));
            study.transform(solution, windowed, frequency).norm()
        };
        amplitude_db(rings.iter().map(spectrum).fold(0.0, f64::max))
    };
    let x = frequencies(&band);
    let y: Vec<f64> = x.iter().map(|f| level(*f)).collect();
    let marked: Vec<f64> = found.iter().map(|(r, _)| r.frequency).collect();
    let levels: Vec<f64> = marked.iter().map(|f| level(*f)).collect();
    let peak = y.iter().chain(&levels).copied().fold(f64::NEG_INFINITY, f64::max);
    let relative = |levels: Vec<f64>| -> Vec<f64> { levels.into_iter().map(|level| level - peak).collect() };
    let (y, levels) = (relative(y), relative(levels));
    let gigahertz = |f: Vec<f64>| -> Vec<f64> { f.into_iter().map(|f| 1e-9 * f).collect() };
    let [low, high] = level_range(y.iter().chain(&levels).copied(), DEPTH_DB);
    Some(Plot::Line(LinePlot {
        name: "resonances".into(),
        title: format!("Resonances, and the spectrum of {} after the pulse", name(*shown).replace('_', " ")),
        caption: "The spectrum of what rings after the pulse, from its maximum, and the resonances that the fit has found in it.".into(),
        x: Axis::new("frequency (GHz)"),
        y: Axis::new("level (dB)").with_range(low, high),
        series: vec![
            Series::solid("spectrum", gigahertz(x), y),
            Series::points("resonances", gigahertz(marked), levels),
        ],
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resonance(decay_rate_error: f64) -> Resonance {
        Resonance {
            frequency: 1e9,
            frequency_error: 1e3,
            decay_rate: 1e6,
            decay_rate_error,
            amplitude: 0.5,
            channel: 0,
            window: 1e-7,
        }
    }

    /// Q = πf/α = 3142; with an error of α by half it is not told.
    #[test]
    fn an_unknown_q_is_left_empty() {
        let found = [(resonance(1e4), TimeSeries::Probe(0, 2)), (resonance(5e5), TimeSeries::Port(1))];
        let csv = table(&found, None).to_csv();
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(
            lines[0],
            "number,frequency_hz,frequency_error_hz,q,q_error,decay_time_s,amplitude,strongest_at"
        );
        assert!(lines[1].starts_with("1,1000000000,1000,3141.59265"), "{csv}");
        assert!(lines[1].ends_with(",1e-6,0.5,probe1_ez"), "{csv}");
        assert_eq!(lines[2], "2,1000000000,1000,,,,0.5,port2");
        // After an adaptation, with what the last two passes tell of the mesh.
        let csv = table(&found, Some(&[-2e6, f64::NAN])).to_csv();
        let lines: Vec<&str> = csv.lines().collect();
        assert!(
            lines[0]
                .starts_with("number,frequency_hz,frequency_error_hz,mesh_error_hz,corrected_frequency_hz,q")
        );
        assert!(lines[1].starts_with("1,1000000000,1000,2000000,998000000,3141.59265"), "{csv}");
        assert_eq!(lines[2], "2,1000000000,1000,,,,,,0.5,port2");
    }
}
