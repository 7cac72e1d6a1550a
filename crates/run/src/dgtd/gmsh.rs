//! Gmsh, a separate program that makes meshes of drawings and reads CAD files.

use crate::error::SolverError;
use phasefront_core::{FieldError, Progress};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;
use tempfile::TempDir;

/// Where Gmsh is, if not on the path.
const PROGRAM: &str = "PHASEFRONT_GMSH";
/// Name of the script in the folder that Gmsh works in.
const SCRIPT: &str = "model.geo";
/// Version that the scripts are tried with, and that has all they need.
const OLDEST: [u32; 2] = [4, 8];
const INSTALL: &str =
    "install it with `pip install gmsh` or `apt install gmsh`, or set PHASEFRONT_GMSH to the program";
/// How often the user's wish to stop is looked at.
const POLL: Duration = Duration::from_millis(50);
/// What Gmsh prints when it begins a step of its work.
const STEPS: [&str; 4] = ["Meshing 1D", "Meshing 2D", "Meshing 3D", "Optimizing mesh"];
/// Most complaints that are told.
const COMPLAINTS: usize = 3;

/// What Gmsh has left.
pub(super) struct Finished {
    /// The folder with its files, removed when this is dropped.
    pub folder: TempDir,
    /// What it printed.
    pub printed: String,
}

/// Runs a script with Gmsh, in a folder with these files; errors are at `path` of the case.
pub(super) fn run(
    script: &str,
    files: &[(String, Vec<u8>)],
    path: &str,
    progress: &Progress,
) -> Result<Finished, SolverError> {
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
    let scripts = [(SCRIPT.to_owned(), script.as_bytes())];
    let files = files.iter().map(|(name, bytes)| (name.clone(), &bytes[..]));
    for (name, bytes) in scripts.into_iter().chain(files) {
        std::fs::write(folder.path().join(name), bytes).map_err(|error| {
            wrong(format!("the script cannot be written: {error}"), "free some space for temporary files")
        })?;
    }
    let printed = follow(&program, folder.path(), path, progress)?;
    Ok(Finished { folder, printed })
}

/// Runs Gmsh until it ends or the user wants to stop; what it printed.
fn follow(program: &Path, folder: &Path, path: &str, progress: &Progress) -> Result<String, SolverError> {
    let cannot =
        |error: std::io::Error| FieldError::new(path, format!("Gmsh cannot be run: {error}"), INSTALL);
    let mut child = Command::new(program)
        .args([SCRIPT, "-"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(cannot)?;
    let stage = progress.stage("mesh", Some(STEPS.len() as u64), "steps");
    let (sender, lines) = channel();
    let pipes: [Option<Box<dyn Read + Send>>; 2] = [
        child.stdout.take().map(|pipe| Box::new(pipe) as _),
        child.stderr.take().map(|pipe| Box::new(pipe) as _),
    ];
    for pipe in pipes.into_iter().flatten() {
        let sender = sender.clone();
        // It ends with the pipe.
        std::thread::spawn(move || send_lines(pipe, &sender));
    }
    drop(sender);
    let (mut printed, mut done) = (String::new(), 0);
    loop {
        if let Err(interrupted) = progress.check() {
            // Both fail only if it has ended.
            let _ = child.kill();
            let _ = child.wait();
            return Err(interrupted.into());
        }
        match lines.recv_timeout(POLL) {
            Ok(line) => {
                let begun = STEPS.iter().position(|step| line.contains(step)).unwrap_or(0);
                if begun > done {
                    stage.advance((begun - done) as u64);
                    done = begun;
                }
                printed += &line;
                printed.push('\n');
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    let status = child.wait().map_err(cannot)?;
    // Ctrl-C in a terminal reaches Gmsh, too, and perhaps first.
    progress.check()?;
    let complaints: Vec<&str> = printed
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Error   :"))
        .map(str::trim)
        .take(COMPLAINTS)
        .collect();
    if complaints.is_empty() && status.success() {
        return Ok(printed);
    }
    let reason = match complaints.as_slice() {
        [] => format!("it ended with {status}"),
        words => words.join("; "),
    };
    Err(FieldError::new(
        path,
        format!("Gmsh cannot mesh the model: {reason}{}", location(&reason, &printed)),
        "look for solids and sheets that touch in a single line or point, or are thinner than their elements; move them apart, or give \
         `cell_size` and `edge_size`",
    )
    .into())
}

fn send_lines(pipe: impl Read, sender: &Sender<String>) {
    let mut pipe = BufReader::new(pipe);
    let mut line = Vec::new();
    while pipe.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
        let text = String::from_utf8_lossy(&line).trim_end().to_owned();
        if sender.send(text).is_err() {
            return;
        }
        line.clear();
    }
}

/// Where the first volume or surface of a complaint is: the script has printed the positions of all, in its own unit.
fn location(complaint: &str, printed: &str) -> String {
    let words: Vec<&str> = complaint.split(|c: char| !c.is_alphanumeric()).collect();
    let part = words.windows(2).find(|pair| {
        ["volume", "surface"].contains(&pair[0].to_lowercase().as_str()) && pair[1].parse::<u32>().is_ok()
    });
    let unit = printed.lines().find_map(|line| line.strip_prefix("unit ")?.parse::<f64>().ok());
    let found = part.zip(unit).and_then(|(pair, unit)| {
        let head = format!("{} {} at ", pair[0].to_lowercase(), pair[1]);
        let numbers = printed.lines().find_map(|line| line.strip_prefix(&head))?;
        let numbers: Vec<f64> = numbers.split(' ').filter_map(|n| n.parse::<f64>().ok()).collect();
        let [x, y, z] = numbers[..] else { return None };
        let [x, y, z] = [x, y, z].map(|value| value * unit);
        Some(format!(
            "; the middle of {} {} is at ({x:.4}, {y:.4}, {z:.4}) m",
            pair[0].to_lowercase(),
            pair[1]
        ))
    });
    found.unwrap_or_default()
}

/// Refuses a program that is not there, or too old.
fn check_version(program: &Path, path: &str) -> Result<(), FieldError> {
    let missing = |why: String| {
        FieldError::new(
            path,
            format!(
                "solids, sheets and CAD files are meshed by Gmsh, version {}.{} or later, and {} {why}",
                OLDEST[0],
                OLDEST[1],
                program.display()
            ),
            INSTALL,
        )
    };
    let output = version(program).map_err(|error| match error.kind() {
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
        Some([major, minor]) => Err(missing(format!("is version {major}.{minor}"))),
        None => {
            let reason =
                text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().to_owned();
            Err(missing(format!("does not tell its version: {reason}")))
        }
    }
}

fn version(program: &Path) -> std::io::Result<Output> {
    Command::new(program).arg("--version").stdin(Stdio::null()).output()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_have_their_place() {
        let printed = "unit 0.001\nvolume 3 at 1 2 3\nsurface 7 at 10 0 -5\n";
        assert_eq!(
            location("No elements in volume 3", printed),
            "; the middle of volume 3 is at (0.0010, 0.0020, 0.0030) m"
        );
        assert!(location("Surface 7: self-intersection", printed).contains("(0.0100, 0.0000, -0.0050)"));
        assert_eq!(location("out of memory", printed), "");
    }
}
