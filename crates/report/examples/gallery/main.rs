//! Draws every kind of plot, and pages, with data as a solver gives them, into the folder named on the command line:
//! `cargo run -p phasefront-report --example gallery -- target/gallery`. For looking at, when the style changes.

mod antenna;
mod radar;

use phasefront_report::plot::{Axis, Colors, DotPlot, LinePlot, MapPlot, Outline, Plot, PolarPlot, Series};
use phasefront_report::{Check, FileEntry, Overview, Report, RunResult, Table, html, overview, pvd};
use std::f64::consts::{PI, TAU};
use std::path::{Path, PathBuf};

/// Pattern of a row of `n` sources half a wavelength apart, in dB: main lobes and deep nulls.
fn pattern(n: f64, degrees: f64) -> f64 {
    let psi = PI * degrees.to_radians().cos();
    let factor =
        if (psi / 2.0).sin().abs() < 1e-12 { n } else { ((n * psi / 2.0).sin() / (psi / 2.0).sin()).abs() };
    20.0 * factor.log10()
}

fn angles() -> Vec<f64> {
    (0..=360).map(f64::from).collect()
}

fn patterns() -> Vec<Series> {
    [("TM, LCN order 8", 5.0), ("TE, LCN order 8", 8.0)]
        .map(|(label, n)| Series::solid(label, angles(), angles().iter().map(|a| pattern(n, *a)).collect()))
        .to_vec()
}

fn current() -> Plot {
    let s: Vec<f64> = (0..400).map(|i| f64::from(i) * TAU / 399.0).collect();
    let size = |s: &f64| 2.7e-3 * (1.05 - s.cos()) * (1.0 + 0.05 * (9.0 * s).cos());
    let reference: Vec<f64> = s.iter().step_by(25).copied().collect();
    Plot::Line(LinePlot {
        name: "current".into(),
        title: "Surface current on a circle, ka = 2\u{3c0}".into(),
        x: Axis::new("arc length (m)"),
        y: Axis::new("|J| (A/m)"),
        series: vec![
            Series::solid("pulses, 1008 unknowns", s.clone(), s.iter().map(|s| 1.04 * size(s)).collect()),
            Series::solid("LCN, 256 unknowns", s.clone(), s.iter().map(size).collect()),
            Series::points("series", reference.clone(), reference.iter().map(size).collect()),
        ],
        ..LinePlot::default()
    })
}

fn field(colors: Colors) -> Plot {
    let axis: Vec<f64> = (0..200).map(|i| -3.0 + 6.0 * f64::from(i) / 199.0).collect();
    let k = TAU;
    let wave = |x: f64, y: f64| {
        let r = x.hypot(y);
        if r < 1.0 {
            return (f64::NAN, f64::NAN);
        }
        let scattered = 0.9 / r.sqrt() * (1.0 + 0.8 * x / r);
        let phase = -k * (r - 1.0) + PI;
        ((-k * x).cos() + scattered * phase.cos(), (-k * x).sin() + scattered * phase.sin())
    };
    let value = |(re, im): (f64, f64)| match colors {
        Colors::Sequential | Colors::Heat => re.hypot(im),
        Colors::Diverging => re,
        Colors::Phase => im.atan2(re).to_degrees(),
    };
    let values = axis.iter().flat_map(|y| axis.iter().map(move |x| (*x, *y))).map(|(x, y)| value(wave(x, y)));
    let values = values.collect();
    let (name, title, value_label) = match colors {
        Colors::Sequential | Colors::Heat => ("field", "Total field around a circle", "|E| (V/m)"),
        Colors::Diverging => ("field_real", "Total field, real part", "Re E (V/m)"),
        Colors::Phase => ("field_phase", "Phase of the total field", "phase (deg)"),
    };
    let points = (0..180).map(|i| (f64::from(i) * TAU / 180.0).sin_cos()).map(|(s, c)| [c, s]).collect();
    Plot::Map(MapPlot {
        name: name.into(),
        title: title.into(),
        x_label: "x (m)".into(),
        y_label: "y (m)".into(),
        value_label: value_label.into(),
        x: axis.clone(),
        y: axis,
        values,
        colors,
        outlines: vec![Outline { points, closed: true, filled: true }],
        ..MapPlot::default()
    })
}

