//! Plots of a `mom` run: echo width, currents and near field.

use super::tables::incidence;
use crate::format::degrees;
use phasefront_core::constants::C0;
use phasefront_core::decibels::power_db;
use phasefront_mom::{Material, Mesh, Polarization, Solution, Study};
use phasefront_report::plot::{Axis, Colors, LinePlot, MapPlot, Outline, Plot, PolarPlot, Series};
use std::f64::consts::PI;

/// Most curves of one plot that remain distinguishable.
const MAX_CURVES: usize = 6;
/// Multiple of the median current at which the axis is cut off if the singular current at edges reaches twice that.
const CUT_OFF: f64 = 6.0;
/// Dynamic range of the polar plot, dB.
const POLAR_DEPTH_DB: f64 = 40.0;

/// All plots of a solution, the most important one first.
pub(super) fn plots(study: &Study, solution: &Solution) -> Vec<Plot> {
    let mut plots = Vec::new();
    plots.extend(field_map(study, solution));
    plots.extend(monostatic(study, solution));
    plots.extend(echo_width(study, solution));
    if study.problem.currents {
        plots.extend(currents(study, solution));
    }
    plots
}

/// A swept quantity: its label, its values, and its axis in (frequency, incidence, observation).
struct Sweep {
    label: &'static str,
    values: Vec<f64>,
    axis: usize,
}

/// The three sweeps of a study. The longest is the abscissa, and of equally long ones the first.
fn sweeps(study: &Study) -> [Sweep; 3] {
    let problem = &study.problem;
    let angles = |list: &[f64]| list.iter().map(|&a| degrees(a)).collect();
    [
        Sweep { label: "observation angle (deg)", values: angles(&problem.observation), axis: 2 },
        Sweep { label: "direction of propagation (deg)", values: angles(&problem.propagation), axis: 1 },
        Sweep {
            label: "frequency (GHz)",
            values: problem.frequencies.iter().map(|f| f * 1e-9).collect(),
            axis: 0,
        },
    ]
}

/// Echo width against the first sweep that has several values, one curve per combination of the others.
fn echo_width(study: &Study, solution: &Solution) -> Vec<Plot> {
    let sweeps = sweeps(study);
    let longest = sweeps.iter().map(|s| s.values.len()).max().unwrap_or(0);
    let Some(abscissa) = sweeps.iter().find(|s| s.values.len() == longest && longest > 1) else {
        return Vec::new();
    };
    if study.problem.observation.is_empty() {
        return Vec::new();
    }
    // Lists in a case may have any order; a line plot needs an ascending abscissa.
    let mut order: Vec<usize> = (0..longest).collect();
    order.sort_by(|&a, &b| abscissa.values[a].total_cmp(&abscissa.values[b]));
    let x: Vec<f64> = order.iter().map(|&i| abscissa.values[i]).collect();
    let others: Vec<&Sweep> = sweeps.iter().filter(|s| s.axis != abscissa.axis).collect();
    let mut series = Vec::new();
    for a in 0..others[0].values.len() {
        for b in 0..others[1].values.len() {
            let y = order
                .iter()
                .map(|&i| {
                    let mut index = [0; 3];
                    (index[abscissa.axis], index[others[0].axis], index[others[1].axis]) = (i, a, b);
                    power_db(solution.frequencies[index[0]].echo_width[index[1]][index[2]])
                })
                .collect();
            let label = curve_label(&others, [a, b]);
            series.push(Series::solid(label, x.clone(), y));
        }
    }
    let total = series.len();
    series.truncate(MAX_CURVES);
    let caption = format!(
        "Echo width in decibels above one meter{}.",
        if total > MAX_CURVES {
            format!(" (the first {MAX_CURVES} of {total} curves)")
        } else {
            String::new()
        }
    );
    let title = format!("Echo width, {}", conditions(study));
    let line = LinePlot {
        name: "echo_width".into(),
        title: title.clone(),
        caption: caption.clone(),
        x: Axis::new(abscissa.label),
        y: Axis::new("echo width (dB re 1 m)"),
        series: series.clone(),
    };
    let mut plots = vec![Plot::Line(line)];
    if abscissa.axis == 2 {
        // Against angle, the polar plot is the main one.
        plots.insert(0, polar(title, series, caption));
    }
    plots
}

