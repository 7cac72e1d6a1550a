//! Builds the page in `web/` with npm and embeds it. Without npm a plain page explains how to build
//! it.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Folders that are not sources of the page: npm's output for developers, and tests.
const OTHERS: [&str; 4] = ["node_modules", "dist", "test", "dev"];

fn main() {
    let variable = |name: &str| PathBuf::from(env::var_os(name).expect("cargo sets it"));
    let web = variable("CARGO_MANIFEST_DIR").join("../../web");
    let out = variable("OUT_DIR");
    println!("cargo::rerun-if-env-changed=PHASEFRONT_WEB");
    // Also if it does not exist yet.
    println!("cargo::rerun-if-changed={}", web.join("package.json").display());
    let sources = sources(&web);
    for source in &sources {
        println!("cargo::rerun-if-changed={}", source.display());
    }
    let built = if env::var("PHASEFRONT_WEB").is_ok_and(|value| value == "off") {
        Err("PHASEFRONT_WEB=off".to_owned())
    } else {
        build(&sources, &out.join("web"))
    };
    let mut files = Vec::new();
    match built {
        Ok(dist) => list(&dist, &dist, &mut files),
        Err(reason) => {
            println!("cargo::warning=the program has a plain page in place of the viewer: {reason}");
        }
    }
    fs::write(out.join("page.rs"), table(&files)).expect("the output folder is writable");
}

/// Sources of the page: files and folders.
fn sources(web: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(web).into_iter().flatten().flatten();
    entries
        .filter(|entry| !OTHERS.iter().any(|other| entry.file_name() == *other))
        .map(|entry| entry.path())
        .collect()
}

/// Copies the sources, since a build script may write to its own folder only, and builds the page
/// there with npm.
fn build(sources: &[PathBuf], work: &Path) -> Result<PathBuf, String> {
    let failed = |error: std::io::Error| error.to_string();
    Command::new("npm").arg("--version").output().map_err(|_| "npm is not installed".to_owned())?;
    // Packages installed by an earlier build remain; npm replaces those that the lock file changes.
    for source in sources {
        let to = work.join(source.file_name().unwrap_or_default());
        if to.is_dir() {
            fs::remove_dir_all(&to).map_err(failed)?;
        }
        copy(source, &to).map_err(failed)?;
    }
    npm(work, &["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"])?;
    npm(work, &["run", "build"])?;
    Ok(work.join("dist"))
}

fn npm(folder: &Path, arguments: &[&str]) -> Result<(), String> {
    let output = Command::new("npm")
        .args(arguments)
        .current_dir(folder)
        .output()
        .map_err(|error| format!("npm {}: {error}", arguments[0]))?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stderr, output.stdout].concat();
    let errors = String::from_utf8_lossy(&said)
        .lines()
        .filter(|line| line.contains("error"))
        .take(4)
        .collect::<Vec<_>>()
        .join("; ");
    Err(format!("npm {} failed: {errors}", arguments.join(" ")))
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    if from.is_dir() {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            copy(&entry.path(), &to.join(entry.file_name()))?;
        }
    } else {
        fs::create_dir_all(to.parent().unwrap_or(to))?;
        fs::copy(from, to)?;
    }
    Ok(())
}

/// All files of a folder: relative name and path.
fn list(root: &Path, folder: &Path, files: &mut Vec<(String, PathBuf)>) {
    let mut entries: Vec<_> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            list(root, &path, files);
        } else if let Ok(name) = path.strip_prefix(root) {
            files.push((name.to_string_lossy().replace('\\', "/"), path));
        }
    }
}

fn table(files: &[(String, PathBuf)]) -> String {
    let mut text = "&[\n".to_owned();
    for (name, path) in files {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "    ({name:?}, include_bytes!({:?})),", path.display().to_string());
    }
    text + "]\n"
}
