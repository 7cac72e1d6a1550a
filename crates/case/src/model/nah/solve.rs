//! `[solve]`: spectrum estimation and reconstruction.

use super::{Beamforming, Format, Signal, Source};
use crate::model::checks::check_positive;
use phasefront_core::{FieldError, Length, Precision};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;
use std::path::Path;

/// Default FFT length, in samples.
const SAMPLES: u32 = 1024;
/// Default hop of the sliding methods, in samples.
const HOP: u32 = 32;
/// Maximum FFT length, in samples.
const MAX_SAMPLES: u32 = 1 << 20;
/// Default number of Walsh functions per frequency.
const WALSH_TERMS: u32 = 40;

/// Reconstruction settings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "nah_solve", description = "Reconstruction settings.")]
pub struct Solve {
    /// Reconstruction method.
    pub method: Method,
    /// For "esm": distance of the equivalent sources behind the source plane. Default: 1.5 times the larger spacing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Length")]
    pub source_depth: Option<Length>,
    /// Spectrum estimator: from samples or PDM bits to phasors.
    pub spectral_method: SpectralMethod,
    /// Length of a spectrum in samples, after decimation of PDM bits.
    #[schemars(extend("minimum" = 8, "maximum" = MAX_SAMPLES))]
    pub fft_length: NonZeroU32,
    /// Hop between successive spectra, in samples. Default: 32 for "sliding-dft" and "cic-popcount", otherwise half of `fft_length`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NonZeroU32")]
    pub hop: Option<NonZeroU32>,
    /// For "fft" of PDM bits: compensate the passband droop of the decimation filter by an FIR filter, instead of a factor per
    /// frequency.
    pub compensation_fir: bool,
    /// For "walsh": number of Walsh functions per frequency. Default: 40. Give this or `walsh_threshold`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NonZeroU32")]
    pub walsh_terms: Option<NonZeroU32>,
    /// For "walsh": minimum coefficient of the Walsh functions used; coefficients are at most 4/π. Give this or `walsh_terms`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub walsh_threshold: Option<f64>,
    /// For "walsh": generation of the Walsh functions.
    pub walsh_functions: Functions,
    /// How the spectra of a recording become holograms.
    pub averaging: Averaging,
    /// Beamforming of the same averages on the source plane, at the frequencies that are too high for holograms; `beamforming = {}` has
    /// all defaults. Requires averaging = "cross-spectra".
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Beamforming")]
    pub beamforming: Option<Beamforming>,
    /// Extrapolation of the field beyond the edge of the aperture.
    pub extrapolation: Extrapolation,
    /// Regularization filter in k-space.
    pub filter: Filter,
    /// For "cos" and "cos-modified": cutoff wavenumber at which the filter falls to one half, in rad/m. Default: 50.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0))]
    pub cutoff: Option<f64>,
    /// For "cos" and "cos-modified": width of the transition band relative to the cutoff. Default: 0.3.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0))]
    pub rolloff: Option<f64>,
    /// As `cutoff`, for the particle velocity, which is more sensitive to evanescent waves. Default: `cutoff`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0))]
    pub velocity_cutoff: Option<f64>,
    /// As `rolloff`, for the particle velocity. Default: `rolloff`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0))]
    pub velocity_rolloff: Option<f64>,
    /// For filter = "tikhonov": parameter α of the filter H²/(H² + α), with H the magnitude of the propagator to the array; default: 0.01. For
    /// method = "esm": Tikhonov parameter λ over the mean of the diagonal of GGᴴ, with G the matrix from the sources to the microphones; default: that of the
    /// largest marginal likelihood.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0))]
    pub regularization: Option<f64>,
    /// Floating-point precision of the holograms.
    pub precision: Precision,
}

impl Default for Solve {
    fn default() -> Self {
        Self {
            method: Method::default(),
            source_depth: None,
            spectral_method: SpectralMethod::default(),
            fft_length: NonZeroU32::MIN.saturating_add(SAMPLES - 1),
            hop: None,
            compensation_fir: false,
            walsh_terms: None,
            walsh_threshold: None,
            walsh_functions: Functions::default(),
            averaging: Averaging::default(),
            beamforming: None,
            extrapolation: Extrapolation::default(),
            filter: Filter::default(),
            cutoff: None,
            rolloff: None,
            velocity_cutoff: None,
            velocity_rolloff: None,
            regularization: None,
            precision: Precision::Double,
        }
    }
}

/// Reconstruction method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "nah_method")]
pub enum Method {
    /// "esm" for up to 256 microphones and those with `positions`; "fft" for more, for streams, and where a filter is given.
    #[default]
    Auto,
    /// Fourier-based NAH: angular-spectrum propagation in k-space; microphones on a regular grid.
    Fft,
    /// Equivalent source method; arbitrary microphone positions.
    Esm,
}

