//! Every body under MPI: this program starts itself by each mpirun it finds, as three ranks.
//!
//! Looks for `mpirun`, `mpirun.openmpi` and `mpirun.mpich` (Debian's names) on the path. Without any it says so and tests
//! only what needs no MPI.

mod bodies;

use phasefront_comm::{LIBRARY_VARIABLE, Launcher, open};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Output};
use std::time::{Duration, Instant};

const RANKS: &str = "3";
/// The fewest that share a dense matrix by rows and columns.
const RANKS_OF_2D_GRID: &str = "9";

fn main() -> ExitCode {
    let argument = std::env::args().nth(1).unwrap_or_default();
    if let Some(role) = argument.strip_prefix("rank:") {
        return play(role);
    }
    supervise();
    ExitCode::SUCCESS
}

// ---------------------------------------------------------------- what a rank does

fn play(role: &str) -> ExitCode {
    if role == "absent" && Launcher::detect().is_some_and(|launcher| launcher.rank == Some(1)) {
        return refuse("planted: no library on this host alone");
    }
    // Dropped after the communicator.
    let _elsewhere = (role == "guest").then(Elsewhere::start);
    let comm = match open() {
        Ok(comm) => comm,
        Err(error) => return refuse(&format!("{error}\n{}", error.advice())),
    };
    match role {
        "abort" if comm.rank() == 1 => drop(comm.abort(3, "planted failure")),
        "abort together" => drop(comm.abort(3, "planted failure")),
        "panic" if comm.rank() == 1 => panic!("planted panic"),
        "killed" if comm.rank() == 1 => {
            Command::new("kill").args(["-KILL", &std::process::id().to_string()]).status().ok();
        }
        "abort" | "panic" | "killed" => drop(comm.barrier()),
        "dense" => bodies::dense::solve_together(&*comm)
            .unwrap_or_else(|error| drop(comm.abort(1, &error.to_string()))),
        _ => bodies::all(&*comm).unwrap_or_else(|error| drop(comm.abort(1, &error.to_string()))),
    }
    if comm.rank() == 0 {
        println!("passed: {}", comm.describe());
    }
    ExitCode::SUCCESS
}

/// As the program does it when `open` fails.
fn refuse(message: &str) -> ExitCode {
    eprintln!("{message}");
    if let Some(launcher) = Launcher::detect() {
        launcher.end_job(2);
    }
    ExitCode::from(2)
}

/// MPI as another library of the process starts it, and shuts it down: for calls from one thread at a time only.
struct Elsewhere(libloading::os::unix::Library);

impl Elsewhere {
    fn start() -> Self {
        type InitThread = unsafe extern "C" fn(usize, usize, i32, *mut i32) -> i32;
        const SERIALIZED: i32 = 2;
        let name = std::env::var_os(LIBRARY_VARIABLE).expect("the library is named");
        let flags = libloading::os::unix::RTLD_GLOBAL | libloading::os::unix::RTLD_NOW;
        let mut level = 0;
        // SAFETY: the signature is that of the standard, and the first two arguments may be null.
        unsafe {
            let library = libloading::os::unix::Library::open(Some(name), flags).expect("no MPI library");
            let init = library.get::<InitThread>(b"MPI_Init_thread").expect("every MPI has it");
            assert_eq!(init(0, 0, SERIALIZED, &raw mut level), 0);
            Self(library)
        }
    }
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        // SAFETY: as above; nobody uses MPI any more.
        unsafe { self.0.get::<unsafe extern "C" fn() -> i32>(b"MPI_Finalize").expect("every MPI has it")() };
    }
}

// ---------------------------------------------------------------- what the test does

/// An mpirun of this machine.
struct Mpirun {
    program: PathBuf,
    is_open_mpi: bool,
}

impl Mpirun {
    /// All that are on the path, each once.
    fn all() -> Vec<Self> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut found: Vec<(PathBuf, Self)> = Vec::new();
        for name in ["mpirun", "mpirun.openmpi", "mpirun.mpich"] {
            let program =
                std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file());
            let Some(program) = program else { continue };
            let real = program.canonicalize().unwrap_or_else(|_| program.clone());
            if found.iter().all(|(known, _)| *known != real) {
                let version = Command::new(&program).arg("--version").output().expect("it can be started");
                let version = String::from_utf8_lossy(&version.stdout).into_owned();
                let is_open_mpi = version.contains("Open MPI") || version.contains("OpenRTE");
                found.push((real, Self { program, is_open_mpi }));
            }
        }
        found.into_iter().map(|(_, mpirun)| mpirun).collect()
    }

    /// Runs this program in a role, and measures the time.
    fn run(&self, role: &str, library: Option<&str>) -> (Output, Duration) {
        let mut command = Command::new(&self.program);
        command.args(["-n", if role == "dense" { RANKS_OF_2D_GRID } else { RANKS }]);
        if self.is_open_mpi {
            command
                .arg("--oversubscribe")
                .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
                .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        }
        if let Some(library) = library {
            command.env(LIBRARY_VARIABLE, library);
        }
        let this = std::env::current_exe().expect("this program has a path");
        let started = Instant::now();
        let output = command.arg(this).arg(format!("rank:{role}")).output().expect("mpirun can be started");
        (output, started.elapsed())
    }

    /// A library that this launcher can start, by its common name; and one that it cannot.
    fn libraries(&self) -> (&'static str, &'static str) {
        if self.is_open_mpi { ("libmpi.so.40", "libmpich.so.12") } else { ("libmpich.so.12", "libmpi.so.40") }
    }
}

