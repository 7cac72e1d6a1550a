//! Other programs, timed by a Python script in a separate process.

use serde::de::DeserializeOwned;
use std::io::Write;
use std::process::{Command, Stdio};

/// The Python of the PATH.
pub(crate) const PYTHON: &str = "python3";
/// Environment variables for the thread counts of numerical libraries.
const THREADS: [&str; 3] = ["OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"];

/// Runs a script with `input` on its standard input and parses the JSON it prints; on failure, the
/// reason.
pub(crate) fn run<T: DeserializeOwned>(
    python: &str,
    script: &str,
    arguments: &[String],
    threads: usize,
    input: &[&[u8]],
) -> Result<T, String> {
    let mut command = Command::new(python);
    command.args(["-c", script]).args(arguments);
    for name in THREADS {
        command.env(name, threads.to_string());
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("{python}: {error}"))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A script that ends early closes the pipe; its own error is reported below.
        let _ = input.iter().try_for_each(|part| stdin.write_all(part));
    }
    let output = child.wait_with_output().map_err(|error| format!("{python}: {error}"))?;
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
        let reason = run::<f64>("there-is-no-such-python", "", &[], 1, &[]).unwrap_err();
        assert!(reason.starts_with("there-is-no-such-python: "), "{reason}");
    }
}
