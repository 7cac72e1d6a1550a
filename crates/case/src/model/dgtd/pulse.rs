//! How sources go in time, chosen by their `shape`.

use crate::model::checks::check_positive;
use crate::model::{Tagged, Variant};
use phasefront_core::{FieldError, Frequency};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How far below the lowest frequency of a case its pulse begins, and how far above the highest it ends. There the spectrum is 20 dB
/// below its largest; at a single frequency it is 2 dB below it, and at zero frequency nothing is left.
const BAND: [f64; 2] = [0.5, 1.25];

/// How sources go in time, chosen by its `shape`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "shape", rename_all = "lowercase")]
#[schemars(rename = "dgtd_pulse")]
pub enum Pulse {
    /// A Gaussian, with a spectrum from zero frequency up.
    Gaussian(Gaussian),
    /// A Gaussian times a sine, with a spectrum around its center.
    Modulated(Modulated),
}

/// A Gaussian.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gaussian {
    /// The frequency at which its spectrum is 20 dB below that at zero.
    pub max_frequency: Frequency,
}

/// A Gaussian times a sine.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Modulated {
    /// The frequency of the sine.
    pub center_frequency: Frequency,
    /// The band at whose ends the spectrum is 20 dB below that in the middle.
    pub bandwidth: Frequency,
}

impl Pulse {
    /// A Gaussian for frequencies up to the highest of these.
    pub(super) fn gaussian(frequencies: &[f64]) -> Self {
        Self::Gaussian(Gaussian { max_frequency: Frequency::from_si(band(frequencies)[1]) })
    }

    /// A modulated pulse for these frequencies.
    pub(super) fn modulated(frequencies: &[f64]) -> Self {
        let [low, high] = band(frequencies);
        let [center_frequency, bandwidth] = [f64::midpoint(low, high), high - low].map(Frequency::from_si);
        Self::Modulated(Modulated { center_frequency, bandwidth })
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

/// The band of a pulse for these frequencies.
fn band(frequencies: &[f64]) -> [f64; 2] {
    let lowest = frequencies.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = frequencies.iter().copied().fold(0.0, f64::max);
    [BAND[0] * lowest, BAND[1] * highest]
}

/// The table of this solver that a key chooses the shape of.
pub(in crate::model) const TAGGED: &[Tagged] = &[Tagged {
    path: "source.pulse",
    tag: "shape",
    variants: &[
        Variant { name: "gaussian", read: |table| Gaussian::deserialize(table).map(drop) },
        Variant { name: "modulated", read: |table| Modulated::deserialize(table).map(drop) },
    ],
}];
