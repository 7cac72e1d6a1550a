//! Finds the case file that the user means.

use crate::failure::{Failure, Result};
use crate::output::path_text;
use std::path::{Path, PathBuf};

/// Minimum similarity (Jaro-Winkler) of a suggested name; below it suggestions appear random.
const CLOSE: f64 = 0.75;

/// Refuses a path that is not UTF-8: results and messages name it as text, the last of them when the
/// work is done.
pub fn printable(path: &Path) -> Result<()> {
    if path.to_str().is_some() {
        return Ok(());
    }
    let message = format!("the path {} is not valid UTF-8", path_text(path));
    let help = "rename the file or folder, or choose another one, so that the path is valid UTF-8".to_owned();
    Err(Failure::file(path, message, Some(help)))
}

/// The case file at `path`: itself, or the `case.toml` of a folder.
pub fn find(path: &Path) -> Result<PathBuf> {
    printable(path)?;
    if path.is_dir() {
        let inside = path.join("case.toml");
        if inside.is_file() {
            return Ok(inside);
        }
        let help = nearest(path, "case.toml").map(|near| format!("did you mean {}?", near.display()));
        let message = format!("{} is a folder without a case.toml", path.display());
        return Err(Failure::file(path, message, help));
    }
    if path.exists() {
        return Ok(path.to_owned());
    }
    Err(missing(path))
}

fn missing(path: &Path) -> Failure {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        let message = format!("{}: the folder {} does not exist", path.display(), folder.display());
        return Failure::file(path, message, Some("check the spelling of the path".to_owned()));
    }
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let help = match nearest(folder.unwrap_or(Path::new("")), &name) {
        Some(near) => format!("did you mean {}?", near.display()),
        None => "create one with: phasefront new mom".to_owned(),
    };
    Failure::file(path, format!("{}: no such file", path.display()), Some(help))
}

/// The entry of `folder` whose name is most similar to `name`: a case file, or a folder that contains one.
fn nearest(folder: &Path, name: &str) -> Option<PathBuf> {
    let searched = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let mut best: Option<(f64, String)> = None;
    for entry in std::fs::read_dir(searched).ok()?.flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|ext| ext != "toml") && !path.join("case.toml").is_file() {
            continue;
        }
        let candidate = entry.file_name().to_string_lossy().into_owned();
        let similarity = strsim::jaro_winkler(name, &candidate);
        // Ties are resolved by name, so that the result does not depend on the order of the file
        // system.
        let better = match &best {
            None => similarity >= CLOSE,
            Some((best, text)) => similarity > *best || (similarity == *best && candidate < *text),
        };
        if better {
            best = Some((similarity, candidate));
        }
    }
    best.map(|(_, name)| folder.join(name))
}
