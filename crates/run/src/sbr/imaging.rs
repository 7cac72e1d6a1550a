//! Range profiles and ISAR images in all polarizations, from scattering matrices over frequency and angle.

use super::polarization::{POLARIZATIONS, Pick};
use num_complex::Complex64;
use phasefront_case::model::sbr::{Isar, RangeProfile, Window as CaseWindow};
use phasefront_core::FieldError;
use phasefront_sbr::{Problem, Solution, Window, dbsm, isar, range_profile};

/// Part of an image that the bounding box of the target takes, at most: the rest shows delayed multiple reflections.
const TARGET_SHARE: f64 = 0.75;

fn window(window: CaseWindow) -> Window {
    match window {
        CaseWindow::None => Window::None,
        CaseWindow::Hann => Window::Hann,
        CaseWindow::Hamming => Window::Hamming,
        CaseWindow::Taylor => Window::Taylor,
    }
}

/// Largest distance from the origin that is shown, m: that of the target, with a margin.
pub(super) fn shown_distance(problem: &Problem) -> f64 {
    let [low, high] = problem.mesh.bounds();
    let corner = (0..3).map(|k| low[k].abs().max(high[k].abs()).powi(2)).sum::<f64>();
    corner.sqrt() / TARGET_SHARE
}

/// Range profiles of all aspects.
pub(super) struct Profiles {
    /// Ranges of one profile, m.
    pub ranges: Vec<f64>,
    /// By polarization; radar cross sections in dBsm by aspect, then by range.
    pub levels: [Vec<f64>; 4],
}

/// Range profiles of all aspects in all polarizations.
pub(super) fn profiles(
    problem: &Problem,
    solution: &Solution,
    settings: RangeProfile,
) -> Result<Profiles, FieldError> {
    let mut levels: [Vec<f64>; 4] = Default::default();
    let mut ranges = Vec::new();
    for aspect in 0..problem.aspects.len() {
        for (levels, (_, pick)) in levels.iter_mut().zip(POLARIZATIONS) {
            let amplitudes: Vec<_> =
                solution.frequencies.iter().map(|at| pick(&at.scattering[aspect])).collect();
            let padding = settings.oversampling.get() as usize;
            let profile = range_profile(&problem.frequencies, &amplitudes, window(settings.window), padding)?;
            levels.extend(profile.amplitude.iter().map(|&amplitude| dbsm(amplitude)));
            ranges = profile.range;
        }
    }
    Ok(Profiles { ranges, levels })
}

/// ISAR images of the target.
pub(super) struct Images {
    /// Whether the aspects rotate about z, with φ as the angle; otherwise θ is.
    pub about_z: bool,
    /// Angles of the aspects, rad.
    pub angles: Vec<f64>,
    pub down_range: Vec<f64>,
    pub cross_range: Vec<f64>,
    /// By polarization; row by row over down range.
    pub amplitudes: [Vec<Complex64>; 4],
}

/// The sweep of an angle that an ISAR image is made from.
pub(super) struct Rotation {
    /// Whether the aspects rotate about z, with φ as the angle; otherwise θ is.
    pub about_z: bool,
    /// Aspects in the order of increasing angles.
    order: Vec<usize>,
    /// Increasing angles, rad.
    pub angles: Vec<f64>,
    /// Distances in the plane of rotation appear shortened by this factor.
    pub foreshortening: f64,
}

/// How the aspects of a problem rotate.
pub(super) fn rotation(problem: &Problem) -> Rotation {
    let aspects = &problem.aspects;
    let about_z = aspects[0].incident.theta == aspects[aspects.len() - 1].incident.theta;
    let angle = |i: usize| {
        let incident = &aspects[i].incident;
        if about_z { incident.phi } else { incident.theta }
    };
    // Ascending angles: ascending elevation is descending theta.
    let mut order: Vec<usize> = (0..aspects.len()).collect();
    order.sort_by(|&a, &b| angle(a).total_cmp(&angle(b)));
    let angles: Vec<f64> = order.iter().map(|&i| angle(i)).collect();
    // Rotation about z: distances in the xy plane appear foreshortened by sin θ.
    let foreshortening = if about_z { aspects[0].incident.theta.sin().abs() } else { 1.0 };
    Rotation { about_z, order, angles, foreshortening }
}

/// ISAR images in all polarizations.
pub(super) fn images(problem: &Problem, solution: &Solution, settings: Isar) -> Result<Images, FieldError> {
    let Rotation { about_z, order, angles, foreshortening } = rotation(problem);
    let frequencies: Vec<f64> = problem.frequencies.iter().map(|f| f * foreshortening).collect();
    let image = |pick: Pick| {
        let row =
            |aspect: usize| solution.frequencies.iter().map(|at| pick(&at.scattering[aspect])).collect();
        let amplitudes: Vec<Vec<_>> = order.iter().map(|&aspect| row(aspect)).collect();
        let oversampling = settings.oversampling.get() as usize;
        let image = isar(&frequencies, &angles, &amplitudes, window(settings.window), oversampling)?;
        Ok::<_, FieldError>(image.within(shown_distance(problem)))
    };
    let [vv, vh, hv, hh] = POLARIZATIONS.map(|(_, pick)| image(pick));
    let (vv, others) = (vv?, [vh?.amplitude, hv?.amplitude, hh?.amplitude]);
    let [vh, hv, hh] = others;
    Ok(Images {
        about_z,
        angles,
        down_range: vv.down_range,
        cross_range: vv.cross_range,
        amplitudes: [vv.amplitude, vh, hv, hh],
    })
}
