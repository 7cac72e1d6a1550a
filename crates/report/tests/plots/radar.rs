//! Lines and maps of levels in dB, as radar takes them.

use super::{line, map, render};
use phasefront_report::plot::{Axis, Colors, MapPlot, Plot, Series, level_range};
use resvg::usvg::{Options, Tree};

#[test]
fn nulls_do_not_take_the_axis() {
    let levels = vec![-3.0, 12.0, -400.0, f64::NEG_INFINITY, 7.0];
    assert_eq!(level_range(levels.iter().copied(), 60.0), [-45.0, 15.0]);
    assert_eq!(level_range([f64::NAN], 40.0), [-40.0, 0.0]);
    assert_eq!(level_range([-20.0], 40.0), [-25.0, -20.0]);
    let Plot::Line(mut plot) = line(vec![Series::solid("VV", vec![0.0, 1.0, 2.0, 3.0, 4.0], levels)]) else {
        unreachable!()
    };
    plot.y = Axis::new("cross section (dBsm)").with_range(-45.0, 15.0);
    render(&Plot::Line(plot));
}

#[test]
fn stretched_maps_fill_the_page_and_others_keep_their_shape() {
    let (angles, ranges) = ((0..=360).map(f64::from).collect(), vec![-1.0, 0.0, 1.0]);
    let values = (0..361 * 3).map(f64::from).collect();
    let tall = map(angles, ranges, values, Colors::Sequential);
    let height = |plot: &MapPlot| {
        let svg = render(&Plot::Map(plot.clone())).svg;
        Tree::from_str(&svg, &Options::default()).unwrap().size().height()
    };
    assert!(height(&tall) < 200.0);
    assert!(height(&MapPlot { stretched: true, ..tall }) > 550.0);
}
