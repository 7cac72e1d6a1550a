//! Smith charts and patterns in space.

use super::render;
use num_complex::Complex64;
use phasefront_report::ReportError;
use phasefront_report::plot::{Mark, PatternPlot, Plot, Series, SmithPlot};
use resvg::tiny_skia::Pixmap;
use std::time::{Duration, Instant};

fn smith(values: &[Complex64]) -> SmithPlot {
    SmithPlot { name: "smith".into(), series: vec![Series::complex("S11", values)], ..SmithPlot::default() }
}

fn pattern(level: impl Fn(f64, f64) -> f64) -> PatternPlot {
    let angles = |count: u32| (0..=count).map(|i| 5.0 * f64::from(i)).collect::<Vec<f64>>();
    let (theta_deg, phi_deg) = (angles(36), angles(72));
    let values = theta_deg.iter().flat_map(|t| phi_deg.iter().map(|p| level(*t, *p))).collect();
    let (name, title) = ("pattern".into(), "Pattern".into());
    PatternPlot { name, title, theta_deg, phi_deg, values, ..PatternPlot::default() }
}

/// From the middle of the pattern to the middle of what has the colors of its peak, to the right and down, in parts of its size.
fn toward_peak(plot: PatternPlot) -> [f64; 2] {
    let picture = Pixmap::decode_png(&render(&Plot::Pattern(plot)).png).unwrap();
    let width = picture.width() as usize;
    // The bar and its ticks stand in the last 300; text and axes are gray.
    let pixels = picture.pixels().iter().enumerate().filter(|(i, _)| i % width < width - 300);
    let colored = pixels.filter(|(_, p)| p.red().abs_diff(p.blue()).max(p.green().abs_diff(p.blue())) > 30);
    let (all, peak): (Vec<_>, Vec<_>) =
        colored.map(|(i, p)| ([i % width, i / width], p.red() > 150 && p.blue() < 80)).unzip();
    [0, 1].map(|axis| {
        let pixels = || all.iter().map(|pixel| pixel[axis] as f64);
        let hot: Vec<f64> = pixels().zip(&peak).filter(|(_, is_peak)| **is_peak).map(|(x, _)| x).collect();
        let (low, high) = pixels().fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(x), h.max(x)));
        (hot.iter().sum::<f64>() / hot.len() as f64 - 0.5 * (low + high)) / (high - low)
    })
}

/// From +x one sees y to the right and z upward: beams along them go there, and opposite ones to the other side.
#[test]
fn beams_point_where_they_should() {
    let beam = |toward: [f64; 3]| {
        let level = move |t: f64, p: f64| {
            let (t, p) = (t.to_radians(), p.to_radians());
            let direction = [t.sin() * p.cos(), t.sin() * p.sin(), t.cos()];
            20.0 * direction.iter().zip(toward).map(|(a, b)| a * b).sum::<f64>()
        };
        toward_peak(PatternPlot { view: Some([1.0, 0.0, 0.0]), ..pattern(level) })
    };
    for (toward, page) in [
        ([0.0, 1.0, 0.0], [1.0, 0.0]),
        ([0.0, -1.0, 0.0], [-1.0, 0.0]),
        ([0.0, 0.0, 1.0], [0.0, -1.0]),
        ([0.0, 0.0, -1.0], [0.0, 1.0]),
    ] {
        let found = beam(toward);
        assert!(found[0] * page[0] + found[1] * page[1] > 0.15, "{toward:?}: {found:?}");
        assert!((found[0] * page[1]).abs() + (found[1] * page[0]).abs() < 0.05, "{toward:?}: {found:?}");
    }
}

#[test]
fn odd_patterns_are_drawn_without_panic() {
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    for value in [0.0, nan, inf, -inf, 1e300, -1e300] {
        render(&Plot::Pattern(pattern(|_, _| value)));
        render(&Plot::Pattern(pattern(|t, _| if t < 90.0 { value } else { 3.0 })));
    }
    for floor in [nan, inf, -inf, 100.0, -1e300, -3.0] {
        render(&Plot::Pattern(PatternPlot { floor: Some(floor), ..pattern(|t, _| -t) }));
    }
    for view in [[0.0; 3], [nan; 3], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [-1.0, -1.0, -1.0]] {
        render(&Plot::Pattern(PatternPlot { view: Some(view), ..pattern(|t, _| -t) }));
    }
    let title = String::from("nothing");
    render(&Plot::Pattern(PatternPlot { title: title.clone(), ..PatternPlot::default() }));
    let (theta_deg, phi_deg, values) = (vec![90.0], vec![0.0], vec![1.0]);
    render(&Plot::Pattern(PatternPlot { title, theta_deg, phi_deg, values, ..PatternPlot::default() }));
}

