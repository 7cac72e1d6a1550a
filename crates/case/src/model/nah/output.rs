//! `[output]`: what is wanted.

use super::{Geometry, Source};
use phasefront_core::units::FrequencyDim;
use phasefront_core::{FieldError, Length, Sweep, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is wanted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "nah_output")]
pub struct Output {
    /// Frequencies of the holograms: one, a list of them, or { from, to, points }. If left out, those of the sources made in code, or of the
    /// phasors of the file; recordings need it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Sweep<FrequencyDim>")]
    pub frequency: Option<Sweep<FrequencyDim>>,
    /// Planes of the holograms, by their distance from the array towards the source; the source plane if left out.
    pub planes: Vec<Length>,
    /// When the spectrum begins whose holograms are written; levels are told of all.
    pub at: Time,
    /// Whether to draw maps.
    pub maps: bool,
    /// Whether to compare the phasors with those of spectra = "nominal".
    pub compare: bool,
}

impl Default for Output {
    fn default() -> Self {
        Self { frequency: None, planes: Vec::new(), at: Time::from_si(0.0), maps: true, compare: true }
    }
}

impl Output {
    pub(super) fn complete(&mut self, geometry: &Geometry, source: &Source) -> Result<(), FieldError> {
        if self.planes.is_empty() {
            self.planes = vec![geometry.zh];
        }
        if self.at.si() < 0.0 {
            return Err(FieldError::new(
                "output.at",
                "nothing was heard before 0 s",
                "write for example `at = \"0.5 s\"`",
            ));
        }
        if self.frequency.is_none() && source.is_simulated() {
            self.frequency.clone_from(&source.frequency);
        }
        Ok(())
    }
}
