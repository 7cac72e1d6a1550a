//! NVRTC: kernel text to the machine code (CUBIN) of one architecture. Needs no GPU.

use super::probe;
use crate::kernel::full_text;
use crate::{DeviceError, KernelSource, Library, Result};
use cudarc::nvrtc::sys;
use std::ffi::{CStr, CString};

/// The options of every compilation beside the architecture; part of the cache key.
pub const OPTIONS: &[&str] = &["--std=c++17"];

/// The run-time compiler.
#[derive(Debug, Clone)]
pub struct Nvrtc {
    /// Its CUDA version.
    pub version: (i32, i32),
    /// The architectures it compiles for: 90 for sm_90.
    pub architectures: Vec<i32>,
}

impl Nvrtc {
    /// Loads the library and asks what it can do.
    pub fn load() -> Result<Self> {
        probe::load(Library::Nvrtc)?;
        let (mut version, mut count) = ((0, 0), 0);
        // SAFETY: the library and its symbols were probed; all pointers are to live locals, and the list has the
        // length the library requested.
        unsafe {
            check("nvrtcVersion", sys::nvrtcVersion(&raw mut version.0, &raw mut version.1))?;
            check("nvrtcGetNumSupportedArchs", sys::nvrtcGetNumSupportedArchs(&raw mut count))?;
            let mut architectures = vec![0; count.max(0) as usize];
            check("nvrtcGetSupportedArchs", sys::nvrtcGetSupportedArchs(architectures.as_mut_ptr()))?;
            Ok(Self { version, architectures })
        }
    }

    /// The architecture to compile for on a GPU of compute capability `major.minor`: machine code runs on the
    /// same major version from its own minor version up.
    pub fn architecture_for(&self, (major, minor): (i32, i32)) -> Result<i32> {
        let fits = |arch: &&i32| *arch / 10 == major && *arch % 10 <= minor;
        self.architectures.iter().filter(fits).max().copied().ok_or_else(|| {
            let (a, b) = self.version;
            DeviceError::LibraryVersion {
                library: Library::Nvrtc,
                reason: format!("version {a}.{b} does not compile for the GPU's sm_{major}{minor}"),
            }
        })
    }

    /// Machine code of `source` for sm_`architecture`, one of [`Nvrtc::architectures`].
    pub fn compile(
        &self,
        source: &KernelSource,
        defines: &[(&str, &str)],
        architecture: i32,
    ) -> Result<Vec<u8>> {
        debug_assert!(self.architectures.contains(&architecture));
        let fails = |log: String| DeviceError::KernelCompile { file: source.name.into(), log };
        let c_string =
            |text: &str| CString::new(text).map_err(|_| fails("the text holds a zero byte".into()));
        let text = c_string(&full_text(source, defines))?;
        let name = c_string(source.name)?;
        let options = std::iter::once(format!("--gpu-architecture=sm_{architecture}"))
            .chain(OPTIONS.iter().map(|&option| option.to_owned()))
            .map(|option| c_string(&option))
            .collect::<Result<Vec<_>>>()?;
        let program = Program::new(&text, &name)?;
        let pointers: Vec<_> = options.iter().map(|option| option.as_ptr()).collect();
        // SAFETY: the program is alive and the options are terminated strings that outlive the call.
        let status = unsafe { sys::nvrtcCompileProgram(program.0, pointers.len() as i32, pointers.as_ptr()) };
        match status {
            sys::nvrtcResult::NVRTC_ERROR_COMPILATION => Err(fails(program.log()?)),
            status => {
                check("nvrtcCompileProgram", status)?;
                program.cubin()
            }
        }
    }
}

/// A program of NVRTC, destroyed when dropped.
struct Program(sys::nvrtcProgram);

impl Program {
    fn new(text: &CStr, name: &CStr) -> Result<Self> {
        let mut program = std::ptr::null_mut();
        // SAFETY: both strings are terminated, there are no headers, and NVRTC copies what it keeps.
        let status = unsafe {
            sys::nvrtcCreateProgram(
                &raw mut program,
                text.as_ptr(),
                name.as_ptr(),
                0,
                std::ptr::null(),
                std::ptr::null(),
            )
        };
        check("nvrtcCreateProgram", status)?;
        Ok(Self(program))
    }

    fn log(&self) -> Result<String> {
        let mut size = 0;
        // SAFETY: the program is alive, and the buffer has the size NVRTC requested.
        let bytes = unsafe {
            check("nvrtcGetProgramLogSize", sys::nvrtcGetProgramLogSize(self.0, &raw mut size))?;
            let mut bytes = vec![0_u8; size];
            check("nvrtcGetProgramLog", sys::nvrtcGetProgramLog(self.0, bytes.as_mut_ptr().cast()))?;
            bytes
        };
        Ok(String::from_utf8_lossy(&bytes).trim_end_matches('\0').trim_end().to_owned())
    }

    fn cubin(&self) -> Result<Vec<u8>> {
        let mut size = 0;
        // SAFETY: as above.
        unsafe {
            check("nvrtcGetCUBINSize", sys::nvrtcGetCUBINSize(self.0, &raw mut size))?;
            let mut bytes = vec![0_u8; size];
            check("nvrtcGetCUBIN", sys::nvrtcGetCUBIN(self.0, bytes.as_mut_ptr().cast()))?;
            Ok(bytes)
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: the program was created by NVRTC and is destroyed once.
        let _ = unsafe { sys::nvrtcDestroyProgram(&raw mut self.0) };
    }
}

fn check(call: &'static str, status: sys::nvrtcResult) -> Result<()> {
    if status == sys::nvrtcResult::NVRTC_SUCCESS {
        return Ok(());
    }
    // SAFETY: NVRTC returns a static string for every status.
    let reason = unsafe { CStr::from_ptr(sys::nvrtcGetErrorString(status)) };
    Err(DeviceError::Call { call, code: status as i64, reason: reason.to_string_lossy().into_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picks_the_newest_machine_code_the_gpu_runs() {
        let nvrtc = Nvrtc { version: (12, 4), architectures: vec![75, 80, 86, 89, 90] };
        assert_eq!(nvrtc.architecture_for((9, 0)), Ok(90));
        assert_eq!(nvrtc.architecture_for((8, 7)), Ok(86));
        let error = nvrtc.architecture_for((12, 0)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "NVRTC is incompatible: version 12.4 does not compile for the GPU's sm_120"
        );
    }
}
