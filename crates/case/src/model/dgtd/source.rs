//! `[source]`: the excitation, its time dependence, and the evaluation frequencies.

use super::checks::check_direction;
use super::{Band, Excite, NearSource, PlaneWave, Port, Pulse, SurfaceNames};
use crate::model::{Point, Three};
use phasefront_core::units::FrequencyDim;
use phasefront_core::{FieldError, Sweep};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Excitation: exactly one of `plane_wave`, `near_field`, `dipoles`, `ports` and `initial`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_source")]
#[schemars(extend("oneOf" = [
    { "required": ["plane_wave"] }, { "required": ["near_field"] }, { "required": ["dipoles"] }, { "required": ["ports"] },
    { "required": ["initial"] },
]))]
pub struct Source {
    /// Frequencies of field spectra, far fields and S-parameters: one value, a list, or { from, to, points or step }. Required for
    /// frequency-domain outputs, and without `pulse`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Sweep<FrequencyDim>")]
    pub frequency: Option<Sweep<FrequencyDim>>,
    /// Incident plane wave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PlaneWave")]
    pub plane_wave: Option<PlaneWave>,
    /// Near field of another run, by its equivalent currents; `frequency` must be among the frequencies of its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NearSource")]
    pub near_field: Option<NearSource>,
    /// Hertzian dipoles; their current moments follow the pulse.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<Dipole>", length(min = 1))]
    pub dipoles: Option<Vec<Dipole>>,
    /// Ports. One at a time is excited with a source voltage of 1 V times the pulse; the others are terminated in their `resistance`, wave
    /// ports in the impedance of their guide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<Port>", length(min = 1))]
    pub ports: Option<Vec<Port>>,
    /// Ports to excite, one after the other in separate runs: "all", or a list of port numbers counted from 1, each mode of a wave port as
    /// one. Default: `[1]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Excite")]
    pub excite: Option<Excite>,
    /// Initial fields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Initial")]
    pub initial: Option<Initial>,
    /// Time dependence of the source; not with `initial`. Default: a pulse that covers `frequency` and `output.resonances`, Gaussian for lumped and
    /// coaxial ports, modulated for all others: without a dc component that would leave static charges behind, and for wave ports with
    /// little below the lowest frequency, where guides have their cut-off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Pulse")]
    pub pulse: Option<Pulse>,
}

/// Hertzian dipole.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_dipole")]
pub struct Dipole {
    /// Position [x, y, z].
    pub position: Point,
    /// Current moment at the peak of the pulse, in A m.
    pub moment: Three<f64>,
}

/// Initial fields. Give `mode` or `plane_wave`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_initial")]
#[schemars(extend("oneOf" = [{ "required": ["mode"] }, { "required": ["plane_wave"] }]))]
pub struct Initial {
    /// Mode of a rectangular PEC cavity with a corner at the origin. Give this or `plane_wave`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Mode")]
    pub mode: Option<Mode>,
    /// Monochromatic plane wave throughout the mesh. Give this or `mode`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "InitialWave")]
    pub plane_wave: Option<InitialWave>,
}

/// Cavity mode E_x = a_x cos(k_x x) sin(k_y y) sin(k_z z), with E_y and E_z by cyclic permutation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_mode")]
pub struct Mode {
    /// Wavenumbers k_x, k_y, k_z, in rad/m.
    pub wave_vector: Three<f64>,
    /// Amplitudes a_x, a_y, a_z, in V/m; perpendicular to `wave_vector`.
    pub amplitude: Three<f64>,
}

/// Plane wave E = E₀ cos(k·r).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_initial_wave")]
pub struct InitialWave {
    /// Wave vector k, in rad/m.
    pub wave_vector: Three<f64>,
    /// Electric field amplitude E₀, in V/m; perpendicular to `wave_vector`.
    pub amplitude: Three<f64>,
}

impl Source {
    /// Evaluation frequencies, in hertz.
    pub fn frequencies(&self) -> Vec<f64> {
        self.frequency.as_ref().map(Sweep::values).unwrap_or_default()
    }

    /// The TF/SF surface of a plane wave or a near field.
    pub fn injection_surface(&self) -> Option<&SurfaceNames> {
        let wave = self.plane_wave.as_ref().and_then(|wave| wave.surface.as_ref());
        wave.or(self.near_field.as_ref().map(|near| &near.surface))
    }

    /// Indices of the excited ports, in order; `[0]` where there are no ports.
    pub fn excited_ports(&self) -> Vec<usize> {
        let ports = self.port_count();
        self.excite.as_ref().map_or_else(|| vec![0], |excite| excite.indices(ports))
    }

    /// Number of ports of the S-parameters: each mode of a wave port is one.
    pub fn port_count(&self) -> usize {
        self.ports.iter().flatten().map(Port::modes).sum()
    }

