//! The files of a checkpoint: a header, and records with checksums.
//!
//! `checkpoint.json` is the header, text. `checkpoint.bin` has the records: length (8 bytes, little-endian), payload, and the
//! SHA-256 of both. A solver either replaces the only record, atomically, or appends one for each piece of finished work.
//! Where ranks save large states, each has a file of its own (`parts.rs`), and the only record is their manifest.

use crate::ReportError;
use crate::atomic::{remove, replace, sync_folder, temporary_name};
use sha2::{Digest, Sha256};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

const HEADER: &str = "checkpoint.json";
const RECORDS: &str = "checkpoint.bin";

/// The files of a checkpoint, the header first: a run that is killed between their removals must not
/// leave a header whose records are gone.
pub(crate) const CHECKPOINT_FILES: [&str; 2] = [HEADER, RECORDS];

pub(crate) const LENGTH_BYTES: usize = 8;
pub(crate) const CHECKSUM_BYTES: usize = 32;

/// SHA-256 of a record: of its length and its payload.
pub type Checksum = [u8; CHECKSUM_BYTES];

/// How the names of files with the parts of ranks begin and end.
pub(crate) const PART_PREFIX: &str = "checkpoint-";
pub(crate) const PART_SUFFIX: &str = ".bin";

/// Whether a name is that of a part's file.
pub(crate) fn is_part_file(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.starts_with(PART_PREFIX) && name.ends_with(PART_SUFFIX)
}

/// Whether a file of a run's folder belongs to its checkpoint.
pub(crate) fn is_checkpoint_file(name: &str) -> bool {
    // Without regard to case, since file systems of macOS and Windows ignore it.
    CHECKPOINT_FILES.iter().any(|file| name.eq_ignore_ascii_case(file)) || is_part_file(name)
}

/// The checkpoint in the folder of a run. It is not a result:
/// [`OutputFolder::finish`](crate::OutputFolder::finish) removes it.
///
/// ```
/// use phasefront_report::Checkpoint;
/// # let temporary = tempfile::tempdir()?;
/// # let folder = temporary.path();
/// let checkpoint = Checkpoint::of(folder);
/// checkpoint.write_header("{}")?;
/// checkpoint.append(&[b"first"], true)?;
/// checkpoint.append(&[b"sec", b"ond"], true)?;
/// let records = checkpoint.records()?;
/// assert_eq!(records.iter().collect::<Vec<_>>(), [b"first".as_slice(), b"second"]);
/// assert_eq!(records.damaged_bytes(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Checkpoint {
    pub(crate) folder: PathBuf,
}

/// The intact records of a checkpoint, up to the first one that is damaged or truncated.
#[derive(Debug)]
pub struct Records {
    bytes: Vec<u8>,
    payloads: Vec<Range<usize>>,
}

impl Records {
    /// Their payloads, in the order in which they were written.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.payloads.iter().map(|range| &self.bytes[range.clone()])
    }

    /// Bytes that follow the last intact record.
    pub fn damaged_bytes(&self) -> usize {
        self.bytes.len() - self.end(self.payloads.len())
    }

    /// Where the first `count` records end in the file.
    fn end(&self, count: usize) -> usize {
        self.payloads[..count].last().map_or(0, |range| range.end + CHECKSUM_BYTES)
    }
}

