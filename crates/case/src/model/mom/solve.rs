//! `[solve]`: discretization, integral equation and precision.

use super::Polarization;
use crate::model::checks::check_positive;
use phasefront_core::{FieldError, Precision};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// Maximum order of the locally corrected Nyström method.
pub const MAX_ORDER: u32 = 16;

/// Maximum levels of dyadic corner refinement: the smallest cells have 1e-9 of the original length, the limit of double
/// precision.
pub const MAX_CORNER_LEVELS: u32 = 30;

/// Default of `cfie_weight`.
const DEFAULT_CFIE_WEIGHT: f64 = 0.5;

/// Default of `order`. Both give a relative error of the echo width of circles of about 1e-11; the stronger singularity of the
/// TE kernels requires four more orders.
const fn default_order(polarization: Polarization) -> u32 {
    match polarization {
        Polarization::Tm => 10,
        Polarization::Te => 14,
    }
}

/// Default number of unknowns per wavelength, if neither `cells` nor `cells_per_wavelength` is given.
const UNKNOWNS_PER_WAVELENGTH: f64 = 20.0;
/// Minimum number of cells per wavelength (Nyquist).
const MIN_CELLS_PER_WAVELENGTH: f64 = 2.0;

/// Discretization, integral equation and precision.
///
/// After parsing, `order`, `cfie_weight`, `near_quadrature` and `flat` have a value wherever they apply.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("not" = { "required": ["cells", "cells_per_wavelength"] }))]
#[schemars(rename = "mom_solve", description = "Discretization, integral equation and precision.")]
pub struct Solve {
    /// Discretization of the surface currents.
    pub method: Method,
    /// Number of unknowns per cell. Applies to `method = "lcn"`. Default: 10 for TM, 14 for TE.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", extend("minimum" = 1, "maximum" = MAX_ORDER))]
    pub order: Option<u32>,
    /// Integral equation on conductors.
    pub equation: Equation,
    /// Weight of the EFIE in the combined-field integral equation, between 0 and 1. Default: 0.5.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub cfie_weight: Option<f64>,
    /// Quadrature of near interactions. Applies to `method = "lcn"`. Default: "product".
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NearQuadrature")]
    pub near_quadrature: Option<NearQuadrature>,
    /// Maximum distance of near interactions, in lengths of the source cell. Applies to `method = "lcn"`. Default: 3 for order 1, 2
    /// for orders 2 to 7, otherwise 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0))]
    pub near_distance: Option<f64>,
    /// Use straight cells on curved bodies too. Applies to `method = "lcn"`. Default: false.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub flat: Option<bool>,
    /// Levels of dyadic refinement toward corners and open ends. Applies to `method = "lcn"`. Default: 16.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", extend("maximum" = MAX_CORNER_LEVELS))]
    pub corner_levels: Option<u32>,
    /// Floating-point precision of matrix and solution.
    pub precision: Precision,
    /// Total number of cells, distributed over the bodies by length. Give this or `cells_per_wavelength`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NonZeroU32", extend("maximum" = u32::MAX))]
    pub cells: Option<NonZeroU32>,
    /// Number of cells per wavelength at the highest frequency. Give this or `cells`. Default: 20 unknowns per wavelength, at least 2
    /// cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0))]
    pub cells_per_wavelength: Option<f64>,
}

/// Discretization of the surface currents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "mom_method")]
pub enum Method {
    /// Locally corrected Nyström (LCN) method: `order` unknowns per curved cell.
    #[default]
    Lcn,
    /// Pulse basis functions on flat cells, with point matching at the midpoints.
    Pulse,
}

/// Integral equation on conductors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "mom_equation")]
pub enum Equation {
    /// CFIE on closed conductors, EFIE on open ones.
    #[default]
    Auto,
    /// Electric-field integral equation.
    Efie,
    /// Magnetic-field integral equation; closed conductors only.
    Mfie,
    /// Combined-field integral equation; closed conductors only. Free of interior resonances.
    Cfie,
}

/// Quadrature of near interactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "mom_near_quadrature")]
pub enum NearQuadrature {
    /// Product integration: the logarithmic part of the kernel is integrated analytically, the smooth remainder numerically.
    #[default]
    Product,
    /// Adaptive quadrature: slow; for verification.
    Adaptive,
    /// Local corrections from a small linear system per cell, as originally published.
    LocalCorrection,
}

