//! `[output]`: requested outputs, in addition to the design and its pattern.

use phasefront_core::{Angle, FieldError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// Requested outputs, in addition to the design and its pattern.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "reflectarray_output")]
pub struct Output {
    /// Compute the cross-polar pattern.
    pub cross_polar: bool,
    /// Sensitivity to element failures and pointing errors. Default: not computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Sensitivity")]
    pub sensitivity: Option<Sensitivity>,
    /// Export formats.
    pub exports: Vec<Export>,
}

/// Sensitivity analysis of element failures and pointing errors.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "reflectarray_sensitivity")]
pub struct Sensitivity {
    /// Fraction of failed (non-reflecting) elements, from 0 to 1.
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    pub failed_fraction: f64,
    /// Antenna pointing error, in any direction.
    pub pointing_error: Angle,
    /// Number of random trials of failed elements.
    #[schemars(extend("maximum" = u32::MAX))]
    pub trials: NonZeroU32,
}

/// Export format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "reflectarray_export")]
pub enum Export {
    /// Field on the (u, v) grid in the GRASP format.
    Grd,
    /// Far field over theta and phi in the FEKO format.
    Ffe,
    /// CAD drawing of the element layout.
    Dxf,
}

impl Output {
    pub(super) fn check(&self) -> Result<(), FieldError> {
        if let Some(sensitivity) = self.sensitivity
            && !(0.0..=1.0).contains(&sensitivity.failed_fraction)
        {
            return Err(FieldError::new(
                "output.sensitivity.failed_fraction",
                "the fraction of failed elements must be from 0 to 1",
                "write for example `failed_fraction = 0.02` for 2 %",
            ));
        }
        Ok(())
    }
}
