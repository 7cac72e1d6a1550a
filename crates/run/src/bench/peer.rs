//! SciPy on the same work, in the same run: what a user would do without this program.

use super::mom::{CELLS_PER_WAVELENGTH, circle, stage_seconds};
use super::{Bench, lu_flops};
use crate::RunError;
use serde::Deserialize;
use std::f64::consts::TAU;
use std::process::Command;

/// Order of the matrix: some seconds of LU on a few cores.
const ORDER: usize = 4000;
const SCRIPT: &str = include_str!("peer.py");
const PYTHON: &str = "python3";
/// The thread counts of the libraries that SciPy may be built on.
const THREADS: [&str; 3] = ["OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"];

/// What the script prints.
#[derive(Debug, Deserialize)]
struct Peer {
    version: String,
    fill_s: f64,
    lu_s: f64,
}

/// Times SciPy with as many threads as rayon has, and ours beside it. Without SciPy, a note says how to get it.
pub(super) fn run(bench: &mut Bench<'_>) -> Result<(), RunError> {
    bench.progress.check()?;
    let around = ORDER as f64 / CELLS_PER_WAVELENGTH;
    let peer = match measure(PYTHON, ORDER, around) {
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

/// Runs the script; the reason if it cannot.
fn measure(python: &str, n: usize, around: f64) -> Result<Peer, String> {
    let mut command = Command::new(python);
    command.args(["-c", SCRIPT, &n.to_string(), &around.to_string()]);
    for name in THREADS {
        command.env(name, rayon::current_num_threads().to_string());
    }
    let output = command.output().map_err(|error| format!("{python}: {error}"))?;
    if !output.status.success() {
        // The last line of a traceback names the error.
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(text.trim_end().lines().last().unwrap_or("it failed without a word").to_owned());
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("{python} gave no figures: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_python_is_a_reason_and_no_error() {
        let reason = measure("there-is-no-such-python", 4, 1.0).unwrap_err();
        assert!(reason.starts_with("there-is-no-such-python: "), "{reason}");
    }

    #[test]
    fn scipy_gives_its_figures_where_it_is_installed() {
        match measure(PYTHON, 40, 2.0) {
            Ok(peer) => assert!(peer.version.starts_with("SciPy ") && peer.fill_s > 0.0 && peer.lu_s > 0.0),
            Err(reason) => assert!(reason.contains(PYTHON) || reason.contains("No module named"), "{reason}"),
        }
    }
}
