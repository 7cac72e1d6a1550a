//! Samples of fields on slices: points, axes, and components.

use num_complex::Complex64;
use phasefront_dgtd::{Slice, Solution, Study};

/// Outside of the mesh there is no field.
const NOTHING: [Complex64; 6] = [Complex64::new(f64::NAN, f64::NAN); 6];

/// Times, s, and E and H at all points of a slice.
pub(super) type Moments = [(f64, Vec<Option<[f32; 6]>>)];

/// E and H at the points of a slice at all frequencies: [frequency][point][component].
pub(super) fn fields(study: &Study, solution: &Solution, slice: usize) -> Vec<Vec<[Complex64; 6]>> {
    let at =
        |f| study.slice(solution, f, slice).into_iter().map(|fields| fields.unwrap_or(NOTHING)).collect();
    (0..study.problem.monitors.frequencies.len()).map(at).collect()
}

pub(super) fn stem(slice: &Slice) -> String {
    format!("slice_{}", slice.name)
}

/// Coordinates of points along a side, from zero to one.
pub(super) fn parts(points: usize) -> impl Iterator<Item = f64> + Clone {
    (0..points).map(move |i| i as f64 / (points - 1).max(1) as f64)
}

/// A component of E and H; NaN outside of the mesh.
pub(super) fn component(field: Option<&[f32; 6]>, c: usize) -> f64 {
    field.map_or(f64::NAN, |field| f64::from(field[c]))
}

/// Label and values of an axis of the map: the coordinate that a side is parallel to, or else the length along it.
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
    use super::super::files::slice_arrays as arrays;
    use super::*;
    use phasefront_report::Array;

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
