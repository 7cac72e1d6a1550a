//! A band of frequencies.

use phasefront_core::Frequency;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Band of frequencies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_band")]
pub struct Band {
    /// Lower end of the band.
    pub from: Frequency,
    /// Upper end of the band.
    pub to: Frequency,
}

impl Band {
    /// Both ends, in hertz.
    pub fn si(self) -> [f64; 2] {
        [self.from.si(), self.to.si()]
    }
}
