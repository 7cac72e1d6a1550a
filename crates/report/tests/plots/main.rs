//! Every kind of plot, with good data and with bad: properties of what is drawn, no stored pictures.

mod antenna;
mod body;
mod radar;

use phasefront_report::ReportError;
use phasefront_report::plot::{
    Axis, Colors, DotPlot, LinePlot, MapPlot, Outline, Panel, PanelPlot, Plot, PolarPlot, Rendered, Series,
};
use resvg::tiny_skia::Pixmap;
use resvg::usvg::{Options, Tree};
use std::time::{Duration, Instant};

fn line(series: Vec<Series>) -> Plot {
    Plot::Line(LinePlot {
        name: "line".into(),
        title: "Line".into(),
        x: Axis::new("angle (deg)"),
        y: Axis::new("level (dB)"),
        series,
        ..LinePlot::default()
    })
}

fn polar(series: Vec<Series>) -> Plot {
    Plot::Polar(PolarPlot {
        name: "polar".into(),
        angle_label: "angle (deg)".into(),
        radial_label: "level (dB)".into(),
        series,
        ..PolarPlot::default()
    })
}

fn map(x: Vec<f64>, y: Vec<f64>, values: Vec<f64>, colors: Colors) -> MapPlot {
    MapPlot {
        name: "map".into(),
        title: "Map".into(),
        x_label: "x (m)".into(),
        y_label: "y (m)".into(),
        value_label: "p (Pa)".into(),
        x,
        y,
        values,
        colors,
        ..MapPlot::default()
    }
}

fn pattern(shift: f64) -> Series {
    let angles: Vec<f64> = (0..=360).map(f64::from).collect();
    let levels = angles.iter().map(|a| 20.0 * (2.0 * (a + shift).to_radians()).cos().abs().log10()).collect();
    Series::solid(format!("shifted by {shift} deg"), angles, levels)
}

fn is_base64(c: char) -> bool {
    c.is_ascii_alphanumeric() || "+/=".contains(c)
}

/// Draws it and checks what holds for every plot.
fn render(plot: &Plot) -> Rendered {
    let rendered = plot.render().unwrap();
    // Without any font: the text must be paths by now.
    let tree = Tree::from_str(&rendered.svg, &Options::default()).unwrap();
    assert!(!rendered.svg.contains("<text") && !rendered.svg.contains(" id="), "it can stand beside others");
    // Pictures in base 64 may have any letters.
    let drawn: String =
        rendered.svg.split("base64, ").map(|part| part.trim_start_matches(is_base64)).collect();
    assert!(!drawn.contains("NaN") && !drawn.contains("inf"));
    let picture = Pixmap::decode_png(&rendered.png).unwrap();
    assert_eq!(f64::from(picture.width()), 2.0 * f64::from(tree.size().width()));
    assert_eq!(f64::from(picture.height()), 2.0 * f64::from(tree.size().height()));
    let corner = picture.pixel(0, 0).unwrap();
    assert_eq!([corner.red(), corner.green(), corner.blue(), corner.alpha()], [255; 4], "paper is white");
    assert!(picture.pixels().iter().any(|p| p.red() < 64), "something is drawn");
    rendered
}

#[test]
fn lines_and_polars_have_the_colors_of_their_series() {
    for make in [line, polar] {
        let one = render(&make(vec![pattern(0.0)]));
        assert!(one.svg.contains("stroke=\"#000000\"") && !one.svg.contains("#d55e00"));
        let two = render(&make(vec![pattern(0.0), pattern(20.0)]));
        assert!(two.svg.contains("stroke=\"#d55e00\"") && two.svg.contains("stroke-dasharray"));
        assert_eq!(two, make(vec![pattern(0.0), pattern(20.0)]).render().unwrap(), "drawn alike every time");
    }
}

#[test]
fn a_gap_breaks_the_line() {
    let x: Vec<f64> = (0..9).map(f64::from).collect();
    let mut y = x.clone();
    let black = |svg: &str| svg.matches("stroke=\"#000000\"").count();
    let whole = render(&line(vec![Series::solid("", x.clone(), y.clone())]));
    y[4] = f64::NAN;
    let broken = render(&line(vec![Series::solid("", x, y)]));
    assert_eq!(black(&broken.svg), black(&whole.svg) + 1);
}

