//! `[output]`: requested outputs.

use super::Source;
use super::antenna::{self, Antenna};
use crate::model::directions::{Angles, pairs_of_angles};
use crate::model::{Directions, Toggle, ToggleTable};
use phasefront_core::{Angle, FieldError, Frequency};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f64::consts::FRAC_PI_2;
use std::num::NonZeroU32;

/// Tolerance on equal steps, relative to the step: lists are written with few digits.
const EVEN: f64 = 1e-6;
/// Angles (in radians) and frequencies (relative) this close are the same: `{ from, to, points }` rounds.
const SAME: f64 = 1e-9;

/// Requested outputs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "sbr_output")]
pub struct Output {
    /// Radar cross section: true for monostatic RCS, { theta, phi } or { azimuth, elevation } of receivers for bistatic RCS, each for
    /// every direction of the transmitter; false for none.
    pub rcs: Toggle<Directions>,
    /// Receivers at positions, each for every one of `source.transmitters`. Default: each transmitter receives its own echo.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<Antenna>", extend("minItems" = 1))]
    pub receivers: Option<Vec<Antenna>>,
    /// High-resolution range profile from a frequency sweep. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "RangeProfile")]
    pub range_profile: Option<RangeProfile>,
    /// ISAR image from a sweep of frequency and one of angle. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Isar")]
    pub isar: Option<Isar>,
    /// Contribution of each facet to the echo: true for the aspect with the strongest echo, or { theta, phi, frequency }.
    pub hotspots: Toggle<HotSpotAspect>,
}

impl Default for Output {
    fn default() -> Self {
        Self { rcs: Toggle::On, receivers: None, range_profile: None, isar: None, hotspots: Toggle::Off }
    }
}

/// High-resolution range profile.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "sbr_range_profile")]
pub struct RangeProfile {
    /// Window over frequency, which lowers range sidelobes.
    pub window: Window,
    /// Samples per resolution cell.
    #[schemars(extend("minimum" = 1, "maximum" = MAX_OVERSAMPLING))]
    pub oversampling: NonZeroU32,
}

/// ISAR image.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "sbr_isar")]
pub struct Isar {
    /// Window over frequency and angle, which lowers sidelobes in range and cross range.
    pub window: Window,
    /// Samples per resolution cell.
    #[schemars(extend("minimum" = 1, "maximum" = MAX_OVERSAMPLING))]
    pub oversampling: NonZeroU32,
}

/// Finer sampling adds no information.
const MAX_OVERSAMPLING: u32 = 64;
/// Widest angular span of an image: beyond a quarter turn no single direction is down range.
const MAX_SPAN: f64 = FRAC_PI_2;

/// Samples per resolution cell, enough for a smooth curve.
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

/// Window over a band or an angular span, which trades resolution for lower sidelobes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "sbr_window")]
pub enum Window {
    /// Uniform: the finest resolution, sidelobes at -13 dB.
    None,
    /// Hann: sidelobes at -32 dB, decaying fast.
    Hann,
    /// Hamming: sidelobes at -43 dB.
    Hamming,
    /// Taylor, with sidelobes at -35 dB: the common choice for radar images.
    #[default]
    Taylor,
}

/// Aspect of the case, given by the direction of the transmitter. Of several frequencies or receivers, the one with the strongest
/// echo is used.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "sbr_hotspot_aspect", extend("oneOf" = pairs_of_angles()))]
pub struct HotSpotAspect {
    /// Polar angle of the transmitter from +z, one of `source.theta`. Give it with `phi`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Angle")]
    pub theta: Option<Angle>,
    /// Azimuthal angle of the transmitter from +x toward +y, one of `source.phi`. Give it with `theta`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Angle")]
    pub phi: Option<Angle>,
    /// Azimuth of the transmitter, the same angle as `phi`. Give it with `elevation`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Angle")]
    pub azimuth: Option<Angle>,
    /// Elevation of the transmitter, 90 deg - `theta`. Give it with `azimuth`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Angle")]
    pub elevation: Option<Angle>,
    /// One of `source.frequency`. Default: the one with the strongest echo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Frequency")]
    pub frequency: Option<Frequency>,
}

