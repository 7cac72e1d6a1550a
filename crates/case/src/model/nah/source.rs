//! `[source]`: the array signals, recorded, streamed or simulated.

use crate::model::angles::no_rotation;
use crate::model::checks::check_positive;
use crate::model::{Pair, Two};
use phasefront_core::units::FrequencyDim;
use phasefront_core::{Angle, FieldError, Frequency, Length, Sweep, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f64::consts::FRAC_PI_2;
use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroU32;

/// Default sample rate of simulated signals, Hz: 50 Hz frequency resolution with 1024 samples.
const SAMPLE_RATE: f64 = 51_200.0;
/// Default duration of simulated signals, s: a few spectra.
const DURATION: f64 = 0.1;

/// Array signals: a `file` or several `files`, a live stream received at `listen`, or simulated sources, any of `monopoles`, `modes`, `plane_waves`
/// and `plates`, with their `frequency`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "nah_source")]
pub struct Source {
    /// Recording (.wav, .rf64, .w64, .npy, .raw, .bits, .csv, .txt, .uff, .mat, .h5) or phasors (.csv, .npz); path relative to the case file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("minLength" = 1))]
    pub file: Option<String>,
    /// Recordings of one or several channels each, in the order of the microphones, in place of `file`; of equal sample rate and
    /// length.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(length(min = 1)))]
    pub files: Vec<String>,
    /// Name of the array of samples in a .mat or .h5 file with several; in .h5, a path such as "measurement/pressure". Default:
    /// `time_data` in .h5, else the only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("minLength" = 1))]
    pub variable: Option<String>,
    /// UDP address at which datagrams of the array are received: a port on the loopback interface, such as "4950", or an IP address
    /// and a port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("minLength" = 1))]
    pub listen: Option<String>,
    /// Playback rate of a recording or of simulated signals. Default: "full-speed".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Replay")]
    pub replay: Option<Replay>,
    /// Number of times the signals are played. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NonZeroU32")]
    pub repeat: Option<NonZeroU32>,
    /// Sample format of raw files and datagrams.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Format")]
    pub format: Option<Format>,
    /// Channel order in PDM streams. Default: "rows".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ChannelOrder")]
    pub channel_order: Option<ChannelOrder>,
    /// Sample rate, or bit rate of PDM streams. WAV files contain it. Default for simulated signals: 51.2 kHz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Frequency")]
    pub sample_rate: Option<Frequency>,
    /// Sound pressure at digital full scale (integer and PDM samples) or at a floating-point sample of 1, in Pa.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub full_scale: f64,
    /// Channels of the recording that are references and no microphones of the array, counted from 0: sensors near the sources. Requires
    /// `averaging = "cross-spectra"`, whose partial fields are then those coherent with the references.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<u32>,
    /// CSV file with the gains and phases of the microphones, in the columns `gain` and `phase_deg`, for which the signals are
    /// corrected; path relative to the case file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("minLength" = 1))]
    pub calibration: Option<String>,
    /// Frequencies of the simulated sources: one value, a list, or { from, to, points or step }. Required with simulated sources.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Sweep<FrequencyDim>")]
    pub frequency: Option<Sweep<FrequencyDim>>,
    /// Monopole sources.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub monopoles: Vec<Monopole>,
    /// Standing bending waves of an infinite plate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modes: Vec<Mode>,
    /// Plane waves propagating from the source plane to the array.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plane_waves: Vec<PlaneWave>,
    /// Simply supported plates in a rigid baffle.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plates: Vec<Plate>,
    /// Simulated sources are random and independent of each other, in a band of eight lines of a spectrum around each `frequency`; their
    /// strengths are then the root mean squares of the amplitudes in a line. Default: tones. Requires `signal = "samples"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub incoherent: Option<bool>,
    /// Signal type of the simulated sources. Default: "samples".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Signal")]
    pub signal: Option<Signal>,
    /// Duration of simulated signals or of the reception of a stream. Default: 0.1 s for simulated signals; streams are received
    /// until interrupted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Time")]
    pub duration: Option<Time>,
    /// Constant (dc) pressure added to simulated samples, in Pa. Default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub dc_offset: Option<f64>,
    /// Signal-to-noise ratio of the weakest tone per spectral line, in dB. Default: no noise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub snr_db: Option<f64>,
    /// Seed of the random-number generator for the noise.
    #[serde(default = "first_seed")]
    pub seed: u64,
}

fn one() -> f64 {
    1.0
}

fn first_seed() -> u64 {
    1
}

/// Sample format of raw files and datagrams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "nah_format")]
pub enum Format {
    /// 16-bit integers, little-endian.
    I16,
    /// 32-bit integers, little-endian.
    I32,
    /// 32-bit floats, little-endian.
    F32,
    /// Pulse-density modulation (PDM): one bit per microphone and sample, packed into 32-bit little-endian words.
    Pdm,
}

/// Playback rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "nah_replay")]
pub enum Replay {
    /// As fast as the holograms can be computed.
    FullSpeed,
    /// At the rate of the recording; data that cannot be processed in time is dropped and counted.
    RealTime,
}

/// Channel order in PDM streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "nah_channel_order")]
pub enum ChannelOrder {
    /// Row by row; the first microphone is the least significant bit of the first word.
    Rows,
    /// Sixteen tiles of 64 microphones, as in Sorama acoustic cameras with 1024 microphones.
    Sorama,
}

/// Signal type of simulated sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "nah_signal")]
pub enum Signal {
    /// Pressure samples (PCM).
    Samples,
    /// Bitstream of a second-order sigma-delta modulator, 32 bits per sample of `sample_rate`.
    Pdm,
    /// Phasors at the frequencies of the sources.
    Spectra,
}

/// Monopole source, p = A e^{-jkr}/r.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "nah_monopole")]
pub struct Monopole {
    /// Position [x, y] relative to the center of the array.
    pub position: Pair,
    /// Distance behind the source plane.
    pub depth: Length,
    /// Amplitude A at a distance of 1 m, in Pa m.
    #[serde(default = "one")]
    pub strength: f64,
}

/// Standing wave, p = A cos(k_x x) cos(k_y y) on the source plane.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "nah_mode")]
pub struct Mode {
    /// Wavenumbers k_x and k_y, in rad/m.
    pub wave_vector: Two<f64>,
    /// Pressure amplitude A, in Pa.
    #[serde(default = "one")]
    pub pressure: f64,
}

/// Plane wave, p = A e^{-j(k_x x + k_y y + k_z z)}, with z from the source plane to the array.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "nah_plane_wave")]
pub struct PlaneWave {
    /// Polar angle of the direction of propagation from the array normal; below 90 deg.
    pub theta: Angle,
    /// Azimuthal angle of the direction of propagation, from +x toward +y.
    #[serde(default = "no_rotation")]
    pub phi: Angle,
    /// Pressure amplitude A, in Pa.
    #[serde(default = "one")]
    pub pressure: f64,
}

/// Mode of a simply supported plate, normal velocity u = U sin(mπx/a) sin(nπy/b), centered in the source plane.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "nah_plate")]
pub struct Plate {
    /// Side lengths a and b.
    pub size: Pair,
    /// Mode indices m and n.
    pub mode: Two<NonZeroU32>,
    /// Velocity amplitude U, in m/s.
    #[serde(default = "one")]
    pub velocity: f64,
}

impl Source {
    /// Whether there are simulated sources.
    pub fn is_simulated(&self) -> bool {
        let waves = self.modes.is_empty() && self.plane_waves.is_empty();
        !(self.monopoles.is_empty() && waves && self.plates.is_empty())
    }

    /// Whether there are files of signals or phasors.
    pub fn is_recorded(&self) -> bool {
        self.file.is_some() || !self.files.is_empty()
    }

    /// Rejects references where they are no channels of a recording.
    fn check_references(&self) -> Result<(), FieldError> {
        if self.references.is_empty() {
            return Ok(());
        }
        let path = "source.references";
        if !self.is_recorded() {
            return Err(FieldError::new(path, "`references` are channels of a recording", "remove them"));
        }
        let first = |i: usize| self.references.iter().position(|other| *other == self.references[i]);
        if let Some(i) = (0..self.references.len()).find(|i| first(*i) != Some(*i)) {
            let message = format!("channel {} is listed twice", self.references[i]);
            return Err(FieldError::new(path, message, "list every channel once"));
        }
        Ok(())
    }

    pub(super) fn complete(&mut self) -> Result<(), FieldError> {
        match (self.is_recorded(), self.listen.is_some(), self.is_simulated()) {
            (false, false, false) => Err(FieldError::new(
                "source",
                "no signal is given",
                "add a recording, `file = \"array.wav\"`, a UDP port to receive a stream, `listen = \"4950\"`, or a simulated source, \
                 `monopoles = [{ position = [\"0 m\", \"0 m\"], depth = \"3 cm\" }]`",
            )),
            (true, false, false) => self.check_file(),
            (false, true, false) => self.check_listen(),
            (false, false, true) => self.complete_simulation(),
            (file, ..) => Err(FieldError::new(
                if !file {
                    "source.listen"
                } else if self.file.is_some() {
                    "source.file"
                } else {
                    "source.files"
                },
                "`file`, `listen` and simulated sources are mutually exclusive",
                "keep one of them",
            )),
        }?;
        self.check_references()?;
        if self.variable.is_some() && !self.is_recorded() {
            let message = "`variable` applies to files only";
            return Err(FieldError::new("source.variable", message, "remove it"));
        }
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

    /// Rejects keys of simulated sources.
    fn check_not_simulated(&self, what: &str) -> Result<(), FieldError> {
        let keys = [
            ("frequency", self.frequency.is_some()),
            ("signal", self.signal.is_some()),
            ("incoherent", self.incoherent.is_some()),
            ("duration", self.duration.is_some() && self.listen.is_none()),
            ("dc_offset", self.dc_offset.is_some()),
            ("snr_db", self.snr_db.is_some()),
        ];
        if let Some((key, _)) = keys.iter().find(|(_, given)| *given) {
            let message = format!("`{key}` applies to simulated sources only, and this source is {what}");
            return Err(FieldError::new(format!("source.{key}"), message, "remove it"));
        }
        Ok(())
    }

    /// UDP address of `listen`.
    pub fn address(&self) -> Result<Option<SocketAddr>, FieldError> {
        let Some(listen) = &self.listen else { return Ok(None) };
        let port = |listen: &str| listen.parse().map(|port: u16| (Ipv4Addr::LOCALHOST, port).into()).ok();
        let address = listen.parse().ok().or_else(|| port(listen));
        address.filter(|address: &SocketAddr| address.port() != 0).map(Some).ok_or_else(|| {
            let message = format!("\"{listen}\" is not a UDP port or an IP address with a port");
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
                let message = format!("`{key}` does not apply to live streams");
                return Err(FieldError::new(format!("source.{key}"), message, "remove it"));
            }
        }
        if !matches!(self.format, Some(Format::I32 | Format::Pdm)) {
            let message = "`listen` requires `format`: \"i32\" for 32-bit integers or \"pdm\" for PDM bits";
            return Err(FieldError::new(
                "source.format",
                message,
                "write `format = \"i32\"` or `format = \"pdm\"`",
            ));
        }
        if self.format == Some(Format::I32) && self.sample_rate.is_none() {
            let message = "the sample rate is missing; datagrams do not contain it";
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
                "write for example `duration = \"60 s\"`, or omit it and stop the run with Ctrl-C",
            )?;
        }
        Ok(())
    }

    fn check_file(&self) -> Result<(), FieldError> {
        self.check_not_simulated("a file")?;
        if self.file.is_some() && !self.files.is_empty() {
            let message = "`file` and `files` are mutually exclusive";
            return Err(FieldError::new("source.files", message, "keep one of them"));
        }
        let named = [("file", &self.file), ("calibration", &self.calibration), ("variable", &self.variable)];
        let named =
            named.into_iter().filter_map(|(key, name)| Some((format!("source.{key}"), name.as_ref()?)));
        let listed = self.files.iter().enumerate().map(|(i, name)| (format!("source.files[{i}]"), name));
        let Some((path, _)) = named.chain(listed).find(|(_, name)| name.is_empty()) else { return Ok(()) };
        let advice = "give its path relative to the case file, or the name of an array";
        Err(FieldError::new(path, "the name is empty", advice))
    }

    fn complete_simulation(&mut self) -> Result<(), FieldError> {
        if self.format.is_some() || self.channel_order.is_some() {
            let key = if self.format.is_some() { "format" } else { "channel_order" };
            let message = format!("`{key}` applies to files and streams only, and this source is simulated");
            return Err(FieldError::new(format!("source.{key}"), message, "remove it"));
        }
        let Some(frequency) = &self.frequency else {
            let advice = "write for example `frequency = \"1 kHz\"`";
            return Err(FieldError::new("source.frequency", "simulated sources require `frequency`", advice));
        };
        if frequency.values().iter().any(|f| *f <= 0.0) {
            return Err(FieldError::new(
                "source.frequency",
                "frequencies must be positive",
                "write for example \"1 kHz\"",
            ));
        }
        for (i, monopole) in self.monopoles.iter().enumerate() {
            let path = format!("source.monopoles[{i}].depth");
            check_positive(
                path,
                "the depth",
                monopole.depth.si(),
                "give the distance behind the source plane, for example \"3 cm\"",
            )?;
        }
        for (i, wave) in self.plane_waves.iter().enumerate() {
            if !(0.0..FRAC_PI_2).contains(&wave.theta.si()) {
                return Err(FieldError::new(
                    format!("source.plane_waves[{i}].theta"),
                    "`theta` must be from 0 deg to below 90 deg for a wave that propagates to the array",
                    "write for example `theta = \"30 deg\"`",
                ));
            }
        }
        for (i, plate) in self.plates.iter().enumerate() {
            for side in plate.size.si() {
                check_positive(
                    format!("source.plates[{i}].size"),
                    "each side of the plate",
                    side,
                    "write for example `size = [\"0.4 m\", \"0.3 m\"]`",
                )?;
            }
        }
        let signal = *self.signal.get_or_insert(Signal::Samples);
        if self.incoherent == Some(true) && signal != Signal::Samples {
            let message = "`incoherent` sources require signal = \"samples\"";
            return Err(FieldError::new("source.incoherent", message, "remove it, or `signal`"));
        }
        if signal == Signal::Spectra {
            return Ok(());
        }
        self.sample_rate.get_or_insert_with(|| Frequency::from_si(SAMPLE_RATE));
        let duration = self.duration.get_or_insert_with(|| Time::from_si(DURATION));
        check_positive(
            "source.duration",
            "`duration`",
            duration.si(),
            "write for example `duration = \"0.1 s\"`",
        )
    }
}