#[test]
fn odd_series_are_drawn_without_panic() {
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    let data = [
        (vec![], vec![]),
        (vec![1.0], vec![2.0]),
        (vec![0.0, 1.0, 2.0], vec![5.0; 3]),
        (vec![1.0; 3], vec![0.0; 3]),
        (vec![nan; 3], vec![nan; 3]),
        (vec![0.0, 1.0, 2.0], vec![-inf, nan, inf]),
        (vec![0.0, 1.0], vec![-f64::MAX, f64::MAX]),
        (vec![-f64::MAX, f64::MAX], vec![1e308, 1e-308]),
        (vec![0.0, 1.0], vec![1.0, 1.0 + 1e-15]),
        (vec![0.0, 1.0], vec![5e-324, 1e-323]),
        (vec![1e9, 1e9 + 1.0], vec![1e-9, 2e-9]),
    ];
    for (x, y) in data {
        for make in [Series::solid, Series::points] {
            let series = vec![make(String::new(), x.clone(), y.clone()), pattern(0.0)];
            for series in [series[..1].to_vec(), series] {
                render(&line(series.clone()));
                render(&polar(series.clone()));
                let Plot::Line(mut log) = line(series) else { unreachable!() };
                (log.x.log, log.y.log) = (true, true);
                render(&Plot::Line(log));
            }
        }
    }
    render(&line(vec![]));
    render(&polar(vec![]));
}

#[test]
fn odd_ranges_and_texts_are_drawn_without_panic() {
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    for range in
        [[0.0, 0.0], [5.0, -5.0], [nan, 1.0], [-inf, inf], [1e300, 1e301], [-1e308, 1e308], [0.0, 1e-320]]
    {
        let Plot::Line(mut plot) = line(vec![pattern(0.0)]) else { unreachable!() };
        (plot.x.range, plot.y.range) = (Some(range), Some(range));
        render(&Plot::Line(plot));
        let Plot::Polar(mut plot) = polar(vec![pattern(0.0)]) else { unreachable!() };
        (plot.floor, plot.top) = (Some(range[0]), Some(range[1]));
        render(&Plot::Polar(plot));
    }
    for text in ["", " ", "<b>&\"'</b>", "\u{0}\u{8}\u{ffff}\n\t", "\u{1f600} \u{5b57}", &"long ".repeat(200)]
    {
        let series: Vec<_> = (0..40).map(|_| Series { label: text.into(), ..pattern(0.0) }).collect();
        let axis = Axis::new(text);
        let plot = LinePlot { title: text.into(), x: axis.clone(), y: axis, series, ..LinePlot::default() };
        render(&Plot::Line(plot));
    }
}

#[test]
fn maps_show_their_colors() {
    let axis: Vec<f64> = (0..30).map(|i| f64::from(i) / 29.0).collect();
    let values: Vec<f64> = (0..900).map(|i| f64::from(i % 30) - 14.5).collect();
    for colors in [Colors::Sequential, Colors::Diverging, Colors::Phase] {
        let mut plot = map(axis.clone(), axis.clone(), values.clone(), colors);
        plot.range = Some([-14.5, 14.5]);
        let points = vec![[0.4, 0.4], [0.6, 0.4], [0.6, 0.6], [9.0, 9.0]];
        plot.outlines.push(Outline { points, closed: true, filled: true });
        let picture = Pixmap::decode_png(&render(&Plot::Map(plot)).png).unwrap();
        let has =
            |[r, g, b]: [u8; 3]| picture.pixels().iter().any(|p| [p.red(), p.green(), p.blue()] == [r, g, b]);
        assert!(has(colors.at(0.0)) && has(colors.at(1.0)), "{colors:?}");
        assert!(has([0xb8; 3]), "the body is gray");
    }
}

