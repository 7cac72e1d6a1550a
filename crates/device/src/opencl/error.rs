//! OpenCL status codes as typed errors.

use crate::DeviceError;
use opencl3::error_codes::ClError;

/// Maps an OpenCL code to a typed error of `call`.
pub(super) fn failed(call: &'static str) -> impl Fn(ClError) -> DeviceError {
    move |error| match error.0 {
        // CL_DEVICE_NOT_AVAILABLE, and NVIDIA's and Intel's code for a kernel that broke the context.
        -2 | -9999 => DeviceError::DeviceLost { call, reason: error.to_string() },
        code => DeviceError::Call { call, code: code.into(), reason: error.to_string() },
    }
}
