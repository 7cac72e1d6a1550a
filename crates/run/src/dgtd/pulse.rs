//! The time dependence of sources, from the case or from a file of samples.

use super::columns::Columns;
use crate::input::InputFolder;
use phasefront_case::model::dgtd::{Pulse as CasePulse, PulseTable, Source};
use phasefront_core::FieldError;
use phasefront_dgtd::{Problem, Pulse, Waveform};
use std::sync::Arc;

/// The time dependence of the sources; initial fields have none.
pub(super) fn pulse(source: &Source, folder: &InputFolder) -> Result<Pulse, FieldError> {
    Ok(match &source.pulse {
        Some(CasePulse::Gaussian(p)) => Pulse::gaussian(p.max_frequency.si()),
        Some(CasePulse::Modulated(p)) => Pulse::modulated(p.center_frequency.si(), p.bandwidth.si()),
        Some(CasePulse::Table(table)) => Pulse::Table(Arc::new(waveform(table, folder)?)),
        None => Problem::default().pulse,
    })
}

fn waveform(table: &PulseTable, folder: &InputFolder) -> Result<Waveform, FieldError> {
    let (path, file) = ("source.pulse.file", &table.file);
    let columns = Columns::read_numbers(folder, file, path)?;
    if columns.len() != 2 {
        return Err(FieldError::new(
            path,
            format!("{file} has {} columns, not two", columns.len()),
            "give a time and an amplitude in each line",
        ));
    }
    let samples: Vec<(f64, f64)> =
        columns.rows.iter().map(|(_, row)| (table.units.seconds() * row[0], row[1])).collect();
    Waveform::new(&samples)
        .map_err(|error| FieldError { message: format!("{file}: {}", error.message), ..error })
}
