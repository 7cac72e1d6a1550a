//! `[solve]`: discretization, equation and precision.

use super::Polarization;
use crate::model::checks::check_positive;
use phasefront_core::{FieldError, Precision};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// The highest `order` of a locally corrected Nyström solution.
pub const MAX_ORDER: u32 = 16;

/// The most times cells are halved towards a corner: they are then 1e-9 of their first length, and more of them would add
/// nothing that double precision resolves.
pub const MAX_CORNER_LEVELS: u32 = 30;

/// Unless the case says otherwise: `cfie_weight`.
const DEFAULT_CFIE_WEIGHT: f64 = 0.5;

/// Unless the case says otherwise: `order`. Both leave about 1e-11 of an echo width on circles; the stronger singularity of the
/// TE equations takes four orders more for it.
const fn default_order(polarization: Polarization) -> u32 {
    match polarization {
        Polarization::Tm => 10,
        Polarization::Te => 14,
    }
}

/// Unknowns per wavelength when the case gives neither `cells` nor `cells_per_wavelength`, and the fewest cells that carry
/// a wave (Nyquist).
const UNKNOWNS_PER_WAVELENGTH: f64 = 20.0;
const FEWEST_CELLS_PER_WAVELENGTH: f64 = 2.0;

/// How to solve.
///
/// In a case that was read, `order`, `cfie_weight`, `near_quadrature` and `flat` have a value wherever they have a meaning.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("not" = { "required": ["cells", "cells_per_wavelength"] }))]
#[schemars(rename = "mom_solve", description = "How to solve.")]
pub struct Solve {
    /// Discretization of the current.
    pub method: Method,
    /// Unknowns on each cell, with method "lcn"; 10 (TM) or 14 (TE) if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", extend("minimum" = 1, "maximum" = MAX_ORDER))]
    pub order: Option<u32>,
    /// Integral equation on conductors.
    pub equation: Equation,
    /// Share of the electric-field equation in "cfie", between 0 and 1; 0.5 if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub cfie_weight: Option<f64>,
    /// How integrals over cells near the observer are taken, with method "lcn"; "product" if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NearQuadrature")]
    pub near_quadrature: Option<NearQuadrature>,
    /// Up to how many cell lengths away a cell is near, with method "lcn"; follows from `order` if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0))]
    pub near_distance: Option<f64>,
    /// Whether cells are straight even where the body is curved, with method "lcn"; false if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub flat: Option<bool>,
    /// How many times cells are halved towards corners and open ends, with method "lcn"; the solver chooses if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", extend("maximum" = MAX_CORNER_LEVELS))]
    pub corner_levels: Option<u32>,
    /// Precision of matrix and solution.
    pub precision: Precision,
    /// Number of cells of all bodies, shared by length. Give this or `cells_per_wavelength`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NonZeroU32", extend("maximum" = u32::MAX))]
    pub cells: Option<NonZeroU32>,
    /// Cells per wavelength at the highest frequency; 20 unknowns per wavelength if neither this nor `cells` is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0))]
    pub cells_per_wavelength: Option<f64>,
}

/// Discretization of the current.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "mom_method")]
pub enum Method {
    /// Locally corrected Nyström: `order` unknowns on each curved cell.
    #[default]
    Lcn,
    /// Constant current on flat cells, matched at their midpoints.
    Pulse,
}

/// Integral equation on conductors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "mom_equation")]
pub enum Equation {
    /// The combined-field equation on closed conductors and the electric-field equation on open ones.
    #[default]
    Auto,
    /// Electric-field integral equation.
    Efie,
    /// Magnetic-field integral equation, for closed conductors.
    Mfie,
    /// Combined-field integral equation, for closed conductors: it has no interior resonances.
    Cfie,
}

/// How integrals over cells near the observer are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "mom_near_quadrature")]
pub enum NearQuadrature {
    /// The kernel is split into a logarithm, integrated exactly, and a smooth rest.
    #[default]
    Product,
    /// Adaptive quadrature: slow, to check the others with.
    Adaptive,
    /// A small system of equations on each cell, as first published.
    LocalCorrection,
}

impl Solve {
    /// Checks what the types cannot say and fills in the defaults that depend on other keys.
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

    /// Refuses keys that mean nothing beside others.
    fn check_keys(&self) -> Result<(), FieldError> {
        let of_lcn = [
            ("order", self.order.is_some()),
            ("cfie_weight", self.cfie_weight.is_some()),
            ("near_quadrature", self.near_quadrature.is_some()),
            ("near_distance", self.near_distance.is_some()),
            ("flat", self.flat.is_some()),
            ("corner_levels", self.corner_levels.is_some()),
        ];
        let misplaced = of_lcn.iter().find(|(_, given)| *given && self.method == Method::Pulse);
        if let Some((key, _)) = misplaced {
            return Err(FieldError::new(
                format!("solve.{key}"),
                format!("`{key}` means nothing with method = \"pulse\""),
                "remove it, or use `method = \"lcn\"`",
            ));
        }
        if self.cfie_weight.is_some() && matches!(self.equation, Equation::Efie | Equation::Mfie) {
            return Err(FieldError::new(
                "solve.cfie_weight",
                "only the combined-field equation has a weight",
                "remove it, or use `equation = \"cfie\"`",
            ));
        }
        if self.cells.is_some() && self.cells_per_wavelength.is_some() {
            return Err(FieldError::new(
                "solve.cells_per_wavelength",
                "`cells` and `cells_per_wavelength` cannot both be given",
                "remove one of the two: both say how finely the bodies are divided",
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
                format!("write for example `order = {default}`, the default; more cells refine further"),
            ));
        }
        Ok(())
    }

    /// Refuses numbers that are out of range.
    fn check_numbers(&self) -> Result<(), FieldError> {
        if self.cfie_weight.is_some_and(|weight| !(weight > 0.0 && weight < 1.0)) {
            return Err(FieldError::new(
                "solve.cfie_weight",
                "the weight must be above 0 and below 1",
                format!(
                    "write for example `cfie_weight = {DEFAULT_CFIE_WEIGHT}`, the default; 0 is `equation = \"mfie\"` and \
                     1 is `equation = \"efie\"`"
                ),
            ));
        }
        if self.corner_levels.is_some_and(|levels| levels > MAX_CORNER_LEVELS) {
            return Err(FieldError::new(
                "solve.corner_levels",
                format!("cells can be halved at most {MAX_CORNER_LEVELS} times"),
                format!(
                    "write a number from 0 to {MAX_CORNER_LEVELS}, or leave it out: the solver then chooses"
                ),
            ));
        }
        check_positive(
            "solve.near_distance",
            "the distance",
            self.near_distance.unwrap_or(1.0),
            "give it in cell lengths, for example `near_distance = 1.5`, or leave it out: it then follows from `order`",
        )?;
        let density = self.default_cells_per_wavelength();
        check_positive(
            "solve.cells_per_wavelength",
            "the number of cells per wavelength",
            self.cells_per_wavelength.unwrap_or(density),
            format!("write for example `cells_per_wavelength = {density}`, the default"),
        )
    }

    /// Cells per wavelength of a case that gives neither `cells` nor `cells_per_wavelength`.
    pub fn default_cells_per_wavelength(&self) -> f64 {
        let order = f64::from(self.order.unwrap_or(1));
        (UNKNOWNS_PER_WAVELENGTH / order).max(FEWEST_CELLS_PER_WAVELENGTH)
    }
}
