//! Plots of a dgtd run: energy, probes, S-parameters, slices, movies, currents.

use super::labels::{at_frequency, for_source, short, unit};
use super::ports::{Column, PortLabel, decibels};
use super::slices::{Moments, axis, component, stem};
use super::tables::times;
use num_complex::Complex64;
use phasefront_case::model::dgtd::Film;
use phasefront_core::decibels::{amplitude_db, power_db};
use phasefront_dgtd::{Slice, Solution, Study, Subdivision};
use phasefront_report::plot::{
    Axis, BodyPlot, Colors, LinePlot, MapPlot, MoviePlot, Plot, Series, SmithPlot, level_range,
};

/// Most curves that can be distinguished in one plot.
pub(super) const MAX_CURVES: usize = 6;
/// Decibels below the maximum where plots end: deeper values are nulls.
pub(super) const DEPTH_DB: f64 = 60.0;
/// Depth of color scales of fields and currents, dB.
const COLOR_DEPTH_DB: f64 = 40.0;
/// Values of all frames of a movie together: about 10 MB as text. Larger ones leave out points and frames; the arrays have all of them.
const MAX_VALUES: usize = 1_000_000;
/// Frames of a movie: more cannot be distinguished.
const MAX_FRAMES: usize = 120;
/// Depth of energy plots, dB.
const ENERGY_DEPTH_DB: f64 = 120.0;

fn nanoseconds(seconds: f64) -> f64 {
    1e9 * seconds
}

/// The energy relative to its peak, dB.
pub(super) fn energy(solution: &Solution) -> Plot {
    let peak = solution.energy.iter().map(|&(_, energy)| energy).fold(f64::MIN_POSITIVE, f64::max);
    let level = |energy: f64| power_db(energy / peak).max(-ENERGY_DEPTH_DB);
    let x = solution.energy.iter().map(|&(time, _)| nanoseconds(time)).collect();
    let y = solution.energy.iter().map(|&(_, energy)| level(energy)).collect();
    Plot::Line(LinePlot {
        name: "energy".into(),
        title: "Energy of all fields, from its peak".into(),
        caption: "The energy of all fields against time, in decibels from its peak.".into(),
        x: Axis::new("time (ns)"),
        y: Axis::new("energy (dB)"),
        series: vec![Series::solid("energy", x, y)],
    })
}

/// At each probe the strongest component of E.
pub(super) fn probes(solution: &Solution, probed: &[Vec<[f64; 6]>]) -> Plot {
    let curve = |(probe, fields): (usize, &Vec<[f64; 6]>)| {
        let size = |k: usize| fields.iter().fold(0.0, |size: f64, field| size.max(field[k].abs()));
        let k = (0..3).max_by(|&a, &b| size(a).total_cmp(&size(b))).unwrap_or(0);
        let x = times(solution, fields.len()).into_iter().map(nanoseconds).collect();
        let y = fields.iter().map(|field| field[k]).collect();
        Series::solid(format!("E{} at probe {}", ["x", "y", "z"][k], probe + 1), x, y)
    };
    let series: Vec<Series> = probed.iter().enumerate().take(MAX_CURVES).map(curve).collect();
    Plot::Line(LinePlot {
        name: "probes".into(),
        // A plot of one curve has no legend.
        title: match &series[..] {
            [only] => only.label.clone(),
            _ => "Electric field at the probes".into(),
        },
        caption: "At each of the first probes, the component of the electric field that is strongest there."
            .into(),
        x: Axis::new("time (ns)"),
        y: Axis::new("electric field (V/m)"),
        series,
    })
}

/// S-parameters against frequency, a plot for each excited port, and the reflection coefficients of excited ports on a Smith chart.
pub(super) fn s_parameters(ports: &[PortLabel], columns: &[Column]) -> Vec<Plot> {
    let Some(first) = columns.first().filter(|column| column.spectra.len() > 1) else { return Vec::new() };
    let [low, high] = level_range(columns.iter().flat_map(levels).flatten(), DEPTH_DB);
    let lines = |column: &Column| {
        let x: Vec<f64> = column.spectra.iter().map(|at| 1e-9 * at.frequency).collect();
        let curve = |(to, y): (usize, Vec<f64>)| Series::solid(format!("S{}", column.name(to)), x.clone(), y);
        let number = column.port + 1;
        Plot::Line(LinePlot {
            name: if columns.len() == 1 { "sparameters".into() } else { format!("sparameters_{number}") },
            // A plot of one curve has no legend.
            title: match column.ports() {
                1 => format!("S{}, the reflection of port {number}", column.name(column.port)),
                _ => format!("S-parameters, port {number} excited"),
            },
            caption: format!("Transmission from port {number} to each port."),
            x: Axis::new("frequency (GHz)"),
            y: Axis::new("level (dB)").with_range(low, high),
            series: levels(column).into_iter().enumerate().map(curve).collect(),
        })
    };
    let own = |column: &Column| format!("S{}", column.name(column.port));
    let reflection = |column: &Column| Series::complex(own(column), &column.curve);
    let frequencies = first.spectra.iter().map(|at| 1e-9 * at.frequency);
    let reference = |column: &Column| ports[column.port].reference_text();
    let mut references: Vec<String> = columns.iter().map(reference).collect();
    references.dedup();
    let smith = Plot::Smith(SmithPlot {
        name: "smith".into(),
        title: match columns {
            [only] => format!("{}, the reflection of port {}", own(only), only.port + 1),
            _ => "Reflection of each excited port".into(),
        },
        caption: "The reflection coefficient of each excited port on a Smith chart.".into(),
        label: format!(
            "{} GHz to {} GHz, reference {}",
            short(frequencies.clone().fold(f64::INFINITY, f64::min)),
            short(frequencies.fold(0.0, f64::max)),
            references.join(", ")
        ),
        series: columns.iter().map(reflection).collect(),
        marks: Vec::new(),
    });
    columns.iter().map(lines).chain([smith]).collect()
}

