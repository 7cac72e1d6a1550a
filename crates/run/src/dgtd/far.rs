//! Far fields of a dgtd run: cross sections, directivity and gain, as tables, arrays and plots.

use super::plots::{DEPTH_DB, MOST_CURVES, short};
use crate::mom::degrees;
use num_complex::Complex64;
use phasefront_case::model::dgtd::Directions;
use phasefront_dgtd::{Radiation, Solution, Study};
use phasefront_report::plot::{Axis, LinePlot, PatternPlot, Plot, Series, level_range};
use phasefront_report::{Array, ArrayFile, Table};

/// Angles along each axis from which a pattern in space can be drawn.
const LEAST_OF_PATTERN: usize = 7;

/// All pairs of θ and φ, in radians, φ fastest.
struct Grid {
    theta: Vec<f64>,
    phi: Vec<f64>,
}

impl Grid {
    fn new(asked: &Directions) -> Self {
        Self { theta: asked.theta.values(), phi: asked.phi.values() }
    }

    fn directions(&self) -> Vec<[f64; 2]> {
        self.theta.iter().flat_map(|&theta| self.phi.iter().map(move |&phi| [theta, phi])).collect()
    }
}

/// Levels in all directions, at each frequency.
struct Levels {
    grid: Grid,
    frequencies: Vec<f64>,
    values: Vec<Vec<f64>>,
}

fn decibels(value: f64) -> f64 {
    10.0 * value.log10()
}

/// A table with a row for each frequency and direction.
fn table(name: &str, frequencies: &[f64], directions: &[[f64; 2]]) -> Table {
    let rows = || frequencies.iter().flat_map(|f| directions.iter().map(move |d| (*f, *d)));
    Table::new(name)
        .number("frequency_hz", rows().map(|(f, _)| f).collect())
        .number("theta_deg", rows().map(|(_, d)| degrees(d[0])).collect())
        .number("phi_deg", rows().map(|(_, d)| degrees(d[1])).collect())
}

/// `rcs.csv` with its plots, and the largest cross section in dB over a square metre.
pub(super) fn rcs(study: &Study, solution: &Solution, asked: &Directions) -> (Table, Vec<Plot>, f64) {
    let (grid, frequencies) = (Grid::new(asked), study.problem.monitors.frequencies.clone());
    let directions = grid.directions();
    let found: Vec<Vec<[f64; 2]>> =
        (0..frequencies.len()).map(|f| study.cross_sections(solution, f, &directions)).collect();
    let column = |get: fn(&[f64; 2]) -> f64| found.iter().flatten().map(|s| decibels(get(s))).collect();
    let table = table("rcs", &frequencies, &directions)
        .number("rcs_dbsm", column(|s| s[0] + s[1]))
        .number("rcs_theta_dbsm", column(|s| s[0]))
        .number("rcs_phi_dbsm", column(|s| s[1]));
    let values: Vec<Vec<f64>> =
        found.iter().map(|at| at.iter().map(|s| decibels(s[0] + s[1])).collect()).collect();
    let peak = values.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
    let levels = Levels { grid, frequencies, values };
    (table, levels.cut("rcs", "Radar cross section", "dBsm").into_iter().collect(), peak)
}

/// What a run tells about an antenna's far field.
pub(super) struct Antenna {
    pub table: Table,
    pub arrays: ArrayFile,
    pub plots: Vec<Plot>,
    /// The largest directivity, dBi.
    pub peak_directivity: f64,
    /// The largest gain, dBi; of ports only.
    pub peak_gain: Option<f64>,
}

/// `directivity.csv` and `directivity.npz` with their plots.
pub(super) fn antenna(study: &Study, solution: &Solution, asked: &Directions) -> Antenna {
    let (grid, frequencies) = (Grid::new(asked), study.problem.monitors.frequencies.clone());
    let directions = grid.directions();
    let found: Vec<Radiation> =
        (0..frequencies.len()).map(|f| study.far_field(solution, f, &directions)).collect();
    let values: Vec<Vec<f64>> =
        found.iter().map(|at| at.directivity().into_iter().map(decibels).collect()).collect();
    // Gain is directivity times radiated over accepted power.
    let ports = study.ports(solution);
    let efficiency = found.iter().zip(&ports).map(|(at, port)| decibels(at.power / port.accepted_power));
    let gain: Vec<f64> =
        values.iter().zip(efficiency).flat_map(|(at, eta)| at.iter().map(move |d| d + eta)).collect();
    let mut table = table("directivity", &frequencies, &directions)
        .number("directivity_dbi", values.iter().flatten().copied().collect());
    if !ports.is_empty() {
        table = table.number("gain_dbi", gain.clone());
    }
    let highest = |levels: &[f64]| levels.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let peak_directivity = values.iter().map(|at| highest(at)).fold(f64::NEG_INFINITY, f64::max);
    let peak_gain = (!ports.is_empty()).then(|| highest(&gain));
    let levels = Levels { grid, frequencies, values };
    let plots = levels.pattern().into_iter().chain(levels.cut("directivity", "Directivity", "dBi")).collect();
    Antenna { arrays: arrays(&levels, &directions, &found), table, plots, peak_directivity, peak_gain }
}

