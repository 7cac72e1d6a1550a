//! What is refused of antennas at positions, and how far they can be trusted.

use crate::antenna::{Antenna, AntennaPattern, FREQUENCY_TOLERANCE, SampledAntenna, power};
use crate::field::Field;
use crate::problem::{Antennas, Edges, Problem, Tubes};
use crate::scene::{Facet, NO_FACET, Scene};
use glam::DVec3;
use phasefront_core::constants::C0;
use phasefront_core::{FieldError, SelfCheck};
use rayon::prelude::*;
use std::f64::consts::{PI, TAU};

/// Gain toward the middle of the target below which an antenna does not see it, relative to its largest: cross sections divide by it.
const BLIND: f64 = 1e-10;
/// Facets toward which rays tell on which side of the surface an antenna is.
const RAYS: usize = 64;
/// Distance in wavelengths below which the field of any antenna is not its far field: 1/kR is 0.08 there.
const NEAR: f64 = 2.0;
/// Largest error of interpolation between samples relative to the peak: 0.1 dB of a gain.
const MAX_INTERPOLATION: f64 = 0.01;

impl Antennas {
    /// All antennas with the paths of their tables.
    fn paths(&self) -> impl Iterator<Item = (String, &Antenna)> {
        let named = |list: &'static str| {
            move |(i, antenna)| -> (String, &Antenna) { (format!("{list}[{i}]"), antenna) }
        };
        let transmitters = self.transmitters.iter().enumerate().map(named("source.transmitters"));
        transmitters.chain(self.receivers.iter().flatten().enumerate().map(named("output.receivers")))
    }
}

/// Checks that do not need the scene.
pub(crate) fn problem(problem: &Problem, antennas: &Antennas) -> Result<(), FieldError> {
    let lists = [
        ("source.transmitters", Some(&antennas.transmitters)),
        ("output.receivers", antennas.receivers.as_ref()),
    ];
    for (path, list) in lists {
        if list.is_some_and(Vec::is_empty) {
            return Err(FieldError::new(
                path,
                "the list is empty",
                "give at least one antenna, or leave it out",
            ));
        }
    }
    if !problem.aspects.is_empty() {
        let message = "there are both transmitters at positions and plane waves from directions";
        return Err(FieldError::new("source.transmitters", message, "give one or the other"));
    }
    if problem.edges != Edges::None {
        let message = "edge diffraction has plane waves only, none from transmitters at positions";
        return Err(FieldError::new("solve.edges", message, "set `edges = \"none\"`"));
    }
    if problem.tubes == Tubes::RayGrid {
        let message = "a grid of rays has plane waves only, none from transmitters at positions";
        return Err(FieldError::new("solve.tubes", message, "set `tubes = \"adaptive\"`, the default"));
    }
    antennas.paths().try_for_each(|(path, antenna)| self::antenna(antenna, &path, &problem.frequencies))
}

fn antenna(antenna: &Antenna, path: &str, frequencies: &[f64]) -> Result<(), FieldError> {
    let wrong = |key: &str, message: String, advice: &str| {
        Err(FieldError::new(format!("{path}.{key}"), message, advice))
    };
    if !antenna.point().is_finite() {
        return wrong("position", "a coordinate is not finite".into(), "give finite coordinates");
    }
    let boresight = DVec3::from(antenna.boresight);
    if !(boresight.is_finite() && boresight.length() > 0.0) {
        let advice =
            "give a direction such as [0.0, 0.0, -1.0], or leave it out: toward the middle of the target";
        return wrong("boresight", "the boresight has no direction".into(), advice);
    }
    if !antenna.rotation.is_finite() {
        return wrong("polarization", "the angle is not finite".into(), "give a finite angle");
    }
    match &antenna.pattern {
        AntennaPattern::Isotropic => Ok(()),
        AntennaPattern::Cosine { power_exponent } if (0.0..=1e6).contains(power_exponent) => Ok(()),
        AntennaPattern::Cosine { power_exponent } => {
            let message = format!("an exponent of {power_exponent} is outside 0 to 1e6");
            wrong("power_exponent", message, "write for example `power_exponent = 24`")
        }
        AntennaPattern::Dipole { lengths } => {
            let is_good = |length: &f64| length.is_finite() && *length > 0.0;
            if lengths.len() == frequencies.len() && lengths.iter().all(is_good) {
                return Ok(());
            }
            wrong(
                "dipole",
                "the length of a dipole is not positive".into(),
                "write for example `dipole = \"0.5 lambda\"`",
            )
        }
        AntennaPattern::Sampled(sampled) => frequencies.iter().try_for_each(|&f| samples(sampled, path, f)),
    }
}

