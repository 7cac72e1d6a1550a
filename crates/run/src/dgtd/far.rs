//! Far-field results of a dgtd run: RCS, directivity and gain, as tables, arrays and plots.

use super::figures::{self, Figures};
use super::labels::short;
use super::plots::{DEPTH_DB, MAX_CURVES};
use super::ports::best_matched;
use crate::format::degrees;
use num_complex::Complex64;
use phasefront_case::model::Directions;
use phasefront_case::model::dgtd::{Mie, Output};
use phasefront_core::FieldError;
use phasefront_core::decibels::finite_power_db;
use phasefront_dgtd::{Material, Radiation, Solution, Sphere, Study, TotalSections, mean_deviation_db};
use phasefront_report::plot::{Axis, LinePlot, PatternPlot, Plot, Series, level_range};
use phasefront_report::{Array, ArrayFile, Table};

/// Smallest number of angles along each axis for a 3-D pattern.
const MIN_OF_PATTERN: usize = 7;

/// Most points of an exact curve, so that the computed one remains visible between them.
const MAX_POINTS: usize = 60;

/// All pairs of θ and φ, in radians, φ fastest.
struct Grid {
    theta: Vec<f64>,
    phi: Vec<f64>,
}

impl Grid {
    fn new(requested: &Directions) -> Self {
        let [theta, phi] = requested.angles().theta_phi();
        Self { theta, phi }
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
    /// Exact values, where they are known.
    exact: Option<Vec<Vec<f64>>>,
}

/// In dB; zero becomes the smallest positive number, so that files have numbers.
fn decibels(value: f64) -> f64 {
    finite_power_db(value)
}

/// A table with a row for each frequency and direction.
fn table(name: &str, frequencies: &[f64], directions: &[[f64; 2]]) -> Table {
    let rows = || frequencies.iter().flat_map(|f| directions.iter().map(move |d| (*f, *d)));
    Table::new(name)
        .number("frequency_hz", rows().map(|(f, _)| f).collect())
        .number("theta_deg", rows().map(|(_, d)| degrees(d[0])).collect())
        .number("phi_deg", rows().map(|(_, d)| degrees(d[1])).collect())
}

/// RCS of a run.
pub(super) struct Echo {
    pub table: Table,
    pub plots: Vec<Plot>,
    /// Peak RCS, dBsm.
    pub peak: f64,
    /// Mean deviation from the Mie series of a sphere, dB.
    pub mie_difference: Option<f64>,
}

/// The sphere of a case in SI units.
pub(super) fn sphere(mie: &Mie) -> Sphere {
    Sphere { radius: mie.radius.si(), volume: mie.volume.clone() }
}

/// `rcs.csv` with its plots, and the Mie series of a sphere, if there is one.
pub(super) fn rcs(study: &Study, solution: &Solution, requested: &Directions, sphere: Option<&Mie>) -> Echo {
    let (grid, frequencies) = (Grid::new(requested), study.problem.monitors.frequencies.clone());
    let directions = grid.directions();
    let found: Vec<Vec<[f64; 2]>> =
        (0..frequencies.len()).map(|f| study.cross_sections(solution, f, &directions)).collect();
    let column = |get: fn(&[f64; 2]) -> f64| found.iter().flatten().map(|s| decibels(get(s))).collect();
    let mut table = table("rcs", &frequencies, &directions)
        .number("rcs_dbsm", column(|s| s[0] + s[1]))
        .number("rcs_theta_dbsm", column(|s| s[0]))
        .number("rcs_phi_dbsm", column(|s| s[1]));
    let values: Vec<Vec<f64>> =
        found.iter().map(|at| at.iter().map(|s| decibels(s[0] + s[1])).collect()).collect();
    let peak = values.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
    let exact =
        sphere.map(self::sphere).zip(study.problem.sources.plane_wave.as_ref()).map(|(sphere, wave)| {
            let at = |&f: &f64| sphere.cross_sections(study, wave, f, &directions);
            let levels = |at: Vec<f64>| at.into_iter().map(decibels).collect();
            frequencies.iter().map(at).map(levels).collect::<Vec<Vec<f64>>>()
        });
    if let Some(exact) = &exact {
        table = table.number("mie_dbsm", exact.concat());
    }
    let mie_difference = exact.as_ref().map(|exact| mean_deviation_db(&values, exact));
    let levels = Levels { grid, frequencies, values, exact };
    let plots = levels.cut("rcs", "Radar cross section", "dBsm").into_iter().collect();
    Echo { table, plots, peak, mie_difference }
}

/// All pairs of θ and φ that are asked for, in radians.
pub(super) fn directions(requested: &Directions) -> Vec<[f64; 2]> {
    Grid::new(requested).directions()
}

/// Refuses exports that cannot hold the directions that are asked for.
pub(super) fn check_exports(output: &Output) -> Result<(), FieldError> {
    let Some(grid) = output.directivity.as_ref().map(Grid::new) else { return Ok(()) };
    figures::check(&output.exports, [&grid.theta, &grid.phi])
}

/// `extinction.csv`: extinction and scattering cross sections.
pub(super) fn extinction(study: &Study, solution: &Solution) -> Table {
    let frequencies = &study.problem.monitors.frequencies;
    let found: Vec<TotalSections> =
        (0..frequencies.len()).filter_map(|f| study.total_cross_sections(solution, f)).collect();
    let column = |get: fn(&TotalSections) -> f64| found.iter().map(get).collect();
    Table::new("extinction")
        .number("frequency_hz", frequencies.clone())
        .number("extinction_m2", column(|s| s.extinction))
        .number("scattering_m2", column(|s| s.scattering))
        .sparse("scattered_share", found.iter().map(TotalSections::share))
}

/// Far field of an antenna.
pub(super) struct Antenna {
    pub table: Table,
    pub arrays: ArrayFile,
    pub plots: Vec<Plot>,
    /// Peak directivity, dBi.
    pub peak_directivity: f64,
    /// Peak gain, dBi; with ports only.
    pub peak_gain: Option<f64>,
    /// At each frequency.
    pub figures: Vec<Figures>,
}

/// `directivity.csv` and `directivity.npz` with their plots.
pub(super) fn antenna(study: &Study, solution: &Solution, requested: &Directions) -> Antenna {
    let (grid, frequencies) = (Grid::new(requested), study.problem.monitors.frequencies.clone());
    let directions = grid.directions();
    let found: Vec<Radiation> = (0..frequencies.len())
        .map(|f| {
            let mut found = study.far_field(solution, f, &directions);
            // Phases are relative to the source, and not to its pulse.
            let scale = study.unit_far_field(f);
            for field in &mut found.fields {
                field.theta *= scale / scale.norm();
                field.phi *= scale / scale.norm();
            }
            found
        })
        .collect();
    let values: Vec<Vec<f64>> =
        found.iter().map(|at| at.directivity().into_iter().map(decibels).collect()).collect();
    let ports = study.ports(solution);
    let angles = (study.far_medium() == Material::VACUUM).then_some([&grid.theta[..], &grid.phi[..]]);
    let figures = frequencies.iter().zip(&found).enumerate().map(|(f, (&frequency, field))| {
        Figures::new(frequency, angles, field, ports.get(f).map(|port| (port, solution.excited)))
    });
    let figures: Vec<Figures> = figures.collect();
    let gain: Vec<Option<f64>> = values
        .iter()
        .zip(&figures)
        .flat_map(|(at, figures)| at.iter().map(|&directivity| figures.gain_db(directivity)))
        .collect();
    let mut table = table("directivity", &frequencies, &directions)
        .number("directivity_dbi", values.iter().flatten().copied().collect());
    if !ports.is_empty() {
        table = table.sparse("gain_dbi", gain.iter().copied());
    }
    let highest = |levels: &[f64]| levels.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let peak_directivity = values.iter().map(|at| highest(at)).fold(f64::NEG_INFINITY, f64::max);
    let peak_gain = gain.into_iter().flatten().reduce(f64::max);
    let levels = Levels { grid, frequencies, values, exact: None };
    let shown = best_matched(&ports, solution.excited);
    let cut = levels.planes(shown).cut("directivity", "Directivity", "dBi");
    let plots = levels.pattern(shown).into_iter().chain(cut).collect();
    Antenna {
        arrays: arrays(study, &levels, &directions, &found),
        table,
        plots,
        peak_directivity,
        peak_gain,
        figures,
    }
}

/// Rows are frequencies, columns directions. Fields are those of a source of unit amplitude.
fn arrays(study: &Study, levels: &Levels, directions: &[[f64; 2]], found: &[Radiation]) -> ArrayFile {
    let (rows, cols) = (levels.frequencies.len(), directions.len());
    let fields = |get: fn(&phasefront_dgtd::FarField) -> Complex64| Array::Complex2 {
        rows,
        cols,
        values: found
            .iter()
            .enumerate()
            .flat_map(|(f, at)| {
                at.fields.iter().map(move |field| study.unit_far_field(f).norm() * get(field))
            })
            .collect(),
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
    /// Curves against θ, or else φ, or else frequency, whichever has several values; one for each combination of the others. Exact values
    /// are points beside them.
    fn cut(&self, name: &str, title: &str, unit: &str) -> Option<Plot> {
        let counts = [self.grid.theta.len(), self.grid.phi.len(), self.frequencies.len()];
        let along = counts.iter().position(|&count| count > 1)?;
        let indices = |axis: usize| 0..if axis == along { 1 } else { counts[axis] };
        let value = |axis: usize, i: usize| match axis {
            0 => degrees(self.grid.theta[i]),
            1 => degrees(self.grid.phi[i]),
            _ => 1e-9 * self.frequencies[i],
        };
        let (names, units) = (["theta", "phi", "frequency"], ["deg", "deg", "GHz"]);
        let (mut series, mut exact) = (Vec::new(), Vec::new());
        let all = indices(2).flat_map(|f| indices(0).flat_map(move |t| indices(1).map(move |p| [t, p, f])));
        for start in all.take(MAX_CURVES) {
            let x: Vec<f64> = (0..counts[along]).map(|i| value(along, i)).collect();
            let curve = |levels: &[Vec<f64>]| -> Vec<f64> {
                let at = |i: usize| {
                    let mut index = start;
                    index[along] = i;
                    levels[index[2]][index[0] * counts[1] + index[1]]
                };
                (0..counts[along]).map(at).collect()
            };
            let fixed = (0..3).filter(|&axis| axis != along);
            let label: Vec<String> = fixed
                .map(|axis| format!("{} {} {}", names[axis], short(value(axis, start[axis])), units[axis]))
                .collect();
            let label = label.join(", ");
            if let Some(levels) = &self.exact {
                let every = counts[along].div_ceil(MAX_POINTS);
                let thin = |values: &[f64]| values.iter().copied().step_by(every).collect();
                exact.push(Series::points(format!("Mie, {label}"), thin(&x), thin(&curve(levels))));
            }
            series.push(Series::solid(label, x, curve(&self.values)));
        }
        series.extend(exact);
        // A plot of one curve has no legend.
        let heading = match &series[..] {
            [only] => format!("{title}, {}", only.label),
            _ => title.into(),
        };
        let [low, high] = level_range(series.iter().flat_map(|s| s.y.iter().copied()), DEPTH_DB);
        Some(Plot::Line(LinePlot {
            name: name.into(),
            title: heading,
            caption: format!("{title} against {}.", names[along]),
            x: Axis::new(format!("{} ({})", names[along], units[along])),
            y: Axis::new(format!("{} ({unit})", title.to_lowercase())).with_range(low, high),
            series,
        }))
    }

    /// The curves against θ that a plot can show of many: frequency index `f`, in the planes nearest to φ = 0 and 90 degrees.
    fn planes(&self, f: usize) -> Self {
        let count = self.grid.phi.len();
        let few = self.grid.theta.len() == 1 || count * self.frequencies.len() <= MAX_CURVES;
        let frequencies = if few { 0..self.frequencies.len() } else { f..f + 1 };
        let nearest = |plane: f64| {
            let off = |i: &usize| (degrees(self.grid.phi[*i]) - plane).abs();
            (0..count).min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(0)
        };
        let phi: Vec<usize> =
            if few || count <= MAX_CURVES { (0..count).collect() } else { vec![nearest(0.0), nearest(90.0)] };
        let chosen =
            |values: &Vec<f64>| values.chunks(count).flat_map(|row| phi.iter().map(|&i| row[i])).collect();
        Self {
            values: self.values[frequencies.clone()].iter().map(chosen).collect(),
            frequencies: self.frequencies[frequencies].to_vec(),
            grid: Grid {
                theta: self.grid.theta.clone(),
                phi: phi.iter().map(|&i| self.grid.phi[i]).collect(),
            },
            exact: None,
        }
    }

    /// The 3-D pattern at frequency index `f`, if there are enough directions.
    fn pattern(&self, f: usize) -> Option<Plot> {
        let enough = self.grid.theta.len() >= MIN_OF_PATTERN && self.grid.phi.len() >= MIN_OF_PATTERN;
        let frequency = self.frequencies.get(f).filter(|_| enough)?;
        let title = format!("Directivity in space, {} GHz", short(1e-9 * frequency));
        Some(Plot::Pattern(PatternPlot {
            name: "pattern".into(),
            caption: format!("{title}: the distance from the middle grows with the level."),
            title,
            value_label: "directivity (dBi)".into(),
            theta_deg: self.grid.theta.iter().map(|&angle| degrees(angle)).collect(),
            phi_deg: self.grid.phi.iter().map(|&angle| degrees(angle)).collect(),
            values: self.values[f].clone(),
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
            exact: None,
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
    fn one_curve_is_named_by_the_title() {
        let title =
            |levels: Levels| levels.cut("rcs", "Radar cross section", "dBsm").unwrap().title().to_owned();
        assert_eq!(title(levels(2, 1, 1)), "Radar cross section, phi 0 deg, frequency 1 GHz");
        assert_eq!(title(levels(2, 2, 1)), "Radar cross section");
    }

    #[test]
    fn nothing_is_a_number_in_files() {
        assert!(decibels(0.0) < -3000.0 && decibels(0.0).is_finite());
        assert_eq!(decibels(100.0), 20.0);
    }

    #[test]
    fn of_many_curves_two_planes_are_shown() {
        // 17 angles φ from 0 by 0.1 rad: 90 degrees are next to 1.6.
        let shown = levels(3, 17, 3).planes(1);
        assert_eq!((shown.frequencies, shown.grid.phi), (vec![2e9], vec![0.0, 16.0 * 0.1]));
        assert_eq!(shown.values, [[100.0, 116.0, 117.0, 133.0, 134.0, 150.0]]);
        // What fits into a plot stays, and so does a cut along φ.
        assert_eq!(levels(3, 2, 3).planes(1).values.len(), 3);
        assert_eq!(levels(1, 17, 3).planes(1).values.len(), 3);
    }

    #[test]
    fn exact_levels_are_points_beside_the_curves() {
        let mut levels = levels(121, 2, 1);
        levels.exact = Some(vec![(0..242).map(|i| -f64::from(i)).collect()]);
        let Some(Plot::Line(plot)) = levels.cut("rcs", "Radar cross section", "dBsm") else {
            panic!("a plot")
        };
        let labels: Vec<&str> = plot.series.iter().map(|s| s.label.as_str()).collect();
        let (one, two) = ("phi 0 deg, frequency 1 GHz", "phi 5.7296 deg, frequency 1 GHz");
        assert_eq!(labels, [one, two, &format!("Mie, {one}"), &format!("Mie, {two}")]);
        // Every third of 121.
        assert_eq!((plot.series[3].x.len(), plot.series[3].y[40]), (41, -241.0));
        assert_eq!(plot.series[1].y[120], 241.0);
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
