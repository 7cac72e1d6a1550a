//! `[output]`: what is wanted.

use super::Source;
use phasefront_core::{Angle, FieldError, Frequency};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::f64::consts::FRAC_PI_2;
use std::fmt;
use std::num::NonZeroU32;

/// Steps of a sweep that is even differ by no more than this, relative to the step: lists are written in few digits.
const EVEN: f64 = 1e-6;
/// Angles and frequencies within this, in radians or relative to the frequency, are the same: `{ from, to, points }` reaches them
/// with rounding.
const SAME: f64 = 1e-9;

/// What is wanted.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "sbr_output")]
pub struct Output {
    /// Whether to write the radar cross sections.
    pub rcs: bool,
    /// The echo against range, from a frequency sweep; none if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "RangeProfile")]
    pub range_profile: Option<RangeProfile>,
    /// An image of the target, from frequencies times angles; none if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Isar")]
    pub isar: Option<Isar>,
    /// Where on the target the echo comes from: true for the strongest look, or { theta, phi, frequency }.
    pub hotspots: HotSpots,
}

impl Default for Output {
    fn default() -> Self {
        Self { rcs: true, range_profile: None, isar: None, hotspots: HotSpots::None }
    }
}

/// The echo against range.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "sbr_range_profile")]
pub struct RangeProfile {
    /// How frequencies are weighted: less at the ends makes lower side lobes.
    pub window: Window,
    /// How many times finer than the resolution the profile is sampled.
    #[schemars(extend("minimum" = 1, "maximum" = MAX_OVERSAMPLING))]
    pub oversampling: NonZeroU32,
}

/// An image of the target.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "sbr_isar")]
pub struct Isar {
    /// How frequencies and angles are weighted: less at the ends makes lower side lobes.
    pub window: Window,
    /// How many times finer than the resolution the image is sampled.
    #[schemars(extend("minimum" = 1, "maximum" = MAX_OVERSAMPLING))]
    pub oversampling: NonZeroU32,
}

/// More oversampling shows nothing more.
const MAX_OVERSAMPLING: u32 = 64;
/// Widest span of the angles of an image: beyond a quarter turn there is no one direction that is down range.
const WIDEST: f64 = FRAC_PI_2;

/// Samples to a cell of resolution: enough for a smooth curve.
const OVERSAMPLING: NonZeroU32 = NonZeroU32::MIN.saturating_add(3);

impl Default for RangeProfile {
    fn default() -> Self {
        Self { window: Window::default(), oversampling: OVERSAMPLING }
    }
}

impl Default for Isar {
    fn default() -> Self {
        Self { window: Window::default(), oversampling: OVERSAMPLING }
    }
}

/// Weights over a band or a span of angles, which trade a wider peak for lower side lobes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "sbr_window")]
pub enum Window {
    /// All alike: the sharpest, with side lobes 13 dB down.
    None,
    /// Raised cosine: side lobes 32 dB down, falling fast.
    Hann,
    /// Raised cosine on a pedestal: side lobes 43 dB down.
    Hamming,
    /// Taylor's, with side lobes 35 dB down: what radar images commonly take.
    #[default]
    Taylor,
}

/// Which look is told facet by facet.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum HotSpots {
    /// None: `false`.
    #[default]
    None,
    /// The one with the strongest echo: `true`.
    Strongest,
    /// One of those of the case.
    Look(HotSpotLook),
}

/// A look of the case, by where the transmitter stands. Of several frequencies or receivers that are left, the strongest.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "sbr_hotspot_look")]
pub struct HotSpotLook {
    /// Angle of the radar from +z, one of `source.theta`.
    pub theta: Angle,
    /// Angle of the radar from +x, one of `source.phi`.
    pub phi: Angle,
    /// One of `source.frequency`; the one with the strongest echo if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Frequency")]
    pub frequency: Option<Frequency>,
}

impl HotSpotLook {
    /// Whether a direction, in radians, and a frequency, in hertz, are those meant.
    pub fn is(&self, theta: f64, phi: f64, frequency: f64) -> bool {
        (theta - self.theta.si()).abs() <= SAME
            && (phi - self.phi.si()).abs() <= SAME
            && self.frequency.is_none_or(|f| (frequency - f.si()).abs() <= SAME * frequency)
    }
}

impl Output {
    /// Refuses what the sweeps of the source cannot give.
    pub(super) fn check(&self, source: &Source) -> Result<(), FieldError> {
        if !self.rcs && self.range_profile.is_none() && self.isar.is_none() && self.hotspots == HotSpots::None
        {
            let advice = "leave out `rcs = false`, or ask for a range_profile, isar or hotspots";
            return Err(FieldError::new("output.rcs", "nothing is asked for", advice));
        }
        let profile = self.range_profile.map(|asked| ("range_profile", asked.oversampling.get()));
        let image = self.isar.map(|asked| ("isar", asked.oversampling.get()));
        for (key, oversampling) in profile.into_iter().chain(image) {
            check_frequencies(key, source)?;
            if oversampling > MAX_OVERSAMPLING {
                let path = format!("output.{key}.oversampling");
                let message = format!("more than {MAX_OVERSAMPLING} samples to a cell show nothing more");
                return Err(FieldError::new(
                    path,
                    message,
                    "write for example `oversampling = 4`, the default",
                ));
            }
        }
        if self.isar.is_some() {
            check_isar(source)?;
        }
        self.check_hotspots(source)
    }

