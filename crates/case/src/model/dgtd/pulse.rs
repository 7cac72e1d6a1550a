//! Time dependence of sources, selected by its `shape`.

use crate::model::checks::check_positive;
use crate::model::{Tagged, Variant};
use phasefront_core::{FieldError, Frequency};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Band edges of the default pulse, relative to the lowest and the highest frequency of the case. At the edges the spectrum is
/// 20 dB below its maximum; for a single frequency it is 2 dB below the maximum there, and negligible at dc.
const BAND: [f64; 2] = [0.5, 1.25];

/// Least bandwidth of a pulse for guides, relative to its center.
const MIN_GUIDE_BAND: f64 = 0.2;

/// Time dependence of a source, selected by `shape`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "shape", rename_all = "lowercase")]
#[schemars(rename = "dgtd_pulse")]
pub enum Pulse {
    /// Gaussian pulse; baseband spectrum from dc to `max_frequency`.
    Gaussian(Gaussian),
    /// Modulated Gaussian pulse; band-pass spectrum around `center_frequency`.
    Modulated(Modulated),
    /// Samples from a file, such as a step with the rise time of a reflectometer, or the pulse of a UWB transmitter.
    Table(PulseTable),
}

/// Gaussian pulse.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gaussian {
    /// Frequency at which the spectrum is 20 dB below its value at dc.
    pub max_frequency: Frequency,
}

/// Modulated Gaussian pulse.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Modulated {
    /// Carrier frequency.
    pub center_frequency: Frequency,
    /// Full bandwidth between the points at which the spectrum is 20 dB below its value at `center_frequency`.
    pub bandwidth: Frequency,
}

/// Waveform by samples: a cubic spline through them, zero outside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_pulse_table")]
pub struct PulseTable {
    /// CSV file of two columns, time and amplitude, with or without names in the first line. The amplitude multiplies the source: 1 V of a
    /// port, 1 V/m of a plane wave, the moments of dipoles. It begins and ends with zero.
    #[schemars(extend("minLength" = 1))]
    pub file: String,
    /// Unit of the times.
    pub units: TimeUnits,
}

/// Unit of times in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "time_units")]
pub enum TimeUnits {
    /// Seconds (SI).
    S,
    /// Milliseconds (1e-3 s).
    Ms,
    /// Microseconds (1e-6 s).
    Us,
    /// Nanoseconds (1e-9 s).
    Ns,
    /// Picoseconds (1e-12 s).
    Ps,
    /// Femtoseconds (1e-15 s).
    Fs,
}

impl TimeUnits {
    /// Seconds per unit.
    pub fn seconds(self) -> f64 {
        match self {
            Self::S => 1.0,
            Self::Ms => 1e-3,
            Self::Us => 1e-6,
            Self::Ns => 1e-9,
            Self::Ps => 1e-12,
            Self::Fs => 1e-15,
        }
    }
}

impl Pulse {
    /// Gaussian pulse that covers frequencies up to the highest of these.
    pub(super) fn gaussian(frequencies: &[f64]) -> Self {
        Self::Gaussian(Gaussian { max_frequency: Frequency::from_si(band(frequencies)[1]) })
    }

    /// Modulated Gaussian pulse that covers these frequencies.
    pub(super) fn modulated(frequencies: &[f64]) -> Self {
        let [low, high] = band(frequencies);
        let [center_frequency, bandwidth] = [f64::midpoint(low, high), high - low].map(Frequency::from_si);
        Self::Modulated(Modulated { center_frequency, bandwidth })
    }

    /// Modulated Gaussian pulse for guides, with little below these frequencies: waves near the cut-off hardly leave a guide.
    pub(super) fn of_guides(frequencies: &[f64]) -> Self {
        let [low, high] = range(frequencies);
        let center = f64::midpoint(low, high);
        let bandwidth = (high - low).max(MIN_GUIDE_BAND * center);
        Self::Modulated(Modulated {
            center_frequency: Frequency::from_si(center),
            bandwidth: Frequency::from_si(bandwidth),
        })
    }

    pub(super) fn check(&self) -> Result<(), FieldError> {
        let positive = |key: &str, frequency: Frequency| {
            let advice = format!("write for example `{key} = \"1 GHz\"`");
            check_positive(format!("source.pulse.{key}"), &format!("`{key}`"), frequency.si(), advice)
        };
        match self {
            Self::Gaussian(pulse) => positive("max_frequency", pulse.max_frequency),
            Self::Modulated(pulse) => positive("center_frequency", pulse.center_frequency)
                .and_then(|()| positive("bandwidth", pulse.bandwidth)),
            Self::Table(table) if table.file.is_empty() => Err(FieldError::new(
                "source.pulse.file",
                "the name of the file is empty",
                "write for example `file = \"pulse.csv\"`",
            )),
            Self::Table(_) => Ok(()),
        }
    }
}

/// The lowest and the highest of these frequencies.
fn range(frequencies: &[f64]) -> [f64; 2] {
    let lowest = frequencies.iter().copied().fold(f64::INFINITY, f64::min);
    [lowest, frequencies.iter().copied().fold(0.0, f64::max)]
}

/// Band edges of a pulse that covers these frequencies.
fn band(frequencies: &[f64]) -> [f64; 2] {
    let [lowest, highest] = range(frequencies);
    [BAND[0] * lowest, BAND[1] * highest]
}

/// The tagged table of a pulse.
pub(super) const PULSE: Tagged = Tagged {
    path: "source.pulse",
    tag: "shape",
    variants: &[
        Variant { name: "gaussian", read: |table| Gaussian::deserialize(table).map(drop) },
        Variant { name: "modulated", read: |table| Modulated::deserialize(table).map(drop) },
        Variant { name: "table", read: |table| PulseTable::deserialize(table).map(drop) },
    ],
};
