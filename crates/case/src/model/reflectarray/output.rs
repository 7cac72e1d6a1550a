//! `[output]`: what else is wanted beside the design and its pattern.

use phasefront_core::{Angle, FieldError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// What else is wanted beside the design and its pattern.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "reflectarray_output")]
pub struct Output {
    /// Whether to compute the cross-polar pattern too.
    pub cross_polar: bool,
    /// What failed elements and a pointing error would do; not asked if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Sensitivity")]
    pub sensitivity: Option<Sensitivity>,
    /// Files for other programs.
    pub exports: Vec<Export>,
}

/// Failed elements and a pointing error.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "reflectarray_sensitivity")]
pub struct Sensitivity {
    /// Share of the elements that reflect nothing, from 0 to 1.
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    pub failed_fraction: f64,
    /// Error of the antenna's pointing, in any direction.
    pub pointing_error: Angle,
    /// Random draws of the elements that fail.
    #[schemars(extend("maximum" = u32::MAX))]
    pub trials: NonZeroU32,
}

/// A file for another program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "reflectarray_export")]
pub enum Export {
    /// Field on the (u, v) grid, for GRASP.
    Grd,
    /// Far field over theta and phi, for FEKO.
    Ffe,
    /// Drawing of the layout.
    Dxf,
}

impl Output {
    pub(super) fn check(&self) -> Result<(), FieldError> {
        if let Some(asked) = self.sensitivity
            && !(0.0..=1.0).contains(&asked.failed_fraction)
        {
            return Err(FieldError::new(
                "output.sensitivity.failed_fraction",
                "the share of failed elements must be from 0 to 1",
                "write for example `failed_fraction = 0.02` for two of a hundred",
            ));
        }
        Ok(())
    }
}
