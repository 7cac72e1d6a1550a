//! One test body, every device.
//!
//! ```
//! phasefront_device::for_each_device! {
//!     fn memory_is_known(backend: &phasefront_device::Backend) {
//!         assert!(backend.memory().unwrap().total > 0);
//!     }
//! }
//! # fn main() {}
//! ```
//!
//! makes the tests `memory_is_known::cpu`, `::opencl` and `::cuda`. `PHASEFRONT_DEVICES=cpu,opencl` names devices
//! that must be present: if one is missing, its tests fail. A device that is not named is tested if it can be
//! opened, and skipped with a message if not.

use crate::cuda::nvrtc::Nvrtc;
use crate::{Backend, DeviceChoice, KernelSource, Result, open};
use std::sync::OnceLock;

/// The architectures every kernel must compile for: Ampere, Hopper and Blackwell.
pub const ARCHITECTURES: [i32; 3] = [80, 90, 120];

/// Makes a module of tests, one per device, out of `fn name(backend: &Backend) { ... }`.
#[macro_export]
macro_rules! for_each_device {
    ($($tests:tt)*) => {
        $crate::tests_on! {
            [
                cpu = $crate::DeviceChoice::Cpu,
                opencl = $crate::DeviceChoice::OpenCl,
                cuda = $crate::DeviceChoice::Cuda(None)
            ]
            $($tests)*
        }
    };
}

/// The same for tests of GPU code, and for those that compare a device with the CPU, which would compare the CPU with itself.
#[macro_export]
macro_rules! for_each_gpu {
    ($($tests:tt)*) => {
        $crate::tests_on! {
            [opencl = $crate::DeviceChoice::OpenCl, cuda = $crate::DeviceChoice::Cuda(None)]
            $($tests)*
        }
    };
}

/// A module of tests for each function, with one for each of the devices.
#[doc(hidden)]
#[macro_export]
macro_rules! tests_on {
    (@each $name:ident [$($device:ident = $choice:expr),*]) => {$(
        #[test]
        fn $device() {
            $crate::testing::on_device(stringify!($name), $choice, body);
        }
    )*};
    ($devices:tt $($(#[$attribute:meta])* fn $name:ident($backend:ident: $kind:ty) $body:block)*) => {$(
        $(#[$attribute])*
        mod $name {
            #[allow(unused_imports)]
            use super::*;

            fn body($backend: $kind) $body

            $crate::tests_on! { @each $name $devices }
        }
    )*};
}

/// The device, opened once per process.
pub fn shared(choice: DeviceChoice) -> &'static Result<Backend> {
    static OPENED: [OnceLock<Result<Backend>>; 3] = [const { OnceLock::new() }; 3];
    let slot = match choice {
        DeviceChoice::Cpu | DeviceChoice::Auto => 0,
        DeviceChoice::OpenCl => 1,
        DeviceChoice::Cuda(_) | DeviceChoice::Gpus(_) => 2,
    };
    // Deterministic, so that tests may compare bit for bit.
    OPENED[slot].get_or_init(|| open(choice, true).map(|opened| opened.backend))
}

/// Runs `body` on the device, skips it with a message, or fails because a device that was named is missing.
///
/// # Panics
/// If `body` does, or if the device is named in `PHASEFRONT_DEVICES` and cannot be opened.
pub fn on_device(name: &str, choice: DeviceChoice, body: impl FnOnce(&Backend)) {
    let named = std::env::var("PHASEFRONT_DEVICES").is_ok_and(|devices| is_named(&devices, choice));
    match shared(choice) {
        Ok(backend) => body(backend),
        Err(error) if named => {
            panic!("{name}: {choice} is named in PHASEFRONT_DEVICES, but {error}; {}", error.advice())
        }
        Err(error) => say(&format!("SKIPPED {name} on {choice}: {error}")),
    }
}

/// Prints past the test harness, which captures the output of passing tests.
fn say(text: &str) {
    use std::io::Write;
    // A closed standard error is no reason for a test to fail.
    let _ = writeln!(std::io::stderr(), "{text}");
}

fn is_named(devices: &str, choice: DeviceChoice) -> bool {
    devices.split(',').any(|device| device.trim() == choice.to_string())
}

/// Compiles `source` with NVRTC for every one of [`ARCHITECTURES`], without a GPU.
///
/// # Panics
/// As [`compile_for`].
pub fn compile_for_all_architectures(source: &KernelSource, defines: &[(&str, &str)]) {
    compile_for(&ARCHITECTURES, source, defines);
}

/// Compiles `source` with NVRTC for these architectures, without a GPU: for sources with many variants, all of which compile for one
/// and some for all. Skipped with a message where there is no NVRTC (or none that knows the architecture), unless
/// `PHASEFRONT_REQUIRE_NVRTC=1`.
///
/// # Panics
/// If it does not compile.
pub fn compile_for(architectures: &[i32], source: &KernelSource, defines: &[(&str, &str)]) {
    let required = std::env::var("PHASEFRONT_REQUIRE_NVRTC").is_ok_and(|value| value == "1");
    let skip = |what: String| {
        assert!(!required, "PHASEFRONT_REQUIRE_NVRTC=1, but {what}");
        say(&format!("SKIPPED compiling {}: {what}", source.name));
    };
    let nvrtc = match Nvrtc::load() {
        Ok(nvrtc) => nvrtc,
        Err(error) => return skip(error.to_string()),
    };
    for &architecture in architectures {
        if !nvrtc.architectures.contains(&architecture) {
            skip(format!("NVRTC {:?} does not know sm_{architecture}", nvrtc.version));
            continue;
        }
        match nvrtc.compile(source, defines, architecture) {
            // Machine code of a GPU is an ELF file.
            Ok(cubin) => assert!(cubin.starts_with(b"\x7fELF"), "{}: not a CUBIN", source.name),
            Err(error) => panic!("sm_{architecture}: {error}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_named_by_their_command_line_names() {
        assert!(is_named("cpu, opencl", DeviceChoice::OpenCl));
        assert!(is_named("cuda", DeviceChoice::Cuda(None)));
        assert!(!is_named("cpu,opencl", DeviceChoice::Cuda(None)));
        assert!(!is_named("", DeviceChoice::Cpu));
    }
}
