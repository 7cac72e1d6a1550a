//! `[output]`: what is wanted.

use super::{Geometry, Source, SpectralMethod};
use phasefront_core::units::FrequencyDim;
use phasefront_core::{FieldError, Length, Sweep, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// Most points for each pitch: a map has no more pixels.
const MOST_POINTS: u32 = 16;

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
    pub time: Time,
    /// Whether to draw maps.
    pub maps: bool,
    /// Points of the holograms that are written and drawn, for each pitch of the grid: 4 makes them four times as fine.
    #[schemars(extend("maximum" = MOST_POINTS))]
    pub oversampling: NonZeroU32,
    /// Whether to compare phasors and holograms with those of spectral_method = "fft".
    pub compare: bool,
    /// Further ways from samples to phasors that are compared with spectral_method = "fft".
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub spectral_methods: Vec<SpectralMethod>,
    /// Phasors that were measured on the first plane, at places as the grid has them, relative to the case file: .csv or .npz as in `source.file`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("minLength" = 1))]
    pub reference: Option<String>,
}

impl Default for Output {
    fn default() -> Self {
        Self {
            frequency: None,
            planes: Vec::new(),
            time: Time::from_si(0.0),
            maps: true,
            oversampling: NonZeroU32::MIN,
            compare: true,
            spectral_methods: Vec::new(),
            reference: None,
        }
    }
}

impl Output {
    pub(super) fn complete(&mut self, geometry: &Geometry, source: &Source) -> Result<(), FieldError> {
        if self.planes.is_empty() {
            self.planes = vec![geometry.standoff];
        }
        if self.time.si() < 0.0 {
            return Err(FieldError::new(
                "output.time",
                "nothing was heard before 0 s",
                "write for example `time = \"0.5 s\"`",
            ));
        }
        if self.oversampling.get() > MOST_POINTS {
            let message = format!("more than {MOST_POINTS} points for each pitch are not drawn");
            return Err(FieldError::new(
                "output.oversampling",
                message,
                "write for example `oversampling = 4`",
            ));
        }
        if !self.compare && !self.spectral_methods.is_empty() {
            let message = "`spectral_methods` are compared, and `compare` is false";
            return Err(FieldError::new("output.spectral_methods", message, "remove one of them"));
        }
        if self.reference.as_ref().is_some_and(String::is_empty) {
            let advice = "give its path from the case file";
            return Err(FieldError::new("output.reference", "the name of the file is empty", advice));
        }
        if self.frequency.is_none() && source.is_simulated() {
            self.frequency.clone_from(&source.frequency);
        }
        Ok(())
    }
}