/// S-parameters of a column in dB.
fn levels(column: &Column) -> Vec<Vec<f64>> {
    (0..column.ports()).map(|to| column.to(to).into_iter().map(decibels).collect()).collect()
}

/// The map of |E| at the frequency of index `shown`.
pub(super) fn slice_map(
    study: &Study,
    slice: &Slice,
    fields: &[Vec<[Complex64; 6]>],
    shown: usize,
) -> Option<Plot> {
    let level = |fields: &[Complex64; 6]| {
        amplitude_db(fields[..3].iter().map(Complex64::norm_sqr).sum::<f64>().sqrt())
    };
    let values: Vec<f64> = fields.get(shown)?.iter().map(level).collect();
    let [(x_label, x), (y_label, y)] = [0, 1].map(|side| axis(slice, side));
    Some(Plot::Map(MapPlot {
        name: stem(slice),
        title: format!("Electric field on {}, {}", slice.name, at_frequency(study, shown)),
        caption: format!(
            "The electric field on the slice {}: magnitude of the complex vector, {}.",
            slice.name,
            for_source(study)
        ),
        value_label: format!("|E| (dB re 1 {})", unit(study, "V")),
        range: Some(level_range(values.iter().copied(), COLOR_DEPTH_DB)),
        x_label,
        y_label,
        x,
        y,
        values,
        ..MapPlot::default()
    }))
}

/// The field of a film at a point, the first of E or H, which component of it, and its name; none is the magnitude.
fn shown(film: Film) -> (usize, Option<usize>, &'static str) {
    match film {
        Film::EX => (0, Some(0), "Ex"),
        Film::EY => (0, Some(1), "Ey"),
        Film::EZ => (0, Some(2), "Ez"),
        Film::E => (0, None, "|E|"),
        Film::HX => (3, Some(0), "Hx"),
        Film::HY => (3, Some(1), "Hy"),
        Film::HZ => (3, Some(2), "Hz"),
        Film::H => (3, None, "|H|"),
    }
}

/// The component of E with most energy over all times.
fn strongest(moments: &Moments) -> Film {
    let energy = |c: usize| {
        let values = moments.iter().flat_map(|(_, fields)| fields.iter().flatten());
        values.map(|field| f64::from(field[c]) * f64::from(field[c])).sum::<f64>()
    };
    let components = [Film::EX, Film::EY, Film::EZ].into_iter().enumerate();
    let strongest = components.max_by(|(a, _), (b, _)| energy(*a).total_cmp(&energy(*b)));
    strongest.map_or(Film::EX, |(_, film)| film)
}

