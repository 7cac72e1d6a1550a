//! Compiled kernels on disk, by content.
//!
//! A file is the SHA-256 of its payload, then the payload: a truncated or altered file is recognized,
//! deleted, and recompiled. The cache only saves time, so its errors are warnings.

use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

/// SHA-256.
pub type Key = [u8; 32];

/// SHA-256 of all `parts`, each preceded by its length so that no two lists collide.
pub fn key(parts: &[&[u8]]) -> Key {
    let mut hash = Sha256::new();
    for part in parts {
        // Without lengths, ["ab", "c"] and ["a", "bc"] would have the same key.
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

/// A folder of compiled kernels; does nothing where there is no such folder.
pub struct Cache {
    folder: Option<PathBuf>,
}

impl Cache {
    /// `$PHASEFRONT_CACHE`, `$XDG_CACHE_HOME/phasefront/kernels` or `~/.cache/phasefront/kernels`.
    pub fn from_environment() -> Self {
        let path = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let folder = path("PHASEFRONT_CACHE").or_else(|| {
            // The XDG base directory specification; without HOME there is no cache.
            let base = path("XDG_CACHE_HOME").or_else(|| Some(path("HOME")?.join(".cache")))?;
            Some(base.join("phasefront").join("kernels"))
        });
        Self { folder }
    }

    fn file(&self, key: &Key) -> Option<PathBuf> {
        let mut name = String::with_capacity(2 * key.len());
        for byte in key {
            let _ = write!(name, "{byte:02x}");
        }
        Some(self.folder.as_ref()?.join(name + ".cubin"))
    }

    /// The payload stored under `key`, if it is there and whole.
    pub fn load(&self, key: &Key) -> Option<Vec<u8>> {
        let bytes = std::fs::read(self.file(key)?).ok()?;
        if let Some((sum, payload)) = bytes.split_first_chunk::<32>()
            && *sum == <Key>::from(Sha256::digest(payload))
        {
            return Some(payload.to_vec());
        }
        // Damaged: otherwise it would be rejected again in every run.
        self.remove(key);
        None
    }

    /// Forgets `key`.
    pub fn remove(&self, key: &Key) {
        let Some(file) = self.file(key) else { return };
        tracing::warn!(file = %file.display(), "deleting a cached kernel that is not usable");
        if let Err(error) = std::fs::remove_file(&file) {
            tracing::warn!(file = %file.display(), %error, "cannot delete it");
        }
    }

    /// Stores `payload` under `key`; readers see all of it or nothing.
    pub fn store(&self, key: &Key, payload: &[u8]) {
        let Some(file) = self.file(key) else { return };
        if let Err(error) = write_atomically(&file, payload) {
            tracing::warn!(file = %file.display(), %error, "cannot cache a compiled kernel");
        }
    }
}

fn write_atomically(file: &std::path::Path, payload: &[u8]) -> std::io::Result<()> {
    let folder = file.parent().ok_or(std::io::ErrorKind::InvalidInput)?;
    std::fs::create_dir_all(folder)?;
    // In the same folder, so that the final rename is atomic, also between processes.
    let mut draft = tempfile::NamedTempFile::new_in(folder)?;
    draft.write_all(&<Key>::from(Sha256::digest(payload)))?;
    draft.write_all(payload)?;
    draft.persist(file)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_kernel_comes_back_and_a_damaged_one_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache { folder: Some(folder.path().join("deep/er")) };
        let key = key(&[b"text", b"sm_90"]);
        assert_eq!(cache.load(&key), None);
        cache.store(&key, b"cubin");
        assert_eq!(cache.load(&key).as_deref(), Some(&b"cubin"[..]));
        let file = cache.file(&key).unwrap();
        for damaged in [&b""[..], b"short", &[7; 40]] {
            std::fs::write(&file, damaged).unwrap();
            assert_eq!(cache.load(&key), None);
            assert!(!file.exists(), "a damaged file must be deleted");
        }
        assert_eq!(std::fs::read_dir(file.parent().unwrap()).unwrap().count(), 0, "no drafts left");
    }

    #[test]
    fn an_unwritable_cache_is_no_error() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let cache = Cache { folder: Some(file.path().join("below-a-file")) };
        cache.store(&[0; 32], b"x");
        assert_eq!(cache.load(&[0; 32]), None);
        Cache { folder: None }.store(&[0; 32], b"x");
    }

    #[test]
    fn keys_differ_where_the_parts_do() {
        assert_ne!(key(&[b"ab", b"c"]), key(&[b"a", b"bc"]));
    }
}
