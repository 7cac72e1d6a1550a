//! `[source]`: the incident plane wave.

use phasefront_core::units::{AngleDim, FrequencyDim};
use phasefront_core::{FieldError, Sweep};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The incident plane wave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{ "required": ["propagation"] }, { "required": ["arrival"] }]))]
#[schemars(rename = "mom_source")]
pub struct Source {
    /// Frequency: one, a list of them, or { from, to, points }.
    pub frequency: Sweep<FrequencyDim>,
    /// Polarization of the wave.
    pub polarization: Polarization,
    /// Direction the wave travels to, from +x counter-clockwise. Give this or `arrival`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Sweep<AngleDim>")]
    pub propagation: Option<Sweep<AngleDim>>,
    /// Direction the wave comes from: 180 degrees off `propagation`. Give this or `propagation`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Sweep<AngleDim>")]
    pub arrival: Option<Sweep<AngleDim>>,
}

impl Source {
    /// The directions the wave travels to, in radians, whichever way the case gives them.
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
    /// Electric field along the axis of the bodies.
    #[serde(rename = "TM")]
    Tm,
    /// Magnetic field along the axis of the bodies.
    #[serde(rename = "TE")]
    Te,
}

/// Exactly one of the two ways to give the direction must be used.
pub(super) fn check_direction(source: &Source) -> Result<(), FieldError> {
    match (&source.propagation, &source.arrival) {
        (Some(_), Some(_)) => Err(FieldError::new(
            "source.arrival",
            "`propagation` and `arrival` cannot both be given",
            "keep one of them: `arrival` is where the wave comes from, 180 degrees off `propagation`",
        )),
        (None, None) => Err(FieldError::new(
            "source",
            "the direction of the wave is missing",
            "add `propagation = \"0 deg\"` (where the wave travels to) or `arrival = \"180 deg\"` (where it comes from)",
        )),
        _ => Ok(()),
    }
}