#[test]
fn patterns_without_meaning_are_refused() {
    let wrong = |change: &dyn Fn(&mut PatternPlot), words: &str| {
        let mut plot = pattern(|_, _| 0.0);
        change(&mut plot);
        let error = Plot::Pattern(plot).render().unwrap_err();
        assert!(matches!(error, ReportError::Plot { .. }));
        assert_eq!(error.to_string(), format!("cannot draw pattern: {words}"));
    };
    wrong(&|plot| plot.values.truncate(5), "5 values for 37 theta and 73 phi");
    wrong(&|plot| plot.theta_deg[3] = 0.0, "theta does not rise throughout");
    wrong(&|plot| plot.phi_deg[72] = f64::NAN, "phi does not rise throughout");
    wrong(&|plot| plot.phi_deg[72] = 400.0, "phi is from 0 to 400 deg, more than a turn");
    wrong(&|plot| plot.theta_deg[0] = -3.0, "theta is from -3 to 180 deg, not in 0 to 180");
}

#[test]
fn a_pattern_of_a_million_directions_takes_seconds() {
    let theta_deg: Vec<f64> = (0..=720).map(|i| 0.25 * f64::from(i)).collect();
    let phi_deg: Vec<f64> = (0..1440).map(|i| 0.25 * f64::from(i)).collect();
    let level = |t: f64, p: f64| 20.0 * ((0.31 * t).cos() * (0.17 * p).sin()).abs().log10();
    let values = theta_deg.iter().flat_map(|t| phi_deg.iter().map(move |p| level(*t, *p))).collect();
    let start = Instant::now();
    let plot = PatternPlot { name: "fine".into(), theta_deg, phi_deg, values, ..PatternPlot::default() };
    let rendered = Plot::Pattern(plot).render().unwrap();
    assert!(rendered.svg.len() < 2_000_000, "{}", rendered.svg.len());
    // Not a benchmark: it takes about two seconds.
    assert!(start.elapsed() < Duration::from_secs(30));
}

/// A curve from the short at the left to the open end at the right: a dot where it begins, an arrow where it ends.
#[test]
fn curves_have_a_dot_and_an_arrow() {
    let arc: Vec<Complex64> =
        (0..=60).map(|i| Complex64::from_polar(1.0, (180.0 - 3.0 * f64::from(i)).to_radians())).collect();
    let curve = smith(&arc);
    let backwards = smith(&arc.iter().rev().copied().collect::<Vec<_>>());
    let dark = |plot: SmithPlot| {
        let picture = Pixmap::decode_png(&render(&Plot::Smith(plot)).png).unwrap();
        let width = picture.width() as usize;
        let is_black = |p: &[u8; 3]| *p == [0; 3];
        let rows = picture.pixels().chunks(width);
        let count = |left: bool| {
            rows.clone()
                .flat_map(|row| if left { &row[..width / 4] } else { &row[3 * width / 4..] })
                .filter(|p| is_black(&[p.red(), p.green(), p.blue()]))
                .count()
        };
        [count(true), count(false)]
    };
    let ([a, b], [c, d]) = (dark(curve), dark(backwards));
    // The dot is larger than the head: it is at the left in one and at the right in the other.
    assert!(a != c && b != d && a.abs_diff(d) < 60 && b.abs_diff(c) < 60, "{a} {b} {c} {d}");
}

#[test]
fn odd_reflections_are_drawn_without_panic() {
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    let points = [(0.0, 0.0), (nan, 0.0), (inf, -inf), (1e300, -1e300), (3.0, 0.1), (0.5, 0.5), (0.5, 0.5)];
    let values = points.map(|(re, im)| Complex64::new(re, im));
    for values in [&values[..], &values[..1], &values[1..2], &values[5..], &[]] {
        let marks = values.iter().map(|at| Mark { at: *at, label: "<a mark> \u{3a9}".into() }).collect();
        render(&Plot::Smith(SmithPlot { marks, title: "Odd".into(), ..smith(values) }));
    }
    render(&Plot::Smith(SmithPlot { title: "Nothing".into(), ..SmithPlot::default() }));
    let many: Vec<Complex64> = (0..100_000).map(|i| Complex64::from_polar(1.0, 0.1 * f64::from(i))).collect();
    render(&Plot::Smith(smith(&many)));
    let mut uneven = smith(&values);
    uneven.series[0].x.pop();
    assert!(Plot::Smith(uneven).render().unwrap_err().to_string().contains("6 x for 7 y"));
}
