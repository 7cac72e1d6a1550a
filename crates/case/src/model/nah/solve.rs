//! `[solve]`: how holograms are made.

use super::{Format, Signal, Source};
use crate::model::checks::check_positive;
use phasefront_core::{FieldError, Precision};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;
use std::path::Path;

/// Samples of a spectrum, and of a hop of the ways that take sums of blocks.
const SAMPLES: u32 = 1024;
const HOP: u32 = 32;
/// Most samples of a spectrum.
const MOST_SAMPLES: u32 = 1 << 20;
/// Walsh functions of a frequency.
const WALSH_TERMS: u32 = 40;

/// How holograms are made.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "nah_solve", description = "How holograms are made.")]
pub struct Solve {
    /// From the array to the source.
    pub method: Method,
    /// From samples or bits to phasors.
    pub spectral_method: SpectralMethod,
    /// Samples of a spectrum, after the decimation of bits.
    #[schemars(extend("minimum" = 8, "maximum" = MOST_SAMPLES))]
    pub fft_length: NonZeroU32,
    /// Samples from one spectrum to the next; 32 for "sliding-dft" and "cic-popcount", half of `fft_length` for the others if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NonZeroU32")]
    pub hop: Option<NonZeroU32>,
    /// For "fft" on bits: whether a filter straightens the response of the decimation, in place of a factor for each frequency.
    pub compensation_fir: bool,
    /// For "walsh": how many functions a frequency takes; 40 if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NonZeroU32")]
    pub walsh_terms: Option<NonZeroU32>,
    /// For "walsh", in place of `walsh_terms`: functions with at least this weight, of up to 4/pi.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub walsh_threshold: Option<f64>,
    /// For "walsh": where its functions come from.
    pub walsh_functions: Functions,
    /// What the field is taken to be beyond the rim of the array.
    pub extrapolation: Extrapolation,
    /// What is kept in k-space.
    pub filter: Filter,
    /// For "cos" and "cos-modified": where the filter falls to a half, in rad/m; 50 if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0))]
    pub cutoff: Option<f64>,
    /// For "cos" and "cos-modified": how wide the step is, as a part of the cut-off; 0.3 if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0))]
    pub rolloff: Option<f64>,
    /// The same as `cutoff` for the velocity, which has more of the waves that die out; `cutoff` if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0))]
    pub velocity_cutoff: Option<f64>,
    /// The same as `rolloff` for the velocity; `rolloff` if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0))]
    pub velocity_rolloff: Option<f64>,
    /// For "tikhonov": what arrives with this part of its power is halved; 0.01 if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0))]
    pub regularization: Option<f64>,
    /// Precision of the holograms.
    pub precision: Precision,
}