fn samples(sampled: &SampledAntenna, path: &str, frequency: f64) -> Result<(), FieldError> {
    let wrong =
        |message: String, advice: &str| Err(FieldError::new(format!("{path}.pattern.file"), message, advice));
    let near = |found: f64| (found - frequency).abs() <= FREQUENCY_TOLERANCE * frequency;
    let Some(far_field) = sampled.nearest(frequency).filter(|pattern| near(pattern.frequency())) else {
        let message = format!("the pattern has no frequency within 1 % of {:.6} GHz", 1e-9 * frequency);
        return wrong(message, "export the pattern at the frequencies of the case");
    };
    if power(far_field).is_none() {
        let message = "the power that the pattern belongs to is not known: it covers a part of the sphere, and its file has no gain";
        let advice = "export theta from 0 to 180 deg and phi over 360 deg, or a file with gain";
        return wrong(message.into(), advice);
    }
    Ok(())
}

/// Checks of antennas against the target.
pub(crate) fn in_scene(problem: &Problem, scene: &Scene) -> Result<(), FieldError> {
    let Some(antennas) = &problem.antennas else { return Ok(()) };
    let all: Vec<(String, &Antenna)> = antennas.paths().collect();
    all.par_iter().try_for_each(|(path, antenna)| beside_target(problem, scene, path, antenna))
}

fn beside_target(problem: &Problem, scene: &Scene, path: &str, antenna: &Antenna) -> Result<(), FieldError> {
    let position = antenna.point() - scene.center;
    let wrong = |key: &str, message: String, advice: &str| {
        Err(FieldError::new(format!("{path}{key}"), message, advice))
    };
    let longest = C0 / problem.frequencies.iter().copied().fold(f64::INFINITY, f64::min);
    let distance = distance_to_target(scene, position);
    if distance < longest / TAU {
        let message = format!(
            "the antenna is on the target: {distance:.3e} m from its surface, below λ/2π = {:.3e} m",
            longest / TAU
        );
        return wrong(".position", message, "move it away: the method has the far field of antennas only");
    }
    if is_inside(scene, position) {
        let message = "the antenna is inside of the closed target";
        return wrong(
            ".position",
            message.into(),
            "move it out; coordinates are those of the mesh after scaling and rotation",
        );
    }
    for (i, &frequency) in problem.frequencies.iter().enumerate() {
        let antenna = antenna.at(i, frequency);
        let seen = |corner: DVec3| antenna.field((corner - position).normalize());
        if scene.facets.iter().any(|facet| facet.corners.into_iter().any(|corner| seen(corner).is_none())) {
            let message = "the target reaches beyond the directions that the pattern has samples of";
            return wrong(
                ".pattern.file",
                message.into(),
                "export more directions, or turn the boresight toward the target",
            );
        }
        let gain = antenna.field(-position.normalize_or(DVec3::Z)).map_or(0.0, Field::norm_squared);
        if gain <= BLIND * antenna.peak_gain() {
            let message = "the antenna does not radiate toward the middle of the target, to which cross sections are referred";
            return wrong("", message.into(), "turn its `boresight`, or move it");
        }
    }
    Ok(())
}

/// Whether most rays toward facets of closed bodies arrive on their inner side.
fn is_inside(scene: &Scene, position: DVec3) -> bool {
    let stride = scene.facets.len().div_ceil(RAYS);
    let side = |facet: &Facet| {
        let middle = facet.corners.iter().sum::<DVec3>() / 3.0;
        let direction = (middle - position).normalize();
        let hit = scene.closest(position, direction, NO_FACET, &mut None)?;
        let hit = &scene.facets[hit as usize];
        Some(hit.outside * hit.normal.dot(direction).signum())
    };
    scene.facets.iter().step_by(stride).filter_map(side).sum::<f64>() > 0.0
}

