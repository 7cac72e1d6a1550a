//! Antennas and fields in time: closed forms and invented, smooth data, no solver.

use num_complex::Complex64;
use phasefront_report::plot::{
    Axis, Colors, LinePlot, MapPlot, Mark, Outline, PatternPlot, Plot, Series, SmithPlot, level_range,
};
use phasefront_report::{PointValues, SParameters, Volume};
use std::f64::consts::{PI, TAU};

/// Reflection of a series resonance at `resonance` behind a piece of line, against 50 ohm.
fn reflection(ghz: f64, resonance: f64, resistance: f64, q: f64) -> Complex64 {
    let z = Complex64::new(resistance, resistance * q * (ghz / resonance - resonance / ghz)) / 50.0;
    (z - 1.0) / (z + 1.0) * Complex64::from_polar(1.0, -0.35 * ghz)
}

fn frequencies() -> Vec<f64> {
    (0..=200).map(|i| 1.5 + 0.01 * f64::from(i)).collect()
}

fn smith() -> Plot {
    let curve = |f: f64, r: f64, q: f64| {
        frequencies().iter().map(|ghz| reflection(*ghz, f, r, q)).collect::<Vec<_>>()
    };
    Plot::Smith(SmithPlot {
        name: "smith".into(),
        title: "Input reflection of a monopole".into(),
        label: "S11 from 1.5 GHz to 3.5 GHz, reference 50 ohm".into(),
        series: vec![
            Series::complex("36 ohm, Q = 5", &curve(2.45, 36.0, 5.0)),
            Series::complex("73 ohm, Q = 2", &curve(2.4, 73.0, 2.0)),
        ],
        marks: vec![
            Mark { at: reflection(2.45, 2.45, 36.0, 5.0), label: "2.45 GHz".into() },
            Mark { at: reflection(2.0, 2.45, 36.0, 5.0), label: "2 GHz".into() },
            Mark { at: reflection(2.4, 2.4, 73.0, 2.0), label: "2.40 GHz".into() },
        ],
        ..SmithPlot::default()
    })
}

/// The same as a file.
pub fn parameters() -> SParameters {
    SParameters {
        name: "sparameters".into(),
        ports: 2,
        references_ohm: vec![50.0],
        frequencies_hz: frequencies().iter().map(|ghz| 1e9 * ghz).collect(),
        s: frequencies()
            .iter()
            .map(|ghz| {
                [(2.45, 36.0), (2.0, 20.0), (2.1, 30.0), (2.4, 73.0)]
                    .map(|(f, r)| reflection(*ghz, f, r, 3.0))
                    .to_vec()
            })
            .collect(),
        comments: vec!["an example".into()],
    }
}

fn match_level() -> Plot {
    let level = |r: f64, q: f64| {
        frequencies().iter().map(|f| 20.0 * reflection(*f, 2.45, r, q).norm().log10()).collect::<Vec<_>>()
    };
    let coarse: Vec<f64> = frequencies().into_iter().step_by(8).collect();
    let measured = coarse.iter().map(|f| 20.0 * reflection(*f, 2.46, 37.0, 5.1).norm().log10()).collect();
    Plot::Line(LinePlot {
        name: "s11".into(),
        title: "Input reflection of a monopole".into(),
        x: Axis::new("frequency (GHz)"),
        y: Axis::new("|S11| (dB)").with_range(-20.0, 0.0),
        series: vec![
            Series::solid("order 4", frequencies(), level(36.0, 5.0)),
            Series::dashed("order 2", frequencies(), level(37.5, 4.9)),
            Series::points("measured", coarse, measured),
        ],
        ..LinePlot::default()
    })
}

fn energy() -> Plot {
    let time: Vec<f64> = (0..=2000).map(|i| 0.01 * f64::from(i)).collect();
    let level = |t: &f64| {
        let pulse = (-((t - 2.0) / 0.8).powi(2)).exp();
        10.0 * (pulse + 0.02 * (-(t - 2.0).abs() / 1.1).exp() * (1.0 + 0.5 * (9.0 * t).cos()) + 1e-9).log10()
    };
    let peak = time.iter().map(level).fold(f64::NEG_INFINITY, f64::max);
    let levels: Vec<f64> = time.iter().map(|t| level(t) - peak).collect();
    Plot::Line(LinePlot {
        name: "energy".into(),
        title: "Energy in the volume".into(),
        x: Axis::new("time (ns)"),
        y: Axis::new("energy over its peak (dB)").with_range(-70.0, 0.0),
        series: vec![
            Series::solid("energy", time, levels),
            Series::dashed("end of the run", vec![0.0, 20.0], vec![-50.0; 2]),
        ],
        ..LinePlot::default()
    })
}

/// A cut through two lobes, and the same with the ripple of a coarse mesh.
fn cut() -> Plot {
    let angles: Vec<f64> = (0..=360).map(|i| 0.5 * f64::from(i)).collect();
    let series = |a: &f64| {
        let x = a.to_radians();
        20.0 * ((4.9 * (-(a / 24.0).powi(2)).exp() + 0.9 * (9.0 * x).cos() * (-x / 2.0).exp() + 0.4).abs())
            .log10()
    };
    let exact: Vec<f64> = angles.iter().map(series).collect();
    let ours: Vec<f64> = angles.iter().zip(&exact).map(|(a, s)| s + 0.25 * (0.3 * a).sin()).collect();
    let [low, high] = level_range(exact.iter().copied(), 50.0);
    Plot::Line(LinePlot {
        name: "rcs_cut".into(),
        title: "Bistatic cross section of a dielectric sphere, E plane, 900 MHz".into(),
        x: Axis::new("scattering angle (deg)"),
        y: Axis::new("cross section (dBsm)").with_range(low, high),
        series: vec![
            Series::solid("order 2, 111\u{a0}000 elements", angles.clone(), ours),
            Series::dashed("Mie series", angles, exact),
        ],
        ..LinePlot::default()
    })
}