/// Monostatic echo width against the direction of the radar, one curve per frequency; against frequency for a single direction.
fn monostatic(study: &Study, solution: &Solution) -> Vec<Plot> {
    let problem = &study.problem;
    if !problem.monostatic || problem.propagation.len() * problem.frequencies.len() < 2 {
        return Vec::new();
    }
    let against_angle = problem.propagation.len() > 1;
    let widths =
        |f: usize| solution.frequencies[f].monostatic.iter().map(|&s| power_db(s)).collect::<Vec<_>>();
    let (label, series): (&str, Vec<Series>) = if against_angle {
        let arrival: Vec<f64> = problem.propagation.iter().map(|&a| degrees(a - PI)).collect();
        let mut order: Vec<usize> = (0..arrival.len()).collect();
        order.sort_by(|&a, &b| arrival[a].total_cmp(&arrival[b]));
        let curve = |f: usize| {
            let y = widths(f);
            let text = if problem.frequencies.len() > 1 {
                frequency_text(problem.frequencies[f])
            } else {
                String::new()
            };
            Series::solid(
                text,
                order.iter().map(|&i| arrival[i]).collect(),
                order.iter().map(|&i| y[i]).collect(),
            )
        };
        ("direction of the radar (deg)", (0..problem.frequencies.len().min(MAX_CURVES)).map(curve).collect())
    } else {
        let x = problem.frequencies.iter().map(|f| f * 1e-9).collect();
        let y = (0..problem.frequencies.len()).map(|f| widths(f)[0]).collect();
        ("frequency (GHz)", vec![Series::solid(String::new(), x, y)])
    };
    let mut parts = vec![polarization(study).to_owned()];
    if let [frequency] = problem.frequencies[..] {
        parts.push(frequency_text(frequency));
    }
    let more = problem.frequencies.len() > MAX_CURVES && against_angle;
    vec![Plot::Line(LinePlot {
        name: "monostatic".into(),
        title: format!("Monostatic echo width, {}", parts.join(", ")),
        caption: format!(
            "Monostatic echo width in decibels above one meter{}.",
            if more {
                format!(" (the first {MAX_CURVES} of {} frequencies)", problem.frequencies.len())
            } else {
                String::new()
            }
        ),
        x: Axis::new(label),
        y: Axis::new("echo width (dB re 1 m)"),
        series,
    })]
}

fn polar(title: String, series: Vec<Series>, caption: String) -> Plot {
    let top =
        series.iter().flat_map(|s| &s.y).copied().filter(|v| v.is_finite()).fold(f64::NEG_INFINITY, f64::max);
    let top = if top.is_finite() { (top / 10.0).ceil() * 10.0 } else { 0.0 };
    Plot::Polar(PolarPlot {
        name: "echo_width_polar".into(),
        title,
        caption,
        angle_label: "observation angle (deg)".into(),
        radial_label: "echo width (dB re 1 m)".into(),
        floor: Some(top - POLAR_DEPTH_DB),
        top: Some(top),
        series,
    })
}

fn polarization(study: &Study) -> &'static str {
    match study.problem.polarization {
        Polarization::Tm => "TM",
        Polarization::Te => "TE",
    }
}

/// What all curves of a plot share: polarization, and frequency and incidence where they are not swept.
fn conditions(study: &Study) -> String {
    let mut parts = vec![polarization(study).to_owned()];
    if let [frequency] = study.problem.frequencies[..] {
        parts.push(frequency_text(frequency));
    }
    if let [direction] = study.problem.propagation[..] {
        parts.push(format!("incidence {}°", incidence(direction)));
    }
    parts.join(", ")
}

/// A frequency with six digits and an SI prefix: `299.792 MHz`.
fn frequency_text(hertz: f64) -> String {
    let (scale, unit) = match hertz {
        f if f >= 1e9 => (1e-9, "GHz"),
        f if f >= 1e6 => (1e-6, "MHz"),
        f if f >= 1e3 => (1e-3, "kHz"),
        _ => (1.0, "Hz"),
    };
    let digits = (5.0 - (hertz * scale).log10().floor()).clamp(0.0, 9.0) as usize;
    let text = format!("{:.digits$}", hertz * scale);
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text} {unit}")
}

/// Legend of a curve: the values of the other sweeps that vary.
fn curve_label(others: &[&Sweep], index: [usize; 2]) -> String {
    let part = |(sweep, i): (&&Sweep, usize)| {
        let (name, unit) = sweep.label.split_once(" (").unwrap_or((sweep.label, ""));
        let value = sweep.values[i];
        let text = match sweep.axis {
            0 => frequency_text(1e9 * value),
            _ => format!("{name} {value} {}", unit.trim_end_matches(')')),
        };
        (sweep.values.len() > 1).then_some(text)
    };
    others.iter().zip(index).filter_map(part).collect::<Vec<_>>().join(", ")
}

