//! Models that Gmsh meshes, where Gmsh is missing, old or fails.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;
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
    assert!(text.contains("version 4.8 or later") && text.contains("is version 4.4"), "{text}");
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

/// A Gmsh that works for ten minutes, and tells its number.
fn slow(folder: &Path) -> String {
    program(
        folder,
        "[ \"$1\" = --version ] && { echo 4.15.2; exit; }\necho $$ > \"$TMPDIR/number\"\nexec sleep 600",
    )
}

#[test]
fn gmsh_ends_with_the_run() {
    let folder = folder();
    let temporary = folder.path().join("temporary");
    fs::create_dir(&temporary).unwrap();
    for command in ["run", "mesh", "check"] {
        let mut running = Command::new(env!("CARGO_BIN_EXE_phasefront"))
            .current_dir(folder.path())
            .args([command, "case.toml", "--device", "cpu", "--quiet"])
            .env("PHASEFRONT_GMSH", slow(folder.path()))
            .env("PHASEFRONT_MESHES", folder.path().join("meshes"))
            .env("TMPDIR", &temporary)
            .spawn()
            .expect("the program starts");
        let number = temporary.join("number");
        let gmsh = loop {
            // Written in one piece: a number with its line end.
            match fs::read_to_string(&number) {
                Ok(text) if text.ends_with('\n') => break text.trim().to_owned(),
                _ => std::thread::sleep(Duration::from_millis(20)),
            }
        };
        fs::remove_file(&number).unwrap();
        let sent = Command::new("kill").args(["-INT", &running.id().to_string()]).status().unwrap();
        assert!(sent.success());
        assert_eq!(running.wait().unwrap().code(), Some(130), "{command}");
        // The program has waited for it: its number is free.
        let alive = Command::new("kill").args(["-0", &gmsh]).stderr(Stdio::null()).status().unwrap();
        assert!(!alive.success(), "{command}: Gmsh goes on");
        assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0, "{command} leaves files behind");
        assert!(!folder.path().join("results").exists());
    }
}

#[test]
fn a_box_needs_no_gmsh_and_has_a_mesh_to_show() {
    let folder = folder();
    let case = CASE.replace(
        "solids = [{ name = \"ball\", shape = \"sphere\", center = [0, 0, 0], radius = \"1 m\" }]\nboundaries = { ball = \"pec\" }",
        "box = { from = [0, 0, 0], to = [4, 4, 4], cell_size = 1, regions = [{ name = \"slab\", from = [1, 1, 1], to = [3, 3, 2] }] }\n\
         materials = { slab = { eps_r = 2 } }\nboundaries = { xmin = \"pec\", xmax = \"pec\", ymin = \"pec\", ymax = \"pec\", zmin = \"pec\" }",
    );
    fs::write(folder.path().join("case.toml"), &case).unwrap();
    let show = |arguments: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_phasefront"))
            .current_dir(folder.path())
            .args(["mesh", "case.toml", "--device", "cpu"])
            .args(arguments)
            .env("PHASEFRONT_GMSH", "/nowhere/gmsh")
            .output()
            .unwrap()
    };
    // The top has no boundary condition: the mesh is shown, and then why the case cannot run.
    let output = show(&["--out", "box.msh"]);
    let [text, error] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(output.status.code(), Some(2), "{error}");
    for line in
        ["384 tetrahedra (straight), 125 nodes", "slab   volume         24", "4 m³", "the median", "box.msh"]
    {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert!(error.contains("zmax"), "{error}");
    let written = fs::read_to_string(folder.path().join("box.msh")).unwrap();
    assert!(written.starts_with("$MeshFormat\n2.2 0 8\n") && written.contains("3 2 \"slab\""));
    assert_eq!(&fs::read(folder.path().join("box.png")).unwrap()[1..4], b"PNG");
    let again = String::from_utf8(show(&["--out", "box.msh"]).stderr).unwrap();
    assert!(again.contains("box.msh exists") && again.contains("--force"), "{again}");
    let wrong = String::from_utf8(show(&["--out", "box.vtu"]).stderr).unwrap();
    assert!(wrong.contains("does not end with .msh"), "{wrong}");
    // The file is a mesh of its own, here with a dipole in a closed box.
    let mut lines: Vec<String> = case.lines().map(str::to_owned).collect();
    for (head, line) in [
        ("box =", "mesh = \"box.msh\"\nunits = \"m\""),
        ("plane_wave =", "dipoles = [{ position = [2, 2, 1.5], moment = [0, 0, 1] }]"),
        ("rcs =", "probes = [[2, 2, 3]]"),
    ] {
        *lines.iter_mut().find(|line| line.starts_with(head)).unwrap() = line.into();
    }
    let case = lines.join("\n").replace("zmin = \"pec\"", "zmin = \"pec\", zmax = \"pec\"");
    fs::write(folder.path().join("case.toml"), case).unwrap();
    let output = show(&["--json"]);
    let [text, error] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(output.status.success(), "{error}");
    // All elements have one shape: the step is that of the faster medium.
    assert!(text.contains("\"elements\": 384") && text.contains("\"limiting_volume\": \"air\""), "{text}");
}
