//! `[output]`: requested outputs.

use super::{Geometry, Levels, Photo, Region, Source, SpectralMethod};
use phasefront_core::units::FrequencyDim;
use phasefront_core::{FieldError, Length, Sweep, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// Maximum oversampling: maps have no more pixels.
const MAX_OVERSAMPLING: u32 = 16;

/// Requested outputs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "nah_output")]
pub struct Output {
    /// Frequencies of the holograms: one value, a list, or { from, to, points or step }. Required with recordings and streams. Default: the
    /// frequencies of the simulated sources, or of the phasors in `source.file`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Sweep<FrequencyDim>")]
    pub frequency: Option<Sweep<FrequencyDim>>,
    /// Reconstruction planes, as distances from the array toward the source. Default: the source plane, `[standoff]`.
    pub planes: Vec<Length>,
    /// Start time of the spectrum whose holograms are saved; levels are reported for all spectra.
    pub time: Time,
    /// Plot maps of the holograms.
    pub maps: bool,
    /// Oversampling of saved and plotted holograms: number of points per microphone spacing.
    #[schemars(extend("maximum" = MAX_OVERSAMPLING))]
    pub oversampling: NonZeroU32,
    /// Compare phasors and holograms with those of `spectral_method = "fft"`.
    pub compare: bool,
    /// Additional spectrum estimators to compare with `spectral_method = "fft"`. Requires `compare`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub spectral_methods: Vec<SpectralMethod>,
    /// Reference phasors measured on the first of `planes` at the grid positions, as .csv or .npz in the format of `source.file`;
    /// path relative to the case file.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("minLength" = 1))]
    pub reference: Option<String>,
    /// Sound levels at the microphones, of the whole recording: third-octave bands, A, C and Z weighted, and over time. `levels = {}` has
    /// all defaults. Requires a recording or simulated signals.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Levels")]
    pub levels: Option<Levels>,
    /// Photo of the source under the maps of the pressure and of beamforming.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Photo")]
    pub photo: Option<Photo>,
    /// Regions of the planes whose sound power is reported, with the field indicators of ISO 9614-1.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub regions: Vec<Region>,
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
            levels: None,
            photo: None,
            regions: Vec::new(),
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
                "the time cannot be negative",
                "write for example `time = \"0.5 s\"`",
            ));
        }
        if self.oversampling.get() > MAX_OVERSAMPLING {
            let message = format!("`oversampling` must be at most {MAX_OVERSAMPLING}");
            return Err(FieldError::new(
                "output.oversampling",
                message,
                "write for example `oversampling = 4`",
            ));
        }
        if !self.compare && !self.spectral_methods.is_empty() {
            let message = "`spectral_methods` requires `compare`, which is false";
            return Err(FieldError::new(
                "output.spectral_methods",
                message,
                "remove `spectral_methods`, or set `compare = true`",
            ));
        }
        if self.reference.as_ref().is_some_and(String::is_empty) {
            let advice = "give its path relative to the case file";
            return Err(FieldError::new("output.reference", "the file name is empty", advice));
        }
        if let Some(levels) = &self.levels {
            levels.check()?;
        }
        Region::check(&self.regions)?;
        if let Some(photo) = &self.photo {
            photo.check()?;
        }
        if self.frequency.is_none() && source.is_simulated() {
            self.frequency.clone_from(&source.frequency);
        }
        Ok(())
    }
}
