//! Fields of a dgtd run in volumes, for ParaView: `volumes_0001.vtu` and so on at frequencies, `fields_0001.vtu` and so on at moments.

use super::plots::unit;
use num_complex::Complex64;
use phasefront_dgtd::{Solution, Study, Subdivision};
use phasefront_report::{PointValues, Volume, pvd};

/// Stem of the file of frequency or moment number `i`.
pub(super) fn file_name(stem: &str, i: usize) -> String {
    format!("{stem}_{:04}", i + 1)
}

/// ParaView's list of the files of frequencies, Hz, or moments, s.
pub(super) fn list(stem: &str, at: &[f64]) -> String {
    let file = |(i, &at): (usize, &f64)| (at, format!("{}.vtu", file_name(stem, i)));
    pvd(&at.iter().enumerate().map(file).collect::<Vec<_>>())
}

/// Real and imaginary part of complex vectors, and their length.
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
fn grid(pieces: Subdivision<4>) -> Volume {
    Volume { points: pieces.points.into(), tetrahedra: pieces.cells.into(), ..Volume::default() }
}

/// E and H in the volumes asked for, at each frequency.
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

/// E and H at the moments that the run came to, and which these are, s.
pub(super) fn snapshots(study: &Study, solution: &Solution) -> (Vec<f64>, Vec<Volume>) {
    let grid = grid(study.snapshot_subdivision());
    let taken = study.snapshots(solution).enumerate().map(|(i, (time, fields))| {
        let part = |first: usize| {
            PointValues::Vector(fields.iter().map(|v| [v[first], v[first + 1], v[first + 2]]).collect())
        };
        let values = vec![("E (V/m)".into(), part(0)), ("H (A/m)".into(), part(3))];
        (time, Volume { name: file_name("fields", i), values, ..grid.clone() })
    });
    taken.unzip()
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