impl Checkpoint {
    /// The checkpoint of the run in `folder`, whether there is one or not.
    pub fn of(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// Writes the header, in place of an older one.
    pub fn write_header(&self, text: &str) -> Result<(), ReportError> {
        self.replace_file(HEADER, &[text.as_bytes()])
    }

    /// The header; none if there is no checkpoint.
    pub fn header(&self) -> Result<Option<String>, ReportError> {
        let bytes = self.read(HEADER)?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Replaces all records by one, atomically. Its payload is the concatenation of `parts`.
    pub fn replace(&self, parts: &[&[u8]]) -> Result<(), ReportError> {
        let (length, checksum) = frame(parts);
        let parts = [&[&length[..]], parts, &[&checksum[..]]].concat();
        self.replace_file(RECORDS, &parts)
    }

    pub(crate) fn replace_file(&self, name: &str, parts: &[&[u8]]) -> Result<(), ReportError> {
        let path = self.folder.join(name);
        replace(&path, parts).map_err(|e| ReportError::io("write", &path, e))?;
        sync_folder(&self.folder)
    }

    /// Appends a record. It survives the end of the process; with `flush` it also survives a power
    /// failure.
    pub fn append(&self, parts: &[&[u8]], flush: bool) -> Result<(), ReportError> {
        let path = self.folder.join(RECORDS);
        let (length, checksum) = frame(parts);
        // One write for the whole record: a crash leaves at most one truncated record at the end.
        let bytes = [&[&length[..]], parts, &[&checksum[..]]].concat().concat();
        let append = || {
            let mut file = OpenOptions::new().append(true).create(true).open(&path)?;
            file.write_all(&bytes)?;
            if flush { file.sync_data() } else { Ok(()) }
        };
        append().map_err(|e| ReportError::io("write", &path, e))
    }

    /// Reads the records.
    pub fn records(&self) -> Result<Records, ReportError> {
        let bytes = self.read(RECORDS)?.unwrap_or_default();
        let mut payloads = Vec::new();
        let mut start = 0;
        // Everything after a damaged record is ignored: its position can no longer be trusted.
        while let Some(payload) = payload(&bytes, start) {
            start = payload.end + CHECKSUM_BYTES;
            payloads.push(payload);
        }
        Ok(Records { bytes, payloads })
    }

    /// Truncates the file after the first `count` of these records, so that others can be appended.
    pub fn truncate(&self, records: &Records, count: usize) -> Result<(), ReportError> {
        let (path, end) = (self.folder.join(RECORDS), records.end(count));
        if end == records.bytes.len() {
            return Ok(());
        }
        let cut = OpenOptions::new().write(true).open(&path).and_then(|file| file.set_len(end as u64));
        cut.map_err(|e| ReportError::io("write", &path, e))
    }

    /// Removes all of its files.
    pub fn remove(&self) -> Result<(), ReportError> {
        let files = CHECKPOINT_FILES.map(|name| self.folder.join(name));
        files.iter().try_for_each(|file| remove(file).and_then(|()| remove(&temporary_name(file))))?;
        self.remove_parts(|_| true)
    }

    fn read(&self, name: &str) -> Result<Option<Vec<u8>>, ReportError> {
        let path = self.folder.join(name);
        match fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(ReportError::io("read", &path, e)),
        }
    }
}

/// The frame of a payload: its length, and the checksum of both.
pub(crate) fn frame(parts: &[&[u8]]) -> ([u8; LENGTH_BYTES], Checksum) {
    let length = parts.iter().map(|part| part.len() as u64).sum::<u64>().to_le_bytes();
    let mut hash = Sha256::new();
    hash.update(length);
    for part in parts {
        hash.update(part);
    }
    (length, hash.finalize().into())
}

/// The payload of the record that begins at `start`; none if it is damaged or truncated.
fn payload(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let (length, rest) = bytes.get(start..)?.split_first_chunk::<LENGTH_BYTES>()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    // A damaged length may exceed the file.
    let (payload, rest) = rest.split_at_checked(length)?;
    let (checksum, _) = rest.split_first_chunk::<CHECKSUM_BYTES>()?;
    let first = start + LENGTH_BYTES;
    (frame(&[payload]).1 == *checksum).then_some(first..first + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payloads(checkpoint: &Checkpoint) -> Vec<Vec<u8>> {
        checkpoint.records().unwrap().iter().map(<[u8]>::to_vec).collect()
    }

    #[test]
    fn damage_is_found_wherever_it_is() {
        let temporary = tempfile::tempdir().unwrap();
        let (checkpoint, file) = (Checkpoint::of(temporary.path()), temporary.path().join(RECORDS));
        checkpoint.append(&[b"one"], true).unwrap();
        checkpoint.append(&[b"", b"two", b"2"], false).unwrap();
        let good = fs::read(&file).unwrap();
        let first = LENGTH_BYTES + 3 + CHECKSUM_BYTES;
        for length in 0..good.len() {
            fs::write(&file, &good[..length]).unwrap();
            assert_eq!(payloads(&checkpoint).len(), usize::from(length >= first), "{length} bytes");
        }
        for at in 0..good.len() {
            for bit in 0..8 {
                let mut wrong = good.clone();
                wrong[at] ^= 1 << bit;
                fs::write(&file, &wrong).unwrap();
                assert_eq!(payloads(&checkpoint).len(), usize::from(at >= first), "byte {at}, bit {bit}");
            }
        }
    }

    #[test]
    fn records_are_cut_off_and_appended_to() {
        let temporary = tempfile::tempdir().unwrap();
        let (checkpoint, file) = (Checkpoint::of(temporary.path()), temporary.path().join(RECORDS));
        assert!(payloads(&checkpoint).is_empty());
        checkpoint.append(&[b"1"], true).unwrap();
        checkpoint.append(&[b"2"], false).unwrap();
        // Killed in the middle of a record.
        let mut torn = fs::read(&file).unwrap();
        torn.extend(b"\x09\0\0\0");
        fs::write(&file, torn).unwrap();
        let records = checkpoint.records().unwrap();
        assert_eq!((records.iter().count(), records.damaged_bytes()), (2, 4));
        checkpoint.truncate(&records, 1).unwrap();
        checkpoint.append(&[b"3"], true).unwrap();
        assert_eq!(payloads(&checkpoint), [b"1", b"3"]);
        checkpoint.replace(&[b"a", b"", b"bc"]).unwrap();
        // Killed while it wrote the next one.
        fs::write(temporary_name(&temporary.path().join(RECORDS)), "half").unwrap();
        assert_eq!(payloads(&checkpoint), [b"abc"]);
        checkpoint.remove().unwrap();
        assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 0);
    }
}
