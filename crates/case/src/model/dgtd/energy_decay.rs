//! Energy criterion for ending a run early: a decay in decibels, or `false`.

use phasefront_core::units::complaint;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// Decay of the field energy below its peak that ends a run: `50`, in dB, or `false` to run until `max_time`.
///
/// ```
/// use phasefront_case::model::dgtd::EnergyDecay;
/// assert_eq!(serde_json::from_str::<EnergyDecay>("60").unwrap(), EnergyDecay::At(60.0));
/// assert_eq!(serde_json::from_str::<EnergyDecay>("false").unwrap(), EnergyDecay::Never);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum EnergyDecay {
    /// Ends at this decay below the peak energy, in dB.
    At(f64),
    /// Ends at `max_time`: `false`.
    Never,
}

/// Accepted decay, in dB: less is no decay, more is below double-precision rounding.
pub(super) const RANGE: [f64; 2] = [3.0, 300.0];

/// Accepted forms, for messages.
const ADVICE: &str = "write for example `energy_decay_db = 50`, the default, or `energy_decay_db = false` to run until `max_time`";

struct EnergyDecayVisitor;

impl Visitor<'_> for EnergyDecayVisitor {
    type Value = EnergyDecay;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a decay in dB such as 50, or false")
    }
    fn visit_bool<E: Error>(self, value: bool) -> Result<EnergyDecay, E> {
        if value { Err(complaint("`true` is not a decay in dB", ADVICE)) } else { Ok(EnergyDecay::Never) }
    }
    fn visit_f64<E: Error>(self, decibels: f64) -> Result<EnergyDecay, E> {
        if (RANGE[0]..=RANGE[1]).contains(&decibels) {
            return Ok(EnergyDecay::At(decibels));
        }
        let message = format!("the energy decay must be from {} to {} dB", RANGE[0], RANGE[1]);
        Err(complaint(message, ADVICE))
    }
    fn visit_i64<E: Error>(self, value: i64) -> Result<EnergyDecay, E> {
        self.visit_f64(value as f64)
    }
    fn visit_u64<E: Error>(self, value: u64) -> Result<EnergyDecay, E> {
        self.visit_f64(value as f64)
    }
}

impl<'de> Deserialize<'de> for EnergyDecay {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EnergyDecayVisitor)
    }
}

impl Serialize for EnergyDecay {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::At(decibels) => serializer.serialize_f64(*decibels),
            Self::Never => serializer.serialize_bool(false),
        }
    }
}

impl JsonSchema for EnergyDecay {
    fn schema_name() -> Cow<'static, str> {
        "dgtd_energy_decay_db".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Energy decay below the peak, in dB, or false.",
            "anyOf": [{ "type": "number", "minimum": RANGE[0], "maximum": RANGE[1] }, { "const": false }],
        })
    }
}
