//! The program runs, counts, and finds what ends it.

use std::process::Command;

fn run(arguments: &[&str]) -> (bool, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_phasefront-fuzz")).args(arguments).output().unwrap();
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.success(), text)
}

#[test]
fn a_second_of_every_target_finds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (success, text) = run(&["--seconds", "3", "--save", folder.path().to_str().unwrap()]);
    assert!(success, "{text}");
    assert!(text.contains("calls with seed 1"), "{text}");
}

#[test]
fn one_target_and_wrong_words() {
    let folder = tempfile::tempdir().unwrap();
    let save = folder.path().to_str().unwrap();
    let (success, text) = run(&["--seconds", "0.2", "--target", "obj", "--save", save]);
    assert!(success && text.contains("\nobj ") && !text.contains("\nstl "), "{text}");
    let (success, text) = run(&["--target", "nothing"]);
    assert!(!success && text.contains("there is no target \"nothing\""), "{text}");
    let file = folder.path().join("input");
    std::fs::write(&file, "v 0 0 0\n").unwrap();
    assert!(run(&["--replay", "obj", file.to_str().unwrap()]).0);
}
