//! Tables of an sbr run: cross sections, and what the mesh is like.

use crate::mom::degrees;
use num_complex::Complex64;
use phasefront_mesh::MeshReport;
use phasefront_report::Table;
use phasefront_sbr::{Aspect, Problem, ScatteringMatrix, Solution, dbsm};

/// An amplitude of the four.
pub(super) type Pick = fn(&ScatteringMatrix) -> Complex64;

/// The four polarizations, receiver first.
pub(super) const POLARIZATIONS: [(&str, Pick); 4] =
    [("vv", |s| s.vv), ("vh", |s| s.vh), ("hv", |s| s.hv), ("hh", |s| s.hh)];

/// `rcs.csv`: for each frequency and aspect the cross sections and the amplitudes.
pub(super) fn rcs(problem: &Problem, solution: &Solution) -> Table {
    let rows: Vec<(f64, &Aspect, &ScatteringMatrix)> = solution
        .frequencies
        .iter()
        .flat_map(|at| problem.aspects.iter().zip(&at.scattering).map(move |(l, s)| (at.frequency, l, s)))
        .collect();
    let column = |get: &dyn Fn(&(f64, &Aspect, &ScatteringMatrix)) -> f64| rows.iter().map(get).collect();
    let mut table = Table::new("rcs")
        .number("frequency_hz", column(&|row| row.0))
        .number("theta_in_deg", column(&|row| degrees(row.1.incident.theta)))
        .number("phi_in_deg", column(&|row| degrees(row.1.incident.phi)))
        .number("theta_out_deg", column(&|row| degrees(row.1.observer.theta)))
        .number("phi_out_deg", column(&|row| degrees(row.1.observer.phi)));
    for (name, pick) in POLARIZATIONS {
        table = table.number(format!("{name}_dbsm"), column(&|row| dbsm(pick(row.2))));
    }
    for (name, pick) in POLARIZATIONS {
        table = table
            .number(format!("{name}_re_m"), column(&|row| pick(row.2).re))
            .number(format!("{name}_im_m"), column(&|row| pick(row.2).im));
    }
    table
}

/// What is told about a mesh, by name: in `mesh.csv`, and by `check`.
pub(super) fn mesh_facts(report: &MeshReport) -> Vec<(&'static str, f64)> {
    let [low, high] = report.bounds;
    let repairs = &report.repairs;
    let mut facts = vec![
        ("mesh_triangles", report.triangles as f64),
        ("mesh_vertices", report.vertices as f64),
        ("mesh_size_x_m", high[0] - low[0]),
        ("mesh_size_y_m", high[1] - low[1]),
        ("mesh_size_z_m", high[2] - low[2]),
        ("mesh_area_m2", report.area),
        ("mesh_shells", report.shells as f64),
        ("mesh_closed_shells", report.closed_shells as f64),
        ("mesh_open_rims", report.holes.len() as f64),
        ("mesh_open_rims_length_m", report.holes.iter().map(|hole| hole.length).sum()),
        ("mesh_non_manifold_edges", report.non_manifold_edges as f64),
        ("mesh_one_sided_edges", report.one_sided_edges as f64),
        ("mesh_vertices_joined", repairs.vertices as f64),
        ("mesh_triangles_dropped", (repairs.degenerate + repairs.duplicate) as f64),
        ("mesh_triangles_turned", repairs.flipped as f64),
    ];
    if let Some(volume) = report.volume {
        facts.insert(6, ("mesh_volume_m3", volume));
    }
    facts
}

/// `mesh.csv`.
pub(super) fn mesh(report: &MeshReport) -> Table {
    let facts = mesh_facts(report);
    let name = |name: &str| name.trim_start_matches("mesh_").to_owned();
    Table::new("mesh")
        .text("property", facts.iter().map(|(fact, _)| name(fact)).collect())
        .number("value", facts.iter().map(|(_, value)| *value).collect())
}
