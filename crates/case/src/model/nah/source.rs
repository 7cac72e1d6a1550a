//! `[source]`: what the array hears.

use crate::model::checks::check_positive;
use crate::model::{Pair, Two};
use phasefront_core::units::FrequencyDim;
use phasefront_core::{Angle, FieldError, Frequency, Length, Sweep, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f64::consts::FRAC_PI_2;
use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroU32;

/// Samples a second of simulated signals, Hz: lines of 1024 samples are 50 Hz apart.
const RATE: f64 = 51_200.0;
/// Length of simulated signals, s: a few spectra.
const DURATION: f64 = 0.1;

/// What the array hears: a `file`, what it sends to `listen`, or any of `monopoles`, `modes`, `plane_waves` and `plates` with their `frequency`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "nah_source")]
pub struct Source {
    /// A recording, relative to the case file: .wav, .npy, .raw, .bits; or phasors: .csv, .npz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("minLength" = 1))]
    pub file: Option<String>,
    /// Where the array sends datagrams to while it hears: a port of this machine that only its own programs reach, such as "4950", or an address and a
    /// port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("minLength" = 1))]
    pub listen: Option<String>,
    /// How fast a recording, or what is made in code, is heard; at full speed if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Replay")]
    pub replay: Option<Replay>,
    /// How many times in a row it is heard; once if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NonZeroU32")]
    pub repeat: Option<NonZeroU32>,
    /// What the numbers of a raw file or of datagrams are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Format")]
    pub format: Option<Format>,
    /// The order of microphones in streams of bits; row by row if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ChannelOrder")]
    pub channel_order: Option<ChannelOrder>,
    /// Samples a second, bits a second for streams of bits. WAV files tell it; simulated signals have 51.2 kHz if it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Frequency")]
    pub sample_rate: Option<Frequency>,
    /// Pressure of a sample of one, of full scale for whole numbers and bits, in Pa; 1 if left out.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub full_scale: f64,
    /// Gains and phases of microphones, relative to the case file: a CSV file with the columns `gain` and `phase_deg`, which the microphones add
    /// and which are taken away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("minLength" = 1))]
    pub calibration: Option<String>,
    /// Frequencies of the sources made in code: one, a list of them, or { from, to, points }.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Sweep<FrequencyDim>")]
    pub frequency: Option<Sweep<FrequencyDim>>,
    /// Points that sound the same in all directions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub monopoles: Vec<Monopole>,
    /// Bending waves that stand on an infinite plate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modes: Vec<Mode>,
    /// Plane waves that travel away from the source plane.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plane_waves: Vec<PlaneWave>,
    /// Plates in a rigid wall, with supported rims.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plates: Vec<Plate>,
    /// How the sources made in code are heard; as samples if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Signal")]
    pub signal: Option<Signal>,
    /// How long they are heard, 0.1 s if left out; or how long datagrams are listened to, until it is stopped if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Time")]
    pub duration: Option<Time>,
    /// A pressure that does not change, added to the samples, in Pa; none if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub dc_offset: Option<f64>,
    /// How far noise is below the weakest tone in each line of a spectrum, in dB; no noise if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub snr_db: Option<f64>,
    /// Seed of the noise.
    #[serde(default = "first_seed")]
    pub seed: u64,
}

fn one() -> f64 {
    1.0
}

fn first_seed() -> u64 {
    1
}

/// What the numbers of a raw file are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "nah_format")]
pub enum Format {
    /// Whole numbers of 16 bits, little end first.
    I16,
    /// Whole numbers of 32 bits, little end first.
    I32,
    /// Floating-point numbers of 32 bits, little end first.
    F32,
    /// One bit of each microphone at a time, in words of 32, little end first.
    Pdm,
}

/// How fast a recording is heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "nah_replay")]
pub enum Replay {
    /// As fast as holograms are made.
    FullSpeed,
    /// As fast as it was recorded; what is too fast for this machine is left out and counted.
    RealTime,
}

/// The order of microphones in streams of bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "nah_channel_order")]
pub enum ChannelOrder {
    /// Row by row, the first microphone in the lowest bit of the first word.
    Rows,
    /// Sixteen tiles of 64, as Sorama's cameras with 1024 microphones have them.
    Sorama,
}

/// How sources made in code are heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "nah_signal")]
pub enum Signal {
    /// As samples.
    Samples,
    /// As bits of a sigma-delta modulator of second order, 32 of them for each sample of `sample_rate`.
    Pdm,
    /// As phasors.
    Spectra,
}

/// p = A e^{-jkr}/r.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "nah_monopole")]
pub struct Monopole {
    /// Where it is, from the middle of the array.
    pub position: Pair,
    /// How far behind the source plane.
    pub depth: Length,
    /// A, in Pa m: the amplitude at a distance of one meter.
    #[serde(default = "one")]
    pub strength: f64,
}

/// p = A cos(`k_x` x) cos(`k_y` y) on the source plane.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "nah_mode")]
pub struct Mode {
    /// `k_x` and `k_y`, in rad/m.
    pub wave_vector: Two<f64>,
    /// A, in Pa.
    #[serde(default = "one")]
    pub pressure: f64,
}

/// p = A e^{-j(`k_x` x + `k_y` y + `k_z` z)}, z from the source plane to the array.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "nah_plane_wave")]
pub struct PlaneWave {
    /// From straight on, which is zero; below 90 degrees.
    pub theta: Angle,
    /// Around that, from the x axis towards the y axis.
    #[serde(default = "no_turn")]
    pub phi: Angle,
    /// A, in Pa.
    #[serde(default = "one")]
    pub pressure: f64,
}

fn no_turn() -> Angle {
    Angle::from_si(0.0)
}

/// u = U sin(m pi x/a) sin(n pi y/b) on a plate around the middle of the source plane.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "nah_plate")]
pub struct Plate {
    /// a and b.
    pub size: Pair,
    /// m and n.
    pub mode: Two<NonZeroU32>,
    /// U, in m/s.
    #[serde(default = "one")]
    pub velocity: f64,
}

impl Source {
    /// Whether anything is made in code.
    pub fn is_simulated(&self) -> bool {
        let waves = self.modes.is_empty() && self.plane_waves.is_empty();
        !(self.monopoles.is_empty() && waves && self.plates.is_empty())
    }

    pub(super) fn complete(&mut self) -> Result<(), FieldError> {
        match (self.file.is_some(), self.listen.is_some(), self.is_simulated()) {
            (false, false, false) => Err(FieldError::new(
                "source",
                "nothing sounds",
                "add a recording, `file = \"array.wav\"`, a port that an array sends to, `listen = \"4950\"`, or a source made in code, \
                 `monopoles = [{ position = [\"0 m\", \"0 m\"], depth = \"3 cm\" }]`",
            )),
            (true, false, false) => self.check_file(),
            (false, true, false) => self.check_listen(),
            (false, false, true) => self.complete_simulation(),
            (file, ..) => Err(FieldError::new(
                if file { "source.file" } else { "source.listen" },
                "only one of a file, a port to listen at and sources made in code can be given",
                "keep one of them",
            )),
        }?;
        check_positive(
            "source.full_scale",
            "`full_scale`",
            self.full_scale,
            "write for example `full_scale = 20.0`, in Pa",
        )?;
        if let Some(rate) = self.sample_rate {
            check_positive(
                "source.sample_rate",
                "`sample_rate`",
                rate.si(),
                "write for example `sample_rate = \"48 kHz\"`",
            )?;
        }
        Ok(())
    }

    /// Refuses keys of sources made in code.
    fn check_not_simulated(&self, what: &str) -> Result<(), FieldError> {
        let keys = [
            ("frequency", self.frequency.is_some()),
            ("signal", self.signal.is_some()),
            ("duration", self.duration.is_some() && self.listen.is_none()),
            ("dc_offset", self.dc_offset.is_some()),
            ("snr_db", self.snr_db.is_some()),
        ];
        if let Some((key, _)) = keys.iter().find(|(_, given)| *given) {
            let message = format!("`{key}` goes with sources made in code, and this one is {what}");
            return Err(FieldError::new(format!("source.{key}"), message, "remove it"));
        }
        Ok(())
    }

    /// Where to listen.
    pub fn address(&self) -> Result<Option<SocketAddr>, FieldError> {
        let Some(listen) = &self.listen else { return Ok(None) };
        let port = |listen: &str| listen.parse().map(|port: u16| (Ipv4Addr::LOCALHOST, port).into()).ok();
        let address = listen.parse().ok().or_else(|| port(listen));
        address.filter(|address: &SocketAddr| address.port() != 0).map(Some).ok_or_else(|| {
            let message = format!("\"{listen}\" is no port and no address with a port");
            FieldError::new(
                "source.listen",
                message,
                "write for example `listen = \"4950\"`, or \"192.168.1.7:4950\"",
            )
        })
    }

    fn check_listen(&self) -> Result<(), FieldError> {
        self.check_not_simulated("a stream")?;
        self.address()?;
        for (key, given) in [("replay", self.replay.is_some()), ("repeat", self.repeat.is_some())] {
            if given {
                let message = format!("`{key}` goes with a recording, and a stream is heard as it comes");
                return Err(FieldError::new(format!("source.{key}"), message, "remove it"));
            }
        }
        if !matches!(self.format, Some(Format::I32 | Format::Pdm)) {
            let message = "datagrams hold whole numbers of 32 bits, or bits, and `format` must say which";
            return Err(FieldError::new(
                "source.format",
                message,
                "write `format = \"i32\"` or `format = \"pdm\"`",
            ));
        }
        if self.format == Some(Format::I32) && self.sample_rate.is_none() {
            let message = "datagrams do not tell how many samples a second there are";
            return Err(FieldError::new(
                "source.sample_rate",
                message,
                "write for example `sample_rate = \"48 kHz\"`",
            ));
        }
        if let Some(duration) = self.duration {
            check_positive(
                "source.duration",
                "`duration`",
                duration.si(),
                "write for example `duration = \"60 s\"`, or leave it out and stop it by Ctrl-C",
            )?;
        }
        Ok(())
    }

    fn check_file(&self) -> Result<(), FieldError> {
        self.check_not_simulated("a file")?;
        let empty = |file: &Option<String>| file.as_ref().is_some_and(String::is_empty);
        for (key, file) in [("file", &self.file), ("calibration", &self.calibration)] {
            if empty(file) {
                let advice = "give its path from the case file";
                return Err(FieldError::new(
                    format!("source.{key}"),
                    "the name of the file is empty",
                    advice,
                ));
            }
        }
        Ok(())
    }

    fn complete_simulation(&mut self) -> Result<(), FieldError> {
        if self.format.is_some() || self.channel_order.is_some() {
            let key = if self.format.is_some() { "format" } else { "channel_order" };
            let message = format!("`{key}` goes with a file, and this source is made in code");
            return Err(FieldError::new(format!("source.{key}"), message, "remove it"));
        }
        let Some(frequency) = &self.frequency else {
            let advice = "write for example `frequency = \"1 kHz\"`";
            return Err(FieldError::new(
                "source.frequency",
                "sources made in code need their frequency",
                advice,
            ));
        };
        if frequency.values().iter().any(|f| *f <= 0.0) {
            return Err(FieldError::new(
                "source.frequency",
                "a frequency must be above zero",
                "write for example \"1 kHz\"",
            ));
        }
        for (i, monopole) in self.monopoles.iter().enumerate() {
            let path = format!("source.monopoles[{i}].depth");
            check_positive(
                path,
                "the depth",
                monopole.depth.si(),
                "give how far it is behind the source plane, for example \"3 cm\"",
            )?;
        }
        for (i, wave) in self.plane_waves.iter().enumerate() {
            if !(0.0..FRAC_PI_2).contains(&wave.theta.si()) {
                return Err(FieldError::new(
                    format!("source.plane_waves[{i}].theta"),
                    "a wave that goes to the array is less than 90 degrees from straight on",
                    "write for example `theta = \"30 deg\"`",
                ));
            }
        }
        for (i, plate) in self.plates.iter().enumerate() {
            for side in plate.size.si() {
                check_positive(
                    format!("source.plates[{i}].size"),
                    "a side",
                    side,
                    "write for example `size = [\"0.4 m\", \"0.3 m\"]`",
                )?;
            }
        }
        let signal = *self.signal.get_or_insert(Signal::Samples);
        if signal == Signal::Spectra {
            return Ok(());
        }
        self.sample_rate.get_or_insert_with(|| Frequency::from_si(RATE));
        let duration = self.duration.get_or_insert_with(|| Time::from_si(DURATION));
        check_positive(
            "source.duration",
            "`duration`",
            duration.si(),
            "write for example `duration = \"0.1 s\"`",
        )
    }
}