/// Level of a row of `n` sources along z, 0.6 wavelengths apart and steered to 20 deg above the ground, each with the pattern of a
/// patch that looks along x.
fn array_level(n: f64, theta: f64, phi: f64) -> f64 {
    let (t, p) = (theta.to_radians(), phi.to_radians());
    let along_x = t.sin() * p.cos();
    let element = (0.55 + 0.45 * along_x).powi(2);
    let psi = PI * 0.6 * (t.cos() - 20_f64.to_radians().sin());
    let row = if psi.sin().abs() < 1e-9 { 1.0 } else { (n * psi).sin() / (n * psi.sin()) };
    20.0 * (element * row.abs() + 1e-9).log10() + 13.2
}

fn patterns() -> Vec<Plot> {
    let plot = |name: &str, title: &str, step: f64, level: &dyn Fn(f64, f64) -> f64| {
        let angles =
            |most: f64| (0..=(most / step) as u32).map(|i| f64::from(i) * step).collect::<Vec<f64>>();
        let (theta_deg, phi_deg) = (angles(180.0), angles(360.0));
        let values = theta_deg.iter().flat_map(|t| phi_deg.iter().map(|p| level(*t, *p))).collect();
        Plot::Pattern(PatternPlot {
            name: name.into(),
            title: title.into(),
            value_label: "directivity (dBi)".into(),
            theta_deg,
            phi_deg,
            values,
            ..PatternPlot::default()
        })
    };
    let dipole = |t: f64, _: f64| 20.0 * t.to_radians().sin().log10() + 1.761;
    vec![
        plot("pattern_dipole", "Directivity of a short dipole", 5.0, &dipole),
        plot("pattern_array", "Directivity of a row of four patches, 2.45 GHz", 2.0, &|t, p| {
            array_level(4.0, t, p)
        }),
    ]
}

/// A pulse that passes a conducting sphere of 0.3 m, in a plane through its middle; nothing is known inside.
fn slices() -> Vec<Plot> {
    let axis: Vec<f64> = (0..161).map(|i| -1.0 + f64::from(i) / 80.0).collect();
    let pulse = |s: f64| (-(s / 0.18).powi(2)).exp() * (TAU * s / 0.33).cos();
    let field = |x: f64, y: f64| {
        let r = x.hypot(y);
        if r < 0.3 { f64::NAN } else { pulse(x - 0.45) - 0.3 / r * pulse(r - 0.6) * (0.7 - 0.3 * x / r) }
    };
    let circle = |fill: bool| {
        let points = (0..90).map(|i| (f64::from(i) * TAU / 90.0).sin_cos()).map(|(s, c)| [0.3 * c, 0.3 * s]);
        vec![Outline { points: points.collect(), closed: true, filled: fill }]
    };
    let plot = |name: &str, title: &str, label: &str, colors, fill, value: &dyn Fn(f64) -> f64| {
        Plot::Map(MapPlot {
            name: name.into(),
            title: title.into(),
            x_label: "x (m)".into(),
            y_label: "y (m)".into(),
            value_label: label.into(),
            x: axis.clone(),
            y: axis.clone(),
            values: axis.iter().flat_map(|y| axis.iter().map(|x| value(field(*x, *y)))).collect(),
            colors,
            outlines: circle(fill),
            ..MapPlot::default()
        })
    };
    vec![
        plot(
            "slice",
            "Field in the plane z = 0, t = 3.2 ns",
            "E\u{2093} (V/m)",
            Colors::Diverging,
            true,
            &|e| e,
        ),
        plot(
            "slice_open",
            "Field in the plane z = 0, t = 3.2 ns",
            "|E| (V/m)",
            Colors::Sequential,
            false,
            &f64::abs,
        ),
    ]
}

/// A pulse in a box of six tetrahedra for each of its cells.
pub fn volume(frame: u32) -> Volume {
    const CELLS: u32 = 12;
    let side = CELLS + 1;
    let points: Vec<[f64; 3]> = (0..side.pow(3))
        .map(|i| [i % side, i / side % side, i / side / side].map(|k| f64::from(k) / f64::from(CELLS)))
        .collect();
    let strides = [1, side, side * side];
    let paths = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [1, 0, 2], [2, 1, 0]];
    let cells =
        (0..CELLS.pow(3)).map(|i| i % CELLS + i / CELLS % CELLS * side + i / CELLS / CELLS * side * side);
    let tetrahedra = cells.flat_map(|at| {
        paths.map(|[a, b, c]| {
            let (p, q) = (at + strides[a], at + strides[a] + strides[b]);
            let last = q + strides[c];
            // Even and odd paths turn in opposite senses.
            if (b + 3 - a) % 3 == 1 { [at, p, q, last] } else { [at, q, p, last] }
        })
    });
    let tetrahedra: Vec<_> = tetrahedra.collect();
    let pulse = |p: &[f64; 3]| (-((p[0] - 0.2 * f64::from(frame)) / 0.2).powi(2)).exp() as f32;
    let field = points.iter().map(|p| [0.0, pulse(p), 0.0]).collect();
    let size = points.iter().map(pulse).collect();
    let values =
        vec![("E (V/m)".into(), PointValues::Vector(field)), ("|E| (V/m)".into(), PointValues::Scalar(size))];
    Volume { name: format!("fields_{frame}"), points: points.into(), tetrahedra: tetrahedra.into(), values }
}

/// All of them.
pub fn plots() -> Vec<Plot> {
    let mut plots = vec![smith(), match_level(), energy(), cut()];
    plots.extend(patterns());
    plots.extend(slices());
    plots
}
