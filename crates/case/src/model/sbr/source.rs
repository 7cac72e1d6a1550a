//! `[source]`: frequencies, and where the radar stands.

use phasefront_core::Sweep;
use phasefront_core::units::{AngleDim, FrequencyDim};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Frequencies, and where the radar stands as seen from the target: all pairs of `theta` and `phi`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "sbr_source")]
pub struct Source {
    /// Frequency: one, a list of them, or { from, to, points }.
    pub frequency: Sweep<FrequencyDim>,
    /// Angle of the radar from +z.
    pub theta: Sweep<AngleDim>,
    /// Angle of the radar from +x towards +y.
    pub phi: Sweep<AngleDim>,
    /// Where receivers stand, each for every place of the transmitter; if left out, the transmitter receives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Observe")]
    pub observe: Option<Observe>,
}

/// Where receivers stand: all pairs of `theta` and `phi`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "sbr_observe")]
pub struct Observe {
    /// Angle of the receiver from +z.
    pub theta: Sweep<AngleDim>,
    /// Angle of the receiver from +x towards +y.
    pub phi: Sweep<AngleDim>,
}
