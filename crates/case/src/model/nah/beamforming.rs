//! `[solve]` `beamforming`: sources at frequencies that are too high for holograms.

use crate::model::Pair;
use crate::model::checks::check_positive;
use phasefront_core::{FieldError, Frequency, Length};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Beamforming at the frequencies that are too high for holograms.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "nah_beamforming")]
pub struct Beamforming {
    /// Beamforming method.
    pub method: BeamformingMethod,
    /// Frequencies above it have beamforming, the others holograms. Default: two microphones per wavelength, and with `filter = "auto"` and
    /// the FFT method the highest cutoff.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Frequency")]
    pub above: Option<Frequency>,
    /// Width and height of the focus plane, which is the source plane around the center of the array. Default: those of the grid.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Pair")]
    pub size: Option<Pair>,
    /// Maximum spacing of the focus points. Default: an eighth of the wavelength of each frequency.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Length")]
    pub spacing: Option<Length>,
    /// For "functional": exponent ν of the beamformer, by which side lobes are lowered. Default: 20.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", extend("minimum" = 1))]
    pub exponent: Option<f64>,
    /// Keep the diagonal of the cross-spectral matrix, which has the noise of the microphones. "functional" always does.
    pub keep_diagonal: bool,
}

/// Beamforming method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "nah_beamforming_method")]
pub enum BeamformingMethod {
    /// CLEAN-SC: sources one by one, each with what is coherent with it, without main and side lobes.
    #[default]
    CleanSc,
    /// Delay-and-sum: a monopole at each point, with main and side lobes.
    DelayAndSum,
    /// Functional beamforming: delay-and-sum of a root of the cross-spectral matrix. May be covered by patents in some countries.
    Functional,
}

impl Beamforming {
    pub(super) fn complete(&mut self) -> Result<(), FieldError> {
        let given = [
            ("above", self.above.map(Frequency::si), "`above = \"2 kHz\"`"),
            ("spacing", self.spacing.map(Length::si), "`spacing = \"1 cm\"`"),
            ("size", self.size.map(|size| size.si()[0].min(size.si()[1])), "`size = [\"1 m\", \"1 m\"]`"),
        ];
        for (key, value, example) in given {
            if let Some(value) = value {
                let path = format!("solve.beamforming.{key}");
                check_positive(path, &format!("`{key}`"), value, format!("write for example {example}"))?;
            }
        }
        let path = "solve.beamforming.exponent";
        match (self.method, self.exponent) {
            (BeamformingMethod::Functional, None) => self.exponent = Some(20.0),
            (BeamformingMethod::Functional, Some(exponent)) if !(exponent >= 1.0 && exponent.is_finite()) => {
                let message = "the exponent must be at least 1";
                return Err(FieldError::new(path, message, "write for example `exponent = 20.0`"));
            }
            (BeamformingMethod::CleanSc | BeamformingMethod::DelayAndSum, Some(_)) => {
                let message = "`exponent` requires method = \"functional\"";
                return Err(FieldError::new(path, message, "remove it, or change `method`"));
            }
            _ => {}
        }
        Ok(())
    }
}
