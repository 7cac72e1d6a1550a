//! Plots of an sbr run: radar cross sections over sweeps, range profiles, ISAR images and hot spots.

use super::imaging::{Images, Profiles, shown_distance};
use super::polarization::POLARIZATIONS;
use crate::format::degrees;
use phasefront_core::decibels::power_db;
use phasefront_mesh::TriangleMesh;
use phasefront_report::plot::{
    Axis, BodyPlot, LinePlot, MapPlot, Plot, PolarPlot, Series, level_range, silhouette,
};
use phasefront_sbr::{Aspect, Direction, HotSpots, Problem, Solution, cross_section, dbsm};
use std::f64::consts::PI;

/// Curves in one plot, at most; more frequencies are drawn as a map.
const MAX_CURVES: usize = 6;
/// Dynamic range of line plots, maps over frequency, polar plots, images and hot spots, dB.
const DEPTH: f64 = 70.0;
const POLAR_DEPTH: f64 = 50.0;
const IMAGE_DEPTH: f64 = 50.0;
const HOT_SPOT_DEPTH: f64 = 40.0;
/// Level below the maximum at which cross-polarized curves are omitted, dB: they are rounding errors.
const CROSS_DEPTH: f64 = 60.0;
/// Span of a sweep that is also drawn as a polar plot, degrees.
const FULL_TURN: f64 = 350.0;

/// All plots of the radar cross section, the main one first.
pub(super) fn rcs(problem: &Problem, solution: &Solution) -> Vec<Plot> {
    let many = problem.frequencies.len() > MAX_CURVES;
    match Sweep::of(problem) {
        Some(sweep) if many && sweep.aspects.len() > MAX_CURVES => {
            vec![frequency_map(problem, solution, &sweep)]
        }
        Some(sweep) if many => vec![against_frequency(problem, solution, Some(&sweep))],
        Some(sweep) => against_angle(problem, solution, &sweep),
        None if problem.frequencies.len() > 1 => vec![against_frequency(problem, solution, None)],
        None => Vec::new(),
    }
}

/// An angle of a aspect, in radians.
type Angle = fn(&Aspect) -> f64;

/// Angles by name; in monostatic cases the receiver has those of the transmitter.
const ANGLES: [(&str, Angle); 4] = [
    ("phi", |aspect| aspect.incident.phi),
    ("theta", |aspect| aspect.incident.theta),
    ("phi of the receiver", |aspect| aspect.observer.phi),
    ("theta of the receiver", |aspect| aspect.observer.theta),
];

/// Looks that differ in one angle only.
struct Sweep {
    /// Which angle.
    name: &'static str,
    /// The aspects, as positions, in the order of the angle.
    aspects: Vec<usize>,
    /// The angle of each, degrees.
    degrees: Vec<f64>,
    /// The fixed angles, for a title.
    fixed: String,
}

impl Sweep {
    /// The longest one that goes through the first aspect.
    fn of(problem: &Problem) -> Option<Self> {
        let aspects = &problem.aspects;
        let angles = if aspects.iter().all(Aspect::is_monostatic) { &ANGLES[..2] } else { &ANGLES[..] };
        let along = |&(name, swept): &(&'static str, Angle)| {
            let others = || angles.iter().filter(move |(other, _)| *other != name);
            let beside = |aspect: &Aspect| others().all(|(_, angle)| angle(aspect) == angle(&aspects[0]));
            let mut order: Vec<usize> = (0..aspects.len()).filter(|&i| beside(&aspects[i])).collect();
            order.sort_by(|&a, &b| swept(&aspects[a]).total_cmp(&swept(&aspects[b])));
            let text =
                |(name, angle): &(&str, Angle)| format!("{name} {} deg", short(degrees(angle(&aspects[0]))));
            Self {
                name,
                degrees: order.iter().map(|&i| degrees(swept(&aspects[i]))).collect(),
                aspects: order,
                fixed: others().map(text).collect::<Vec<_>>().join(", "),
            }
        };
        // The first of equally long sweeps.
        let sweeps = angles.iter().rev().map(along);
        sweeps.max_by_key(|sweep| sweep.aspects.len()).filter(|sweep| sweep.aspects.len() > 1)
    }
}

