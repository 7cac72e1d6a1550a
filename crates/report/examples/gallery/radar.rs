//! Radar pictures of simple bodies: sums over points and plates, no solver.

use phasefront_mesh::{TriangleMesh, targets};
use phasefront_report::Surface;
use phasefront_report::plot::{Axis, BodyPlot, LinePlot, MapPlot, Plot, PolarPlot, Series, level_range};
use std::f64::consts::{PI, TAU};

/// Level of a square plate of `side` wavelengths against the angle from its normal: 4πA²/λ² (sinc)², λ = 3 cm.
fn plate(side: f64, degrees: f64) -> f64 {
    let (area, x) = ((0.03 * side).powi(2), TAU * side * degrees.to_radians().sin());
    let sinc = if x == 0.0 { 1.0 } else { x.sin() / x };
    10.0 * (4.0 * PI * (area * sinc / 0.03).powi(2) * degrees.to_radians().cos().powi(2)).log10()
}

fn sweeps() -> Vec<Series> {
    let angles: Vec<f64> = (0..=720).map(|i| f64::from(i) * 0.5 - 180.0).collect();
    [("VV", 10.0, 0.0), ("HH", 10.3, 0.0), ("VH", 7.0, -28.0)]
        .map(|(label, side, shift)| {
            Series::solid(label, angles.clone(), angles.iter().map(|a| plate(side, *a) + shift).collect())
        })
        .to_vec()
}

fn sweep() -> Plot {
    let levels = sweeps().into_iter().flat_map(|series| series.y);
    let [low, high] = level_range(levels, 60.0);
    Plot::Line(LinePlot {
        name: "rcs".into(),
        title: "Radar cross section of a plate, 10 GHz".into(),
        x: Axis::new("azimuth (deg)"),
        y: Axis::new("cross section (dBsm)").with_range(low, high),
        series: sweeps(),
        ..LinePlot::default()
    })
}

fn polar() -> Plot {
    Plot::Polar(PolarPlot {
        name: "rcs_polar".into(),
        title: "Radar cross section of a plate, 10 GHz".into(),
        angle_label: "azimuth (deg)".into(),
        radial_label: "cross section (dBsm)".into(),
        series: sweeps(),
        ..PolarPlot::default()
    })
}

/// Points of a target: x, y, level.
const POINTS: [[f64; 3]; 5] =
    [[3.0, 0.0, 0.0], [-2.5, 0.0, -6.0], [-1.0, 3.5, -12.0], [-1.0, -3.5, -12.0], [0.8, 0.6, -20.0]];

fn peak(x: f64, cell: f64) -> f64 {
    (-(x / cell).powi(2)).exp()
}

fn level(sum: f64) -> f64 {
    20.0 * (sum + 1e-4).log10()
}

fn waterfall() -> Plot {
    let angles: Vec<f64> = (0..=360).map(f64::from).collect();
    let ranges: Vec<f64> = (0..=300).map(|i| f64::from(i) * 0.04 - 6.0).collect();
    let at = |range: f64, angle: f64| {
        let (sin, cos) = angle.to_radians().sin_cos();
        level(
            POINTS
                .iter()
                .map(|[x, y, db]| 10_f64.powf(db / 20.0) * peak(range + x * cos + y * sin, 0.15))
                .sum(),
        )
    };
    let values: Vec<f64> = ranges.iter().flat_map(|r| angles.iter().map(move |a| at(*r, *a))).collect();
    Plot::Map(MapPlot {
        name: "waterfall".into(),
        title: "Range profiles against azimuth".into(),
        x_label: "azimuth (deg)".into(),
        y_label: "range (m)".into(),
        value_label: "cross section (dBsm)".into(),
        range: Some(level_range(values.iter().copied(), 50.0)),
        x: angles,
        y: ranges,
        values,
        stretched: true,
        ..MapPlot::default()
    })
}

fn profile() -> Plot {
    let ranges: Vec<f64> = (0..=1200).map(|i| f64::from(i) * 0.01 - 6.0).collect();
    let at = |r: f64, turn: f64| -> f64 {
        level(
            POINTS
                .iter()
                .map(|[x, y, db]| 10_f64.powf((db - turn) / 20.0) * peak(r + x + turn * y, 0.12))
                .sum(),
        )
    };
    let series = |label: &str, turn: f64| {
        Series::solid(label, ranges.clone(), ranges.iter().map(|r| at(*r, turn)).collect())
    };
    let series = vec![series("VV", 0.0), series("HH", 0.1)];
    let [low, high] = level_range(series.iter().flat_map(|s| s.y.iter().copied()), 60.0);
    Plot::Line(LinePlot {
        name: "range_profile".into(),
        title: "Range profile, nose on".into(),
        x: Axis::new("range (m)"),
        y: Axis::new("cross section (dBsm)").with_range(low, high),
        series,
        ..LinePlot::default()
    })
}

