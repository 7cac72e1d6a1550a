//! Files of a dgtd run: arrays of slices (`.npz`), fields in volumes and currents on conductors for ParaView (`.vtu`), and S-parameters
//! for circuit simulators (Touchstone).

use super::labels::unit;
use super::ports::{Column, PortLabel};
use super::slices::{Moments, component, parts, stem};
use num_complex::Complex64;
use phasefront_dgtd::{Slice, Solution, Study, Subdivision};
use phasefront_report::{Array, ArrayFile, PointValues, SParameters, Surface, Volume, pvd};

/// Names of the arrays of fields.
pub(super) const COMPONENTS: [&str; 6] = ["e_x", "e_y", "e_z", "h_x", "h_y", "h_z"];

/// Reference of ports whose impedance depends on frequency, Ω.
const NOMINAL_OHM: f64 = 50.0;

/// Stem of the file of frequency or snapshot index `i`.
pub(super) fn file_name(stem: &str, i: usize) -> String {
    format!("{stem}_{:04}", i + 1)
}

/// ParaView's list of the files, by frequency, Hz, or time, s.
pub(super) fn list(stem: &str, at: &[f64]) -> String {
    let file = |(i, &at): (usize, &f64)| (at, format!("{}.vtu", file_name(stem, i)));
    pvd(&at.iter().enumerate().map(file).collect::<Vec<_>>())
}

/// Real and imaginary parts of complex vectors, and their magnitude.
pub(super) fn complex_values(
    name: &str,
    unit: &str,
    vectors: &[[Complex64; 3]],
) -> Vec<(String, PointValues)> {
    let part = |get: fn(&Complex64) -> f64| {
        PointValues::Vector(vectors.iter().map(|v| [0, 1, 2].map(|k| get(&v[k]) as f32)).collect())
    };
    let length = |v: &[Complex64; 3]| v.iter().map(Complex64::norm_sqr).sum::<f64>().sqrt() as f32;
    vec![
        (format!("{name}_re ({unit})"), part(|z| z.re)),
        (format!("{name}_im ({unit})"), part(|z| z.im)),
        (format!("{name}_abs ({unit})"), PointValues::Scalar(vectors.iter().map(length).collect())),
    ]
}

/// Points and tetrahedra that several files share.
fn grid(mesh: Subdivision<4>) -> Volume {
    Volume { points: mesh.points.into(), tetrahedra: mesh.cells.into(), ..Volume::default() }
}

/// E and H in the monitored volumes, at each frequency.
pub(super) fn spectra(study: &Study, solution: &Solution) -> Vec<Volume> {
    let grid = grid(study.volume_subdivision());
    let at = |f: usize| {
        let fields = study.volume_fields(solution, f);
        let [e, h]: [Vec<_>; 2] =
            [0, 3].map(|first| fields.iter().map(|v| [v[first], v[first + 1], v[first + 2]]).collect());
        let mut values = complex_values("E", &unit(study, "V"), &e);
        values.extend(complex_values("H", &unit(study, "A"), &h));
        Volume { name: file_name("volumes", f), values, ..grid.clone() }
    };
    (0..study.problem.monitors.frequencies.len()).map(at).collect()
}

/// Times, s, of the saved snapshots, and E and H in them.
pub(super) fn snapshots(study: &Study, solution: &Solution) -> (Vec<f64>, Vec<Volume>) {
    let grid = grid(study.snapshot_subdivision());
    let taken = study.snapshots(solution).enumerate().map(|(i, (time, fields))| {
        let part = |first: usize| {
            let inside = fields.iter().take(grid.points.len());
            PointValues::Vector(inside.map(|v| [v[first], v[first + 1], v[first + 2]]).collect())
        };
        let values = vec![("E (V/m)".into(), part(0)), ("H (A/m)".into(), part(3))];
        (time, Volume { name: file_name("fields", i), values, ..grid.clone() })
    });
    taken.unzip()
}