impl Solve {
    /// Validates the case beyond its types and resolves the defaults that depend on other keys.
    pub(super) fn complete(&mut self, polarization: Polarization) -> Result<(), FieldError> {
        self.check_keys()?;
        self.check_order(polarization)?;
        if self.method == Method::Lcn {
            self.order.get_or_insert(default_order(polarization));
        }
        self.check_numbers()?;
        if self.method == Method::Lcn {
            self.near_quadrature.get_or_insert_default();
            self.flat.get_or_insert(false);
            if matches!(self.equation, Equation::Auto | Equation::Cfie) {
                self.cfie_weight.get_or_insert(DEFAULT_CFIE_WEIGHT);
            }
        }
        if self.cells.is_none() {
            let density = self.default_cells_per_wavelength();
            self.cells_per_wavelength.get_or_insert(density);
        }
        Ok(())
    }

    /// Rejects keys that do not apply to the chosen method.
    fn check_keys(&self) -> Result<(), FieldError> {
        let lcn_keys = [
            ("order", self.order.is_some()),
            ("cfie_weight", self.cfie_weight.is_some()),
            ("near_quadrature", self.near_quadrature.is_some()),
            ("near_distance", self.near_distance.is_some()),
            ("flat", self.flat.is_some()),
            ("corner_levels", self.corner_levels.is_some()),
        ];
        let misplaced = lcn_keys.iter().find(|(_, given)| *given && self.method == Method::Pulse);
        if let Some((key, _)) = misplaced {
            return Err(FieldError::new(
                format!("solve.{key}"),
                format!("`{key}` does not apply to method = \"pulse\""),
                "remove it, or use `method = \"lcn\"`",
            ));
        }
        if self.cfie_weight.is_some() && matches!(self.equation, Equation::Efie | Equation::Mfie) {
            return Err(FieldError::new(
                "solve.cfie_weight",
                "`cfie_weight` applies to the combined-field equation only",
                "remove it, or use `equation = \"cfie\"`",
            ));
        }
        if self.cells.is_some() && self.cells_per_wavelength.is_some() {
            return Err(FieldError::new(
                "solve.cells_per_wavelength",
                "`cells` and `cells_per_wavelength` cannot both be given",
                "keep one of them: both define the mesh density",
            ));
        }
        Ok(())
    }

    fn check_order(&self, polarization: Polarization) -> Result<(), FieldError> {
        if self.order.is_some_and(|order| !(1..=MAX_ORDER).contains(&order)) {
            let default = default_order(polarization);
            return Err(FieldError::new(
                "solve.order",
                format!("the order must be from 1 to {MAX_ORDER}"),
                format!(
                    "write for example `order = {default}`, the default; to refine further, use more cells"
                ),
            ));
        }
        Ok(())
    }

    /// Rejects numbers that are out of range.
    fn check_numbers(&self) -> Result<(), FieldError> {
        if self.cfie_weight.is_some_and(|weight| !(weight > 0.0 && weight < 1.0)) {
            return Err(FieldError::new(
                "solve.cfie_weight",
                "the weight must be greater than 0 and less than 1",
                format!(
                    "write for example `cfie_weight = {DEFAULT_CFIE_WEIGHT}`, the default; 0 is `equation = \"mfie\"` and \
                     1 is `equation = \"efie\"`"
                ),
            ));
        }
        if self.corner_levels.is_some_and(|levels| levels > MAX_CORNER_LEVELS) {
            return Err(FieldError::new(
                "solve.corner_levels",
                format!("the number of refinement levels must be at most {MAX_CORNER_LEVELS}"),
                format!("write a number from 0 to {MAX_CORNER_LEVELS}, or omit it for the default"),
            ));
        }
        check_positive(
            "solve.near_distance",
            "the near distance",
            self.near_distance.unwrap_or(1.0),
            "give it in cell lengths, for example `near_distance = 1.5`, or omit it for the default",
        )?;
        let density = self.default_cells_per_wavelength();
        check_positive(
            "solve.cells_per_wavelength",
            "the number of cells per wavelength",
            self.cells_per_wavelength.unwrap_or(density),
            format!("write for example `cells_per_wavelength = {density}`, the default"),
        )
    }

    /// Default number of cells per wavelength, if neither `cells` nor `cells_per_wavelength` is given.
    pub fn default_cells_per_wavelength(&self) -> f64 {
        let order = f64::from(self.order.unwrap_or(1));
        (UNKNOWNS_PER_WAVELENGTH / order).max(MIN_CELLS_PER_WAVELENGTH)
    }
}
