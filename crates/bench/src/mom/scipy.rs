//! SciPy on the same work, in the same run: the alternative available to a user.

use super::setup::{CELLS_PER_WAVELENGTH, circle, stage_seconds};
use crate::error::BenchError;
use crate::harness::{Bench, lu_flops};
use crate::python::{self, PYTHON};
use serde::Deserialize;
use std::f64::consts::TAU;

/// Order of the matrix: some seconds of LU on a few cores.
const ORDER: usize = 4000;
const SCRIPT: &str = include_str!("scipy.py");
/// The output of the script.
#[derive(Debug, Deserialize)]
struct Peer {
    version: String,
    fill_s: f64,
    lu_s: f64,
}

/// Times SciPy with as many threads as rayon, and ours. Without SciPy, a note explains how to
/// install it.
pub(super) fn run(bench: &mut Bench<'_>) -> Result<(), BenchError> {
    bench.progress.check()?;
    let around = ORDER as f64 / CELLS_PER_WAVELENGTH;
    let peer = match measure(ORDER, around) {
        Ok(peer) => peer,
        Err(reason) => {
            bench.progress.note(&format!(
                "no comparison with SciPy: {reason}; `pip install scipy` into the {PYTHON} of the PATH"
            ));
            return Ok(());
        }
    };
    let threads = rayon::current_num_threads();
    bench.progress.note(&format!("compared with {}, threads: {threads}", peer.version));
    let ours = stage_seconds(bench, &circle(ORDER, around / TAU, vec![0.0])?)?;
    let (entries, flops) = ((ORDER as f64).powi(2), lu_flops(ORDER));
    let device = bench.backend.name();
    for (name, theirs, ours, work) in [
        ("fill", peer.fill_s, ours["fill"], (entries, "entries/s")),
        ("lu", peer.lu_s, ours["factor"], (flops, "flop/s")),
    ] {
        bench.report_beside(format!("scipy {name} N={ORDER}"), "cpu", theirs, work, Some((ours, "ours")));
        bench.report_beside(format!("ours {name} N={ORDER}"), device, ours, work, Some((theirs, "scipy")));
    }
    Ok(())
}

fn measure(n: usize, around: f64) -> Result<Peer, String> {
    python::run(PYTHON, SCRIPT, &[n.to_string(), around.to_string()], rayon::current_num_threads(), &[])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scipy_gives_its_figures_where_it_is_installed() {
        match measure(40, 2.0) {
            Ok(peer) => assert!(peer.version.starts_with("SciPy ") && peer.fill_s > 0.0 && peer.lu_s > 0.0),
            Err(reason) => assert!(reason.contains(PYTHON) || reason.contains("No module named"), "{reason}"),
        }
    }
}
