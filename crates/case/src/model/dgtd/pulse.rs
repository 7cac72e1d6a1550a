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
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "shape", rename_all = "lowercase")]
#[schemars(rename = "dgtd_pulse")]
pub enum Pulse {
    /// Gaussian pulse; baseband spectrum from dc to `max_frequency`.
    Gaussian(Gaussian),
    /// Modulated Gaussian pulse; band-pass spectrum around `center_frequency`.
    Modulated(Modulated),
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
    ],
};
