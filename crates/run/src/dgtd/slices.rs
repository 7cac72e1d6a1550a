//! Fields of a dgtd run on slices: `slice_NAME.npz`, and a map of each.

use super::plots::{at_frequency, unit};
use num_complex::Complex64;
use phasefront_dgtd::{Slice, Solution, Study};
use phasefront_report::plot::{MapPlot, Plot, level_range};
use phasefront_report::{Array, ArrayFile};

/// Decibels below the strongest field where colors end.
const DEPTH: f64 = 40.0;
/// Names of the arrays.
const COMPONENTS: [&str; 6] = ["e_x", "e_y", "e_z", "h_x", "h_y", "h_z"];
/// Where there is no mesh there is no field.
const NOTHING: [Complex64; 6] = [Complex64::new(f64::NAN, f64::NAN); 6];

/// E and H at the points of a slice at all frequencies: [frequency][point][component].
pub(super) fn fields(study: &Study, solution: &Solution, slice: usize) -> Vec<Vec<[Complex64; 6]>> {
    let at =
        |f| study.slice(solution, f, slice).into_iter().map(|fields| fields.unwrap_or(NOTHING)).collect();
    (0..study.problem.monitors.frequencies.len()).map(at).collect()
}

fn stem(slice: &Slice) -> String {
    format!("slice_{}", slice.name)
}

/// Coordinates of points along a side, from zero to one.
fn parts(points: usize) -> impl Iterator<Item = f64> + Clone {
    (0..points).map(move |i| i as f64 / (points - 1).max(1) as f64)
}

/// Places as matrices with rows along the first side; fields with a row for each frequency and the points of all rows behind each other.
pub(super) fn arrays(frequencies: &[f64], slice: &Slice, fields: &[Vec<[Complex64; 6]>]) -> ArrayFile {
    let [cols, rows] = slice.points;
    let mut file = ArrayFile::new(stem(slice)).with("frequency_hz", Array::Real1(frequencies.to_vec()));
    for (axis, name) in ["x_m", "y_m", "z_m"].into_iter().enumerate() {
        let [along, across] = slice.sides.map(|side| side[axis]);
        let place = |v: f64| parts(cols).map(move |u| slice.origin[axis] + u * along + v * across);
        file = file.with(name, Array::Real2 { rows, cols, values: parts(rows).flat_map(place).collect() });
    }
    for (c, name) in COMPONENTS.into_iter().enumerate() {
        let values = fields.iter().flatten().map(|fields| fields[c]).collect();
        file = file.with(name, Array::Complex2 { rows: fields.len(), cols: rows * cols, values });
    }
    file
}

/// The map of |E| at frequency number `shown`.
pub(super) fn plot(
    study: &Study,
    slice: &Slice,
    fields: &[Vec<[Complex64; 6]>],
    shown: usize,
) -> Option<Plot> {
    let level = |fields: &[Complex64; 6]| {
        20.0 * fields[..3].iter().map(Complex64::norm_sqr).sum::<f64>().sqrt().log10()
    };
    let values: Vec<f64> = fields.get(shown)?.iter().map(level).collect();
    let [(x_label, x), (y_label, y)] = [0, 1].map(|side| axis(slice, side));
    Some(Plot::Map(MapPlot {
        name: stem(slice),
        title: format!("Electric field on {}, {}", slice.name, at_frequency(study, shown)),
        caption: format!(
            "The electric field on the slice {}: length of the complex vector, {}.",
            slice.name,
            super::plots::for_source(study)
        ),
        value_label: format!("|E| (dB re 1 {})", unit(study, "V")),
        range: Some(level_range(values.iter().copied(), DEPTH)),
        x_label,
        y_label,
        x,
        y,
        values,
        ..MapPlot::default()
    }))
}

/// Label and values of an axis of the map: the coordinate that a side goes along, or else the length along it.
pub(super) fn axis(slice: &Slice, side: usize) -> (String, Vec<f64>) {
    let (vector, points) = (slice.sides[side], slice.points[side]);
    let moving: Vec<usize> = (0..3).filter(|&k| vector[k] != 0.0).collect();
    if let [k] = moving[..] {
        let values = parts(points).map(|part| slice.origin[k] + part * vector[k]);
        return (format!("{} (m)", ["x", "y", "z"][k]), values.collect());
    }
    let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    let name = ["along the first side (m)", "along the second side (m)"][side];
    (name.into(), parts(points).map(|part| part * length).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slice(sides: [[f64; 3]; 2]) -> Slice {
        Slice { name: "cut".into(), origin: [1.0, 2.0, 3.0], sides, points: [3, 2] }
    }

    #[test]
    fn axes_are_coordinates_where_they_can_be() {
        let cut = slice([[0.0, -1.0, 0.0], [0.3, 0.0, 0.4]]);
        assert_eq!(axis(&cut, 0), ("y (m)".into(), vec![2.0, 1.5, 1.0]));
        assert_eq!(axis(&cut, 1), ("along the second side (m)".into(), vec![0.0, 0.5]));
    }

    #[test]
    fn points_go_along_the_first_side_first() {
        let cut = slice([[2.0, 0.0, 0.0], [0.0, 0.0, 4.0]]);
        let fields = vec![(0..6).map(|i| [Complex64::new(f64::from(i), 0.0); 6]).collect()];
        let file = arrays(&[1e9], &cut, &fields);
        let array = |name: &str| file.arrays.iter().find(|(other, _)| other == name).unwrap().1.clone();
        let real = |values: &[f64]| Array::Real2 { rows: 2, cols: 3, values: values.to_vec() };
        assert_eq!(file.name, "slice_cut");
        assert_eq!(array("x_m"), real(&[1.0, 2.0, 3.0, 1.0, 2.0, 3.0]));
        assert_eq!(array("y_m"), real(&[2.0; 6]));
        assert_eq!(array("z_m"), real(&[3.0, 3.0, 3.0, 7.0, 7.0, 7.0]));
        let values = (0..6).map(|i| Complex64::new(f64::from(i), 0.0)).collect();
        assert_eq!(array("h_z"), Array::Complex2 { rows: 1, cols: 6, values });
    }
}