/// A number without trailing digits.
fn short(value: f64) -> String {
    format!("{}", (value * 1e4).round() / 1e4)
}

fn gigahertz(frequency: f64) -> String {
    format!("{} GHz", short(frequency * 1e-9))
}

/// All polarizations at one frequency, or VV at several; as lines, and as a polar plot for a full rotation.
fn against_angle(problem: &Problem, solution: &Solution, sweep: &Sweep) -> Vec<Plot> {
    let curve = |label: String, f: usize, p: usize| {
        let scattering = &solution.frequencies[f].scattering;
        let y = sweep.aspects.iter().map(|&i| dbsm(POLARIZATIONS[p].1(&scattering[i]))).collect();
        Series::solid(label, sweep.degrees.clone(), y)
    };
    let (series, what) = if let [frequency] = problem.frequencies[..] {
        (polarizations(|label, p| curve(label, 0, p)), gigahertz(frequency))
    } else {
        let all = problem.frequencies.iter().enumerate();
        (all.map(|(f, &frequency)| curve(gigahertz(frequency), f, 0)).collect(), "VV".to_owned())
    };
    let caption = format!("Radar cross section against {}, with {}.", sweep.name, sweep.fixed);
    let title = format!("Radar cross section, {what}, {}", sweep.fixed);
    let top = top(&series);
    let line = Plot::Line(LinePlot {
        name: "rcs".into(),
        title: title.clone(),
        caption: caption.clone(),
        x: Axis::new(format!("{} (deg)", sweep.name)),
        y: vertical(&series),
        series: series.clone(),
    });
    let turn = sweep.degrees[sweep.degrees.len() - 1] - sweep.degrees[0];
    if turn < FULL_TURN {
        return vec![line];
    }
    let polar = Plot::Polar(PolarPlot {
        name: "rcs_polar".into(),
        title,
        caption,
        angle_label: format!("{} (deg)", sweep.name),
        radial_label: "radar cross section (dBsm)".into(),
        floor: Some((top - POLAR_DEPTH).floor()),
        top: None,
        series,
    });
    vec![line, polar]
}

/// VV of the aspects of a sweep against frequency, or the four polarizations of the first aspect.
fn against_frequency(problem: &Problem, solution: &Solution, sweep: Option<&Sweep>) -> Plot {
    let order = by_frequency(problem);
    let x: Vec<f64> = order.iter().map(|&f| problem.frequencies[f] * 1e-9).collect();
    let curve = |label: String, aspect: usize, p: usize| {
        let y = order.iter().map(|&f| dbsm(POLARIZATIONS[p].1(&solution.frequencies[f].scattering[aspect])));
        Series::solid(label, x.clone(), y.collect())
    };
    let (series, what) = if let Some(sweep) = sweep {
        let aspects = sweep.aspects.iter().zip(&sweep.degrees);
        let label = |degrees: &f64| format!("{} {} deg", sweep.name, short(*degrees));
        (aspects.map(|(&i, at)| curve(label(at), i, 0)).collect(), format!("VV, {}", sweep.fixed))
    } else {
        let aspect = &problem.aspects[0].incident;
        let direction =
            format!("theta {} deg, phi {} deg", short(degrees(aspect.theta)), short(degrees(aspect.phi)));
        (polarizations(|label, p| curve(label, 0, p)), direction)
    };
    Plot::Line(LinePlot {
        name: "rcs".into(),
        title: format!("Radar cross section, {what}"),
        caption: format!("Radar cross section against frequency, {what}."),
        x: Axis::new("frequency (GHz)"),
        y: vertical(&series),
        series,
    })
}

/// Indices of the frequencies in increasing order.
fn by_frequency(problem: &Problem) -> Vec<usize> {
    let mut order: Vec<usize> = (0..problem.frequencies.len()).collect();
    order.sort_by(|&a, &b| problem.frequencies[a].total_cmp(&problem.frequencies[b]));
    order
}

