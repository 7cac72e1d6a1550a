//! `[output]` `levels`: sound levels at the microphones.

use crate::model::checks::check_positive;
use phasefront_core::{FieldError, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Sound levels at the microphones.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "nah_levels")]
pub struct Levels {
    /// Frequency weighting of the levels over time and of the weighted band levels.
    pub frequency_weighting: FrequencyWeighting,
    /// Time weighting of the levels over time.
    pub time_weighting: TimeWeighting,
    /// Time between two levels; at least 1 ms.
    pub interval: Time,
}

impl Default for Levels {
    fn default() -> Self {
        Self {
            frequency_weighting: FrequencyWeighting::default(),
            time_weighting: TimeWeighting::default(),
            interval: Time::from_si(0.1),
        }
    }
}

/// Frequency weighting of IEC 61672-1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "nah_frequency_weighting")]
pub enum FrequencyWeighting {
    /// Weighting A of IEC 61672-1.
    #[default]
    A,
    /// Weighting C of IEC 61672-1.
    C,
    /// No weighting.
    Z,
}

/// Time weighting of levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "nah_time_weighting")]
pub enum TimeWeighting {
    /// F: exponential average with a time constant of 125 ms (IEC 61672-1).
    #[default]
    Fast,
    /// S: exponential average with a time constant of 1 s (IEC 61672-1).
    Slow,
    /// I: time constant of 35 ms, followed by a peak detector that decays by 2.9 dB/s (IEC 60651).
    Impulse,
}

impl Levels {
    pub(super) fn check(&self) -> Result<(), FieldError> {
        check_positive(
            "output.levels.interval",
            "`interval`",
            self.interval.si(),
            "write for example `interval = \"0.1 s\"`",
        )
    }
}
