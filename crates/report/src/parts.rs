//! The parts of a checkpoint: one file for each rank that saves its own share of the state.
//!
//! A part is written under a new name for each generation, `checkpoint-GENERATION-rankN.bin`, and flushed. The manifest in
//! `checkpoint.bin`, replaced atomically after all parts are on the disk, says which generation counts: a crash at any moment leaves the
//! old or the new one, whole.

use crate::ReportError;
use crate::atomic::remove;
use crate::checkpoint::{
    CHECKSUM_BYTES, Checkpoint, Checksum, LENGTH_BYTES, PART_PREFIX, PART_SUFFIX, frame, is_part_file,
};
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};

/// The generation in the name of a part's file.
fn generation_of(name: &str) -> &str {
    let rest = name.get(PART_PREFIX.len()..).unwrap_or_default();
    rest.rsplit_once("-rank").map_or(rest, |(generation, _)| generation)
}

impl Checkpoint {
    /// The name of a part's file in the folder.
    pub fn part_name(generation: &str, rank: usize) -> String {
        format!("{PART_PREFIX}{generation}-rank{rank}{PART_SUFFIX}")
    }

    /// Writes the part of a rank, which does not count before a manifest names it. The payload of each record is the concatenation of its
    /// pieces. Returns the checksums of the records.
    ///
    /// ```
    /// use phasefront_report::Checkpoint;
    /// # let temporary = tempfile::tempdir()?;
    /// # let folder = temporary.path();
    /// let checkpoint = Checkpoint::of(folder);
    /// let written = checkpoint.write_part("step25", 3, &[vec![b"num", b"bers"], vec![b"values"]])?;
    /// assert_eq!(checkpoint.read_part("step25", 3, 1)?, Some((b"values".to_vec(), written[1])));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write_part<const N: usize>(
        &self,
        generation: &str,
        rank: usize,
        records: &[Vec<&[u8]>; N],
    ) -> Result<[Checksum; N], ReportError> {
        let frames = records.each_ref().map(|record| frame(record));
        let mut pieces: Vec<&[u8]> = Vec::new();
        for (record, (length, checksum)) in records.iter().zip(&frames) {
            pieces.push(length);
            pieces.extend_from_slice(record);
            pieces.push(checksum);
        }
        self.replace_file(&Self::part_name(generation, rank), &pieces)?;
        Ok(frames.map(|(_, checksum)| checksum))
    }

    /// A record of a rank's part, by its number, with its checksum; those before it are skipped. None if it is damaged or truncated.
    pub fn read_part(
        &self,
        generation: &str,
        rank: usize,
        record: usize,
    ) -> Result<Option<(Vec<u8>, Checksum)>, ReportError> {
        let path = self.folder.join(Self::part_name(generation, rank));
        match File::open(&path).and_then(|mut file| read_record(&mut file, record)) {
            Ok(found) => Ok(found),
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(e) => Err(ReportError::io("read", &path, e)),
        }
    }

    /// Removes the parts of `unwanted` generations, those that were never completed too.
    pub fn remove_parts(&self, unwanted: impl Fn(&str) -> bool) -> Result<(), ReportError> {
        let failed = |e| ReportError::io("read", &self.folder, e);
        for entry in fs::read_dir(&self.folder).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            let Some(name) = name.to_str() else { continue };
            // While it is written, a file has a dot before its name and an ending behind it (`atomic.rs`).
            let complete = name.strip_prefix('.').and_then(|name| name.strip_suffix(".new")).unwrap_or(name);
            if is_part_file(complete) && unwanted(generation_of(complete)) {
                remove(&self.folder.join(name))?;
            }
        }
        Ok(())
    }
}

/// A record of a file, after as many others.
fn read_record(file: &mut File, skipped: usize) -> io::Result<Option<(Vec<u8>, Checksum)>> {
    let mut rest = file.metadata()?.len();
    let frame_bytes = (LENGTH_BYTES + CHECKSUM_BYTES) as u64;
    for number in 0..=skipped {
        let mut length = [0; LENGTH_BYTES];
        file.read_exact(&mut length)?;
        let length = u64::from_le_bytes(length);
        // A damaged length may be any number.
        let Some(after) = length.checked_add(frame_bytes).and_then(|record| rest.checked_sub(record)) else {
            return Ok(None);
        };
        rest = after;
        if number < skipped {
            // At most the length of the file, which is a signed number.
            file.seek(SeekFrom::Current((length + CHECKSUM_BYTES as u64) as i64))?;
            continue;
        }
        let mut payload = Vec::new();
        payload.try_reserve_exact(usize::try_from(length).unwrap_or(usize::MAX))?;
        file.by_ref().take(length).read_to_end(&mut payload)?;
        let mut checksum = [0; CHECKSUM_BYTES];
        file.read_exact(&mut checksum)?;
        return Ok((frame(&[&payload]).1 == checksum).then_some((payload, checksum)));
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_found_in_the_record_that_is_read() {
        let temporary = tempfile::tempdir().unwrap();
        let checkpoint = Checkpoint::of(temporary.path());
        let written = checkpoint.write_part("g", 0, &[vec![b"one"], vec![b"tw", b"", b"o"]]).unwrap();
        let file = temporary.path().join(Checkpoint::part_name("g", 0));
        let good = fs::read(&file).unwrap();
        let first = LENGTH_BYTES + 3 + CHECKSUM_BYTES;
        let found = |record| checkpoint.read_part("g", 0, record).unwrap();
        for at in 0..good.len() {
            fs::write(&file, &good[..at]).unwrap();
            assert_eq!(
                [found(0), found(1)].map(|record| record.is_some()),
                [at >= first, false],
                "{at} bytes"
            );
            let mut wrong = good.clone();
            wrong[at] ^= 1 << (at % 8);
            fs::write(&file, &wrong).unwrap();
            assert_eq!(found(0).is_some(), at >= first, "byte {at}");
            // A damaged length of the first record leads astray too.
            assert_eq!(found(1).is_some(), (LENGTH_BYTES..first).contains(&at), "byte {at}");
        }
        fs::write(&file, &good).unwrap();
        assert_eq!(found(0), Some((b"one".to_vec(), written[0])));
        assert_eq!(found(1), Some((b"two".to_vec(), written[1])));
        assert_eq!(found(2), None);
    }

    #[test]
    fn unwanted_parts_go_and_nothing_else() {
        let temporary = tempfile::tempdir().unwrap();
        let checkpoint = Checkpoint::of(temporary.path());
        for generation in ["a", "b"] {
            checkpoint.write_part(generation, 1, &[vec![b"x"]]).unwrap();
        }
        for name in [".checkpoint-a-rank2.bin.new", "checkpoint-notes.txt", "checkpoint.bin"] {
            fs::write(temporary.path().join(name), "").unwrap();
        }
        checkpoint.remove_parts(|generation| generation != "b").unwrap();
        let names = || {
            let entries = fs::read_dir(temporary.path()).unwrap().map(|entry| entry.unwrap().file_name());
            let mut names: Vec<_> = entries.map(|name| name.into_string().unwrap()).collect();
            names.sort();
            names
        };
        assert_eq!(names(), ["checkpoint-b-rank1.bin", "checkpoint-notes.txt", "checkpoint.bin"]);
        checkpoint.remove().unwrap();
        assert_eq!(names(), ["checkpoint-notes.txt"]);
    }
}
