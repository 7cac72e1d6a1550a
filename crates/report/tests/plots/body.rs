//! Bodies in space.

use super::render;
use phasefront_mesh::{TriangleMesh, targets};
use phasefront_report::ReportError;
use phasefront_report::plot::{BodyPlot, Colors, Plot};
use resvg::tiny_skia::Pixmap;
use std::time::{Duration, Instant};

fn body(mesh: &TriangleMesh, values: Vec<f64>) -> BodyPlot {
    BodyPlot {
        name: "body".into(),
        value_label: "cross section (dBsm)".into(),
        vertices: mesh.vertices.clone(),
        triangles: mesh.triangles.clone(),
        values,
        ..BodyPlot::default()
    }
}

/// How many pixels left of the color bar are as hot as can be, whatever the light on them.
fn hottest(plot: BodyPlot) -> usize {
    let picture = Pixmap::decode_png(&render(&Plot::Body(plot)).png).unwrap();
    let [red, ..] = Colors::Heat.at(1.0).map(f64::from);
    let is_hot = |p: [u8; 3]| f64::from(p[0]) > 0.75 * red && p[1] < 20 && p[2] < 40;
    let pixels = picture.pixels().iter().enumerate();
    // The bar and its ticks stand in the last 300.
    let body = pixels.filter(|(i, _)| i % (picture.width() as usize) < picture.width() as usize - 300);
    body.filter(|(_, p)| is_hot([p.red(), p.green(), p.blue()])).count()
}

/// Two plates across x, the hot one at x = 0 and a cold, smaller one at x = 1.
#[test]
fn what_is_behind_is_hidden() {
    let square = |x: f64, half: f64| [[x, -half, -half], [x, half, -half], [x, half, half], [x, -half, half]];
    let mesh = TriangleMesh {
        vertices: [square(0.0, 1.0), square(1.0, 0.5)].concat(),
        triangles: vec![[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]],
        ..TriangleMesh::default()
    };
    let count = |view: f64, values: [f64; 4]| {
        hottest(BodyPlot { view: Some([view, 0.0, 0.0]), ..body(&mesh, values.to_vec()) }) as f64
    };
    let (hot, cold) = (0.0, -40.0);
    let whole = count(-1.0, [hot, hot, cold, cold]);
    assert!(whole > 1e5, "{whole}");
    // The small plate covers a quarter.
    let rest = count(1.0, [hot, hot, cold, cold]) / whole;
    assert!((rest - 0.75).abs() < 0.02, "{rest}");
    assert_eq!(count(-1.0, [cold, cold, hot, hot]), 0.0, "it is all behind the large one");
    let small = count(1.0, [cold, cold, hot, hot]) / whole;
    assert!((small - 0.25).abs() < 0.02, "{small}");
}

#[test]
fn a_million_triangles_take_seconds_and_stay_small() {
    let mesh = targets::sphere(1.0, 224).unwrap();
    assert!(mesh.triangles.len() > 1_000_000, "{}", mesh.triangles.len());
    // The worst case for the size of the file: each triangle has its own color.
    let values =
        (0..mesh.triangles.len() as u32).map(|i| f64::from(i.wrapping_mul(2_654_435_761) >> 16)).collect();
    let start = Instant::now();
    let rendered = Plot::Body(body(&mesh, values)).render().unwrap();
    assert!(rendered.svg.len() < 2_000_000, "{}", rendered.svg.len());
    // Not a benchmark: it takes about two seconds.
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[test]
fn odd_bodies_are_drawn_without_panic() {
    let plate = targets::plate([1.0, 1.0], [1, 1]).unwrap();
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    render(&Plot::Body(BodyPlot { title: "nothing".into(), ..BodyPlot::default() }));
    for values in [vec![], vec![nan; 2], vec![inf, -inf], vec![1.0; 2], vec![-1e300, 1e300]] {
        render(&Plot::Body(body(&plate, values)));
    }
    for direction in
        [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.3, 0.0, 1e-9], [0.0; 3], [nan; 3], [inf, 0.0, 0.0]]
    {
        let (all, plain) = (Some(direction), body(&plate, vec![]));
        render(&Plot::Body(BodyPlot { view: all, source: all, up: all, ..plain.clone() }));
        render(&Plot::Body(BodyPlot { source: all, ..plain }));
    }
    for vertices in [
        vec![[0.0; 3]; 4],
        vec![[1e-200; 3]; 4],
        vec![[1e59, 0.0, 0.0], [0.0; 3], [0.0, -1e59, 3.0], [1.0; 3]],
    ] {
        render(&Plot::Body(BodyPlot { vertices, ..body(&plate, vec![]) }));
    }
}

#[test]
fn bodies_without_meaning_are_refused() {
    let plate = targets::plate([1.0, 1.0], [1, 1]).unwrap();
    let wrong = |plot: BodyPlot, words: &str| {
        let error = Plot::Body(plot).render().unwrap_err();
        assert!(matches!(error, ReportError::Plot { .. }));
        assert_eq!(error.to_string(), format!("cannot draw body: {words}"));
    };
    wrong(body(&plate, vec![1.0]), "1 values for 2 triangles");
    wrong(BodyPlot { triangles: vec![[0, 1, 9]], ..body(&plate, vec![]) }, "a triangle has vertex 9 of 4");
    wrong(BodyPlot { vertices: vec![[f64::NAN; 3]; 4], ..body(&plate, vec![]) }, "a vertex is not in space");
}