    fn check_hotspots(&self, source: &Source) -> Result<(), FieldError> {
        let HotSpots::Look(look) = &self.hotspots else { return Ok(()) };
        let near = |a: f64, b: f64, scale: f64| (a - b).abs() <= SAME * scale;
        let missing = |key: &str| {
            let message = format!("this {key} is not among those of [source]");
            let advice = format!("give one of `source.{key}`: hot spots are those of a look of the case");
            Err(FieldError::new(format!("output.hotspots.{key}"), message, advice))
        };
        if !source.theta.values().iter().any(|&a| near(a, look.theta.si(), 1.0)) {
            return missing("theta");
        }
        if !source.phi.values().iter().any(|&a| near(a, look.phi.si(), 1.0)) {
            return missing("phi");
        }
        if let Some(frequency) = look.frequency
            && !source.frequency.values().iter().any(|&f| near(f, frequency.si(), f))
        {
            return missing("frequency");
        }
        Ok(())
    }
}

/// Ranges take even steps of frequency, and a receiver where the transmitter is.
fn check_frequencies(key: &str, source: &Source) -> Result<(), FieldError> {
    let path = format!("output.{key}");
    let frequencies = source.frequency.values();
    if frequencies.len() < 2 || !is_even(&frequencies) {
        return Err(FieldError::new(
            path,
            "it takes at least two frequencies, evenly spaced and rising",
            "give for example `frequency = { from = \"9 GHz\", to = \"11 GHz\", points = 64 }` in [source]",
        ));
    }
    if source.observe.is_some() {
        let message = "it takes a receiver where the transmitter is";
        return Err(FieldError::new(path, message, format!("remove `observe` from [source], or `{key}`")));
    }
    Ok(())
}

/// An image takes one angle that goes in even steps.
fn check_isar(source: &Source) -> Result<(), FieldError> {
    let [theta, phi] = [source.theta.values(), source.phi.values()];
    let swept = match (theta.len(), phi.len()) {
        (1, many) if many > 1 => is_even(&phi),
        (many, 1) if many > 1 => is_even(&theta),
        _ => false,
    };
    if !swept {
        return Err(FieldError::new(
            "output.isar",
            "an image takes frequencies and one angle, `theta` or `phi`, in even rising steps; the other one is fixed",
            "give for example `theta = \"90 deg\"` and `phi = { from = \"-5 deg\", to = \"5 deg\", points = 64 }`",
        ));
    }
    let span = |angles: &[f64]| angles[angles.len() - 1] - angles[0];
    if span(&theta).max(span(&phi)) > WIDEST * (1.0 + SAME) {
        return Err(FieldError::new(
            "output.isar",
            "the angles of an image span 90 degrees at most",
            "split the turn into several cases, each with its image",
        ));
    }
    // Turned about z, the target is imaged on the ground, which a radar straight above or below sees without range.
    if phi.len() > 1 && theta[0].sin().abs() < SAME {
        return Err(FieldError::new(
            "output.isar",
            "seen along z, a turn about z brings nothing nearer",
            "take another `theta`, or sweep `theta` and fix `phi`",
        ));
    }
    Ok(())
}

/// Whether values rise in equal steps.
fn is_even(values: &[f64]) -> bool {
    let (Some(first), Some(last)) = (values.first(), values.last()) else { return false };
    let step = (last - first) / (values.len() - 1).max(1) as f64;
    let off = |(i, value): (usize, &f64)| (value - (first + step * i as f64)).abs();
    step > 0.0 && values.iter().enumerate().map(off).all(|off| off <= EVEN * step)
}

struct HotSpotsVisitor;

impl<'de> Visitor<'de> for HotSpotsVisitor {
    type Value = HotSpots;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "true, false or a table such as {{ theta = \"90 deg\", phi = \"0 deg\" }}")
    }
    fn visit_bool<E: Error>(self, wanted: bool) -> Result<HotSpots, E> {
        Ok(if wanted { HotSpots::Strongest } else { HotSpots::None })
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<HotSpots, A::Error> {
        HotSpotLook::deserialize(MapAccessDeserializer::new(map)).map(HotSpots::Look)
    }
}

impl<'de> Deserialize<'de> for HotSpots {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(HotSpotsVisitor)
    }
}

impl Serialize for HotSpots {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::None => serializer.serialize_bool(false),
            Self::Strongest => serializer.serialize_bool(true),
            Self::Look(look) => look.serialize(serializer),
        }
    }
}

impl JsonSchema for HotSpots {
    fn schema_name() -> Cow<'static, str> {
        "sbr_hotspots".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let look = generator.subschema_for::<HotSpotLook>();
        json_schema!({
            "description": "Which look is told facet by facet.",
            "anyOf": [{ "type": "boolean" }, look],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_steps_rise() {
        assert!(is_even(&[1.0, 2.0, 3.0]) && is_even(&[9e9, 9.33333333e9, 9.66666667e9, 1e10]));
        assert!(!is_even(&[1.0]) && !is_even(&[]) && !is_even(&[1.0, 1.0]));
        assert!(!is_even(&[3.0, 2.0, 1.0]) && !is_even(&[1.0, 2.0, 4.0]));
    }
}
