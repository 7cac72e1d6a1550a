//! Tables of an sbr run: radar cross sections, range profiles, and properties of the mesh.

use super::imaging::Profiles;
use super::polarization::POLARIZATIONS;
use crate::format::degrees;
use phasefront_mesh::MeshReport;
use phasefront_report::Table;
use phasefront_sbr::{Aspect, DiffractingEdge, Problem, ScatteringMatrix, Solution, dbsm};

/// `rcs.csv`: cross sections and scattering amplitudes by frequency and aspect.
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

/// `range_profile.csv`: for each aspect the cross sections against range.
pub(super) fn range_profiles(problem: &Problem, profiles: Profiles) -> Table {
    let Profiles { ranges, levels } = profiles;
    let rows = |get: &dyn Fn(usize) -> f64| -> Vec<f64> {
        (0..problem.aspects.len()).flat_map(|aspect| std::iter::repeat_n(get(aspect), ranges.len())).collect()
    };
    let mut table = Table::new("range_profile")
        .number("theta_deg", rows(&|i| degrees(problem.aspects[i].incident.theta)))
        .number("phi_deg", rows(&|i| degrees(problem.aspects[i].incident.phi)))
        .number("range_m", ranges.repeat(problem.aspects.len()));
    for ((name, _), levels) in POLARIZATIONS.into_iter().zip(levels) {
        table = table.number(format!("{name}_dbsm"), levels);
    }
    table
}

/// Properties of a mesh by name, for `mesh.csv` and for `check`.
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
        ("mesh_t_junctions_stitched", repairs.stitched as f64),
        ("mesh_triangles_dropped", (repairs.degenerate + repairs.duplicate) as f64),
        ("mesh_triangles_turned", repairs.flipped as f64),
    ];
    if let Some(volume) = report.volume {
        facts.insert(6, ("mesh_volume_m3", volume));
    }
    facts
}

/// `edges.csv`: the edges that diffract.
pub(super) fn edges(edges: &[DiffractingEdge]) -> Table {
    let column = |get: &dyn Fn(&DiffractingEdge) -> f64| edges.iter().map(get).collect();
    let mut table = Table::new("edges");
    for (k, axis) in ["x", "y", "z"].into_iter().enumerate() {
        table = table.number(format!("from_{axis}_m"), column(&|edge| edge.from[k]));
    }
    for (k, axis) in ["x", "y", "z"].into_iter().enumerate() {
        table = table.number(format!("to_{axis}_m"), column(&|edge| edge.to[k]));
    }
    let kind = |edge: &DiffractingEdge| if edge.is_rim { "rim" } else { "wedge" }.to_owned();
    table
        .number("length_m", column(&|edge| edge.length))
        .number("interior_angle_deg", column(&|edge| degrees(edge.interior_angle)))
        .text("kind", edges.iter().map(kind).collect())
}

/// Lengths of the edges that diffract, for `check` and for metrics.
pub(super) fn edge_facts(edges: &[DiffractingEdge]) -> [(&'static str, f64); 3] {
    let length =
        |is_rim: bool| edges.iter().filter(|edge| edge.is_rim == is_rim).map(|edge| edge.length).sum();
    [("edges", edges.len() as f64), ("wedges_length_m", length(false)), ("rims_length_m", length(true))]
}

/// `mesh.csv`.
pub(super) fn mesh(report: &MeshReport) -> Table {
    let facts = mesh_facts(report);
    let name = |name: &str| name.trim_start_matches("mesh_").to_owned();
    Table::new("mesh")
        .text("property", facts.iter().map(|(fact, _)| name(fact)).collect())
        .number("value", facts.iter().map(|(_, value)| *value).collect())
}
