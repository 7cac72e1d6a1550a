//! Plots of a reflectarray: directivity over the coast, phases, layout, cuts and convergence.

use super::cuts::Cuts;
use phasefront_reflectarray::coverage::{Satellite, coast_lines, graticule};
use phasefront_reflectarray::{Pattern, Placement, Problem, Solution};
use phasefront_report::plot::{Axis, Colors, DotPlot, LinePlot, MapPlot, Outline, Plot, Series};

/// Range of the color scale of a map below the peak, dB: lower side lobes are of no interest.
const MAP_DEPTH: f64 = 30.0;
/// Range of the axis of the convergence below the best mean, dB.
const CONVERGENCE_DEPTH: f64 = 20.0;
/// Range of the axis of the cuts below the peak, dB.
const CUT_DEPTH: f64 = 45.0;
/// Maximum contour lines of a map.
const MAX_CONTOURS: usize = 8;
/// Side of the squares of the layout relative to the spacing: neighbors remain separate.
const LAYOUT_SQUARE: f64 = 0.8;

/// All plots, the most informative one first.
pub(super) fn plots(
    problem: &Problem,
    satellite: Option<&Satellite>,
    solution: &Solution,
    cuts: &Cuts,
) -> Vec<Plot> {
    let mut plots = Vec::new();
    for (i, pattern) in solution.patterns.iter().enumerate() {
        let suffix = if i == 0 { String::new() } else { format!("_{}", i + 1) };
        plots.push(directivity(problem, satellite, pattern, &format!("directivity{suffix}")));
        plots.extend(cross_polar(problem, satellite, pattern, &format!("cross_polar{suffix}")));
    }
    plots.push(phases(problem, solution));
    if problem.placement != Placement::Periodic {
        plots.push(layout(problem, solution));
    }
    plots.push(cut_plot(cuts));
    if solution.history.len() > 1 {
        plots.extend(convergence(solution));
    }
    plots
}

/// The frequency as in titles.
fn gigahertz(frequency: f64) -> String {
    format!("{} GHz", (frequency * 1e-4).round() / 1e5)
}

fn highest(values: &[f64]) -> f64 {
    values.iter().copied().filter(|d| d.is_finite()).fold(f64::NEG_INFINITY, f64::max)
}

fn directivity(problem: &Problem, satellite: Option<&Satellite>, pattern: &Pattern, name: &str) -> Plot {
    let peak = highest(&pattern.d_co);
    let all = pattern.coverage.iter().find(|c| c.region == "all");
    let figures = all.map_or_else(
        || format!("peak {peak:.2} dBi"),
        |all| format!("D_min {:.2} dBi, D_mean {:.2} dBi", all.d_min, all.d_mean),
    );
    let seen = match satellite {
        Some(satellite) => format!(
            ", as seen from the satellite at {} with east to the right; the coast is Natural Earth's",
            east_or_west(satellite.longitude)
        ),
        None => String::new(),
    };
    Plot::Map(MapPlot {
        contours: levels(all.map(|all| all.d_min), peak),
        ..map(
            problem,
            satellite,
            &pattern.d_co,
            name,
            format!("Directivity at {}: {figures}", gigahertz(pattern.frequency)),
            format!(
                "Co-polar directivity over the direction cosines u and v, with contour lines in dBi and the outline of the \
                 coverage{seen}."
            ),
        )
    })
}

fn cross_polar(
    problem: &Problem,
    satellite: Option<&Satellite>,
    pattern: &Pattern,
    name: &str,
) -> Option<Plot> {
    let values = pattern.d_cross.as_ref()?;
    let frequency = gigahertz(pattern.frequency);
    let title = format!("Cross-polar directivity at {frequency}: peak {:.2} dBi", highest(values));
    let caption = "Cross-polar directivity by Ludwig's third definition.".to_owned();
    Some(Plot::Map(map(problem, satellite, values, name, title, caption)))
}