impl ToggleTable for HotSpotAspect {
    const NAME: &'static str = "sbr_hotspots";
    const EXAMPLE: &'static str = "{ theta = \"90 deg\", phi = \"0 deg\" }";
    const DESCRIPTION: &'static str =
        "true for the aspect with the strongest echo, or an aspect of the case.";
}

impl ToggleTable for Directions {
    const NAME: &'static str = "sbr_rcs";
    const EXAMPLE: &'static str = "{ theta = \"90 deg\", phi = \"30 deg\" }";
    const DESCRIPTION: &'static str =
        "true for monostatic RCS, or the directions of receivers for bistatic RCS.";
}

impl HotSpotAspect {
    /// The keys that give the direction.
    pub fn angles(&self) -> Angles<'_, Angle> {
        Angles {
            theta: self.theta.as_ref(),
            phi: self.phi.as_ref(),
            azimuth: self.azimuth.as_ref(),
            elevation: self.elevation.as_ref(),
        }
    }

    /// Whether a direction, in radians, and a frequency, in hertz, are those meant.
    pub fn is(&self, theta: f64, phi: f64, frequency: f64) -> bool {
        let [own_theta, own_phi] = self.angles().theta_phi();
        (theta - own_theta).abs() <= SAME
            && (phi - own_phi).abs() <= SAME
            && self.frequency.is_none_or(|f| (frequency - f.si()).abs() <= SAME * frequency)
    }
}