/// Spectrum estimator: from samples or PDM bits to phasors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "nah_spectral_method")]
pub enum SpectralMethod {
    /// FFT of each channel with a Hann window.
    #[default]
    Fft,
    /// Direct DFT at the requested frequencies only.
    Dft,
    /// The faster of "fft" and "dft".
    Auto,
    /// PDM bits: decimation by averaging blocks of 32 bits.
    BlockAverage,
    /// PDM bits: the dominant Walsh functions of each frequency.
    Walsh,
    /// PDM bits: all Walsh functions.
    WalshExact,
    /// PDM bits: CIC decimation filter by population counts, followed by a sliding DFT.
    CicPopcount,
    /// Sliding DFT over block sums: each hop processes only its new samples.
    SlidingDft,
}

/// Generation of Walsh functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "nah_functions")]
pub enum Functions {
    /// Precomputed tables.
    #[default]
    Precomputed,
    /// Products of Rademacher functions, computed on the fly.
    Rademacher,
}

/// How the spectra of a recording become holograms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "nah_averaging")]
pub enum Averaging {
    /// A hologram for each spectrum: of one source, or of one moment.
    #[default]
    None,
    /// A hologram of the cross-spectra averaged over the recording, as a sum of partial fields: of sources that are independent of each
    /// other, and with less noise.
    CrossSpectra,
}

/// Extrapolation of the field beyond the edge of the aperture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "nah_extrapolation")]
pub enum Extrapolation {
    /// Linear predictive border padding (LPBP), with a predictor per row and column.
    #[default]
    Lpbp,
    /// LPBP with one predictor for all rows and one for all columns: faster.
    Plpbp,
    /// Zero padding.
    Zero,
}

/// Regularization filter in k-space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "nah_filter")]
pub enum Filter {
    /// As "cos-modified", with cutoff and rolloff chosen by generalized cross-validation (GCV) up to the cutoff where noise exceeds signal.
    #[default]
    Auto,
    /// Low-pass filter with a cosine taper at `cutoff`.
    Cos,
    /// As "cos" outside the radiation circle; propagating waves are not attenuated.
    CosModified,
    /// Tikhonov regularization.
    Tikhonov,
    /// No filter.
    None,
}

impl Solve {
    /// Validates the settings and resolves their defaults; `methods` are the spectrum estimators to compare with.
    pub(super) fn complete(&mut self, source: &Source, methods: &[SpectralMethod]) -> Result<(), FieldError> {
        let samples = self.fft_length.get();
        if !(8..=MAX_SAMPLES).contains(&samples) {
            let message = format!("`fft_length` must be from 8 to {MAX_SAMPLES} samples");
            return Err(FieldError::new(
                "solve.fft_length",
                message,
                "write for example `fft_length = 1024`, the default",
            ));
        }
        self.check_source(source)?;
        self.check_source_depth()?;
        self.check_averaging(source)?;
        if let Some(beamforming) = &mut self.beamforming {
            beamforming.complete()?;
        }
        let is_sliding =
            matches!(self.spectral_method, SpectralMethod::SlidingDft | SpectralMethod::CicPopcount);
        let hop = if is_sliding { HOP.min(samples) } else { (samples / 2).max(1) };
        self.hop.get_or_insert_with(|| NonZeroU32::MIN.saturating_add(hop - 1));
        self.complete_walsh(methods)?;
        self.complete_filter()
    }

    /// Rejects PDM methods for sources without a PDM stream.
    fn check_source(&self, source: &Source) -> Result<(), FieldError> {
        let has_bits_extension =
            |file: &String| Path::new(file).extension().is_some_and(|e| e.eq_ignore_ascii_case("bits"));
        let is_raw_pdm =
            source.format == Some(Format::Pdm) || source.file.as_ref().is_some_and(has_bits_extension);
        let is_pdm = is_raw_pdm || source.signal == Some(Signal::Pdm);
        let needs_pdm = matches!(
            self.spectral_method,
            SpectralMethod::BlockAverage
                | SpectralMethod::Walsh
                | SpectralMethod::WalshExact
                | SpectralMethod::CicPopcount
        );
        if needs_pdm && !is_pdm {
            let advice = "use \"fft\", \"dft\", \"auto\" or \"sliding-dft\", or a PDM source";
            return Err(FieldError::new(
                "solve.spectral_method",
                "this method requires a PDM stream, and the source is not one",
                advice,
            ));
        }
        if self.compensation_fir && !(is_pdm && self.spectral_method == SpectralMethod::Fft) {
            let message = "`compensation_fir` requires spectral_method = \"fft\" and a PDM stream";
            return Err(FieldError::new("solve.compensation_fir", message, "remove it"));
        }
        Ok(())
    }

