//! Draws `docs/convergence.svg`: error of the echo width against unknowns, for pulses and for locally corrected Nyström.
//!
//! `cargo run --release -p phasefront-bench --example convergence`

use phasefront_core::Progress;
use phasefront_core::constants::C0;
use phasefront_device::Backend;
use phasefront_mom::{Body, CellCount, Equation, Lcn, Method, MomError, Problem, Shape, prepare};
use phasefront_report::plot::{Axis, LinePlot, Plot, Series};
use std::error::Error;
use std::f64::consts::{FRAC_PI_2, PI};

/// Echo width over the wavelength of a conducting circle of one wavelength radius, TM, at 0, 90 and 180 degrees: the series
/// of Harrington, Time-Harmonic Electromagnetic Fields, section 5-9, as `tests/cross/reference/series.py` sums it.
const EXACT: [(f64, f64); 3] =
    [(0.0, 34.584_560_348_254_9), (FRAC_PI_2, 2.508_497_925_964_72), (PI, 3.182_747_284_842_06)];

/// Rounding level: smaller errors are drawn here.
const FLOOR: f64 = 1e-15;

/// Unknowns, and the largest relative error of the three echo widths.
fn error(method: Method, cells: usize) -> Result<(usize, f64), MomError> {
    let study = prepare(Problem {
        bodies: vec![Body::conductor(Shape::Circle { center: [0.0, 0.0], radius: 1.0 })],
        frequencies: vec![C0], // a wavelength of one meter
        propagation: vec![0.0],
        method,
        equation: Equation::Efie,
        cells: CellCount::Total(cells),
        observation: EXACT.iter().map(|(angle, _)| *angle).collect(),
        ..Problem::default()
    })?;
    let solution = study.solve(&Backend::Cpu, &Progress::silent())?;
    let widths = &solution.frequencies[0].echo_width[0];
    let errors = EXACT.iter().zip(widths).map(|((_, exact), found)| (found / exact - 1.0).abs());
    Ok((study.unknowns(), errors.fold(FLOOR, f64::max)))
}

fn curve(label: &str, method: Method, order: usize) -> Result<Series, MomError> {
    let (mut unknowns, mut errors) = (Vec::new(), Vec::new());
    for n in [32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048] {
        if order > 1 && n > 512 {
            break; // The higher orders are done long before.
        }
        let (taken, found) = error(method, n / order)?;
        if taken > n {
            continue; // So few cells bend too much, and the solver halves them.
        }
        println!("| {label} | {n} | {found:.1e} |");
        unknowns.push(n as f64);
        errors.push(found);
    }
    Ok(Series::solid(label, unknowns, errors))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut series = vec![curve("pulses", Method::Pulse, 1)?];
    for order in [2, 4, 8] {
        let method = Method::Lcn(Lcn { order, ..Lcn::default() });
        series.push(curve(&format!("Nyström, order {order}"), method, order)?);
    }
    let plot = Plot::Line(LinePlot {
        name: "convergence".into(),
        title: "Conducting circle of one wavelength radius, TM".into(),
        x: Axis::new("unknowns").logarithmic(),
        y: Axis::new("largest relative error of the echo width").logarithmic(),
        series,
        ..LinePlot::default()
    });
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/convergence.svg");
    std::fs::write(path, plot.render()?.svg)?;
    Ok(())
}
