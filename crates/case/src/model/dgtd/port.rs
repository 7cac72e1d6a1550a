//! Ports: voltage sources with an internal resistance, and modes of guides.

use super::WireGap;
use super::checks::{check_direction, check_surface};
use crate::model::checks::check_positive;
use crate::model::{Point, Three};
use phasefront_core::{FieldError, Length, Resistance};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// Port on a plane surface. Give `direction` for a lumped port or `coaxial`, voltage sources with internal resistance between two
/// conductors; or `wire`, such a source in a thin wire; or `wave`, the open end of a waveguide or line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_port")]
#[schemars(extend("oneOf" = [
    { "required": ["direction", "resistance"] }, { "required": ["coaxial", "resistance"] },
    { "required": ["wire", "resistance"] }, { "required": ["wave"] },
]))]
pub struct Port {
    /// Surface of the port, or the name of the thin wire.
    #[schemars(extend("minLength" = 1))]
    pub surface: String,
    /// Internal resistance of the source; the reference impedance of the S-parameters. Of a wave port the reference impedance only, and then
    /// all ports must be excited; default there: the impedance of the mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Resistance")]
    pub resistance: Option<Resistance>,
    /// Rectangular lumped port: direction from the negative to the positive conductor; its length does not matter. Give this,
    /// `coaxial` or `wave`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Three<f64>")]
    pub direction: Option<Three<f64>>,
    /// Coaxial port: the annulus between the conductors; the inner one is positive. Give this, `direction` or `wave`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Coaxial")]
    pub coaxial: Option<Coaxial>,
    /// Wave port: the whole cross section of a waveguide or line on the outer boundary of the mesh, behind which it goes on. Its border lies on
    /// `"pec"` or `"pmc"` walls, and it is normal to x, y or z. Give this, `direction` or `coaxial`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "WaveModes")]
    pub wave: Option<WaveModes>,
    /// Port in a thin wire, positive towards its last point. Give this, `direction`, `coaxial` or `wave`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "WireGap")]
    pub wire: Option<WireGap>,
}

/// Modes of a wave port: lines (TEM, or quasi-TEM in layers), then TE and TM modes by rising cut-off.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_wave_modes")]
#[schemars(extend("not" = { "required": ["modes", "terminals"] }))]
pub struct WaveModes {
    /// Number of modes; each is a port of the S-parameters, numbered in the order of the ports and of their modes. Default: 1. Give this or
    /// `terminals`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NonZeroU32")]
    pub modes: Option<NonZeroU32>,
    /// Surfaces of the conductors of a line with several, all but the ground, which has the longest edges on the port; each is a port of the
    /// S-parameters with the `resistance`. Give this or `modes`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<String>", length(min = 1))]
    pub terminals: Option<Vec<String>>,
    /// Direction of E for a positive voltage, in the plane of the port, and of the first of two degenerate modes; of a mode whose mean along
    /// it is zero, on the side with the larger x, y or z. Default: along the first axis that the mode has a field along; lines: the smaller
    /// conductors are positive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Three<f64>")]
    pub polarity: Option<Three<f64>>,
    /// Distance of the reference plane of the S-parameters from the surface, into the model; negative: out of it. Default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Length")]
    pub reference_plane: Option<Length>,
}

impl WaveModes {
    /// Number of modes that are computed: as many as there are terminals.
    pub fn count(&self) -> usize {
        match (&self.terminals, self.modes) {
            (Some(names), _) => names.len(),
            (None, modes) => modes.map_or(1, NonZeroU32::get) as usize,
        }
    }

    fn check_terminals(&self, path: &str, resistance: Option<Resistance>) -> Result<(), FieldError> {
        let Some(names) = &self.terminals else { return Ok(()) };
        let at = format!("{path}.wave.terminals");
        let advice = "name the conductors that meet the port, all but the ground: `terminals = [\"strip1\", \"strip2\"]`";
        if self.modes.is_some() {
            let message = "`modes` and `terminals` cannot both be given";
            return Err(FieldError::new(at, message, "remove `modes`: there are as many as terminals"));
        }
        if names.is_empty() {
            return Err(FieldError::new(at, "the list is empty", advice));
        }
        for (i, name) in names.iter().enumerate() {
            check_surface(&format!("{at}[{i}]"), Some(name))?;
            if names[..i].contains(name) {
                return Err(FieldError::new(
                    format!("{at}[{i}]"),
                    format!("the terminal \"{name}\" is named twice"),
                    advice,
                ));
            }
        }
        if resistance.is_none() {
            return Err(FieldError::new(
                path,
                "the port has terminals, and no resistance that their S-parameters refer to",
                "write for example `resistance = \"50 ohm\"`",
            ));
        }
        Ok(())
    }
}

