//! Files that a reflectarray case names (an earlier design, the reflection table of a cell), and files for other programs.

use crate::input::{InputFolder, columns, read_text};
use phasefront_case::model::reflectarray::Export;
use phasefront_core::FieldError;
use phasefront_pattern::{write_ffe, write_grd_uv};
use phasefront_reflectarray::{Design, Problem, ReflectarrayError, ReflectionTable, Solution, export};
use std::f64::consts::TAU;

/// Steps of θ in the far-field export, up to the corner of the (u, v) grid.
const FFE_THETA: usize = 90;
/// Samples of φ, every two degrees.
const FFE_PHI: usize = 180;

/// The design in an `elements.csv`: columns ix, iy, x_m, y_m and `phase_deg`, one row for each element.
pub(super) fn design(
    folder: &InputFolder,
    file: &str,
    elements: [usize; 2],
    path: &str,
) -> Result<Design, FieldError> {
    let text = read_text(folder, file, path)?;
    parse_design(&text, elements).map_err(|message| {
        FieldError::new(
            path,
            format!("{file}: {message}"),
            "use the elements.csv of a run with the same number of elements",
        )
    })
}

/// The reflection table of a cell: columns `theta_deg`, amplitude and `phase_deg`, angles ascending.
pub(super) fn reflection(
    folder: &InputFolder,
    file: &str,
    path: &str,
) -> Result<ReflectionTable, FieldError> {
    let text = read_text(folder, file, path)?;
    let advice = "use a CSV file with the columns theta_deg, amplitude and phase_deg, angles ascending";
    parse_reflection(&text).map_err(|message| FieldError::new(path, format!("{file}: {message}"), advice))
}

fn parse_design(text: &str, [nx, ny]: [usize; 2]) -> Result<Design, String> {
    let rows = columns(text, ["ix", "iy", "x_m", "y_m", "phase_deg"])?;
    let count = nx * ny;
    if rows.len() != count {
        return Err(format!("it has {} elements, but the array has {nx} x {ny} = {count}", rows.len()));
    }
    let mut design =
        // NaN marks elements not seen yet; with the row count checked, none can remain.
        Design { index: Vec::new(), x: vec![f64::NAN; count], y: vec![0.0; count], phase: vec![0.0; count] };
    design.index.extend((0..ny).flat_map(|iy| (0..nx).map(move |ix| [ix, iy])));
    for [ix, iy, x, y, phase] in rows {
        let inside = |i: f64, n: usize| i >= 0.0 && i < n as f64 && i.fract() == 0.0;
        if !inside(ix, nx) || !inside(iy, ny) {
            return Err(format!(
                "element ({ix}, {iy}) is outside the array of {nx} x {ny}; indices start at 0"
            ));
        }
        let at = iy as usize * nx + ix as usize;
        if design.x[at].is_finite() {
            return Err(format!("element ({ix}, {iy}) occurs twice"));
        }
        (design.x[at], design.y[at], design.phase[at]) = (x, y, phase.to_radians());
    }
    Ok(design)
}

fn parse_reflection(text: &str) -> Result<ReflectionTable, String> {
    let rows = columns(text, ["theta_deg", "amplitude", "phase_deg"])?;
    if rows.is_empty() {
        return Err("it has no rows".into());
    }
    if let Some(pair) = rows.windows(2).find(|pair| pair[0][0] >= pair[1][0]) {
        return Err(format!("theta_deg is not ascending from {} to {}", pair[0][0], pair[1][0]));
    }
    Ok(ReflectionTable {
        theta: rows.iter().map(|row| row[0].to_radians()).collect(),
        amplitude: rows.iter().map(|row| row[1]).collect(),
        phase: rows.iter().map(|row| row[2].to_radians()).collect(),
    })
}

