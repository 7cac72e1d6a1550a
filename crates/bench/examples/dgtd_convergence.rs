//! Draws `docs/dgtd-convergence.svg`: the error of a mode of a metal box against the size of the cells, for orders 1 to 5.
//!
//! `cargo run --release -p phasefront-bench --example dgtd_convergence`

use phasefront_core::Progress;
use phasefront_core::constants::C0;
use phasefront_device::Backend;
use phasefront_dgtd::{Boundary, Initial, Problem, Sources, Stop, prepare};
use phasefront_mesh::BoxMesh;
use phasefront_report::plot::{Axis, LinePlot, Plot, Series};
use std::error::Error;
use std::f64::consts::PI;

const SIDES: [&str; 6] = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"];
/// Cells along a side of the box.
const CELLS: [usize; 5] = [2, 3, 4, 6, 8];

/// Relative error of the field after light has traveled the 1 m of the box: the case
/// `cases/60-cavity`.
fn error(order: usize, cells: usize) -> Result<f64, Box<dyn Error>> {
    let cell = [1.0 / cells as f64; 3];
    let mode = Initial::Mode { k: [PI; 3], a: [1.0, -2.0, 1.0] };
    let study = prepare(Problem {
        mesh: BoxMesh { from: [0.0; 3], to: [1.0; 3], cell, name: "air".into(), ..BoxMesh::default() }
            .mesh()?,
        boundaries: SIDES.map(|name| (name.into(), Boundary::Pec)).into(),
        sources: Sources { initial: Some(mode), ..Sources::default() },
        highest_frequency: 0.5 * 3_f64.sqrt() * C0,
        stop: Stop { energy_db: None, time: 1.0 / C0 },
        order,
        ..Problem::default()
    })?;
    let solution = study.solve(&Backend::Cpu, &Progress::silent())?;
    solution.error.ok_or_else(|| "the mode of a box in vacuum is known".into())
}

/// Errors of an order, and the slope order + 1 through the last of them.
fn curves(order: usize) -> Result<[Series; 2], Box<dyn Error>> {
    let sizes: Vec<f64> = CELLS.iter().map(|&cells| 1.0 / cells as f64).collect();
    let errors = CELLS.iter().map(|&cells| error(order, cells)).collect::<Result<Vec<_>, _>>()?;
    for (pair, h) in errors.windows(2).zip(sizes.windows(2)) {
        let slope = (pair[0] / pair[1]).ln() / (h[0] / h[1]).ln();
        println!("| {order} | {:.4} m | {:.2e} | {slope:.2} |", h[1], pair[1]);
    }
    let (last, finest) = (errors[CELLS.len() - 1], sizes[CELLS.len() - 1]);
    let power = order as i32 + 1;
    let slope = sizes.iter().map(|h| last * (h / finest).powi(power)).collect();
    Ok([
        Series::points(format!("order {order}"), sizes.clone(), errors),
        Series::dashed(format!("slope {power}"), sizes, slope),
    ])
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut series = Vec::new();
    for order in 1..=5 {
        series.extend(curves(order)?);
    }
    let plot = Plot::Line(LinePlot {
        name: "dgtd-convergence".into(),
        title: "A mode of a metal box of one meter".into(),
        x: Axis::new("side of a cell (m)").logarithmic(),
        y: Axis::new("relative error of the field").logarithmic(),
        series,
        ..LinePlot::default()
    });
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/dgtd-convergence.svg");
    std::fs::write(path, plot.render()?.svg)?;
    Ok(())
}
