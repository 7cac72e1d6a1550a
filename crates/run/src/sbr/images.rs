//! What a band of frequencies tells: range profiles and images of the target.

use super::plots::{Sweep, gigahertz, short};
use super::tables::{POLARIZATIONS, Pick};
use crate::mom::degrees;
use phasefront_case::model::sbr::{Isar, RangeProfile, Window as CaseWindow};
use phasefront_core::FieldError;
use phasefront_report::plot::{Axis, LinePlot, MapPlot, Plot, Series, level_range, silhouette};
use phasefront_report::{Array, ArrayFile, Table};
use phasefront_sbr::{Problem, Solution, Window, dbsm, isar, range_profile};

/// Decibels below the strongest echo where plots end.
const DEPTH: f64 = 50.0;
/// PartialSolution of the picture that the target's own box takes, at most: there is more to see around it than echoes of it.
const AROUND: f64 = 0.75;

fn window(window: CaseWindow) -> Window {
    match window {
        CaseWindow::None => Window::None,
        CaseWindow::Hann => Window::Hann,
        CaseWindow::Hamming => Window::Hamming,
        CaseWindow::Taylor => Window::Taylor,
    }
}

/// `range_profile.csv` and its picture: the profile of each aspect in each polarization.
pub(super) fn profiles(
    problem: &Problem,
    solution: &Solution,
    asked: RangeProfile,
) -> Result<(Table, Plot), FieldError> {
    let mut levels: [Vec<f64>; 4] = Default::default();
    let mut ranges = Vec::new();
    for aspect in 0..problem.aspects.len() {
        for (levels, (_, pick)) in levels.iter_mut().zip(POLARIZATIONS) {
            let amplitudes: Vec<_> =
                solution.frequencies.iter().map(|at| pick(&at.scattering[aspect])).collect();
            let padding = asked.padding.get() as usize;
            let profile = range_profile(&problem.frequencies, &amplitudes, window(asked.window), padding)?;
            levels.extend(profile.amplitude.iter().map(|&amplitude| dbsm(amplitude)));
            ranges = profile.range;
        }
    }
    let rows = |get: &dyn Fn(usize) -> f64| -> Vec<f64> {
        (0..problem.aspects.len()).flat_map(|aspect| std::iter::repeat_n(get(aspect), ranges.len())).collect()
    };
    let mut table = Table::new("range_profile")
        .number("theta_deg", rows(&|i| degrees(problem.aspects[i].incident.theta)))
        .number("phi_deg", rows(&|i| degrees(problem.aspects[i].incident.phi)))
        .number("range_m", ranges.repeat(problem.aspects.len()));
    let plot = match Sweep::of(problem) {
        Some(sweep) => waterfall(problem, &sweep, &ranges, &levels[0]),
        None => profile_plot(problem, &ranges, &levels),
    };
    for ((name, _), levels) in POLARIZATIONS.into_iter().zip(levels) {
        table = table.number(format!("{name}_dbsm"), levels);
    }
    Ok((table, plot))
}

/// The ranges where the target is, with room around it.
fn near(problem: &Problem, ranges: &[f64]) -> std::ops::Range<usize> {
    let reach = reach(problem);
    ranges.partition_point(|range| *range < -reach)..ranges.partition_point(|range| *range <= reach)
}

/// How far from the origin of its coordinates the target reaches, with room around it.
fn reach(problem: &Problem) -> f64 {
    let [low, high] = problem.mesh.bounds();
    let corner = (0..3).map(|k| low[k].abs().max(high[k].abs()).powi(2)).sum::<f64>();
    corner.sqrt() / AROUND
}

fn band(problem: &Problem) -> String {
    let last = problem.frequencies[problem.frequencies.len() - 1];
    format!("{} to {}", gigahertz(problem.frequencies[0]), gigahertz(last))
}

fn profile_plot(problem: &Problem, ranges: &[f64], levels: &[Vec<f64>; 4]) -> Plot {
    let shown = near(problem, ranges);
    let curve = |p: usize| {
        let name = POLARIZATIONS[p].0.to_uppercase();
        Series::solid(name, ranges[shown.clone()].to_vec(), levels[p][shown.clone()].to_vec())
    };
    let series = vec![curve(0), curve(3)];
    let [low, high] = level_range(series.iter().flat_map(|s| s.y.iter().copied()), DEPTH);
    let aspect = &problem.aspects[0].incident;
    Plot::Line(LinePlot {
        name: "range_profile".into(),
        title: format!(
            "Range profile, {}, theta {} deg, phi {} deg",
            band(problem),
            short(degrees(aspect.theta)),
            short(degrees(aspect.phi))
        ),
        caption: "Echo against the distance from the origin of the coordinates, away from the radar.".into(),
        x: Axis::new("range (m)"),
        y: Axis::new("radar cross section (dBsm)").with_range(low, high),
        series,
    })
}