    /// Rejects no excitation, more than one kind of excitation, and invalid ones.
    pub(super) fn check(&self) -> Result<(), FieldError> {
        let kinds = [
            ("plane_wave", self.plane_wave.is_some()),
            ("near_field", self.near_field.is_some()),
            ("dipoles", self.dipoles.is_some()),
            ("ports", self.ports.is_some()),
            ("initial", self.initial.is_some()),
        ];
        let given: Vec<&str> = kinds.iter().filter(|(_, given)| *given).map(|(key, _)| *key).collect();
        match given[..] {
            [] => Err(FieldError::new(
                "source",
                "no excitation is given",
                "add `plane_wave`, `near_field`, `dipoles`, `ports` or `initial`, for example \
                 `plane_wave = { theta = \"0 deg\", phi = \"0 deg\", polarization = \"theta\" }`",
            )),
            [_] => Ok(()),
            [first, second, ..] => Err(FieldError::new(
                format!("source.{second}"),
                format!("`{first}` and `{second}` cannot both be given"),
                "keep one of them: a case has one kind of excitation",
            )),
        }?;
        if self.frequencies().iter().any(|&f| f <= 0.0) {
            let advice = "write for example `frequency = \"1 GHz\"`";
            return Err(FieldError::new("source.frequency", "frequencies must be positive", advice));
        }
        self.plane_wave.iter().try_for_each(PlaneWave::check)?;
        self.near_field.iter().try_for_each(NearSource::check)?;
        if self.near_field.is_some() && self.frequency.is_none() {
            return Err(FieldError::new(
                "source.frequency",
                "a near field radiates at frequencies of its file, and none is given",
                "add those of interest, for example `frequency = \"1 GHz\"`",
            ));
        }
        self.check_dipoles()?;
        self.check_ports()?;
        self.initial.iter().try_for_each(Initial::check)?;
        self.pulse.iter().try_for_each(Pulse::check)
    }

    fn check_dipoles(&self) -> Result<(), FieldError> {
        let Some(dipoles) = &self.dipoles else { return Ok(()) };
        if dipoles.is_empty() {
            let advice =
                "give a dipole such as { position = [\"0 m\", \"0 m\", \"0 m\"], moment = [0.0, 0.0, 1.0] }";
            return Err(FieldError::new("source.dipoles", "the list is empty", advice));
        }
        let moments = dipoles.iter().map(|dipole| dipole.moment).enumerate();
        moments.into_iter().try_for_each(|(i, m)| check_direction(&format!("source.dipoles[{i}].moment"), m))
    }

    fn check_ports(&self) -> Result<(), FieldError> {
        let Some(ports) = &self.ports else {
            return match self.excite {
                None => Ok(()),
                Some(_) => Err(FieldError::new(
                    "source.excite",
                    "there are no ports to excite",
                    "remove it, or add `ports`",
                )),
            };
        };
        if ports.is_empty() {
            let advice = "give a port such as { surface = \"port\", resistance = \"50 ohm\", direction = [0.0, 0.0, 1.0] }";
            return Err(FieldError::new("source.ports", "the list is empty", advice));
        }
        for (i, port) in ports.iter().enumerate() {
            port.check(&format!("source.ports[{i}]"))?;
            if ports[..i].iter().any(|other| other.surface == port.surface) {
                return Err(FieldError::new(
                    format!("source.ports[{i}].surface"),
                    format!("the surface \"{}\" already has a port", port.surface),
                    "give each port its own surface",
                ));
            }
        }
        self.excite.iter().try_for_each(|excite| excite.check(self.port_count()))?;
        let changed = ports.iter().position(|port| port.wave.is_some() && port.resistance.is_some());
        if let Some(i) = changed.filter(|_| self.excited_ports().len() < self.port_count()) {
            return Err(FieldError::new(
                format!("source.ports[{i}].resistance"),
                "S-parameters of a wave port can refer to another impedance than that of its mode only if all ports are excited",
                "add `excite = \"all\"` to [source], or remove the resistance",
            ));
        }
        Ok(())
    }

    /// Resolves the defaults of `excite` and `pulse`, which covers the frequencies and the band of the resonances.
    pub(super) fn complete(&mut self, resonances: Option<Band>) -> Result<(), FieldError> {
        if self.ports.is_some() {
            self.excite.get_or_insert(Excite::Ports(vec![1]));
        }
        if self.initial.is_some() {
            return match self.pulse {
                None => Ok(()),
                Some(_) => Err(FieldError::new(
                    "source.pulse",
                    "`pulse` cannot be combined with `initial` fields",
                    "remove `pulse`",
                )),
            };
        }
        let mut frequencies = self.frequencies();
        frequencies.extend(resonances.into_iter().flat_map(Band::si));
        if self.pulse.is_none() && frequencies.is_empty() {
            return Err(FieldError::new(
                "source.frequency",
                "the spectrum of the source is not defined: neither `frequency` nor `pulse` is given",
                "add for example `frequency = \"1 GHz\"`, or `pulse = { shape = \"gaussian\", max_frequency = \"1 GHz\" }`",
            ));
        }
        let guides = self.ports.iter().flatten().any(|port| port.wave.is_some());
        let of_source = match &self.ports {
            Some(_) if guides => Pulse::of_guides,
            Some(_) => Pulse::gaussian,
            None => Pulse::modulated,
        };
        self.pulse.get_or_insert_with(|| of_source(&frequencies));
        Ok(())
    }
}

impl Initial {
    fn check(&self) -> Result<(), FieldError> {
        match (self.mode, self.plane_wave) {
            (None, None) => Err(FieldError::new(
                "source.initial",
                "no initial field is given",
                "add `mode = { wave_vector = [3.14, 3.14, 3.14], amplitude = [1.0, -2.0, 1.0] }` or \
                 `plane_wave = { wave_vector = [6.28, 0.0, 0.0], amplitude = [0.0, 0.0, 1.0] }`",
            )),
            (Some(_), Some(_)) => Err(FieldError::new(
                "source.initial.plane_wave",
                "`mode` and `plane_wave` cannot both be given",
                "keep one of them",
            )),
            (Some(mode), None) => check_direction("source.initial.mode.wave_vector", mode.wave_vector)
                .and_then(|()| check_direction("source.initial.mode.amplitude", mode.amplitude)),
            (None, Some(wave)) => check_direction("source.initial.plane_wave.wave_vector", wave.wave_vector)
                .and_then(|()| check_direction("source.initial.plane_wave.amplitude", wave.amplitude)),
        }
    }
}
