//! Models that Gmsh meshes, where Gmsh is missing, old or fails.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

const CASE: &str = r#"version = 1
solver = "dgtd"
name = "ball"

[geometry]
solids = [{ name = "ball", shape = "sphere", center = [0, 0, 0], radius = "1 m" }]
boundaries = { ball = "pec" }

[source]
frequency = "100 MHz"
plane_wave = { theta = "0 deg", phi = "0 deg", polarization = "theta" }

[output]
rcs = { theta = "180 deg", phi = "0 deg" }
"#;

fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("case.toml"), CASE).unwrap();
    folder
}

/// Runs the case with a Gmsh of the test's; nothing is kept from before.
fn run_with(folder: &Path, gmsh: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_phasefront"))
        .current_dir(folder)
        .args(["run", "case.toml", "--device", "cpu", "--threads", "1"])
        .env("PHASEFRONT_GMSH", gmsh)
        .env("PHASEFRONT_MESHES", folder.join("meshes"))
        .output()
        .expect("the program starts")
}

/// A program that acts as Gmsh.
fn program(folder: &Path, script: &str) -> String {
    let path = folder.join("gmsh");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().expect("UTF-8").to_owned()
}

fn refused(output: &Output, folder: &Path) -> String {
    let text = String::from_utf8(output.stderr.clone()).expect("UTF-8");
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(!folder.join("results").exists(), "nothing is written");
    assert!(text.contains("error: geometry.solids: ") && text.contains("help: "), "{text}");
    text
}

#[test]
fn gmsh_is_missing() {
    let folder = folder();
    let text = refused(&run_with(folder.path(), "/nowhere/gmsh"), folder.path());
    assert!(text.contains("/nowhere/gmsh is not there") && text.contains("pip install gmsh"), "{text}");
}

#[test]
fn gmsh_is_too_old_or_something_else() {
    let folder = folder();
    let old = program(folder.path(), "echo 4.4.1 >&2");
    let text = refused(&run_with(folder.path(), &old), folder.path());
    assert!(text.contains("is version 4.4: version 4.8 is needed"), "{text}");
    let other = program(folder.path(), "echo \"ModuleNotFoundError: No module named 'gmsh'\" >&2; exit 1");
    let text = refused(&run_with(folder.path(), &other), folder.path());
    assert!(text.contains("does not tell its version: ModuleNotFoundError"), "{text}");
}

#[test]
fn gmsh_cannot_mesh_the_model() {
    let folder = folder();
    let failing = program(
        folder.path(),
        "[ \"$1\" = --version ] && { echo 4.15.2; exit; }\necho 'Error   : No elements in volume 3'; touch model.msh",
    );
    let text = refused(&run_with(folder.path(), &failing), folder.path());
    assert!(text.contains("Gmsh cannot mesh the model: No elements in volume 3"), "{text}");
    let silent = program(folder.path(), "[ \"$1\" = --version ] && echo 4.15.2; exit 3");
    let text = refused(&run_with(folder.path(), &silent), folder.path());
    assert!(text.contains("does not tell its version") || text.contains("exit status: 3"), "{text}");
    // Something that is no mesh.
    let wrong =
        program(folder.path(), "[ \"$1\" = --version ] && { echo 4.15.2; exit; }\necho nonsense > model.msh");
    refused(&run_with(folder.path(), &wrong), folder.path());
    assert!(!folder.path().join("meshes").exists(), "nothing of this is kept");
}