/// A beam with its contours over lines of a coast and the outline of a region.
fn beam() -> Plot {
    let axis: Vec<f64> = (0..80).map(|i| -0.06 + 0.12 * f64::from(i) / 79.0).collect();
    let level = |x: f64, y: f64| 32.0 - 4e3 * (x * x + 2.0 * y * y) + (400.0 * x * y).sin();
    let values = axis.iter().flat_map(|y| axis.iter().map(move |x| level(*x, *y))).collect();
    let coast =
        |k: f64| (0..200).map(|i| f64::from(i) / 199.0).map(move |t| [0.12 * t - 0.06, k * (9.0 * t).sin()]);
    let region = (0..90).map(|i| (f64::from(i) * TAU / 90.0).sin_cos()).map(|(s, c)| [0.03 * c, 0.02 * s]);
    Plot::Map(MapPlot {
        name: "beam".into(),
        title: "Directivity over a coast".into(),
        x_label: "u".into(),
        y_label: "v".into(),
        value_label: "directivity (dBi)".into(),
        x: axis.clone(),
        y: axis,
        values,
        range: Some([10.0, 33.0]),
        contours: vec![20.0, 26.0, 29.0, 31.0],
        lines: vec![coast(0.02).collect(), coast(-0.05).collect()],
        outlines: vec![Outline { points: region.collect(), closed: true, filled: false }],
        ..MapPlot::default()
    })
}

fn elements() -> Plot {
    let positions = || (0..41 * 41).map(|i| (f64::from(i % 41) - 20.0, f64::from(i / 41) - 20.0));
    Plot::Dots(DotPlot {
        name: "elements".into(),
        title: "Phases of an array".into(),
        x_label: "x (m)".into(),
        y_label: "y (m)".into(),
        value_label: "phase (deg)".into(),
        x: positions().map(|(x, _)| 0.01 * x).collect(),
        y: positions().map(|(_, y)| 0.01 * y).collect(),
        values: positions().map(|(x, y)| 2.0 * (x * x + y * y)).collect(),
        side: 0.01,
        colors: Colors::Phase,
        range: Some([-180.0, 180.0]),
        ..DotPlot::default()
    })
}

fn noise() -> Plot {
    let x: Vec<f64> = (0..100_000).map(|i| f64::from(i) * 1e-9).collect();
    let y = (0..100_000_u32).map(|i| f64::from(i.wrapping_mul(2654435761) >> 16) / 65536.0 - 0.5);
    let y = y.zip(&x).map(|(n, t)| 1e-4 * n + (4e5 * t).sin() * (-3e4 * t).exp()).collect();
    Plot::Line(LinePlot {
        name: "signal".into(),
        title: "A long record".into(),
        x: Axis::new("time (s)"),
        y: Axis::new("pressure (Pa)"),
        series: vec![Series::solid("p", x, y)],
        ..LinePlot::default()
    })
}

fn convergence() -> Plot {
    let n: Vec<f64> = (0..9).map(|i| 32.0 * 2_f64.powi(i)).collect();
    let error = |order: i32| n.iter().map(|n| 3.0 * (8.0 / n).powi(order) + 2e-15).collect();
    let series = [1, 3, 4, 6, 8].map(|q| Series::solid(format!("order {q}"), n.clone(), error(q))).to_vec();
    Plot::Line(LinePlot {
        name: "convergence".into(),
        title: "Convergence of the current".into(),
        x: Axis::new("unknowns").logarithmic(),
        y: Axis::new("relative error").logarithmic(),
        series,
        ..LinePlot::default()
    })
}