/// Annular cross section of a coaxial line.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_coaxial")]
pub struct Coaxial {
    /// Point on the axis.
    pub center: Point,
    /// Radius of the inner conductor.
    pub inner_radius: Length,
    /// Radius of the outer conductor.
    pub outer_radius: Length,
}

impl Port {
    /// Rejects an incomplete or contradictory port; `path` is its key in the case.
    pub(super) fn check(&self, path: &str) -> Result<(), FieldError> {
        check_surface(&format!("{path}.surface"), Some(&self.surface))?;
        let advice = "write for example `resistance = \"50 ohm\"`";
        match self.resistance {
            Some(resistance) => {
                check_positive(format!("{path}.resistance"), "the resistance", resistance.si(), advice)?;
            }
            None if self.wave.is_none() => {
                return Err(FieldError::new(path, "the resistance of the port is not given", advice));
            }
            None => {}
        }
        match (self.direction, self.coaxial) {
            _ if self.wave.is_some() => self.check_wave(path),
            _ if self.wire.is_some() => self.check_wire(path),
            (None, None) => Err(FieldError::new(
                path,
                "the field distribution of the port is not defined",
                "add `direction = [0.0, 0.0, 1.0]`, from the negative to the positive conductor, or for a coaxial line \
                 `coaxial = { center = [\"0 m\", \"0 m\", \"0 m\"], inner_radius = \"1 mm\", outer_radius = \"2.3 mm\" }`, or for the \
                 open end of a waveguide or line `wave = { modes = 1 }`, or for a gap in the middle of a thin wire `wire = {}`",
            )),
            (Some(_), Some(_)) => Err(FieldError::new(
                format!("{path}.coaxial"),
                "`direction` and `coaxial` cannot both be given",
                "keep one of them: `direction` for a rectangular lumped port, `coaxial` for a coaxial port",
            )),
            (Some(direction), None) => check_direction(&format!("{path}.direction"), direction),
            (None, Some(coaxial)) => coaxial.check(&format!("{path}.coaxial")),
        }
    }

    fn check_wave(&self, path: &str) -> Result<(), FieldError> {
        let other = [
            ("direction", self.direction.is_some()),
            ("coaxial", self.coaxial.is_some()),
            ("wire", self.wire.is_some()),
        ];
        if let Some((key, _)) = other.into_iter().find(|(_, given)| *given) {
            return Err(FieldError::new(
                format!("{path}.wave"),
                format!("`{key}` and `wave` cannot both be given"),
                "keep one of them: a wave port computes its field from its cross section",
            ));
        }
        let Some(wave) = &self.wave else { return Ok(()) };
        wave.check_terminals(path, self.resistance)?;
        let polarity = wave.polarity.iter();
        polarity
            .copied()
            .try_for_each(|direction| check_direction(&format!("{path}.wave.polarity"), direction))
    }

    fn check_wire(&self, path: &str) -> Result<(), FieldError> {
        let other = [("direction", self.direction.is_some()), ("coaxial", self.coaxial.is_some())];
        match other.into_iter().find(|(_, given)| *given) {
            Some((key, _)) => Err(FieldError::new(
                format!("{path}.wire"),
                format!("`{key}` and `wire` cannot both be given"),
                "keep one of them: a port in a thin wire has no surface",
            )),
            None => Ok(()),
        }
    }

    /// Number of ports of the S-parameters that it is.
    pub fn modes(&self) -> usize {
        self.wave.as_ref().map_or(1, WaveModes::count)
    }
}

impl Coaxial {
    fn check(&self, path: &str) -> Result<(), FieldError> {
        let advice = "write for example `inner_radius = \"1 mm\"`";
        check_positive(format!("{path}.inner_radius"), "the inner radius", self.inner_radius.si(), advice)?;
        if self.outer_radius.si() <= self.inner_radius.si() {
            return Err(FieldError::new(
                format!("{path}.outer_radius"),
                "the outer radius must exceed the inner radius",
                format!("write a length greater than {}", self.inner_radius),
            ));
        }
        Ok(())
    }
}