/// VV and HH, and cross-polarized curves above rounding errors; the receiver's polarization first.
fn polarizations(curve: impl Fn(String, usize) -> Series) -> Vec<Series> {
    let all: Vec<Series> = (0..4).map(|p| curve(POLARIZATIONS[p].0.to_uppercase(), p)).collect();
    let peaks: Vec<f64> = all.iter().map(|series| top(std::slice::from_ref(series))).collect();
    let highest = peaks.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let is_cross = |p: usize| p == 1 || p == 2;
    let mut shown: Vec<Series> = Vec::new();
    for p in [0, 3, 1, 2] {
        if is_cross(p) && peaks[p] < highest - CROSS_DEPTH {
            continue;
        }
        // Coincident curves share one line and one label.
        match shown.iter_mut().find(|other| alike(other, &all[p])) {
            Some(other) => other.label = format!("{}, {}", other.label, all[p].label),
            None => shown.push(all[p].clone()),
        }
    }
    shown
}

/// Whether two curves coincide in a plot.
fn alike(a: &Series, b: &Series) -> bool {
    let floor = top(std::slice::from_ref(a)) - DEPTH;
    a.y.iter().zip(&b.y).all(|(a, b)| (a.max(floor) - b.max(floor)).abs() < 0.1)
}

fn top(series: &[Series]) -> f64 {
    series.iter().flat_map(|s| &s.y).copied().filter(|y| y.is_finite()).fold(f64::NEG_INFINITY, f64::max)
}

/// The axis of cross sections, with limited dynamic range.
fn vertical(series: &[Series]) -> Axis {
    let [low, high] = level_range(series.iter().flat_map(|s| s.y.iter().copied()), DEPTH);
    Axis::new("radar cross section (dBsm)").with_range(low, high)
}

/// A map of cross sections over frequency and angle.
fn frequency_map(problem: &Problem, solution: &Solution, sweep: &Sweep) -> Plot {
    let vv = |f: usize, aspect: usize| dbsm(solution.frequencies[f].scattering[aspect].vv);
    let order = by_frequency(problem);
    let values: Vec<f64> =
        order.iter().flat_map(|&f| sweep.aspects.iter().map(move |&aspect| vv(f, aspect))).collect();
    Plot::Map(MapPlot {
        name: "waterfall".into(),
        title: format!("Radar cross section, VV, {}", sweep.fixed),
        caption: format!("Radar cross section over frequency and {}, with {}.", sweep.name, sweep.fixed),
        x_label: format!("{} (deg)", sweep.name),
        y_label: "frequency (GHz)".into(),
        value_label: "radar cross section (dBsm)".into(),
        range: Some(level_range(values.iter().copied(), DEPTH)),
        x: sweep.degrees.clone(),
        y: order.iter().map(|&f| problem.frequencies[f] * 1e-9).collect(),
        values,
        stretched: true,
        ..MapPlot::default()
    })
}

/// Indices of the ranges that are shown.
fn shown_ranges(problem: &Problem, ranges: &[f64]) -> std::ops::Range<usize> {
    let distance = shown_distance(problem);
    ranges.partition_point(|range| *range < -distance)..ranges.partition_point(|range| *range <= distance)
}

fn band(problem: &Problem) -> String {
    let last = problem.frequencies[problem.frequencies.len() - 1];
    format!("{} to {}", gigahertz(problem.frequencies[0]), gigahertz(last))
}

/// Range profiles: curves of VV and HH for one aspect, or a map of VV over a sweep.
pub(super) fn range_profiles(problem: &Problem, profiles: &Profiles) -> Plot {
    match Sweep::of(problem) {
        Some(sweep) => range_map(problem, &sweep, profiles),
        None => range_curves(problem, profiles),
    }
}

fn range_curves(problem: &Problem, profiles: &Profiles) -> Plot {
    let Profiles { ranges, levels } = profiles;
    let shown = shown_ranges(problem, ranges);
    let curve = |p: usize| {
        let name = POLARIZATIONS[p].0.to_uppercase();
        Series::solid(name, ranges[shown.clone()].to_vec(), levels[p][shown.clone()].to_vec())
    };
    let series = vec![curve(0), curve(3)];
    let [low, high] = level_range(series.iter().flat_map(|s| s.y.iter().copied()), IMAGE_DEPTH);
    let aspect = &problem.aspects[0].incident;
    Plot::Line(LinePlot {
        name: "range_profile".into(),
        title: format!(
            "Range profile, {}, theta {} deg, phi {} deg",
            band(problem),
            short(degrees(aspect.theta)),
            short(degrees(aspect.phi))
        ),
        caption: "Radar cross section against range: distance from the origin, positive away from the radar."
            .into(),
        x: Axis::new("range (m)"),
        y: Axis::new("radar cross section (dBsm)").with_range(low, high),
        series,
    })
}