/// Profiles of a sweep side by side.
fn waterfall(problem: &Problem, sweep: &Sweep, ranges: &[f64], levels: &[f64]) -> Plot {
    let shown = near(problem, ranges);
    let at = |range: usize, aspect: usize| levels[aspect * ranges.len() + range];
    let values: Vec<f64> =
        shown.clone().flat_map(|range| sweep.aspects.iter().map(move |&aspect| at(range, aspect))).collect();
    Plot::Map(MapPlot {
        name: "range_profile".into(),
        title: format!("Range profiles, VV, {}, {}", band(problem), sweep.fixed),
        caption:
            "Echo against the distance from the origin of the coordinates, away from the radar, aspect by aspect."
                .into(),
        x_label: format!("{} (deg)", sweep.name),
        y_label: "range (m)".into(),
        value_label: "radar cross section (dBsm)".into(),
        range: Some(level_range(values.iter().copied(), DEPTH)),
        x: sweep.degrees.clone(),
        y: ranges[shown].to_vec(),
        values,
        stretched: true,
        ..MapPlot::default()
    })
}

/// `isar.npz` and its picture.
pub(super) fn image(
    problem: &Problem,
    solution: &Solution,
    asked: Isar,
) -> Result<(ArrayFile, Plot), FieldError> {
    let turns_about_z =
        problem.aspects[0].incident.theta == problem.aspects[problem.aspects.len() - 1].incident.theta;
    let angle = |i: usize| {
        let aspect = &problem.aspects[i].incident;
        if turns_about_z { aspect.phi } else { aspect.theta }
    };
    let angles: Vec<f64> = (0..problem.aspects.len()).map(angle).collect();
    // Turned about z, places on the ground are seen sin θ times as deep.
    let slope = if turns_about_z { problem.aspects[0].incident.theta.sin().abs() } else { 1.0 };
    let frequencies: Vec<f64> = problem.frequencies.iter().map(|f| f * slope).collect();
    let image = |pick: Pick| {
        let row =
            |aspect: usize| solution.frequencies.iter().map(|at| pick(&at.scattering[aspect])).collect();
        let amplitudes: Vec<Vec<_>> = (0..angles.len()).map(row).collect();
        let image =
            isar(&frequencies, &angles, &amplitudes, window(asked.window), asked.padding.get() as usize)?;
        Ok::<_, FieldError>(image.within(reach(problem)))
    };
    let vv = image(POLARIZATIONS[0].1)?;
    let (rows, cols) = (vv.down_range.len(), vv.cross_range.len());
    let mut file = ArrayFile::new("isar")
        .with("down_range_m", Array::Real1(vv.down_range.clone()))
        .with("cross_range_m", Array::Real1(vv.cross_range.clone()));
    for (name, pick) in POLARIZATIONS {
        let values = image(pick)?.amplitude;
        file = file.with(format!("{name}_m"), Array::Complex2 { rows, cols, values });
    }
    let values: Vec<f64> = vv.amplitude.iter().map(|&amplitude| dbsm(amplitude)).collect();
    let [first, last] = [angles[0], angles[angles.len() - 1]].map(|angle| short(degrees(angle)));
    let name = if turns_about_z { "phi" } else { "theta" };
    let plot = Plot::Map(MapPlot {
        name: "isar".into(),
        title: format!("Image, VV, {}, {name} {first} to {last} deg", band(problem)),
        caption: "Where on the target the echo comes from, in the plane of the turn: down range points away from the radar at the \
                  middle angle, cross range towards growing angles. The line is the target's outline."
            .into(),
        x_label: "cross range (m)".into(),
        y_label: "down range (m)".into(),
        value_label: "radar cross section (dBsm)".into(),
        range: Some(level_range(values.iter().copied(), DEPTH)),
        x: vv.cross_range,
        y: vv.down_range,
        values,
        lines: outline(problem, turns_about_z, 0.5 * (angles[0] + angles[angles.len() - 1])),
        ..MapPlot::default()
    });
    Ok((file, plot))
}

/// The target's outline in the image, whose axes at the middle angle are v and −u. Turned about z, what is high is seen nearer on the
/// ground by z cot θ.
fn outline(problem: &Problem, turns_about_z: bool, middle: f64) -> Vec<Vec<[f64; 2]>> {
    let aspect = problem.aspects[0].incident;
    let (theta, phi) = if turns_about_z { (aspect.theta, middle) } else { (middle, aspect.phi) };
    let ((sin_t, cos_t), (sin_p, cos_p)) = (theta.sin_cos(), phi.sin_cos());
    let [u, v] = if turns_about_z {
        [[cos_p, sin_p, cos_t / sin_t], [-sin_p, cos_p, 0.0]]
    } else {
        [[sin_t * cos_p, sin_t * sin_p, cos_t], [cos_t * cos_p, cos_t * sin_p, -sin_t]]
    };
    let along = |axis: [f64; 3], r: &[f64; 3]| axis.iter().zip(r).map(|(a, x)| a * x).sum::<f64>();
    let points: Vec<[f64; 2]> = problem.mesh.vertices.iter().map(|r| [along(v, r), -along(u, r)]).collect();
    silhouette(&points, &problem.mesh.triangles)
}
