//! Wrong names, missing devices and hidden libraries: each has its message, and nothing panics.

use phasefront_device::doctor::{State, findings};
use phasefront_device::{
    Arg, Cuda, DeviceChoice, DeviceError, DeviceKind, Gpu, Grid, KernelSource, Library, OpenCl, open,
};
use std::process::Command;

#[test]
fn every_device_name_reads_and_prints_back() {
    for (text, choice) in [
        ("auto", DeviceChoice::Auto),
        ("cpu", DeviceChoice::Cpu),
        ("cuda", DeviceChoice::Cuda(None)),
        ("cuda:0", DeviceChoice::Cuda(Some(0))),
        ("cuda:12", DeviceChoice::Cuda(Some(12))),
        ("opencl", DeviceChoice::OpenCl),
    ] {
        assert_eq!(text.parse(), Ok(choice));
        assert_eq!(choice.to_string(), text);
    }
}

#[test]
fn a_list_of_gpus_reads_and_prints_back() {
    for (text, indices) in [("cuda:0,1", vec![0, 1]), ("cuda:3,0,3", vec![3, 0, 3])] {
        let choice: DeviceChoice = text.parse().unwrap();
        assert_eq!(choice.to_string(), text);
        let DeviceChoice::Gpus(list) = choice else { panic!("{choice:?}") };
        assert_eq!(list.indices().collect::<Vec<_>>(), indices);
        // Ranks on a machine take them in turn.
        assert_eq!(choice.of_rank(1), Ok(DeviceChoice::Cuda(Some(indices[1]))));
        assert_eq!(choice.of_rank(indices.len()), Ok(DeviceChoice::Cuda(Some(indices[0]))));
    }
    assert_eq!(DeviceChoice::Cpu.of_rank(5), Ok(DeviceChoice::Cpu));
}

#[test]
fn a_wrong_device_name_says_what_is_allowed() {
    let many = format!("cuda:0{}", ",0".repeat(16));
    let single =
        ["", "gpu", "CUDA", "cuda:", "cuda:-1", "cuda:+1", "cuda:1x", "cuda:99999999999999999999", " cpu"];
    let lists = ["cuda:0,", "cuda:,1", "cuda:0,-1", "cuda:0,256", "cuda:0;1", many.as_str()];
    for text in single.into_iter().chain(lists) {
        let error = text.parse::<DeviceChoice>().unwrap_err();
        assert_eq!(error.to_string(), format!("unknown device \"{text}\""));
        let advice =
            "write auto, cpu, cuda, cuda:N (N counts the GPUs from 0), cuda:N,M for several, or opencl";
        assert_eq!(error.advice(), advice);
    }
}

#[test]
fn a_gpu_that_is_not_there_is_a_typed_error() {
    match Cuda::open(4096, false).err().expect("nobody has that many GPUs") {
        DeviceError::GpuIndex { index, count } => assert!(index == 4096 && count < 4096),
        DeviceError::LibraryMissing { library, .. } => assert_eq!(library, Library::Driver),
        DeviceError::NoGpu { .. } => {}
        other => panic!("{other}"),
    }
    let error = open(DeviceChoice::Cuda(Some(4096)), false).unwrap_err();
    assert!(!error.advice().is_empty());
}

#[test]
fn auto_always_opens_something_and_says_what() {
    let opened = open(DeviceChoice::Auto, false).unwrap();
    assert!(opened.reason.starts_with(&opened.backend.describe()), "{}", opened.reason);
    assert_ne!(opened.backend.kind(), DeviceKind::OpenCl, "auto never takes OpenCL");
}

#[test]
fn the_doctor_names_everything_once() {
    let found = findings();
    for what in ["CPU", "memory", "NVIDIA driver", "NVRTC", "cuFFT", "cuBLAS", "cuSOLVER"] {
        assert_eq!(found.iter().filter(|finding| finding.what == what).count(), 1, "{what}: {found:?}");
    }
    for finding in &found {
        assert!(!finding.detail.is_empty(), "{finding:?}");
        assert_eq!(finding.state == State::Found, finding.advice.is_empty(), "{finding:?}");
    }
}

/// Set in a process that a test started to run its body.
const CHILD: &str = "PHASEFRONT_TEST_CHILD";

