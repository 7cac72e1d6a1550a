//! A near field as a source: the file that another run has written, turned and moved; and what it radiates by itself.

use super::files::COMPONENTS;
use crate::input::{InputFolder, read_bytes};
use crate::npy::{self, Header, Kind};
use glam::{DMat3, DVec3};
use num_complex::Complex64;
use phasefront_case::model::dgtd::NearSource as CaseNearSource;
use phasefront_case::model::{Axis, Point, Rotation};
use phasefront_core::FieldError;
use phasefront_dgtd::{NearSource, RecordedField, Solution, Study, SurfacePoint};
use phasefront_report::Table;
use std::sync::Arc;

const PATH: &str = "source.near_field.file";
/// What the file must be.
const ADVICE: &str =
    "give the `near_field.npz` of a run with `near_field` in [output], or arrays of the same names";
/// Deviation of normals from unit length, and of constants from those of vacuum: files may be in single precision.
const SINGLE: f64 = 1e-5;

/// The source with its file, for a TF/SF surface of this name.
pub(super) fn near_source(
    case: &CaseNearSource,
    surface: String,
    folder: &InputFolder,
) -> Result<NearSource, FieldError> {
    let file = &case.file;
    let bytes = read_bytes(folder, file, PATH)?;
    let recorded =
        read(&bytes).map_err(|problem| FieldError::new(PATH, format!("{file}: {problem}"), ADVICE))?;
    let rotation = case.rotation.iter().fold(DMat3::IDENTITY, |before, turn| matrix(turn) * before);
    let position = case.position.map_or(DVec3::ZERO, |position| Point::si(position).into());
    Ok(NearSource { recorded: Arc::new(recorded.placed(rotation, position)), surface })
}

fn matrix(turn: &Rotation) -> DMat3 {
    let angle = turn.angle.si();
    match turn.axis {
        Axis::X => DMat3::from_rotation_x(angle),
        Axis::Y => DMat3::from_rotation_y(angle),
        Axis::Z => DMat3::from_rotation_z(angle),
    }
}

/// The arrays of `near_field.npz`.
fn read(bytes: &[u8]) -> Result<RecordedField, String> {
    let mut archive = npy::archive(bytes)?;
    // Absent from files of other programs, which are in air.
    let constants: Vec<&str> = ["eps_r", "mu_r"]
        .into_iter()
        .filter(|name| archive.index_for_name(&format!("{name}.npy")).is_some())
        .collect();
    let mut list = |name: &str, count: Option<usize>| -> Result<Vec<f64>, String> {
        let fits = |header: &Header| {
            let real = matches!(header.kind, Kind::F32 | Kind::F64);
            match header.shape[..] {
                [n] if real && count.is_none_or(|count| n == count) => Ok(()),
                _ => Err(shape_error(header, count.map(|count| vec![count]), "real")),
            }
        };
        let values: Vec<f64> =
            npy::from_archive(&mut archive, name, fits)?.values().map(|value| value.re).collect();
        match values.iter().position(|value| !value.is_finite()) {
            Some(i) => Err(format!("{name}: value {i} is not finite")),
            None => Ok(values),
        }
    };
    let frequencies = list("frequency_hz", None)?;
    if frequencies.is_empty() || frequencies.iter().any(|f| *f <= 0.0) {
        return Err("frequency_hz: there must be frequencies, and all positive".into());
    }
    for name in constants {
        let constant = list(name, Some(1))?[0];
        if (constant - 1.0).abs() > SINGLE {
            return Err(format!("{name} is {constant}, and near fields radiate in air only"));
        }
    }
    let area = list("area_m2", None)?;
    let count = area.len();
    if area.iter().any(|area| *area <= 0.0) {
        return Err("area_m2: areas must be positive".into());
    }
    let mut vectors = |names: [&str; 3]| -> Result<[Vec<f64>; 3], String> {
        let [x, y, z] = names.map(|name| list(name, Some(count)));
        Ok([x?, y?, z?])
    };
    let positions = vectors(["x_m", "y_m", "z_m"])?;
    let normals = vectors(["normal_x", "normal_y", "normal_z"])?;
    let at = |of: &[Vec<f64>; 3], i: usize| [of[0][i], of[1][i], of[2][i]];
    let point =
        |i: usize| SurfacePoint { position: at(&positions, i), normal: at(&normals, i), area: area[i] };
    let points: Vec<SurfacePoint> = (0..count).map(point).collect();
    let long = |point: &SurfacePoint| (DVec3::from(point.normal).length() - 1.0).abs() > SINGLE;
    if let Some(i) = points.iter().position(long) {
        return Err(format!("normal_x, normal_y, normal_z: normal {i} is not of unit length"));
    }
    let mut fields = vec![vec![[Complex64::ZERO; 6]; count]; frequencies.len()];
    for (c, name) in COMPONENTS.into_iter().enumerate() {
        let shape = vec![frequencies.len(), count];
        let fits = |header: &Header| {
            let complex = matches!(header.kind, Kind::C64 | Kind::C128);
            if complex && header.shape == shape {
                return Ok(());
            }
            Err(shape_error(header, Some(shape.clone()), "complex"))
        };
        let array = npy::from_archive(&mut archive, name, fits)?;
        for (field, value) in fields.iter_mut().flatten().zip(array.values()) {
            if !value.is_finite() {
                return Err(format!("{name}: a value is not finite"));
            }
            field[c] = value;
        }
    }
    Ok(RecordedField { frequencies, points, fields })
}