/// Profiles of a sweep side by side, VV.
fn range_map(problem: &Problem, sweep: &Sweep, profiles: &Profiles) -> Plot {
    let (ranges, levels) = (&profiles.ranges, &profiles.levels[0]);
    let shown = shown_ranges(problem, ranges);
    let at = |range: usize, aspect: usize| levels[aspect * ranges.len() + range];
    let values: Vec<f64> =
        shown.clone().flat_map(|range| sweep.aspects.iter().map(move |&aspect| at(range, aspect))).collect();
    Plot::Map(MapPlot {
        name: "range_profile".into(),
        title: format!("Range profiles, VV, {}, {}", band(problem), sweep.fixed),
        caption:
            "Radar cross section against aspect and range: distance from the origin, positive away from the radar."
                .into(),
        x_label: format!("{} (deg)", sweep.name),
        y_label: "range (m)".into(),
        value_label: "radar cross section (dBsm)".into(),
        range: Some(level_range(values.iter().copied(), IMAGE_DEPTH)),
        x: sweep.degrees.clone(),
        y: ranges[shown].to_vec(),
        values,
        stretched: true,
        ..MapPlot::default()
    })
}

/// The ISAR image in VV with the silhouette of the target.
pub(super) fn isar(problem: &Problem, images: &Images) -> Plot {
    let Images { about_z, angles, .. } = images;
    let values: Vec<f64> = images.amplitudes[0].iter().map(|&amplitude| dbsm(amplitude)).collect();
    let [first, last] = [angles[0], angles[angles.len() - 1]].map(|angle| short(degrees(angle)));
    let name = if *about_z { "phi" } else { "theta" };
    Plot::Map(MapPlot {
        name: "isar".into(),
        title: format!("ISAR image, VV, {}, {name} {first} to {last} deg", band(problem)),
        caption: "Scattering centers in the plane of rotation. Down range points away from the radar at the middle angle, cross range \
                  toward increasing angles. The line is the silhouette of the target."
            .into(),
        x_label: "cross range (m)".into(),
        y_label: "down range (m)".into(),
        value_label: "radar cross section (dBsm)".into(),
        range: Some(level_range(values.iter().copied(), IMAGE_DEPTH)),
        x: images.cross_range.clone(),
        y: images.down_range.clone(),
        values,
        lines: outline(problem, *about_z, 0.5 * (angles[0] + angles[angles.len() - 1])),
        ..MapPlot::default()
    })
}

/// Silhouette of the target in the image, whose axes at the middle angle are v and −u. With rotation about z, a height z appears
/// closer by z cot θ.
fn outline(problem: &Problem, about_z: bool, middle: f64) -> Vec<Vec<[f64; 2]>> {
    let aspect = problem.aspects[0].incident;
    let (theta, phi) = if about_z { (aspect.theta, middle) } else { (middle, aspect.phi) };
    let ((sin_t, cos_t), (sin_p, cos_p)) = (theta.sin_cos(), phi.sin_cos());
    let [u, v] = if about_z {
        [[cos_p, sin_p, cos_t / sin_t], [-sin_p, cos_p, 0.0]]
    } else {
        [[sin_t * cos_p, sin_t * sin_p, cos_t], [cos_t * cos_p, cos_t * sin_p, -sin_t]]
    };
    let along = |axis: [f64; 3], r: &[f64; 3]| axis.iter().zip(r).map(|(a, x)| a * x).sum::<f64>();
    let points: Vec<[f64; 2]> = problem.mesh.vertices.iter().map(|r| [along(v, r), -along(u, r)]).collect();
    silhouette(&points, &problem.mesh.triangles)
}