    /// Rejects averages of what is not a recording, and references without averages.
    fn check_averaging(&self, source: &Source) -> Result<(), FieldError> {
        if self.averaging == Averaging::None {
            if self.beamforming.is_some() {
                let message = "`beamforming` requires averaged cross-spectra";
                let advice = "write `averaging = \"cross-spectra\"` in [solve], or remove it";
                return Err(FieldError::new("solve.beamforming", message, advice));
            }
            if source.references.is_empty() {
                return Ok(());
            }
            let message = "`references` require averaged cross-spectra";
            let advice = "write `averaging = \"cross-spectra\"` in [solve], or remove them";
            return Err(FieldError::new("source.references", message, advice));
        }
        if source.listen.is_some() || source.signal == Some(Signal::Spectra) {
            let message =
                "cross-spectra are averaged over a recording, and the source is a stream or spectra";
            return Err(FieldError::new("solve.averaging", message, "remove it"));
        }
        Ok(())
    }

    fn check_source_depth(&self) -> Result<(), FieldError> {
        let Some(depth) = self.source_depth else { return Ok(()) };
        let path = "solve.source_depth";
        // A filter is one of k-space, which "auto" then takes.
        if self.method == Method::Fft || (self.method == Method::Auto && self.filter != Filter::Auto) {
            let message = "`source_depth` requires method = \"esm\"";
            return Err(FieldError::new(path, message, "remove it, or write `method = \"esm\"`"));
        }
        let advice = "write for example `source_depth = \"3 cm\"`";
        check_positive(path, "the depth of the equivalent sources", depth.si(), advice)
    }

    fn complete_walsh(&mut self, methods: &[SpectralMethod]) -> Result<(), FieldError> {
        let walsh = self.spectral_method == SpectralMethod::Walsh || methods.contains(&SpectralMethod::Walsh);
        for (key, given) in
            [("walsh_terms", self.walsh_terms.is_some()), ("walsh_threshold", self.walsh_threshold.is_some())]
        {
            if given && !walsh {
                let message = format!("`{key}` requires spectral_method = \"walsh\"");
                return Err(FieldError::new(format!("solve.{key}"), message, "remove it"));
            }
        }
        match (self.walsh_terms, self.walsh_threshold) {
            (Some(_), Some(_)) => {
                let message = "`walsh_terms` and `walsh_threshold` cannot both be given";
                Err(FieldError::new("solve.walsh_threshold", message, "keep one of them"))
            }
            (None, Some(threshold)) if !(threshold > 0.0 && threshold <= 1.0) => {
                let message = "the threshold must be positive and at most 1";
                Err(FieldError::new(
                    "solve.walsh_threshold",
                    message,
                    "write for example `walsh_threshold = 0.1`",
                ))
            }
            (None, None) if walsh => {
                self.walsh_terms = NonZeroU32::new(WALSH_TERMS);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn complete_filter(&mut self) -> Result<(), FieldError> {
        let has_cutoff = matches!(self.filter, Filter::Cos | Filter::CosModified);
        let keys = [
            ("cutoff", self.cutoff, has_cutoff, "filter = \"cos\" or \"cos-modified\"", 50.0),
            ("rolloff", self.rolloff, has_cutoff, "filter = \"cos\" or \"cos-modified\"", 0.3),
            (
                "velocity_cutoff",
                self.velocity_cutoff,
                has_cutoff,
                "filter = \"cos\" or \"cos-modified\"",
                40.0,
            ),
            (
                "velocity_rolloff",
                self.velocity_rolloff,
                has_cutoff,
                "filter = \"cos\" or \"cos-modified\"",
                0.3,
            ),
            (
                "regularization",
                self.regularization,
                self.filter == Filter::Tikhonov || self.method == Method::Esm,
                "filter = \"tikhonov\" or method = \"esm\"",
                0.01,
            ),
        ];
        for (key, value, is_used, filters, typical) in keys {
            let path = format!("solve.{key}");
            match value {
                Some(_) if !is_used => {
                    let message = format!("`{key}` requires {filters}");
                    return Err(FieldError::new(path, message, "remove it, or change `filter`"));
                }
                Some(value) => {
                    check_positive(
                        path,
                        &format!("`{key}`"),
                        value,
                        format!("write for example `{key} = {typical}`"),
                    )?;
                }
                None => {}
            }
        }
        if has_cutoff {
            let (cutoff, rolloff) = (*self.cutoff.get_or_insert(50.0), *self.rolloff.get_or_insert(0.3));
            self.velocity_cutoff.get_or_insert(cutoff);
            self.velocity_rolloff.get_or_insert(rolloff);
        }
        if self.filter == Filter::Tikhonov && self.method != Method::Esm {
            self.regularization.get_or_insert(0.01);
        }
        Ok(())
    }
}