/// Runs `body` in a process of its own without `libraries`: the test `name` starts itself again.
fn without(libraries: &str, name: &str, body: fn()) {
    if std::env::var_os(CHILD).is_some() {
        return body();
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(CHILD, "1")
        .env("PHASEFRONT_HIDE_LIBRARIES", libraries)
        .output()
        .unwrap();
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("1 passed"), "{text}");
}

#[test]
fn with_all_libraries_hidden_the_cpu_is_left() {
    let all = "cuda,nvrtc,cufft,cublas,cusolver,OpenCL";
    without(all, "with_all_libraries_hidden_the_cpu_is_left", child::nothing_but_the_cpu);
}

#[test]
fn a_hidden_library_of_the_toolkit_is_named() {
    for library in ["nvrtc", "cufft", "cublas", "cusolver"] {
        without(library, "a_hidden_library_of_the_toolkit_is_named", child::one_library_is_missing);
    }
}

#[test]
fn a_kernel_that_strays_loses_the_device_and_nothing_else() {
    const NAME: &str = "a_kernel_that_strays_loses_the_device_and_nothing_else";
    if let Err(error) = Cuda::open(0, false) {
        eprintln!("SKIPPED {NAME}: {error}");
        return;
    }
    // It spoils the GPU for the process it runs in.
    without("", NAME, child::a_kernel_strays);
}

/// What the tests above run in processes of their own.
mod child {
    use super::*;

    pub fn a_kernel_strays() {
        let gpu = Cuda::open(0, false).unwrap();
        let gpu: &dyn Gpu = &gpu;
        let text = "KERNEL stray(GLOBAL f64 *x, i64 at) { x[at] = 1.0; }";
        let program = gpu.compile(&KernelSource { name: "stray.cu", text }, &[]).unwrap();
        let buffer = gpu.alloc::<f64>(1).unwrap();
        let args = [(&buffer).into(), Arg::I64(1 << 44)];
        gpu.launch(&*program, "stray", Grid::cover(1, 1), &args).unwrap();
        for _ in 0..2 {
            let error = gpu.synchronize().unwrap_err();
            assert!(matches!(error, DeviceError::DeviceLost { .. }), "{error}");
        }
        let error = gpu.alloc::<f64>(1).err().expect("the GPU is lost");
        assert!(matches!(error, DeviceError::DeviceLost { .. }), "{error}");
    }

    pub fn nothing_but_the_cpu() {
        let error = Cuda::open(0, false).err().expect("hidden");
        assert!(matches!(error, DeviceError::LibraryMissing { library: Library::Driver, .. }), "{error}");
        assert!(error.advice().contains("--device cpu"), "{}", error.advice());
        let error = OpenCl::open().err().expect("hidden");
        assert!(matches!(error, DeviceError::LibraryMissing { library: Library::OpenCl, .. }), "{error}");
        let opened = open(DeviceChoice::Auto, false).unwrap();
        assert_eq!(opened.backend.kind(), DeviceKind::Cpu);
        assert!(opened.reason.contains("NVIDIA driver not found"), "{}", opened.reason);
        let missing = findings().into_iter().filter(|finding| finding.state == State::Missing);
        // Driver, GPU, four libraries, OpenCL.
        assert_eq!(missing.count(), 7, "{:?}", findings());
    }

    pub fn one_library_is_missing() {
        let hidden = std::env::var("PHASEFRONT_HIDE_LIBRARIES").unwrap();
        let library = Library::TOOLKIT.into_iter().find(|library| library.stem() == hidden).unwrap();
        let found = findings();
        let finding = found.iter().find(|finding| finding.what == library.to_string()).unwrap();
        assert_eq!(finding.state, State::Missing);
        assert!(
            finding.advice.contains(&format!("nvidia-{}", hidden.replace("nvrtc", "cuda-nvrtc"))),
            "{finding:?}"
        );
        // Where there is a GPU, auto names the library; where there is none, it names what comes first.
        let opened = open(DeviceChoice::Auto, false).unwrap();
        assert_eq!(opened.backend.kind(), DeviceKind::Cpu);
        if found.iter().any(|finding| finding.what == "GPU cuda:0") {
            assert!(opened.reason.contains(&format!("{library} not found")), "{}", opened.reason);
        }
    }
}