/// A map of `values` with the coast and the coverage.
fn map(
    problem: &Problem,
    satellite: Option<&Satellite>,
    values: &[f64],
    name: &str,
    title: String,
    caption: String,
) -> MapPlot {
    let top = highest(values).ceil();
    let rings = problem.coverage.iter().flat_map(|region| &region.polygons).flat_map(|p| &p.rings);
    MapPlot {
        name: name.into(),
        title,
        caption,
        x_label: "u".into(),
        y_label: "v".into(),
        value_label: "directivity (dBi)".into(),
        x: problem.uv_grid.u(),
        y: problem.uv_grid.v(),
        values: values.to_vec(),
        range: Some([top - MAP_DEPTH, top]),
        lines: satellite.map_or_else(Vec::new, coast_lines),
        faint_lines: satellite.map_or_else(Vec::new, graticule),
        outlines: rings.map(|ring| Outline { points: ring.clone(), closed: true, filled: false }).collect(),
        ..MapPlot::default()
    }
}

/// Round levels of contour lines: those of interest to a link budget, from just below the minimum over the coverage to the peak, and
/// two lower ones.
fn levels(minimum: Option<f64>, peak: f64) -> Vec<f64> {
    let from = minimum.filter(|d| d.is_finite()).map_or((peak - 3.0).floor(), f64::floor);
    // A failed synthesis may leave a deep minimum; levels far below the peak would clutter the map.
    let from = from.max((peak - 12.0).floor());
    let step = ((peak - from) / (MAX_CONTOURS - 2) as f64).ceil().max(1.0);
    let above = (0..MAX_CONTOURS - 2).map(|i| from + step * i as f64).take_while(|level| *level < peak);
    [from - 10.0, from - 3.0].into_iter().chain(above).collect()
}

fn east_or_west(longitude: f64) -> String {
    let degrees = (longitude.to_degrees() * 100.0).round() / 100.0;
    format!("{} {}", degrees.abs(), if degrees < 0.0 { "W" } else { "E" })
}

fn phases(problem: &Problem, solution: &Solution) -> Plot {
    let design = &solution.design;
    // Between -180 and 180, the range of the color scale.
    let degrees = |phase: &f64| (phase.to_degrees() + 180.0).rem_euclid(360.0) - 180.0;
    let [sx, sy] = problem.lattice.spacing;
    Plot::Dots(DotPlot {
        name: "phase".into(),
        title: format!("Phases of {} elements", design.phase.len()),
        caption: "Control phase of each element, at its position on the array.".into(),
        x_label: "x (m)".into(),
        y_label: "y (m)".into(),
        value_label: "phase (deg)".into(),
        x: design.x.clone(),
        y: design.y.clone(),
        values: design.phase.iter().map(degrees).collect(),
        side: sx.min(sy),
        colors: Colors::Phase,
        range: Some([-180.0, 180.0]),
    })
}

/// The positions of the elements, colored by the distance of the nearest neighbor on the grid.
fn layout(problem: &Problem, solution: &Solution) -> Plot {
    let design = &solution.design;
    let [nx, ny] = problem.lattice.elements;
    let mut element = vec![None; nx * ny];
    for (n, &[ix, iy]) in design.index.iter().enumerate() {
        element[iy * nx + ix] = Some(n);
    }
    let wavelength = problem.wavelength();
    let nearest = |n: usize| {
        let [ix, iy] = design.index[n];
        let sides = [(ix.wrapping_sub(1), iy), (ix + 1, iy), (ix, iy.wrapping_sub(1)), (ix, iy + 1)];
        let neighbors = sides.into_iter().filter(|&(x, y)| x < nx && y < ny);
        let distance = |m: usize| (design.x[m] - design.x[n]).hypot(design.y[m] - design.y[n]) / wavelength;
        neighbors.filter_map(|(x, y)| element[y * nx + x]).map(distance).fold(f64::INFINITY, f64::min)
    };
    let [sx, sy] = problem.lattice.spacing;
    Plot::Dots(DotPlot {
        name: "layout".into(),
        title: format!(
            "Layout: spacing from {:.3} to {:.3} wavelengths",
            solution.spacing[0], solution.spacing[1]
        ),
        caption: format!(
            "Positions of the elements, colored by the distance of the nearest of their four neighbors in wavelengths of {:.3} mm.",
            1e3 * wavelength
        ),
        x_label: "x (m)".into(),
        y_label: "y (m)".into(),
        value_label: "distance of the nearest neighbor (wavelengths)".into(),
        x: design.x.clone(),
        y: design.y.clone(),
        values: (0..design.x.len()).map(nearest).collect(),
        side: LAYOUT_SQUARE * sx.min(sy),
        ..DotPlot::default()
    })
}

