//! Status codes of the CUDA driver as typed errors.

use crate::{DeviceError, Library, Result};
use cudarc::driver::DriverError;
use cudarc::driver::sys::CUresult;

/// `Ok` for success, else the typed error.
pub fn check(call: &'static str, status: CUresult) -> Result<()> {
    match status {
        CUresult::CUDA_SUCCESS => Ok(()),
        code => Err(driver_error(call, DriverError(code))),
    }
}

/// Maps a driver error code; codes after which the context is unusable become a lost device.
pub fn driver_error(call: &'static str, error: DriverError) -> DeviceError {
    use CUresult as R;
    match error.0 {
        R::CUDA_ERROR_OUT_OF_MEMORY => DeviceError::OutOfMemory { requested: 0, free: free_memory() },
        R::CUDA_ERROR_ILLEGAL_ADDRESS
        | R::CUDA_ERROR_LAUNCH_FAILED
        | R::CUDA_ERROR_LAUNCH_TIMEOUT
        | R::CUDA_ERROR_ECC_UNCORRECTABLE
        | R::CUDA_ERROR_NVLINK_UNCORRECTABLE
        | R::CUDA_ERROR_HARDWARE_STACK_ERROR
        | R::CUDA_ERROR_ILLEGAL_INSTRUCTION
        | R::CUDA_ERROR_MISALIGNED_ADDRESS
        | R::CUDA_ERROR_INVALID_ADDRESS_SPACE
        | R::CUDA_ERROR_INVALID_PC
        | R::CUDA_ERROR_ASSERT
        | R::CUDA_ERROR_CONTEXT_IS_DESTROYED
        | R::CUDA_ERROR_DEVICE_UNAVAILABLE
        | R::CUDA_ERROR_CONTAINED
        | R::CUDA_ERROR_EXTERNAL_DEVICE
        | R::CUDA_ERROR_UNKNOWN => DeviceError::DeviceLost { call, reason: reason(error.0) },
        R::CUDA_ERROR_NO_BINARY_FOR_GPU
        | R::CUDA_ERROR_UNSUPPORTED_PTX_VERSION
        | R::CUDA_ERROR_INVALID_IMAGE => {
            DeviceError::LibraryVersion { library: Library::Nvrtc, reason: reason(error.0) }
        }
        code => DeviceError::Call { call, code: code as i64, reason: reason(code) },
    }
}

fn free_memory() -> u64 {
    cudarc::driver::result::mem_get_info().map_or(0, |(free, _)| free as u64)
}

/// What the driver says of an error code.
pub fn reason(code: CUresult) -> String {
    let error = DriverError(code);
    error.error_string().map_or_else(|_| format!("{code:?}"), |text| text.to_string_lossy().into_owned())
}