impl Output {
    /// Refuses what the sweeps of the source cannot give.
    pub(super) fn check(&self, source: &Source) -> Result<(), FieldError> {
        let images = self.range_profile.is_some() || self.isar.is_some();
        if self.rcs == Toggle::Off && !images && self.hotspots == Toggle::Off {
            let advice = "remove `rcs = false`, or request a `range_profile`, `isar` or `hotspots`";
            return Err(FieldError::new("output.rcs", "no output is requested", advice));
        }
        if source.transmitters.is_some() {
            return self.check_positions();
        }
        if self.receivers.is_some() {
            let message = "receivers at positions need transmitters at positions";
            let advice = "give `source.transmitters` in place of directions, or `rcs = { theta, phi }` for receivers far away";
            return Err(FieldError::new("output.receivers", message, advice));
        }
        if let Toggle::Table(receivers) = &self.rcs {
            receivers.angles().check("output.rcs")?;
        }
        let profile = self.range_profile.map(|profile| ("range_profile", profile.oversampling.get()));
        let image = self.isar.map(|image| ("isar", image.oversampling.get()));
        for (key, oversampling) in profile.into_iter().chain(image) {
            self.check_sweep(key, source)?;
            if oversampling > MAX_OVERSAMPLING {
                let path = format!("output.{key}.oversampling");
                let message =
                    format!("more than {MAX_OVERSAMPLING} samples per resolution cell add no information");
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

    /// What needs plane waves is refused with transmitters at positions.
    fn check_positions(&self) -> Result<(), FieldError> {
        let with_plane_waves = [
            ("rcs", self.rcs.table().is_some()),
            ("range_profile", self.range_profile.is_some()),
            ("isar", self.isar.is_some()),
            ("hotspots", self.hotspots != Toggle::Off),
        ];
        if let Some((key, _)) = with_plane_waves.into_iter().find(|(_, given)| *given) {
            let message = format!("`{key}` needs plane waves, and `source.transmitters` stand at positions");
            let advice = "remove it; `output.receivers` places receivers, and received.csv has the echoes";
            return Err(FieldError::new(format!("output.{key}"), message, advice));
        }
        self.receivers.as_ref().map_or(Ok(()), |receivers| antenna::check(receivers, "output.receivers"))
    }

    /// Range resolution takes evenly spaced frequencies and monostatic aspects.
    fn check_sweep(&self, key: &str, source: &Source) -> Result<(), FieldError> {
        let path = format!("output.{key}");
        let frequencies = source.frequency.values();
        if frequencies.len() < 2 || !is_even(&frequencies) {
            return Err(FieldError::new(
                path,
                "it requires at least two frequencies in equal ascending steps",
                "give for example `frequency = { from = \"9 GHz\", to = \"11 GHz\", points = 64 }` in [source]",
            ));
        }
        if self.rcs.table().is_some() {
            let message = "it requires monostatic aspects, and `output.rcs` places receivers elsewhere";
            return Err(FieldError::new(path, message, format!("write `rcs = true`, or remove `{key}`")));
        }
        Ok(())
    }

    fn check_hotspots(&self, source: &Source) -> Result<(), FieldError> {
        let Toggle::Table(aspect) = &self.hotspots else { return Ok(()) };
        aspect.angles().check("output.hotspots")?;
        let missing = |key: &str, of: &str| {
            let message = format!("this {key} is not among those of [source]");
            let advice = format!("give one of `source.{of}`: hot spots belong to an aspect of the case");
            Err(FieldError::new(format!("output.hotspots.{key}"), message, advice))
        };
        // Named as the table and the source write them.
        let keys = |azimuth: bool| if azimuth { ["elevation", "azimuth"] } else { ["theta", "phi"] };
        let [own, of] = [keys(aspect.azimuth.is_some()), keys(source.azimuth.is_some())];
        let near = |a: f64, b: f64, scale: f64| (a - b).abs() <= SAME * scale;
        let angles = source.angles().theta_phi();
        let wanted = aspect.angles().theta_phi();
        for (i, values) in angles.iter().enumerate() {
            if !values.iter().any(|&angle| near(angle, wanted[i], 1.0)) {
                return missing(own[i], of[i]);
            }
        }
        if let Some(frequency) = aspect.frequency
            && !source.frequency.values().iter().any(|&f| near(f, frequency.si(), f))
        {
            return missing("frequency", "frequency");
        }
        Ok(())
    }
}

/// An image takes one angle in equal steps.
fn check_isar(source: &Source) -> Result<(), FieldError> {
    let [theta, phi] = source.angles().theta_phi();
    // Ascending elevation is descending theta.
    let rising = |angles: &[f64]| {
        is_even(angles)
            || source.elevation.is_some() && is_even(&angles.iter().map(|a| -a).collect::<Vec<_>>())
    };
    let swept = match (theta.len(), phi.len()) {
        (1, many) if many > 1 => is_even(&phi),
        (many, 1) if many > 1 => rising(&theta),
        _ => false,
    };
    if !swept {
        return Err(FieldError::new(
            "output.isar",
            "an image requires one angle in equal ascending steps, and the other one fixed",
            "give for example `theta = \"90 deg\"` and `phi = { from = \"-5 deg\", to = \"5 deg\", points = 64 }`",
        ));
    }
    let span = |angles: &[f64]| (angles[angles.len() - 1] - angles[0]).abs();
    if span(&theta).max(span(&phi)) > MAX_SPAN * (1.0 + SAME) {
        return Err(FieldError::new(
            "output.isar",
            "the angles of an image span at most 90 degrees",
            "split the sweep into several cases with an image each",
        ));
    }
    // Rotation about z images the target in the xy plane, where a radar on the z axis has no range resolution.
    if phi.len() > 1 && theta[0].sin().abs() < SAME {
        return Err(FieldError::new(
            "output.isar",
            "an azimuth sweep seen along the z axis has no cross-range resolution",
            "choose another `theta`, or sweep `theta` and fix `phi`",
        ));
    }
    Ok(())
}

/// Whether values ascend in equal steps.
fn is_even(values: &[f64]) -> bool {
    let (Some(first), Some(last)) = (values.first(), values.last()) else { return false };
    let step = (last - first) / (values.len() - 1).max(1) as f64;
    let off = |(i, value): (usize, &f64)| (value - (first + step * i as f64)).abs();
    step > 0.0 && values.iter().enumerate().map(off).all(|off| off <= EVEN * step)
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
