//! An antenna at a position.

use crate::model::{AntennaPattern, ElectricalLength, Point, Three};
use phasefront_core::{Angle, FieldError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Antenna at a position, isotropic unless one of `power_exponent`, `dipole` and `pattern` is given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "sbr_antenna")]
pub struct Antenna {
    /// Position in the coordinates of the target, after `geometry.scale` and `geometry.rotation`.
    pub position: Point,
    /// Direction of the main beam: three numbers, of any length. Default: toward the middle of the bounding box of the target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Three<f64>")]
    pub boresight: Option<Three<f64>>,
    /// Polarization angle of the electric field on the boresight: 0 deg is horizontal (H, along phi of the antenna as the target sees it),
    /// 90 deg vertical (V, along theta). Default: 0 deg.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Angle")]
    pub polarization: Option<Angle>,
    /// Exponent p of the power pattern cos^p(theta), with theta from the boresight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", extend("minimum" = 0))]
    pub power_exponent: Option<f64>,
    /// Length of a thin dipole along the polarization, in wavelengths or in meters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ElectricalLength")]
    pub dipole: Option<ElectricalLength>,
    /// Far field from a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "AntennaPattern")]
    pub pattern: Option<AntennaPattern>,
}

/// Checks a list of antennas; `path` is that of the list.
pub(super) fn check(antennas: &[Antenna], path: &str) -> Result<(), FieldError> {
    if antennas.is_empty() {
        let advice = "write for example `[{ position = [\"0 m\", \"0 m\", \"10 m\"] }]`";
        return Err(FieldError::new(path, "the list is empty", advice));
    }
    antennas.iter().enumerate().try_for_each(|(i, antenna)| antenna.check(&format!("{path}[{i}]")))
}

impl Antenna {
    fn check(&self, path: &str) -> Result<(), FieldError> {
        let given = [
            ("power_exponent", self.power_exponent.is_some()),
            ("dipole", self.dipole.is_some()),
            ("pattern", self.pattern.is_some()),
        ];
        let mut given = given.into_iter().filter(|(_, given)| *given).map(|(key, _)| key);
        if let (Some(first), Some(second)) = (given.next(), given.next()) {
            let message = format!("the antenna has two patterns, `{first}` and `{second}`");
            return Err(FieldError::new(format!("{path}.{second}"), message, "remove one of them"));
        }
        if self.pattern.is_some() && self.polarization.is_some() {
            let message = "the file tells the polarization of the antenna";
            let advice = "turn the antenna by `pattern.rotation`, or remove `polarization`";
            return Err(FieldError::new(format!("{path}.polarization"), message, advice));
        }
        self.pattern.as_ref().map_or(Ok(()), |pattern| pattern.check(&format!("{path}.pattern")))
    }
}
