//! Gmsh, which meshes drawings as a separate program. Meshes are kept by the content of the script.

use crate::input::{InputFolder, digest, read_limited};
use phasefront_core::FieldError;
use phasefront_report::replace_file;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Where Gmsh is, if not on the path.
const PROGRAM: &str = "PHASEFRONT_GMSH";
/// Where meshes are kept, if not in the user's cache.
const CACHE: &str = "PHASEFRONT_MESHES";
/// Names of the script and the mesh in the folder that Gmsh works in.
const SCRIPT: &str = "model.geo";
pub(super) const MESH: &str = "model.msh";
/// Largest mesh that is read.
const MAX_BYTES: u64 = 4 << 30;
/// Version that the scripts are tried with, and that has all they need.
const OLDEST: [u32; 2] = [4, 8];
const INSTALL: &str =
    "install it with `pip install gmsh` or `apt install gmsh`, or set PHASEFRONT_GMSH to the program";

/// What `read` makes of the mesh that Gmsh makes of a script. Errors of Gmsh are at `path` of the case.
pub(super) fn mesh<T>(
    script: &str,
    inputs: &InputFolder,
    path: &str,
    read: impl Fn(&[u8]) -> Result<T, FieldError>,
) -> Result<T, FieldError> {
    let kept = cache().map(|folder| folder.join(format!("{}.msh", digest(script.as_bytes()))));
    let found = kept.as_deref().and_then(|file| read_limited(file, MAX_BYTES).ok());
    // A file that was damaged is made anew.
    let found = found.and_then(|bytes| Some((read(&bytes).ok()?, bytes)));
    let (mesh, bytes) = if let Some(found) = found {
        found
    } else {
        let bytes = run(script, path)?;
        let mesh = read(&bytes)?;
        if let Some(file) = &kept {
            keep(file, &bytes);
        }
        (mesh, bytes)
    };
    // Another version of Gmsh may make another mesh: work of one is not resumed with the other.
    inputs.add("the mesh made by Gmsh", &bytes);
    Ok(mesh)
}

/// `$PHASEFRONT_MESHES`, `$XDG_CACHE_HOME/phasefront/meshes` or `~/.cache/phasefront/meshes`.
fn cache() -> Option<PathBuf> {
    let path = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    path(CACHE).or_else(|| {
        let base = path("XDG_CACHE_HOME").or_else(|| Some(path("HOME")?.join(".cache")))?;
        Some(base.join("phasefront").join("meshes"))
    })
}

/// Keeps a mesh. Only saves time: an error is none of the user's.
fn keep(file: &Path, bytes: &[u8]) {
    let made = file.parent().map_or(Ok(()), std::fs::create_dir_all);
    if made.is_ok() {
        let _ = replace_file(file, bytes);
    }
}

fn run(script: &str, path: &str) -> Result<Vec<u8>, FieldError> {
    let program =
        std::env::var_os(PROGRAM).filter(|value| !value.is_empty()).map_or("gmsh".into(), PathBuf::from);
    let wrong = |message: String, advice: &str| FieldError::new(path, message, advice);
    check_version(&program, path)?;
    let folder = tempfile::tempdir().map_err(|error| {
        wrong(
            format!("no temporary folder can be made: {error}"),
            "set TMPDIR to a folder that can be written",
        )
    })?;
    std::fs::write(folder.path().join(SCRIPT), script).map_err(|error| {
        wrong(format!("the script cannot be written: {error}"), "free some space for temporary files")
    })?;
    let output = call(&program, folder.path(), &[SCRIPT, "-"])
        .map_err(|error| wrong(format!("Gmsh cannot be run: {error}"), INSTALL))?;
    let text =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    let complaint = text.lines().find_map(|line| line.trim().strip_prefix("Error   :")).map(str::trim);
    let mesh = read_limited(&folder.path().join(MESH), MAX_BYTES);
    match (complaint, mesh) {
        (None, Ok(bytes)) if output.status.success() => Ok(bytes),
        (complaint, _) => {
            let reason = complaint.map_or_else(|| format!("it ended with {}", output.status), str::to_owned);
            Err(wrong(
                format!("Gmsh cannot mesh the model: {reason}"),
                "look for solids and sheets that touch in a single line or point, or are thinner than their elements; move them apart, or give \
                 `cell_size` and `edge_size`",
            ))
        }
    }
}

/// Refuses a program that is not there, or too old.
fn check_version(program: &Path, path: &str) -> Result<(), FieldError> {
    let missing = |why: String| {
        FieldError::new(
            path,
            format!("solids and sheets are meshed by Gmsh, and {} {why}", program.display()),
            INSTALL,
        )
    };
    let output = call(program, Path::new("."), &["--version"]).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => missing("is not there".into()),
        _ => missing(format!("cannot be run: {error}")),
    })?;
    let text =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    let version = text.lines().find_map(|line| {
        let mut numbers = line.trim().split('.').map(|number| number.parse::<u32>().ok());
        Some([numbers.next()??, numbers.next()??])
    });
    match version {
        Some(version) if version >= OLDEST => Ok(()),
        Some([major, minor]) => {
            Err(missing(format!("is version {major}.{minor}: version {}.{} is needed", OLDEST[0], OLDEST[1])))
        }
        None => {
            let reason =
                text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().to_owned();
            Err(missing(format!("does not tell its version: {reason}")))
        }
    }
}

fn call(program: &Path, folder: &Path, arguments: &[&str]) -> std::io::Result<Output> {
    Command::new(program).args(arguments).current_dir(folder).stdin(Stdio::null()).output()
}
