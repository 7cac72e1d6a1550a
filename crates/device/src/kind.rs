//! The kinds of device a solver runs on.

use std::fmt;

/// The programming interface of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DeviceKind {
    /// The host.
    Cpu,
    /// An NVIDIA GPU.
    Cuda,
    /// An OpenCL device.
    OpenCl,
}

impl DeviceKind {
    /// Its name on the command line: `cpu`, `cuda` or `opencl`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Cuda => "cuda",
            Self::OpenCl => "opencl",
        }
    }
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
