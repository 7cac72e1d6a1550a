//! Fields of a dgtd run on slices as time goes on: `slice_NAME_time.npz`, and a movie of each.

use super::slices::axis;
use phasefront_dgtd::Slice;
use phasefront_report::plot::{Colors, MoviePlot, Plot};
use phasefront_report::{Array, ArrayFile};

/// Values of all frames of a movie together: about 10 MB as text. Larger ones leave out points and frames; the arrays have all of them.
const MOST_VALUES: usize = 1_000_000;
/// Frames of a movie: more than this are not told apart.
const MOST_FRAMES: usize = 120;
/// Names of the arrays.
const COMPONENTS: [&str; 3] = ["e_x", "e_y", "e_z"];

/// Times, s, and the electric field at all points of a slice.
pub(super) type Moments = [(f64, Vec<Option<[f32; 3]>>)];

/// Fields with a row for each time and the points of all rows of the slice behind each other.
pub(super) fn arrays(slice: &Slice, moments: &Moments) -> ArrayFile {
    let times = moments.iter().map(|(time, _)| *time).collect();
    let mut file = ArrayFile::new(format!("slice_{}_time", slice.name)).with("time_s", Array::Real1(times));
    for (c, name) in COMPONENTS.into_iter().enumerate() {
        let values =
            moments.iter().flat_map(|(_, fields)| fields.iter().map(move |e| component(e.as_ref(), c)));
        let cols = slice.points[0] * slice.points[1];
        file = file.with(name, Array::Real2 { rows: moments.len(), cols, values: values.collect() });
    }
    file
}

/// The strongest component of the field as a movie.
pub(super) fn plot(slice: &Slice, moments: &Moments) -> Option<Plot> {
    let energy = |c: usize| {
        let values = moments.iter().flat_map(|(_, fields)| fields.iter().flatten());
        values.map(|e| f64::from(e[c]) * f64::from(e[c])).sum::<f64>()
    };
    let c = (0..3).max_by(|&a, &b| energy(a).total_cmp(&energy(b)))?;
    let [cols, rows] = slice.points;
    let skip = moments.len().div_ceil(MOST_FRAMES).max(1);
    let shown: Vec<_> = moments.iter().step_by(skip).collect();
    let stride =
        (1..=cols.max(rows)).find(|s| cols.div_ceil(*s) * rows.div_ceil(*s) * shown.len() <= MOST_VALUES)?;
    let thin = |fields: &[Option<[f32; 3]>]| {
        let row = |r: usize| (0..cols).step_by(stride).map(move |column| r * cols + column);
        (0..rows).step_by(stride).flat_map(row).map(|i| component(fields[i].as_ref(), c) as f32).collect()
    };
    let frames: Vec<Vec<f32>> = shown.iter().map(|(_, fields)| thin(fields)).collect();
    let most = frames.iter().flatten().filter(|e| e.is_finite()).fold(0.0_f32, |most, e| most.max(e.abs()));
    let [(x_label, x), (y_label, y)] = [0, 1]
        .map(|side| axis(slice, side))
        .map(|(label, all)| (label, all.into_iter().step_by(stride).collect()));
    let name = ["Ex", "Ey", "Ez"][c];
    Some(Plot::Movie(MoviePlot {
        name: format!("slice_{}_time", slice.name),
        title: format!("{name} on {} as time goes on", slice.name),
        caption: format!(
            "The component {name} of the electric field on the slice {} at moments of the run.",
            slice.name
        ),
        x_label,
        y_label,
        value_label: format!("{name} (V/m)"),
        x,
        y,
        times_s: shown.iter().map(|(time, _)| *time).collect(),
        frames,
        colors: Colors::Diverging,
        range: (most > 0.0).then(|| [-f64::from(most), f64::from(most)]),
    }))
}

fn component(field: Option<&[f32; 3]>, c: usize) -> f64 {
    field.map_or(f64::NAN, |e| f64::from(e[c]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_movies_leave_out_points_and_frames() {
        let slice = Slice {
            name: "cut".into(),
            origin: [0.0; 3],
            sides: [[1.0, 0.0, 0.0], [0.0, 0.0, 2.0]],
            points: [151, 101],
        };
        let field = |i: usize| Some([0.0, -(i as f32), 0.5]);
        let moments: Vec<_> =
            (0..300).map(|t| (1e-9 * f64::from(t), (0..151 * 101).map(field).collect())).collect();
        let Some(Plot::Movie(movie)) = plot(&slice, &moments) else { panic!("no movie") };
        // Every third frame, every second point.
        assert_eq!((movie.times_s.len(), movie.x.len(), movie.y.len()), (100, 76, 51));
        assert_eq!(movie.frames[7][76 + 3], -(2.0 * 151.0 + 6.0));
        assert_eq!(movie.times_s[1], moments[3].0);
        assert_eq!(movie.value_label, "Ey (V/m)");
        assert_eq!(movie.range, Some([-15250.0, 15250.0]));
        assert!(
            plot(&slice, &[]).is_some_and(|plot| plot.render().is_err()),
            "a movie without frames is not asked for"
        );
    }
}