fn isar() -> Plot {
    let axis = |n: i32, half: f64| -> Vec<f64> {
        (0..=n).map(|i| half * (2.0 * f64::from(i) / f64::from(n) - 1.0)).collect()
    };
    let (cross, down) = (axis(400, 6.0), axis(400, 5.0));
    let sinc = |x: f64| if x.abs() < 1e-9 { 1.0 } else { (PI * x).sin() / (PI * x) };
    let at = |d: f64, c: f64| {
        let point =
            |[x, y, db]: &[f64; 3]| 10_f64.powf(db / 20.0) * sinc((d + x) / 0.15) * sinc((c - y) / 0.2);
        level(POINTS.iter().map(point).sum::<f64>().abs())
    };
    let values: Vec<f64> = down.iter().flat_map(|d| cross.iter().map(move |c| at(*d, *c))).collect();
    Plot::Map(MapPlot {
        name: "isar".into(),
        title: "ISAR image, 9.5 to 10.5 GHz over 6 deg".into(),
        x_label: "cross range (m)".into(),
        y_label: "down range (m)".into(),
        value_label: "cross section (dBsm)".into(),
        range: Some(level_range(values.iter().copied(), 45.0)),
        x: cross,
        y: down,
        values,
        ..MapPlot::default()
    })
}

/// How a triangle lights up: by how squarely it faces the source, steeply as a flash does.
fn hot_spots(mesh: &TriangleMesh, source: [f64; 3]) -> Vec<f64> {
    let length = |v: [f64; 3]| (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
    (0..mesh.triangles.len())
        .map(|i| {
            let area = mesh.area_vector(i);
            let cosine = (0..3).map(|a| area[a] * source[a]).sum::<f64>() / length(area) / length(source);
            10.0 * (cosine.max(0.0).powi(20) + 1e-6).log10()
        })
        .collect()
}

fn body(name: &str, title: &str, mesh: &TriangleMesh, source: [f64; 3]) -> Plot {
    let values = hot_spots(mesh, source);
    Plot::Body(BodyPlot {
        name: name.into(),
        title: title.into(),
        value_label: "cross section (dBsm per m\u{b2})".into(),
        vertices: mesh.vertices.clone(),
        triangles: mesh.triangles.clone(),
        range: Some(level_range(values.iter().copied(), 40.0)),
        values,
        source: Some(source),
        ..BodyPlot::default()
    })
}

/// The aircraft with its hot spots, for ParaView.
pub fn surface() -> Surface {
    let mesh = targets::aircraft_b();
    let values = vec![("vv_dbsm".into(), hot_spots(&mesh, FRONT_LEFT))];
    Surface {
        name: "hotspots".into(),
        vertices: mesh.vertices.into(),
        triangles: mesh.triangles.into(),
        values,
        ..Surface::default()
    }
}

const FRONT_LEFT: [f64; 3] = [1.0, 0.4, 0.1];

/// All of them.
pub fn plots() -> Vec<Plot> {
    let mut plots = vec![sweep(), polar(), waterfall(), profile(), isar()];
    plots.push(body(
        "aircraft",
        "Hot spots of an aircraft, from the front left",
        &targets::aircraft_b(),
        FRONT_LEFT,
    ));
    plots.push(body(
        "fighter",
        "Hot spots of an aircraft, from the side",
        &targets::aircraft_a(),
        [0.1, -1.0, 0.0],
    ));
    plots.push(body("missile", "Hot spots of a missile", &targets::missile(), [0.4, 1.0, 0.3]));
    if let Ok(ship) = targets::ship() {
        let Plot::Body(plot) = body("ship", "Hot spots of a ship", &ship, [0.5, 0.05, 1.0]) else {
            return plots;
        };
        plots.push(Plot::Body(BodyPlot { up: Some([0.0, 1.0, 0.0]), ..plot }));
    }
    if let Ok(corner) = targets::trihedral(1.0, 20) {
        plots.push(body("trihedral", "Hot spots of a trihedral", &corner, [1.0, 1.0, 1.0]));
    }
    if let Ok(sphere) = targets::sphere(1.0, 400) {
        plots.push(body("sphere", "A sphere of many triangles", &sphere, [1.0, 0.0, 0.0]));
    }
    plots
}
