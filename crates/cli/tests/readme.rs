//! What the README shows is what the program does.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap()
}

/// The fenced blocks of a language, in order.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    text.split(&fence).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

fn phasefront(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_phasefront")).current_dir(folder).args(args).output().unwrap()
}

#[test]
fn the_case_in_the_readme_is_good() {
    let folder = tempfile::tempdir().unwrap();
    let cases = blocks(&page("README.md"), "toml");
    assert_eq!(cases.len(), 1);
    std::fs::write(folder.path().join("case.toml"), &cases[0]).unwrap();
    let output = phasefront(folder.path(), &["check", "case.toml", "--device", "cpu"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_slip_in_the_readme_is_answered_as_shown() {
    let folder = tempfile::tempdir().unwrap();
    let slip = "version = 1\nsolver = \"mom\"\nname = \"slip\"\n\n[geometry]\n\
                bodies = [{ shape = \"circle\", radus = \"1 m\" }]\n";
    std::fs::write(folder.path().join("slip.toml"), slip).unwrap();
    let output = phasefront(folder.path(), &["run", "slip.toml"]);
    let shown = blocks(&page("README.md"), "text").pop().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), shown);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn the_demo_prints_the_table_of_the_readme() {
    let folder = tempfile::tempdir().unwrap();
    let output = phasefront(folder.path(), &["demo", "--device", "cpu"]);
    let printed = String::from_utf8_lossy(&output.stdout);
    let shown = blocks(&page("README.md"), "text").remove(0);
    for line in shown.lines().take_while(|line| *line != "...") {
        assert!(printed.contains(line), "{line}\n--- printed\n{printed}");
    }
}

#[test]
fn the_cases_in_each_manual_are_good() {
    for manual in [
        "docs/mom.md",
        "docs/reflectarray.md",
        "docs/sbr.md",
        "docs/dgtd.md",
        "docs/nah.md",
        "docs/nah-live.md",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let cases = blocks(&page(manual), "toml");
        assert!(!cases.is_empty(), "{manual} has no case");
        for case in cases {
            std::fs::write(folder.path().join("case.toml"), &case).unwrap();
            let output = phasefront(folder.path(), &["check", "case.toml", "--device", "cpu"]);
            let message = String::from_utf8_lossy(&output.stderr);
            if message.contains("meshed by Gmsh") && message.contains("gmsh is not there") {
                println!("SKIPPED: a case of {manual}; there is no gmsh: pip install gmsh");
                continue;
            }
            assert!(output.status.success(), "{manual}: {message}");
        }
    }
}

/// Where a link `#...` into a page may lead: its headings in lower case, with hyphens for blanks.
fn anchors(text: &str) -> Vec<String> {
    text.lines()
        .filter_map(|line| line.strip_prefix("### ").or_else(|| line.strip_prefix("## ")))
        // As GitHub and Sphinx make them: without punctuation.
        .map(|h| h.to_lowercase().replace(' ', "-").replace(['(', ')', ','], ""))
        .collect()
}

#[test]
fn links_lead_somewhere() {
    for name in [
        "README.md",
        "docs/reflectarray.md",
        "docs/sbr.md",
        "docs/dgtd.md",
        "docs/dgtd-gallery.md",
        "docs/dgtd-models/README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "cases/01-circle/README.md",
        "docs/kernels.md",
        "docs/mom.md",
        "docs/nah.md",
    ] {
        let (text, folder) = (page(name), root().join(name).parent().unwrap().to_owned());
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for target in targets.filter(|target| !target.starts_with("http")) {
            let (file, anchor) =
                target.split_once('#').map_or((target, None), |(file, anchor)| (file, Some(anchor)));
            let (path, is_here) = (folder.join(file), file.is_empty());
            let leads = match anchor {
                Some(anchor) if is_here || path.is_file() => {
                    let there = if is_here { text.clone() } else { std::fs::read_to_string(path).unwrap() };
                    anchors(&there).iter().any(|found| found == anchor)
                }
                _ => path.exists(),
            };
            assert!(leads, "{name} links to {target}");
        }
    }
}