/// `slice_NAME.npz`: positions as matrices with rows along the first side; fields with a row for each frequency, all points in one row.
pub(super) fn slice_arrays(frequencies: &[f64], slice: &Slice, fields: &[Vec<[Complex64; 6]>]) -> ArrayFile {
    let [cols, rows] = slice.points;
    let mut file = ArrayFile::new(stem(slice)).with("frequency_hz", Array::Real1(frequencies.to_vec()));
    for (axis, name) in ["x_m", "y_m", "z_m"].into_iter().enumerate() {
        let [along, across] = slice.sides.map(|side| side[axis]);
        let positions = |v: f64| parts(cols).map(move |u| slice.origin[axis] + u * along + v * across);
        file =
            file.with(name, Array::Real2 { rows, cols, values: parts(rows).flat_map(positions).collect() });
    }
    for (c, name) in COMPONENTS.into_iter().enumerate() {
        let values = fields.iter().flatten().map(|fields| fields[c]).collect();
        file = file.with(name, Array::Complex2 { rows: fields.len(), cols: rows * cols, values });
    }
    file
}

/// `slice_NAME_time.npz`: E and H with a row for each time, all points of the slice in one row.
pub(super) fn slice_time_arrays(slice: &Slice, moments: &Moments) -> ArrayFile {
    let times = moments.iter().map(|(time, _)| *time).collect();
    let mut file = ArrayFile::new(format!("slice_{}_time", slice.name)).with("time_s", Array::Real1(times));
    for (c, name) in COMPONENTS.into_iter().enumerate() {
        let values =
            moments.iter().flat_map(|(_, fields)| fields.iter().map(move |at| component(at.as_ref(), c)));
        let cols = slice.points[0] * slice.points[1];
        file = file.with(name, Array::Real2 { rows: moments.len(), cols, values: values.collect() });
    }
    file
}

/// `currents_0001.vtu` and so on: the conductors with their surface currents, at each frequency.
pub(super) fn current_surfaces(study: &Study, solution: &Solution, mesh: &Subdivision<3>) -> Vec<Surface> {
    let grid = Surface {
        vertices: mesh.points.clone().into(),
        triangles: mesh.cells.clone().into(),
        ..Surface::default()
    };
    let at = |f: usize| Surface {
        name: file_name("currents", f),
        point_values: complex_values("J", &unit(study, "A"), &study.currents(solution, f)),
        ..grid.clone()
    };
    (0..study.problem.monitors.frequencies.len()).map(at).collect()
}

/// `sparameters.s1p`, `.s2p` and so on, of a complete S-matrix; the format does not support partial ones.
pub(super) fn touchstone(ports: &[PortLabel], columns: &[Column]) -> Option<SParameters> {
    let first = columns.first().filter(|_| columns.len() == ports.len())?;
    let frequency = |&k: &usize| first.spectra[k].frequency;
    let mut order: Vec<usize> = (0..first.spectra.len()).collect();
    order.sort_by(|a, b| frequency(a).total_cmp(&frequency(b)));
    order.dedup_by(|a, b| frequency(a) == frequency(b));
    // Row by row; ports may be excited in any order.
    let mut by_port: Vec<&Column> = columns.iter().collect();
    by_port.sort_by_key(|column| column.port);
    let matrix = |k: &usize| -> Vec<Complex64> {
        (0..ports.len()).flat_map(|i| by_port.iter().map(move |column| column.spectra[*k].s[i])).collect()
    };
    let comment = |(i, port): (usize, &PortLabel)| {
        format!("port {}: {}, reference {}", i + 1, port.name, port.reference_text())
    };
    Some(SParameters {
        name: "sparameters".into(),
        ports: ports.len(),
        // The format has no reference that depends on frequency: programs that cascade such files do not look at it.
        references_ohm: ports.iter().map(|port| port.reference.unwrap_or(NOMINAL_OHM)).collect(),
        frequencies_hz: order.iter().map(frequency).collect(),
        s: order.iter().map(matrix).collect(),
        comments: ports.iter().enumerate().map(comment).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complex_vectors_have_two_parts_and_a_length() {
        let vectors = [[Complex64::new(1.0, -2.0), Complex64::new(0.0, 2.0), Complex64::default()]];
        assert_eq!(
            complex_values("J", "A/m", &vectors),
            [
                ("J_re (A/m)".into(), PointValues::Vector(vec![[1.0, 0.0, 0.0]])),
                ("J_im (A/m)".into(), PointValues::Vector(vec![[-2.0, 2.0, 0.0]])),
                ("J_abs (A/m)".into(), PointValues::Scalar(vec![3.0])),
            ]
        );
    }

    #[test]
    fn lists_name_their_files() {
        let text = list("fields", &[0.0, 2e-9]);
        assert!(text.contains("timestep=\"2e-9\" group=\"\" part=\"0\" file=\"fields_0002.vtu\""), "{text}");
    }
}