fn distance_to_target(scene: &Scene, position: DVec3) -> f64 {
    scene.facets.iter().map(|facet| distance(facet, position)).fold(f64::INFINITY, f64::min)
}

/// Distance of a point from a triangle: from its plane over its interior, else from the nearest side.
fn distance(facet: &Facet, point: DVec3) -> f64 {
    let [a, b, c] = facet.corners;
    let sides = [(a, b), (b, c), (c, a)];
    let inside = |&(from, to): &(DVec3, DVec3)| (to - from).cross(point - from).dot(facet.normal) >= 0.0;
    if sides.iter().all(inside) {
        return facet.normal.dot(point - a).abs();
    }
    let side = |(from, to): (DVec3, DVec3)| {
        let along = to - from;
        let share = (along.dot(point - from) / along.length_squared()).clamp(0.0, 1.0);
        point.distance(from + share * along)
    };
    sides.map(side).into_iter().fold(f64::INFINITY, f64::min)
}

/// How far antennas can be trusted.
pub(crate) fn self_checks(problem: &Problem, scene: &Scene) -> Vec<SelfCheck> {
    let Some(antennas) = &problem.antennas else { return Vec::new() };
    let all: Vec<(String, &Antenna)> = antennas.paths().collect();
    let near = all.par_iter().map(|(path, antenna)| far_field(problem, scene, path, antenna));
    let nearest = near.min_by(|a, b| a.value.total_cmp(&b.value));
    let interpolated =
        all.par_iter().filter_map(|(path, antenna)| interpolation(problem, scene, path, antenna));
    let worst = interpolated.max_by(|a, b| a.value.total_cmp(&b.value));
    nearest.into_iter().chain(worst).collect()
}

/// The target should be in the far field of antennas, 2D²/λ for an aperture of diameter D: 2λG/π² with G = (πD/λ)².
fn far_field(problem: &Problem, scene: &Scene, path: &str, antenna: &Antenna) -> SelfCheck {
    let needed = problem.frequencies.iter().enumerate().map(|(i, &frequency)| {
        C0 / frequency * NEAR.max(2.0 * antenna.at(i, frequency).peak_gain() / (PI * PI))
    });
    let needed = needed.fold(0.0, f64::max);
    let distance = distance_to_target(scene, antenna.point() - scene.center);
    let ratio = distance / needed;
    let sentence = if ratio >= 1.0 {
        format!(
            "The target is in the far field of all antennas: {ratio:.2} times as far as it begins, or more."
        )
    } else {
        format!(
            "the target is in the near field of {path}: {distance:.3} m away, and the far field of an antenna of its gain begins at \
             2D²/λ = {needed:.3} m: move it away, or divide it into parts with patterns of their own"
        )
    };
    SelfCheck::at_least("distance of antennas over 2D²/λ", ratio, 1.0, sentence)
}

/// Samples should be close enough to be interpolated, toward the target.
fn interpolation(problem: &Problem, scene: &Scene, path: &str, antenna: &Antenna) -> Option<SelfCheck> {
    let position = antenna.point() - scene.center;
    let toward = -position.normalize_or(DVec3::Z);
    // From within the sphere around the target, it may be in any direction.
    let cosine = (1.0 - (scene.radius / position.length()).powi(2)).max(0.0).sqrt();
    let cosine = if position.length() > scene.radius { cosine } else { -1.0 };
    let errors = problem.frequencies.iter().enumerate();
    let errors = errors.filter_map(|(i, &f)| antenna.at(i, f).interpolation_error(toward, cosine));
    let error = errors.reduce(f64::max)?;
    let sentence = if error <= MAX_INTERPOLATION {
        format!(
            "Between the samples of patterns, fields toward the target are known to {error:.1e} of the peak."
        )
    } else {
        format!(
            "the samples of {path}.pattern are too far apart: between them the field toward the target is known to {error:.2} of the \
             peak only, above {MAX_INTERPOLATION}: export it in finer steps"
        )
    };
    Some(SelfCheck::at_most("interpolation of patterns", error, MAX_INTERPOLATION, sentence))
}
