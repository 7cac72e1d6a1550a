//! What reaches the terminal: every warning, and no control character of a file.

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Eight cells on two wavelengths: a warning.
const COARSE: &str = r#"version = 1
solver = "mom"
name = "coarse"

[geometry]
bodies = [{ shape = "circle", radius = "1 m", material = "pec" }]

[source]
frequency = "100 MHz"
polarization = "TM"
propagation = "0 deg"

[solve]
cells = 8
method = "pulse"

[output]
echo_width = { from = "0 deg", to = "360 deg", points = 37 }
"#;

fn phasefront(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_phasefront"));
    command.current_dir(folder).stdin(Stdio::null()).env_remove("CARGO");
    command
}

fn call(folder: &Path, arguments: &[&str]) -> Output {
    phasefront(folder).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn warnings_are_printed_however_little_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("case.toml"), COARSE).unwrap();
    let loud = call(folder.path(), &["check", "case.toml", "--device", "cpu"]);
    let warning = text(&loud.stderr);
    assert!(warning.starts_with("warning: ") && warning.contains("nodes per wavelength"), "{warning}");
    for flag in ["--quiet", "--json"] {
        let output = call(folder.path(), &["check", "case.toml", "--device", "cpu", flag]);
        assert_eq!(text(&output.stderr), warning, "check {flag}");
        let out = flag.trim_start_matches('-');
        let output = call(folder.path(), &["run", "case.toml", "--device", "cpu", "--out", out, flag]);
        assert!(output.status.success());
        let told = text(&output.stderr);
        assert!(told.contains(warning.trim_end()), "run {flag}: {told}");
        assert!(told.lines().all(|line| line.starts_with("warning: ")), "run {flag}: {told}");
        assert_eq!(told.matches(warning.trim_end()).count(), 1, "once is enough: {told}");
        assert_eq!(output.stdout.is_empty(), flag == "--quiet");
    }
    let help = text(&call(folder.path(), &["run", "--help"]).stdout);
    assert!(help.contains("Print errors and warnings only"), "{help}");
}

/// Erases the screen, sets the title of the window, and goes back to the begin of the line.
const EVIL: &str = "\u{1b}[2J\u{1b}]0;title\u{7}\r";

/// No output has a raw control character, and at least one shows the visible form.
fn assert_harmless(output: &Output, what: &str) {
    let all = text(&output.stdout) + &text(&output.stderr);
    assert!(!all.contains(|c: char| c.is_control() && c != '\n'), "{what}: {all:?}");
    assert!(
        all.contains("\\u{1b}[2J") || all.contains('\u{fffd}') || all.contains("\\u001b"),
        "{what}: {all:?}"
    );
}

#[test]
fn names_in_files_cannot_command_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let expected = serde_json::json!({"tier": "quick", "checks": [{
        "name": format!("check {EVIL}"), "metric": "unknowns", "reference": 9, "tolerance": 0.5,
        "unit": EVIL, "source": EVIL,
    }]});
    std::fs::write(folder.path().join("case.toml"), COARSE).unwrap();
    std::fs::write(folder.path().join("expected.json"), expected.to_string()).unwrap();
    for flags in [&[][..], &["--quiet"], &["--json"]] {
        let mut arguments = vec!["run", "case.toml", "--device", "cpu", "--force"];
        arguments.extend(flags);
        let output = call(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(1), "a check fails: {}", text(&output.stderr));
        assert_harmless(&output, &format!("a check, {flags:?}"));
    }
    std::fs::write(folder.path().join("expected.json"), expected.to_string().replace("metric", "column"))
        .unwrap();
    assert_harmless(&call(folder.path(), &["run", "case.toml", "--force"]), "a check that is wrong");
    std::fs::remove_file(folder.path().join("expected.json")).unwrap();

    let escaped = "\\u001b[2J\\u001b]0;title\\u0007\\r";
    let named = COARSE.replace("coarse", &format!("coarse{escaped}"));
    std::fs::write(folder.path().join("case.toml"), named).unwrap();
    for command in ["check", "run"] {
        assert_harmless(&call(folder.path(), &[command, "case.toml"]), "the name of a case");
    }
    std::fs::write(folder.path().join("case.toml"), format!("{COARSE}# {EVIL}\n")).unwrap();
    assert_harmless(&call(folder.path(), &["check", "case.toml"]), "a comment");
    let file = format!("{EVIL}.toml");
    assert_harmless(&call(folder.path(), &["check", &file]), "a file that is not there");
    std::fs::write(folder.path().join(&file), COARSE.replace("mom", "mum")).unwrap();
    assert_harmless(&call(folder.path(), &["check", &file]), "a file with an error");
    std::fs::write(folder.path().join("case.toml"), COARSE).unwrap();
    assert_harmless(&call(folder.path(), &["run", "case.toml", "--out", EVIL]), "a folder of results");
}

#[test]
fn groups_of_a_mesh_cannot_command_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n1 7 \"rod{}\"\n$EndPhysicalNames\n\
         $Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n\
         $Elements\n3\n1 1 2 7 1 1 2\n2 1 2 7 1 2 3\n3 1 2 7 1 3 1\n$EndElements\n",
        "\u{1b}[2J"
    );
    std::fs::write(folder.path().join("rod.msh"), mesh).unwrap();
    let body = "{ shape = \"gmsh\", file = \"rod.msh\", group = \"wire\", units = \"m\" }";
    let case = COARSE.replace("{ shape = \"circle\", radius = \"1 m\", material = \"pec\" }", body);
    std::fs::write(folder.path().join("case.toml"), case).unwrap();
    let output = call(folder.path(), &["check", "case.toml"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
    assert_harmless(&output, "a group");
    assert!(text(&output.stderr).contains("rod"), "{}", text(&output.stderr));
}

#[cfg(target_os = "linux")]
#[test]
fn paths_that_are_not_text_are_refused_before_the_work() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let bad = OsStr::from_bytes(b"b\xffd");
    std::fs::write(folder.path().join("case.toml"), COARSE).unwrap();
    std::fs::create_dir(folder.path().join(bad)).unwrap();
    std::fs::write(folder.path().join(bad).join("case.toml"), COARSE).unwrap();
    let refused = |command: &mut Command| {
        let output = command.output().unwrap();
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains("b\u{fffd}d is not valid UTF-8") && told.contains("help: rename"), "{told}");
    };
    for name in ["check", "run", "resume"] {
        refused(phasefront(folder.path()).arg(name).arg(bad));
    }
    refused(phasefront(folder.path()).args(["run", "case.toml", "--json", "--out"]).arg(bad));
    refused(phasefront(folder.path()).args(["demo", "--out"]).arg(bad));
    assert!(!folder.path().join("results").exists());
}
