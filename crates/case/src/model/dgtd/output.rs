//! `[output]`: what is wanted.

use super::checks::check_surface;
use super::{Mie, Source};
use crate::model::checks::check_file_name;
use crate::model::{Point, Two};
use phasefront_core::units::{AngleDim, TimeDim};
use phasefront_core::{FieldError, Sweep};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// What is wanted. Ports give S-parameters without being asked.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "dgtd_output")]
pub struct Output {
    /// Radar cross sections in these directions, of a plane wave's echo.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Directions")]
    pub rcs: Option<Directions>,
    /// The exact cross section of a sphere beside the computed one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Mie")]
    pub mie: Option<Mie>,
    /// Directivity in these directions, of dipoles or ports.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Directions")]
    pub directivity: Option<Directions>,
    /// The closed surface that far fields are computed from. If left out, the one that the plane wave comes in by, or the conductors
    /// that it is applied on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("minLength" = 1))]
    pub far_field_surface: Option<String>,
    /// Places at which the fields are kept at every step.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub probes: Vec<Point>,
    /// Rectangles on which the fields are kept at `source.frequency`, and at the times of `snapshots`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub slices: Vec<Slice>,
    /// Whether to keep the currents on all conductors at `source.frequency`.
    pub currents: bool,
    /// Volumes of which the fields are kept at `source.frequency`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub volumes: Vec<String>,
    /// Times at which the fields are kept: one, a list of them, or { from, to, points }.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Sweep<TimeDim>")]
    pub snapshots: Option<Sweep<TimeDim>>,
    /// Volumes that the snapshots show; all if left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub snapshot_volumes: Vec<String>,
}

/// Directions of far fields: all pairs of `theta` and `phi`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_directions")]
pub struct Directions {
    /// Angle from +z.
    pub theta: Sweep<AngleDim>,
    /// Angle from +x towards +y.
    pub phi: Sweep<AngleDim>,
}

/// A rectangle on which fields are sampled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_slice")]
pub struct Slice {
    /// Name of its files: letters, digits, spaces, `-`, `_` and `.`.
    #[schemars(extend("maxLength" = crate::model::MAX_NAME_LENGTH, "pattern" = crate::model::NAME_PATTERN))]
    pub name: String,
    /// One corner.
    pub origin: Point,
    /// From there along its two sides.
    pub sides: Two<Point>,
    /// Points along the two sides, ends included.
    pub points: Two<NonZeroU32>,
}

impl Output {
    /// Refuses what the source cannot give, and fills in where far fields come from.
    pub(super) fn complete(&mut self, source: &Source) -> Result<(), FieldError> {
        self.check_source(source)?;
        self.check_slices()?;
        if let Some(snapshots) = &self.snapshots {
            if snapshots.values().iter().any(|&time| time < 0.0) {
                let advice = "time begins at zero, with the pulse";
                return Err(FieldError::new("output.snapshots", "a time cannot be negative", advice));
            }
        } else if !self.snapshot_volumes.is_empty() {
            return Err(FieldError::new(
                "output.snapshot_volumes",
                "there are no snapshots for these groups",
                "add for example `snapshots = [\"1 ns\", \"2 ns\"]`, or remove it",
            ));
        }
        self.complete_far_surface(source)
    }

    /// What is wanted at frequencies, by its key.
    fn at_frequencies(&self) -> Option<&'static str> {
        let wanted = [
            ("rcs", self.rcs.is_some()),
            ("directivity", self.directivity.is_some()),
            // With snapshots a slice is shown in time, and frequencies are not needed.
            ("slices", !self.slices.is_empty() && self.snapshots.is_none()),
            ("currents", self.currents),
            ("volumes", !self.volumes.is_empty()),
        ];
        wanted.iter().find(|(_, wanted)| *wanted).map(|(key, _)| *key)
    }

    fn check_source(&self, source: &Source) -> Result<(), FieldError> {
        if self.rcs.is_some() && source.plane_wave.is_none() {
            return Err(FieldError::new(
                "output.rcs",
                "a radar cross section is that of a plane wave's echo, and there is no plane wave",
                "add a `plane_wave` to [source], or ask for the `directivity`",
            ));
        }
        if self.mie.is_some() && self.rcs.is_none() {
            return Err(FieldError::new(
                "output.mie",
                "there is no computed cross section to set the exact one beside",
                "ask for the `rcs`, or remove it",
            ));
        }
        if self.directivity.is_some() && source.dipoles.is_none() && source.ports.is_none() {
            return Err(FieldError::new(
                "output.directivity",
                "directivity is that of dipoles or ports, and there are none",
                "drive the fields by `dipoles` or `ports` in [source], or ask for the `rcs`",
            ));
        }
        let wanted = self.at_frequencies();
        let of_ports = source.ports.is_some().then_some("S-parameters are");
        let reason = wanted.map(|key| format!("`output.{key}` is")).or(of_ports.map(String::from));
        if let (Some(reason), None) = (reason, &source.frequency) {
            return Err(FieldError::new(
                "source.frequency",
                format!("{reason} computed at frequencies, and none is given"),
                "add for example `frequency = \"1 GHz\"`, or { from = \"0.5 GHz\", to = \"1 GHz\", points = 51 }",
            ));
        }
        // Ports have S-parameters, and initial fields their energy.
        let has_own = source.ports.is_some() || source.initial.is_some();
        if wanted.is_none() && !has_own && self.probes.is_empty() && self.snapshots.is_none() {
            return Err(FieldError::new(
                "output",
                "nothing is asked for",
                "ask for `rcs`, `directivity`, `probes`, `slices`, `currents`, `volumes` or `snapshots` in [output]",
            ));
        }
        Ok(())
    }

    fn check_slices(&self) -> Result<(), FieldError> {
        for (i, slice) in self.slices.iter().enumerate() {
            let at = |key: &str| format!("output.slices[{i}].{key}");
            check_file_name(&at("name"), &slice.name, "the name becomes that of a file")?;
            if self.slices[..i].iter().any(|other| other.name == slice.name) {
                let message = format!("there are two slices \"{}\"", slice.name);
                return Err(FieldError::new(
                    at("name"),
                    message,
                    "give each a name of its own: files go by it",
                ));
            }
            if slice.points.array().iter().any(|points| points.get() < 2) {
                let advice = "write for example `points = [101, 101]`";
                return Err(FieldError::new(
                    at("points"),
                    "a side has two ends, so at least 2 points",
                    advice,
                ));
            }
        }
        Ok(())
    }

    fn complete_far_surface(&mut self, source: &Source) -> Result<(), FieldError> {
        const PATH: &str = "output.far_field_surface";
        check_surface(PATH, self.far_field_surface.as_deref())?;
        if self.rcs.is_none() && self.directivity.is_none() {
            return match self.far_field_surface {
                None => Ok(()),
                Some(_) => Err(FieldError::new(
                    PATH,
                    "no far field is asked for",
                    "ask for `rcs` or `directivity`, or remove it",
                )),
            };
        }
        if self.far_field_surface.is_none() {
            self.far_field_surface = source.plane_wave.as_ref().and_then(|wave| wave.surface.clone());
        }
        if self.directivity.is_some() && self.far_field_surface.is_none() {
            return Err(FieldError::new(
                PATH,
                "nothing says which surface the far field is computed from",
                "add the name of a closed surface around the antenna, `far_field_surface = \"huygens\"`",
            ));
        }
        Ok(())
    }
}