/// A hole in a field of zero: its pixels are of no color that a value has.
#[test]
fn holes_do_not_look_like_zero() {
    let axis: Vec<f64> = (0..30).map(f64::from).collect();
    for colors in [Colors::Sequential, Colors::Diverging, Colors::Phase] {
        let mut values = vec![0.0; 900];
        (10..20).for_each(|row| values[30 * row + 10..30 * row + 20].fill(f64::NAN));
        let plot = MapPlot { title: String::new(), ..map(axis.clone(), axis.clone(), values, colors) };
        let picture = Pixmap::decode_png(&render(&Plot::Map(plot)).png).unwrap();
        // The area is a square of 520 in units of two pixels; its lower edge is 62 above that of the page.
        let row = picture.height() - 2 * (62 + 260);
        let hole = picture.pixel(700, row).unwrap();
        let hole = [hole.red(), hole.green(), hole.blue()];
        assert!(hole[0] == hole[1] && hole[1] == hole[2], "{colors:?}: {hole:?}");
        let far = |t: f64| colors.at(t).iter().zip(hole).map(|(a, b)| a.abs_diff(b)).max().unwrap() > 15;
        assert!((0..=100).all(|i| far(f64::from(i) / 100.0)), "{colors:?}: {hole:?}");
    }
}

#[test]
fn the_first_row_of_a_map_is_at_the_bottom() {
    for (y, low_row) in [([0.0, 1.0], 0), ([1.0, 0.0], 1)] {
        let mut values = vec![1.0; 4];
        values[2 * low_row..2 * low_row + 2].fill(0.0);
        let plot = map(vec![0.0, 1.0], y.to_vec(), values, Colors::Sequential);
        let picture = Pixmap::decode_png(&render(&Plot::Map(plot)).png).unwrap();
        let middle = 500;
        let column: Vec<_> = (0..picture.height()).filter_map(|row| picture.pixel(middle, row)).collect();
        let row = |[r, g, b]: [u8; 3]| {
            let near = |a: u8, b: u8| a.abs_diff(b) < 8;
            column.iter().position(|p| near(p.red(), r) && near(p.green(), g) && near(p.blue(), b)).unwrap()
        };
        let (top, bottom) = (row(Colors::Sequential.at(1.0)), row(Colors::Sequential.at(0.0)));
        assert!(top < bottom);
    }
}

#[test]
fn odd_maps_are_drawn_without_panic() {
    let axes = [vec![0.0], vec![0.0, 1.0], vec![3.0, 2.0, -1e3], vec![-1e300, 1e300], vec![1.0, 1.0 + 1e-15]];
    let values = [0.0, f64::NAN, f64::INFINITY, 1e308, -1e-308];
    let colors = [Colors::Sequential, Colors::Diverging, Colors::Phase];
    for (i, (x, y)) in axes.iter().flat_map(|x| axes.iter().map(move |y| (x, y))).enumerate() {
        for (value, colors) in values.into_iter().zip(colors.into_iter().cycle().skip(i)) {
            let mut cells = vec![value; x.len() * y.len()];
            cells[0] = if value == 1e308 { -1e308 } else { value };
            let mut plot = map(x.clone(), y.clone(), cells, colors);
            let points = vec![[f64::NAN, 0.0], [1e308, 1.0]];
            plot.outlines = vec![Outline { points, closed: true, filled: true }, Outline::default()];
            Plot::Map(plot).render().unwrap();
        }
    }
}

#[test]
fn what_has_no_meaning_is_an_error() {
    let wrong = |plot: Plot, words: &str| {
        let error = plot.render().unwrap_err();
        assert!(matches!(error, ReportError::Plot { .. }) && error.to_string().contains(words), "{error}");
    };
    wrong(line(vec![Series::solid("s", vec![0.0; 2], vec![0.0; 3])]), "2 x for 3 y");
    wrong(polar(vec![Series::solid("s", vec![0.0; 2], vec![])]), "2 x for 0 y");
    let colors = Colors::Sequential;
    wrong(Plot::Map(map(vec![], vec![], vec![], colors)), "no cells");
    wrong(Plot::Map(map(vec![0.0, 1.0], vec![0.0], vec![1.0], colors)), "1 values for 1 rows of 2");
    wrong(Plot::Map(map(vec![0.0, 0.0], vec![0.0], vec![1.0; 2], colors)), "x neither rises nor falls");
    wrong(Plot::Map(map(vec![0.0], vec![f64::NAN], vec![1.0], colors)), "y neither rises nor falls");
}