impl Default for Solve {
    fn default() -> Self {
        Self {
            method: Method::default(),
            spectral_method: SpectralMethod::default(),
            fft_length: NonZeroU32::MIN.saturating_add(SAMPLES - 1),
            hop: None,
            compensation_fir: false,
            walsh_terms: None,
            walsh_threshold: None,
            walsh_functions: Functions::default(),
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

/// From the array to the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "nah_method")]
pub enum Method {
    /// By waves in k-space: microphones on a grid.
    #[default]
    Fft,
    /// By equivalent sources: microphones anywhere.
    Esm,
}

/// From samples or bits to phasors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "nah_spectral_method")]
pub enum SpectralMethod {
    /// A fast transform of every microphone through Hann's window.
    #[default]
    Fft,
    /// A dot product for each frequency.
    Dft,
    /// The faster of these two.
    Auto,
    /// Bits: the mean of every 32 as a sample.
    BlockAverage,
    /// Bits: the most important Walsh functions of each frequency.
    Walsh,
    /// Bits: all Walsh functions.
    WalshExact,
    /// Bits: decimation by counts of masked bits, and a ring of sums.
    CicPopcount,
    /// A ring of sums of blocks: each hop costs its own samples only.
    SlidingDft,
}

/// Where Walsh functions come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "nah_functions")]
pub enum Functions {
    /// Written out once.
    #[default]
    Precomputed,
    /// Made from Rademacher's functions each time.
    Rademacher,
}

/// What the field is taken to be beyond the rim of the array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "nah_extrapolation")]
pub enum Extrapolation {
    /// As linear prediction carries it on, each row and column for itself.
    #[default]
    Lpbp,
    /// As linear prediction carries it on, one for all rows and one for all columns: faster.
    Plpbp,
    /// Silence.
    Zero,
}

/// What is kept in k-space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "nah_filter")]
pub enum Filter {
    /// What cross-validation over the array finds.
    #[default]
    Auto,
    /// A smooth step at the cut-off.
    Cos,
    /// The same outside of the radiation circle; all that radiates is kept.
    CosModified,
    /// Less of what arrives weaker.
    Tikhonov,
    /// Everything.
    None,
}

impl Solve {
    /// `methods` are ways that this one is compared with.
    pub(super) fn complete(&mut self, source: &Source, methods: &[SpectralMethod]) -> Result<(), FieldError> {
        let samples = self.fft_length.get();
        if !(8..=MOST_SAMPLES).contains(&samples) {
            let message = format!("a spectrum takes from 8 to {MOST_SAMPLES} samples");
            return Err(FieldError::new(
                "solve.fft_length",
                message,
                "write for example `fft_length = 1024`, the default",
            ));
        }
        self.check_source(source)?;
        let rings = matches!(self.spectral_method, SpectralMethod::SlidingDft | SpectralMethod::CicPopcount);
        let hop = if rings { HOP.min(samples) } else { (samples / 2).max(1) };
        self.hop.get_or_insert_with(|| NonZeroU32::MIN.saturating_add(hop - 1));
        self.complete_walsh(methods)?;
        self.complete_filter()
    }

    /// Refuses what takes bits where there are none.
    fn check_source(&self, source: &Source) -> Result<(), FieldError> {
        let ends_in_bits =
            |file: &String| Path::new(file).extension().is_some_and(|e| e.eq_ignore_ascii_case("bits"));
        let raw = source.format == Some(Format::Pdm) || source.file.as_ref().is_some_and(ends_in_bits);
        let is_bits = raw || source.signal == Some(Signal::Pdm);
        let takes_bits = matches!(
            self.spectral_method,
            SpectralMethod::BlockAverage
                | SpectralMethod::Walsh
                | SpectralMethod::WalshExact
                | SpectralMethod::CicPopcount
        );
        if takes_bits && !is_bits {
            let advice = "take \"fft\", \"dft\", \"auto\" or \"sliding-dft\", or give a stream of bits";
            return Err(FieldError::new(
                "solve.spectral_method",
                "this goes with streams of bits, and the source has none",
                advice,
            ));
        }
        if self.compensation_fir && !(is_bits && self.spectral_method == SpectralMethod::Fft) {
            let message = "`compensation_fir` goes with spectral_method = \"fft\" of a stream of bits";
            return Err(FieldError::new("solve.compensation_fir", message, "remove it"));
        }
        Ok(())
    }

    fn complete_walsh(&mut self, methods: &[SpectralMethod]) -> Result<(), FieldError> {
        let walsh = self.spectral_method == SpectralMethod::Walsh || methods.contains(&SpectralMethod::Walsh);
        for (key, given) in
            [("walsh_terms", self.walsh_terms.is_some()), ("walsh_threshold", self.walsh_threshold.is_some())]
        {
            if given && !walsh {
                let message = format!("`{key}` goes with spectral_method = \"walsh\"");
                return Err(FieldError::new(format!("solve.{key}"), message, "remove it"));
            }
        }
        match (self.walsh_terms, self.walsh_threshold) {
            (Some(_), Some(_)) => {
                let message = "`walsh_terms` and `walsh_threshold` cannot both be given";
                Err(FieldError::new("solve.walsh_threshold", message, "keep one of them"))
            }
            (None, Some(part)) if !(part > 0.0 && part <= 1.0) => {
                let message = "the threshold is a weight above 0 and up to 1";
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
        let step = matches!(self.filter, Filter::Cos | Filter::CosModified);
        let keys = [
            ("cutoff", self.cutoff, step, "the filters \"cos\" and \"cos-modified\"", 50.0),
            ("rolloff", self.rolloff, step, "the filters \"cos\" and \"cos-modified\"", 0.3),
            ("velocity_cutoff", self.velocity_cutoff, step, "the filters \"cos\" and \"cos-modified\"", 40.0),
            (
                "velocity_rolloff",
                self.velocity_rolloff,
                step,
                "the filters \"cos\" and \"cos-modified\"",
                0.3,
            ),
            (
                "regularization",
                self.regularization,
                self.filter == Filter::Tikhonov,
                "the filter \"tikhonov\"",
                0.01,
            ),
        ];
        for (key, value, fits, filters, usual) in keys {
            let path = format!("solve.{key}");
            match value {
                Some(_) if !fits => {
                    let message = format!("`{key}` goes with {filters}");
                    return Err(FieldError::new(path, message, "remove it, or take such a `filter`"));
                }
                Some(value) => {
                    check_positive(
                        path,
                        &format!("`{key}`"),
                        value,
                        format!("write for example `{key} = {usual}`"),
                    )?;
                }
                None => {}
            }
        }
        if step {
            let (cutoff, rolloff) = (*self.cutoff.get_or_insert(50.0), *self.rolloff.get_or_insert(0.3));
            self.velocity_cutoff.get_or_insert(cutoff);
            self.velocity_rolloff.get_or_insert(rolloff);
        }
        if self.filter == Filter::Tikhonov {
            self.regularization.get_or_insert(0.01);
        }
        Ok(())
    }
}
