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
    pub spectra: Spectra,
    /// Samples of a spectrum, after the decimation of bits.
    #[schemars(extend("minimum" = 8, "maximum" = MOST_SAMPLES))]
    pub samples: NonZeroU32,
    /// Samples from one spectrum to the next; 32 for "hop" and "cic-popcount", half of `samples` for the others if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NonZeroU32")]
    pub hop: Option<NonZeroU32>,
    /// For "nominal" on bits: whether a filter straightens the response of the decimation, in place of a factor for each frequency.
    pub fir: bool,
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
    pub slope: Option<f64>,
    /// The same as `cutoff` for the velocity, which has more of the waves that die out; `cutoff` if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0))]
    pub velocity_cutoff: Option<f64>,
    /// The same as `slope` for the velocity; `slope` if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0))]
    pub velocity_slope: Option<f64>,
    /// For "tikhonov": what arrives with this part of its power is halved; 0.01 if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0))]
    pub weight: Option<f64>,
    /// Precision of the holograms.
    pub precision: Precision,
}

impl Default for Solve {
    fn default() -> Self {
        Self {
            method: Method::default(),
            spectra: Spectra::default(),
            samples: NonZeroU32::MIN.saturating_add(SAMPLES - 1),
            hop: None,
            fir: false,
            walsh_terms: None,
            walsh_threshold: None,
            walsh_functions: Functions::default(),
            extrapolation: Extrapolation::default(),
            filter: Filter::default(),
            cutoff: None,
            slope: None,
            velocity_cutoff: None,
            velocity_slope: None,
            weight: None,
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
#[schemars(rename = "nah_spectra")]
pub enum Spectra {
    /// A fast transform of every microphone through Hann's window.
    #[default]
    Nominal,
    /// A dot product for each frequency.
    Dot,
    /// The faster of these two.
    Auto,
    /// Bits: the mean of every 32 as a sample.
    Average,
    /// Bits: the most important Walsh functions of each frequency.
    Walsh,
    /// Bits: all Walsh functions.
    WalshExact,
    /// Bits: decimation by counts of masked bits, and a ring of sums.
    CicPopcount,
    /// A ring of sums of blocks: each hop costs its own samples only.
    Hop,
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
    pub(super) fn complete(&mut self, source: &Source, methods: &[Spectra]) -> Result<(), FieldError> {
        let samples = self.samples.get();
        if !(8..=MOST_SAMPLES).contains(&samples) {
            let message = format!("a spectrum takes from 8 to {MOST_SAMPLES} samples");
            return Err(FieldError::new(
                "solve.samples",
                message,
                "write for example `samples = 1024`, the default",
            ));
        }
        self.check_source(source)?;
        let rings = matches!(self.spectra, Spectra::Hop | Spectra::CicPopcount);
        let hop = if rings { HOP.min(samples) } else { (samples / 2).max(1) };
        self.hop.get_or_insert_with(|| NonZeroU32::MIN.saturating_add(hop - 1));
        self.complete_walsh(methods)?;
        self.complete_filter()
    }

    /// Refuses what takes bits where there are none.
    fn check_source(&self, source: &Source) -> Result<(), FieldError> {
        let ends_in_bits =
            |file: &String| Path::new(file).extension().is_some_and(|e| e.eq_ignore_ascii_case("bits"));
        let raw = source.format == Some(Format::Bits) || source.file.as_ref().is_some_and(ends_in_bits);
        let is_bits = raw || source.signal == Some(Signal::Bits);
        let takes_bits = matches!(
            self.spectra,
            Spectra::Average | Spectra::Walsh | Spectra::WalshExact | Spectra::CicPopcount
        );
        if takes_bits && !is_bits {
            let advice = "take \"nominal\", \"dot\", \"auto\" or \"hop\", or give a stream of bits";
            return Err(FieldError::new(
                "solve.spectra",
                "this goes with streams of bits, and the source has none",
                advice,
            ));
        }
        if self.fir && !(is_bits && self.spectra == Spectra::Nominal) {
            let message = "`fir` goes with spectra = \"nominal\" of a stream of bits";
            return Err(FieldError::new("solve.fir", message, "remove it"));
        }
        Ok(())
    }

    fn complete_walsh(&mut self, methods: &[Spectra]) -> Result<(), FieldError> {
        let walsh = self.spectra == Spectra::Walsh || methods.contains(&Spectra::Walsh);
        for (key, given) in
            [("walsh_terms", self.walsh_terms.is_some()), ("walsh_threshold", self.walsh_threshold.is_some())]
        {
            if given && !walsh {
                let message = format!("`{key}` goes with spectra = \"walsh\"");
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
            ("slope", self.slope, step, "the filters \"cos\" and \"cos-modified\"", 0.3),
            ("velocity_cutoff", self.velocity_cutoff, step, "the filters \"cos\" and \"cos-modified\"", 40.0),
            ("velocity_slope", self.velocity_slope, step, "the filters \"cos\" and \"cos-modified\"", 0.3),
            ("weight", self.weight, self.filter == Filter::Tikhonov, "the filter \"tikhonov\"", 0.01),
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
            let (cutoff, slope) = (*self.cutoff.get_or_insert(50.0), *self.slope.get_or_insert(0.3));
            self.velocity_cutoff.get_or_insert(cutoff);
            self.velocity_slope.get_or_insert(slope);
        }
        if self.filter == Filter::Tikhonov {
            self.weight.get_or_insert(0.01);
        }
        Ok(())
    }
}