/// The cuts along u and v.
fn cut_plot(cuts: &Cuts) -> Plot {
    let mut series = Vec::new();
    for (f, frequency) in cuts.frequencies.iter().enumerate() {
        let several = cuts.frequencies.len() > 1;
        let suffix = if several { format!(", {}", gigahertz(*frequency)) } else { String::new() };
        for (axis, letter) in ["u", "v"].into_iter().enumerate() {
            let from: Vec<f64> = cuts.coordinate[axis].iter().map(|x| x - cuts.center[axis]).collect();
            series.push(Series::solid(format!("along {letter}{suffix}"), from, cuts.d_dbi[axis][f].clone()));
        }
    }
    let top = cuts.d_dbi.iter().flatten().map(|d| highest(d)).fold(f64::NEG_INFINITY, f64::max).ceil();
    let [u, v] = cuts.center;
    Plot::Line(LinePlot {
        name: "cuts".into(),
        title: format!("Cuts through u = {u:.4}, v = {v:.4}"),
        caption: "Co-polar directivity along u and along v through the center of the (u, v) grid.".into(),
        x: Axis::new("u or v, from that point"),
        y: Axis::new("directivity (dBi)").with_range(top - CUT_DEPTH, top + 1.0),
        series,
    })
}

/// D_min and D_mean, and the objective, against the evaluations.
fn convergence(solution: &Solution) -> [Plot; 2] {
    let rows = &solution.history;
    let top = rows.iter().map(|row| row.d_mean).fold(f64::NEG_INFINITY, f64::max).ceil();
    let evaluations: Vec<f64> = rows.iter().map(|row| row.evaluations as f64).collect();
    let directivity = LinePlot {
        name: "convergence".into(),
        title: "Directivity over the coverage during the synthesis".into(),
        caption:
            "Minimum and mean of the directivity over the coverage against evaluations of the objective."
                .into(),
        x: Axis::new("evaluations"),
        // Restarts from new initial guesses begin far below this range.
        y: Axis::new("directivity (dBi)").with_range(top - CONVERGENCE_DEPTH, top),
        series: vec![
            Series::solid("D_mean", evaluations.clone(), rows.iter().map(|row| row.d_mean).collect()),
            Series::solid("D_min", evaluations.clone(), rows.iter().map(|row| row.d_min).collect()),
        ],
    };
    let objective = LinePlot {
        name: "objective".into(),
        title: "Objective during the synthesis".into(),
        caption:
            "Distance of the directivity from the mask of the case against its evaluations; it jumps with every new initial guess."
                .into(),
        x: Axis::new("evaluations"),
        y: Axis::new("objective").logarithmic(),
        series: vec![Series::solid("objective", evaluations, rows.iter().map(|row| row.objective).collect())],
    };
    [Plot::Line(directivity), Plot::Line(objective)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contour_levels_are_round_and_few() {
        assert_eq!(levels(Some(29.37), 32.9), [19.0, 26.0, 29.0, 30.0, 31.0, 32.0]);
        assert_eq!(levels(None, 42.0), [29.0, 36.0, 39.0, 40.0, 41.0]);
        let deep = levels(Some(-20.0), 33.2);
        assert!(deep.len() <= MAX_CONTOURS && deep.iter().all(|d| d.fract() == 0.0), "{deep:?}");
    }
}
