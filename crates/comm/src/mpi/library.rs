//! Finds the MPI library that belongs to the launcher, and loads it.

use crate::error::{CommError, LIBRARY_VARIABLE, Result};
use crate::launcher::{Launcher, LauncherKind};
use std::path::{Path, PathBuf};

/// A library that was found. It stays loaded until the process ends: MPI leaves handlers behind that run at exit.
pub struct Library {
    /// Its symbols.
    pub handle: &'static libloading::Library,
    /// The name that it was found under.
    pub file: String,
}

impl Library {
    /// Loads the library that the user named, or else the first one that fits the launcher.
    pub fn find(launcher: &Launcher) -> Result<Self> {
        let candidates = match std::env::var_os(LIBRARY_VARIABLE).filter(|name| !name.is_empty()) {
            Some(name) => vec![PathBuf::from(name)],
            None => candidates(launcher),
        };
        let mut reasons = Vec::new();
        for path in &candidates {
            match load(path) {
                Ok(library) => {
                    return Ok(Self {
                        handle: Box::leak(Box::new(library)),
                        file: path.display().to_string(),
                    });
                }
                Err(error) => reasons.push(root_cause(&error)),
            }
        }
        // A file that exists and cannot be loaded is the better explanation.
        let broken = reasons.iter().find(|reason| !reason.contains("No such file"));
        let reason = broken.cloned().unwrap_or_else(|| {
            let names: Vec<_> = candidates.iter().map(|path| path.display().to_string()).collect();
            format!("tried {}", names.join(", "))
        });
        Err(CommError::LibraryMissing { launcher: launcher.to_string(), reason })
    }
}

/// libloading keeps what the system said in the source of its error.
fn root_cause(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), root_cause)
}

#[cfg(unix)]
fn load(path: &Path) -> std::result::Result<libloading::Library, libloading::Error> {
    use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
    // Plugins of Open MPI look for its symbols in the global scope.
    // SAFETY: loading runs the initializers of an MPI library, which have no preconditions.
    unsafe { Library::open(Some(path), RTLD_NOW | RTLD_GLOBAL) }.map(Into::into)
}

#[cfg(not(unix))]
fn load(path: &Path) -> std::result::Result<libloading::Library, libloading::Error> {
    // SAFETY: as above.
    unsafe { libloading::Library::new(path) }
}

/// Files to try, in order: beside the launcher, then where the system's loader looks.
fn candidates(launcher: &Launcher) -> Vec<PathBuf> {
    let names = names(launcher);
    let folders = launcher_folders();
    let beside = folders.iter().flat_map(|folder| names.iter().map(|name| folder.join(name)));
    let beside = beside.filter(|path| path.is_file());
    beside.chain(names.iter().map(PathBuf::from)).collect()
}

/// Names of libraries that the launcher can start.
fn names(launcher: &Launcher) -> Vec<String> {
    let open_mpi = [file_name("mpi", "40")];
    // Debian calls MPICH's library by the name of the program.
    let mpich = [file_name("mpich", "12"), file_name("mpi", "12")];
    let standard = [file_name("mpi_abi", "1"), file_name("mpi_abi", "0"), file_name("mpi", "")];
    match (launcher.kind, launcher.has_pmix) {
        (LauncherKind::OpenMpi, _) => [&open_mpi[..], &standard].concat(),
        (LauncherKind::Hydra, _) => [&mpich[..], &standard].concat(),
        (LauncherKind::Slurm | LauncherKind::Pmix, true) => [&open_mpi[..], &mpich, &standard].concat(),
        (LauncherKind::Slurm | LauncherKind::Pmix, false) => [&mpich[..], &open_mpi, &standard].concat(),
    }
}

/// The name of a shared library, with its version if it has one.
fn file_name(stem: &str, version: &str) -> String {
    let dot = if version.is_empty() { "" } else { "." };
    if cfg!(target_os = "macos") {
        format!("lib{stem}{dot}{version}.dylib")
    } else {
        format!("lib{stem}.so{dot}{version}")
    }
}

/// The `lib` beside the `bin` of every mpirun on the path: environments of Python and conda, modules of clusters.
fn launcher_folders() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let programs =
        std::env::split_paths(&path).flat_map(|folder| ["mpirun", "mpiexec"].map(|name| folder.join(name)));
    let mut folders = Vec::new();
    for program in programs.filter(|program| program.is_file()) {
        let real = program.canonicalize();
        for program in std::iter::once(program).chain(real) {
            let Some(prefix) = program.parent().and_then(Path::parent) else { continue };
            let folder = prefix.join("lib");
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
    }
    folders
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn the_names_fit_the_launcher() {
        let names = |kind, has_pmix| names(&Launcher { kind, size: None, rank: None, has_pmix });
        assert_eq!(names(LauncherKind::OpenMpi, true)[0], "libmpi.so.40");
        assert_eq!(names(LauncherKind::Hydra, false)[..2], ["libmpich.so.12", "libmpi.so.12"]);
        assert_eq!(names(LauncherKind::Slurm, true)[0], "libmpi.so.40");
        assert_eq!(names(LauncherKind::Slurm, false)[0], "libmpich.so.12");
        assert_eq!(names(LauncherKind::Pmix, true).last().unwrap(), "libmpi.so");
    }
}
