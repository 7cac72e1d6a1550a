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

/// Failures of every kind are found, and the inputs that cause them saved.
#[test]
fn what_is_planted_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let (success, text) = run(&["--planted", "--seconds", "3", "--save", folder.path().to_str().unwrap()]);
    assert!(!success, "{text}");
    for name in ["panic", "stack", "memory", "thread"] {
        let saved = folder.path().join(format!("{name}-1-99"));
        assert_eq!(std::fs::read(&saved).unwrap(), b"!bad", "{name}: {text}");
        assert!(text.contains(&saved.display().to_string()), "{name}: {text}");
    }
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
