//! Directions in space: `theta` and `phi`, or `azimuth` and `elevation`.

use phasefront_core::units::AngleDim;
use phasefront_core::{Angle, FieldError, Sweep};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f64::consts::FRAC_PI_2;

/// Observation directions: all pairs of `theta` and `phi`, or of `azimuth` and `elevation`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "directions")]
#[schemars(extend("oneOf" = pairs_of_angles()))]
pub struct Directions {
    /// Polar angle from +z: one value, a list, or { from, to, points or step }. Give it with `phi`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Sweep<AngleDim>")]
    pub theta: Option<Sweep<AngleDim>>,
    /// Azimuthal angle from +x toward +y: one value, a list, or { from, to, points or step }. Give it with `theta`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Sweep<AngleDim>")]
    pub phi: Option<Sweep<AngleDim>>,
    /// Azimuth from +x toward +y, the same angle as `phi`. Give it with `elevation`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Sweep<AngleDim>")]
    pub azimuth: Option<Sweep<AngleDim>>,
    /// Elevation above the xy plane, 90 deg - `theta`, from -90 deg to 90 deg. Give it with `azimuth`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Sweep<AngleDim>")]
    pub elevation: Option<Sweep<AngleDim>>,
}

impl Directions {
    /// The four keys.
    pub fn angles(&self) -> Angles<'_, Sweep<AngleDim>> {
        Angles {
            theta: self.theta.as_ref(),
            phi: self.phi.as_ref(),
            azimuth: self.azimuth.as_ref(),
            elevation: self.elevation.as_ref(),
        }
    }
}

/// The keys that give a direction, or a grid of them, in a table of the case.
#[derive(Debug, Clone, Copy)]
pub struct Angles<'a, T> {
    /// Polar angle from +z.
    pub theta: Option<&'a T>,
    /// Azimuthal angle from +x toward +y.
    pub phi: Option<&'a T>,
    /// The same angle as `phi`.
    pub azimuth: Option<&'a T>,
    /// 90 deg - θ.
    pub elevation: Option<&'a T>,
}

/// The pairs of keys that give a direction, for the schema.
pub(super) fn pairs_of_angles() -> serde_json::Value {
    serde_json::json!([
        { "required": ["theta", "phi"], "not": { "anyOf": [{ "required": ["azimuth"] }, { "required": ["elevation"] }] } },
        { "required": ["azimuth", "elevation"], "not": { "anyOf": [{ "required": ["theta"] }, { "required": ["phi"] }] } },
    ])
}

/// An angle or a sweep of angles.
pub trait AngleValues {
    /// In radians.
    fn radians(&self) -> Vec<f64>;
}

impl AngleValues for Angle {
    fn radians(&self) -> Vec<f64> {
        vec![self.si()]
    }
}

impl AngleValues for Sweep<AngleDim> {
    fn radians(&self) -> Vec<f64> {
        self.values()
    }
}

impl<T: AngleValues> Angles<'_, T> {
    /// Refuses all but one complete pair of keys, and elevations beyond the zenith; `path` is the table that holds them.
    pub(super) fn check(&self, path: &str) -> Result<(), FieldError> {
        let wrong = |key: &str, message: String, advice: &str| {
            Err(FieldError::new(format!("{path}.{key}"), message, advice))
        };
        let spherical = [("theta", self.theta.is_some()), ("phi", self.phi.is_some())];
        let radar = [("azimuth", self.azimuth.is_some()), ("elevation", self.elevation.is_some())];
        let given = |keys: [(&'static str, bool); 2]| keys.into_iter().find(|(_, given)| *given);
        if let (Some((first, _)), Some((second, _))) = (given(spherical), given(radar)) {
            return wrong(
                second,
                format!("`{first}` and `{second}` cannot both be given"),
                "give `theta` and `phi`, or `azimuth` and `elevation`: azimuth = phi, elevation = 90 deg - theta",
            );
        }
        let (keys, advice) = match given(radar) {
            Some(_) => (radar, "add for example `azimuth = \"0 deg\"` and `elevation = \"0 deg\"`"),
            None => (
                spherical,
                "add `theta` and `phi`, or `azimuth` and `elevation`, for example `phi = \"0 deg\"`",
            ),
        };
        if let Some((missing, _)) = keys.into_iter().find(|(_, given)| !given) {
            // Reported at the table: the key itself has no position.
            return Err(FieldError::new(path, format!("`{missing}` is missing"), advice));
        }
        // An elevation beyond 90 deg is most likely a theta.
        let is_beyond = |angle: &f64| angle.abs() > FRAC_PI_2 * (1.0 + 1e-9);
        if self.elevation.is_some_and(|elevation| elevation.radians().iter().any(is_beyond)) {
            let message = "an elevation must be between -90 deg and 90 deg".into();
            return wrong(
                "elevation",
                message,
                "elevation = 90 deg - theta; give polar angles as `theta` with `phi`",
            );
        }
        Ok(())
    }
}

impl Angles<'_, Sweep<AngleDim>> {
    /// θ and φ in radians.
    pub fn theta_phi(&self) -> [Vec<f64>; 2] {
        let values = |sweep: Option<&Sweep<AngleDim>>| sweep.map(Sweep::values);
        let theta = values(self.theta)
            .or_else(|| Some(values(self.elevation)?.into_iter().map(|e| FRAC_PI_2 - e).collect()));
        [theta, values(self.phi).or_else(|| values(self.azimuth))].map(Option::unwrap_or_default)
    }
}

impl Angles<'_, Angle> {
    /// θ and φ in radians.
    pub fn theta_phi(&self) -> [f64; 2] {
        let value = |angle: Option<&Angle>| angle.map(|angle| angle.si());
        let theta = value(self.theta).or_else(|| Some(FRAC_PI_2 - value(self.elevation)?));
        [theta, value(self.phi).or_else(|| value(self.azimuth))].map(Option::unwrap_or_default)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<[Vec<f64>; 2], FieldError> {
        let directions: Directions = serde_json::from_str(text).unwrap();
        directions.angles().check("output.rcs")?;
        Ok(directions.angles().theta_phi())
    }

    #[test]
    fn elevation_is_the_complement_of_theta_and_azimuth_is_phi() {
        let radar = read(r#"{ "azimuth": ["10 deg", "20 deg"], "elevation": "30 deg" }"#).unwrap();
        let spherical = read(r#"{ "phi": ["10 deg", "20 deg"], "theta": "60 deg" }"#).unwrap();
        assert_eq!(radar[1], spherical[1]);
        assert!((radar[0][0] - spherical[0][0]).abs() < 1e-15);
        // Along the horizon and at the zenith the angles are exact.
        assert_eq!(
            read(r#"{ "azimuth": "0 deg", "elevation": ["0 deg", "90 deg"] }"#).unwrap()[0],
            [FRAC_PI_2, 0.0]
        );
    }

    #[test]
    fn one_complete_pair_is_needed() {
        let message = |text: &str| read(text).unwrap_err().to_string();
        assert!(message(r#"{ "theta": "0 deg", "azimuth": "0 deg" }"#).contains("`theta` and `azimuth`"));
        assert!(message(r#"{ "theta": "0 deg" }"#).contains("`phi` is missing"));
        assert!(message(r#"{ "azimuth": "0 deg" }"#).contains("`elevation` is missing"));
        assert!(message("{}").contains("`theta` is missing"));
        assert!(
            message(r#"{ "azimuth": "0 deg", "elevation": ["0 deg", "91 deg"] }"#)
                .contains("between -90 deg")
        );
    }
}