/// The body colored by what its triangles radiate.
pub(super) fn hot_spots(problem: &Problem, found: &HotSpots, (aspect, frequency): (usize, usize)) -> Plot {
    let mesh = &problem.mesh;
    let Direction { theta, phi } = problem.aspects[aspect].incident;
    let source = [theta.sin() * phi.cos(), theta.sin() * phi.sin(), theta.cos()];
    let values: Vec<f64> = (0..mesh.triangles.len()).map(|t| density(mesh, found, t)).collect();
    Plot::Body(BodyPlot {
        name: "hotspots".into(),
        title: format!(
            "Hot spots, {}, theta {} deg, phi {} deg",
            gigahertz(problem.frequencies[frequency]),
            short(degrees(theta)),
            short(degrees(phi))
        ),
        caption: "Scattering centers: the mean cross section of VV and HH radiated from each triangle, over the square of its area. \
                  Contributions may cancel in the total, which is in rcs.csv."
            .into(),
        value_label: "cross section over area squared (dB re 1/m\u{b2})".into(),
        range: Some(level_range(values.iter().copied(), HOT_SPOT_DEPTH)),
        vertices: mesh.vertices.clone(),
        triangles: mesh.triangles.clone(),
        values,
        source: Some(source),
        up: up_axis(problem),
        ..BodyPlot::default()
    })
}

/// Co-polarized cross section of a triangle over the square of its area, dB. Amplitudes are proportional to area, so that the value does
/// not depend on the size of triangles.
fn density(mesh: &TriangleMesh, found: &HotSpots, t: usize) -> f64 {
    let vv = found.by_bounce.iter().map(|spots| spots[t].vv).sum();
    let hh = found.by_bounce.iter().map(|spots| spots[t].hh).sum();
    let area_squared: f64 = mesh.area_vector(t).iter().map(|x| x * x).sum();
    power_db(0.5 * (cross_section(vv) + cross_section(hh)) / area_squared)
}

/// For a sweep of θ beyond the poles, which rotates about φ̂, that axis is up: a ship whose mast is along y.
fn up_axis(problem: &Problem) -> Option<[f64; 3]> {
    let aspects = || problem.aspects.iter().map(|aspect| aspect.incident);
    let highest = aspects().map(|aspect| aspect.theta).fold(f64::NEG_INFINITY, f64::max);
    let phi = aspects().next()?.phi;
    let is_rotation = highest > PI && aspects().all(|aspect| aspect.phi == phi);
    is_rotation.then(|| [-phi.sin(), phi.cos(), 0.0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_complex::Complex64;
    use phasefront_mesh::targets::plate;
    use phasefront_sbr::ScatteringMatrix;

    #[test]
    fn the_longest_sweep_is_found() {
        let aspect = |theta: f64, phi: f64| Aspect::monostatic(Direction::degrees(theta, phi));
        let problem = |aspects: Vec<Aspect>| Problem { aspects, ..Problem::default() };
        let grid = [80.0, 90.0].iter().flat_map(|&t| [20.0, 10.0, 30.0].map(|p| aspect(t, p))).collect();
        let sweep = Sweep::of(&problem(grid)).unwrap();
        assert_eq!(
            (sweep.name, &sweep.aspects[..], &sweep.fixed[..]),
            ("phi", &[1, 0, 2][..], "theta 80 deg")
        );
        assert_eq!(sweep.degrees, [10.0, 20.0, 30.0]);
        let bistatic = [0.0, 5.0].map(|out| Aspect {
            incident: Direction::degrees(30.0, 0.0),
            observer: Direction::degrees(out, 180.0),
        });
        let sweep = Sweep::of(&problem(bistatic.to_vec())).unwrap();
        assert_eq!(sweep.name, "theta of the receiver");
        assert!(Sweep::of(&problem(vec![aspect(1.0, 2.0)])).is_none());
    }

    #[test]
    fn density_does_not_depend_on_the_size_of_triangles() {
        let spot = |s: f64| ScatteringMatrix {
            vv: s.into(),
            vh: Complex64::ZERO,
            hv: Complex64::ZERO,
            hh: s.into(),
        };
        for cells in [1, 3] {
            // A plate of 6 m² radiates 12 m, divided among its triangles, in two bounces of opposite sign.
            let mesh = plate([2.0, 3.0], [cells, cells]).unwrap();
            let count = mesh.triangles.len();
            let all = |sum: f64| vec![spot(sum / count as f64); count];
            let found = HotSpots { by_bounce: vec![all(15.0), all(-3.0)] };
            let level = 10.0 * (4.0 * PI * 4.0_f64).log10();
            assert!((0..count).all(|t| (density(&mesh, &found, t) - level).abs() < 1e-9));
        }
    }
}
