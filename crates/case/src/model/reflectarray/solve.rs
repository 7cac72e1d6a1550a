//! `[solve]`: how the design is found.

use crate::model::Two;
use phasefront_core::FieldError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// Most bits of a phase shifter: finer steps than 0.0055 degrees are no steps.
pub const MAX_PHASE_BITS: u32 = 16;

/// How the design is found.
///
/// In a case that was read, the keys of the synthesis have a value wherever they have a meaning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "reflectarray_solve", description = "How the design is found.")]
pub struct Solve {
    /// Which way to the design.
    pub method: Method,
    /// How gradients are had, with method "multistage"; "analytic" if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Gradient")]
    pub gradient: Option<Gradient>,
    /// Highest radial order of the Zernike polynomials of the phase in the stage of few modes; 6 if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub zernike_order: Option<u32>,
    /// Degree of the polynomial map of the positions along each axis, where elements may leave the lattice; 5 if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub position_order: Option<u32>,
    /// Starts of the stage of few modes; 8 if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub starts: Option<u32>,
    /// Most iterations of each search with few modes; 60 if left out, 0 for no such stage.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub modal_iterations: Option<u32>,
    /// Most iterations of the stage with every phase, or of the projections; 400 if left out, 0 for no such stage.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub element_iterations: Option<u32>,
    /// Most iterations of the last stage, which raises the minimum over the coverage; 800 if left out, 0 for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub polish_iterations: Option<u32>,
    /// Seed of all random choices.
    pub seed: u64,
    /// Bits of the phase shifters, if phases come in steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", extend("minimum" = 1, "maximum" = MAX_PHASE_BITS))]
    pub phase_bits: Option<u32>,
    /// Relative accuracy of the transforms.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub tolerance: f64,
    /// The part of the (u, v) plane that is looked at; if left out, the coverage and a band around it.
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

/// Which way to the design.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "reflectarray_method")]
pub enum Method {
    /// Four stages: a first design from the mask, few modes from many starts, every phase, then the minimum raised.
    #[default]
    Multistage,
    /// Alternating projections between patterns within the mask and designs.
    IteratedProjections,
    /// No synthesis: phases that focus in one direction, or those of `design`.
    Analysis,
}

/// How gradients are had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "reflectarray_gradient")]
pub enum Gradient {
    /// In closed form, at the cost of one more transform.
    #[default]
    Analytic,
    /// By differences, one evaluation for each unknown: slow, to compare with.
    FiniteDifference,
}

/// A grid of samples in (u, v).
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "reflectarray_uv_grid")]
pub struct UvGrid {
    /// Its middle [u, v]; if left out, that of the coverage.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Two<f64>")]
    pub center: Option<Two<f64>>,
    /// Samples along u and v; if left out, as many as the coverage and a band around it take.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Two<NonZeroU32>")]
    pub points: Option<Two<NonZeroU32>>,
    /// Distance of the samples in u and v; if left out, an eighth of the wavelength over the aperture's longer side.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0))]
    pub spacing: Option<f64>,
}

impl Solve {
    /// Checks what the types cannot say and fills in the defaults of the method.
    pub(super) fn complete(&mut self, moves_elements: bool) -> Result<(), FieldError> {
        self.check_keys(moves_elements)?;
        self.check_numbers()?;
        if self.method == Method::Multistage {
            self.gradient.get_or_insert_default();
            self.zernike_order.get_or_insert(6);
            if moves_elements {
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

    /// Refuses keys that mean nothing with the method.
    fn check_keys(&self, moves_elements: bool) -> Result<(), FieldError> {
        let of_stages = [
            ("gradient", self.gradient.is_some()),
            ("zernike_order", self.zernike_order.is_some()),
            ("position_order", self.position_order.is_some()),
            ("starts", self.starts.is_some()),
            ("modal_iterations", self.modal_iterations.is_some()),
            ("polish_iterations", self.polish_iterations.is_some()),
        ];
        let of_synthesis = [("element_iterations", self.element_iterations.is_some())];
        let misplaced = of_stages
            .iter()
            .filter(|_| self.method != Method::Multistage)
            .chain(of_synthesis.iter().filter(|_| self.method == Method::Analysis))
            .find(|(_, given)| *given);
        if let Some((key, _)) = misplaced {
            let method = if self.method == Method::Analysis { "analysis" } else { "iterated-projections" };
            return Err(FieldError::new(
                format!("solve.{key}"),
                format!("`{key}` means nothing with method = \"{method}\""),
                "remove it, or use `method = \"multistage\"`",
            ));
        }
        if self.position_order.is_some() && !moves_elements {
            return Err(FieldError::new(
                "solve.position_order",
                "the elements stay on their lattice: there are no positions to find",
                "remove it, or let them move with `placement = { min_spacing = \"0.5 lambda\", max_spacing = \"0.7 lambda\" }` \
                 in [geometry]",
            ));
        }
        Ok(())
    }

    /// Refuses numbers that are out of range.
    fn check_numbers(&self) -> Result<(), FieldError> {
        if self.phase_bits.is_some_and(|bits| !(1..=MAX_PHASE_BITS).contains(&bits)) {
            return Err(FieldError::new(
                "solve.phase_bits",
                format!("a phase shifter has from 1 to {MAX_PHASE_BITS} bits"),
                "write for example `phase_bits = 3`, or leave it out: phases are then continuous",
            ));
        }
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            return Err(FieldError::new(
                "solve.tolerance",
                "the tolerance must be above 0 and below 1",
                "write for example `tolerance = 1e-9`, the default",
            ));
        }
        if self.uv_grid.spacing.is_some_and(|spacing| !(spacing > 0.0 && spacing.is_finite())) {
            return Err(FieldError::new(
                "solve.uv_grid.spacing",
                "the spacing must be a finite number above zero",
                "give it in u and v, for example `spacing = 0.005`, or leave it out",
            ));
        }
        Ok(())
    }
}