/// Name, text and description of a file for another program.
pub(super) fn export(
    kind: Export,
    problem: &Problem,
    solution: &Solution,
) -> Result<(&'static str, String, &'static str), ReflectarrayError> {
    Ok(match kind {
        Export::Grd => {
            let text = write_grd_uv(&export::uv_fields(problem, &solution.patterns))?;
            ("pattern.grd", text, "complex fields on the (u, v) grid, for GRASP")
        }
        Export::Dxf => {
            let text = export::dxf(&solution.design, problem.lattice.spacing);
            ("layout.dxf", text, "drawing of the layout, millimeters")
        }
        Export::Ffe => {
            let (theta, phi) = far_field_angles(problem);
            let fields = export::far_fields(problem, &solution.design, &theta, &phi)?;
            let text = write_ffe(&fields)?;
            ("pattern.ffe", text, "far field over theta and phi, for FEKO")
        }
    })
}

/// θ from broadside to the corner of the grid, and all φ, rad.
fn far_field_angles(problem: &Problem) -> (Vec<f64>, Vec<f64>) {
    let extent = |axis: Vec<f64>| axis.iter().fold(0.0, |max: f64, x| max.max(x.abs()));
    // sin θ at the farthest corner of the grid, limited to visible space.
    let radius = extent(problem.uv_grid.u()).hypot(extent(problem.uv_grid.v())).min(1.0);
    let step = radius.asin() / FFE_THETA as f64;
    let theta = (0..=FFE_THETA).map(|i| i as f64 * step).collect();
    (theta, (0..FFE_PHI).map(|i| TAU * i as f64 / FFE_PHI as f64).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "ix,iy,x_m,y_m,phase_deg,amplitude\n1,0,0.5,-0.5,180,1\n0,0,-0.5,-0.5,-90,1\n";

    #[test]
    fn a_design_is_put_in_order() {
        let design = parse_design(GOOD, [2, 1]).unwrap();
        assert_eq!(design.index, [[0, 0], [1, 0]]);
        assert_eq!((design.x[1], design.y[0]), (0.5, -0.5));
        assert_eq!(design.phase, [-std::f64::consts::FRAC_PI_2, std::f64::consts::PI]);
    }

    #[test]
    fn every_wrong_design_has_its_message() {
        let fails = |text: &str| parse_design(text, [2, 1]).unwrap_err();
        assert_eq!(fails(""), "its first line has no column ix");
        assert_eq!(fails(&GOOD.replace("y_m", "y_mm")), "its first line has no column y_m");
        assert_eq!(
            fails("ix,iy,x_m,y_m,phase_deg\n0,0,0,0,0\n"),
            "it has 1 elements, but the array has 2 x 1 = 2"
        );
        assert_eq!(fails(&GOOD.replace("\n0,0", "\n1,0")), "element (1, 0) occurs twice");
        assert_eq!(
            fails(&GOOD.replace("\n0,0", "\n0,7")),
            "element (0, 7) is outside the array of 2 x 1; indices start at 0"
        );
        assert_eq!(
            fails(&GOOD.replace("-90", "west")),
            "line 3: phase_deg is \"west\", which is not a finite number"
        );
        assert_eq!(
            fails(&GOOD.replace(",-90,1", "")),
            "line 3: phase_deg is \"\", which is not a finite number"
        );
    }

    #[test]
    fn a_reflection_rises_in_angle() {
        let table = parse_reflection("theta_deg, amplitude, phase_deg\n0, 1, 0\n90, 0.5, 180\n").unwrap();
        assert_eq!(table.amplitude, [1.0, 0.5]);
        assert_eq!(table.theta[1], std::f64::consts::FRAC_PI_2);
        let fails = |text: &str| parse_reflection(text).unwrap_err();
        assert_eq!(fails("theta_deg,amplitude,phase_deg\n"), "it has no rows");
        assert_eq!(
            fails("theta_deg,amplitude,phase_deg\n5,1,0\n5,1,0\n"),
            "theta_deg is not ascending from 5 to 5"
        );
    }
}