#[test]
fn a_hundred_thousand_points_stay_small() {
    let x: Vec<f64> = (0..100_000).map(|i| f64::from(i) * 0.0036).collect();
    let y: Vec<f64> = x.iter().map(|x| (977.0 * x).sin() - 30.0).collect();
    let start = Instant::now();
    for make in [Series::solid, Series::dashed, Series::points] {
        for plot in [line, polar] {
            let rendered = plot(vec![make("noise".to_owned(), x.clone(), y.clone())]).render().unwrap();
            assert!(rendered.svg.len() < 6_000_000, "{}", rendered.svg.len());
        }
    }
    // Not a benchmark: drawing every point would take minutes.
    assert!(start.elapsed() < Duration::from_mins(1));
}

#[test]
fn contours_and_coasts_are_drawn_and_may_leave_the_map() {
    let axis: Vec<f64> = (0..30).map(f64::from).collect();
    let values = axis.iter().flat_map(|y| axis.iter().map(move |x| x + y)).collect();
    let mut plot = map(axis.clone(), axis, values, Colors::Sequential);
    let plain = render(&Plot::Map(plot.clone()));
    plot.contours = vec![20.0, 1e9, f64::NAN];
    plot.lines = vec![vec![[-1e9, 5.0], [1e9, 5.0]], Vec::new()];
    let drawn = render(&Plot::Map(plot));
    assert!(drawn.svg.matches("<path").count() > plain.svg.matches("<path").count());
    assert_ne!(drawn.png, plain.png);
}

#[test]
fn dots_are_drawn_in_their_colors() {
    let plot = DotPlot {
        name: "dots".into(),
        x: vec![0.0, 1.0, 2.0, 3.0],
        y: vec![0.0, 0.0, 0.0, 0.0],
        values: vec![-180.0, 180.0, 0.0, f64::NAN],
        side: 0.8,
        colors: Colors::Phase,
        range: Some([-180.0, 180.0]),
        ..DotPlot::default()
    };
    // The two ends of a turn are one color; what has no value is left out.
    let svg = render(&Plot::Dots(plot.clone())).svg;
    let [r, g, b] = Colors::Phase.at(0.0);
    let ends = format!("fill=\"#{r:02x}{g:02x}{b:02x}\"");
    assert_eq!(svg.matches(&ends).count(), 1, "{svg}");
    render(&Plot::Dots(DotPlot::default()));
    let uneven = DotPlot { x: vec![0.0], ..plot };
    assert_eq!(
        Plot::Dots(uneven).render().unwrap_err().to_string(),
        "cannot draw dots: 1 x and 4 y for 4 values"
    );
}

/// Panels are as wide as their number asks for, with one color bar; fields of the wrong size and no panels are told.
#[test]
fn panels_share_axes_and_colors() {
    let panel = |title: &str, value: f64| Panel {
        title: title.into(),
        note: "a note".into(),
        values: vec![value, f64::NAN, 1.0, 2.0, 3.0, 4.0],
    };
    let plot = |count: usize| PanelPlot {
        name: "panels".into(),
        title: "Panels".into(),
        x_label: "x (m)".into(),
        y_label: "y (m)".into(),
        value_label: "p (Pa)".into(),
        x: vec![-0.3, 0.0, 0.3],
        y: vec![0.0, 0.4],
        panels: (0..count).map(|i| panel(&format!("field {i}"), i as f64)).collect(),
        ..PanelPlot::default()
    };
    let sizes = [1, 2, 3, 4, 6].map(|count| {
        let picture = Pixmap::decode_png(&render(&Plot::Panels(plot(count))).png).unwrap();
        [picture.width(), picture.height()]
    });
    assert!(sizes[0][0] < sizes[1][0] && sizes[1][0] < sizes[2][0] && sizes[0][1] == sizes[2][1]);
    // Two by two, and three by two; a longer color bar may have longer numbers.
    let is_near = |a: u32, b: u32| a.abs_diff(b) < 60;
    assert!(is_near(sizes[3][0], sizes[1][0]) && is_near(sizes[4][0], sizes[2][0]), "{sizes:?}");
    assert!(sizes[3][1] == sizes[4][1] && sizes[3][1] > sizes[0][1] + 200, "{sizes:?}");
    let error = Plot::Panels(plot(0)).render().unwrap_err();
    assert!(error.to_string().contains("there are no panels"), "{error}");
    let mut short = plot(2);
    short.panels[1].values.pop();
    let error = Plot::Panels(short).render().unwrap_err();
    assert!(error.to_string().contains("5 values for 2 rows of 3"), "{error}");
}