/// A component or a magnitude of the field as a movie; without a wish the strongest component of E.
pub(super) fn slice_movie(slice: &Slice, moments: &Moments, wish: Option<Film>) -> Option<Plot> {
    let (first, along, name) = shown(wish.unwrap_or_else(|| strongest(moments)));
    let value = |field: Option<&[f32; 6]>| match along {
        Some(c) => component(field, first + c),
        None => (0..3).map(|c| component(field, first + c).powi(2)).sum::<f64>().sqrt(),
    };
    let [cols, rows] = slice.points;
    let skip = moments.len().div_ceil(MAX_FRAMES).max(1);
    let shown: Vec<_> = moments.iter().step_by(skip).collect();
    let stride =
        (1..=cols.max(rows)).find(|s| cols.div_ceil(*s) * rows.div_ceil(*s) * shown.len() <= MAX_VALUES)?;
    let thin = |fields: &[Option<[f32; 6]>]| {
        let row = |r: usize| (0..cols).step_by(stride).map(move |column| r * cols + column);
        (0..rows).step_by(stride).flat_map(row).map(|i| value(fields[i].as_ref()) as f32).collect()
    };
    let frames: Vec<Vec<f32>> = shown.iter().map(|(_, fields)| thin(fields)).collect();
    let most = frames.iter().flatten().filter(|e| e.is_finite()).fold(0.0_f32, |most, e| most.max(e.abs()));
    let [(x_label, x), (y_label, y)] = [0, 1]
        .map(|side| axis(slice, side))
        .map(|(label, all)| (label, all.into_iter().step_by(stride).collect()));
    let field = if first == 0 { "electric" } else { "magnetic" };
    let what = if along.is_some() {
        format!("The component {name} of the {field} field")
    } else {
        format!("The magnitude of the {field} field")
    };
    let most = f64::from(most);
    Some(Plot::Movie(MoviePlot {
        name: format!("slice_{}_time", slice.name),
        title: format!("{name} on {} over time", slice.name),
        caption: format!("{what} on the slice {} at the times of the snapshots.", slice.name),
        x_label,
        y_label,
        value_label: format!("{name} ({})", if first == 0 { "V/m" } else { "A/m" }),
        x,
        y,
        times_s: shown.iter().map(|(time, _)| *time).collect(),
        frames,
        colors: if along.is_some() { Colors::Diverging } else { Colors::Sequential },
        range: (most > 0.0).then(|| [if along.is_some() { -most } else { 0.0 }, most]),
    }))
}

/// The conductors colored by their surface currents at the frequency of index `shown`.
pub(super) fn currents(study: &Study, solution: &Solution, mesh: Subdivision<3>, shown: usize) -> Plot {
    let currents = study.currents(solution, shown);
    let size = |corner: u32| currents[corner as usize].iter().map(Complex64::norm_sqr).sum::<f64>().sqrt();
    let level =
        |corners: &[u32; 3]| amplitude_db(corners.iter().map(|&corner| size(corner)).sum::<f64>() / 3.0);
    let values: Vec<f64> = mesh.cells.iter().map(level).collect();
    Plot::Body(BodyPlot {
        name: "currents".into(),
        title: format!("Surface current, {}", at_frequency(study, shown)),
        caption: format!(
            "Current on the conductors: magnitude of the complex vector, {}.",
            for_source(study)
        ),
        value_label: format!("|J| (dB re 1 {})", unit(study, "A")),
        range: Some(level_range(values.iter().copied(), COLOR_DEPTH_DB)),
        vertices: mesh.points,
        triangles: mesh.cells,
        values,
        source: study.problem.sources.plane_wave.as_ref().map(|wave| wave.propagation.map(|x| -x)),
        ..BodyPlot::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_curve_is_named_by_the_title() {
        let solution = Solution {
            excited: 0,
            steps: 1,
            start: 0.0,
            dt: 1e-9,
            energy: Vec::new(),
            settled: false,
            samples: Vec::new(),
            spectra: Vec::new(),
            snapshots: Vec::new(),
            dissipated: Vec::new(),
            error: None,
            ranks: Vec::new(),
        };
        let fields = vec![[0.1, -0.3, 0.2, 9.0, 9.0, 9.0]];
        assert_eq!(probes(&solution, std::slice::from_ref(&fields)).title(), "Ey at probe 1");
        assert_eq!(probes(&solution, &[fields.clone(), fields]).title(), "Electric field at the probes");
    }

    #[test]
    fn large_movies_leave_out_points_and_frames() {
        let slice = Slice {
            name: "cut".into(),
            origin: [0.0; 3],
            sides: [[1.0, 0.0, 0.0], [0.0, 0.0, 2.0]],
            points: [151, 101],
        };
        let field = |i: usize| Some([0.0, -(i as f32), 0.5, 3.0, 0.0, 4.0]);
        let moments: Vec<_> =
            (0..300).map(|t| (1e-9 * f64::from(t), (0..151 * 101).map(field).collect())).collect();
        let Some(Plot::Movie(movie)) = slice_movie(&slice, &moments, None) else { panic!("no movie") };
        // Every third frame, every second point.
        assert_eq!((movie.times_s.len(), movie.x.len(), movie.y.len()), (100, 76, 51));
        assert_eq!(movie.frames[7][76 + 3], -(2.0 * 151.0 + 6.0));
        assert_eq!(movie.times_s[1], moments[3].0);
        assert_eq!(movie.value_label, "Ey (V/m)");
        assert_eq!(movie.range, Some([-15250.0, 15250.0]));
        let magnitude = slice_movie(&slice, &moments, Some(Film::H));
        let Some(Plot::Movie(movie)) = magnitude else { panic!("no movie") };
        assert_eq!((movie.frames[7][79], movie.range), (5.0, Some([0.0, 5.0])));
        assert_eq!((movie.value_label.as_str(), movie.colors), ("|H| (A/m)", Colors::Sequential));
        assert!(
            slice_movie(&slice, &[], None).is_some_and(|plot| plot.render().is_err()),
            "an animation without frames is not requested"
        );
    }
}
