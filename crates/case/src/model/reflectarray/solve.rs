//! `[solve]`: synthesis settings.

use crate::model::Two;
use phasefront_core::FieldError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// Maximum number of bits of a phase shifter: steps of 0.0055 degrees.
pub const MAX_PHASE_BITS: u32 = 16;

/// Synthesis settings.
///
/// After parsing, the keys of the synthesis have a value wherever they apply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "reflectarray_solve", description = "Synthesis settings.")]
pub struct Solve {
    /// Synthesis method.
    pub method: Method,
    /// Gradient method. Applies to `method = "multistage"`. Default: "analytic".
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Gradient")]
    pub gradient: Option<Gradient>,
    /// Maximum radial order of the Zernike polynomials of the phase in the modal stage of "multistage". Default: 6.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub zernike_order: Option<u32>,
    /// Degree of the polynomial map of the element positions along each axis. Requires `geometry.placement`. Default: 5.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub position_order: Option<u32>,
    /// Number of starting points of the modal stage of "multistage". Default: 8.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub starts: Option<u32>,
    /// Maximum iterations of each search in the modal stage of "multistage"; 0 skips the stage. Default: 60.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub modal_iterations: Option<u32>,
    /// Maximum iterations of the element stage of "multistage", which optimizes every phase, or of "alternating-projections"; 0 skips
    /// the stage. Default: 400.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub element_iterations: Option<u32>,
    /// Maximum iterations of the final stage of "multistage", which maximizes the minimum directivity over the coverage; 0 skips the
    /// stage. Default: 800.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub polish_iterations: Option<u32>,
    /// Seed of the random-number generator.
    pub seed: u64,
    /// Number of bits of the phase shifters. Default: none, continuous phases.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", extend("minimum" = 1, "maximum" = MAX_PHASE_BITS))]
    pub phase_bits: Option<u32>,
    /// Relative tolerance of the nonuniform FFTs.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub tolerance: f64,
    /// Sampling grid in the (u, v) plane. Default: the coverage and a band around it.
    pub uv_grid: UvGrid,
}

impl Default for Solve {
    fn default() -> Self {
        Self {
            method: Method::default(),
            gradient: None,
            zernike_order: None,
            position_order: None,
            starts: None,
            modal_iterations: None,
            element_iterations: None,
            polish_iterations: None,
            seed: 1,
            phase_bits: None,
            tolerance: 1e-9,
            uv_grid: UvGrid::default(),
        }
    }
}

/// Synthesis method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "reflectarray_method")]
pub enum Method {
    /// Four stages: initial design from the mask, multistart optimization of few modes, optimization of every phase, and max-min
    /// optimization of the directivity.
    #[default]
    Multistage,
    /// Alternating projections between the patterns within the mask and the realizable patterns.
    AlternatingProjections,
    /// No synthesis: phases focused in one direction, or those of `design`.
    Analysis,
}

/// Gradient method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "reflectarray_gradient")]
pub enum Gradient {
    /// Analytic gradient, at the cost of one additional transform.
    #[default]
    Analytic,
    /// Finite differences, with one evaluation per unknown: slow; for comparison.
    FiniteDifference,
}

/// Sampling grid in the (u, v) plane.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "reflectarray_uv_grid")]
pub struct UvGrid {
    /// Center [u, v]. Default: the center of the coverage.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Two<f64>")]
    pub center: Option<Two<f64>>,
    /// Number of samples along u and v. Default: as needed for the coverage and a band around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Two<NonZeroU32>")]
    pub points: Option<Two<NonZeroU32>>,
    /// Sample spacing in u and v. Default: λ/(8D), with D the longer side of the aperture.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0))]
    pub spacing: Option<f64>,
}

impl Solve {
    /// Validates the settings beyond their types and resolves the defaults of the method.
    pub(super) fn complete(&mut self, has_placement: bool) -> Result<(), FieldError> {
        self.check_keys(has_placement)?;
        self.check_numbers()?;
        if self.method == Method::Multistage {
            self.gradient.get_or_insert_default();
            self.zernike_order.get_or_insert(6);
            if has_placement {
                self.position_order.get_or_insert(5);
            }
            self.starts.get_or_insert(8);
            self.modal_iterations.get_or_insert(60);
            self.polish_iterations.get_or_insert(800);
        }
        if self.method != Method::Analysis {
            self.element_iterations.get_or_insert(400);
        }
        Ok(())
    }

    /// Rejects keys that do not apply to the method.
    fn check_keys(&self, has_placement: bool) -> Result<(), FieldError> {
        let multistage_keys = [
            ("gradient", self.gradient.is_some()),
            ("zernike_order", self.zernike_order.is_some()),
            ("position_order", self.position_order.is_some()),
            ("starts", self.starts.is_some()),
            ("modal_iterations", self.modal_iterations.is_some()),
            ("polish_iterations", self.polish_iterations.is_some()),
        ];
        let synthesis_keys = [("element_iterations", self.element_iterations.is_some())];
        let misplaced = multistage_keys
            .iter()
            .filter(|_| self.method != Method::Multistage)
            .chain(synthesis_keys.iter().filter(|_| self.method == Method::Analysis))
            .find(|(_, given)| *given);
        if let Some((key, _)) = misplaced {
            let method = if self.method == Method::Analysis { "analysis" } else { "alternating-projections" };
            return Err(FieldError::new(
                format!("solve.{key}"),
                format!("`{key}` does not apply to method = \"{method}\""),
                "remove it, or use `method = \"multistage\"`",
            ));
        }
        if self.position_order.is_some() && !has_placement {
            return Err(FieldError::new(
                "solve.position_order",
                "`position_order` requires `placement`: the elements are on a regular lattice",
                "remove it, or add `placement = { min_spacing = \"0.5 lambda\", max_spacing = \"0.7 lambda\" }` \
                 in [geometry]",
            ));
        }
        Ok(())
    }

    /// Rejects numbers that are out of range.
    fn check_numbers(&self) -> Result<(), FieldError> {
        if self.phase_bits.is_some_and(|bits| !(1..=MAX_PHASE_BITS).contains(&bits)) {
            return Err(FieldError::new(
                "solve.phase_bits",
                format!("the number of phase bits must be from 1 to {MAX_PHASE_BITS}"),
                "write for example `phase_bits = 3`, or omit it for continuous phases",
            ));
        }
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            return Err(FieldError::new(
                "solve.tolerance",
                "the tolerance must be greater than 0 and less than 1",
                "write for example `tolerance = 1e-9`, the default",
            ));
        }
        if self.uv_grid.spacing.is_some_and(|spacing| !(spacing > 0.0 && spacing.is_finite())) {
            return Err(FieldError::new(
                "solve.uv_grid.spacing",
                "the sample spacing must be positive and finite",
                "give it in u and v, for example `spacing = 0.005`, or omit it",
            ));
        }
        Ok(())
    }
}
