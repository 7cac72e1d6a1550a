//! `[output]`: requested outputs.

use super::{Band, Mie, NearField, Source, SurfaceNames};
use crate::model::checks::check_file_name;
use crate::model::{Directions, Point, Two};
use phasefront_core::units::TimeDim;
use phasefront_core::{FieldError, Sweep};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// Requested outputs. Ports always give S-parameters.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "dgtd_output")]
pub struct Output {
    /// Bistatic radar cross section in these directions, for plane-wave excitation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Directions")]
    pub rcs: Option<Directions>,
    /// Mie series of a sphere, as a reference beside the computed RCS.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Mie")]
    pub mie: Option<Mie>,
    /// Directivity in these directions, for dipoles or ports.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Directions")]
    pub directivity: Option<Directions>,
    /// Files of the far field at all angles of `directivity`, for other programs: "ffe" (FEKO), "ffd" (HFSS), "cut" and "grd" (GRASP).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exports: Vec<Export>,
    /// Closed surface of the near-to-far-field transformation. Default: the total-field/scattered-field surface of the plane wave, or
    /// the conductors in a scattered-field formulation. One name, or those of its parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SurfaceNames")]
    pub far_field_surface: Option<SurfaceNames>,
    /// Near field on a closed surface at `source.frequency`: E and H as equivalent currents.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NearField")]
    pub near_field: Option<NearField>,
    /// Points at which the fields are recorded at every time step.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub probes: Vec<Point>,
    /// Frequencies and quality factors of the resonances in this band, from the ring-down of the probes and ports after the pulse.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Band")]
    pub resonances: Option<Band>,
    /// Rectangles on which the fields are saved at `source.frequency`, and at the times of `snapshots`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub slices: Vec<Slice>,
    /// Save the surface currents on all conductors at `source.frequency`.
    pub currents: bool,
    /// Volumes in which the fields are saved at `source.frequency`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub volumes: Vec<String>,
    /// Times at which the fields are saved: one value, a list, or { from, to, points or step }.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Sweep<TimeDim>")]
    pub snapshots: Option<Sweep<TimeDim>>,
    /// Volumes that the snapshots cover. Default: all; where slices have a `film`, none but what the slices cut.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub snapshot_volumes: Vec<String>,
}

/// Export format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "dgtd_export")]
pub enum Export {
    /// FEKO: far fields and gain in one table.
    Ffe,
    /// HFSS: far fields on a uniform grid.
    Ffd,
    /// GRASP: cuts of constant phi.
    Cut,
    /// GRASP: a uniform grid.
    Grd,
}

/// Rectangle on which the fields are sampled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_slice")]
pub struct Slice {
    /// Name of its files: letters, digits, spaces, `-`, `_` and `.`.
    #[schemars(extend("maxLength" = crate::model::MAX_NAME_LENGTH, "pattern" = crate::model::NAME_PATTERN))]
    pub name: String,
    /// Corner of the rectangle.
    pub origin: Point,
    /// Vectors of the two sides from `origin`.
    pub sides: Two<Point>,
    /// Number of points along the two sides, both ends included.
    pub points: Two<NonZeroU32>,
    /// What a film of the slice shows at the times of `snapshots`: a component of E or H, "e_x" to "h_z", or a magnitude, "e" or "h".
    /// Default: the strongest component of E.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Film")]
    pub film: Option<Film>,
}

/// Field of a film.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "dgtd_film")]
pub enum Film {
    /// Component of E along x.
    EX,
    /// Component of E along y.
    EY,
    /// Component of E along z.
    EZ,
    /// Magnitude of E.
    E,
    /// Component of H along x.
    HX,
    /// Component of H along y.
    HY,
    /// Component of H along z.
    HZ,
    /// Magnitude of H.
    H,
}

impl Output {
    /// Refuses outputs that do not go with the source, and fills in the surface of far fields.
    pub(super) fn complete(&mut self, source: &Source) -> Result<(), FieldError> {
        for (path, directions) in [("output.rcs", &self.rcs), ("output.directivity", &self.directivity)] {
            directions.iter().try_for_each(|directions| directions.angles().check(path))?;
        }
        self.check_resonances(source)?;
        self.check_source(source)?;
        self.check_slices()?;
        if let Some(snapshots) = &self.snapshots {
            if snapshots.values().iter().any(|&time| time < 0.0) {
                let advice = "the pulse starts at time zero";
                return Err(FieldError::new("output.snapshots", "a time cannot be negative", advice));
            }
        } else if !self.snapshot_volumes.is_empty() {
            return Err(FieldError::new(
                "output.snapshot_volumes",
                "`snapshot_volumes` requires `snapshots`",
                "add for example `snapshots = [\"1 ns\", \"2 ns\"]`, or remove it",
            ));
        }
        self.complete_far_surface(source)?;
        let far = self.far_field_surface.as_ref();
        self.near_field.as_mut().map_or(Ok(()), |near| near.complete(far.or(source.injection_surface())))
    }

