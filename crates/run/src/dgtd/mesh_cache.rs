//! A cache of the files that Gmsh has made, by the digest of what they were made of.

use crate::input::{digest, read_limited};
use phasefront_report::replace_file;
use std::path::{Path, PathBuf};

/// Where the cache is, if not in the user's cache.
const CACHE: &str = "PHASEFRONT_MESHES";
/// Largest file that is read.
pub(super) const MAX_BYTES: u64 = 4 << 30;

/// A file that is made of a script.
pub(super) struct CachedFile(Option<PathBuf>);

impl CachedFile {
    /// By the content of the script, which has the digests of all files that it reads.
    pub(super) fn of(script: &str, extension: &str) -> Self {
        Self(cache().map(|folder| folder.join(format!("{}.{extension}", digest(script.as_bytes())))))
    }

    /// The file, if it is there.
    pub(super) fn read(&self) -> Option<Vec<u8>> {
        self.0.as_deref().and_then(|file| read_limited(file, MAX_BYTES).ok())
    }

    /// Stores the file. The cache only saves time: an error is none of the user's.
    pub(super) fn write(&self, bytes: &[u8]) {
        let Some(file) = &self.0 else { return };
        let made = file.parent().map_or(Ok(()), std::fs::create_dir_all);
        if made.is_ok() {
            let _ = replace_file(file, bytes);
        }
    }
}

/// A file that Gmsh was to write.
pub(super) fn read_output(folder: &Path, name: &str) -> std::io::Result<Vec<u8>> {
    read_limited(&folder.join(name), MAX_BYTES)
}

/// `$PHASEFRONT_MESHES`, `$XDG_CACHE_HOME/phasefront/meshes` or `~/.cache/phasefront/meshes`.
fn cache() -> Option<PathBuf> {
    let path = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    path(CACHE).or_else(|| {
        let base = path("XDG_CACHE_HOME").or_else(|| Some(path("HOME")?.join(".cache")))?;
        Some(base.join("phasefront").join("meshes"))
    })
}
