//! `[source]`: the incident plane wave.

use phasefront_core::units::{AngleDim, FrequencyDim};
use phasefront_core::{FieldError, Sweep};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Incident plane wave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{ "required": ["propagation"] }, { "required": ["arrival"] }]))]
#[schemars(rename = "mom_source")]
pub struct Source {
    /// Frequencies: one value, a list, or { from, to, points or step }.
    pub frequency: Sweep<FrequencyDim>,
    /// Polarization: "TM" or "TE" with respect to the cylinder axis z.
    pub polarization: Polarization,
    /// Direction of propagation, counterclockwise from +x: one value, a list, or { from, to, points or step }. Give this or `arrival`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Sweep<AngleDim>")]
    pub propagation: Option<Sweep<AngleDim>>,
    /// Direction of arrival, counterclockwise from +x; opposite to `propagation`. Give this or `propagation`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Sweep<AngleDim>")]
    pub arrival: Option<Sweep<AngleDim>>,
}

impl Source {
    /// Directions of propagation, in radians, from either key.
    ///
    /// ```
    /// let text = include_str!("../../../tests/good/circle.toml").replace("propagation = \"0 deg\"", "arrival = \"0 deg\"");
    /// let phasefront_case::Case::Mom(case) = phasefront_case::parse("circle.toml", &text).unwrap().case else { panic!() };
    /// assert_eq!(case.source.propagation_angles(), [std::f64::consts::PI]);
    /// ```
    pub fn propagation_angles(&self) -> Vec<f64> {
        let to = self.propagation.iter().flat_map(Sweep::values);
        let from = self.arrival.iter().flat_map(Sweep::values).map(|a| a + std::f64::consts::PI);
        to.chain(from).collect()
    }
}

/// Polarization of the incident wave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "mom_polarization")]
pub enum Polarization {
    /// Electric field along the cylinder axis (E_z).
    #[serde(rename = "TM")]
    Tm,
    /// Magnetic field along the cylinder axis (H_z).
    #[serde(rename = "TE")]
    Te,
}

/// Requires exactly one of `propagation` and `arrival`.
pub(super) fn check_direction(source: &Source) -> Result<(), FieldError> {
    match (&source.propagation, &source.arrival) {
        (Some(_), Some(_)) => Err(FieldError::new(
            "source.arrival",
            "`propagation` and `arrival` cannot both be given",
            "keep one of them: `arrival` is the direction of arrival, opposite to `propagation`",
        )),
        (None, None) => Err(FieldError::new(
            "source",
            "the direction of the incident wave is missing",
            "add `propagation = \"0 deg\"` (direction of propagation) or `arrival = \"180 deg\"` (direction of arrival)",
        )),
        _ => Ok(()),
    }
}