/// Magnitude and phase of the current of the first wave, against arc length, one curve per body.
fn currents(study: &Study, solution: &Solution) -> Vec<Plot> {
    let mesh = &study.mesh;
    let current = &solution.frequencies[0].currents[0];
    let bodies = study.problem.bodies.len();
    let curves = |value: &dyn Fn(usize) -> f64| -> Vec<Series> {
        (0..bodies.min(MAX_CURVES))
            .map(|body| {
                let cells: Vec<usize> = (0..mesh.len()).filter(|&i| mesh.body[i] == body).collect();
                let x = cells.iter().map(|&i| mesh.s[i]).collect();
                let y = cells.iter().map(|&i| value(i)).collect();
                Series::solid(format!("body {body}"), x, y)
            })
            .collect()
    };
    let longest = (0..mesh.len()).map(|i| mesh.s[i] + 0.5 * mesh.w[i]).fold(0.0, f64::max);
    // Only the first wave is plotted; the table holds all of them.
    let which = format!(
        "{}, incidence {}°",
        frequency_text(solution.frequencies[0].frequency),
        incidence(study.problem.propagation[0])
    );
    let more = if bodies > MAX_CURVES {
        format!(" (the first {MAX_CURVES} of {bodies} bodies)")
    } else {
        String::new()
    };
    let plot = |name: &str, title: &str, y: Axis, series| {
        Plot::Line(LinePlot {
            name: name.into(),
            title: format!("{title}, {}, {which}", polarization(study)),
            caption: format!("{title} for a unit incident field, along the contour of each body{more}."),
            x: Axis::new("arc length (m)").with_range(0.0, longest),
            y,
            series,
        })
    };
    // For a unit wave: H is E over 377 ohms (TM), or one itself (TE).
    let (scale, label) = match study.problem.polarization {
        Polarization::Tm => (1e3, "|J| (mA/m)"),
        Polarization::Te => (1.0, "|J| (A/m)"),
    };
    let sizes: Vec<f64> = current.iter().map(|j| scale * j.norm()).collect();
    let magnitude = curves(&|i| sizes[i]);
    let phase = curves(&|i| current[i].arg().to_degrees()).into_iter().map(break_at_wraps).collect();
    vec![
        plot("currents", "Surface current", magnitude_axis(label, mesh, &sizes), magnitude),
        plot("current_phase", "Phase of the surface current", Axis::new("phase of J (deg)"), phase),
    ]
}

/// The axis of |J|. At edges the current is singular and would flatten the rest of the curve: the axis is cut off there.
fn magnitude_axis(label: &str, mesh: &Mesh, sizes: &[f64]) -> Axis {
    let mut order: Vec<usize> = (0..mesh.len()).collect();
    order.sort_by(|&a, &b| sizes[a].total_cmp(&sizes[b]));
    // The median by arc length, because nodes are dense at edges.
    let mut rest = 0.5 * mesh.w.iter().sum::<f64>();
    let middle = order.iter().find(|&&i| {
        rest -= mesh.w[i];
        rest <= 0.0
    });
    let at = |i: Option<&usize>| i.map_or(0.0, |&i| sizes[i]);
    let (top, largest) = (CUT_OFF * at(middle), at(order.last()));
    let axis = Axis::new(label);
    if top > 0.0 && largest > 2.0 * top { axis.with_range(0.0, top) } else { axis }
}

/// The same curve with a gap wherever the phase wraps, so that no line crosses the plot there.
fn break_at_wraps(curve: Series) -> Series {
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for (i, (&s, &phase)) in curve.x.iter().zip(&curve.y).enumerate() {
        // A jump by more than half a turn is a wrap of the principal value.
        if i > 0 && (phase - curve.y[i - 1]).abs() > 180.0 {
            x.push(s);
            y.push(f64::NAN);
        }
        x.push(s);
        y.push(phase);
    }
    Series { x, y, ..curve }
}

/// |E| on the grid, with the bodies' outlines.
fn field_map(study: &Study, solution: &Solution) -> Option<Plot> {
    let grid = study.problem.near_field.as_ref()?;
    let at = solution.frequencies.first()?;
    let field = at.near_field.as_ref()?;
    if grid.x.len() < 2 || grid.y.len() < 2 {
        return None; // A line or a point is no map; the array file holds it.
    }
    let (field_name, label) = match study.problem.polarization {
        Polarization::Tm => ("electric", "|E| (V/m)"),
        Polarization::Te => ("magnetic", "|H| (A/m)"),
    };
    Some(Plot::Map(MapPlot {
        name: "near_field".into(),
        title: format!("Total {field_name} field, {}", conditions(study)),
        caption: format!(
            "Magnitude of the total {field_name} field for a unit incident wave traveling at {} deg; wavelength {:.6} m.",
            incidence(study.problem.propagation[0]),
            C0 / at.frequency
        ),
        x: grid.x.clone(),
        y: grid.y.clone(),
        x_label: "x (m)".into(),
        y_label: "y (m)".into(),
        values: field.total.iter().map(|e| e.norm()).collect(),
        value_label: label.into(),
        range: None,
        colors: Colors::Sequential,
        outlines: outlines(study),
        ..MapPlot::default()
    }))
}

fn outlines(study: &Study) -> Vec<Outline> {
    let bodies = study.problem.bodies.iter().enumerate();
    bodies
        .map(|(b, body)| {
            let closed = body.shape.is_closed();
            // The field inside a dielectric must remain visible.
            let filled = closed && body.material == Material::Conductor;
            Outline { points: study.mesh.outline(b), closed, filled }
        })
        .collect()
}
