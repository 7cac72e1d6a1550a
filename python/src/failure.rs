//! Converts failures to Python exceptions, with the messages of the command line.

use phasefront_cli::Failure;
use phasefront_core::units::bytes_text;
use phasefront_core::{FieldError, Interrupted};
use phasefront_device::{Backend, DeviceError};
use phasefront_mesh::MeshError;
use phasefront_mom::MomError;
use phasefront_nah::NahError;
use phasefront_nufft::NufftError;
use phasefront_run::{Kind, MEMORY_SHARE, RunError};
use phasefront_sbr::SbrError;
use pyo3::prelude::*;

/// The exception for a failure; `phasefront.errors` selects its class.
pub fn exception(py: Python<'_>, failure: &Failure) -> PyErr {
    let make = || -> PyResult<PyErr> {
        let details = failure.json()["error"].to_string();
        let made = py.import("phasefront.errors")?.call_method1("made", (failure.to_string(), details))?;
        Ok(PyErr::from_value(made))
    };
    make().unwrap_or_else(|error| error)
}

/// Whether the user stopped it.
pub fn is_interrupted(failure: &Failure) -> bool {
    failure.kind() == Kind::Interrupted
}

/// An invalid argument. The field path of the case file is dropped, since there is no case file.
pub fn argument(error: FieldError) -> Failure {
    Failure::input(error.message, Some(error.advice))
}

/// An invalid mesh or outline.
pub fn mesh(error: &MeshError) -> Failure {
    Failure::input(error.to_string(), Some(error.advice()))
}

fn device(error: DeviceError) -> Failure {
    RunError::Device(error).into()
}

fn interrupted(error: Interrupted) -> Failure {
    RunError::Interrupted(error).into()
}

/// Opens the requested device.
pub fn open(choice: &str, deterministic: bool) -> Result<Backend, Failure> {
    let choice = choice.parse().map_err(device)?;
    Ok(phasefront_device::open(choice, deterministic).map_err(device)?.backend)
}

/// A device of another process.
pub fn forked() -> Failure {
    device(DeviceError::Forked)
}

/// Rejects problems that exceed the free memory: running out of it would end the Python process.
pub fn check_memory(needed: u64, backend: &Backend, advice: &str) -> Result<(), Failure> {
    let free = backend.memory().map_err(device)?.free;
    if needed as f64 <= MEMORY_SHARE * free as f64 {
        return Ok(());
    }
    let [needed, free] = [needed, free].map(bytes_text);
    Err(Failure::input(format!("this needs {needed} of memory, and {free} are free"), Some(advice.into())))
}

pub fn mom(error: MomError) -> Failure {
    let advice = error.advice();
    match error {
        MomError::Invalid(error) => argument(error),
        MomError::Device(error) => device(error),
        MomError::Interrupted(error) => interrupted(error),
        MomError::Comm(error) => RunError::Comm(error).into(),
        MomError::GpuOnRanks | MomError::MixedDevices => Failure::input(error.to_string(), advice),
        MomError::NotConverged { .. } | MomError::Checkpoint(_) => {
            RunError::NotConverged { message: error.to_string(), advice, on_all_ranks: false }.into()
        }
    }
}

pub fn sbr(error: SbrError) -> Failure {
    let advice = error.advice();
    match error {
        SbrError::Invalid(error) => argument(error),
        SbrError::Device(error) => device(error),
        SbrError::Interrupted(error) => interrupted(error),
        SbrError::BeamsDoNotFit { .. } => Failure::input(error.to_string(), advice),
    }
}

pub fn nah(error: NahError) -> Failure {
    match error {
        NahError::Invalid(error) => argument(error),
        NahError::Device(error) => device(error),
        NahError::Interrupted(error) => interrupted(error),
    }
}

pub fn nufft(error: NufftError) -> Failure {
    match error {
        NufftError::Device(error) => device(error),
        other => Failure::input(other.to_string(), Some(other.advice())),
    }
}
