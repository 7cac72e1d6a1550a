//! Labels of plots and files: numbers, units, and the source that fields are normalized to.

use phasefront_dgtd::Study;

/// A number without needless digits.
pub(super) fn short(value: f64) -> String {
    format!("{}", (value * 1e4).round() / 1e4)
}

/// A frequency by its index, for the title of a plot.
pub(super) fn at_frequency(study: &Study, shown: usize) -> String {
    let frequency = study.problem.monitors.frequencies.get(shown).copied().unwrap_or_default();
    format!("{} GHz", short(1e-9 * frequency))
}

/// Unit of a field at a frequency, `V` or `A` per m. Initial fields have no pulse to normalize by: their fields stay spectra.
pub(super) fn unit(study: &Study, of: &str) -> String {
    if study.problem.sources.initial.is_some() { format!("{of} s/m") } else { format!("{of}/m") }
}

/// The source that fields at a frequency are normalized to.
pub(super) fn for_source(study: &Study) -> &'static str {
    let sources = &study.problem.sources;
    if sources.initial.is_some() {
        "as the spectrum of the evolving initial fields"
    } else if sources.plane_wave.is_some() {
        "for an incident wave of 1 V/m"
    } else if sources.near_field.is_some() {
        "for the near field as recorded"
    } else if sources.ports.is_empty() {
        "for dipoles of the given moments"
    } else {
        "for a source of 1 V at the excited port"
    }
}
