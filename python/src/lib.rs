//! `phasefront._native`: the native part of the Python package.
//!
//! One file per task; `work.rs` is common to all: it runs the work in a separate thread, while the
//! Python thread handles progress and Ctrl-C.

#![deny(missing_docs)]
// Functions are called from Python: arguments are passed by value, and keyword arguments make long
// lists with flags.
#![allow(clippy::needless_pass_by_value, clippy::too_many_arguments, clippy::fn_params_excessive_bools)]

mod arrays;
mod echo_width;
mod failure;
mod holography;
mod nufft;
mod pool;
mod rcs;
mod run;
mod work;

use pyo3::prelude::*;

/// What the package takes from Rust.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::echo_width::echo_width;
    #[pymodule_export]
    use crate::holography::holography;
    #[pymodule_export]
    use crate::nufft::NufftPlan;
    #[pymodule_export]
    use crate::rcs::rcs;
    #[pymodule_export]
    use crate::run::{check, resume, run, schema, template};

    use crate::{failure, pool};
    use pyo3::prelude::*;
    use std::ffi::OsString;
    use std::process::ExitCode;

    /// The whole command line, with the name of the program first; gives back the exit code.
    #[pyfunction]
    fn main(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<Option<u8>> {
        let run = || pool::pooled(None, || Ok(phasefront_cli::main(&arguments)));
        let code = py.detach(run).map_err(|failure| failure::exception(py, &failure))?;
        // `ExitCode` does not expose its number: find it by comparison.
        Ok((0..=u8::MAX).find(|number| ExitCode::from(*number) == code))
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        pool::imported();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