fn supervise() {
    without_a_launcher();
    launcher_without_library();
    let all = Mpirun::all();
    if all.is_empty() {
        println!(
            "SKIPPED: ranks under MPI: there is no mpirun (Debian: apt-get install openmpi-bin, or mpich)"
        );
    }
    for mpirun in all {
        println!("-- {}", mpirun.program.display());
        bodies_pass(&mpirun);
        // Nine ranks of MPICH, which keep their cores busy while they wait, take long on fewer cores.
        if mpirun.is_open_mpi {
            dense_systems_on_a_square_of_ranks(&mpirun);
        }
        failures_end_the_job(&mpirun);
        other_launchers_are_refused(&mpirun);
    }
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn without_a_launcher() {
    if Launcher::detect().is_some() {
        println!("SKIPPED: one process without a launcher: this test was itself started by one");
        return;
    }
    let comm = open().expect("one process needs no library");
    assert_eq!(comm.describe(), "one process");
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    assert!(!maps.contains("libmpi"), "no MPI is loaded without a launcher");
}

fn launcher_without_library() {
    let start = |library: &str| {
        let mut command = Command::new(std::env::current_exe().expect("this program has a path"));
        command
            .args(["rank:bodies"])
            .env("PMI_SIZE", "4")
            .env("PMI_RANK", "1")
            .env(LIBRARY_VARIABLE, library);
        command.output().expect("it can be started")
    };
    let refused = start("/there/is/no/libmpi.so");
    let message = text(&refused);
    assert_eq!(refused.status.code(), Some(2), "{message}");
    let expected = "mpiexec of MPICH or Intel MPI (rank 1 of 4) started this process, and no MPI library";
    assert!(message.starts_with(expected) && message.contains(LIBRARY_VARIABLE), "{message}");
    let refused = text(&start("libc.so.6"));
    assert!(refused.starts_with("libc.so.6 is no usable MPI library: it has no MPI_"), "{refused}");
    let alone = start("none");
    assert!(alone.status.success() && text(&alone).contains("passed: one process"), "{}", text(&alone));
}

fn bodies_pass(mpirun: &Mpirun) {
    // Beside some libraries there is a second one with the ABI of MPI 5.
    let standard = mpirun.program.with_file_name("../lib/libmpi_abi.so.1");
    let standard = standard.is_file().then(|| standard.display().to_string());
    for library in std::iter::once(None).chain(standard.as_deref().map(Some)) {
        let (output, took) = mpirun.run("bodies", library);
        let message = text(&output);
        assert!(
            output.status.success() && message.contains("passed: 3 ranks"),
            "{}\n{message}",
            output.status
        );
        println!("{} in {:.1} s", message.trim(), took.as_secs_f64());
    }
    let (own, _) = mpirun.libraries();
    let (output, _) = mpirun.run("guest", Some(own));
    let message = text(&output);
    if message.contains("no MPI library") {
        println!("SKIPPED: MPI started by another library of the process: there is no {own}");
    } else {
        assert!(
            output.status.success() && message.contains("passed: 3 ranks"),
            "{}\n{message}",
            output.status
        );
    }
}

fn dense_systems_on_a_square_of_ranks(mpirun: &Mpirun) {
    let (output, took) = mpirun.run("dense", None);
    let message = text(&output);
    println!("{} in {:.1} s", message.trim(), took.as_secs_f64());
    assert!(output.status.success() && message.contains("passed: 9 ranks"), "{}\n{message}", output.status);
    assert!(message.contains("on 3 x 3 ranks") || message.contains("SKIPPED: dense systems"), "{message}");
}

fn failures_end_the_job(mpirun: &Mpirun) {
    for (role, words, code) in [
        ("abort", "error: rank 1 on ", Some(3)),
        ("abort together", "error: rank 0 on ", Some(3)),
        ("panic", "planted panic", Some(1)),
        ("killed", "", None),
        ("absent", "planted: no library", Some(2)),
    ] {
        let (output, took) = mpirun.run(role, None);
        let message = text(&output);
        println!("{role}: {} after {:.2} s", output.status, took.as_secs_f64());
        assert!(!output.status.success() && message.contains(words), "{role}: {message}");
        assert!(code.is_none() || output.status.code() == code, "{role}: {}\n{message}", output.status);
        assert!(message.matches("error: rank").count() <= 1, "one message: {message}");
        assert!(took < Duration::from_secs(10), "{role}");
    }
}

/// Each process would believe to be alone, and all would write the same files.
fn other_launchers_are_refused(mpirun: &Mpirun) {
    let (_, other) = mpirun.libraries();
    let (output, took) = mpirun.run("bodies", Some(other));
    let message = text(&output);
    println!("{other}: {} after {:.2} s", output.status, took.as_secs_f64());
    if message.contains("no MPI library") {
        println!("SKIPPED: a library that does not know the launcher: there is no {other}");
        return;
    }
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("says that it is rank 0 of 1"), "{message}");
    assert!(message.contains("belongs to this library"), "{message}");
}