/// Rows are frequencies, columns directions.
fn arrays(levels: &Levels, directions: &[[f64; 2]], found: &[Radiation]) -> ArrayFile {
    let (rows, cols) = (levels.frequencies.len(), directions.len());
    let fields = |get: fn(&phasefront_dgtd::FarField) -> Complex64| Array::Complex2 {
        rows,
        cols,
        values: found.iter().flat_map(|at| at.fields.iter().map(get)).collect(),
    };
    let angle = |k: usize| Array::Real1(directions.iter().map(|d| degrees(d[k])).collect());
    ArrayFile::new("directivity")
        .with("frequency_hz", Array::Real1(levels.frequencies.clone()))
        .with("theta_deg", angle(0))
        .with("phi_deg", angle(1))
        .with("directivity_dbi", Array::Real2 { rows, cols, values: levels.values.concat() })
        .with("e_theta", fields(|e| e.theta))
        .with("e_phi", fields(|e| e.phi))
}

impl Levels {
    fn at(&self, f: usize, theta: usize, phi: usize) -> f64 {
        self.values[f][theta * self.grid.phi.len() + phi]
    }

    /// Curves against θ, or else φ, or else frequency, whichever has several values; each for what is left.
    fn cut(&self, name: &str, title: &str, unit: &str) -> Option<Plot> {
        let counts = [self.grid.theta.len(), self.grid.phi.len(), self.frequencies.len()];
        let along = counts.iter().position(|&count| count > 1)?;
        let places = |axis: usize| 0..if axis == along { 1 } else { counts[axis] };
        let value = |axis: usize, i: usize| match axis {
            0 => degrees(self.grid.theta[i]),
            1 => degrees(self.grid.phi[i]),
            _ => 1e-9 * self.frequencies[i],
        };
        let (names, units) = (["theta", "phi", "frequency"], ["deg", "deg", "GHz"]);
        let mut series = Vec::new();
        let all = places(2).flat_map(|f| places(0).flat_map(move |t| places(1).map(move |p| [t, p, f])));
        for start in all.take(MOST_CURVES) {
            let x = (0..counts[along]).map(|i| value(along, i)).collect();
            let y = (0..counts[along]).map(|i| {
                let mut place = start;
                place[along] = i;
                self.at(place[2], place[0], place[1])
            });
            let fixed = (0..3).filter(|&axis| axis != along);
            let label: Vec<String> = fixed
                .map(|axis| format!("{} {} {}", names[axis], short(value(axis, start[axis])), units[axis]))
                .collect();
            series.push(Series::solid(label.join(", "), x, y.collect()));
        }
        let [low, high] = level_range(series.iter().flat_map(|s| s.y.iter().copied()), DEPTH_DB);
        Some(Plot::Line(LinePlot {
            name: name.into(),
            title: title.into(),
            caption: format!("{title} against {}.", names[along]),
            x: Axis::new(format!("{} ({})", names[along], units[along])),
            y: Axis::new(format!("{} ({unit})", title.to_lowercase())).with_range(low, high),
            series,
        }))
    }

    /// The pattern in space at the first frequency, where enough directions are known.
    fn pattern(&self) -> Option<Plot> {
        let enough = self.grid.theta.len() >= LEAST_OF_PATTERN && self.grid.phi.len() >= LEAST_OF_PATTERN;
        let frequency = self.frequencies.first().filter(|_| enough)?;
        let title = format!("Directivity in space, {} GHz", short(1e-9 * frequency));
        Some(Plot::Pattern(PatternPlot {
            name: "pattern".into(),
            caption: format!("{title}: the distance from the middle grows with the level."),
            title,
            value_label: "directivity (dBi)".into(),
            theta_deg: self.grid.theta.iter().map(|&angle| degrees(angle)).collect(),
            phi_deg: self.grid.phi.iter().map(|&angle| degrees(angle)).collect(),
            values: self.values[0].clone(),
            floor: None,
            view: None,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(theta: usize, phi: usize, frequencies: usize) -> Levels {
        let angles = |n: usize| (0..n).map(|i| i as f64 * 0.1).collect();
        let count = theta * phi;
        Levels {
            grid: Grid { theta: angles(theta), phi: angles(phi) },
            frequencies: (0..frequencies).map(|f| 1e9 * (f + 1) as f64).collect(),
            values: (0..frequencies).map(|f| (0..count).map(|i| (100 * f + i) as f64).collect()).collect(),
        }
    }

    #[test]
    fn cuts_go_along_the_first_axis_that_has_several_values() {
        let cut = |levels: Levels| match levels.cut("rcs", "Radar cross section", "dBsm") {
            Some(Plot::Line(plot)) => {
                Some((plot.x.label, plot.series.iter().map(|s| s.y.clone()).collect::<Vec<_>>()))
            }
            _ => None,
        };
        assert_eq!(cut(levels(2, 2, 1)), Some(("theta (deg)".into(), vec![vec![0.0, 2.0], vec![1.0, 3.0]])));
        assert_eq!(cut(levels(1, 3, 2)).unwrap().1, [vec![0.0, 1.0, 2.0], vec![100.0, 101.0, 102.0]]);
        assert_eq!(cut(levels(1, 1, 2)), Some(("frequency (GHz)".into(), vec![vec![0.0, 100.0]])));
        assert_eq!(cut(levels(1, 1, 1)), None);
    }

    #[test]
    fn rows_go_by_frequency_then_theta_then_phi() {
        let table = table("rcs", &[1e9, 2e9], &[[0.0, 0.0], [0.0, std::f64::consts::PI]]);
        assert_eq!(
            table.to_csv(),
            "frequency_hz,theta_deg,phi_deg\n1000000000,0,0\n1000000000,0,180\n2000000000,0,0\n2000000000,0,180\n"
        );
    }
}