    /// The first requested frequency-domain output, by its key.
    fn at_frequencies(&self) -> Option<&'static str> {
        let wanted = [
            ("rcs", self.rcs.is_some()),
            ("directivity", self.directivity.is_some()),
            ("near_field", self.near_field.is_some()),
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
                "a radar cross section requires plane-wave excitation",
                "add a `plane_wave` to [source], or request the `directivity`",
            ));
        }
        if self.mie.is_some() && self.rcs.is_none() {
            return Err(FieldError::new(
                "output.mie",
                "there is no computed RCS to compare with the Mie series",
                "request the `rcs`, or remove it",
            ));
        }
        let radiates = source.dipoles.is_some() || source.ports.is_some() || source.near_field.is_some();
        if self.directivity.is_some() && !radiates {
            return Err(FieldError::new(
                "output.directivity",
                "directivity requires dipoles, ports or a near field",
                "add `dipoles`, `ports` or `near_field` to [source], or request the `rcs`",
            ));
        }
        if !self.exports.is_empty() && self.directivity.is_none() {
            return Err(FieldError::new(
                "output.exports",
                "exports have the far field at the angles of `directivity`, which is not requested",
                "add for example `directivity = { theta = { from = \"0 deg\", to = \"180 deg\", points = 37 }, phi = { from = \"0 deg\", \
                 to = \"360 deg\", points = 73 } }`",
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
                "no output is requested",
                "request `rcs`, `directivity`, `near_field`, `probes`, `slices`, `currents`, `volumes` or `snapshots` in [output]",
            ));
        }
        Ok(())
    }

    fn check_resonances(&self, source: &Source) -> Result<(), FieldError> {
        const PATH: &str = "output.resonances";
        let Some([from, to]) = self.resonances.map(Band::si) else { return Ok(()) };
        if source.near_field.is_some() {
            return Err(FieldError::new(
                PATH,
                "resonances need a source with a spectrum over their band, and a near field is known at single frequencies",
                "excite the model by `dipoles`, `ports` or a `plane_wave`",
            ));
        }
        if !(from > 0.0 && to > from) {
            let advice = "write for example `resonances = { from = \"1 GHz\", to = \"2 GHz\" }`";
            return Err(FieldError::new(PATH, "the band must begin above zero and end higher", advice));
        }
        if self.probes.is_empty() && source.ports.is_none() {
            return Err(FieldError::new(
                PATH,
                "resonances are found in what rings at probes and ports, and there are none",
                "add for example `probes = [[\"1 mm\", \"2 mm\", \"3 mm\"]]` to [output], away from planes of symmetry",
            ));
        }
        Ok(())
    }

    fn check_slices(&self) -> Result<(), FieldError> {
        for (i, slice) in self.slices.iter().enumerate() {
            let at = |key: &str| format!("output.slices[{i}].{key}");
            check_file_name(&at("name"), &slice.name, "the name becomes a file name")?;
            if self.slices[..i].iter().any(|other| other.name == slice.name) {
                let message = format!("there are two slices \"{}\"", slice.name);
                return Err(FieldError::new(
                    at("name"),
                    message,
                    "give each slice a unique name: its files carry it",
                ));
            }
            if slice.film.is_some() && self.snapshots.is_none() {
                return Err(FieldError::new(
                    at("film"),
                    "a film shows the times of `snapshots`, and there are none",
                    "add for example `snapshots = { from = \"0 ns\", to = \"10 ns\", points = 51 }` to [output]",
                ));
            }
            if slice.points.array().iter().any(|points| points.get() < 2) {
                let advice = "write for example `points = [101, 101]`";
                return Err(FieldError::new(at("points"), "a side needs at least 2 points", advice));
            }
        }
        Ok(())
    }

    fn complete_far_surface(&mut self, source: &Source) -> Result<(), FieldError> {
        const PATH: &str = "output.far_field_surface";
        self.far_field_surface.as_ref().map_or(Ok(()), |surface| surface.check(PATH))?;
        if self.rcs.is_none() && self.directivity.is_none() {
            return match self.far_field_surface {
                // The near field is on the same surface if it has none of its own.
                Some(_) if self.near_field.as_ref().is_some_and(NearField::has_no_surface) => Ok(()),
                None => Ok(()),
                Some(_) => Err(FieldError::new(
                    PATH,
                    "no far field is requested",
                    "request `rcs` or `directivity`, or remove it",
                )),
            };
        }
        if self.far_field_surface.is_none() {
            self.far_field_surface = source.plane_wave.as_ref().and_then(|wave| wave.surface.clone());
        }
        if self.directivity.is_some() && self.far_field_surface.is_none() {
            return Err(FieldError::new(
                PATH,
                "the surface of the near-to-far-field transformation is missing",
                "name a closed surface around the antenna, `far_field_surface = \"huygens\"`",
            ));
        }
        Ok(())
    }
}