fn shape_error(header: &Header, wanted: Option<Vec<usize>>, numbers: &str) -> String {
    let wanted = wanted.map_or("a list".to_owned(), |shape| format!("the shape {shape:?}"));
    format!("{:?} in the shape {:?}, instead of {numbers} numbers in {wanted}", header.kind, header.shape)
}

/// `near_source.csv`: the power of the near field of a source in free space, and what is radiated in this model, where it has a far field.
pub(super) fn table(study: &Study, solution: &Solution) -> Option<Table> {
    let recorded = &study.problem.sources.near_field.as_ref()?.recorded;
    let frequencies = &study.problem.monitors.frequencies;
    let power = |f: &f64| recorded.index_of(*f).map_or(f64::NAN, |index| recorded.power(index));
    let table = Table::new("near_source")
        .number("frequency_hz", frequencies.clone())
        .number("recorded_power_w", frequencies.iter().map(power).collect());
    if !study.problem.monitors.far_field {
        return Some(table);
    }
    let radiated = (0..frequencies.len()).map(|f| study.far_field(solution, f, &[]).power);
    Some(table.number("radiated_power_w", radiated.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use phasefront_report::{Array, ArrayFile};

    /// Two points and a frequency, with one array in place of that of its name, or without it.
    fn file(name: &str, array: Option<&Array>) -> Vec<u8> {
        let mut file = ArrayFile::new("near_field");
        let mut arrays: Vec<(&str, Array)> = vec![
            ("frequency_hz", Array::Real1(vec![1e9])),
            ("eps_r", Array::Real1(vec![1.0])),
            ("area_m2", Array::Real1(vec![0.5, 0.25])),
            ("x_m", Array::Real1(vec![1.0, 2.0])),
            ("y_m", Array::Real1(vec![0.0, 3.0])),
            ("z_m", Array::Real1(vec![0.0; 2])),
            ("normal_x", Array::Real1(vec![1.0, 0.0])),
            ("normal_y", Array::Real1(vec![0.0, 1.0])),
            ("normal_z", Array::Real1(vec![0.0; 2])),
        ];
        for (c, component) in COMPONENTS.into_iter().enumerate() {
            let values = vec![Complex64::new(c as f64, 1.0), Complex64::new(0.0, -1.0)];
            arrays.push((component, Array::Complex2 { rows: 1, cols: 2, values }));
        }
        for (known, given) in arrays {
            match array {
                Some(other) if known == name => file = file.with(known, other.clone()),
                None if known == name => {}
                _ => file = file.with(known, given),
            }
        }
        file.to_npz().unwrap()
    }

    #[test]
    fn a_file_is_turned_and_moved() {
        let text = "{ \"file\": \"a.npz\", \"surface\": \"hull\", \"position\": [\"0 m\", \"0 m\", \"5 m\"], \
                    \"rotation\": [{ \"axis\": \"z\", \"angle\": \"90 deg\" }, { \"axis\": \"x\", \"angle\": \"90 deg\" }] }";
        let case: CaseNearSource = serde_json::from_str(text).unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.npz"), file("", None)).unwrap();
        let found = near_source(&case, "hull".into(), &InputFolder::new(folder.path())).unwrap();
        let recorded = &found.recorded;
        let near = |a: [f64; 3], b: [f64; 3]| DVec3::from(a).distance(b.into()) < 1e-12;
        // x goes to y, then to z; y to −x; z to z, then to −y.
        assert!(near(recorded.points[0].position, [0.0, 0.0, 6.0]), "{:?}", recorded.points[0]);
        assert!(near(recorded.points[1].position, [-3.0, 0.0, 7.0]), "{:?}", recorded.points[1]);
        assert!(near(recorded.points[1].normal, [-1.0, 0.0, 0.0]));
        let field = recorded.fields[0][0];
        for (found, expected) in field.iter().zip([-1.0, -2.0, 0.0, -4.0, -5.0, 3.0]) {
            assert!((found.re - expected).abs() < 1e-12, "{field:?}");
        }
    }

    #[test]
    fn every_wrong_file_has_its_message() {
        let message = |name: &str, array: Option<Array>| read(&file(name, array.as_ref())).unwrap_err();
        assert!(read(&file("eps_r", None)).is_ok());
        assert!(message("e_x", None).starts_with("e_x: "));
        assert_eq!(
            message("e_x", Some(Array::Complex2 { rows: 2, cols: 1, values: vec![Complex64::ONE; 2] })),
            "e_x: C128 in the shape [2, 1], instead of complex numbers in the shape [1, 2]"
        );
        assert_eq!(
            message("h_z", Some(Array::Real2 { rows: 1, cols: 2, values: vec![1.0; 2] })),
            "h_z: F64 in the shape [1, 2], instead of complex numbers in the shape [1, 2]"
        );
        assert_eq!(
            message("x_m", Some(Array::Real1(vec![1.0]))),
            "x_m: F64 in the shape [1], instead of real numbers in the shape [2]"
        );
        assert_eq!(message("x_m", Some(Array::Real1(vec![1.0, f64::NAN]))), "x_m: value 1 is not finite");
        assert_eq!(
            message("normal_x", Some(Array::Real1(vec![2.0, 0.0]))),
            "normal_x, normal_y, normal_z: normal 0 is not of unit length"
        );
        assert_eq!(
            message("eps_r", Some(Array::Real1(vec![2.2]))),
            "eps_r is 2.2, and near fields radiate in air only"
        );
        assert_eq!(message("area_m2", Some(Array::Real1(vec![1.0, 0.0]))), "area_m2: areas must be positive");
        let good = file("", None);
        for cut in [0, 10, good.len() / 2, good.len() - 1] {
            assert!(read(&good[..cut]).is_err(), "{cut} bytes");
        }
    }
}
