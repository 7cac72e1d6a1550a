//! Finds the MPI library that belongs to the launcher, and loads it.

use super::abi::is_open_mpi;
use super::functions::text;
use crate::error::{CommError, LIBRARY_VARIABLE, Result};
use crate::launcher::{Launcher, LauncherKind};
use std::ffi::{c_char, c_int};
use std::path::{Path, PathBuf};

/// A library that was found. It stays loaded until the process ends: MPI leaves handlers behind that run at exit.
pub struct Library {
    /// Its symbols.
    pub handle: &'static libloading::Library,
    /// The name that it was found under.
    pub file: String,
    /// Name and number: `Open MPI v4.1.4`, `MPICH Version 4.0.2`.
    pub version: String,
}

impl Library {
    /// Loads the library that the user named, or else the first one that fits the launcher.
    pub fn find(launcher: &Launcher) -> Result<Self> {
        let named = std::env::var_os(LIBRARY_VARIABLE).filter(|name| !name.is_empty()).map(PathBuf::from);
        let is_named = named.is_some();
        let candidates = named.map_or_else(|| candidates(launcher), |name| vec![name]);
        let (mut reasons, mut missing) = (Vec::new(), Vec::new());
        for path in candidates {
            let file = path.display().to_string();
            match load(&path, Scope::Local) {
                Ok(library) => {
                    let version = version(&library, &file)?;
                    // What the user names is tried; it is compared with the launcher when it has started.
                    if is_named || fits(launcher, &library, &version) {
                        let library = load(&path, Scope::Global);
                        let library = library.map_err(|error| unusable(&file, root_cause(&error)))?;
                        return Ok(Self { handle: Box::leak(Box::new(library)), file, version });
                    }
                    reasons.push(format!("{file} is {version}, for another launcher"));
                }
                Err(error) => match root_cause(&error) {
                    text if text.contains("No such file") => missing.push(file),
                    // A file that is there and cannot be loaded is the better explanation.
                    text => reasons.push(text),
                },
            }
        }
        let tried = format!("tried {}", missing.join(", "));
        let reason = if reasons.is_empty() { tried } else { reasons.join("; ") };
        Err(CommError::LibraryMissing { launcher: launcher.to_string(), reason })
    }
}

/// Whether the launcher may know the library. Both PMI and PMIx exist for srun, with either library.
fn fits(launcher: &Launcher, library: &libloading::Library, version: &str) -> bool {
    let is_open_mpi = is_open_mpi(library) || version.contains("Open MPI");
    match launcher.kind {
        LauncherKind::OpenMpi => is_open_mpi,
        LauncherKind::Hydra => !is_open_mpi,
        LauncherKind::Slurm | LauncherKind::Pmix => true,
    }
}

/// Name and number of the version, which libraries follow by details.
fn version(library: &libloading::Library, file: &str) -> Result<String> {
    type GetVersion = unsafe extern "C" fn(*mut c_char, *mut c_int) -> c_int;
    // SAFETY: the signature is that of the standard, without handles.
    let get_version = unsafe { library.get::<GetVersion>(b"MPI_Get_library_version") };
    let get_version = get_version.map_err(|_| unusable(file, "it has no MPI_Get_library_version".into()))?;
    let version = text(|bytes, length| {
        // SAFETY: the call is allowed before MPI is started; the text has room for the longest version.
        unsafe { get_version(bytes, length) }
    });
    let first = version.split([',', '\n']).next().unwrap_or_default();
    Ok(first.split([' ', '\t', ':']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" "))
}

fn unusable(file: &str, reason: String) -> CommError {
    CommError::LibraryUnusable { library: file.to_owned(), reason }
}

/// libloading keeps what the system said in the source of its error.
pub fn root_cause(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), root_cause)
}

/// Who sees the symbols of a library.
#[derive(Clone, Copy)]
pub enum Scope {
    /// Those who ask for them: two MPI libraries must not mix.
    Local,
    /// Every library that is loaded later: plugins of Open MPI look for its symbols there.
    Global,
}

#[cfg(unix)]
pub fn load(path: &Path, scope: Scope) -> std::result::Result<libloading::Library, libloading::Error> {
    use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_LOCAL, RTLD_NOW};
    let scope = match scope {
        Scope::Local => RTLD_LOCAL,
        Scope::Global => RTLD_GLOBAL,
    };
    // SAFETY: loading runs the initializers of an MPI library, which have no preconditions.
    unsafe { Library::open(Some(path), RTLD_NOW | scope) }.map(Into::into)
}

#[cfg(not(unix))]
pub fn load(path: &Path, _: Scope) -> std::result::Result<libloading::Library, libloading::Error> {
    // SAFETY: as above.
    unsafe { libloading::Library::new(path) }
}

/// Files to try, in order: for each group of names first beside the launcher, then where the system's loader looks.
fn candidates(launcher: &Launcher) -> Vec<PathBuf> {
    let folders = launcher_folders();
    let mut files = Vec::new();
    for group in names(launcher) {
        let beside = folders.iter().flat_map(|folder| group.iter().map(|name| folder.join(name)));
        files.extend(beside.filter(|path| path.is_file()));
        files.extend(group.iter().map(PathBuf::from));
    }
    files
}

/// Names of libraries that the launcher can start, in groups of equal rank.
fn names(launcher: &Launcher) -> Vec<Vec<String>> {
    let open_mpi = vec![file_name("mpi", "40")];
    // Debian calls MPICH's library by the name of the program.
    let mpich = vec![file_name("mpich", "12"), file_name("mpi", "12")];
    let standard = vec![file_name("mpi_abi", "1"), file_name("mpi_abi", "0"), file_name("mpi", "")];
    match (launcher.kind, launcher.has_pmix) {
        (LauncherKind::OpenMpi, _) => vec![open_mpi, standard],
        (LauncherKind::Hydra, _) => vec![mpich, standard],
        (LauncherKind::Slurm | LauncherKind::Pmix, true) => vec![open_mpi, mpich, standard],
        (LauncherKind::Slurm | LauncherKind::Pmix, false) => vec![mpich, open_mpi, standard],
    }
}

/// The name of a shared library, with its version if it has one.
pub fn file_name(stem: &str, version: &str) -> String {
    let dot = if version.is_empty() { "" } else { "." };
    if cfg!(target_os = "macos") {
        format!("lib{stem}{dot}{version}.dylib")
    } else {
        format!("lib{stem}.so{dot}{version}")
    }
}

/// The `lib` beside the `bin` of every mpirun on the path: environments of Python and conda, modules of clusters.
pub fn launcher_folders() -> Vec<PathBuf> {
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
        assert_eq!(names(LauncherKind::OpenMpi, true)[0], ["libmpi.so.40"]);
        assert_eq!(names(LauncherKind::Hydra, false)[0], ["libmpich.so.12", "libmpi.so.12"]);
        assert_eq!(names(LauncherKind::Slurm, true)[0], ["libmpi.so.40"]);
        assert_eq!(names(LauncherKind::Slurm, false)[0], ["libmpich.so.12", "libmpi.so.12"]);
        assert_eq!(names(LauncherKind::Pmix, true)[2].last().unwrap(), "libmpi.so");
    }
}