fn result() -> RunResult {
    let mut result = RunResult::new("mom", "circle");
    result.device = "CPU, 2 threads (AVX-512)".into();
    result.seed = Some(1);
    for (path, value) in
        [("solve.method", "\"lcn\""), ("solve.order", "8"), ("source.frequency", "\"300 MHz\"")]
    {
        result.settings.insert(path.into(), value.into());
    }
    result
        .seconds
        .extend([("fill", 0.0123), ("solve", 0.431), ("post", 1.2)].map(|(k, v)| (k.to_owned(), v)));
    let metrics =
        [("unknowns", 256.0), ("residual", 3.1e-15), ("condition", 17.25), ("backward_error", f64::NAN)];
    result.metrics.extend(metrics.map(|(k, v)| (k.to_owned(), v)));
    let check = |name: &str, value, reference| {
        let check = Check::new(name, value, reference, 1e-9, "series of a circle, ka = 2\u{3c0}");
        Check { unit: Some("\u{3bb}".into()), ..check }
    };
    result.checks.push(check("sigma forward", 34.5845603481, 34.584560348));
    result.checks.push(check("sigma at 90 deg", 2.5084979262, 2.5084979260));
    result.checks.push(check("sigma back", 3.18275, 3.1827472848));
    result.warnings.push("8 cells per wavelength at the strip; 10 are advised".into());
    let file = |name: &str, bytes, what: &str| FileEntry { name: name.into(), bytes, what: what.into() };
    result.files = vec![
        file("case.toml", 812, "the case"),
        file("echo_width.csv", 23_456, "echo width against angle"),
        file("field.npz", 1_280_512, "field on the grid"),
    ];
    result
}

fn write_pages(folder: &Path, plots: &[(String, String)]) -> std::io::Result<()> {
    let result = result();
    let levels = angles().iter().map(|a| pattern(5.0, *a)).collect();
    let table = Table::new("echo_width").number("observation_deg", angles()).number("sigma_db_m", levels);
    let report = Report {
        title: "Circle",
        subtitle: "Scattering of a plane wave by a conducting circle, one wavelength in radius",
        result: &result,
        plots,
        tables: &[&table],
        case_text: "version = 1\nsolver = \"mom\"\nname = \"circle\"\n\n[source]\nfrequency = \"300 MHz\"\n",
    };
    std::fs::write(folder.join("report.html"), html(&report))?;
    let svg = plots.first().map(|(_, svg)| svg.as_str());
    let meaning = "A wave meets a body; the picture is the field around it.";
    let runs = [(svg, "circle/report.html"), (None, "strip/report.html")];
    let runs = runs.map(|(picture, address)| Overview { result: &result, picture, meaning, address });
    let page = overview("Demo", "One small case of each solver.", &runs, &["phasefront new mom"]);
    std::fs::write(folder.join("overview.html"), page)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("name a folder")?);
    std::fs::create_dir_all(&folder)?;
    let polar = Plot::Polar(PolarPlot {
        name: "echo_width_polar".into(),
        title: "Echo width at 300 MHz".into(),
        angle_label: "observation angle (deg)".into(),
        radial_label: "echo width (dB m)".into(),
        series: patterns(),
        ..PolarPlot::default()
    });
    let line = Plot::Line(LinePlot {
        name: "echo_width".into(),
        title: "Echo width at 300 MHz".into(),
        x: Axis::new("observation angle (deg)"),
        y: Axis::new("echo width (dB m)").with_range(-40.0, 20.0),
        series: patterns(),
        ..LinePlot::default()
    });
    let maps = [Colors::Sequential, Colors::Diverging, Colors::Phase].map(field);
    let mut drawn = Vec::new();
    let plots = [polar, line, current(), noise(), convergence(), beam(), elements()];
    for plot in plots.into_iter().chain(maps).chain(radar::plots()).chain(antenna::plots()) {
        let rendered = plot.render()?;
        std::fs::write(folder.join(plot.name()).with_extension("svg"), &rendered.svg)?;
        std::fs::write(folder.join(plot.name()).with_extension("png"), &rendered.png)?;
        drawn.push((format!("{}, drawn as an example.", plot.title()), rendered.svg));
    }
    write_pages(&folder, &drawn)?;
    std::fs::write(folder.join("hotspots.vtu"), radar::surface().to_vtu()?)?;
    let parameters = antenna::parameters();
    std::fs::write(folder.join(parameters.file_name()), parameters.to_touchstone()?)?;
    let mut frames = Vec::new();
    for frame in 0..6 {
        let volume = antenna::volume(frame);
        let file = format!("{}.vtu", volume.name);
        std::fs::write(folder.join(&file), volume.to_vtu()?)?;
        frames.push((1e-9 * f64::from(frame), file));
    }
    std::fs::write(folder.join("fields.pvd"), pvd(&frames))?;
    Ok(())
}
