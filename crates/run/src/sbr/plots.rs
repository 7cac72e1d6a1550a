//! Plots of an sbr run: cross sections against what was swept.

use super::tables::POLARIZATIONS;
use crate::mom::degrees;
use phasefront_report::plot::{Axis, LinePlot, MapPlot, Plot, PolarPlot, Series, level_range};
use phasefront_sbr::{Aspect, Problem, Solution, dbsm};

/// Curves in one plot that can still be told apart; more frequencies are drawn as a map.
const MOST_CURVES: usize = 6;
/// Decibels below the strongest echo where plots end: what is deeper is a null.
const DEPTH: f64 = 70.0;
const POLAR_DEPTH: f64 = 50.0;
/// Decibels below the strongest echo where cross-polar curves are left out: rounding makes no echo.
const CROSS_DEPTH: f64 = 60.0;
/// Degrees that make a full turn, nearly.
const FULL_TURN: f64 = 350.0;

/// All plots of the cross sections, the most telling one first.
pub(super) fn plots(problem: &Problem, solution: &Solution) -> Vec<Plot> {
    let many = problem.frequencies.len() > MOST_CURVES;
    match Sweep::of(problem) {
        Some(sweep) if many && sweep.aspects.len() > MOST_CURVES => {
            vec![waterfall(problem, solution, &sweep)]
        }
        Some(sweep) if many => vec![against_frequency(problem, solution, Some(&sweep))],
        Some(sweep) => against_angle(problem, solution, &sweep),
        None if problem.frequencies.len() > 1 => vec![against_frequency(problem, solution, None)],
        None => Vec::new(),
    }
}

/// An angle of a aspect, in radians.
type Angle = fn(&Aspect) -> f64;

/// Angles by name; those of the receiver are the transmitter's in monostatic cases.
const ANGLES: [(&str, Angle); 4] = [
    ("phi", |aspect| aspect.incident.phi),
    ("theta", |aspect| aspect.incident.theta),
    ("phi of the receiver", |aspect| aspect.observer.phi),
    ("theta of the receiver", |aspect| aspect.observer.theta),
];

/// Looks that differ in one angle only.
pub(super) struct Sweep {
    /// Which angle.
    pub name: &'static str,
    /// The aspects, as positions, in the order of the angle.
    pub aspects: Vec<usize>,
    /// The angle of each, in degrees.
    pub degrees: Vec<f64>,
    /// The angles that stay, for a title.
    pub fixed: String,
}

impl Sweep {
    /// The longest one that goes through the first aspect.
    pub(super) fn of(problem: &Problem) -> Option<Self> {
        let aspects = &problem.aspects;
        let angles = if aspects.iter().all(Aspect::is_monostatic) { &ANGLES[..2] } else { &ANGLES[..] };
        let along = |&(name, swept): &(&'static str, Angle)| {
            let others = || angles.iter().filter(move |(other, _)| *other != name);
            let beside = |aspect: &Aspect| others().all(|(_, angle)| angle(aspect) == angle(&aspects[0]));
            let mut places: Vec<usize> = (0..aspects.len()).filter(|&i| beside(&aspects[i])).collect();
            places.sort_by(|&a, &b| swept(&aspects[a]).total_cmp(&swept(&aspects[b])));
            let text =
                |(name, angle): &(&str, Angle)| format!("{name} {} deg", short(degrees(angle(&aspects[0]))));
            Self {
                name,
                degrees: places.iter().map(|&i| degrees(swept(&aspects[i]))).collect(),
                aspects: places,
                fixed: others().map(text).collect::<Vec<_>>().join(", "),
            }
        };
        // The first of equally long ones.
        let sweeps = angles.iter().rev().map(along);
        sweeps.max_by_key(|sweep| sweep.aspects.len()).filter(|sweep| sweep.aspects.len() > 1)
    }
}

/// A number without needless digits.
pub(super) fn short(value: f64) -> String {
    format!("{}", (value * 1e4).round() / 1e4)
}

pub(super) fn gigahertz(frequency: f64) -> String {
    format!("{} GHz", short(frequency * 1e-9))
}

/// The four polarizations at one frequency, or VV at several; as lines, and around the circle if the angle goes there.
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
        let place =
            format!("theta {} deg, phi {} deg", short(degrees(aspect.theta)), short(degrees(aspect.phi)));
        (polarizations(|label, p| curve(label, 0, p)), place)
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

/// Positions of the frequencies, from the lowest up.
fn by_frequency(problem: &Problem) -> Vec<usize> {
    let mut order: Vec<usize> = (0..problem.frequencies.len()).collect();
    order.sort_by(|&a, &b| problem.frequencies[a].total_cmp(&problem.frequencies[b]));
    order
}

/// VV and HH, and the cross-polar curves where they are echoes. Receiver first.
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
        // One curve on top of another says nothing.
        match shown.iter_mut().find(|other| alike(other, &all[p])) {
            Some(other) => other.label = format!("{}, {}", other.label, all[p].label),
            None => shown.push(all[p].clone()),
        }
    }
    shown
}

/// Whether two curves cannot be told apart in a plot.
fn alike(a: &Series, b: &Series) -> bool {
    let floor = top(std::slice::from_ref(a)) - DEPTH;
    a.y.iter().zip(&b.y).all(|(a, b)| (a.max(floor) - b.max(floor)).abs() < 0.1)
}

fn top(series: &[Series]) -> f64 {
    series.iter().flat_map(|s| &s.y).copied().filter(|y| y.is_finite()).fold(f64::NEG_INFINITY, f64::max)
}

/// The axis of cross sections, cut off below what is an echo.
fn vertical(series: &[Series]) -> Axis {
    let [low, high] = level_range(series.iter().flat_map(|s| s.y.iter().copied()), DEPTH);
    Axis::new("radar cross section (dBsm)").with_range(low, high)
}

/// Cross sections over frequency and angle, in colors.
fn waterfall(problem: &Problem, solution: &Solution, sweep: &Sweep) -> Plot {
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

#[cfg(test)]
mod tests {
    use super::*;
    use phasefront_sbr::Direction;

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
}
